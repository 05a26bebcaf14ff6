//! The points where unpacking can start, as bytes that can be stored and mapped.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `packidx` and 1 |
//! | 8, 8 | number of packed bytes; hash of the first and the last 4096 of them |
//! | 8 | number of unpacked bytes |
//! | 8, 8 | number of points, bytes of the warnings |
//! | 8 | hash of the fields above, the points and the warnings |
//! | 32 each | points, in order: bit in the file, number of unpacked bytes before it, place and length of its window, hash of the window |
//! | any | warnings, one a line |
//! | any | windows, packed with deflate |

use std::ops::Range;
use std::sync::Arc;

use miniz_oxide::{deflate, inflate};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::inflate::WINDOW;
use super::input::Input;
use super::stream::Damage;
use crate::bytes::{index, le_u32, le_u64, slice};
use crate::files::Bytes;
use crate::text::utf8_lossy;

const MAGIC: &[u8; 8] = b"packidx\x01";
/// Bytes before the points.
const HEADER: usize = 56;
/// Bytes of a point.
const ROW: usize = 32;
/// Number of bytes at each end of the packed file that are hashed.
const ENDS: usize = 4096;

/// Least number of unpacked bytes between two points without windows.
const NEAR: u64 = 1 << 20;
/// Least number of unpacked bytes between two points with windows.
const FAR: u64 = 4 << 20;
/// If all windows together have more bytes than this, every second one is removed.
const MOST_WINDOWS: usize = 64 << 20;
/// Compression level for windows.
const LEVEL: u8 = 6;

/// The unpacked bytes between two points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackedSection {
    /// Number of the section, from 0.
    pub number: u64,
    /// The bit in the file where the section starts.
    pub bit: u64,
    /// The range of unpacked bytes in the section.
    pub range: Range<u64>,
}

/// A point where unpacking can start.
pub(super) struct Point {
    pub bit: u64,
    /// Number of unpacked bytes before the point.
    pub start: u64,
    pub window: Option<Vec<u8>>,
}

/// The points of a file.
#[derive(Clone, Debug)]
pub(super) struct PointIndex {
    bytes: Arc<dyn Bytes>,
    len: u64,
    points: usize,
    /// A copy of the points, because the stored bytes may be damaged at any time. Windows are not copied, because each
    /// has a hash, which is checked on use.
    rows: Vec<u8>,
    warnings: Vec<String>,
}

impl PointIndex {
    /// Opens a stored index; `None` if it belongs to another file or is damaged.
    pub(super) fn of_kept(bytes: Arc<dyn Bytes>, input: &Input) -> Option<PointIndex> {
        let header = bytes.part(0..HEADER)?.to_vec();
        let field = |number: usize| le_u64(&header, 8 + 8 * number);
        let (points, warnings) = (index(field(3)?), index(field(4)?));
        let lines = HEADER.checked_add(points.checked_mul(ROW)?)?;
        let rows = bytes.part(HEADER..lines)?.to_vec();
        let warnings = bytes.part(lines..lines.checked_add(warnings)?)?;
        let is_good = header.starts_with(MAGIC)
            && field(0)? == input.len()
            && field(1)? == hash_of_ends(input)
            && field(5)? == hash(header.get(..HEADER - 8)?, &rows, warnings);
        let warnings = utf8_lossy(warnings).lines().map(str::to_owned).collect();
        let len = field(2)?;
        is_good.then_some(PointIndex {
            bytes,
            len,
            points,
            rows,
            warnings,
        })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Number of points.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    pub(super) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.warnings.iter().cloned()
    }

    /// The section that contains the unpacked byte at `at`, which is below `len()`.
    pub(super) fn section(&self, at: u64) -> Option<PackedSection> {
        let (mut low, mut high) = (0, self.points);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.start(middle)? <= at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let point = low.checked_sub(1)?;
        let end = if low == self.points {
            self.len
        } else {
            self.start(low)?
        };
        let section = PackedSection {
            number: point as u64,
            bit: le_u64(&self.rows, point * ROW)?,
            range: self.start(point)?..end.min(self.len),
        };
        section.range.contains(&at).then_some(section)
    }

    fn start(&self, point: usize) -> Option<u64> {
        le_u64(&self.rows, point * ROW + 8)
    }

    /// The point where unpacking a section starts. If the window of the section's own point is damaged, an earlier
    /// point, which takes more time but gives the same bytes.
    pub(super) fn point(&self, section: &PackedSection) -> Option<Point> {
        let numbers = (0..=section.number).rev().map(index);
        numbers.filter_map(|number| self.good_point(number)).next()
    }

    fn good_point(&self, number: usize) -> Option<Point> {
        let row = number * ROW;
        let place = index(le_u64(&self.rows, row + 16)?);
        let len = index(le_u32(&self.rows, row + 24)?.into());
        let window = match len {
            0 => None,
            _ => {
                let packed = self.bytes.part(place..place.checked_add(len)?)?.to_vec();
                let is_good = short_hash(&packed) == le_u32(&self.rows, row + 28)?;
                let window = inflate::decompress_to_vec_with_limit(&packed, WINDOW);
                Some(window.ok().filter(|_| is_good)?)
            }
        };
        Some(Point {
            bit: le_u64(&self.rows, row)?,
            start: self.start(number)?,
            window,
        })
    }

