#!/usr/bin/env bash
# Reads a mount while its source changes or does not answer: 1 to 35 minutes, as the list below says.
#
# usage: scripts/long-test soak [--debug] [--asan] [KIND] [ARGUMENT...]
#   [SECONDS [READERS]]        10 min   8 readers, while the source is replaced, rewritten, truncated, removed and renamed
#                                       every second
#   cycles [COUNT]              8 min   mounts and unmounts, 10,000 times by default
#   kills [COUNT]               1 min   kills readers with SIGKILL, 1,000 by default
#   reloads [COUNT]            35 min   replaces a database below twelve mounts until they have opened it 10,000 times in all
#   hang [SECONDS]             30 min   a part of the source does not answer, fails or reports wrong sizes
#   flip [SECONDS [FOLDER]]    10 min   changes bytes of databases, and of copies of those in FOLDER, through memory maps
#
# Checks that no reply mixes two states, that every error is explained by a change, that the program does not grow, and
# that the mount shows the final state at the end.
set -euo pipefail

# shellcheck source=scripts/common.bash
. "$(dirname -- "${BASH_SOURCE[0]}")/../common.bash"
cd -- "$root"

profile=release sanitizer='' samples=()
while [[ ${1-} == --debug || ${1-} == --asan ]]; do
    case $1 in
        --debug) profile=debug ;;
        --asan) sanitizer=address ;;
    esac
    shift
done
# Default of the first argument in each mode.
declare -A default=([soak]=600 [cycles]=10000 [kills]=1000 [reloads]=10000 [hang]=1800 [flip]=600)
kind=soak
if [[ -n ${1-} && -n ${default[$1]-} ]]; then
    kind=$1
    shift
fi
numbers=("${1-${default[$kind]}}")
[[ $kind != soak ]] || numbers+=("${2-8}")
for number in "${numbers[@]}"; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || misuse "'$number' is not a number"
done
known=${#numbers[@]}
if [[ $kind == flip && $# -gt 1 ]]; then
    samples=("$(realpath -- "$2")")
    known=2
fi
no_more "${@:known + 1}"
need_rust
need_package python3 python3 || exit 2
[[ -r /dev/fuse && -w /dev/fuse ]] || fail "/dev/fuse cannot be used here"
[[ $(id -u) -eq 0 ]] || need_package fusermount3 fuse3 || exit 2

sanitized=()
[[ -z $sanitizer ]] || use_sanitizer "$sanitizer"
# The program's own handler of SIGBUS handles bytes beyond the end of a truncated file.
[[ -z $sanitizer ]] || export ASAN_OPTIONS=detect_leaks=0:exitcode=99:handle_sigbus=0
flags=(--locked "${sanitized[@]}")
[[ $profile == debug ]] || flags+=(--release)
# Times of files in a tmpfs do not change when the files are written through a map.
[[ $kind != flip || ! -d /dev/shm ]] || export TMPDIR=/dev/shm
run cargo build "${flags[@]}" -p pgnfs -p testkit --bin pgnfs --example make_database --example hanging_folder
PATH=$target/$profile:$target/$profile/examples:$PATH
run python3 "scripts/long-test.parts/soak/$kind.py" examples/games/classics.pgn "${numbers[@]}" "${samples[@]}"
