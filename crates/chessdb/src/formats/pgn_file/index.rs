//! The index of a file: the results of a scan, as bytes that can be stored (section 6).
//!
//! Integers are little endian. Rows are written while the file is scanned, so the data shared by all rows comes last.
//!
//! | bytes | what |
//! |---|---|
//! | [`super::row`] | a row for each game |
//! | 4 each | places of names, their texts ([`super::names`]) |
//! | 8 each | offsets of games that begin in an unclosed comment |
//! | 8 each | XXH3-64 of each piece of the file ([`super::grown`]) |
//! | 48 | the numbers of the next table |
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
//! | 40 | 8 | `pgnindex` |
//!
//! The rows of a stored index are read where they are stored, and everything else is copied into memory. So damage in
//! rows may be found at any time, and other damage only when the index is opened.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use super::grown::Pieces;
use super::names::{Names, name_at};
use super::row::{Row, row_len};
use crate::bytes::{le_u32, le_u64};
use crate::files::Bytes;

const MAGIC: &[u8; 8] = b"pgnindex";
const FOOTER: usize = 48;

/// Number of rows that are copied at a time.
const BLOCK: u32 = 1024;

/// The index of a file.
#[derive(Debug)]
pub(super) struct Index {
    rows: Arc<dyn Bytes>,
    len: u32,
    width: usize,
    /// Everything after the rows.
    rest: Vec<u8>,
    /// Parts of the rest.
    places: Range<usize>,
    texts: Range<usize>,
    unclosed: Range<usize>,
    pieces: Range<usize>,
    /// Length of the file in bytes.
    pub(super) file_len: u64,
    /// The byte that ends lines.
    pub(super) line_end: u8,
}

/// Writes an index.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    width: usize,
    games: u32,
}

impl<'a> Writer<'a> {
    /// Creates a writer of rows with `width` bytes for numbers of names.
    pub(super) fn new(out: &'a mut dyn Write, width: usize) -> Writer<'a> {
        Writer { out, width, games: 0 }
    }

    /// Appends rows.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn rows(&mut self, rows: impl Iterator<Item = Row>) -> io::Result<()> {
        let mut bytes = Vec::new();
        for row in rows {
            row.write(self.width, &mut bytes);
            self.games += 1;
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

    /// Appends the data shared by all rows.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn finish(self, names: &Names, unclosed: &[u64], file: &Shared) -> io::Result<()> {
        let number = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let mut rest = [names.places.as_slice(), &names.texts].concat();
        rest.extend(
            unclosed
                .iter()
                .chain(&file.pieces.hashes)
                .flat_map(|number| number.to_le_bytes()),
        );
        let numbers = [
            self.games,
            names.len,
            number(names.texts.len()),
            number(unclosed.len()),
            number(self.width),
            number(file.pieces.hashes.len()),
            file.pieces.next,
            u32::from(file.line_end),
        ];
        rest.extend(file.len.to_le_bytes());
        rest.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
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

/// Length of all rows in bytes, from the last table of an index.
fn rows_len(footer: &[u8]) -> Option<usize> {
    let [games, width] = [le_u32(footer, 8)?, le_u32(footer, 24)?];
    (games as usize).checked_mul(row_len((width as usize).min(4)))
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
        let rows = rows_len(bytes.part(footer..bytes.len())?)?;
        let rest = bytes.part(rows..bytes.len())?.to_vec();
        Index::of_parts(bytes, rest)
    }

    /// Opens an index in memory.
    pub(super) fn of_memory(mut bytes: Vec<u8>) -> Option<Index> {
        let footer = bytes.len().checked_sub(FOOTER)?;
        let rows = rows_len(bytes.get(footer..)?)?;
        let rest = (rows <= bytes.len()).then(|| bytes.split_off(rows))?;
        bytes.shrink_to_fit();
        Index::of_parts(Arc::new(bytes), rest)
    }

    /// The index with these rows, and with everything after them as `rest`.
    fn of_parts(rows: Arc<dyn Bytes>, rest: Vec<u8>) -> Option<Index> {
        let footer = rest.len().checked_sub(FOOTER)?;
        let field = |offset: usize| le_u32(&rest, footer + offset);
        let number = |offset: usize| Some(field(offset)? as usize);
        let [names, texts, unclosed] = [number(12)?, number(16)?, number(20)?];
        let [width, pieces, line_end] = [number(24)?, number(28)?, number(36)?];
        let after = |start: usize, len: Option<usize>| Some(start..start.checked_add(len?)?);
        let places = after(0, names.div_ceil(16).checked_mul(4))?;
        let texts = after(places.end, Some(texts))?;
        let unclosed = after(texts.end, unclosed.checked_mul(8))?;
        let pieces = after(unclosed.end, pieces.checked_mul(8))?;
        let is_whole =
            pieces.end == footer && (3..=4).contains(&width) && rest.get(footer + 40..) == Some(&MAGIC[..]);
        let len = field(8).filter(|_| is_whole)?;
        Some(Index {
            rows,
            len,
            width,
            places,
            texts,
            unclosed,
            pieces,
            file_len: le_u64(&rest, footer)?,
            line_end: u8::try_from(line_end).ok()?,
            rest,
        })
    }

    /// Number of games.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The row of a game; `None` if it is damaged.
    #[inline]
    pub(super) fn row(&self, game: u32) -> Option<Row> {
        if game >= self.len {
            return None;
        }
        let len = row_len(self.width);
        let place = game as usize * len;
        Row::read(self.rows.part(place..place + len)?, self.width)
    }

    /// A name by its number.
    pub(super) fn name(&self, number: u32) -> Option<String> {
        let places = self.rest.get(self.places.clone())?;
        name_at(places, self.rest.get(self.texts.clone())?, number)
    }

    /// All names.
    pub(super) fn names(&self) -> Names {
        let part = |range: &Range<usize>| self.rest.get(range.clone()).unwrap_or_default();
        Names::of_parts(part(&self.places), part(&self.texts))
    }

    /// Offsets of games that start in an unclosed comment.
    pub(super) fn unclosed(&self) -> Vec<u64> {
        self.numbers(&self.unclosed)
    }

    /// The hashes of the pieces of the file.
    pub(super) fn pieces(&self) -> Pieces {
        let next = self.rest.len().checked_sub(FOOTER - 32);
        Pieces {
            hashes: self.numbers(&self.pieces),
            next: next.and_then(|next| le_u32(&self.rest, next)).unwrap_or(0),
        }
    }

    fn numbers(&self, range: &Range<usize>) -> Vec<u64> {
        let bytes = self.rest.get(range.clone()).unwrap_or_default();
        bytes
            .chunks_exact(8)
            .filter_map(|number| le_u64(number, 0))
            .collect()
    }
}
