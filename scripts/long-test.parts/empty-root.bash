#!/usr/bin/env bash
# Makes a bare Debian root with Rust, gcc and fuse3, clones the commit that is checked out into it, and runs scripts/demo
# and scripts/test there as a newcomer would: 30 minutes.
#
# usage: scripts/long-test empty-root [--samples] [FOLDER]
#
# FOLDER becomes the root, and is removed at the end if it was not named. With --samples the sample databases are visible
# there, too. Needs root, debootstrap and the network.
set -euo pipefail

# shellcheck source=scripts/common.bash
. "$(dirname -- "${BASH_SOURCE[0]}")/../common.bash"
samples=
if [[ ${1-} == --samples ]]; then
    samples=${PGNFS_SHARED:-$root/../shared}
    shift
fi
no_more "${@:2}"
[[ $(id -u) -eq 0 ]] || fail "needs root"
need_package debootstrap debootstrap || exit 2
need_rust
place=${1-}
if [[ -z $place ]]; then
    place=$(mktemp -d)
    remove=yes
fi
mkdir -p -- "$place"
place=$(realpath -- "$place")
# Some tests start programs as another user.
chmod 755 -- "$place"
# Blanks and letters beyond ASCII are usual in the folders of users.
newcomer="/home/a newcomer é"
home=$place$newcomer
clean_up() {
    umount --lazy "$place/proc" "$place/dev" "$home/shared" 2>/dev/null || true
    [[ -z ${remove-} ]] || rm -rf --one-file-system -- "$place"
}
trap clean_up EXIT

[[ -x $place/bin/bash ]] || run debootstrap --variant=minbase \
    --include=ca-certificates,curl,fuse3,gcc,git,libc6-dev stable "$place"
toolchain=$(rustc --print sysroot)
mkdir -p -- "$place/opt/rust"
cp -a -- "$toolchain/." "$place/opt/rust/"
mkdir -p -- "$home"
git clone --quiet -- "$root" "$home/pgnfs"
mount -t proc proc "$place/proc"
mount -t tmpfs none "$place/dev"
for device in 'fuse 10 229' 'null 1 3' 'zero 1 5' 'urandom 1 9' 'tty 5 0'; do
    read -r name major minor <<<"$device"
    mknod -m 666 "$place/dev/$name" c "$major" "$minor"
done
ln -s /proc/self/fd "$place/dev/fd"
if [[ -n $samples ]]; then
    mkdir -p -- "$home/shared"
    mount --bind -- "$samples" "$home/shared"
fi
cp -- /etc/resolv.conf "$place/etc/"
# A network may have an authority of its own, which this machine knows already.
cp -- /etc/ssl/certs/ca-certificates.crt "$place/etc/ssl/certs/"

failed=0
for command in scripts/demo scripts/test; do
    begin=$SECONDS
    run chroot "$place" env -i HOME="$newcomer" PATH=/opt/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        bash -c "cd ~/pgnfs && $command" </dev/null || failed=1
    say "$command took $((SECONDS - begin)) s, and ended with $failed"
done
say "target/ has $(du -sh -- "$home/pgnfs/target" | cut -f 1)"
exit $failed
