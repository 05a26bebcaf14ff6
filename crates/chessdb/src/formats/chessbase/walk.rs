//! Records that are found without an index (section 2.5).
//!
//! A record is expected where the previous one ends. If the bytes there are not a record, they are a gap, whose end is
//! searched for byte by byte. A checksum of eight bits is too weak for this search. So the header, the texts and the
//! moves together must be so unlikely to be random bytes that no false game is found in a gap.

use std::ops::ControlFlow;

use super::characters::Characters;
use super::header::{Header, SIZE};
use super::record::Record;
use super::{decode, stored_position};
use crate::files::SourceFile;
use crate::replay::{MainLine, Origin, PlaceForm, Ply};

/// The result of a walk through the records.
pub(super) struct Walk {
    /// Offsets of the records, ascending.
    pub(super) offsets: Vec<u32>,
    /// Number of records that do not begin where the previous one ends.
    pub(super) records_after_gaps: u32,
    /// Offset of the first byte that belongs to no record.
    pub(super) first_gap: Option<u32>,
}

/// Finds the records of a file.
pub(super) fn walk(cbf: &SourceFile) -> Walk {
    let mut found = Walk {
        offsets: Vec::new(),
        records_after_gaps: 0,
        first_gap: None,
    };
    let mut at = 0;
    let mut is_in_gap = false;
    while at < cbf.bytes.len()
        && let Ok(offset) = u32::try_from(at)
    {
        match record_at(cbf, at, is_in_gap) {
            Some(end) => {
                found.offsets.push(offset);
                found.records_after_gaps += u32::from(is_in_gap);
                is_in_gap = false;
                at = end;
            }
            None => {
                found.first_gap = found.first_gap.or(Some(offset));
                is_in_gap = true;
                at = cbf.gap_at(at).map_or(at + 1, |hole| hole.end);
            }
        }
    }
    found
}

/// The end of the record at an offset. Directly after another record, less evidence is enough.
fn record_at(cbf: &SourceFile, at: usize, is_in_gap: bool) -> Option<usize> {
    let end = possible_end(&cbf.bytes, at)?;
    let is_record = if is_in_gap {
        evidence(cbf, at) >= AFTER_GAP
    } else {
        let is_followed = end == cbf.bytes.len() || possible_end(&cbf.bytes, end).is_some();
        is_followed || evidence(cbf, at) >= IN_SEQUENCE
    };
    is_record.then_some(end)
}

/// The end of a possible record, whose checksum is good and which is inside the file.
fn possible_end(cbf: &[u8], at: usize) -> Option<usize> {
    let rest = cbf.get(at..)?;
    let header = Header::new(*rest.first_chunk::<SIZE>()?);
    let is_possible = header.mlen > 0 && header.is_checksum_good && header.record_len() <= rest.len();
    is_possible.then(|| at + header.record_len())
}

/// Bits of evidence needed for a record directly after another record.
const IN_SEQUENCE: u32 = 24;
/// Bits of evidence needed for a record after a gap. A file has up to 2 to the power of 32 offsets, and there are some
/// thousand ways to get this many bits.
const AFTER_GAP: u32 = 50;
/// Bits of the checksum, which may be one of two.
const CHECKSUM: u32 = 7;
/// Bits of a move: one byte in four is a legal move.
const MOVE: u32 = 2;
/// Bits of a playable position. Nearly all random positions have an undefined piece, or not one king for each side.
const POSITION: u32 = 20;
/// Bits of two lengths of texts that are both 0.
const NO_TEXTS: u32 = 12;
/// Maximum number of bytes of a move area that are tested. The limit keeps the time of the search proportional to the
/// size of the file.
const MOVES_SEEN: usize = 256;

/// Bits of evidence that a record with a good checksum begins at an offset. n bits mean that random bytes look as good
/// in one of 2 to the power of n cases. A length counts as many bits as it has leading zeros, and each character of the
/// texts counts one bit, because half of all bytes occur in names.
fn evidence(cbf: &SourceFile, at: usize) -> u32 {
    let Some(record) = Record::at(&cbf.bytes, at) else {
        return 0;
    };
    let header = &record.header;
    let lengths = header.mlen.leading_zeros() + header.clen.leading_zeros();
    let mut bits = CHECKSUM + lengths + texts(&record);
    let (stored, len) = (stored_position(&record), cbf.bytes.len());
    if (stored.as_ref()).is_some_and(|stored| stored.is_playable() && stored.invalid_at.is_none()) {
        bits += POSITION;
    }
    let record = record.without_comments(MOVES_SEEN);
    let origin = Origin {
        file: &cbf.name,
        place: PlaceForm::Hexadecimal(".cbf"),
    };
    let mut each = |_: &Ply<'_>| {
        bits += MOVE;
        if bits >= AFTER_GAP {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    decode::replay(&record, stored, Characters::ChessFont, origin, len, |_, _, _| {
        MainLine(&mut each)
    });
    bits
}

/// Bits of evidence in players and source; 0 if a byte cannot be part of a name.
fn texts(record: &Record<'_>) -> u32 {
    let (mut texts, mut source) = (Vec::new(), Vec::new());
    record.texts(&mut texts, &mut source);
    texts.append(&mut source);
    let is_text = texts.iter().all(|byte| matches!(byte, b' '..=b'~' | 0x80..=0xa8));
    match u32::try_from(texts.len()) {
        Ok(0) => NO_TEXTS,
        Ok(len) if is_text => len,
        _ => 0,
    }
}
