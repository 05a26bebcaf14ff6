//! Sorts the lines of all games by their moves, so the games of each node of the opening tree are
//! consecutive.
//!
//! Games from the normal start position come first, then the others by start position. Games with the same line are in
//! database order.

use std::cmp::Ordering;
use std::io;
use std::mem::take;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::super::tally::Facts;
use super::keys::WALKED_PLIES;
use super::keys::key_of;
use super::keys::{GameKeys, is_irreversible};
use super::lines::LongLine;
use super::signature::{Collector, Signature};
use super::spill::{KeyedPly, Spill};
use crate::lines::{LineStep, follow};
use crate::parallel::{at_once, chunks, chunks_of};
use chessdb::Database;
use chessdb::board::{PackedMove, Position};

/// Maximum number of moves of a game in the index. Later positions are found by searching the game.
pub(super) const MOST_PLIES: usize = 65_000;

/// Moves in a [`LinePrefix`]: as many as fit into 64 bits together with the start position.
pub(super) const PREFIX_PLIES: usize = 5;

/// Typical number of bytes of a line in memory, including its moves.
const LINE_BYTES: usize = 256;

/// Number of games whose prefixes are in memory at the same time.
const PORTION: u32 = 1 << 20;

/// The start of a line: 4 bits for the start position, and 12 bits for each of the first moves.
pub(super) type LinePrefix = u64;

/// How the games of a database are read.
pub(super) struct LineReading<'a> {
    pub(super) database: &'a Arc<dyn Database>,
    pub(super) threads: usize,
    /// Called with the number of games read since the last call.
    pub(super) done: &'a (dyn Fn(u64) + Sync),
}

/// Passes the lines of all games that are not deleted to `each`, in batches of about `memory` bytes. A batch is larger
/// if very many games have the same prefix. `spill` gets the positions of each game after the first moves.
///
/// # Errors
/// If `each` fails or positions cannot be written.
pub(super) fn for_each_batch<E: From<io::Error>>(
    reading: &LineReading<'_>,
    memory: usize,
    spill: &Mutex<Spill>,
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<(), E> {
    let most = (memory / LINE_BYTES).max(1);
    let games = reading.database.len();
    if games as usize <= most {
        let all: Vec<u32> = (0..games).collect();
        return each(Batch::read(reading, spill, all)?);
    }
    let (starts, games) = by_prefix(&**reading.database, reading.threads);
    for range in cut(&starts, most) {
        each(Batch::read(reading, spill, games[range].to_vec())?)?;
    }
    Ok(())
}

/// The games that are not deleted, sorted by prefix. Also returns where the games of each prefix begin, and the end of
/// the last. Takes eight bytes of memory for each game.
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
    // From here on, `counts` holds the place of the next game of each prefix.
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

/// Ranges of at most `most` games. `starts` has the first place of each prefix, and the end. A range is longer where it
/// would otherwise separate games with the same prefix.
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

/// The start position of a game, encoded as in [`super::order::IndexedLine::start`].
pub(super) fn start_of(position: &Position) -> u64 {
    if *position == Position::initial() {
        0
    } else {
        key_of(position).max(1)
    }
}

/// The prefix of a line, which is compared first.
pub(super) fn prefix(start: u64, moves: &[PackedMove]) -> LinePrefix {
    match start {
        0 => packed::<12>(moves, PREFIX_PLIES),
        // All lines with the same start position must be in one batch. The order of start positions does not
        // matter.
        start => (1 + start % 15) << 60,
    }
}

/// The first `number` moves, in `BITS` bits each, followed by zeros. In 12 bits, castling or a promotion would look
/// like another move, but neither can be among the first [`PREFIX_PLIES`]. A null move looks like the end of the line;
/// then the comparison of whole lines decides.
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

/// Number of games that a thread reads at a time. Small, because the games of a batch may be far apart in the database:
/// the threads then still read near each other.
const CHUNK: u32 = 64;

/// Number of later positions that a thread collects before it passes them to the spill.
const MOST_LATER: usize = 10_000;

/// Number of moves that are compared at once after the prefix: 64 bits of 16 each.
const NEXT_PLIES: usize = 4;

/// Runs of fewer lines with the same start are compared line by line.
const SHORT_RUN: usize = 8;

/// One line in this many is sampled to divide the lines among threads.
const SAMPLED: usize = 256;

/// Consecutive lines in the order of the index.
pub(super) struct Batch {
    /// The lines as they were read, in parts of at most [`CHUNK`].
    parts: Vec<BatchPart>,
    /// The places in `parts` of the lines, in the order of the index.
    order: Vec<u32>,
    /// The start positions other than the normal one, by their keys.
    starts: Starts,
}

#[derive(Default)]
struct BatchPart {
    lines: Vec<IndexedLine>,
    moves: Vec<PackedMove>,
}

type Starts = FxHashMap<u64, Position>;

/// The line of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexedLine {
    pub(super) game: u32,
    first: u32,
    len: u32,
    /// 0 for the normal start position, otherwise the key of the start position.
    pub(super) start: u64,
    pub(super) facts: Facts,
    pub(super) signature: Signature,
}

