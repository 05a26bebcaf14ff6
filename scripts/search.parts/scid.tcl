# Answers the questions of a file, one a line: FENs, each with a command. Prints the time of the first command in
# microseconds, and the games if they are asked for.
# usage: tkscid scid.tcl BASE QUESTIONS yes|no
lassign $argv path questions games
proc progressCallBack {args} {}
set base [sc_base open $path]
sc_base switch $base
set file [open $questions]
fconfigure $file -encoding utf-8
while {[gets $file line] >= 0} {
    set times {}
    foreach {fen command} $line {
        if {$fen ne ""} { sc_game startBoard $fen }
        set begin [clock microseconds]
        eval $command
        lappend times [expr {[clock microseconds] - $begin}]
    }
    set found {}
    if {$games} {
        # Of the three values of a game, the first is its number and the ply.
        foreach {game _ _} [sc_base gameslist $base 0 999999999 dbfilter N+] {
            lappend found [lindex [split $game _] 0]
        }
    }
    # Lines of only these begin with a number.
    puts "[lindex $times 0] [sc_filter count $base dbfilter] $found"
}
exit
