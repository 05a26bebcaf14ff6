//! Records that are found without an index (section 2.5).
//!
//! A record is expected where the previous one ends. If the bytes there are not a record, they are a gap, and its end
//! is searched for byte by byte. A checksum of eight bits is too weak for that, so the header, the texts and the
//! moves together must be so unlikely to come about by chance that no gap has a false game.

use std::ops::ControlFlow;

use super::characters::Characters;
use super::header::{Header, SIZE};
use super::record::Record;
use super::{decode, stored_position};
use crate::files::SourceFile;
use crate::replay::{MainLine, Origin, PlaceForm, Ply};

/// What a walk through the records found.
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

/// The end of the record at an offset. Where the previous record ends, less evidence suffices.
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

/// The end of what may be a record: its checksum is good, and it is inside the file.
fn possible_end(cbf: &[u8], at: usize) -> Option<usize> {
    let rest = cbf.get(at..)?;
    let header = Header::new(*rest.first_chunk::<SIZE>()?);
    let is_possible = header.mlen > 0 && header.is_checksum_good && header.record_len() <= rest.len();
    is_possible.then(|| at + header.record_len())
}

/// Bits of evidence for a record where the previous one ends.
const IN_SEQUENCE: u32 = 24;
/// Bits of evidence for a record after a gap. A file has up to 2 to the power of 32 offsets, and there are some
/// thousand ways to get as many bits.
const AFTER_GAP: u32 = 50;
/// Bits of the checksum, which may be one of two.
const CHECKSUM: u32 = 7;
/// Bits of a move: one byte in four is a legal move.
const MOVE: u32 = 2;
/// Bits of a position that can be played: nearly all others have a piece that does not exist, or not two kings.
const POSITION: u32 = 20;
/// Bits of two lengths of texts that are both 0.
const NO_TEXTS: u32 = 12;
/// The most bytes of a move area that are tested. The limit keeps the time of the search proportional to the file.
const MOVES_SEEN: usize = 256;

/// Bits of evidence that a record with a good checksum begins at an offset: n bits mean that bytes of noise are as
/// good in one case in 2 to the power of n. Lengths far below the greatest count as many bits as begin with 0, and
/// each character of the texts one bit, because half of all bytes occur in names.
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

/// Bits of evidence in players and source; 0 if any byte is not one of a name.
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
