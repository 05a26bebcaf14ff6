//! The file of an index: a header, sections of little-endian integers, and a checksum for each block.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `pgnfs ix` |
//! | 8 | 4 | version of this layout |
//! | 12 | 4 | *k*, bytes of the key |
//! | 16 | 4 | *n*, number of games in the index |
//! | 20 | 4 | number of these that begin in the normal start position; they come first |
//! | 24 | 4 | *b*, bits of a bucket's number |
//! | 28 | 4 | 0 |
//! | 32 | 16 each | offset and length of each [`Section`] |
//! | 256 | 8 | offset of the checksums |
//! | 264 | 8 | XXH3-64 of the header up to here, the key and the checksums |
//! | 272 | *k* | the key: everything that the index depends on |
//! | a multiple of 4096 | | the sections, in blocks of 64 KiB |
//! | | 8 each | the checksums: XXH3-64 of each block |
//!
//! The header is checked when the file is opened, and a block when it is first used.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::mapped::Mapped;
use chessdb::bytes::{le_u32, le_u64};

const MAGIC: &[u8; 8] = b"pgnfs ix";
const VERSION: u32 = 2;
const HEADER: usize = 272;
const TABLE: usize = 32;
const SUMS: usize = 256;
const CHECKSUM: usize = 264;
/// Sections begin at a multiple of this.
const PAGE: usize = 4096;
const BLOCK: usize = 64 << 10;

/// A section of an index. Games are in the order of their moves, see [`super::order`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// The number of each game in its database: 4 bytes.
    Games,
    /// For each game, the length of the part that its line has in common with the game before, see
    /// [`super::tree`]: 2 bytes.
    Common,
    /// For each game, the code of the first move that it does not have in common with the game before or after it, 0
    /// if there is none: 2 bytes.
    Parting,
    /// The minimum of each 64 items of `Common`: 4 bytes.
    Common64,
    /// The minimum of each 4096 items of `Common`: 4 bytes.
    Common4096,
    /// The minimum of each 64 items of `Games`: 4 bytes.
    Games64,
    /// The minimum of each 4096 items of `Games`: 4 bytes.
    Games4096,
    /// [`Facts`](super::super::Facts) of each game: 8 bytes.
    Facts,
    /// [`Signature::pawns`](super::signature::Signature) of each game: 8 bytes.
    Pawns,
    /// [`Signature::material`](super::signature::Signature) of each game: 4 bytes.
    Material,
    /// The offset at which each bucket of `Positions` begins, and the end of the last one: 8 bytes.
    Buckets,
    /// The positions that several games have, see [`super::shared`].
    Positions,
    /// The keys of popular positions, and the offsets at which their tables end: 8 and 8 bytes.
    Popular,
    /// The tables of moves of popular positions, see [`super::popular`].
    Tables,
}

/// Number of sections.
pub(super) const SECTIONS: usize = 14;

/// An index is damaged and must no longer be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the index of positions is damaged: remove it, and it is built again")
    }
}

impl std::error::Error for Damaged {}

/// The numbers in a header.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    pub(super) games: u32,
    pub(super) usual: u32,
    pub(super) bucket_bits: u32,
    /// Offset and length of each section.
    pub(super) sections: [(u64, u64); SECTIONS],
}

/// The destination of an index that is being written.
pub(super) enum Output {
    Memory(Vec<u8>),
    File(File),
}

impl Output {
    /// Writes bytes at an offset.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        match self {
            Output::File(file) => file.write_all_at(bytes, offset),
            Output::Memory(memory) => {
                let start = usize::try_from(offset).map_err(|_| io::ErrorKind::OutOfMemory)?;
                let end = start.checked_add(bytes.len()).ok_or(io::ErrorKind::OutOfMemory)?;
                if memory.len() < end {
                    memory.resize(end, 0);
                }
                memory[start..end].copy_from_slice(bytes);
                Ok(())
            }
        }
    }
}

/// The first offset, at or after `end`, at which a section may begin.
pub(super) fn next_page(end: u64) -> u64 {
    end.next_multiple_of(PAGE as u64)
}

/// The offset of the first section of an index with this key.
pub(super) fn begin(key: &[u8]) -> u64 {
    next_page((HEADER + key.len()) as u64)
}

