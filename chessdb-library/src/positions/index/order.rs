//! Sorts the lines of all games by their moves, so the games of each node of the opening tree are
//! consecutive.
//!
//! Games from the normal start position come first, then the others by start position. Equal lines are in
//! database order.

use std::cmp::Ordering;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::batch::Batch;
use super::key::key_of;
use super::lines::LongLine;
use super::spill::Spill;
use crate::lines::{LineStep, follow};
use crate::parallel::chunks;
use chessdb::Database;
use chessdb::board::{PackedMove, Position};

/// Maximum number of moves of a game in the index. Later positions are found by searching the game.
pub(super) const MOST_PLIES: usize = 65_000;

/// Moves in a [`LinePrefix`].
pub(super) const PREFIX_PLIES: usize = 5;

/// Typical number of bytes of a line in memory, including its moves.
const LINE_BYTES: usize = 256;

/// Number of games whose prefixes are in memory at the same time.
const PORTION: u32 = 1 << 20;

/// The beginning of a line: 4 bits for the start position, and 12 for each of the first moves.
pub(super) type LinePrefix = u64;

/// The reading of the games of a database.
pub(super) struct LineReading<'a> {
    pub(super) database: &'a dyn Database,
    pub(super) threads: usize,
    /// Where the later positions of each game go.
    pub(super) spill: &'a Mutex<Spill>,
    /// Called with numbers of games that have been read.
    pub(super) done: &'a (dyn Fn(u64) + Sync),
}

/// Passes the lines of all games that are not deleted to `each`, in batches of about `memory` bytes. A batch
/// is larger if very many games begin with the same moves.
///
/// # Errors
/// Those of `each`, and if positions cannot be written.
pub(super) fn for_each_batch<E: From<io::Error>>(
    reading: &LineReading<'_>,
    memory: usize,
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<(), E> {
    let most = (memory / LINE_BYTES).max(1);
    let games = reading.database.len();
    if games as usize <= most {
        let all: Vec<u32> = (0..games).collect();
        return each(Batch::read(reading, all)?);
    }
    let (starts, games) = by_prefix(reading.database, reading.threads);
    for range in cut(&starts, most) {
        each(Batch::read(reading, games[range].to_vec())?)?;
    }
    Ok(())
}

/// The games that are not deleted, by the first part of their lines. Also returns where the games of each prefix begin,
/// and the end of the last ones. Takes eight bytes of memory for each game.
fn by_prefix(database: &dyn Database, threads: usize) -> (Vec<usize>, Vec<u32>) {
    const DELETED: u32 = u32::MAX;
    let mut number_of: FxHashMap<LinePrefix, u32> = FxHashMap::default();
    let (mut prefixes, mut counts) = (Vec::new(), Vec::new());
    let mut numbers = Vec::with_capacity(database.len() as usize);
    for begin in (0..database.len()).step_by(PORTION as usize) {
        let portion = PORTION.min(database.len() - begin);
        let found = chunks(portion, threads, &|_| (), |games| {
            let prefixes = games.map(|game| prefix_of(database, begin + game));
            prefixes.collect::<Vec<_>>()
        });
        numbers.extend(found.into_iter().flatten().map(|prefix| {
            let Some(prefix) = prefix else { return DELETED };
            let number = *number_of.entry(prefix).or_insert_with(|| {
                prefixes.push(prefix);
                counts.push(0usize);
                prefixes.len() as u32 - 1
            });
            counts[number as usize] += 1;
            number
        }));
    }
    drop(number_of);
    let mut order: Vec<u32> = (0..prefixes.len() as u32).collect();
    order.sort_unstable_by_key(|&number| prefixes[number as usize]);
    // From here on, `counts` has the place of the next game of each prefix.
    let (mut starts, mut end) = (Vec::with_capacity(order.len() + 1), 0);
    for &number in &order {
        starts.push(end);
        let count = std::mem::replace(&mut counts[number as usize], end);
        end += count;
    }
    starts.push(end);
    let mut games = vec![0; end];
    for (game, number) in (0..).zip(numbers).filter(|&(_, number)| number != DELETED) {
        let place = &mut counts[number as usize];
        games[*place] = game;
        *place += 1;
    }
    (starts, games)
}

/// Ranges of at most `most` games. `starts` are the places at which the games of a prefix may begin, and the end. A
/// range is longer if it would separate games with equal prefixes otherwise.
fn cut(starts: &[usize], most: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut begin = 0;
    for prefix in starts.windows(2) {
        if prefix[1] - begin > most && prefix[0] > begin {
            ranges.push(begin..prefix[0]);
            begin = prefix[0];
        }
    }
    ranges.extend(
        starts
            .last()
            .map(|&end| begin..end)
            .filter(|range| !range.is_empty()),
    );
    ranges
}

/// The start position of a game, encoded as in [`super::batch::IndexedLine::start`].
pub(super) fn start_of(position: &Position) -> u64 {
    if *position == Position::initial() {
        0
    } else {
        key_of(position).max(1)
    }
}

/// The part of a line that is compared first.
pub(super) fn prefix(start: u64, moves: &[PackedMove]) -> LinePrefix {
    match start {
        0 => packed::<12>(moves, PREFIX_PLIES),
        // All lines with the same start position must be in one batch. The order of start positions does not
        // matter.
        start => (1 + start % 15) << 60,
    }
}

/// The first `number` moves, in `BITS` bits each; zeros after the last one. In 12 bits, castling and promotions would be
/// other moves, but neither is among the first [`PREFIX_PLIES`], and a null move would be no move, after which the whole
/// lines decide.
pub(super) fn packed<const BITS: u32>(moves: &[PackedMove], number: usize) -> u64 {
    let bits = moves.iter().map(|mv| u64::from(mv.bits()));
    let all = bits.chain(std::iter::repeat(0)).take(number);
    all.fold(0, |packed, bits| packed << BITS | bits & ((1 << BITS) - 1))
}

fn prefix_of(database: &dyn Database, game: u32) -> Option<LinePrefix> {
    if database.keys(game).deleted {
        return None;
    }
    let (mut start, mut moves) = (None, Vec::with_capacity(PREFIX_PLIES));
    follow(database, game, |step| {
        match step {
            LineStep::Start(position) => start = Some(start_of(position)),
            LineStep::Ply(ply) => moves.push(PackedMove::new(ply.mv)),
        }
        if moves.len() < PREFIX_PLIES {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    Some(prefix(start?, &moves))
}

/// A game with its moves, for comparisons by the order of the index.
pub(super) struct IndexedGame {
    prefix: LinePrefix,
    start: u64,
    line: Arc<LongLine>,
    game: u32,
}

impl IndexedGame {
    pub(super) fn new(game: u32, line: Arc<LongLine>) -> IndexedGame {
        let start = start_of(line.start());
        IndexedGame {
            prefix: prefix(start, &line.moves),
            start,
            line,
            game,
        }
    }

    /// Number of moves.
    pub(super) fn plies(&self) -> usize {
        self.line.moves.len()
    }

    pub(super) fn cmp(&self, other: &IndexedGame) -> Ordering {
        let place = |place: &IndexedGame| (place.prefix, place.start);
        let order = place(self)
            .cmp(&place(other))
            .then_with(|| self.line.moves.cmp(&other.line.moves));
        order.then(self.game.cmp(&other.game))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_prefixes_stay_together() {
        assert_eq!(cut(&[0, 2, 6, 7], 3), [0..2, 2..6, 6..7]);
        assert_eq!(cut(&[0, 1, 2, 3, 4], 2), [0..2, 2..4]);
        assert!(cut(&[0], 2).is_empty());
    }
}
