//! The layout of kept files: a header, sections of bytes and of little-endian integers, and a checksum for each block of
//! them. Files are mapped.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `pgnfs kf` |
//! | 8 | 4 | version of this layout |
//! | 12 | 4 | *k*, bytes of the key |
//! | 16 | 4 each | four [numbers](Numbers::own) |
//! | 32 | 16 each | offset and length of each of 14 sections; the length is 0 for sections that the file does not have |
//! | 256 | 8 | offset of the checksums |
//! | 264 | 8 | XXH3-64 of the header up to here, the key and the checksums |
//! | 272 | *k* | the key: everything that determines the sections |
//! | a multiple of 4096 | | the sections, in blocks of 64 KiB |
//! | | 8 each | the checksums: XXH3-64 of each block |
//!
//! The header is checked when the file is opened, and a block when it is first used. So a file of any size opens at
//! once, but every read may find damage, and the caller must then do without the file.

mod checked;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{Ordering, fence};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::mapped::Mapped;
use checked::Checked;
use chessdb::bytes::{le_u32, le_u64};

const MAGIC: [u8; 8] = *b"pgnfs kf";
const VERSION: u32 = 1;
const HEADER: usize = 272;
const TABLE: usize = 32;
const SUMS: usize = 256;
const CHECKSUM: usize = 264;
/// Sections start at a multiple of this.
const PAGE: usize = 4096;
const BLOCK: usize = 64 << 10;

/// Maximum number of sections.
const SECTIONS: usize = 14;

/// The sections of a kind of file.
pub trait SectionId: Copy {
    /// The place of a section among all, below 14.
    fn place(self) -> usize;

    /// False for numbers that no valid file has.
    fn are_valid(numbers: &Numbers) -> bool;
}

/// A file is damaged and must no longer be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a file in the cache folder is damaged: remove it, and it is made again")
    }
}

impl std::error::Error for Damaged {}

/// The numbers in a header: where the sections are, and four for the kind of file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// Four numbers whose meaning depends on the kind of file.
    pub own: [u32; 4],
    /// Offset and length of each section.
    pub sections: [(u64, u64); SECTIONS],
}

/// The destination of sections that are being written.
pub enum Output {
    /// Memory, which grows as necessary.
    Memory(Vec<u8>),
    /// A file.
    File(File),
}

impl Output {
    /// Writes bytes at an offset.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
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