/// The part of a line that is compared next, and the place of the line.
type Keyed = ((LinePrefix, u64), u32);

impl Batch {
    /// Reads the lines of some games, and adds the positions after the first [`WALKED_PLIES`] moves to the spill.
    ///
    /// # Errors
    /// If positions cannot be written.
    fn read(reading: &LineReading<'_>, spill: &Mutex<Spill>, mut games: Vec<u32>) -> io::Result<Batch> {
        // In any other order, a compressed file might unpack everything in front of each game.
        games.sort_unstable();
        let starts = Mutex::default();
        let read = |range: Range<u32>| {
            let (mut part, mut keys, mut later) = (BatchPart::default(), GameKeys::new(), Vec::new());
            for &game in &games[range.start as usize..range.end as usize] {
                part.read(&**reading.database, game, &mut keys, &starts, &mut later);
                if later.len() >= MOST_LATER {
                    spill.lock().push_all(take(&mut later))?;
                }
            }
            let keyed = part.lines.iter().map(|line| part.first_key(line));
            let keyed = keyed.zip(range.start..).collect::<Vec<Keyed>>();
            spill.lock().push_all(later)?;
            Ok((part, keyed))
        };
        let parts = chunks_of(CHUNK, games.len() as u32, reading.threads, reading.done, read);
        let parts = parts.into_iter().collect::<io::Result<Vec<_>>>()?;
        let (parts, keyed): (Vec<BatchPart>, Vec<Vec<Keyed>>) = parts.into_iter().unzip();
        let mut batch = Batch {
            parts,
            order: Vec::new(),
            starts: starts.into_inner(),
        };
        let ranges = divided(keyed, reading.threads);
        batch.order = at_once(ranges, |keyed| batch.sorted(keyed)).concat();
        Ok(batch)
    }

    /// Number of lines.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// A line and its moves.
    pub(super) fn line(&self, number: usize) -> (&IndexedLine, &[PackedMove]) {
        self.at(self.order[number])
    }

    /// The start position of a line.
    pub(super) fn start(&self, number: usize) -> Position {
        let (line, _) = self.line(number);
        let start = self.starts.get(&line.start);
        start.copied().unwrap_or(Position::initial())
    }

    fn part(&self, place: u32) -> (&BatchPart, &IndexedLine) {
        let part = &self.parts[(place / CHUNK) as usize];
        (part, &part.lines[(place % CHUNK) as usize])
    }

    fn at(&self, place: u32) -> (&IndexedLine, &[PackedMove]) {
        let (part, line) = self.part(place);
        (line, part.moves(line))
    }

    /// The places of some lines in the order of the index.
    fn sorted(&self, mut lines: Vec<Keyed>) -> Vec<u32> {
        lines.sort_unstable_by_key(|&(key, _)| key);
        let mut equal = Vec::new();
        add_equal(&lines, 0..lines.len(), PREFIX_PLIES + NEXT_PLIES, &mut equal);
        while let Some((range, plies)) = equal.pop() {
            let run = &mut lines[range.clone()];
            let (key, first) = run[0];
            let is_set_up = self.at(first).0.start != 0;
            if run.len() < SHORT_RUN || is_set_up || key == (0, 0) {
                run.sort_unstable_by(|a, b| compare(self.at(a.1), self.at(b.1)));
                continue;
            }
            for (key, place) in run.iter_mut() {
                let moves = self.at(*place).1;
                *key = (next(moves, plies), next(moves, plies + NEXT_PLIES));
            }
            run.sort_unstable_by_key(|&(key, _)| key);
            add_equal(&lines, range, plies + 2 * NEXT_PLIES, &mut equal);
        }
        lines.into_iter().map(|(_, place)| place).collect()
    }
}

