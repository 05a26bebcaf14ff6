//! The codes of a game record, one by one (section 6.4).
//!
//! | code | bytes | what |
//! |---|---|---|
//! | 0..206 | 1 | a step of a numbered piece ([`super::steps`]) |
//! | 207, 208 | 1 | long castling, short castling |
//! | 209 | 3 | promotion |
//! | 210 | 1 | the next move takes en passant |
//! | 211 | 1 | null move |
//! | 212..219 | 2 | move of a promoted piece |
//! | 230 | 77 | set-up position |
//! | 231, 232 | 1 | a variation begins, ends |
//! | 233 | 2 | unknown |
//! | 234 | 3 | comment of two bytes |
//! | 235, 236 | 2 + n, 5 + n | comment with its length in one or four bytes |

use std::fmt;

use crate::board::CastlingSide;
use crate::bytes::{index, le_u32, slice};

/// Size of a set-up position in bytes.
pub(super) const SET_UP_SIZE: usize = 76;

/// A code with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code<'d> {
    Move(CodedMove),
    /// A code without effect on the moves: 210 and 233.
    Mark,
    SetUp(&'d [u8]),
    VariationStart,
    VariationEnd,
    /// A comment: type byte and data.
    Comment(&'d [u8]),
}

/// A stored move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodedMove {
    /// Number of a step, 0..=206.
    Step(u8),
    Castle(CastlingSide),
    /// Pawn and step in the first byte, new piece in the second.
    Promotion(u8, u8),
    /// The number of a pawn, and the ranks and files that its promoted piece moves.
    Promoted(u8, u8),
    Null,
}

/// Why a code cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadCode {
    /// An undefined code, whose length is therefore unknown.
    Undefined(u8),
    /// Its arguments exceed the record.
    Cut,
    /// A set-up position after moves.
    LateSetUp,
    /// More than [`super::outline::DEEPEST`] variations are open.
    TooDeep,
}

impl fmt::Display for BadCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadCode::Undefined(code) => write!(f, "unknown code {code}"),
            BadCode::Cut => f.write_str("a code or comment is longer than the record"),
            BadCode::LateSetUp => f.write_str("a set-up position comes after the start of the game"),
            BadCode::TooDeep => f.write_str("more than 256 variations are open"),
        }
    }
}

/// Reads the code at an offset and its size; `None` at the end.
#[inline(always)]
pub(super) fn read(codes: &[u8], at: usize) -> Result<Option<(Code<'_>, usize)>, BadCode> {
    let Some(&code) = codes.get(at) else {
        return Ok(None);
    };
    if code <= LAST_STEP {
        return Ok(Some((Code::Move(CodedMove::Step(code)), 1)));
    }
    with_arguments(code, codes.get(at + 1..).unwrap_or_default()).map(Some)
}

const LAST_STEP: u8 = 206;

fn with_arguments(code: u8, rest: &[u8]) -> Result<(Code<'_>, usize), BadCode> {
    let byte = |place: usize| rest.get(place).copied().ok_or(BadCode::Cut);
    let bytes = |from: usize, len: usize| slice(rest, from, len).ok_or(BadCode::Cut);
    let mv = |mv, size| Ok((Code::Move(mv), size));
    match code {
        207 => mv(CodedMove::Castle(CastlingSide::QueenSide), 1),
        208 => mv(CodedMove::Castle(CastlingSide::KingSide), 1),
        209 => mv(CodedMove::Promotion(byte(0)?, byte(1)?), 3),
        210 => Ok((Code::Mark, 1)),
        211 => mv(CodedMove::Null, 1),
        212..=219 => mv(CodedMove::Promoted(code - 212, byte(0)?), 2),
        230 => Ok((Code::SetUp(bytes(0, SET_UP_SIZE)?), 1 + SET_UP_SIZE)),
        231 => Ok((Code::VariationStart, 1)),
        232 => Ok((Code::VariationEnd, 1)),
        233 => byte(0).map(|_| (Code::Mark, 2)),
        234 => Ok((Code::Comment(bytes(0, 2)?), 3)),
        235 => {
            let body = bytes(1, usize::from(byte(0)?))?;
            Ok((Code::Comment(body), 2 + body.len()))
        }
        236 => {
            let length = le_u32(rest, 0).ok_or(BadCode::Cut)?;
            let body = bytes(4, index(length.into()))?;
            Ok((Code::Comment(body), 5 + body.len()))
        }
        _ => Err(BadCode::Undefined(code)),
    }
}
