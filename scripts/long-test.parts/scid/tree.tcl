# Prints the time of Scid's tree in microseconds, and its rows, for each FEN of a file.
# usage: tkscid tree.tcl BASE GAMES.pgn FENS
lassign $argv path games fens
set base [sc_base create $path]
sc_base import $base $games
sc_base switch $base
set file [open $fens]
while {[gets $file fen] >= 0} {
    sc_game startBoard $fen
    set begin [clock microseconds]
    sc_filter search $base tree board
    set rows [sc_filter treestats $base tree]
    set time [expr {[clock microseconds] - $begin}]
    # Lines of only these begin with a number.
    puts "$time [join [lmap row $rows {join [lrange $row 0 4] ,}]]"
}
exit
