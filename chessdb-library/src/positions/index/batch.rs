//! Lines of games in memory, and their order.

use std::cmp::Ordering;
use std::io;
use std::mem::take;
use std::ops::{ControlFlow, Range};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::super::facts::Facts;
use super::game_keys::{GameKeys, is_irreversible};
use super::order::{LinePrefix, LineReading, MOST_PLIES, PREFIX_PLIES, packed, prefix, start_of};
use super::signature::{Collector, Signature};
use super::spill::KeyedPly;
use super::walk::WALKED_PLIES;
use crate::lines::{LineStep, follow};
use crate::parallel::{at_once, chunks_of};
use chessdb::Database;
use chessdb::board::{PackedMove, Position};

/// Number of games that a thread reads at a time. Those of a batch may be far apart.
const CHUNK: u32 = 64;

/// Number of later positions after which a thread passes them on.
const MOST_LATER: usize = 10_000;

/// Number of moves that are compared at once after the prefix.
const NEXT_PLIES: usize = 4;

/// Shorter runs of lines with the same beginning are compared line by line.
const SHORT_RUN: usize = 8;

/// One line in this many is sampled to divide the lines among threads.
const SAMPLED: usize = 256;

/// Consecutive lines in the order of the index.
pub(super) struct Batch {
    /// The lines as they were read, in parts of at most [`CHUNK`].
    parts: Vec<BatchPart>,
    /// The places of the lines in `parts`, in the order of the index.
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
    pub(super) fn read(reading: &LineReading<'_>, mut games: Vec<u32>) -> io::Result<Batch> {
        // In another order, each game might unpack all that precedes it in a compressed file.
        games.sort_unstable();
        let starts = Mutex::default();
        let read = |range: Range<u32>| {
            let (mut part, mut keys, mut later) = (BatchPart::default(), GameKeys::new(), Vec::new());
            for &game in &games[range.start as usize..range.end as usize] {
                part.read(reading.database, game, &mut keys, &starts, &mut later);
                if later.len() >= MOST_LATER {
                    reading.spill.lock().push_all(take(&mut later))?;
                }
            }
            let keyed = part.lines.iter().map(|line| part.first_key(line));
            let keyed = keyed.zip(range.start..).collect::<Vec<Keyed>>();
            reading.spill.lock().push_all(later)?;
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

    /// The position in which a line begins.
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

    /// The part of a line that is compared first.
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

/// Lines in ranges of about equal length, one for each thread. Those of a range precede those of the next one.
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

/// The moves after the first `plies`, which are compared at once; 0 if there are none.
fn next(moves: &[PackedMove], plies: usize) -> u64 {
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

fn compare(a: (&IndexedLine, &[PackedMove]), b: (&IndexedLine, &[PackedMove])) -> Ordering {
    let order = a.0.start.cmp(&b.0.start).then_with(|| a.1.cmp(b.1));
    order.then(a.0.game.cmp(&b.0.game))
}
