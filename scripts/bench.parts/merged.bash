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
# As many exports as processors, one thread each, at the same time: nothing is shared but the machine.
at_once() {
    local started=()
    for ((i = 0; i < processors; i++)); do
        "$pgnfs" export --threads 1 "$source" >/dev/null &
        started+=($!)
    done
    wait "${started[@]}"
}
processors=$(nproc)
exports=() alone=() separate=() first=() second=() copied=()
for ((round = 0; round < rounds; round++)); do
    exports+=("$(milliseconds "$pgnfs" export "$source")")
    alone+=("$(milliseconds "$pgnfs" export --threads 1 "$source")")
    separate+=("$(milliseconds at_once)")
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
row "an export on each of $processors processors against one: speed" \
    "$(ratio "$(ratio "$(least "${alone[@]}")" "$(least "${separate[@]}")")" "$(ratio 1 "$processors")")"
row "cat all.pgn, sizes in their file, ms" "$(least "${first[@]}")"
row "cat all.pgn, first time, speed against export" "$(ratio "$(least "${exports[@]}")" "$(least "${first[@]}")")" \
    least 0.9
row "cat all.pgn, second time, speed against tmpfs" "$(ratio "$(least "${copied[@]}")" "$(least "${second[@]}")")" \
    least 0.6
