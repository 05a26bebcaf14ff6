//! Values in the records of games: dates, results, openings.

use crate::game::{Date, Eco, Outcome};

/// From this value on, the opening is the number of a Chess960 start position.
const CHESS960: u16 = u16::MAX - 959;

/// Values below this one are openings.
const FIRST_UNUSED: u16 = 128 * 501;

/// A stored date: day, month and year, starting at the low bits; 0 for an unknown part.
pub(in crate::formats) fn date(stored: u32) -> Date {
    let part = |shift: u32, mask: u32| u16::try_from((stored >> shift) & mask).unwrap_or(0);
    let small = |part: u16| u8::try_from(part).unwrap_or(0);
    Date::new(part(9, 0xfff), small(part(5, 15)), small(part(0, 31)))
}

/// A stored result.
pub(in crate::formats) fn outcome(stored: u8) -> Outcome {
    match stored {
        0 | 4 => Outcome::BlackWins,
        1 | 5 => Outcome::Draw,
        2 | 6 => Outcome::WhiteWins,
        _ => Outcome::Unknown,
    }
}

/// The opening code and its sub-code, which is 0 if it is not set.
pub(in crate::formats) fn opening(stored: u16) -> Option<(Eco, u16)> {
    let stored = Some(stored).filter(|&stored| stored < CHESS960)?;
    let number = (stored / 128).checked_sub(1)?;
    let digit = |value: u16| u8::try_from(value % 10).map(|digit| b'0' + digit);
    let letter = b"ABCDE".get(usize::from(number / 100))?;
    let eco = Eco::new([*letter, digit(number / 10).ok()?, digit(number).ok()?])?;
    Some((eco, stored % 128))
}

/// False for a number between the last opening and the first position of Chess960.
pub(in crate::formats) fn is_possible_opening(stored: u16) -> bool {
    !(FIRST_UNUSED..CHESS960).contains(&stored)
}

/// The number of full moves as records count them. If Black begins, this first move counts as a full move.
pub(in crate::formats) fn full_moves(plies: u32, begins_with_black: bool) -> u32 {
    plies
        .saturating_add(u32::from(plies > 0 && begins_with_black))
        .div_ceil(2)
}
