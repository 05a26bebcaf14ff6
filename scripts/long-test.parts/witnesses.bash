#!/usr/bin/env bash
# Compares the games that pgnfs shows with what other programs read from the same files, and prints every difference: a
# minute for 10,000 games.
#
# usage: scripts/long-test witnesses KIND FILE...
#   pgn FILE.pgn...           python-chess and pgn-extract
#   scid BASE...              Scid: .si3 and .si4 with 4.7, .si5 with 5
#   cbh BASE.cbh...           cbvault, and libcbh for tags and main lines
#   simplecdb GAMES.pgn...    pgn2dcg writes a database of these games
#   export BASE THEIRS.pgn    PGN that any other program has exported, such as jose
#   polyglot SOURCE...        books of polyglot make-book, byte for byte
#
# scripts/setup installs python-chess, pgn-extract and Scid 4.7, Debian has polyglot. The others are built from their sources:
#   cbvault   cargo install --git https://github.com/itshak/cbvault cbvault-cli
#   libcbh    https://github.com/rolandlo/libcbh, a library; LIBCBH names a program over it that prints PGN
#   Scid 5    https://sourceforge.net/projects/scid; SCID names its program
#   pgn2dcg   https://github.com/asdfjkl/pgn2dcg, with Qt: qmake && make; PGN2DCG names the program
#   jose      https://sourceforge.net/projects/jose-chess; it exports PGN from its window, or through its classes
# Databases of other people that are good to compare:
#   .cbh      src/test and morphy-cbh/src/test in https://github.com/Yarin78/morphy, gtest in libcbh
#   Scid      the tests of python-chess, Scid and ChessX have some; https://www.pgnmentor.com has PGN to convert
#   PGN       data/pgn in https://github.com/niklasf/python-chess; https://theweekinchess.com
# Where programs differ for a reason: pgn2dcg stores a comment before a variation one move early (section 6.7 of
# docs/formats/simplecdb.md); python-chess gives a glyph before the first move of a variation to the move before it,
# and skips what it does not know; pgn-extract splits a game at a sign that it does not know; polyglot ends without a
# book at a null move, and at an illegal move of a game from a set-up position, which it plays from the normal one.
# shellcheck disable=SC2317,SC2329 # Functions are called by the names of kinds.
set -euo pipefail

# shellcheck source=scripts/common.bash
. "$(dirname -- "${BASH_SOURCE[0]}")/../common.bash"
PATH=$PATH:/usr/games

