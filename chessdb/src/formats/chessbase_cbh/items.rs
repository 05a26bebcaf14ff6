//! What the kinds of annotations say (section 9.2).

use std::fmt::Write;

use super::annotations::Item;
use super::characters::Characters;
use super::quotation;
use crate::bytes::{be_u16, be_u32, le_u16, slice};

/// A text after a move.
const TEXT: u8 = 0x02;
/// A text before a move.
pub(super) const TEXT_BEFORE: u8 = 0x82;
/// Glyphs of the move, the position and the prefix.
pub(super) const SYMBOLS: u8 = 0x03;
const SQUARES: u8 = 0x04;
const ARROWS: u8 = 0x05;
const TIME_SPENT: u8 = 0x07;
const QUOTATION: u8 = 0x13;
/// The clocks at the end.
pub(super) const CLOCKS: [u8; 2] = [0x16, 0x17];
const LINK: u8 = 0x1c;
const EVALUATION: u8 = 0x21;
pub(super) const MEDALS: u8 = 0x22;
pub(super) const TIME_CONTROL: u8 = 0x24;
const PROFILE: u8 = 0x26;

/// Kinds that are not shown, and that a user may miss.
const MISSING: [(u8, &str); 4] = [
    (0x09, "a training question"),
    (0x10, "a sound"),
    (0x11, "a picture"),
    (0x20, "a video"),
];

/// Kinds that are not shown, and that say nothing of the game or repeat what it shows: pawn structures, paths of
/// pieces, critical positions, marks of correspondence games, colours of variations, times in a video.
const LEFT_OUT: [u8; 7] = [0x14, 0x15, 0x18, 0x19, 0x23, 0x25, 0x61];

/// True for a kind whose items are missing in the game.
pub(super) fn is_missing(kind: u8) -> bool {
    let is_shown = matches!(
        kind,
        TEXT | TEXT_BEFORE
            | SYMBOLS
            | SQUARES
            | ARROWS
            | TIME_SPENT
            | QUOTATION
            | LINK
            | EVALUATION
            | MEDALS
            | TIME_CONTROL
            | PROFILE
    );
    !is_shown && !CLOCKS.contains(&kind) && !LEFT_OUT.contains(&kind)
}

/// What to call a kind that is missing.
pub(super) fn name(kind: u8) -> String {
    match MISSING.iter().find(|(known, _)| *known == kind) {
        Some((_, name)) => format!("{name} (annotation {kind:02x})"),
        None => format!("an annotation of the unknown kind {kind:02x}"),
    }
}

/// The bytes of an item that is a text, after its language.
pub(super) fn text_of<'a>(item: &Item<'a>) -> Option<&'a [u8]> {
    match item.kind {
        TEXT | TEXT_BEFORE => item.data.get(2..),
        _ => None,
    }
}

/// An item as a comment; none for those that are shown elsewhere or not at all.
pub(super) fn comment(item: &Item<'_>, characters: Characters) -> Option<String> {
    let data = item.data;
    match item.kind {
        TEXT | TEXT_BEFORE => Some(text(text_of(item)?, characters)),
        SQUARES => marks("csl", data, 1),
        ARROWS => marks("cal", data, 2),
        TIME_SPENT => {
            let [hours, minutes, seconds] = *data.first_chunk()?;
            Some(format!("[%emt {hours}:{minutes:02}:{seconds:02}]"))
        }
        QUOTATION => quotation::text(data, characters),
        LINK => link(data, characters),
        EVALUATION => evaluation(data),
        MEDALS => Some(medals(be_u32(data, 0)?)),
        PROFILE => profile(data),
        _ => None,
    }
}

/// Medals as a command.
pub(super) fn medals(medals: u32) -> String {
    format!("[%mdl {medals}]")
}

/// A clock in hundredths of a second as text.
pub(super) fn clock(data: &[u8]) -> Option<String> {
    let seconds = be_u32(data, 0)? / 100;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    Some(format!("{hours}:{minutes:02}:{:02}", seconds % 60))
}

/// Stages of a time control as PGN has them; none where it has no words for them.
pub(super) fn time_control(data: &[u8]) -> Option<String> {
    const STAGE: usize = 11;
    /// So many moves are all that are left.
    const REST: u16 = 1000;
    let mut text = String::new();
    let mut is_over = false;
    for stage in data.chunks_exact(STAGE).take(3) {
        let seconds = |at| {
            let hundredths = be_u32(stage, at)?;
            (hundredths % 100 == 0).then_some(hundredths / 100)
        };
        let (time, increment, moves) = (seconds(0)?, seconds(4)?, be_u16(stage, 8)?);
        if (time, increment) == (0, 0) {
            continue;
        }
        if is_over {
            return None;
        }
        if !text.is_empty() {
            text.push(':');
        }
        // Writing to a string cannot fail.
        let _ = match (moves, increment) {
            (REST, 0) => write!(text, "{time}"),
            (REST, _) => write!(text, "{time}+{increment}"),
            (1.., 0) => write!(text, "{moves}/{time}"),
            _ => return None,
        };
        is_over = moves == REST;
    }
    (!text.is_empty()).then_some(text)
}