impl BatchPart {
    /// Adds the line of a game, and its positions after the first [`WALKED_PLIES`] moves to `later`.
    fn read(
        &mut self,
        database: &dyn Database,
        game: u32,
        keys: &mut GameKeys,
        starts: &Mutex<Starts>,
        later: &mut Vec<KeyedPly>,
    ) {
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
                        starts.lock().entry(start).or_insert(*position);
                    }
                    keys.begin(position, start == 0);
                    begun = Some((start, Collector::new(position)));
                }
                (LineStep::Ply(ply), Some((_, collector))) => {
                    let is_irreversible = is_irreversible(ply);
                    if is_irreversible {
                        collector.follow(ply.mv, ply.position);
                    }
                    let depth = self.moves.len() - first + 1;
                    if depth <= MOST_PLIES {
                        self.moves.push(PackedMove::new(ply.mv));
                        let key = keys.follow(ply, is_irreversible);
                        later.extend(key.filter(|_| depth > WALKED_PLIES).map(|key| KeyedPly {
                            key,
                            game,
                            depth: depth as u16,
                        }));
                    }
                }
                (LineStep::Ply(_), None) => {}
            }
            ControlFlow::Continue(())
        });
        if let Some((start, collector)) = begun {
            self.lines.push(IndexedLine {
                game,
                first: first as u32,
                len: (self.moves.len() - first) as u32,
                start,
                facts: Facts::of(database, game),
                signature: collector.finish(),
            });
        }
    }

    fn moves(&self, line: &IndexedLine) -> &[PackedMove] {
        &self.moves[line.first as usize..][..line.len as usize]
    }

    /// The key that a line is first compared by: its prefix, and the moves after it.
    fn first_key(&self, line: &IndexedLine) -> (LinePrefix, u64) {
        match line.start {
            0 => {
                let moves = self.moves(line);
                (prefix(0, moves), next(moves, PREFIX_PLIES))
            }
            start => (prefix(start, &[]), 0),
        }
    }
}

/// Divides lines into ranges of about the same size, one for each thread. Ranges are in order: no line of a range
/// belongs before one of the previous range.
fn divided(keyed: Vec<Vec<Keyed>>, threads: usize) -> Vec<Vec<Keyed>> {
    if threads <= 1 {
        return vec![keyed.concat()];
    }
    let sampled = keyed.iter().flatten().step_by(SAMPLED);
    let mut sampled: Vec<_> = sampled.map(|&(key, _)| key).collect();
    sampled.sort_unstable();
    let begins: Vec<_> = (1..threads)
        .filter_map(|n| sampled.get(n * sampled.len() / threads).copied())
        .collect();
    let mut ranges = vec![Vec::new(); begins.len() + 1];
    for line in keyed.into_iter().flatten() {
        ranges[begins.partition_point(|begin| *begin <= line.0)].push(line);
    }
    ranges
}

/// The [`NEXT_PLIES`] moves after the first `plies`, packed into one number; 0 if the line ends before.
fn next(moves: &[PackedMove], plies: usize) -> u64 {
    packed::<16>(moves.get(plies..).unwrap_or_default(), NEXT_PLIES)
}

/// Adds each run of lines with the same key in a range to `equal`, with `plies`, the number of moves compared so far.
fn add_equal(lines: &[Keyed], range: Range<usize>, plies: usize, equal: &mut Vec<(Range<usize>, usize)>) {
    let mut begin = range.start;
    for run in lines[range].chunk_by(|a, b| a.0 == b.0) {
        if run.len() > 1 {
            equal.push((begin..begin + run.len(), plies));
        }
        begin += run.len();
    }
}

fn compare(a: (&IndexedLine, &[PackedMove]), b: (&IndexedLine, &[PackedMove])) -> Ordering {
    let order = a.0.start.cmp(&b.0.start).then_with(|| a.1.cmp(b.1));
    order.then(a.0.game.cmp(&b.0.game))
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