/// Makes a file valid: writes header, key and checksums around the sections, which have been written already.
///
/// # Errors
/// If reading or writing fails.
pub(super) fn seal(file: &File, numbers: &Numbers, key: &[u8]) -> io::Result<()> {
    let end = numbers
        .sections
        .iter()
        .map(|(at, len)| at + len)
        .max()
        .unwrap_or(0);
    let sums_at = next_page(end);
    file.set_len(sums_at)?;
    let map = Mapped::of(file.try_clone()?, Path::new(""))?;
    let data = map.get(begin(key) as usize..).unwrap_or_default();
    let sums: Vec<u8> = data
        .chunks(BLOCK)
        .flat_map(|block| xxh3_64(block).to_le_bytes())
        .collect();
    let mut header = header(numbers, key, sums_at);
    header.extend(checksum(&header, key, &sums).to_le_bytes());
    header.extend(key);
    file.write_all_at(&sums, sums_at)?;
    file.write_all_at(&header, 0)
}

/// The header up to its checksum.
fn header(numbers: &Numbers, key: &[u8], sums_at: u64) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    let fields = [
        VERSION,
        key.len() as u32,
        numbers.games,
        numbers.usual,
        numbers.bucket_bits,
        0,
    ];
    header.extend(fields.into_iter().flat_map(u32::to_le_bytes));
    for (at, len) in numbers.sections {
        header.extend(at.to_le_bytes());
        header.extend(len.to_le_bytes());
    }
    header.extend(sums_at.to_le_bytes());
    header
}

fn checksum(header: &[u8], key: &[u8], sums: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    [header, key, sums]
        .into_iter()
        .for_each(|bytes| hash.update(bytes));
    hash.digest()
}

/// The sections of an index, for reading.
pub(super) struct Sections {
    data: Data,
    pub(super) numbers: Numbers,
}

// Each index has only one value of this type.
#[allow(clippy::large_enum_variant)]
enum Data {
    Memory(Vec<u8>),
    File {
        map: Mapped,
        begin: usize,
        sums: usize,
        /// A bit for each block, set once the block has been checked.
        checked: Vec<AtomicU64>,
    },
}

impl Sections {
    /// Sections in memory.
    pub(super) fn in_memory(bytes: Vec<u8>, numbers: Numbers) -> Sections {
        Sections {
            data: Data::Memory(bytes),
            numbers,
        }
    }

    /// The sections written to a file so far. They are not checked.
    ///
    /// # Errors
    /// If mapping the file fails.
    pub(super) fn being_written(file: &File, numbers: Numbers) -> io::Result<Sections> {
        // The open file is mapped, so the path is not needed.
        let map = Mapped::of(file.try_clone()?, Path::new(""))?;
        let blocks = map.len().div_ceil(BLOCK);
        Ok(Sections {
            data: Data::File {
                begin: 0,
                sums: map.len(),
                map,
                checked: (0..blocks.div_ceil(64))
                    .map(|_| AtomicU64::new(u64::MAX))
                    .collect(),
            },
            numbers,
        })
    }

    /// The bytes of sections in memory.
    pub(super) fn into_memory(self) -> Option<Vec<u8>> {
        match self.data {
            Data::Memory(bytes) => Some(bytes),
            Data::File { .. } => None,
        }
    }

