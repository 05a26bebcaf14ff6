//! The data of annotations by kind (section 9.2).
//!
//! ```text
//! kind    data
//! 02, 82  u8, language u8, text up to its end or the first zero
//! 03      glyphs of the move, the position, a prefix; 0 for none
//! 04      colour, square + 1, repeated
//! 05      colour, square + 1, square + 1, repeated
//! 07      hours, minutes, seconds, u8
//! 13      quoted game
//! 16, 17  i32, hundredths of a second
//! 1c      u16; address and text, each after its length in a byte
//! 21      i16 value, kind (0 hundredths of a pawn, 1 mate), depth, little endian; no other length is known
//! 22      u32
//! 24      three stages: u32 time, u32 increment in hundredths, u16 moves, u8
//! 26      u16 count; kind u8, depth u8, value i16, for each position of the main line
//! ```

use super::quotation;
use crate::bytes::{be_u16, be_u32, slice};
use crate::formats::chessbase_common::items::{self, Item, Profile, Said, Stage};

/// The text of an item, after its language; `None` for an item of another kind.
pub(super) fn text_of<'a>(item: &Item<'a>) -> Option<&'a [u8]> {
    match item.kind {
        items::TEXT | items::TEXT_BEFORE => item.data.get(2..),
        _ => None,
    }
}

/// The content of an item; `None` for an item that is not shown.
pub(super) fn said(kind: u8, data: &[u8]) -> Option<Said<'_>> {
    match kind {
        items::TEXT | items::TEXT_BEFORE => data.get(2..).map(Said::Text),
        items::SYMBOLS => Some(Said::Symbols(data)),
        items::SQUARES => Some(Said::Squares(data)),
        items::ARROWS => Some(Said::Arrows(data)),
        items::TIME_SPENT => data.first_chunk().copied().map(Said::TimeSpent),
        items::QUOTATION => quotation::read(data).map(Said::Quotation),
        items::WHITE_CLOCK | items::BLACK_CLOCK => be_u32(data, 0).and_then(Said::clock),
        items::LINK => link(data),
        items::EVALUATION => evaluation(data),
        items::MEDALS => be_u32(data, 0).map(Said::Medals),
        items::TIME_CONTROL => time_control(data),
        items::PROFILE => profile(data),
        _ => None,
    }
}

fn link(data: &[u8]) -> Option<Said<'_>> {
    let rest = data.get(2..)?;
    let (&len, rest) = rest.split_first()?;
    let (address, rest) = rest.split_at_checked(len.into())?;
    let (&len, rest) = rest.split_first().unwrap_or((&0, &[]));
    let words = slice(rest, 0, len.into()).unwrap_or(rest);
    Some(Said::Link([address, words]))
}

fn evaluation(data: &[u8]) -> Option<Said<'_>> {
    let (numbers, []) = data.as_chunks() else {
        return None;
    };
    let numbers = <[[u8; 2]; 3]>::try_from(numbers).ok()?;
    Some(Said::Evaluation(numbers.map(i16::from_le_bytes)))
}

fn time_control(data: &[u8]) -> Option<Said<'_>> {
    const STAGE: usize = 11;
    let mut stages = [Stage::NONE; 3];
    for (to, stage) in stages.iter_mut().zip(data.chunks_exact(STAGE)) {
        *to = Stage {
            time: be_u32(stage, 0)?,
            increment: be_u32(stage, 4)?,
            moves: be_u16(stage, 8)?,
        };
    }
    Some(Said::TimeControl(stages))
}

/// Evaluations of all positions of the main line.
fn profile(data: &[u8]) -> Option<Said<'_>> {
    let len = usize::from(be_u16(data, 0)?) * 4;
    let values = data.get(2..)?;
    Some(Said::Profile(Profile {
        values: values.get(..len).unwrap_or(values),
        read: |[kind, _, a, b]| (kind, i16::from_be_bytes([a, b])),
    }))
}
