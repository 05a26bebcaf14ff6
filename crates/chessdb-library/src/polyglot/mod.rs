//! Opening books in the format of Polyglot, made of games.
//!
//! A book is what `polyglot make-book` makes of the same games, byte for byte: how often a move was played in a
//! position and how well it scored. Its entries have 16 bytes: key of the position, move, weight, and four bytes that
//! are 0. They are sorted by keys, and the moves of a position by weights. Keys are the [keys of
//! positions](chessdb::board::Position::key).
//!
//! Games are counted in two steps, so that few of their positions are in memory at a time. [`BookMoves::add`] puts all
//! moves into parts by the first bits of their keys, and [`BookMoves::write`] counts part by part.

mod entries;
mod moves;
mod ply;

pub use moves::{BookError, BookMoves, BookWritten};
pub use ply::ply;

use chessdb::board::Color;

/// Which moves are in a book, and their weights. The default is the same as for `polyglot make-book`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BookOptions {
    /// Number of moves of each game that count.
    pub max_ply: u32,
    /// The number of games where a move must have been played.
    pub min_games: u32,
    /// The points that a move must have scored, in percent.
    pub min_score: f64,
    /// The side whose moves are in the book; `None` for both.
    pub side: Option<Color>,
    /// Every move has the weight 1.
    pub uniform: bool,
}

impl Default for BookOptions {
    fn default() -> BookOptions {
        BookOptions {
            max_ply: 1024,
            min_games: 3,
            min_score: 0.0,
            side: None,
            uniform: false,
        }
    }
}
