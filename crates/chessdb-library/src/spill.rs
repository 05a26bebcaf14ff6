//! Records of one length, in parts that are read one by one. Few records stay in memory, many go to a file.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Approximate number of bytes that are written to the file at once.
const BLOCK: usize = 16 << 10;

/// Records of `RECORD` bytes in parts. Each part keeps the order in which its records were added.
pub struct Partitions<const RECORD: usize> {
    parts: Vec<Partition>,
    /// The file, and the number of bytes written to it.
    file: Option<(File, u64)>,
}

#[derive(Default)]
struct Partition {
    /// The records after those in the file.
    bytes: Vec<u8>,
    /// Where the blocks of earlier records start in the file.
    blocks: Vec<u64>,
}

impl<const RECORD: usize> Partitions<RECORD> {
    /// Number of bytes that are written to the file at once.
    const BLOCK: usize = BLOCK / RECORD * RECORD;

    /// Creates empty parts. With a file, each part has at most one block in memory.
    pub fn new(parts: usize, file: Option<File>) -> Partitions<RECORD> {
        Partitions {
            parts: (0..parts).map(|_| Partition::default()).collect(),
            file: file.map(|file| (file, 0)),
        }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Adds a record to a part.
    ///
    /// # Errors
    /// If writing to the file fails.
    #[inline]
    pub fn push(&mut self, part: usize, record: [u8; RECORD]) -> io::Result<()> {
        let part = &mut self.parts[part];
        part.bytes.extend_from_slice(&record);
        if part.bytes.len() >= Self::BLOCK
            && let Some((file, written)) = &mut self.file
        {
            file.write_all_at(&part.bytes, *written)?;
            part.blocks.push(*written);
            *written += part.bytes.len() as u64;
            part.bytes.clear();
        }
        Ok(())
    }

    /// The records of a part.
    ///
    /// # Errors
    /// If reading the file fails.
    pub fn records(&self, part: usize) -> io::Result<Cow<'_, [[u8; RECORD]]>> {
        let part = &self.parts[part];
        let last = part.bytes.as_chunks().0;
        let Some((file, _)) = &self.file else {
            return Ok(Cow::Borrowed(last));
        };
        let in_file = part.blocks.len() * (Self::BLOCK / RECORD);
        let mut records = Vec::with_capacity(in_file + last.len());
        records.resize(in_file, [0; RECORD]);
        let blocks = records.chunks_exact_mut(Self::BLOCK / RECORD);
        for (block, &at) in blocks.zip(&part.blocks) {
            file.read_exact_at(block.as_flattened_mut(), at)?;
        }
        records.extend_from_slice(last);
        Ok(Cow::Owned(records))
    }

    /// Empties a part.
    pub fn clear(&mut self, part: usize) {
        self.parts[part] = Partition::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_comes_back_in_order() {
        let number = |record: &[u8]| u32::from_le_bytes(record[..4].try_into().unwrap());
        for file in [None, Some(tempfile::tempfile().unwrap())] {
            let mut parts = Partitions::<11>::new(3, file);
            for n in 0..20_000_u32 {
                let [a, b, c, d] = n.to_le_bytes();
                parts
                    .push(n as usize % 3, [a, b, c, d, 0, 0, 0, 0, 0, 0, 7])
                    .unwrap();
            }
            for part in 0..parts.parts() {
                let records = parts.records(part).unwrap();
                let numbers = records.iter().map(|record| number(record));
                assert!(numbers.eq((part as u32..20_000).step_by(3)));
            }
            parts.clear(1);
            assert!(parts.records(1).unwrap().is_empty());
        }
    }

    #[test]
    fn a_part_has_one_block_in_memory_if_there_is_a_file() {
        let mut parts = Partitions::<16>::new(1, Some(tempfile::tempfile().unwrap()));
        (0..100_000).for_each(|_| parts.push(0, [1; 16]).unwrap());
        assert!(parts.parts[0].bytes.capacity() <= 2 * BLOCK);
    }
}
