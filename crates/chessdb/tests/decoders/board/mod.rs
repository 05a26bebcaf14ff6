//! Compares our board with shakmaty: the legality of every conceivable move, the SAN of every legal one, the
//! text of moves, and the keys of positions.

mod awkward;
mod keys;
mod nonsense;
mod oracle;
mod random_games;
mod reading;
mod samples;
mod unchecked;