    /// Opens a file if it is a complete index with this key.
    ///
    /// # Errors
    /// The reason why it is not.
    pub(super) fn open(file: File, path: &Path, key: &[u8]) -> Result<Sections, String> {
        let map = Mapped::of(file, path).map_err(|error| error.to_string())?;
        let (begin, sums, numbers) = read_header(&map, key)?;
        let blocks = (sums - begin).div_ceil(BLOCK);
        let checked = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Sections {
            data: Data::File {
                map,
                begin,
                sums,
                checked,
            },
            numbers,
        })
    }

    /// Length of a section in bytes.
    pub(super) fn len(&self, section: Section) -> usize {
        self.numbers.sections[section as usize].1 as usize
    }

    /// Bytes of a section.
    pub(super) fn get(&self, section: Section, start: usize, len: usize) -> Result<&[u8], Damaged> {
        let (at, section_len) = self.numbers.sections[section as usize];
        let end = start.checked_add(len).ok_or(Damaged)?;
        if end > section_len as usize {
            return Err(Damaged);
        }
        let range = at as usize + start..at as usize + end;
        match &self.data {
            Data::Memory(bytes) => bytes.get(range).ok_or(Damaged),
            Data::File {
                map,
                begin,
                sums,
                checked,
            } => {
                if len > 0 {
                    let first = (range.start.checked_sub(*begin).ok_or(Damaged)?) / BLOCK;
                    let last = (range.end - 1 - begin) / BLOCK;
                    for block in first..=last {
                        check(map, *begin, *sums, checked, block)?;
                    }
                }
                let bytes = map.get(range).ok_or(Damaged)?;
                // If the file is cut meanwhile, the missing bytes read as zeros.
                match map.is_lost() {
                    true => Err(Damaged),
                    false => Ok(bytes),
                }
            }
        }
    }

    /// All bytes of a section.
    pub(super) fn all(&self, section: Section) -> Result<&[u8], Damaged> {
        self.get(section, 0, self.len(section))
    }

    /// The four-byte integer at a place in a section.
    #[inline]
    pub(super) fn u32(&self, section: Section, place: usize) -> Result<u32, Damaged> {
        le_u32(self.get(section, place * 4, 4)?, 0).ok_or(Damaged)
    }

    /// The eight-byte integer at a place in a section.
    #[inline]
    pub(super) fn u64(&self, section: Section, place: usize) -> Result<u64, Damaged> {
        le_u64(self.get(section, place * 8, 8)?, 0).ok_or(Damaged)
    }
}

/// Checks a block when it is first used.
#[inline]
fn check(
    map: &Mapped,
    begin: usize,
    sums: usize,
    checked: &[AtomicU64],
    block: usize,
) -> Result<(), Damaged> {
    let word = checked.get(block / 64).ok_or(Damaged)?;
    let bit = 1 << (block % 64);
    if word.load(Ordering::Acquire) & bit != 0 {
        return Ok(());
    }
    let start = begin + block * BLOCK;
    let bytes = map.get(start..(start + BLOCK).min(sums)).ok_or(Damaged)?;
    if le_u64(map, sums + 8 * block) != Some(xxh3_64(bytes)) {
        return Err(Damaged);
    }
    word.fetch_or(bit, Ordering::Release);
    Ok(())
}

/// The offsets at which the sections begin and end, and the numbers in a header.
fn read_header(bytes: &[u8], wanted: &[u8]) -> Result<(usize, usize, Numbers), String> {
    let number = |at| le_u32(bytes, at).unwrap_or(0);
    if bytes.get(..MAGIC.len()) != Some(MAGIC) || number(8) != VERSION {
        return Err("of another version".to_owned());
    }
    let key = bytes.get(HEADER..HEADER.saturating_add(number(12) as usize));
    if key != Some(wanted) {
        return Err("of another state of the database, or another program".to_owned());
    }
    let offset = |at| le_u64(bytes, at).and_then(|offset| usize::try_from(offset).ok());
    let (begin, sums) = (begin(wanted) as usize, offset(SUMS).unwrap_or(0));
    let (header, sums_bytes) = (bytes.get(..CHECKSUM), bytes.get(sums..));
    let (Some(header), Some(sums_bytes)) = (header, sums_bytes) else {
        return Err("cut".to_owned());
    };
    let is_whole = sums >= begin && sums_bytes.len() == (sums - begin).div_ceil(BLOCK) * 8;
    if !is_whole || le_u64(bytes, CHECKSUM) != Some(checksum(header, wanted, sums_bytes)) {
        return Err("damaged".to_owned());
    }
    let mut numbers = Numbers {
        games: number(16),
        usual: number(20),
        bucket_bits: number(24),
        ..Numbers::default()
    };
    for (n, section) in numbers.sections.iter_mut().enumerate() {
        let at = TABLE + 16 * n;
        *section = (le_u64(bytes, at).unwrap_or(0), le_u64(bytes, at + 8).unwrap_or(0));
    }
    let is_inside = |&(at, len): &(u64, u64)| at.checked_add(len).is_some_and(|end| end <= sums as u64);
    if !numbers.sections.iter().all(is_inside) || numbers.usual > numbers.games || numbers.bucket_bits > 32 {
        return Err("damaged".to_owned());
    }
    Ok((begin, sums, numbers))
}
