# all.pgn compared with export and with the same bytes in memory.
# shellcheck shell=bash

say
say "$source: all.pgn"
"$pgnfs" export "$source" >"$memory/all.pgn"
# Writes a size file.
mount_it "$source"
know_sizes
sleep 2
unmount_it
exports=() alone=() first=() second=() copied=()
for ((round = 0; round < rounds; round++)); do
    exports+=("$(milliseconds "$pgnfs" export "$source")")
    alone+=("$(milliseconds "$pgnfs" export --threads 1 "$source")")
    mount_it "$source"
    first+=("$(milliseconds cat "$place/mount/all.pgn")")
    second+=("$(milliseconds cat "$place/mount/all.pgn")")
    copied+=("$(milliseconds cat "$memory/all.pgn")")
    cmp "$place/mount/all.pgn" "$memory/all.pgn" || fail "all.pgn and the export differ"
    unmount_it
done
rm -- "$memory/all.pgn"
row "export with all processors, ms" "$(least "${exports[@]}")"
row "the same against one thread: speed" "$(ratio "$(least "${alone[@]}")" "$(least "${exports[@]}")")" least 1.9
row "cat all.pgn, sizes in their file, ms" "$(least "${first[@]}")"
row "cat all.pgn, first time, speed against export" "$(ratio "$(least "${exports[@]}")" "$(least "${first[@]}")")" \
    least 0.9
row "cat all.pgn, second time, speed against tmpfs" "$(ratio "$(least "${copied[@]}")" "$(least "${second[@]}")")" \
    least 0.6
