//! One pass over the main lines of a database for two uses: a hash of each line, for duplicates, and the pieces at its
//! end, for views of material. Whichever is needed first, the other does not decode the games again.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::epd;
use crate::lines::{KeptLines, LineStart, LineStep, PackedLine, PieceTally, follow};
use crate::parallel::chunks;
use chessdb::Database;
use chessdb::board::{PackedMove, Position};

/// Number of games whose lines are remembered, of all databases together. Each takes 24 bytes.
const MOST_GAMES: u32 = 4 << 20;

/// Room for the moves of most games, in bytes.
const USUAL_LINE: usize = 256;

/// Number of moves that [`LineHash::opening`] covers.
pub const OPENING_PLIES: usize = 20;

/// Hashes of a main line, and the pieces at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEnd {
    /// The hashes.
    pub line: LineHash,
    /// The [pieces](PieceTally::bits) after the last move.
    pub material: u64,
}

/// Hashes of a main line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineHash {
    /// A hash of the start position and all moves. Two different lines practically never have the same hash.
    pub hash: u64,
    /// A hash of the start position and the first [`OPENING_PLIES`] moves; 0 for a shorter line.
    pub opening: u32,
}

/// The ends of all main lines of a database, by the number of the game, once they have been found.
#[derive(Default)]
pub struct LineEnds {
    ends: OnceLock<Box<[LineEnd]>>,
    /// The lines of its games, which are written to a kept file in the same pass.
    lines: Option<Arc<KeptLines>>,
}

/// The number of games whose lines are remembered.
static REMEMBERED: AtomicU32 = AtomicU32::new(0);

impl LineEnd {
    /// Follows the main line of a game up to the first move that cannot be read.
    pub fn of(database: &dyn Database, game: u32) -> LineEnd {
        let initial = Position::initial();
        let mut moves = Vec::with_capacity(USUAL_LINE);
        let mut start = 0;
        let mut material = PieceTally::of(&initial);
        follow(database, game, |step| {
            match step {
                LineStep::Start(position) if *position != initial => {
                    start = start_hash(position);
                    material = PieceTally::of(position);
                }
                LineStep::Start(_) => {}
                LineStep::Ply(ply) => {
                    moves.extend_from_slice(&PackedMove::new(ply.mv).bits().to_le_bytes());
                    material.follow(ply);
                }
            }
            ControlFlow::Continue(())
        });
        LineEnd {
            line: LineHash::of(start, &moves),
            material: material.bits(),
        }
    }
}

impl LineHash {
    /// The hashes of a kept main line. No move is played.
    pub(crate) fn of_kept(line: &PackedLine) -> LineHash {
        let start = match &line.start {
            LineStart::At(position) if *position != Position::initial() => start_hash(position),
            LineStart::Usual | LineStart::At(_) | LineStart::Nowhere => 0,
        };
        let moves = line.moves.iter().map(|mv| mv.pack().bits().to_le_bytes());
        LineHash::of(start, moves.collect::<Vec<_>>().as_flattened())
    }

    /// The hashes of moves, two bytes each, from a start position with this hash.
    fn of(start: u64, moves: &[u8]) -> LineHash {
        let opening = moves.get(..OPENING_PLIES * size_of::<PackedMove>());
        LineHash {
            hash: xxh3_64_with_seed(moves, start),
            opening: opening.map_or(0, |moves| xxh3_64_with_seed(moves, start) as u32 | 1),
        }
    }
}

/// A hash of a start position other than the usual one.
fn start_hash(start: &Position) -> u64 {
    xxh3_64(epd(start).as_bytes())
}

impl LineEnds {
    /// The ends in a database with these lines.
    pub fn with(lines: &Arc<KeptLines>) -> LineEnds {
        LineEnds {
            ends: OnceLock::new(),
            lines: Some(Arc::clone(lines)),
        }
    }

    /// The ends of the lines of `database`, which is the same in each call; `None` if too many games are remembered
    /// already. The first call follows all games, deleted ones included, with up to `threads` threads. The ends are
    /// incomplete if its files change meanwhile.
    pub fn of(&self, database: &dyn Database, threads: usize) -> Option<&[LineEnd]> {
        let known = self.known();
        if known.is_some() || !may_be_remembered(database.len()) {
            return known;
        }
        let ends = self.ends.get_or_init(|| {
            if let Some(lines) = &self.lines {
                lines.make(threads, &|_| ());
            }
            let ends = chunks(database.len(), threads, &|_| (), |games| {
                games.map(|game| LineEnd::of(database, game)).collect::<Vec<_>>()
            });
            let ends: Box<[LineEnd]> = ends.into_iter().flatten().collect();
            REMEMBERED.fetch_add(ends.len() as u32, Ordering::Relaxed);
            ends
        });
        Some(ends)
    }

    /// What [`LineEnds::of`] has found.
    pub fn known(&self) -> Option<&[LineEnd]> {
        self.ends.get().map(|ends| &**ends)
    }
}

impl Drop for LineEnds {
    fn drop(&mut self) {
        let games = self.known().map_or(0, <[LineEnd]>::len);
        REMEMBERED.fetch_sub(games as u32, Ordering::Relaxed);
    }
}

/// True if there is memory for the line ends of `games` more games. The limit is soft: several databases may pass this
/// test at the same time.
fn may_be_remembered(games: u32) -> bool {
    let remembered = REMEMBERED.load(Ordering::Relaxed);
    remembered.saturating_add(games) <= MOST_GAMES
}
