//! The chess board: squares, pieces, attacks, legality, SAN, and keys of positions.
//!
//! Squares, roles, colours, bitboards and attack tables are shakmaty's.
//! The position is our own: it tests one given move for legality and writes its SAN without ever generating
//! the list of legal moves, and it goes on where a file plays a move that no rule book allows.

mod geometry;
mod illegal;
mod key;
mod legality;
mod numbers;
mod packed;
mod parse;
mod play;
mod position;
mod read_error;
mod san;
mod setup;

pub use illegal::Illegal;
pub use key::RunningKey;
pub use numbers::{MOST_NUMBERS, PieceNumbers};
pub use play::{Move, Undo};
pub use position::Position;
pub use read_error::ReadError;
pub use san::{LongMove, San};
pub use setup::{Fen, SetupError};

pub use shakmaty::{
    Bitboard, Board, CastlingSide, Color, EnPassantMode, File, Piece, Rank, Role, Setup, Square,
};
