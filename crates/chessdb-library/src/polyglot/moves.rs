//! The moves of all games of a book, in parts.

use std::fmt;
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use super::BookOptions;
use super::entries::{BookEntries, PlayedMove};
use crate::kept::{folders, temporary_files};
use crate::lines::{LineStep, follow};
use crate::parallel::{chunks_of, in_order};
use crate::spill::Partitions;
use chessdb::Database;
use chessdb::board::{CastlingSide, Color, File, Move, Position, Role, RunningKey, Square};
use chessdb::bytes::{le_u16, le_u64};
use chessdb::game::Outcome;

/// Number of parts, as a power of two. One block of each part is in memory at a time.
const PART_BITS: u32 = 10;

/// Number of parts that a thread counts before their entries are written.
const AHEAD: usize = 8;

/// Bytes of a move in a part: key, move and points.
const RECORD: usize = 11;

/// Why a book cannot be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum BookError {
    /// The moves cannot be stored in this folder.
    Temporary(PathBuf, io::Error),
    /// No folder is set for the moves.
    NoFolder,
    /// The book cannot be written.
    Output(io::Error),
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::Temporary(folder, error) => write!(
                f,
                "the moves of the book cannot be stored in {}: {error}: set TMPDIR to a folder with room for 1 KB a game",
                folder.display()
            ),
            BookError::NoFolder => {
                f.write_str("there is no folder for the moves of the book: set TMPDIR to one")
            }
            BookError::Output(error) => write!(f, "the book cannot be written: {error}"),
        }
    }
}

impl std::error::Error for BookError {}

/// What a book was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookWritten {
    /// Number of its entries.
    pub entries: u64,
    /// Number of games that were left out because they start from a set-up position.
    pub set_up: u64,
}

/// The moves of games that a book is made of.
pub struct BookMoves {
    options: BookOptions,
    parts: Partitions<RECORD>,
    /// Where many moves are stored.
    folder: &'static Path,
    set_up: u64,
}

impl BookMoves {
    /// A book without moves so far. Moves that do not fit into 16 MB are stored in a file without a name.
    ///
    /// # Errors
    /// If no folder for it can be written.
    pub fn new(options: BookOptions) -> Result<BookMoves, BookError> {
        let (folder, [file]) = temporary_files(folders()).map_err(|error| match error {
            Some(no_file) => BookError::Temporary(no_file.folder.to_owned(), no_file.error),
            None => BookError::NoFolder,
        })?;
        Ok(BookMoves {
            options,
            parts: Partitions::new(1 << PART_BITS, Some(file)),
            folder,
            set_up: 0,
        })
    }

