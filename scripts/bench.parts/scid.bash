# Export compared with that of Scid, for the same games.
# shellcheck shell=bash

if command -v tkscid >/dev/null; then
    say
    "$pgnfs" export "$source" >"$memory/plain.pgn"
    cat >"$place/export.tcl" <<'TCL'
set base [sc_base create [lindex $argv 0]]
sc_base import $base [lindex $argv 1]
for {set round 0} {$round < 2} {incr round} {
    set begin [clock microseconds]
    sc_filter export $base dbfilter "N+" [lindex $argv 2] "PGN" "" ""
    puts "[sc_base numGames $base] [expr {[clock microseconds] - $begin}]"
}
exit
TCL
    tkscid "$place/export.tcl" "$memory/scid" "$memory/plain.pgn" "$memory/scid.pgn" </dev/null >"$place/scid"
    read -r games scid < <(sort -g -k 2 "$place/scid" | grep '^[0-9]' | head -n 1)
    times=()
    for ((round = 0; round < rounds; round++)); do
        times+=("$(milliseconds "$pgnfs" export --threads=1 "$source")")
    done
    ours=$(least "${times[@]}")
    row "Scid's PGN export of $games games, games/s" "$(ratio "$games" "$(ratio "$scid" 1000000)")"
    row "export of the same games, one thread, whole program, games/s" "$(ratio "$games" "$(ratio "$ours" 1000)")"
    row "export, one thread, against Scid's, times" "$(ratio "$scid" "$(ratio "$ours" 0.001)")" least 6
fi