    /// The bytes to store, including damage found meanwhile.
    pub(super) fn kept(&self, found: &[Damage]) -> Vec<u8> {
        if found.is_empty() {
            return self.bytes.to_vec();
        }
        let lines = HEADER + self.points * ROW;
        let before: usize = self.warnings.iter().map(|line| line.len() + 1).sum();
        let mut points = Points {
            rows: self.rows.clone(),
            windows: self.bytes.get(lines + before..).unwrap_or_default().to_vec(),
            ..Points::default()
        };
        // Until they are written, the places of windows are relative to the first window.
        points.move_windows(0u64.wrapping_sub((lines + before) as u64));
        let found = found.iter().map(Damage::to_string);
        let warnings: Vec<String> = self.warnings.iter().cloned().chain(found).collect();
        let header = self.bytes.get(8..24).unwrap_or_default();
        points.write(header, self.len, &warnings)
    }
}

/// Points that are being collected.
#[derive(Debug, Default)]
pub(super) struct Points {
    rows: Vec<u8>,
    windows: Vec<u8>,
    /// Number of unpacked bytes before the last point.
    last: u64,
    /// Points with windows are `thinned + 1` times as far apart as usual.
    thinned: u64,
}

impl Points {
    /// Adds a point, unless the last one is near.
    pub(super) fn add(&mut self, bit: u64, start: u64) {
        if self.rows.is_empty() || start - self.last >= NEAR {
            self.add_always(bit, start);
        }
    }

    /// Adds a point, even if the last one is near.
    pub(super) fn add_always(&mut self, bit: u64, start: u64) {
        self.push(bit, start, &[]);
    }

    /// Adds a point with a window, unless the last one is near.
    pub(super) fn add_inside(&mut self, bit: u64, start: u64, window: impl FnOnce() -> Vec<u8>) {
        if start - self.last < FAR * (self.thinned + 1) {
            return;
        }
        self.push(bit, start, &deflate::compress_to_vec(&window(), LEVEL));
        if self.windows.len() > MOST_WINDOWS {
            self.thin();
        }
    }

    fn push(&mut self, bit: u64, start: u64, window: &[u8]) {
        let place = self.windows.len() as u64;
        self.rows
            .extend([bit, start, place].map(u64::to_le_bytes).as_flattened());
        let len = u32::try_from(window.len()).unwrap_or_default();
        let fields = [len, short_hash(window)].map(u32::to_le_bytes);
        self.rows.extend(fields.as_flattened());
        self.windows.extend(window);
        self.last = start;
    }

    /// Removes every second point with a window.
    fn thin(&mut self) {
        self.thinned = self.thinned * 2 + 1;
        let (rows, windows) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.windows));
        let mut is_left_out = false;
        for row in rows.chunks_exact(ROW) {
            let [bit, start, place] = [0, 8, 16].map(|at| le_u64(row, at).unwrap_or_default());
            let len = le_u32(row, 24).unwrap_or_default();
            let window = slice(&windows, index(place), index(len.into())).unwrap_or_default();
            is_left_out = len > 0 && !is_left_out;
            if !is_left_out {
                self.push(bit, start, window);
            }
        }
    }

    /// The index of a file with these points.
    pub(super) fn finish(self, input: &Input, len: u64, warnings: Vec<String>) -> PointIndex {
        let header = [input.len(), hash_of_ends(input)].map(u64::to_le_bytes);
        let points = self.rows.len() / ROW;
        let bytes = self.write(header.as_flattened(), len, &warnings);
        let rows = slice(&bytes, HEADER, points * ROW).unwrap_or_default();
        PointIndex {
            rows: rows.to_vec(),
            bytes: Arc::new(bytes),
            len,
            points,
            warnings,
        }
    }

    fn write(mut self, file: &[u8], len: u64, warnings: &[String]) -> Vec<u8> {
        let points = self.rows.len() / ROW;
        let lines: String = warnings.iter().flat_map(|line| [line, "\n"]).collect();
        let fields = [len, points as u64, lines.len() as u64].map(u64::to_le_bytes);
        let header = [MAGIC, file, fields.as_flattened()].concat();
        self.move_windows((HEADER + self.rows.len() + lines.len()) as u64);
        let hash = hash(&header, &self.rows, lines.as_bytes()).to_le_bytes();
        [
            header.as_slice(),
            &hash,
            &self.rows,
            lines.as_bytes(),
            &self.windows,
        ]
        .concat()
    }

    /// Adds `by` to the places of all windows.
    fn move_windows(&mut self, by: u64) {
        for row in self.rows.chunks_exact_mut(ROW) {
            let place = le_u64(row, 16).unwrap_or_default().wrapping_add(by);
            if let Some(field) = row.get_mut(16..24) {
                field.copy_from_slice(&place.to_le_bytes());
            }
        }
    }
}

fn hash(header: &[u8], rows: &[u8], warnings: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    for bytes in [header, rows, warnings] {
        hash.update(bytes);
    }
    hash.digest()
}

fn short_hash(bytes: &[u8]) -> u32 {
    let [a, b, c, d, ..] = xxh3_64(bytes).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

fn hash_of_ends(input: &Input) -> u64 {
    let mut ends = [0; 2 * ENDS];
    let (first, last) = ends.split_at_mut(ENDS);
    input.copy(0, first);
    input.copy(input.len().saturating_sub(ENDS as u64), last);
    xxh3_64(&ends)
}
