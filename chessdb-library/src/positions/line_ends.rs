//! What one pass over the main lines of a database finds: a hash of each line, for duplicates, and the pieces at its end,
//! for views of material. Whichever is asked for first, the other need not decode the games again.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::line::{LineStep, follow};
use super::{PieceCounts, epd};
use crate::parallel::chunks;
use chessdb::board::{PackedMove, Position};
use chessdb::formats::Database;

/// Number of games whose lines are remembered, of all databases together. Each takes 16 bytes.
const MOST_GAMES: u32 = 4 << 20;

/// Room for the moves of most games, in bytes.
const USUAL_LINE: usize = 256;

/// A hash of a main line and the pieces at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEnd {
    /// Equal for equal moves from equal positions; of other lines, hardly any two have the same.
    pub hash: u64,
    /// The pieces after the last move.
    pub material: PieceCounts,
}

/// The ends of all main lines of a database, by the number of the game.
pub type LineEnds = Arc<[LineEnd]>;

/// The databases of the last passes, the newest at the end.
static REMEMBERED: Mutex<VecDeque<(Weak<dyn Database>, LineEnds)>> = Mutex::new(VecDeque::new());

impl LineEnd {
    /// Follows the main line of a game, as far as it can be read.
    pub fn of(database: &dyn Database, game: u32) -> LineEnd {
        let initial = Position::initial();
        let mut moves = Vec::with_capacity(USUAL_LINE);
        let mut start = 0;
        let mut material = PieceCounts::of(&initial);
        follow(database, game, |step| {
            match step {
                LineStep::Start(position) if *position != initial => {
                    start = xxh3_64(epd(position).as_bytes());
                    material = PieceCounts::of(position);
                }
                LineStep::Start(_) => {}
                LineStep::Ply(ply) => {
                    moves.extend_from_slice(&PackedMove::new(ply.mv).bits().to_le_bytes());
                    material.follow(ply);
                }
            }
            ControlFlow::Continue(())
        });
        let hash = xxh3_64_with_seed(&moves, start);
        LineEnd { hash, material }
    }
}

/// The ends of all main lines of a database; `None` if it has too many games to remember them. The first call follows
/// all games with up to `threads` threads. They are incomplete if its files change meanwhile.
pub fn line_ends(database: &Arc<dyn Database>, threads: usize) -> Option<LineEnds> {
    if database.len() > MOST_GAMES {
        return None;
    }
    known_line_ends(database).or_else(|| {
        let ends = chunks(database.len(), threads, &|_| (), |games| {
            games
                .map(|game| LineEnd::of(&**database, game))
                .collect::<Vec<_>>()
        });
        let ends = LineEnds::from(ends.concat());
        remember(database, &ends);
        Some(ends)
    })
}

/// What [`line_ends`] returned for a database, as long as it is remembered.
pub fn known_line_ends(database: &Arc<dyn Database>) -> Option<LineEnds> {
    let asked = Arc::downgrade(database);
    let remembered = REMEMBERED.lock();
    let mut found = remembered.iter().filter(|(known, _)| known.ptr_eq(&asked));
    found.next().map(|(_, ends)| Arc::clone(ends))
}

/// Remembers the ends of a database, and forgets those of databases that are closed, and the oldest if there are too
/// many.
fn remember(database: &Arc<dyn Database>, ends: &LineEnds) {
    let mut remembered = REMEMBERED.lock();
    remembered.retain(|(database, _)| database.strong_count() > 0);
    remembered.push_back((Arc::downgrade(database), Arc::clone(ends)));
    let mut games: usize = remembered.iter().map(|(_, ends)| ends.len()).sum();
    while games > MOST_GAMES as usize
        && let Some((_, oldest)) = remembered.pop_front()
    {
        games -= oldest.len();
    }
}
