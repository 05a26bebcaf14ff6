//! Files that have grown at their end. The scan continues after the last game that the earlier scan has certainly found
//! (section 6.1).

use std::io;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::boundaries::{self, Each, LONGEST_GAME};
use super::in_parallel::in_parallel;
use super::index::Index;
use super::make_index::File;
use super::scan::{LOOKAHEAD, MOST_UNCLOSED};
use super::shares::{Shares, threads};
use super::source::Source;

/// Size in bytes of a piece of a file that has a hash.
const PIECE: u64 = 1 << 20;

/// Maximum number of pieces that are compared when a file has grown.
const MOST_COMPARED: usize = 64;

/// Hashes of the pieces of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    /// XXH3-64 of each piece. The last piece ends where the file ends. Empty if the file cannot be compared, because
    /// it is packed or has gaps.
    pub(super) hashes: Vec<u64>,
    /// Number of the piece where the next comparison starts.
    pub(super) next: u32,
}

impl Pieces {
    /// The pieces of a file.
    pub(super) fn of(file: &File<'_>, threads: usize) -> Pieces {
        Pieces::default().extended(0, file, threads)
    }

    /// The pieces of a file that had `old` bytes before.
    fn extended(mut self, old: u64, file: &File<'_>, threads: usize) -> Pieces {
        let source = file.source;
        if !has_pieces(source) {
            return Pieces::default();
        }
        let whole = usize::try_from(old / PIECE).unwrap_or(usize::MAX);
        self.hashes.truncate(whole);
        let first = self.hashes.len() as u64;
        let count = source.len().div_ceil(PIECE).saturating_sub(first);
        let hashes = in_parallel(threads, usize::try_from(count).unwrap_or(usize::MAX), |n| {
            let piece = piece(first + n as u64, source.len());
            file.progress.add(piece.end - piece.start);
            hash(source, piece)
        });
        self.hashes.extend(hashes);
        self
    }

    /// The numbers of the pieces that are compared: the last piece, and others starting at `next`, so that every piece
    /// gets its turn.
    fn compared(&self) -> impl Iterator<Item = usize> {
        let count = self.hashes.len();
        let next = self.next as usize;
        let others = (0..count.saturating_sub(1)).take(MOST_COMPARED - 1);
        let others = others.map(move |n| (next + n) % (count - 1));
        others.chain(count.checked_sub(1))
    }

    /// The same pieces. The next comparison starts after the pieces that were just compared.
    fn with_next_turn(self) -> Pieces {
        let others = u32::try_from(self.hashes.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let compared = u32::try_from(MOST_COMPARED - 1).unwrap_or(u32::MAX);
        Pieces {
            next: self
                .next
                .saturating_add(compared)
                .checked_rem(others)
                .unwrap_or(0),
            ..self
        }
    }
}

/// The range of a piece in a file of `len` bytes.
fn piece(number: u64, len: u64) -> Range<u64> {
    let start = number * PIECE;
    start..len.min(start + PIECE)
}

fn hash(source: &dyn Source, range: Range<u64>) -> u64 {
    xxh3_64(&source.read(range))
}

/// True if the pieces of a source have hashes.
fn has_pieces(source: &dyn Source) -> bool {
    !source.is_packed() && source.gaps().is_empty()
}

/// Number of bytes that are hashed if the file had `old` bytes before.
pub(super) fn hashed_len(old: u64, source: &dyn Source) -> u64 {
    if has_pieces(source) {
        source.len().saturating_sub(old / PIECE * PIECE)
    } else {
        0
    }
}

/// A file that has grown since an earlier scan.
#[derive(Debug)]
pub(super) struct Grown<'a> {
    /// The index that the earlier scan made.
    pub(super) earlier: &'a Index,
    /// Number of games whose rows are still valid.
    pub(super) games: u32,
    /// Offset of the next game, where the scan continues.
    from: u64,
}

impl<'a> Grown<'a> {
    /// `None` if the whole file must be scanned, because it has not grown or a compared piece has changed.
    pub(super) fn since(earlier: &'a Index, source: &dyn Source, line_end: u8) -> Option<Grown<'a>> {
        let old = earlier.file_len;
        let pieces = earlier.pieces();
        let has_grown = old < source.len() && earlier.line_end == line_end;
        if !has_grown || !has_pieces(source) || pieces.hashes.is_empty() {
            return None;
        }
        let games = last_decided(earlier, source)?;
        let from = earlier.row(games)?.start;
        let compared: Vec<usize> = pieces.compared().collect();
        let is_same = |n: usize| {
            let number = compared.get(n).copied().unwrap_or(0);
            let now = hash(source, piece(number as u64, old));
            pieces.hashes.get(number) == Some(&now)
        };
        let threads = threads();
        let same = in_parallel(threads, compared.len(), is_same);
        same.into_iter()
            .all(|same| same)
            .then_some(Grown { earlier, games, from })
    }

    /// Passes the games that are not in the earlier index to `each`. Returns the offsets of all games that begin
    /// inside an unclosed comment.
    ///
    /// # Errors
    /// Returns the errors of `each`.
    pub(super) fn find(
        &self,
        source: &dyn Source,
        line_end: u8,
        shares: &Shares<'_>,
        each: Each<'_>,
    ) -> io::Result<Vec<u64>> {
        let found = boundaries::find_from(source, self.from, line_end, shares, each)?;
        let known = self.earlier.unclosed().into_iter();
        let known = known.filter(|&start| start <= self.from);
        Ok(known.chain(found).take(MOST_UNCLOSED).collect())
    }

    /// Number of bytes that are scanned.
    pub(super) fn len(&self, source: &dyn Source) -> u64 {
        source.len() - self.from
    }

    /// The pieces of the file.
    pub(super) fn pieces(&self, file: &File<'_>, threads: usize) -> Pieces {
        let pieces = self.earlier.pieces().with_next_turn();
        pieces.extended(self.earlier.file_len, file, threads)
    }
}

/// The last game whose start does not depend on bytes after the earlier end of the file.
fn last_decided(earlier: &Index, source: &dyn Source) -> Option<u32> {
    let end = earlier.file_len.checked_sub(LOOKAHEAD as u64)?;
    let (mut low, mut high) = (0, earlier.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if earlier.row(middle)?.start <= end {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let mut game = low.checked_sub(1)?;
    loop {
        let start = earlier.row(game)?.start;
        let before = game.checked_sub(1).and_then(|before| earlier.row(before));
        match before {
            // This game may be the rest of a longer one.
            Some(before) if start - before.start == LONGEST_GAME => game -= 1,
            // Games without tags are recognised by the text before them.
            _ => return (*source.read(start..start + 1) == *b"[").then_some(game),
        }
    }
}

#[cfg(test)]
mod tests;
