//! How the scan of a file is divided among threads, and how their results are put together.

use std::ops::Range;

use memchr::memchr_iter;

use super::in_parallel::in_parallel;
use super::scan::{Found, LOOKAHEAD, Scanner, Start, Stop, resynchronisation};
use super::source::Source;
use crate::bytes::index;
use crate::formats::Progress;

/// Bytes that are read at a time from a source that is not in memory.
pub(super) const WINDOW: u64 = 4 << 20;

/// Size in bytes of a piece that one thread scans.
const PIECE: u64 = 16 << 20;

/// Number of bytes in which a border between pieces is searched for.
const SEARCH: u64 = 1 << 20;

/// Size in bytes of a piece of a packed source.
const PACKED_PIECE: u64 = 4 << 20;

/// Number of bytes of a packed source that are scanned before the games found in them are read. That many
/// unpacked bytes are kept for a while, so that each is unpacked once.
const STRETCH: u64 = 32 << 20;

/// How the work is divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares<'a> {
    pub(super) threads: usize,
    /// Bytes of a piece, which one thread scans.
    pub(super) piece: u64,
    /// Bytes that are scanned before the games found in them are passed on.
    pub(super) stretch: u64,
    /// Where bytes that have been scanned are added.
    pub(super) progress: &'a Progress,
}

impl<'a> Shares<'a> {
    /// One thread for each processor, if the source can be read at several places at the same time.
    pub(super) fn of(source: &dyn Source, progress: &'a Progress) -> Shares<'a> {
        Shares {
            threads: match source.is_one_stream() {
                true => 1,
                false => threads(),
            },
            piece: match (source.is_one_stream(), source.is_packed()) {
                (true, _) => u64::MAX,
                (false, true) => PACKED_PIECE,
                (false, false) => PIECE,
            },
            stretch: match source.is_packed() {
                true => STRETCH,
                false => u64::MAX,
            },
            progress,
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

/// The first tags of all games in a range, at whose beginning `first` is, and the first game that begins at or
/// after `until`. The pieces of the range are scanned in parallel. Each piece begins where a game should begin
/// whatever precedes it. If the scan of the previous piece finds that it does not, that scan continues through
/// the piece.
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
        let mut scanner = match start == part.start {
            true => first.clone(),
            false => Scanner::at_game(line_end, sound(start)),
        };
        let stop = scan_on(&mut scanner, source, start..part.end, until, shares.progress);
        Some((scanner.found, stop))
    });
    let mut all = Found::default();
    // The game with which the next piece must begin.
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
                stop = scan_on(&mut scanner, source, next.place..part.end, until, shares.progress);
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

/// The beginnings of the pieces of a range: the beginning of the range, and places where games begin whatever
/// precedes them.
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

/// Scans a range up to the first game that begins at or after `until`. Returns that game.
fn scan_on(
    scanner: &mut Scanner,
    source: &dyn Source,
    range: Range<u64>,
    until: u64,
    progress: &Progress,
) -> Option<Start> {
    let mut at = range.start;
    while at < range.end {
        let end = match source.in_memory() {
            Some(_) => range.end,
            None => range.end.min(at + WINDOW + LOOKAHEAD as u64),
        };
        let bytes = source.read(at..end);
        // A source ends where it cannot be read any further.
        let is_last = end == range.end || (bytes.len() as u64) < end - at;
        let stop = scanner.scan(&bytes, at, is_last, until);
        let before = at;
        at = match stop {
            Stop::Start(start) => start.place,
            Stop::Read(read) => at + read as u64,
        };
        progress.add(at - before);
        match stop {
            Stop::Start(start) => return Some(start),
            Stop::Read(_) if is_last => return None,
            Stop::Read(_) => {}
        }
    }
    None
}
