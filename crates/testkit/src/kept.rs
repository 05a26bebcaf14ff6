//! Changing kept files so that they look sound, by the table at the top of `crates/chessdb-library/src/kept/sections/mod.rs`.

use std::ops::Range;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const HEADER: usize = 272;
const PAGE: usize = 4096;

/// Where the parts of a kept file are.
#[derive(Clone)]
pub struct Layout {
    pub key: Range<usize>,
    pub sections: [Range<usize>; 14],
    /// All sections and what lies between them.
    pub data: Range<usize>,
}

fn number(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

impl Layout {
    pub fn of(file: &[u8]) -> Layout {
        let key = HEADER..HEADER + (number(file, 8) >> 32);
        Layout {
            data: key.end.next_multiple_of(PAGE)..number(file, 256),
            sections: std::array::from_fn(|n| {
                let at = number(file, 32 + 16 * n);
                at..at + number(file, 40 + 16 * n)
            }),
            key,
        }
    }

    /// Writes the checksums of a file that has this layout, whatever its header says now.
    pub fn seal(&self, file: &mut Vec<u8>) {
        file.truncate(self.data.end);
        let sums = file[self.data.clone()].chunks(64 << 10).map(xxh3_64);
        let sums: Vec<u8> = sums.flat_map(u64::to_le_bytes).collect();
        let mut hash = Xxh3::new();
        [&file[..264], &file[self.key.clone()], &sums]
            .into_iter()
            .for_each(|bytes| hash.update(bytes));
        file[264..HEADER].copy_from_slice(&hash.digest().to_le_bytes());
        file.extend(sums);
    }
}