kind=${1-}
case $kind in
    pgn | scid | cbh | simplecdb | polyglot) [[ $# -gt 1 ]] || misuse "no file is given" ;;
    export) [[ $# -eq 3 ]] || misuse "export needs a database and a PGN file" ;;
    *) misuse "unknown kind '$kind'" ;;
esac
shift
for file; do [[ -e $file ]] || fail "$file does not exist"; done

pgnfs=${PGNFS-}
if [[ -z $pgnfs ]]; then
    need_rust
    run cargo build --release --locked --manifest-path "$root/Cargo.toml" --bin pgnfs
    pgnfs=$target/release/pgnfs
fi
python=$target/python
"$python/bin/python3" -c 'import chess' 2>/dev/null || fail "python-chess is missing in $python: run scripts/setup"
place=$(mktemp -d "${TMPDIR:-/var/tmp}/pgnfs-witnesses.XXXXXX")
trap 'rm -rf --one-file-system -- "$place"' EXIT
parts=$root/scripts/long-test.parts
missing=() differ=0

ours() {
    "$pgnfs" export --cache-dir=none --pgn=export "$1" >"$place/ours.pgn"
}

# Compares with $place/theirs.pgn, or with another file.
# usage: compare WITNESS FILE [LEFT_OUT...]
compare() {
    "$python/bin/python3" "$parts/witnesses.py" "$place/ours.pgn" "$2" "$1" "${@:3}" || differ=1
}

# The witness is missing: says what to do, and that nothing was compared with it.
lacks() {
    missing+=("$1")
    say "NOT COMPARED with $1: $2"
}

for_pgn() {
    compare python-chess "$1"
    if need_package pgn-extract pgn-extract; then
        pgn-extract -s -w100000 -o "$place/theirs.pgn" "$1" 2>/dev/null || true
        compare pgn-extract "$place/theirs.pgn"
    else
        lacks pgn-extract "see above"
    fi
}

for_scid() {
    local scid=${SCID:-tkscid}
    if [[ $scid == tkscid ]] && ! need_package tkscid scid; then
        lacks Scid "see above"
    elif [[ $1 == *.si5 && $scid == tkscid ]]; then
        lacks "Scid 5" "Scid 4.7 does not read .si5; build Scid 5 and set SCID to its program"
    elif "$scid" "$parts/scid/export.tcl" "$(realpath -- "$1")" >"$place/theirs.pgn" </dev/null; then
        compare "$scid" "$place/theirs.pgn"
    else
        lacks "$scid" "it cannot open $1"
    fi
}

for_cbh() {
    if command -v "${CBVAULT:-cbvault}" >/dev/null; then
        "${CBVAULT:-cbvault}" pgn "$1" "$place/theirs.pgn"
        compare cbvault "$place/theirs.pgn"
    else
        lacks cbvault "cargo install --git https://github.com/itshak/cbvault cbvault-cli, or set CBVAULT"
    fi
    if [[ -n ${LIBCBH-} ]]; then
        "$LIBCBH" "$1" >"$place/theirs.pgn"
        compare libcbh "$place/theirs.pgn" variations glyphs comments
    else
        lacks libcbh "set LIBCBH to a program over https://github.com/rolandlo/libcbh that prints PGN"
    fi
}

for_simplecdb() {
    if [[ -z ${PGN2DCG-} ]]; then
        lacks pgn2dcg "build https://github.com/asdfjkl/pgn2dcg with Qt and set PGN2DCG to its program"
        return
    fi
    mkdir -p "$place/base"
    rm -f -- "$place/base/"*
    "$PGN2DCG" -p "$(realpath -- "$1")" -o "$place/base/games.dcg" >/dev/null
    ours "$(find "$place/base" -name '*.dci' | head -n 1)"
    compare "pgn2dcg's source" "$1"
}

# The options of make-book, and after a slash those of pgnfs.
books=(
    '/'
    '-max-ply 20 -min-game 1 / --max-ply 20 --min-games 1'
    '-min-game 10 -min-score 45.5 / --min-games 10 --min-score 45.5'
    '-only-white -min-game 2 / --side white --min-games 2'
    '-only-black -uniform / --side black --uniform'
    '-min-game 1 / --min-games 1'
)

for_polyglot() {
    local book theirs mine
    if ! need_package polyglot polyglot; then
        lacks polyglot "see above"
        return
    fi
    python3 "$parts/main_lines.py" "$place/ours.pgn" "$place/lines.pgn"
    for book in "${books[@]}"; do
        read -ra theirs <<<"${book%%/*}"
        read -ra mine <<<"${book#*/}"
        polyglot make-book -pgn "$place/lines.pgn" -bin "$place/theirs.bin" "${theirs[@]}" >"$place/said" ||
            fail "polyglot make-book failed: $(tail -n 1 "$place/said")"
        grep -q '^all done' "$place/said" || fail "polyglot made no book: $(tail -n 1 "$place/said")"
        "$pgnfs" export --cache-dir=none --to polyglot --output "$place/ours.bin" "${mine[@]}" "$1" 2>"$place/said" ||
            fail "$(cat -- "$place/said")"
        if cmp -- "$place/theirs.bin" "$place/ours.bin"; then
            say "polyglot${theirs[*]:+ }${theirs[*]}: the same $(wc -c <"$place/ours.bin") bytes"
        else
            differ=1
        fi
    done
}

if [[ $kind == export ]]; then
    ours "$1"
    compare "${2##*/}" "$2"
else
    for file; do
        say "$file"
        [[ $kind == simplecdb ]] || ours "$file"
        "for_$kind" "$file"
    done
fi
if [[ ${#missing[@]} -gt 0 ]]; then
    printf 'missing witnesses: %s\n' "$(printf '%s\n' "${missing[@]}" | sort -u | paste -sd , | sed 's/,/, /g')"
    [[ $differ -eq 1 ]] || exit 2
fi
exit "$differ"
