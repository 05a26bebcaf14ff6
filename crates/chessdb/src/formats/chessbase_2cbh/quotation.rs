//! Quoted games (section 6.2).
//!
//! u8 1; nine bytes; six short strings (a length in a byte, and a zero at the end): White's last and first name,
//! Black's, site, event. 79 bytes: 0 i32 date, 28 and 30 i16 Elo, 34 u8 result, 43 u8 round, 44 i8 subround. Twice
//! five bytes and a string; 26 bytes; a byte that is 1 for the usual start and 0 for one of 75 bytes; two bytes; i32
//! number of moves, of five bytes each; i32.

use super::annotations::Unread;
use super::fields::Fields;
use crate::bytes::{le_u16, le_u32};
use crate::formats::chessbase_common::Quotation;

/// Bytes before the names, of the head, and after the lists of ratings.
const BEFORE: usize = 10;
const HEAD: usize = 79;
const AFTER: usize = 26;
/// Bytes of a start position, and of a move.
const START: usize = 75;
const MOVE: usize = 5;

/// Bytes of a quoted game.
pub(super) fn len(data: &[u8]) -> Result<usize, Unread> {
    let mut fields = Fields::new(data);
    let is_usual = pass_head(&mut fields).ok_or(Unread::Cut)?;
    match is_usual {
        0 | 1 => {}
        _ => return Err(Unread::Unknown),
    }
    let mut pass = || {
        if is_usual == 0 {
            fields.take(START)?;
        }
        fields.take(2)?;
        let moves = usize::try_from(fields.i32()?).ok()?;
        fields.take(moves.checked_mul(MOVE)?)?;
        fields.take(4)?;
        Some(fields.at())
    };
    pass().ok_or(Unread::Cut)
}

/// Skips everything in front of the start position, and returns how the position is stored.
fn pass_head(fields: &mut Fields<'_>) -> Option<u8> {
    fields.take(BEFORE)?;
    for _ in 0..6 {
        fields.short_string()?;
    }
    fields.take(HEAD)?;
    for _ in 0..2 {
        fields.take(5)?;
        fields.string()?;
    }
    fields.take(AFTER)?;
    fields.u8()
}

/// The head of a quoted game; its moves are not read.
pub(super) fn read(data: &[u8]) -> Option<Quotation<'_>> {
    let mut fields = Fields::new(data);
    fields.take(BEFORE)?;
    let mut name = || fields.short_string();
    let players = [[name()?, name()?], [name()?, name()?]];
    let [site, event] = [name()?, name()?];
    let head = fields.take(HEAD)?;
    let number = |at| le_u16(head, at).map_or(0, u16::cast_signed);
    let byte = |at: usize| head.get(at).copied().unwrap_or(0);
    Some(Quotation {
        result: byte(34),
        players,
        elo: [28, 30].map(|at| u16::try_from(number(at)).unwrap_or(0)),
        event,
        site,
        date: le_u32(head, 0)?,
        round: [byte(43).into(), byte(44).cast_signed().into()],
    })
}
