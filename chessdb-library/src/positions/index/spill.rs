//! The nodes of the opening tree, grouped by the first bits of their keys.

use std::collections::HashMap;
use std::fs::File;
use std::io;

use crate::spill::Partitions;
use chessdb::bytes::le_u64;

/// A node of the opening tree with its position: the games from `lo` on have it after `depth` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeEntry {
    pub(super) key: u64,
    pub(super) lo: u32,
    pub(super) len: u32,
    pub(super) depth: u16,
}

/// Bytes of an entry: its key, and `lo` with depth and length above it.
const ENTRY: usize = 16;

/// Marks a length that needs more bits.
const LONG: u64 = 0xffff;

/// Entries in parts, by the first bits of their keys.
pub(super) struct Spill {
    bits: u32,
    parts: Partitions<ENTRY>,
    /// Lengths that do not fit, by `lo` and depth.
    long: HashMap<(u32, u16), u32>,
}

impl Spill {
    /// Creates `2^bits` parts, which are kept in the file if there is one.
    pub(super) fn new(bits: u32, file: Option<File>) -> Spill {
        Spill {
            bits,
            parts: Partitions::new(1 << bits, file),
            long: HashMap::new(),
        }
    }

    /// Number of parts.
    pub(super) fn parts(&self) -> usize {
        self.parts.parts()
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// If writing to the file fails.
    #[inline]
    pub(super) fn push(&mut self, entry: NodeEntry) -> io::Result<()> {
        let mut len = u64::from(entry.len);
        if len >= LONG {
            self.long.insert((entry.lo, entry.depth), entry.len);
            len = LONG;
        }
        let rest = u64::from(entry.lo) | u64::from(entry.depth) << 32 | len << 48;
        let mut record = [0; ENTRY];
        record[..8].copy_from_slice(&entry.key.to_le_bytes());
        record[8..].copy_from_slice(&rest.to_le_bytes());
        self.parts.push(first_bits(entry.key, self.bits), record)
    }

    /// Takes a part.
    ///
    /// # Errors
    /// If reading the file fails.
    pub(super) fn take(&mut self, part: usize) -> io::Result<Vec<NodeEntry>> {
        let mut entries = Vec::new();
        self.parts
            .for_each(part, |record| entries.push(self.entry(record)))?;
        self.parts.clear(part);
        Ok(entries)
    }

    fn entry(&self, bytes: &[u8]) -> NodeEntry {
        let (key, rest) = (le_u64(bytes, 0).unwrap_or(0), le_u64(bytes, 8).unwrap_or(0));
        let (lo, depth) = (rest as u32, (rest >> 32) as u16);
        let len = match rest >> 48 {
            LONG => self.long.get(&(lo, depth)).copied().unwrap_or(0),
            len => len as u32,
        };
        NodeEntry { key, lo, len, depth }
    }
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
            let entry = |n: u32| NodeEntry {
                key: u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                lo: n,
                len: if n.is_multiple_of(1000) {
                    70_000 + n
                } else {
                    n % 7 + 1
                },
                depth: (n % 300) as u16,
            };
            (0..50_000).for_each(|n| spill.push(entry(n)).unwrap());
            let mut all = Vec::new();
            for part in 0..spill.parts() {
                let entries = spill.take(part).unwrap();
                assert!(entries.iter().all(|entry| first_bits(entry.key, 3) == part));
                all.extend(entries);
            }
            all.sort_by_key(|entry| entry.lo);
            assert!(all.into_iter().eq((0..50_000).map(entry)));
        }
    }
}
