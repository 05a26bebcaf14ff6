//! The positions of all games, grouped by the first bits of their keys.

use std::borrow::Cow;
use std::fs::File;
use std::io;

use crate::spill::Partitions;
use chessdb::bytes::{le_u16, le_u32, le_u64};

/// A position of a game, after `depth` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyedPly {
    pub(super) key: u64,
    pub(super) game: u32,
    pub(super) depth: u16,
}

/// Bytes of a [`KeyedPly`], whose fields they contain in order.
pub(super) const ENTRY: usize = 14;

/// Entries in parts, by the first bits of their keys.
pub(super) struct Spill {
    bits: u32,
    parts: Partitions<ENTRY>,
}

impl Spill {
    /// Creates `2^bits` parts, which are kept in the file if there is one.
    pub(super) fn new(bits: u32, file: Option<File>) -> Spill {
        Spill {
            bits,
            parts: Partitions::new(1 << bits, file),
        }
    }

    /// Number of parts.
    pub(super) fn parts(&self) -> usize {
        self.parts.parts()
    }

    /// Adds entries.
    ///
    /// # Errors
    /// If writing to the file fails.
    pub(super) fn push_all(&mut self, entries: Vec<KeyedPly>) -> io::Result<()> {
        entries.into_iter().try_for_each(|entry| self.push(entry))
    }

    #[inline]
    fn push(&mut self, entry: KeyedPly) -> io::Result<()> {
        let mut record = [0; ENTRY];
        record[..8].copy_from_slice(&entry.key.to_le_bytes());
        record[8..12].copy_from_slice(&entry.game.to_le_bytes());
        record[12..].copy_from_slice(&entry.depth.to_le_bytes());
        self.parts.push(first_bits(entry.key, self.bits), record)
    }

    /// A part, for [`entries`].
    ///
    /// # Errors
    /// If reading the file fails.
    pub(super) fn part(&self, part: usize) -> io::Result<Cow<'_, [[u8; ENTRY]]>> {
        self.parts.records(part)
    }

    /// Empties a part.
    pub(super) fn clear(&mut self, part: usize) {
        self.parts.clear(part);
    }
}

/// The entries of a part, in the order in which they were added.
pub(super) fn entries(part: &[[u8; ENTRY]]) -> impl ExactSizeIterator<Item = KeyedPly> {
    part.iter().map(|record| KeyedPly {
        key: le_u64(record, 0).unwrap_or(0),
        game: le_u32(record, 8).unwrap_or(0),
        depth: le_u16(record, 12).unwrap_or(0),
    })
}

/// The first bits of a key as a number.
#[inline]
pub(super) fn first_bits(key: u64, bits: u32) -> usize {
    match bits {
        0 => 0,
        bits => (key >> (64 - bits)) as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_comes_back_from_memory_and_from_a_file() {
        for file in [None, Some(tempfile::tempfile().unwrap())] {
            let mut spill = Spill::new(3, file);
            let entry = |n: u32| KeyedPly {
                key: u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                game: n,
                depth: (n % 300) as u16,
            };
            spill.push_all((0..50_000).map(entry).collect()).unwrap();
            let mut all = Vec::new();
            for part in 0..spill.parts() {
                let records = spill.part(part).unwrap();
                assert!(entries(&records).all(|entry| first_bits(entry.key, 3) == part));
                all.extend(entries(&records));
            }
            all.sort_by_key(|entry| entry.game);
            assert!(all.into_iter().eq((0..50_000).map(entry)));
        }
    }
}
