//! Sorts the lines of all games by their moves, so the games of each node of the opening tree are
//! consecutive.
//!
//! Games from the normal start position come first, then the others by start position. Equal lines are in
//! database order.

use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::facts::Facts;
use super::super::line::{LineStep, follow};
use super::code::{code_of, short};
use super::key::key_of;
use super::lines;
use super::signature::{Collector, Signature};
use crate::parallel::{chunks, chunks_of};
use chessdb::board::Position;
use chessdb::formats::Database;

/// Maximum number of moves of a game in the index. Later positions are found by searching the game.
pub(super) const MOST_PLIES: usize = 65_000;

/// Moves in a [`LinePrefix`].
const PREFIX_PLIES: usize = 5;

/// Number of moves that are compared at once after the prefix.
const NEXT_PLIES: usize = 4;

/// Shorter runs of lines with the same beginning are compared line by line.
const SHORT_RUN: usize = 8;

/// Typical number of bytes of a line in memory, including its moves.
const LINE_BYTES: usize = 256;

/// Number of games whose prefixes are in memory at the same time.
const PORTION: u32 = 1 << 20;

/// Number of games that a thread reads at a time. Those of a batch may be far apart.
const CHUNK: u32 = 64;

/// The beginning of a line: 4 bits for the start position, and 12 for each of the first moves.
type LinePrefix = u64;

/// The part of a line that is compared next, and the index of the line.
type Keyed = ((u64, u64), u32);

/// Consecutive lines in the order of the index.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) lines: Vec<IndexedLine>,
    moves: Vec<u16>,
    /// The start positions other than the normal one, by their keys.
    pub(super) starts: FxHashMap<u64, Position>,
}

/// The line of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexedLine {
    pub(super) game: u32,
    /// 0 for the normal start position, otherwise the key of the start position.
    pub(super) start: u64,
    first: usize,
    len: usize,
    pub(super) facts: Facts,
    pub(super) signature: Signature,
}

impl Batch {
    /// The moves of a line, as codes.
    pub(super) fn moves(&self, line: &IndexedLine) -> &[u16] {
        self.moves
            .get(line.first..line.first + line.len)
            .unwrap_or_default()
    }
}

