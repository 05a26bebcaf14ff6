//! The chess board: squares, pieces, attacks, legality, SAN, UCI, and keys of positions.
//!
//! Squares, roles, colours, bitboards and attack tables come from shakmaty. The position does not: it tests
//! one given move and writes its SAN without generating the list of legal moves, and it also plays illegal
//! moves that a file contains.

mod convert;
mod counters;
mod fen_flaw;
mod geometry;
mod illegal;
mod key;
mod legal_moves;
mod legality;
mod numbers;
mod packed;
mod parse;
mod play;
mod position;
mod read_error;
mod san;
mod setup;
mod step;
mod uci;
mod usual;

pub use counters::Counters;
pub use fen_flaw::FenFlaw;
pub use illegal::Illegal;
pub use key::RunningKey;
pub use numbers::{MOST_NUMBERS, PieceNumbers};
pub use packed::PackedMove;
pub use play::{Move, Undo};
pub use position::Position;
pub use read_error::ReadError;
pub use san::{LongMove, San};
pub use setup::{Fen, SetupError};
pub(crate) use step::Step;
pub use uci::Uci;

pub use shakmaty::{
    Bitboard, Board, ByColor, CastlingSide, Color, EnPassantMode, File, Piece, Rank, Role, Setup, Square,
};
