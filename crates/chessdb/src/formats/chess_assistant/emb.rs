//! The `.emb` file: a small file system with the names of players, events, places and sources (section 3).
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 64 | signature, filled with zeros |
//! | 64 | 64 | version, filled with zeros |
//! | 136 | 4 | length of the root directory |
//! | 140 | 4 | offset of its fragment table |
//!
//! The fragment table of a file has pairs of fragment length and fragment offset. The fragments in the order of the
//! table are the bytes of the file. The root directory is read like any file. It has entries of 256 bytes: 0, 2,
//! length, table, 12 bytes, name.

use std::borrow::Cow;

use crate::bytes::{index, le_u32};
use crate::files::SourceFile;
use crate::problem::Problem;
use crate::text::utf8_lossy;

const ROOT: usize = 136;
/// Number of bytes with the place of the root directory.
pub(super) const HEADER: usize = ROOT + 8;
const ENTRY: u32 = 256;
/// Offset of the name in an entry.
const NAME: usize = 28;

/// An open mini file system; if the file is missing, it contains no files.
#[derive(Default)]
pub(super) struct Emb {
    source: Option<SourceFile>,
    files: Vec<MiniFile>,
}

/// A file of the mini file system.
pub(super) struct MiniFile {
    /// The bytes of its name.
    pub(super) name: Vec<u8>,
    fragments: Fragments,
}

impl MiniFile {
    pub(super) fn size(&self) -> u64 {
        self.fragments.size.into()
    }
}

impl Emb {
    pub(super) fn open(source: Option<&SourceFile>, problems: &mut Vec<Problem>) -> Emb {
        let Some(source) = source.filter(|source| !source.bytes.is_empty()) else {
            return Emb::default();
        };
        let mut emb = Emb {
            source: Some(source.clone()),
            files: Vec::new(),
        };
        let data: &[u8] = &source.bytes;
        let (Some(length), Some(table)) = (le_u32(data, ROOT), le_u32(data, ROOT + 4)) else {
            problems.push(Problem::damage(
                &source.name,
                0,
                "the file is too short to hold names",
            ));
            return emb;
        };
        let mut tables = Tables::new(source);
        let root = tables.read(length, table, "the root directory");
        for entry in 0..root.size / ENTRY {
            // Stops if more entries were skipped than the file has bytes of data.
            if tables.skipped as usize > source.data_len() || source.bytes.is_lost() {
                break;
            }
            let entry = root.read(data, entry * ENTRY, ENTRY);
            tables.entry(&entry, &mut emb.files);
        }
        if !root.size.is_multiple_of(ENTRY) {
            tables
                .warnings
                .push(format!("{} bytes end the root directory", root.size % ENTRY));
        }
        if tables.skipped > 0 {
            tables.warnings.push(format!(
                "{} invalid entries of the root directory skipped",
                tables.skipped
            ));
        }
        let damage = tables.warnings.into_iter();
        problems.extend(damage.map(|what| Problem::damage(&source.name, None, what)));
        emb
    }

    fn data(&self) -> &[u8] {
        self.source.as_ref().map(|file| &**file.bytes).unwrap_or_default()
    }

    pub(super) fn files(&self) -> &[MiniFile] {
        &self.files
    }

    /// The first file with this name, ignoring case.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.files
            .iter()
            .position(|file| file.name.eq_ignore_ascii_case(name.as_bytes()))
    }

    pub(super) fn size(&self, file: usize) -> u32 {
        self.files.get(file).map_or(0, |file| file.fragments.size)
    }

    /// Reads bytes of a file, fewer at its end. They are copied only if they are in several fragments.
    #[inline]
    pub(super) fn read(&self, file: usize, offset: u32, len: u32) -> Cow<'_, [u8]> {
        match self.files.get(file) {
            Some(file) => file.fragments.read(self.data(), offset, len),
            None => Cow::Borrowed(&[]),
        }
    }

    /// Copies bytes of a file from `offset` into `buffer`; `None` if the file does not exist.
    pub(super) fn copy(&self, file: usize, offset: u64, buffer: &mut [u8]) -> Option<usize> {
        let fragments = &self.files.get(file)?.fragments;
        let mut copied = 0;
        while let Some(rest) = buffer.get_mut(copied..).filter(|rest| !rest.is_empty()) {
            let Ok(at) = u32::try_from(offset.saturating_add(copied as u64)) else {
                break;
            };
            let piece = fragments.piece(self.data(), at);
            let len = piece.len().min(rest.len());
            if len == 0 {
                break;
            }
            rest.iter_mut().zip(piece).for_each(|(to, from)| *to = *from);
            copied += len;
        }
        Some(copied)
    }
}

/// The places of a file's bytes.
#[derive(Default)]
struct Fragments {
    /// The fragments in the order of the file. They are not empty, and they are inside the EMB.
    all: Vec<Fragment>,
    size: u32,
}

#[derive(Clone, Copy)]
struct Fragment {
    /// Its offset in the file.
    start: u32,
    /// Its offset in the EMB.
    at: u32,
}

