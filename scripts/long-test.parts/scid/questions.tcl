# Answers the questions of a file, one a line: FENs, each with a command. Prints the processor time of the first
# command in microseconds, and the games if they are asked for.
# usage: tkscid questions.tcl BASE QUESTIONS yes|no
lassign $argv path questions games
proc progressCallBack {args} {}
proc processor_time {} {
    set file [open /proc/self/schedstat]
    set time [lindex [read $file] 0]
    close $file
    return [expr {$time / 1000}]
}
set base [sc_base open $path]
sc_base switch $base
set file [open $questions]
fconfigure $file -encoding utf-8
while {[gets $file line] >= 0} {
    set times {}
    foreach {fen command} $line {
        if {$fen ne ""} { sc_game startBoard $fen }
        set begin [clock microseconds]
        set worked [processor_time]
        eval $command
        set worked [expr {[processor_time] - $worked}]
        set passed [expr {[clock microseconds] - $begin}]
        # Processor time is counted in steps of some milliseconds, which matter if little time has passed.
        lappend times [expr {$passed < 20000 ? $passed : $worked}]
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