/// Passes the lines of all games that are not deleted to `each`, in batches of about `memory` bytes. A batch
/// is larger if very many games begin with the same moves.
pub(super) fn for_each_batch<E>(
    database: &dyn Database,
    memory: usize,
    threads: usize,
    done: &(dyn Fn(u64) + Sync),
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<(), E> {
    let most = (memory / LINE_BYTES).max(1);
    let games = database.len();
    if games as usize <= most {
        let all: Vec<u32> = (0..games).collect();
        return each(batch(database, &all, threads, done));
    }
    let (starts, games) = by_prefix(database, threads);
    for range in cut(&starts, most) {
        each(batch(database, &games[range], threads, done))?;
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

/// The start position of a game, encoded as in [`IndexedLine::start`].
fn start_of(position: &Position) -> u64 {
    if *position == Position::initial() {
        0
    } else {
        key_of(position).max(1)
    }
}

/// The part of a line that is compared first.
fn prefix(start: u64, moves: &[u16]) -> LinePrefix {
    match start {
        0 => packed::<12>(moves, PREFIX_PLIES),
        // All lines with the same start position must be in one batch. The order of start positions does not
        // matter.
        start => (1 + start % 15) << 60,
    }
}

/// The moves after the first `plies`, which are compared at once; 0 if there are none.
fn next(moves: &[u16], plies: usize) -> u64 {
    packed::<16>(moves.get(plies..).unwrap_or_default(), NEXT_PLIES)
}

/// Adds the runs of lines with equal keys in a range. `plies` is the number of moves that are compared by then.
fn add_equal(lines: &[Keyed], range: Range<usize>, plies: usize, equal: &mut Vec<(Range<usize>, usize)>) {
    let mut begin = range.start;
    for run in lines[range].chunk_by(|a, b| a.0 == b.0) {
        if run.len() > 1 {
            equal.push((begin..begin + run.len(), plies));
        }
        begin += run.len();
    }
}

/// The codes of the first `number` moves, in `BITS` bits each. 12 bits have no room for promotions, which do
/// not occur among the first moves.
fn packed<const BITS: u32>(moves: &[u16], number: usize) -> u64 {
    let codes = moves.iter().copied().chain(std::iter::repeat(0)).take(number);
    let bits = |code: u16| match BITS {
        12 => short(code),
        _ => code.into(),
    };
    codes.fold(0, |packed, code| packed << BITS | bits(code))
}

fn prefix_of(database: &dyn Database, game: u32) -> Option<LinePrefix> {
    if database.keys(game).deleted {
        return None;
    }
    let (mut start, mut moves) = (None, Vec::with_capacity(PREFIX_PLIES));
    follow(database, game, |step| {
        match step {
            LineStep::Start(position) => start = Some(start_of(position)),
            LineStep::Ply(ply) => moves.push(code_of(ply.mv)),
        }
        if moves.len() < PREFIX_PLIES {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    Some(prefix(start?, &moves))
}

/// The lines of some games, in order.
fn batch(database: &dyn Database, games: &[u32], threads: usize, done: &(dyn Fn(u64) + Sync)) -> Batch {
    // In another order, each game might unpack all that precedes it in a compressed file.
    let mut games = games.to_vec();
    games.sort_unstable();
    let parts = chunks_of(CHUNK, games.len() as u32, threads, done, |range| {
        let mut part = Batch::default();
        for &game in games
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
        {
            part.read(database, game);
        }
        part
    });
    let mut all = Batch {
        lines: Vec::with_capacity(games.len()),
        moves: Vec::with_capacity(parts.iter().map(|part| part.moves.len()).sum()),
        starts: FxHashMap::default(),
    };
    for part in parts {
        let first = all.moves.len();
        all.starts.extend(part.starts);
        all.moves.extend_from_slice(&part.moves);
        all.lines.extend(part.lines.into_iter().map(|line| IndexedLine {
            first: line.first + first,
            ..line
        }));
    }
    all.sort();
    all
}

impl Batch {
    fn read(&mut self, database: &dyn Database, game: u32) {
        if database.keys(game).deleted {
            return;
        }
        let first = self.moves.len();
        let mut begun: Option<(u64, Collector)> = None;
        follow(database, game, |step| {
            match (step, &mut begun) {
                (LineStep::Start(position), _) => {
                    let start = start_of(position);
                    if start != 0 {
                        self.starts.entry(start).or_insert(*position);
                    }
                    begun = Some((start, Collector::new(position)));
                }
                (LineStep::Ply(ply), Some((_, collector))) => {
                    if self.moves.len() - first < MOST_PLIES {
                        self.moves.push(code_of(ply.mv));
                    }
                    collector.follow(ply.mv, ply.position);
                }
                (LineStep::Ply(_), None) => {}
            }
            ControlFlow::Continue(())
        });
        if let Some((start, collector)) = begun {
            self.lines.push(IndexedLine {
                game,
                start,
                first,
                len: self.moves.len() - first,
                facts: Facts::of(database, game),
                signature: collector.finish(),
            });
        }
    }

    fn sort(&mut self) {
        let key = |line: &IndexedLine| match line.start {
            0 => (prefix(0, self.moves(line)), next(self.moves(line), PREFIX_PLIES)),
            start => (prefix(start, &[]), 0),
        };
        let keys = self.lines.iter().map(key);
        let mut places: Vec<Keyed> = keys.zip(0..).collect();
        places.sort_unstable_by_key(|&(key, _)| key);
        let mut equal = Vec::new();
        add_equal(&places, 0..places.len(), PREFIX_PLIES + NEXT_PLIES, &mut equal);
        while let Some((range, plies)) = equal.pop() {
            let run = &mut places[range.clone()];
            let (key, first) = run[0];
            let is_set_up = self.lines[first as usize].start != 0;
            if run.len() < SHORT_RUN || is_set_up || key == (0, 0) {
                run.sort_unstable_by(|a, b| {
                    self.compare(&self.lines[a.1 as usize], &self.lines[b.1 as usize])
                });
                continue;
            }
            for (key, place) in run.iter_mut() {
                let moves = self.moves(&self.lines[*place as usize]);
                *key = (next(moves, plies), next(moves, plies + NEXT_PLIES));
            }
            run.sort_unstable_by_key(|&(key, _)| key);
            add_equal(&places, range, plies + 2 * NEXT_PLIES, &mut equal);
        }
        self.lines = places
            .iter()
            .map(|&(_, place)| self.lines[place as usize])
            .collect();
    }

    fn compare(&self, a: &IndexedLine, b: &IndexedLine) -> Ordering {
        let order = a
            .start
            .cmp(&b.start)
            .then_with(|| self.moves(a).cmp(self.moves(b)));
        order.then(a.game.cmp(&b.game))
    }
}

/// A game with its moves, for comparisons by the order of the index.
pub(super) struct IndexedGame {
    prefix: LinePrefix,
    start: u64,
    line: Arc<lines::CachedLine>,
    game: u32,
}

impl IndexedGame {
    pub(super) fn new(game: u32, line: Arc<lines::CachedLine>) -> IndexedGame {
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
