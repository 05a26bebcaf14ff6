# Prints all games of a Scid database, or of another file that Scid opens, as PGN.
# usage: tkscid export.tcl BASE
lassign $argv path
if {[catch {set base [sc_base open $path]}]} {
    # Versions before 5 take the kind from the extension.
    set base [sc_base open [file rootname $path]]
}
catch {sc_base switch $base}
fconfigure stdout -encoding utf-8
set games [sc_base numGames $base]
for {set game 1} {$game <= $games} {incr game} {
    sc_game load $game
    puts [sc_game pgn -width 100000 -comments 1 -variations 1 -symbols 0 -tags 1 -markCodes 1]
    puts ""
}
exit
