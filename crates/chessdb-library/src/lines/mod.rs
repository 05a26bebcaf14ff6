//! Lines of games: the moves of a main line or of a variation, one after the other, and their names.
//!
//! [`KeptLines`] are the main lines of a database in a kept file, which is read many times faster than any format.

mod board;
mod branching;
mod kept;
mod line;
mod names;
mod packed;
mod store;
mod tally;
mod write;

pub(crate) use board::{ALL, COUNTS, Change, Mailbox, Pieces, PlainBoard, bits_of};
pub use branching::line_of;
pub(crate) use branching::{BranchingLine, position_of};
pub use kept::KeptLines;
pub(crate) use line::{LineStep, at, follow};
pub(crate) use names::NULL_MOVE;
pub use names::{line_names, move_name, position_after, read_line, read_move};

pub(crate) use packed::{KeptMove, LineSource, LineStart, MoveMarks, PackedLine};
pub use tally::PieceTally;
pub(crate) use tally::{KINDS, place_of, value_of};
pub(crate) use write::{LineWriter, PackedGames};

use chessdb::board::Move;

/// The first occurrence of a position in a game: in its main line, unless variations were searched, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The number of the game, from 0.
    pub game: u32,
    /// Number of moves before the position.
    pub ply: u32,
    /// The move played in the position; `None` if the game ends with it.
    pub next: Option<Move>,
    /// The variation in which it is, from 1 in the order of the game's text; 0 for the main line.
    pub variation: u32,
}
