# 10,000 games over HTTP and WebDAV, compared with the same files unpacked and served by rclone.
# shellcheck shell=bash

say
say "$source: the first 10,000 games over HTTP, and the same files in memory served by rclone"
"$pgnfs" export "$source" 2>"$place/errors" | awk '/^\[Event "/ && ++games > 10000 { exit } { print }' >"$place/ten.pgn" || true
"$target/release/examples/make_database" simplecdb "$place/ten" "$place/ten.pgn"
mount_it "$place/ten.dci"
know_sizes
mkdir "$memory/http"
cp -r -- "$place/mount/games" "$memory/http"
unmount_it
with_rclone=(rclone --config /dev/null)

# usage: until_answers URL
until_answers() {
    local try
    for ((try = 0; try < 200; try++)); do
        ! curl -sf -o "$place/answer" -- "$1" || return 0
        sleep 0.05
    done
    fail "$1 does not answer"
}

# Gets all games over one connection.
# usage: get_games URL
get_games() {
    local block names gets=()
    for ((block = 1; block <= 10000; block += 1000)); do
        names=$(printf '%06d-%06d' "$block" $((block + 999)))
        gets+=(-o "$memory/got" "$1/$names/[$names].pgn")
    done
    curl -sf "${gets[@]}"
}

# usage: copy_games URL
copy_games() {
    rm -rf -- "$memory/copied"
    "${with_rclone[@]}" copy --webdav-url "$1" --webdav-vendor other :webdav:games "$memory/copied"
}

# The best of several runs in milliseconds.
# usage: best_of COMMAND...
best_of() {
    local times=() round
    for ((round = 0; round < rounds; round++)); do times+=("$(milliseconds "$@")"); done
    least "${times[@]}"
}

# Ends the server that was started last.
end_server() {
    kill -- "$server"
    wait -- "$server" || true
}

address=127.0.0.1:19081
"${with_rclone[@]}" serve http --addr "$address" "$memory/http" 2>"$place/errors" &
server=$!
until_answers "http://$address/games/"
unpacked=$(best_of get_games "http://$address/games")
end_server
"${with_rclone[@]}" serve webdav --addr "$address" "$memory/http" 2>"$place/errors" &
server=$!
until_answers "http://$address/games/"
copied=$(best_of copy_games "http://$address")
end_server

"$pgnfs" serve --listen "$address" "$place/ten.dci" >"$place/answer" &
server=$!
until_answers "http://$address/files/games/"
"$pgnfs" status --wait "$address" >"$place/answer"
row "10,000 games from rclone serve http, ms" "$unpacked"
got=$(milliseconds get_games "http://$address/files/games")
row "the same from pgnfs serve, texts not in the cache, times" "$(ratio "$got" "$unpacked")" most 2
row "the same, texts in the cache, times" "$(ratio "$(best_of get_games "http://$address/files/games")" "$unpacked")" most 1
row "rclone copy of 10,000 games from rclone serve webdav, ms" "$copied"
row "the same from pgnfs serve, times" "$(ratio "$(best_of copy_games "http://$address/files")" "$copied")" most 1
diff -r -- "$memory/copied" "$memory/http/games" >"$place/answer" || fail "the copy differs"
end_server
rm -rf -- "$memory/http" "$memory/copied"