/// A text up to its first zero byte.
fn text(data: &[u8], characters: Characters) -> String {
    let end = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    characters.comment(data.get(..end).unwrap_or_default())
}

/// Coloured squares, or arrows between two of them.
fn marks(command: &str, data: &[u8], squares: usize) -> Option<String> {
    let mut text = String::new();
    for mark in data.chunks_exact(1 + squares) {
        let (&color, places) = mark.split_first()?;
        let color = match color {
            2 => 'G',
            3 => 'Y',
            4 => 'R',
            _ => continue,
        };
        if !places.iter().all(|place| (1..=64).contains(place)) {
            continue;
        }
        text.push(if text.is_empty() { ' ' } else { ',' });
        text.push(color);
        for place in places.iter().map(|place| place - 1) {
            text.push(char::from(b'a' + place / 8));
            text.push(char::from(b'1' + place % 8));
        }
    }
    (!text.is_empty()).then(|| format!("[%{command}{text}]"))
}

fn link(data: &[u8], characters: Characters) -> Option<String> {
    let rest = data.get(2..)?;
    let (&len, rest) = rest.split_first()?;
    let (address, rest) = rest.split_at_checked(len.into())?;
    let (&len, rest) = rest.split_first().unwrap_or((&0, &[]));
    let words = slice(rest, 0, len.into()).unwrap_or(rest);
    let [address, words] = [address, words].map(|part| text(part, characters));
    Some(format!("{address} {words}"))
}

fn evaluation(data: &[u8]) -> Option<String> {
    let number = |at| le_u16(data, at).map(|value| i16::from_le_bytes(value.to_le_bytes()));
    let (value, kind, depth) = (number(0)?, number(2)?, number(4)?);
    match kind {
        0 => Some(format!("[%eval {value},{depth}]")),
        1 => Some(format!("[%eval #{value}]")),
        _ => None,
    }
}

/// Evaluations of all positions of the main line.
fn profile(data: &[u8]) -> Option<String> {
    let count = usize::from(be_u16(data, 0)?);
    let values = data.get(2..)?.chunks_exact(4).take(count);
    let last = values.len().checked_sub(1)?;
    let mut text = format!("[%evp 0,{last}");
    for value in values {
        let [kind, _, a, b] = *value.first_chunk()?;
        let number = i16::from_be_bytes([a, b]);
        // Writing to a string cannot fail.
        let _ = match kind {
            0 => write!(text, ",{number}"),
            1 => write!(text, ",#{number}"),
            _ => write!(text, ",-"),
        };
    }
    text.push(']');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_arrows_have_colours() {
        assert_eq!(marks("csl", &[2, 1, 4, 64, 9, 5], 1).unwrap(), "[%csl Ga1,Rh8]");
        assert_eq!(marks("cal", &[3, 34, 36], 2).unwrap(), "[%cal Ye2e4]");
        assert_eq!(marks("cal", &[3, 0, 36], 2), None);
    }

    #[test]
    fn evaluations_are_hundredths_or_mates() {
        assert_eq!(evaluation(&[0xf6, 0xff, 0, 0, 22, 0]).unwrap(), "[%eval -10,22]");
        assert_eq!(evaluation(&[3, 0, 1, 0, 22, 0]).unwrap(), "[%eval #3]");
        let data = [0, 3, 0, 9, 0, 19, 0xff, 0, 0, 0, 1, 0, 0xff, 0xfe];
        assert_eq!(profile(&data).unwrap(), "[%evp 0,2,19,-,#-2]");
    }

    #[test]
    fn time_controls_are_those_of_pgn() {
        let stage = |time: u32, increment: u32, moves: u16| {
            let mut stage = [time.to_be_bytes(), increment.to_be_bytes()].concat();
            stage.extend(moves.to_be_bytes());
            stage.push(1);
            stage
        };
        let of = |stages: [Vec<u8>; 3]| time_control(&stages.concat());
        let rest = || stage(0, 0, 1000);
        let text = of([stage(540_000, 0, 40), stage(180_000, 3000, 1000), rest()]);
        assert_eq!(text.as_deref(), Some("40/5400:1800+30"));
        assert_eq!(
            of([stage(30_000, 0, 1000), rest(), rest()]).as_deref(),
            Some("300")
        );
        assert_eq!(of([stage(540_000, 3000, 40), rest(), rest()]), None);
        assert_eq!(of([rest(), rest(), rest()]), None);
    }

    #[test]
    fn clocks_are_rounded_down() {
        assert_eq!(clock(&215_799u32.to_be_bytes()).unwrap(), "0:35:57");
        assert_eq!(clock(&[]), None);
    }
}
