//! Repertoires: databases with the moves, including variations, that a player wants to play.
//!
//! Transpositions count. A [`Repertoire`] has moves for positions, and finds where a game leaves it
//! ([`Repertoire::left_in`]). `repertoire:` and `left:` of a query name a repertoire by a pattern of databases;
//! [`Repertoires`] reads it on first use.

mod known;
mod left;
mod moves;

pub(crate) use left::Departure;
pub(crate) use moves::MovesByPosition;

pub use known::{NamedRepertoire, RepertoireError, Repertoires};
pub use left::{LEFT_COLUMNS, LeftRepertoire};

use std::fmt;
use std::sync::{Arc, OnceLock};

use chessdb::board::{PackedMove, Position};

use crate::library::LibraryEntry;
use moves::key_of;

/// The moves of some databases, by position. Games marked as deleted are left out.
pub struct Repertoire {
    entries: Vec<Arc<LibraryEntry>>,
    threads: usize,
    moves: OnceLock<MovesByPosition>,
    /// The same where castling does not count.
    without_castling: OnceLock<MovesByPosition>,
}

impl Repertoire {
    /// The repertoire of these databases, which are read by at most `threads` threads when it is first used.
    pub fn new(entries: Vec<Arc<LibraryEntry>>, threads: usize) -> Repertoire {
        Repertoire {
            entries,
            threads,
            moves: OnceLock::new(),
            without_castling: OnceLock::new(),
        }
    }

    /// The databases.
    pub fn entries(&self) -> &[Arc<LibraryEntry>] {
        &self.entries
    }

    /// Its moves in a position; empty if it does not have the position, or all its lines end there.
    pub fn moves_in(&self, position: &Position) -> &[PackedMove] {
        self.moves().of(key_of(position))
    }

    /// True if one of its lines has the position.
    pub fn has(&self, position: &Position) -> bool {
        self.moves().has(key_of(position))
    }

    /// Its moves by the keys of positions.
    pub(crate) fn moves(&self) -> &MovesByPosition {
        self.moves.get_or_init(|| MovesByPosition::read(self, true))
    }

    /// The same for positions without castling rights, without moves that castle.
    pub(crate) fn moves_without_castling(&self) -> &MovesByPosition {
        self.without_castling
            .get_or_init(|| MovesByPosition::read(self, false))
    }
}

impl fmt::Debug for Repertoire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.entries.iter().map(|entry| entry.name());
        f.debug_list().entries(names).finish()
    }
}
