//! Records of one length in parts that are read one by one: few stay in memory, many are in a file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Number of bytes that are written to the file at once, about.
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
    /// Where the blocks of earlier records begin in the file.
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

    /// Passes the records of a part to `each`.
    ///
    /// # Errors
    /// If reading the file fails.
    pub fn for_each(&self, part: usize, mut each: impl FnMut(&[u8])) -> io::Result<()> {
        let part = &self.parts[part];
        if let Some((file, _)) = &self.file {
            let mut block = vec![0; Self::BLOCK];
            for &at in &part.blocks {
                file.read_exact_at(&mut block, at)?;
                block.chunks_exact(RECORD).for_each(&mut each);
            }
        }
        part.bytes.chunks_exact(RECORD).for_each(each);
        Ok(())
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
                let mut records = Vec::new();
                parts
                    .for_each(part, |record| records.push(number(record)))
                    .unwrap();
                assert!(records.into_iter().eq((part as u32..20_000).step_by(3)));
            }
            parts.clear(1);
            parts.for_each(1, |_| panic!("the part was emptied")).unwrap();
        }
    }

    #[test]
    fn a_part_has_one_block_in_memory_if_there_is_a_file() {
        let mut parts = Partitions::<16>::new(1, Some(tempfile::tempfile().unwrap()));
        (0..100_000).for_each(|_| parts.push(0, [1; 16]).unwrap());
        assert!(parts.parts[0].bytes.capacity() <= 2 * BLOCK);
    }
}
