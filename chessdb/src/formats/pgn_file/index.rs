//! The index of a file: the results of a scan, as bytes that can be stored (section 6).
//!
//! Integers are little endian. Rows are written while the file is scanned, so the data shared by all rows
//! come last.
//!
//! | bytes | what |
//! |---|---|
//! | [`super::row`] | a row for each game |
//! | 4 each | places of names, their texts ([`super::names`]) |
//! | 8 each | offsets of games that begin in an unclosed comment |
//! | 8 each | XXH3-64 of each 1,024 rows |
//! | 8 each | XXH3-64 of each piece of the file ([`super::grown`]) |
//! | 60 | the numbers of the next table |
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | bytes of the file |
//! | 8 | 4 | number of games |
//! | 12 | 4 | number of names |
//! | 16 | 4 | bytes of the texts of names |
//! | 20 | 4 | number of games that begin in an unclosed comment |
//! | 24 | 4 | bytes of the number of a name in a row, 3 or 4 |
//! | 28 | 4 | number of hashes of pieces of the file |
//! | 32 | 4 | number of the piece with which the next comparison begins |
//! | 36 | 4 | the byte that ends lines |
//! | 40 | 4 | version of this layout |
//! | 44 | 8 | XXH3-64 of everything between the rows and these numbers |
//! | 52 | 8 | `pgnfs pg` |

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::grown::Pieces;
use super::names::{Names, name_at};
use super::row::{Row, row_len};
use crate::bytes::{le_u32, le_u64};
use crate::formats::Bytes;

const MAGIC: &[u8; 8] = b"pgnfs pg";
const VERSION: u32 = 2;
const FOOTER: usize = 60;

/// Number of rows that share a hash.
const BLOCK: u32 = 1024;

/// The index of a file.
#[derive(Debug)]
pub(super) struct Index {
    bytes: Arc<dyn Bytes>,
    len: u32,
    width: usize,
    places: Range<usize>,
    texts: Range<usize>,
    unclosed: Range<usize>,
    hashes: Range<usize>,
    pieces: Range<usize>,
    /// Length of the file in bytes.
    pub(super) file_len: u64,
    /// The byte that ends lines.
    pub(super) line_end: u8,
    /// A bit for each block of rows, set once its hash has been verified.
    sound: Vec<AtomicU64>,
}

/// Writes an index.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    width: usize,
    games: u32,
    block: Xxh3,
    hashes: Vec<u64>,
}

impl<'a> Writer<'a> {
    /// Creates a writer of rows in which numbers of names have `width` bytes.
    pub(super) fn new(out: &'a mut dyn Write, width: usize) -> Writer<'a> {
        Writer {
            out,
            width,
            games: 0,
            block: Xxh3::new(),
            hashes: Vec::new(),
        }
    }

    /// Appends rows.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn rows(&mut self, rows: impl Iterator<Item = Row>) -> io::Result<()> {
        let mut bytes = Vec::new();
        for row in rows {
            let start = bytes.len();
            row.write(self.width, &mut bytes);
            self.block.update(bytes.get(start..).unwrap_or_default());
            self.games += 1;
            if self.games.is_multiple_of(BLOCK) {
                self.end_block();
            }
        }
        self.out.write_all(&bytes)
    }

    /// Appends the first rows of another index.
    ///
    /// # Errors
    /// If writing fails, or if a row is damaged.
    pub(super) fn copy(&mut self, from: &Index, games: u32) -> io::Result<()> {
        for start in (0..games).step_by(BLOCK as usize) {
            let end = games.min(start.saturating_add(BLOCK));
            self.rows((start..end).map_while(|game| from.row(game)))?;
            if self.games < end {
                return Err(io::Error::other("the earlier index is damaged"));
            }
        }
        Ok(())
    }

    fn end_block(&mut self) {
        self.hashes.push(self.block.digest());
        self.block.reset();
    }

    /// Appends the data shared by all rows.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn finish(mut self, names: &Names, unclosed: &[u64], file: &Shared) -> io::Result<()> {
        if !self.games.is_multiple_of(BLOCK) {
            self.end_block();
        }
        let number = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let mut rest = [names.places.as_slice(), &names.texts].concat();
        rest.extend(
            unclosed
                .iter()
                .chain(&self.hashes)
                .chain(&file.pieces.hashes)
                .flat_map(|number| number.to_le_bytes()),
        );
        let hash = xxh3_64(&rest);
        let numbers = [
            self.games,
            names.len,
            number(names.texts.len()),
            number(unclosed.len()),
            number(self.width),
            number(file.pieces.hashes.len()),
            file.pieces.next,
            u32::from(file.line_end),
            VERSION,
        ];
        rest.extend(file.len.to_le_bytes());
        rest.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        rest.extend(hash.to_le_bytes());
        rest.extend(MAGIC);
        self.out.write_all(&rest)
    }
}

