# A database of millions of games: mounting, listing, sizes, memory, and random readers.
# shellcheck shell=bash

read -r games name < <("$pgnfs" info --json "$large" | python3 -c '
import json, sys
first = json.load(sys.stdin)["databases"][0]
print(first["games"], first["path"])')
directory=$place/mount/$name
say
say "$large: $games games"

mount_and_list() {
    mount_it "$large"
    ls -- "$directory"
}

list_views() {
    ls -U "$directory"/{players,events,years,eco,material} >/dev/null
}

# usage: after_mounting WORD SECONDS
# Measures the first answers of a mount. The list of players may take so many seconds.
after_mounting() {
    local mounts=() lists=() round
    for ((round = 0; round < rounds; round++)); do
        [[ $1 == next ]] || rm -rf -- "$XDG_CACHE_HOME"
        mounts+=("$(milliseconds mount_and_list)")
        lists+=("$(milliseconds ls -U "$directory/players")")
        unmount_it
    done
    row "$1 mount of $games games until ls answers, ms" "$(least "${mounts[@]}")" most 20
    row "ls -U of all players, $1 mount, s" "$(ratio "$(least "${lists[@]}")" 1000)" most "$2"
}

after_mounting first 1.5
rm -rf -- "$XDG_CACHE_HOME"
mount_it "$large"
row "sizes of all $games games, s" "$(ratio "$(milliseconds stat "$directory/all.pgn")" 1000)" most 12
list_views
row "anonymous memory with all sizes and views, bytes a game" "$(anonymous "$games")" most 16
row "the same in MiB" "$(ratio "$(anonymous 1)" 1048576)" most 152
sleep 5
unmount_it
after_mounting next 0.3

mount_it "$large"
list_views
readers=$(newest readers)
median=([8]=0.02) slow=([64]=20)
for number in 8 64; do
    # The first run fills the page cache, with other games for the most part: another seed chooses others.
    "$readers" "$directory/games" "$games" "$number" 10 "${number}1" >/dev/null
    say "$number readers at random for $seconds s"
    "$readers" "$directory/games" "$games" "$number" "$seconds" "${number}2" | tee "$place/readers"
    row "$number readers at random: reads a second" "$(awk '$1 == "reads" { print $2 }' "$place/readers")"
    row "$number readers at random: median read, ms" "$(awk '$1 == "median" { print $2 }' "$place/readers")" \
        ${median[number]:+most "${median[number]}"}
    row "$number readers at random: 99 of 100 reads, ms" "$(awk '$1 == "99" { print $NF }' "$place/readers")" \
        ${slow[number]:+most "${slow[number]}"}
    row "$number readers at random: errors" "$(awk '$1 == "errors" { print $2 }' "$place/readers")" most 0
    row "$number readers at random: anonymous memory, MiB" "$(ratio "$(anonymous 1)" 1048576)" most 256
done
unmount_it
