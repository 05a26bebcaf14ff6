# 100,000 game files: searching and listing them, compared with the same files unpacked.
# shellcheck shell=bash

say
mount_it "$source"
know_sizes
blocks=()
for block in "$place"/mount/games/*; do
    blocks+=("${block##*/}")
    ((${#blocks[@]} * 1000 < files)) || break
done
files=$((${#blocks[@]} * 1000))
say "$source: the first $files games, copied to memory, to a disk and into a squashfs"
for to in "$memory/files" "$place/files"; do
    mkdir "$to"
    (cd -- "$place/mount/games" && cp -r -- "${blocks[@]}" "$to")
done
sleep 2
unmount_it

search() (
    cd -- "$1"
    # No match is not a failure.
    grep -r -- "$pattern" "${blocks[@]}" || [[ $? -eq 1 ]]
)
look() (
    cd -- "$1"
    find "${blocks[@]}" -size +1k
)
list() (
    cd -- "$1"
    ls -lR "${blocks[@]}"
)
# A copy may be in another order.
search "$memory/files" | sort >"$place/expected"

# usage: compare WORD
# Measures a search in memory and in a fresh mount, the first and the second time.
compare() {
    local copied=() first=() second=() round
    for ((round = 0; round < rounds; round++)); do
        copied+=("$(milliseconds search "$memory/files")")
        mount_it "$source"
        first+=("$(milliseconds search "$place/mount/games")")
        second+=("$(milliseconds search "$place/mount/games")")
        search "$place/mount/games" | sort | cmp - "$place/expected" || fail "the mount and its copy differ"
        unmount_it
    done
    tmpfs=$(least "${copied[@]}")
    mounted=$(least "${first[@]}")
    row "grep -r over $files files in tmpfs$1, ms" "$tmpfs"
    row "grep -r over the mount, first time$1, ms" "$mounted"
    row "grep -r, first time against tmpfs$1, times" "$(ratio "$mounted" "$tmpfs")" ${2-}
    row "grep -r, second time against tmpfs$1, times" "$(ratio "$(least "${second[@]}")" "$tmpfs")" ${3-}
}
# What FUSE alone costs: a file system with the same names and sizes that computes nothing.
# usage: on_floor COMMAND [empty]
# Prints the milliseconds that a command takes the first time.
on_floor() {
    local of
    "$(newest floor)" "$memory/files" "$place/floor" "${@:2}" >&2 &
    of=$!
    until mountpoint -q "$place/floor"; do
        kill -0 "$of" || fail "the file system that computes nothing does not start"
        sleep 0.05
    done
    milliseconds "$1" "$place/floor"
    umount "$place/floor" 2>/dev/null || fusermount3 -u "$place/floor"
    wait "$of"
}

# usage: compare_with_floor NAME MILLISECONDS COMMAND [empty]
# Compares the time of a command in the mount with the least that it can take.
compare_with_floor() {
    local times=() round
    for ((round = 0; round < rounds; round++)); do
        times+=("$(on_floor "${@:3}")")
    done
    row "$1 over a file system that computes nothing, first time, ms" "$(least "${times[@]}")"
    row "$1, mount against that, first time, times" "$(ratio "$2" "$(least "${times[@]}")")"
}

compare "" "most 1.8" "most 1.1"
compare_with_floor "grep -r" "$mounted" search

processor=$(taskset -cp $$ | sed 's/.*[ ,-]//')
all_processors=$(taskset -p $$ | sed 's/.* //')
taskset -cp "$processor" $$ >/dev/null
compare ", one processor"
taskset -p "$all_processors" $$ >/dev/null

if [[ -w /proc/sys/vm/drop_caches ]]; then
    drop_caches
    disk=$(milliseconds search "$place/files")
    row "grep -r over the files on a disk, read cold, ms" "$disk"
    row "grep -r, mount against disk read cold, times" "$(ratio "$mounted" "$disk")" most 1
fi
if command -v squashfuse_ll >/dev/null && command -v mksquashfs >/dev/null; then
    mksquashfs "$memory/files" "$memory/files.squashfs" -quiet -no-progress >/dev/null
    times=()
    for ((round = 0; round < rounds; round++)); do
        squashfuse_ll "$memory/files.squashfs" "$place/squash"
        times+=("$(milliseconds search "$place/squash")")
        umount "$place/squash" 2>/dev/null || fusermount3 -u "$place/squash"
    done
    squash=$(least "${times[@]}")
    row "grep -r over squashfuse_ll, first time, ms" "$squash"
    row "grep -r, mount against squashfuse_ll, times" "$(ratio "$mounted" "$squash")" most 1
fi

for what in look list; do
    copied=() first=() second=()
    for ((round = 0; round < rounds; round++)); do
        copied+=("$(milliseconds "$what" "$memory/files")")
        mount_it "$source"
        know_sizes
        first+=("$(milliseconds "$what" "$place/mount/games")")
        second+=("$(milliseconds "$what" "$place/mount/games")")
        unmount_it
    done
    case $what in
    look) name="find -size +1k" ;;
    list) name="ls -lR" ;;
    esac
    # The first time the kernel creates an inode for each file, which it did in the tmpfs when the files were
    # written.
    row "$name over the mount, sizes known, first time, ms" "$(least "${first[@]}")"
    row "$name, first time against tmpfs, times" "$(ratio "$(least "${first[@]}")" "$(least "${copied[@]}")")" most 2.0
    row "$name, second time against tmpfs, times" "$(ratio "$(least "${second[@]}")" "$(least "${copied[@]}")")" most 2.0
    compare_with_floor "$name" "$(least "${first[@]}")" "$what" empty
done
