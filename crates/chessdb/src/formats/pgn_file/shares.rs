//! Divides the scan of a file among threads, and combines their results.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use memchr::memchr_iter;

use super::in_parallel::in_parallel;
use super::scan::{Found, LOOKAHEAD, Scanner, Start, Stop, resynchronisation};
use super::source::Source;
use crate::bytes::index;
use crate::files::Progress;
use crate::packed::{Budget, Reserved};

/// Bytes that are read at a time from a source that is not in memory.
pub(super) const WINDOW: u64 = 4 << 20;

/// Size in bytes of a piece that one thread scans.
const PIECE: u64 = 16 << 20;

/// Number of bytes that are searched for a border between pieces.
const SEARCH: u64 = 1 << 20;

/// Size in bytes of a piece of a packed source.
const PACKED_PIECE: u64 = 4 << 20;

/// Number of bytes of a packed source that are scanned before the games in them are read. The unpacked bytes are kept
/// in the meantime, so that each is unpacked only once.
const STRETCH: u64 = 32 << 20;

/// [`STRETCH`] for a source that only one thread reads.
const STRETCH_OF_ONE: u64 = 16 << 20;

/// Number of unpacked bytes that are kept for all files together. The stretches of all running scans must fit into it.
const KEPT: usize = 64 << 20;

/// Games of a packed source that are longer than this share a limit of [`KEPT`] bytes while scans read them.
const LONG: u64 = 1 << 20;

/// Memory for the stretches of all scans, and for long games.
static STRETCHES: LazyLock<Arc<Budget>> = LazyLock::new(|| Budget::new(KEPT));
static LONG_GAMES: LazyLock<Arc<Budget>> = LazyLock::new(|| Budget::new(KEPT));

/// Waits until a packed source may be scanned. `None` for a source that is not packed.
pub(super) fn turn(source: &dyn Source) -> Option<Reserved> {
    let stretch = stretch(source).min(source.len());
    source
        .is_packed()
        .then(|| STRETCHES.reserve(index(stretch), |_| false))
}

/// Waits until there is memory for a long game of a packed source. The caller must not hold memory for another game.
pub(super) fn memory_for_game(source: &dyn Source, game: &Range<u64>) -> Option<Reserved> {
    let len = game.end.saturating_sub(game.start);
    let is_long = source.is_packed() && len > LONG;
    is_long.then(|| LONG_GAMES.reserve(index(len), |_| false))
}

fn stretch(source: &dyn Source) -> u64 {
    match (source.is_packed(), source.is_one_stream()) {
        (true, true) => STRETCH_OF_ONE,
        (true, false) => STRETCH,
        (false, _) => u64::MAX,
    }
}

/// How the work is divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares<'a> {
    pub(super) threads: usize,
    /// Bytes of a piece, which one thread scans.
    pub(super) piece: u64,
    /// Bytes that are scanned before the games found in them are passed on.
    pub(super) stretch: u64,
    /// Counts the bytes that have been scanned.
    pub(super) progress: &'a Progress,
    /// Memory of the scan, if the source is packed.
    pub(super) turn: Option<&'a Reserved>,
}

impl<'a> Shares<'a> {
    /// One thread for each processor, if the source can be read at several places at the same time.
    pub(super) fn new(source: &dyn Source, progress: &'a Progress, turn: Option<&'a Reserved>) -> Shares<'a> {
        Shares {
            threads: if source.is_one_stream() { 1 } else { threads() },
            piece: match (source.is_one_stream(), source.is_packed()) {
                (true, _) => u64::MAX,
                (false, true) => PACKED_PIECE,
                (false, false) => PIECE,
            },
            stretch: stretch(source),
            progress,
            turn,
        }
    }

    /// Adds a number of bytes that have been scanned.
    pub(super) fn add(&self, bytes: u64) {
        self.progress.add(bytes);
        if let Some(turn) = self.turn {
            turn.moves();
        }
    }
}

/// Number of threads that scan a file.
pub(super) fn threads() -> usize {
    let processors = std::thread::available_parallelism();
    processors.map_or(1, usize::from).min(MOST_THREADS)
}

/// Maximum number of threads that scan one file.
const MOST_THREADS: usize = 8;