    /// Adds the main lines of `number` games of a database. `games` gives the games at some places of them. `done` is
    /// called with numbers of games that have been read.
    ///
    /// A game from a set-up position is left out, and every line ends before its first null move, because Polyglot
    /// reads neither. Games without a result count as drawn.
    ///
    /// # Errors
    /// If the moves cannot be stored.
    pub fn add<I: Iterator<Item = u32>>(
        &mut self,
        database: &dyn Database,
        number: u32,
        games: impl Fn(Range<u32>) -> I + Sync,
        threads: usize,
        done: &dyn Fn(u64),
    ) -> Result<(), BookError> {
        let mut stored = Ok(());
        let options = self.options;
        let read = |places: Range<u32>| {
            let number = places.len() as u64;
            let (mut moves, mut set_up) = (Vec::new(), 0);
            for game in games(places) {
                if !append_moves(&mut moves, database, game, &options) {
                    set_up += 1;
                }
            }
            (number, moves, set_up)
        };
        let _ = in_order(number, threads, read, |(number, moves, set_up)| {
            done(number);
            self.set_up += set_up;
            stored = moves.into_iter().try_for_each(|played| self.store(played));
            match stored {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        stored.map_err(|error| BookError::Temporary(self.folder.to_owned(), error))
    }

    #[inline]
    fn store(&mut self, played: PlayedMove) -> io::Result<()> {
        let mut record = [played.points; RECORD];
        record[..8].copy_from_slice(&played.key.to_le_bytes());
        record[8..10].copy_from_slice(&played.mv.to_le_bytes());
        self.parts
            .push((played.key >> (u64::BITS - PART_BITS)) as usize, record)
    }

    /// Writes the book.
    ///
    /// # Errors
    /// If the moves cannot be read, or the book cannot be written.
    pub fn write(self, out: &mut impl Write, threads: usize) -> Result<BookWritten, BookError> {
        let parts = self.parts.parts();
        let mut written = 0;
        for first in (0..parts).step_by(threads.max(1) * AHEAD) {
            let number = (parts - first).min(threads.max(1) * AHEAD) as u32;
            let counted = chunks_of(1, number, threads, &|_| (), |places| {
                self.entries(first + places.start as usize)
            });
            for entries in counted {
                let entries = entries.map_err(|error| BookError::Temporary(self.folder.to_owned(), error))?;
                out.write_all(&entries).map_err(BookError::Output)?;
                written += entries.len() as u64 / 16;
            }
        }
        Ok(BookWritten {
            entries: written,
            set_up: self.set_up,
        })
    }

    /// The bytes of the entries of a part.
    fn entries(&self, part: usize) -> io::Result<Vec<u8>> {
        let mut entries = BookEntries::default();
        for record in &*self.parts.records(part)? {
            entries.count(PlayedMove {
                key: le_u64(record, 0).unwrap_or(0),
                mv: le_u16(record, 8).unwrap_or(0),
                points: record[10],
            });
        }
        Ok(entries.bytes(&self.options))
    }
}

/// Appends the moves of a game that count. Returns false if the game starts from a set-up position, playable or not.
fn append_moves(
    moves: &mut Vec<PlayedMove>,
    database: &dyn Database,
    game: u32,
    options: &BookOptions,
) -> bool {
    let initial = Position::initial();
    let (white, black) = match database.keys(game).outcome {
        Outcome::WhiteWins => (2, 0),
        Outcome::BlackWins => (0, 2),
        Outcome::Draw | Outcome::Unknown => (1, 1),
    };
    let mut running = RunningKey::new(&initial);
    let mut key = running.key(&initial);
    // A set-up that cannot be played has no start.
    let mut is_set_up = true;
    follow(database, game, |step| {
        let ply = match step {
            LineStep::Start(position) => {
                is_set_up = *position != initial;
                return if is_set_up {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                };
            }
            LineStep::Ply(ply) => ply,
        };
        let mover = !ply.position.turn();
        let Some(mv) = book_move(ply.mv, mover).filter(|_| ply.number < options.max_ply) else {
            return ControlFlow::Break(());
        };
        if options.side.is_none_or(|side| side == mover) {
            let points = mover.fold_wb(white, black);
            moves.push(PlayedMove { key, mv, points });
        }
        running.follow(ply.undo, ply.position);
        key = running.key(ply.position);
        ControlFlow::Continue(())
    });
    !is_set_up
}

/// A move of a game from the normal start position as in a book, where castling is the king taking its rook; `None` for a
/// null move.
fn book_move(mv: Move, mover: Color) -> Option<u16> {
    let (from, to, promotion) = match mv {
        Move::Normal { from, to, promotion } => (from, to, promotion),
        Move::Castle(side) => {
            let rook = match side {
                CastlingSide::KingSide => File::H,
                CastlingSide::QueenSide => File::A,
            };
            let square = |file| Square::from_coords(file, mover.backrank());
            (square(File::E), square(rook), None)
        }
        Move::Null => return None,
    };
    let promotion = match promotion {
        None | Some(Role::Pawn | Role::King) => 0,
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
    };
    Some(promotion << 12 | (from as u16) << 6 | to as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_its_words() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        for error in [
            BookError::Temporary("/tmp".into(), full()),
            BookError::NoFolder,
            BookError::Output(full()),
        ] {
            let words = match &error {
                BookError::Temporary(..) => "set TMPDIR to a folder with room for 1 KB a game",
                BookError::NoFolder => "there is no folder for the moves of the book: set TMPDIR to one",
                BookError::Output(_) => "the book cannot be written: no storage space",
            };
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
