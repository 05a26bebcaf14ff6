# A million games with 300,000 names: mounting, listing, memory, the pass over all games, and random readers.
# shellcheck shell=bash

say
say "$million: 1000000 games, 300000 names"
games=1000000

mount_and_list() {
    mount_it --cache-dir=none "$million"
    ls -- "$place/mount"
}

times=() lists=() again=()
for ((round = 0; round < rounds; round++)); do
    times+=("$(milliseconds mount_and_list)")
    lists+=("$(milliseconds ls -U "$place/mount/players")")
    again+=("$(milliseconds ls -U "$place/mount/players")")
    unmount_it
done
row "mount of $games games until ls answers, s" "$(ratio "$(least "${times[@]}")" 1000)" most 0.5
row "ls -U of 300,000 names, first time, s" "$(ratio "$(least "${lists[@]}")" 1000)" most 0.5
row "ls -U of 300,000 names, second time, s" "$(ratio "$(least "${again[@]}")" 1000)"

# Without a size file. A stat makes the background pass do its work at full priority.
passes=()
for ((round = 0; round < rounds; round++)); do
    rm -rf -- "$XDG_CACHE_HOME"
    mount_it "$million"
    passes+=("$(milliseconds know_sizes)")
    ((round == rounds - 1)) || unmount_it
done
row "sizes of all $games games, s" "$(ratio "$(least "${passes[@]}")" 1000)" most 0.8
row "anonymous memory with all sizes, bytes a game" "$(anonymous "$games")" most 16
# The size file is written after the reply.
sleep 2
unmount_it
mount_it "$million"
row "sizes of all $games games, next mount, ms" "$(milliseconds know_sizes)"
ls -U "$place/mount"/{players,events,years,eco,material} >/dev/null
row "anonymous memory with all sizes and views, bytes a game" "$(anonymous "$games")" most 16
unmount_it
mount_it "$million"
row "ls -U of 300,000 names, next mount, s" "$(ratio "$(milliseconds ls -U "$place/mount/players")" 1000)" most 0.3
know_sizes
ls -U "$place/mount"/{players,events,years,eco,material} >/dev/null
row "anonymous memory with both, next mount, bytes a game" "$(anonymous "$games")" most 16

say "8 readers at random for $seconds s"
readers=$(newest readers)
"$readers" "$place/mount/games" "$games" 8 "$seconds" 1 | tee "$place/readers"
row "8 readers at random: reads a second" "$(awk '$1 == "reads" { print $2 }' "$place/readers")"
row "8 readers at random: median read, ms" "$(awk '$1 == "median" { print $2 }' "$place/readers")" most 0.2
row "8 readers at random: errors" "$(awk '$1 == "errors" { print $2 }' "$place/readers")" most 0
# All views have been built by now; the cache of texts has 64 MiB.
row "8 readers at random: anonymous memory, MiB" "$(ratio "$(anonymous 1)" 1048576)" most 128
unmount_it