impl Fragments {
    /// The bytes from `offset` to the end of their fragment; empty after the end of the file.
    #[inline]
    fn piece<'d>(&self, data: &'d [u8], offset: u32) -> &'d [u8] {
        self.find(offset)
            .and_then(|number| {
                let fragment = self.all.get(number)?;
                let end = self.all.get(number + 1).map_or(self.size, |next| next.start);
                let from = index(u64::from(fragment.at) + u64::from(offset - fragment.start));
                data.get(from..)?.get(..index((end - offset).into()))
            })
            .unwrap_or_default()
    }

    #[inline]
    fn read<'d>(&self, data: &'d [u8], offset: u32, len: u32) -> Cow<'d, [u8]> {
        let len = index(len.min(self.size.saturating_sub(offset)).into());
        let piece = self.piece(data, offset);
        if let Some(whole) = piece.get(..len) {
            return Cow::Borrowed(whole);
        }
        let mut joined = Vec::with_capacity(len);
        let mut at = offset;
        while joined.len() < len {
            let piece = self.piece(data, at);
            let Some(part) = piece.get(..piece.len().min(len - joined.len())) else {
                break;
            };
            if part.is_empty() {
                break;
            }
            joined.extend_from_slice(part);
            at = at.saturating_add(u32::try_from(part.len()).unwrap_or(u32::MAX));
        }
        Cow::Owned(joined)
    }

    /// The number of the fragment that contains a byte.
    #[inline]
    fn find(&self, offset: u32) -> Option<usize> {
        if offset >= self.size {
            return None;
        }
        // In most files all fragments have the same size, so the number can be computed.
        let guess = u64::from(offset) * self.all.len() as u64 / u64::from(self.size);
        let guess = index(guess);
        for number in [guess, guess.saturating_sub(1)] {
            let begins = self.all.get(number).is_some_and(|found| found.start <= offset);
            let ends = self.all.get(number + 1).is_none_or(|next| offset < next.start);
            if begins && ends {
                return Some(number);
            }
        }
        self.all
            .partition_point(|fragment| fragment.start <= offset)
            .checked_sub(1)
    }
}

/// Fragment tables being read.
struct Tables<'d> {
    source: &'d SourceFile,
    data: &'d [u8],
    /// Number of pairs that may still be read. Tables of undamaged files do not overlap, so they have far
    /// fewer pairs. This limits a directory whose entries share one long table.
    budget: usize,
    skipped: u32,
    warnings: Vec<String>,
}

/// Maximum number of warnings for one file.
const MOST_WARNINGS: usize = 50;

impl<'d> Tables<'d> {
    fn new(source: &'d SourceFile) -> Tables<'d> {
        Tables {
            source,
            data: &source.bytes,
            budget: source.data_len() / 4 + 256,
            skipped: 0,
            warnings: Vec::new(),
        }
    }

    /// Reads the fragments of a file up to the first invalid one (section 3.2). The loop ends because the offset of the
    /// next pair only increases. No length stated in the file is used for allocating.
    fn read(&mut self, length: u32, table: u32, what: &str) -> Fragments {
        let mut fragments = Fragments::default();
        let size = u32::try_from(self.data.len()).unwrap_or(u32::MAX);
        let mut pair = index(table.into());
        while fragments.size < length && !self.source.bytes.is_lost() {
            let (Some(stored), Some(at)) =
                (le_u32(self.data, pair), le_u32(self.data, pair.saturating_add(4)))
            else {
                self.warn(pair, what, "its fragment table leads out of the file");
                break;
            };
            let Some(budget) = self.budget.checked_sub(1) else {
                self.warn(pair, what, "fragment tables overlap without end");
                break;
            };
            self.budget = budget;
            pair += 8;
            let len = stored.min(length - fragments.size);
            if len == 0 {
                continue;
            }
            if u64::from(fragments.size) + u64::from(len) > u64::from(size) {
                self.warn(pair - 8, what, "it is longer than the file that holds it");
                break;
            }
            let inside = len.min(size.saturating_sub(at));
            if inside > 0 {
                fragments.all.push(Fragment {
                    start: fragments.size,
                    at,
                });
                fragments.size += inside;
            }
            if inside < len {
                self.warn(pair - 8, what, "a fragment leads out of the file");
                break;
            }
        }
        fragments.all.shrink_to_fit();
        fragments
    }

    fn warn(&mut self, pair: usize, what: &str, why: &str) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(format!("byte {pair}: {what}: {why}"));
        }
    }

    /// Reads an entry of the root directory (section 3.3).
    fn entry(&mut self, entry: &[u8], files: &mut Vec<MiniFile>) {
        let fields = (
            le_u32(entry, 0),
            le_u32(entry, 4),
            le_u32(entry, 8),
            le_u32(entry, 12),
        );
        let (Some(0), Some(2), Some(length), Some(table)) = fields else {
            self.skipped += 1;
            return;
        };
        let name = entry.get(NAME..).unwrap_or_default();
        let name = name.split(|&c| c == 0).next().unwrap_or_default();
        let fragments = self.read(length, table, &utf8_lossy(name));
        files.push(MiniFile {
            name: name.to_vec(),
            fragments,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn fifty_warnings_are_given() {
        for warnings in [49, 50, 51] {
            let file = SourceFile {
                name: "x.emb".to_owned(),
                bytes: Arc::new(Vec::new()),
            };
            let mut tables = Tables::new(&file);
            for _ in 0..warnings {
                tables.warn(0, "x", "it is damaged");
            }
            assert_eq!(tables.warnings.len(), warnings.min(50));
        }
    }
}
