# Questions of tags and positions: as a command, and as a directory with the opening tree of one player.
# shellcheck shell=bash

say
all=$("$pgnfs" find --show=count "" "$source")

# Processor time of one thread for a question, in milliseconds: the best of several.
asked() {
    local times=() round TIMEFORMAT=%U
    for ((round = 0; round < 2 * rounds; round++)); do
        times+=("$({ time "$pgnfs" find --threads=1 --cache-dir=none --show=count "$1" "$source" >/dev/null || true; } 2>&1)")
    done
    ratio "$(least "${times[@]}")" 0.001
}
for question in 'elo:2700..' 'site:paris' 'player:carlsen year:2005..'; do
    row "$question, games/s and core" "$(ratio "$all" "$(ratio "$(asked "$question")" 1000)")" least 5000000
done
line='line:"e4 c5"'
row "$line elo:2700.., against the line alone" "$(ratio "$(asked "$line elo:2700..")" "$(asked "$line")")" most 1.2
# The rating leaves a tenth of the games.
board=board:8/8/8/3q4/8/8/8/8
row "$board elo:2670.., against the board alone" "$(ratio "$(asked "$board elo:2670..")" "$(asked "$board")")" most 0.2

# Questions of positions once the lines of the games are kept, whatever the format; the start of the program is taken off.
"$pgnfs" export "$source" >"$memory/games.pgn"
forms=("$source" "$memory/games.pgn")
if command -v zstd >/dev/null; then
    zstd --quiet -o "$memory/games.pgn.zst" "$memory/games.pgn"
    forms+=("$memory/games.pgn.zst")
fi
# Names in these formats are short.
sed -E 's/^(\[[A-Z][a-z]+ "[^"]{0,19})[^"]*"/\1"/' "$memory/games.pgn" >"$memory/short.pgn"
for format in chessbase-cbh scid; do
    "$target/release/examples/make_database" "$format" "$memory/$format/games" "$memory/short.pgn"
done
forms+=("$memory/chessbase-cbh/games.cbh" "$memory/scid/games.si4")
# Processor time of a question once lines are kept, in milliseconds: the best of several.
with_lines() {
    local times=() round TIMEFORMAT=%U
    for ((round = 0; round < 2 * rounds; round++)); do
        times+=("$({ time "$pgnfs" find --threads=1 --index=no --cache-dir="$memory/kept" --show=count "$1" "$2" >/dev/null || true; } 2>&1)")
    done
    ratio "$(least "${times[@]}")" 0.001
}
# usage: beyond_start TIME START
beyond_start() {
    awk -v time="$1" -v start="$2" 'BEGIN { beyond = time - start; print (beyond > 1 ? beyond : 1) }'
}
for form in "${forms[@]}"; do
    name=${form##*/}
    row "$name: the first search, which keeps the lines, ms" "$(milliseconds "$pgnfs" find --threads=1 --index=no --cache-dir="$memory/kept" --show=count material:KRPkr "$form")"
    start=$(with_lines year:1000 "$form")
    while read -r aim question; do
        taken=$(beyond_start "$(with_lines "$question" "$form")" "$start")
        row "$name: $question, kept lines, games/s and core" "$(ratio "$all" "$(ratio "$taken" 1000)")" least "$aim"
    done <<'QUESTIONS'
8000000 material:KRPkr
8000000 played:Bxh7+
1800000 white_isolated:3..
1800000 board:8/8/8/3P4/2B5/8/8/8
1200000 sacrifice:3..
1200000 is:check
2000000 is:mate
QUESTIONS
done

# Scoutfish with an index of its own, and both over these games. Its answer has the time without the start of the program.
if command -v scoutfish >/dev/null; then
    python3 scripts/long-test.parts/main_lines.py --numbered "$memory/games.pgn" "$memory/numbered.pgn"
    (cd -- "$memory" && scoutfish make numbered.pgn >/dev/null)
    theirs=$(for ((round = 0; round < 2 * rounds; round++)); do
        printf 'setoption name threads value 1\nscout %s { "material": "KRPKR" }\nquit\n' "$memory/numbered.scout" | scoutfish |
            sed -n 's/^ *"processing time (ms)": \([0-9]*\),/\1/p'
    done | sort -g | head -n 1)
    "$pgnfs" find --index=no --cache-dir="$memory/kept" --show=count material:KRPkr "$memory/numbered.pgn" >/dev/null
    ours=$(beyond_start "$(with_lines material:KRPkr "$memory/numbered.pgn")" "$(with_lines year:1000 "$memory/numbered.pgn")")
    row "Scoutfish: material KRPKR, ms" "$theirs"
    row "material:KRPkr against Scoutfish, times" "$(ratio "$theirs" "$ours")" least 20
fi
rm -rf -- "$memory"/{kept,games.pgn.zst,short.pgn,numbered.pgn,numbered.scout,chessbase-cbh,scid}

# Three players of about a thousand games each.
mapfile -t players < <("$pgnfs" export --to=csv --columns=White,Black "$source" | python3 -c '
import csv, collections, sys
rows = list(csv.reader(sys.stdin))[1:]
games = collections.Counter(name for row in rows for name in set(row) if name and "_" not in name and "/" not in name)
for name in sorted(games, key=lambda name: (abs(games[name] - 1000), name))[:3]:
    print(name)')
# Reads a file without starting a program.
look() {
    local lines
    mapfile -t lines <"$1"
}
mount_it --index=yes "$source"
know_sizes
look "$place/mount/moves/moves.csv"
first=() again=()
for player in "${players[@]}"; do
    tree="$place/mount/search/player:=\"$player\"/moves/moves.csv"
    first+=("$(milliseconds look "$tree")")
    again+=("$(milliseconds look "$tree")")
done
unmount_it
row "opening tree of a player of 1,000 games, with an index, first, ms" "$(least "${first[@]}")" most 30
row "the same again, ms" "$(least "${again[@]}")" most 1

if command -v polyglot >/dev/null; then
    # polyglot makes no book of a null move or a set-up.
    python3 scripts/long-test.parts/main_lines.py "$memory/games.pgn" "$memory/lines.pgn"
    made=$(milliseconds polyglot make-book -pgn "$memory/lines.pgn" -bin "$memory/theirs.bin")
    ours=()
    for ((round = 0; round < rounds; round++)); do
        ours+=("$(milliseconds "$pgnfs" export --to=polyglot --output="$memory/ours.bin" "$source" 2>/dev/null)")
    done
    cmp -- "$memory/ours.bin" "$memory/theirs.bin" || fail "the books of pgnfs and polyglot differ"
    row "a book, against polyglot make-book, times" "$(ratio "$made" "$(least "${ours[@]}")")" least 3
    rm -f -- "$memory/lines.pgn" "$memory/ours.bin" "$memory/theirs.bin"
fi
rm -f -- "$memory/games.pgn"
