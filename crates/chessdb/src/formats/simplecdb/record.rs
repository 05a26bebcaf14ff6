//! The game file: boundaries of the records (section 5).
//!
//! `length | marker 00 | body` or `length | marker 01 | FEN length | FEN | body`; the length counts the bytes after it.

use std::borrow::Cow;

use super::index::Index;
use super::length;
use crate::bytes::{index as place, slice};
use crate::files::{MOST_ENTRIES, SourceFile};
use crate::problem::Problem;
use crate::text::utf8_line;

pub(super) const MAGIC: &[u8] = b"SimpleCDbg";

/// Maximum number of bytes of one record that are read (section 7.5).
const LIMIT: usize = 16 << 20;

/// The game file and the form of its lengths.
pub(super) struct Records {
    file: Option<SourceFile>,
    /// If lengths are reversed, the offsets of all records in ascending order (section 5.3): a record ends
    /// where the next one begins.
    reversed: Option<Vec<u64>>,
}

/// Damage at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    /// Offset in the game file; may be outside.
    pub(super) offset: u64,
    pub(super) reason: Cow<'static, str>,
}

impl Damage {
    pub(super) fn new(offset: u64, reason: impl Into<Cow<'static, str>>) -> Damage {
        Damage {
            offset,
            reason: reason.into(),
        }
    }
}

/// The bytes of one record after its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// Marker, FEN and body; fewer bytes if the file ends earlier.
    pub(super) bytes: &'a [u8],
    /// Their offset in the file.
    pub(super) start: u64,
    /// Why the record is incomplete; `None` if it is complete.
    pub(super) cut: Option<&'static str>,
}

/// A record's start position and its moves.
pub(super) struct Parts {
    /// `None` for the normal start position.
    pub(super) fen: Option<String>,
    /// Offset of the body in [`Record::bytes`].
    pub(super) body: usize,
}

/// Names of the files, which may be missing.
pub(super) struct FileNames {
    pub(super) dci: String,
    pub(super) dcg: String,
}

/// Opens index and game file together, because each is needed to interpret the other.
pub(super) fn open(
    dci: Option<&SourceFile>,
    dcg: Option<&SourceFile>,
    names: &FileNames,
    warnings: &mut Vec<String>,
    problems: &mut Vec<Problem>,
) -> (Index, Records) {
    let mut records = Records {
        file: dcg.cloned(),
        reversed: None,
    };
    let index = dci.and_then(|dci| Index::open(dci, records.size(), warnings, problems));
    let index = index.unwrap_or_else(|| {
        if dcg.is_some() {
            let what = "there is no usable index: games come from the .dcg, without headers";
            problems.push(Problem::damage(&names.dci, None, what));
        }
        Index::Walked(records.walk())
    });
    if let (None, Some(_)) = (dcg, dci) {
        let what = "the file with the moves is missing or cannot be opened: put it beside the .dci";
        problems.push(Problem::damage(&names.dcg, None, what));
    }
    if let Index::File { layout, .. } = &index
        && layout.header == 10
    {
        records.detect_reversed(offsets(&index));
    }
    problems.extend(records.unlisted(&index));
    (index, records)
}

/// The offsets of the records of all games.
fn offsets(index: &Index) -> impl Iterator<Item = u64> + '_ {
    index.games().map(|game| index.entry(game).offset)
}

impl Records {
    /// The problem of bytes after the last record that the index lists.
    fn unlisted(&self, index: &Index) -> Option<Problem> {
        let file = self.file.as_ref()?;
        let Index::File { file: dci, rows, .. } = index else {
            return None;
        };
        if self.reversed.is_some() {
            return None;
        }
        let after = |offset| {
            let record = self.record(offset).ok()?;
            let end = record.start + record.bytes.len() as u64;
            Some(self.data_len().saturating_sub(end))
        };
        // Usually the last entry has the last record, and the rest of the index need not be read.
        if after(index.entry(rows.len().checked_sub(1)?).offset) == Some(0) || rows.len() > MOST_ENTRIES {
            return None;
        }
        let after = after(offsets(index).max()?).filter(|&after| after > 0)?;
        let what = format!(
            "entries are missing at the end: {after} bytes of {} are in no game",
            file.name
        );
        Some(Problem::damage(&dci.name, dci.bytes.len() as u64, what))
    }

    fn bytes(&self) -> &[u8] {
        self.file.as_ref().map(|file| &**file.bytes).unwrap_or_default()
    }

    pub(super) fn size(&self) -> u64 {
        self.bytes().len() as u64
    }

    /// An upper bound for the total length of all records: the file without its long holes.
    pub(super) fn data_len(&self) -> u64 {
        self.file.as_ref().map_or(0, |file| file.data_len() as u64)
    }

    pub(super) fn file_name(&self) -> &str {
        self.file
            .as_ref()
            .map_or("(missing .dcg)", |file| file.name.as_str())
    }

    pub(super) fn describe(&self) -> String {
        let form = if self.reversed.is_some() {
            "reversed"
        } else {
            "normal"
        };
        form.to_owned()
    }

