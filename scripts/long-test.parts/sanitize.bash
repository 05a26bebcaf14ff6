#!/usr/bin/env bash
# Runs tests, and the programs that they start, with AddressSanitizer or ThreadSanitizer: an hour with building.
#
# usage: scripts/long-test sanitize address|thread [TARGET...] [-- ARGUMENT...]
#
# Targets are those of `cargo test --test`, by default mounts, served and decoders, and `lib` for the unit tests. Arguments
# are passed to the test programs. Builds are kept in target/sanitize. Findings, also of programs in the
# background, are printed at the end. The exit code is 1 if there are any or if a test failed.
#
# ThreadSanitizer needs its own build of the standard library, from the component rust-src. Otherwise it does
# not see how the locks of the standard library order accesses, and reports false races.
set -euo pipefail

# shellcheck source=scripts/common.bash
. "$(dirname -- "${BASH_SOURCE[0]}")/../common.bash"
cd -- "$root"

kind=${1-}
[[ $kind == address || $kind == thread ]] || misuse "'$kind' is no sanitizer"
shift
tests=()
while [[ $# -gt 0 && $1 != -- ]]; do
    case $1 in
        lib) tests+=(--lib) ;;
        *) tests+=(--test "$1") ;;
    esac
    shift
done
[[ $# -eq 0 ]] || shift
[[ ${#tests[@]} -gt 0 ]] || tests=(--test mounts --test served --test decoders)
need_rust

reports=$(mktemp -d)
# Some tests run the program as another user.
chmod 1777 "$reports"
use_sanitizer "$kind"
# The program's own handler of SIGBUS handles bytes beyond the end of a truncated file.
common=log_path=$reports/report:handle_sigbus=0
# Memory of threads that still wait when a test program ends is not a leak.
export ASAN_OPTIONS=$common:detect_leaks=0 TSAN_OPTIONS=$common
# Finding the names for a backtrace takes seconds in so large a program, longer than some tests let a thread be silent.
export RUST_BACKTRACE=0
if [[ $kind == thread ]]; then
    if [[ -d $(rustc --print sysroot)/lib/rustlib/src/rust/library ]]; then
        sanitized+=(-Zbuild-std)
    else
        say "the component rust-src is missing, so some reports are wrong. Install it with: rustup component add rust-src"
        RUSTFLAGS+=" -Cunsafe-allow-abi-mismatch=sanitizer"
    fi
fi

failed=0
# A sanitizer reserves terabytes of address space, which the test with little memory does not permit, and it
# cannot be preloaded together with libfaketime.
run cargo test --workspace "${sanitized[@]}" --no-fail-fast --bin pgnfs "${tests[@]}" -- \
    --skip little_memory --skip a_clock_that_jumps "$@" || failed=1
mapfile -t found < <(find "$reports" -type f)
say
if [[ ${#found[@]} -eq 0 ]]; then
    rm -rf -- "$reports"
    say "no reports"
else
    say "${#found[@]} reports, of which the summaries are"
    grep -h '^SUMMARY: ' "${found[@]}" | sort | uniq -c | sort -rn || true
    say "they are in $reports"
    failed=1
fi
exit "$failed"