    /// Reads bytes that were written at an offset.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        match self {
            Output::File(file) => file.read_exact_at(bytes, offset),
            Output::Memory(memory) => {
                let written = usize::try_from(offset).ok().and_then(|start| memory.get(start..));
                let written = written.and_then(|written| written.get(..bytes.len()));
                bytes.copy_from_slice(written.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

/// The first offset, at or after `end`, where a section may start.
pub fn next_page(end: u64) -> u64 {
    end.next_multiple_of(PAGE as u64)
}

/// The offset of the first section of a file with this key.
pub fn begin(key: &[u8]) -> u64 {
    next_page((HEADER + key.len()) as u64)
}

/// Makes a file valid: writes header, key and checksums around the sections, which must have been written already.
///
/// # Errors
/// If reading or writing fails.
pub fn seal(file: &File, numbers: &Numbers, key: &[u8]) -> io::Result<()> {
    let end = numbers
        .sections
        .iter()
        .map(|(at, len)| at + len)
        .max()
        .unwrap_or(0);
    let sums_at = next_page(end);
    file.set_len(sums_at)?;
    let mut sums = Vec::new();
    let mut block = vec![0; BLOCK];
    for at in (begin(key)..sums_at).step_by(BLOCK) {
        block.truncate((sums_at - at) as usize);
        file.read_exact_at(&mut block, at)?;
        sums.extend(xxh3_64(&block).to_le_bytes());
    }
    let mut header = header(numbers, key, sums_at);
    header.extend(checksum(&header, key, &sums).to_le_bytes());
    header.extend(key);
    file.write_all_at(&sums, sums_at)?;
    file.write_all_at(&header, 0)
}

/// The header up to its checksum.
fn header(numbers: &Numbers, key: &[u8], sums_at: u64) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    let fields = [VERSION, key.len() as u32].into_iter().chain(numbers.own);
    header.extend(fields.flat_map(u32::to_le_bytes));
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

/// Sections, for reading.
pub struct Sections<P> {
    data: Data,
    numbers: Numbers,
    parts: PhantomData<fn(P)>,
}

enum Data {
    Memory(Vec<u8>),
    /// A file that is being written.
    Unchecked(Box<Mapped>),
    File(Box<Checked>),
}

impl<P: SectionId> Default for Sections<P> {
    /// Empty sections in memory.
    fn default() -> Sections<P> {
        Sections::in_memory(Vec::new(), Numbers::default())
    }
}

impl<P: SectionId> Sections<P> {
    /// Sections in memory.
    pub fn in_memory(bytes: Vec<u8>, numbers: Numbers) -> Sections<P> {
        Sections::new(Data::Memory(bytes), numbers)
    }

    fn new(data: Data, numbers: Numbers) -> Sections<P> {
        Sections {
            data,
            numbers,
            parts: PhantomData,
        }
    }

    /// The sections written to a file so far. They are not checked.
    ///
    /// # Errors
    /// If mapping the file fails.
    pub fn being_written(file: &File, numbers: Numbers) -> io::Result<Sections<P>> {
        let map = Mapped::of_kept(file.try_clone()?)?;
        Ok(Sections::new(Data::Unchecked(Box::new(map)), numbers))
    }

    /// The bytes of sections in memory.
    pub fn into_memory(self) -> Option<Vec<u8>> {
        match self.data {
            Data::Memory(bytes) => Some(bytes),
            Data::Unchecked(_) | Data::File(_) => None,
        }
    }

    /// Number of bytes of all sections.
    pub fn bytes(&self) -> usize {
        self.numbers.sections.iter().map(|&(_, len)| len as usize).sum()
    }

    /// The memory in bytes that sections take if they are not in a file.
    pub fn memory(&self) -> usize {
        match &self.data {
            Data::Memory(bytes) => bytes.capacity(),
            Data::Unchecked(_) | Data::File(_) => 0,
        }
    }

    /// Adds a section, which must not exist yet, to the sections in memory.
    pub fn append(&mut self, section: P, section_bytes: Vec<u8>) {
        if let Data::Memory(bytes) = &mut self.data {
            self.numbers.sections[section.place()] = (bytes.len() as u64, section_bytes.len() as u64);
            if bytes.is_empty() {
                *bytes = section_bytes
            } else {
                bytes.extend(section_bytes)
            }
        }
    }

    /// Removes a section from those in memory.
    pub fn remove(&mut self, section: P) {
        if let Data::Memory(bytes) = &mut self.data {
            let (at, len) = std::mem::take(&mut self.numbers.sections[section.place()]);
            bytes.drain(at as usize..(at + len) as usize);
            let behind = self.numbers.sections.iter_mut().filter(|(other, _)| *other > at);
            behind.for_each(|(other, _)| *other -= len);
        }
    }

    /// Frees memory that sections do not need.
    pub fn shrink(&mut self) {
        if let Data::Memory(bytes) = &mut self.data {
            bytes.shrink_to_fit();
        }
    }

    /// Writes sections in memory to an empty file.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, file: &File, key: &[u8]) -> io::Result<()> {
        let Data::Memory(bytes) = &self.data else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let begin = begin(key);
        let mut numbers = self.numbers;
        numbers.sections.iter_mut().for_each(|(at, _)| *at += begin);
        file.write_all_at(bytes, begin)?;
        seal(file, &numbers, key)
    }

    /// Opens a file if it is complete and `is_wanted` returns true for its key.
    ///
    /// # Errors
    /// The reason why it is not.
    pub fn open(file: File, is_wanted: impl FnOnce(&[u8]) -> bool) -> Result<Sections<P>, String> {
        let map = Mapped::of_kept(file).map_err(|error| error.to_string())?;
        let Header { range, sums, numbers } = read_header::<P>(&map, is_wanted)?;
        let file = Checked::new(map, range, sums);
        Ok(Sections::new(Data::File(Box::new(file)), numbers))
    }

    /// Reads a whole file of at most `most` bytes into memory, if it is sound and `is_wanted` returns true for its key.
    ///
    /// # Errors
    /// The reason why it is not.
    pub fn read(
        mut file: File,
        most: u64,
        is_wanted: impl FnOnce(&[u8]) -> bool,
    ) -> Result<Sections<P>, String> {
        let text = |error: io::Error| error.to_string();
        let len = file.metadata().map_err(text)?.len();
        if len > most {
            return Err("larger than a valid one".to_owned());
        }
        let mut bytes = Vec::with_capacity(len as usize);
        file.by_ref().take(most).read_to_end(&mut bytes).map_err(text)?;
        let Header { range, sums, numbers } = read_header::<P>(&bytes, is_wanted)?;
        let blocks = bytes.get(range).unwrap_or_default().chunks(BLOCK);
        if !blocks.map(xxh3_64).eq(sums) {
            return Err("damaged".to_owned());
        }
        Ok(Sections::in_memory(bytes, numbers))
    }

    /// The numbers in the header.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// Length of a section in bytes.
    pub fn len(&self, section: P) -> usize {
        self.numbers.sections[section.place()].1 as usize
    }

    /// Bytes of a section.
    ///
    /// # Errors
    /// If they are damaged, or not in the section.
    pub fn get(&self, section: P, start: usize, len: usize) -> Result<&[u8], Damaged> {
        let (at, section_len) = self.numbers.sections[section.place()];
        let end = start.checked_add(len).ok_or(Damaged)?;
        if end > section_len as usize {
            return Err(Damaged);
        }
        let range = at as usize + start..at as usize + end;
        match &self.data {
            Data::Memory(bytes) => bytes.get(range).ok_or(Damaged),
            Data::Unchecked(map) => map.get(range).ok_or(Damaged),
            Data::File(file) => file.get(range),
        }
    }

    /// All bytes of a section, which may be damaged.
    pub fn unchecked(&self, section: P) -> &[u8] {
        let (at, len) = self.numbers.sections[section.place()];
        let bytes = match &self.data {
            Data::Memory(bytes) => bytes,
            Data::Unchecked(map) => &***map,
            Data::File(file) => &*file.map,
        };
        bytes.get(at as usize..(at + len) as usize).unwrap_or_default()
    }

    /// All bytes of a section.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn all(&self, section: P) -> Result<&[u8], Damaged> {
        self.get(section, 0, self.len(section))
    }

    /// The four-byte integer at a place in a section.
    ///
    /// # Errors
    /// If it is damaged, or not in the section.
    #[inline]
    pub fn u32(&self, section: P, place: usize) -> Result<u32, Damaged> {
        let start = place.checked_mul(4).ok_or(Damaged)?;
        le_u32(self.get(section, start, 4)?, 0).ok_or(Damaged)
    }

    /// The eight-byte integer at a place in a section.
    ///
    /// # Errors
    /// If it is damaged, or not in the section.
    #[inline]
    pub fn u64(&self, section: P, place: usize) -> Result<u64, Damaged> {
        let start = place.checked_mul(8).ok_or(Damaged)?;
        le_u64(self.get(section, start, 8)?, 0).ok_or(Damaged)
    }

    /// True if bytes beyond the end of the file were read, as zeros. Then the caller must not trust anything read
    /// before this call.
    #[inline]
    pub fn is_lost(&self) -> bool {
        // The fence orders the caller's reads before this check. Otherwise a read could happen after it, and its zeros
        // would go unnoticed.
        fence(Ordering::Acquire);
        match &self.data {
            Data::Memory(_) => false,
            Data::Unchecked(map) => map.is_lost(),
            Data::File(file) => file.map.is_lost(),
        }
    }
}

/// The contents of a file's header.
struct Header {
    /// The bytes of all sections.
    range: Range<usize>,
    /// The checksums of their blocks.
    sums: Vec<u64>,
    numbers: Numbers,
}

/// Reads the header of a file. Its bytes are copied first, because the file may change at any time.
fn read_header<P: SectionId>(bytes: &[u8], is_wanted: impl FnOnce(&[u8]) -> bool) -> Result<Header, String> {
    let header = bytes.get(..HEADER).ok_or("cut")?.to_vec();
    let number = |at| le_u32(&header, at).unwrap_or(0);
    if !header.starts_with(&MAGIC) || number(8) != VERSION {
        return Err("made by another version".to_owned());
    }
    let key = bytes.get(HEADER..HEADER.saturating_add(number(12) as usize));
    let key = key.ok_or("cut")?.to_vec();
    if !is_wanted(&key) {
        return Err("made from another state of the database, or by another program".to_owned());
    }
    let sums_at = le_u64(&header, SUMS).and_then(|offset| usize::try_from(offset).ok());
    let range = begin(&key) as usize..sums_at.unwrap_or(0);
    let sums = bytes.get(range.end..).ok_or("cut")?;
    if range.end < range.start || sums.len() != range.len().div_ceil(BLOCK) * 8 {
        return Err("damaged".to_owned());
    }
    let sums = sums.to_vec();
    let fields = header.get(..CHECKSUM).unwrap_or_default();
    if le_u64(&header, CHECKSUM) != Some(checksum(fields, &key, &sums)) {
        return Err("damaged".to_owned());
    }
    let mut numbers = Numbers {
        own: [16, 20, 24, 28].map(number),
        ..Numbers::default()
    };
    for (n, section) in numbers.sections.iter_mut().enumerate() {
        let at = TABLE + 16 * n;
        *section = (
            le_u64(&header, at).unwrap_or(0),
            le_u64(&header, at + 8).unwrap_or(0),
        );
    }
    let (start, end) = (range.start as u64, range.end as u64);
    let is_inside = |&(at, len): &(u64, u64)| {
        len == 0 || at >= start && at.checked_add(len).is_some_and(|after| after <= end)
    };
    if !numbers.sections.iter().all(is_inside) || !P::are_valid(&numbers) {
        return Err("damaged".to_owned());
    }
    let sums = sums.chunks_exact(8).filter_map(|sum| le_u64(sum, 0)).collect();
    Ok(Header { range, sums, numbers })
}