/// Data about the file as a whole.
pub(super) struct Shared {
    /// Length of the file in bytes.
    pub(super) len: u64,
    /// The byte that ends lines.
    pub(super) line_end: u8,
    pub(super) pieces: Pieces,
}

impl Index {
    /// Opens the index of a file of this length. `None` if it is damaged or belongs to a file of another
    /// length.
    pub(super) fn open(bytes: Arc<dyn Bytes>, file_len: u64) -> Option<Index> {
        Index::of_any(bytes).filter(|index| index.file_len == file_len)
    }

    /// Opens an index; `None` if it is damaged. Rows are checked when they are read.
    pub(super) fn of_any(bytes: Arc<dyn Bytes>) -> Option<Index> {
        let footer = bytes.len().checked_sub(FOOTER)?;
        let number = |offset: usize| Some(le_u32(&bytes, footer + offset)? as usize);
        let [games, names, texts, unclosed] = [number(8)?, number(12)?, number(16)?, number(20)?];
        let [width, pieces, line_end] = [number(24)?, number(28)?, number(36)?];
        let after = |start: usize, len: Option<usize>| Some(start..start.checked_add(len?)?);
        let rows = games.checked_mul(row_len(width.min(4)))?;
        let places = after(rows, names.div_ceil(16).checked_mul(4))?;
        let texts = after(places.end, Some(texts))?;
        let unclosed = after(texts.end, unclosed.checked_mul(8))?;
        let blocks = games.div_ceil(BLOCK as usize);
        let hashes = after(unclosed.end, blocks.checked_mul(8))?;
        let pieces = after(hashes.end, pieces.checked_mul(8))?;
        let is_whole = pieces.end == footer
            && (3..=4).contains(&width)
            && bytes.get(footer + 52..) == Some(&MAGIC[..])
            && le_u32(&bytes, footer + 40) == Some(VERSION)
            && le_u64(&bytes, footer + 44) == Some(xxh3_64(bytes.get(rows..footer)?));
        let len = le_u32(&bytes, footer + 8).filter(|_| is_whole)?;
        Some(Index {
            len,
            width,
            places,
            texts,
            unclosed,
            hashes,
            pieces,
            file_len: le_u64(&bytes, footer)?,
            line_end: u8::try_from(line_end).ok()?,
            sound: (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            bytes,
        })
    }

    /// Number of games.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The row of a game; `None` if it is damaged.
    #[inline]
    pub(super) fn row(&self, game: u32) -> Option<Row> {
        if game >= self.len || !self.is_sound(game / BLOCK) {
            return None;
        }
        let len = row_len(self.width);
        let place = game as usize * len;
        Row::read(self.bytes.get(place..place + len)?, self.width)
    }

    /// True if the rows of a block match their hash.
    #[inline]
    fn is_sound(&self, block: u32) -> bool {
        let bit = 1 << (block % 64);
        let bits = self.sound.get(block as usize / 64);
        bits.is_some_and(|bits| bits.load(Ordering::Relaxed) & bit != 0 || self.examine(block))
    }

    #[cold]
    fn examine(&self, block: u32) -> bool {
        let len = BLOCK as usize * row_len(self.width);
        let start = block as usize * len;
        let rows = self.bytes.get(start..(start + len).min(self.places.start));
        let hashes = self.bytes.get(self.hashes.clone()).unwrap_or_default();
        let hash = le_u64(hashes, block as usize * 8);
        let is_sound = rows.is_some_and(|rows| Some(xxh3_64(rows)) == hash);
        if let Some(bits) = self.sound.get(block as usize / 64)
            && is_sound
        {
            bits.fetch_or(1 << (block % 64), Ordering::Relaxed);
        }
        is_sound
    }

    /// A name by its number.
    pub(super) fn name(&self, number: u32) -> Option<String> {
        let places = self.bytes.get(self.places.clone())?;
        name_at(places, self.bytes.get(self.texts.clone())?, number)
    }

    /// All names.
    pub(super) fn names(&self) -> Names {
        let part = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        Names::of_parts(part(&self.places), part(&self.texts))
    }

    /// Offsets of games that begin in an unclosed comment.
    pub(super) fn unclosed(&self) -> Vec<u64> {
        self.numbers(&self.unclosed)
    }

    /// The hashes of the pieces of the file.
    pub(super) fn pieces(&self) -> Pieces {
        let next = self.bytes.len().checked_sub(FOOTER - 32);
        Pieces {
            hashes: self.numbers(&self.pieces),
            next: next.and_then(|next| le_u32(&self.bytes, next)).unwrap_or(0),
        }
    }

    fn numbers(&self, range: &Range<usize>) -> Vec<u64> {
        let bytes = self.bytes.get(range.clone()).unwrap_or_default();
        bytes
            .chunks_exact(8)
            .filter_map(|number| le_u64(number, 0))
            .collect()
    }
}