    /// The record at an offset given by the index (sections 5.2, 5.3, 7.3).
    pub(super) fn record(&self, offset: u64) -> Result<Record<'_>, Damage> {
        let Some(file) = &self.file else {
            return Err(Damage::new(offset, "the game file is missing"));
        };
        let data: &[u8] = &file.bytes;
        let rest = data.get(place(offset)..).unwrap_or_default();
        if offset < MAGIC.len() as u64 || rest.is_empty() {
            return Err(Damage::new(offset, "the index points outside the game file"));
        }
        let (size, len) = match &self.reversed {
            Some(offsets) => {
                let span = self.span(offsets, offset);
                let size =
                    length::reversed_that_fills(rest, span).unwrap_or_else(|| length::reversed_size(rest));
                (size, place(span).saturating_sub(size))
            }
            None => match length::read(rest) {
                Some(length) => (length.size, length.value as usize),
                None => return Err(Damage::new(offset, "the length of the game cannot be read")),
            },
        };
        let start = offset + size as u64;
        if len == 0 {
            return Err(Damage::new(start, "the game has no bytes"));
        }
        let there = rest.get(size..).unwrap_or_default();
        let (bytes, cut) = match there.get(..len.min(LIMIT)) {
            Some(bytes) if len <= LIMIT => (bytes, None),
            Some(bytes) => (bytes, Some("the game is longer than 16 MiB")),
            None => (there, Some("the game file ends inside the game")),
        };
        Ok(Record { bytes, start, cut })
    }

    /// Number of bytes from a record to the next higher offset in the index, or to the end of the file.
    fn span(&self, offsets: &[u64], offset: u64) -> u64 {
        let next = offsets.partition_point(|&other| other <= offset);
        let end = offsets.get(next).copied().unwrap_or(u64::MAX).min(self.size());
        end.saturating_sub(offset)
    }

    /// Offsets of all records, found from the start of the file without an index (section 5.4).
    fn walk(&self) -> Vec<u64> {
        let mut offsets = Vec::new();
        let Some(file) = &self.file else {
            return offsets;
        };
        let mut at = MAGIC.len();
        while let Some(rest) = file.bytes.get(at..).filter(|rest| !rest.is_empty())
            && !file.bytes.is_lost()
        {
            if let Some(gap) = file.gap_at(at) {
                at = gap.end;
                continue;
            }
            offsets.push(at as u64);
            let Some(length) = length::read(rest) else { break };
            at = at
                .saturating_add(length.size)
                .saturating_add(length.value as usize);
        }
        offsets
    }

    /// Detects whether the record lengths are reversed, as one program wrote them (section 5.3).
    fn detect_reversed(&mut self, offsets: impl Iterator<Item = u64>) {
        let mut offsets: Vec<u64> = offsets.collect();
        let in_order = offsets.clone();
        offsets.sort_unstable();
        let (mut normal, mut reversed) = (0u32, 0u32);
        for offset in in_order {
            let span = self.span(&offsets, offset);
            let rest = self.bytes().get(place(offset)..).unwrap_or_default();
            if length::read(rest).is_some_and(|length| length.size as u64 + u64::from(length.value) == span) {
                normal += 1;
            }
            if length::reversed_that_fills(rest, span).is_some() {
                reversed += 1;
            }
        }
        if reversed > normal {
            self.reversed = Some(offsets);
        }
    }
}

impl Record<'_> {
    /// Splits the record into its parts.
    ///
    /// # Errors
    /// An invalid marker or FEN, at the offset of the marker (sections 5.5, 5.6).
    pub(super) fn parts(&self) -> Result<Parts, Damage> {
        match self.bytes.first() {
            Some(0) => Ok(Parts { fen: None, body: 1 }),
            Some(1) => match self.stored_fen() {
                Some((fen, body)) => Ok(Parts { fen: Some(fen), body }),
                None => Err(Damage::new(
                    self.start,
                    "the length of the position's text leads out of the game",
                )),
            },
            Some(marker) => Err(Damage::new(self.start, format!("unknown marker {marker:02x}"))),
            None => Err(Damage::new(self.start, "the game has no bytes")),
        }
    }

    /// The FEN and the offset of the body after it.
    fn stored_fen(&self) -> Option<(String, usize)> {
        if self.bytes.first() != Some(&1) {
            return None;
        }
        let length = length::read(self.bytes.get(1..)?)?;
        let text = slice(self.bytes, 1 + length.size, length.value as usize)?;
        Some((utf8_line(text), 1 + length.size + text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn lengths_are_reversed_only_if_more_games_fit_so() {
        // 128 bytes after a length in one form, which cannot be read in the other form.
        let record = |length: [u8; 2]| [&length[..], &[0; 128]].concat();
        let (normal, reversed) = (record([0x81, 0x80]), record([0x80, 0x81]));
        for (parts, is_reversed) in [
            (vec![&normal], false),
            (vec![&reversed], true),
            (vec![&normal, &reversed], false),
            (vec![&reversed, &normal], false),
            (vec![&reversed, &normal, &reversed], true),
            (vec![&normal, &reversed, &normal], false),
        ] {
            let mut bytes = MAGIC.to_vec();
            let offsets: Vec<u64> = parts
                .iter()
                .map(|part| {
                    bytes.extend_from_slice(part);
                    (bytes.len() - part.len()) as u64
                })
                .collect();
            let mut records = Records {
                file: Some(SourceFile {
                    name: "x.dcg".to_owned(),
                    bytes: Arc::new(bytes),
                }),
                reversed: None,
            };
            records.detect_reversed(offsets.into_iter());
            assert_eq!(records.reversed.is_some(), is_reversed, "{} games", parts.len());
        }
    }

    #[test]
    fn a_record_has_at_most_16_mebibytes() {
        for (len, is_cut) in [(LIMIT - 1, false), (LIMIT, false), (LIMIT + 1, true)] {
            let digits = u32::try_from(len).unwrap().to_be_bytes();
            let records = Records {
                file: Some(SourceFile {
                    name: "x.dcg".to_owned(),
                    bytes: Arc::new([MAGIC, &[0x84], &digits, &vec![0; len]].concat()),
                }),
                reversed: None,
            };
            let record = records.record(MAGIC.len() as u64).unwrap();
            assert_eq!(record.bytes.len(), len.min(LIMIT));
            let cut = is_cut.then_some("the game is longer than 16 MiB");
            assert_eq!(record.cut, cut, "{len}");
        }
    }
}