/// The first tags of all games in a range, and the first game that starts at or after `until`. `first` is the scanner
/// at the start of the range. The pieces of the range are scanned in parallel. Each piece starts where a game should
/// start, whatever comes before it. If the scan of the previous piece finds that no game starts there, that scan
/// continues through the piece.
pub(super) fn find_tags(
    source: &dyn Source,
    part: &Range<u64>,
    first: Scanner,
    until: u64,
    shares: &Shares<'_>,
) -> (Found, Option<Start>) {
    let line_end = first.line_end;
    let borders = borders(source, &(part.start..part.end.min(until)), line_end, shares.piece);
    let untils = borders.iter().skip(1).copied().chain([until]);
    let jobs: Vec<(u64, u64)> = borders.iter().copied().zip(untils).collect();
    let scanned = in_parallel(shares.threads, jobs.len(), |job| {
        let &(start, until) = jobs.get(job)?;
        let mut scanner = if start == part.start {
            first.clone()
        } else {
            Scanner::at_game(line_end, sound(start))
        };
        let stop = scan_on(&mut scanner, source, start..part.end, until, shares);
        Some((scanner.found, stop))
    });
    let mut all = Found::default();
    // The game that the next piece must start with.
    let mut stop = Some(sound(part.start));
    for (piece, (start, until)) in scanned.into_iter().zip(jobs) {
        let Some(next) = stop else { break };
        match piece {
            Some((found, after)) if next.place == start => {
                all.append(Found {
                    unclosed: next.is_unclosed.then_some(next.place).into_iter().collect(),
                    ..Found::default()
                });
                all.append(found);
                stop = after;
            }
            _ if next.place >= until => {}
            _ => {
                let mut scanner = Scanner::at_game(line_end, next);
                stop = scan_on(&mut scanner, source, next.place..part.end, until, shares);
                all.append(scanner.found);
            }
        }
    }
    (all, stop)
}

/// A game that does not begin inside an unclosed comment.
pub(super) fn sound(place: u64) -> Start {
    Start {
        place,
        is_unclosed: false,
    }
}

/// The starts of the pieces of a range: the start of the range, and places where games should start, whatever comes
/// before them.
fn borders(source: &dyn Source, part: &Range<u64>, line_end: u8, piece: u64) -> Vec<u64> {
    let mut borders = vec![part.start];
    let mut at = part.start.saturating_add(piece);
    while at < part.end {
        let bytes = source.read(at..part.end.min(at.saturating_add(SEARCH + LOOKAHEAD as u64)));
        let lines = memchr_iter(line_end, bytes.get(..index(SEARCH)).unwrap_or(&bytes));
        let found = lines
            .filter_map(|line| resynchronisation(&bytes, line + 1, line_end))
            .next();
        if let Some(found) = found.map(|found| at + found as u64)
            && borders.last().is_some_and(|&last| last < found)
        {
            borders.push(found);
        }
        at = at.saturating_add(piece);
    }
    borders
}

/// Scans a range up to the first game that starts at or after `until`, and returns this game.
fn scan_on(
    scanner: &mut Scanner,
    source: &dyn Source,
    range: Range<u64>,
    until: u64,
    shares: &Shares<'_>,
) -> Option<Start> {
    let mut at = range.start;
    while at < range.end {
        let end = match source.in_memory() {
            Some(_) => range.end,
            None => range.end.min(at + WINDOW + LOOKAHEAD as u64),
        };
        let bytes = source.read(at..end);
        // If fewer bytes can be read than requested, the source ends there.
        let is_last = end == range.end || (bytes.len() as u64) < end - at;
        let stop = scanner.scan(&bytes, at, is_last, until);
        let before = at;
        at = match stop {
            Stop::Start(start) => start.place,
            Stop::Read(read) => at + read as u64,
        };
        shares.add(at - before);
        match stop {
            Stop::Start(start) => return Some(start),
            Stop::Read(_) if is_last => return None,
            Stop::Read(_) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;
    use std::sync::mpsc::channel;
    use std::thread;

    /// A source of any length that is never read.
    #[derive(Debug)]
    struct Unread {
        len: u64,
        is_packed: bool,
    }

    impl Source for Unread {
        fn len(&self) -> u64 {
            self.len
        }

        fn read(&self, _: Range<u64>) -> Cow<'_, [u8]> {
            Cow::default()
        }

        fn is_one_stream(&self) -> bool {
            self.is_packed
        }

        fn is_packed(&self) -> bool {
            self.is_packed
        }
    }

    /// Takes all memory, and returns how much is reserved after one more thread has waited.
    fn held(budget: &Arc<Budget>, number: usize, take: fn() -> Option<Reserved>) -> usize {
        let first: Vec<_> = (0..number).map(|_| take().unwrap()).collect();
        let (send, receive) = channel();
        let other = Arc::clone(budget);
        let waiting = thread::spawn(move || {
            let _memory = take();
            send.send(other.reserved()).unwrap();
        });
        drop(first);
        waiting.join().unwrap();
        receive.recv().unwrap()
    }

    #[test]
    fn scans_of_packed_sources_take_turns() {
        let take = || {
            turn(&Unread {
                len: 1 << 40,
                is_packed: true,
            })
        };
        assert!(held(&STRETCHES, 4, take) <= KEPT);
        let plain = Unread {
            len: 1 << 40,
            is_packed: false,
        };
        assert!(turn(&plain).is_none());
    }

    #[test]
    fn long_games_of_packed_sources_are_read_in_turn() {
        const GAME: Range<u64> = 0..136 << 20;
        const PACKED: Unread = Unread {
            len: GAME.end,
            is_packed: true,
        };
        let take = || memory_for_game(&PACKED, &GAME);
        assert_eq!(held(&LONG_GAMES, 1, take), 136 << 20);
        assert!(memory_for_game(&PACKED, &(0..LONG)).is_none());
    }
}
