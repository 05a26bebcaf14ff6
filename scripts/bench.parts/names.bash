# All names of a mount, compared with a folder in memory that has the same names.
# shellcheck shell=bash

say
mount_it "$source"
know_sizes
say "$source: all its names, copied to memory"
mkdir "$memory/names"
# A tmpfs has place for a limited number of names; root can lift the limit.
[[ $(id -u) -ne 0 ]] || mount -t tmpfs -o nr_inodes=0 pgnfs-bench "$memory/names"
(cd -- "$place/mount" && find . -type d -print0) | (cd -- "$memory/names" && xargs -0 mkdir -p)
(cd -- "$place/mount" && find . ! -type d -print0) | (cd -- "$memory/names" && xargs -0 touch)
sleep 2
unmount_it

walk() {
    (cd -- "$1" && find .) | wc -l
}
copied=() first=() second=()
for ((round = 0; round < rounds; round++)); do
    # The copy's inodes exist already, those of the mount do not.
    copied+=("$(milliseconds walk "$memory/names")")
    mount_it "$source"
    first+=("$(milliseconds walk "$place/mount")")
    second+=("$(milliseconds walk "$place/mount")")
    unmount_it
done
row "find . over $(walk "$memory/names") names, in memory, s" "$(ratio "$(least "${copied[@]}")" 1000)"
row "find . over all names, first time, against tmpfs" "$(ratio "$(least "${first[@]}")" "$(least "${copied[@]}")")" \
    most 2.0
row "find . over all names, second time, against tmpfs" "$(ratio "$(least "${second[@]}")" "$(least "${copied[@]}")")"
umount "$memory/names" 2>/dev/null || true
rm -rf -- "$memory/names"
