# usage: tkscid import.tcl BASE GAMES.pgn
lassign $argv path games
sc_base import [sc_base create $path] $games
exit
