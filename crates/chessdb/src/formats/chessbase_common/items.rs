//! The contents of annotations, and their form in PGN.

use std::fmt::Write;

use super::{Characters, Quotation};

/// A text after a move.
pub(in crate::formats) const TEXT: u8 = 0x02;
/// A text before a move.
pub(in crate::formats) const TEXT_BEFORE: u8 = 0x82;
/// Glyphs of the move, the position and the prefix.
pub(in crate::formats) const SYMBOLS: u8 = 0x03;
pub(in crate::formats) const SQUARES: u8 = 0x04;
pub(in crate::formats) const ARROWS: u8 = 0x05;
pub(in crate::formats) const TIME_SPENT: u8 = 0x07;
pub(in crate::formats) const QUOTATION: u8 = 0x13;
/// The clocks at the end.
pub(in crate::formats) const WHITE_CLOCK: u8 = 0x16;
pub(in crate::formats) const BLACK_CLOCK: u8 = 0x17;
pub(in crate::formats) const LINK: u8 = 0x1c;
pub(in crate::formats) const EVALUATION: u8 = 0x21;
pub(in crate::formats) const MEDALS: u8 = 0x22;
pub(in crate::formats) const TIME_CONTROL: u8 = 0x24;
pub(in crate::formats) const PROFILE: u8 = 0x26;

/// Kinds that are not shown, and that a user may miss.
const MISSING: [(u8, &str); 4] = [
    (0x09, "a training question"),
    (0x10, "a sound"),
    (0x11, "a picture"),
    (0x20, "a video"),
];

/// The names of kinds that are shown; problems use them for items that cannot be read.
const SHOWN: [(u8, &str); 14] = [
    (TEXT, "a text"),
    (TEXT_BEFORE, "a text before a move"),
    (SYMBOLS, "a symbol"),
    (SQUARES, "a list of squares"),
    (ARROWS, "a list of arrows"),
    (TIME_SPENT, "a time spent"),
    (QUOTATION, "a quotation"),
    (WHITE_CLOCK, "White's clock"),
    (BLACK_CLOCK, "Black's clock"),
    (LINK, "a link"),
    (EVALUATION, "an evaluation"),
    (MEDALS, "a medal"),
    (TIME_CONTROL, "a time control"),
    (PROFILE, "a list of evaluations"),
];

/// Kinds that are not shown, and not reported either, because they have no information about the game or repeat it:
/// pawn structures, paths of pieces, critical positions, marks of correspondence games, colours of variations, times in
/// a video.
const LEFT_OUT: [u8; 7] = [0x14, 0x15, 0x18, 0x19, 0x23, 0x25, 0x61];

/// A stored item.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) struct Item<'a> {
    /// The number of the annotated move, as the format counts moves; -1 for the whole game.
    pub(in crate::formats) position: i32,
    pub(in crate::formats) kind: u8,
    pub(in crate::formats) data: &'a [u8],
    /// Its place in the file.
    pub(in crate::formats) at: u64,
}

/// Decodes the data of an item by its kind; `None` for items that are not shown.
pub(in crate::formats) type SaidBy = for<'a> fn(u8, &'a [u8]) -> Option<Said<'a>>;

/// The content of an item.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) enum Said<'a> {
    Text(&'a [u8]),
    /// Glyphs, 0 for none.
    Symbols(&'a [u8]),
    /// A colour and a square from 1 on, and so on.
    Squares(&'a [u8]),
    /// A colour and two squares, and so on.
    Arrows(&'a [u8]),
    /// Hours, minutes, seconds.
    TimeSpent([u8; 3]),
    Quotation(Quotation<'a>),
    /// An address and the text of its link.
    Link([&'a [u8]; 2]),
    /// Value, kind, depth.
    Evaluation([i16; 3]),
    Medals(u32),
    /// Hundredths of a second, not negative.
    Clock(u32),
    TimeControl([Stage; 3]),
    Profile(Profile<'a>),
}

/// A stage of a time control.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) struct Stage {
    /// Hundredths of a second.
    pub(in crate::formats) time: u32,
    pub(in crate::formats) increment: u32,
    /// Its moves.
    pub(in crate::formats) moves: u16,
}

impl Stage {
    pub(in crate::formats) const NONE: Stage = Stage {
        time: 0,
        increment: 0,
        moves: 0,
    };
}

/// Evaluations of all positions of the main line.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) struct Profile<'a> {
    pub(in crate::formats) values: &'a [u8],
    /// Returns kind and value of one evaluation.
    pub(in crate::formats) read: fn([u8; 4]) -> (u8, i16),
}

/// True for a kind whose items are shown in the game or its tags.
pub(in crate::formats) fn is_shown(kind: u8) -> bool {
    SHOWN.iter().any(|(shown, _)| *shown == kind)
}

/// True for a kind whose items are reported as missing in the game.
pub(in crate::formats) fn is_missing(kind: u8) -> bool {
    !is_shown(kind) && !LEFT_OUT.contains(&kind)
}

/// The name of a kind, for messages about items that are not shown.
pub(in crate::formats) fn name(kind: u8) -> String {
    match MISSING.iter().chain(&SHOWN).find(|(known, _)| *known == kind) {
        Some((_, name)) => format!("{name} (annotation {kind:02x})"),
        None => format!("an annotation of the unknown kind {kind:02x}"),
    }
}

impl Said<'_> {
    /// A clock from the bits of an i32; `None` if it is negative.
    pub(in crate::formats) fn clock(hundredths: u32) -> Option<Said<'static>> {
        (hundredths.cast_signed() >= 0).then_some(Said::Clock(hundredths))
    }

    /// An item as a comment; `None` for items that are shown elsewhere.
    pub(in crate::formats) fn comment(&self, characters: Characters) -> Option<String> {
        match *self {
            Said::Text(text) => Some(characters.comment_field(text)),
            Said::Squares(marked) => marks("csl", marked, 1),
            Said::Arrows(marked) => marks("cal", marked, 2),
            Said::TimeSpent([hours, minutes, seconds]) => {
                Some(format!("[%emt {hours}:{minutes:02}:{seconds:02}]"))
            }
            Said::Quotation(quotation) => Some(quotation.text(characters)),
            Said::Link(texts) => {
                let [address, words] = texts.map(|text| characters.comment_field(text));
                Some(format!("{address} {words}"))
            }
            Said::Evaluation([value, 0, depth]) => Some(format!("[%eval {value},{depth}]")),
            Said::Evaluation([value, 1, _]) => Some(format!("[%eval #{value}]")),
            Said::Medals(number) => Some(medals(number)),
            Said::Profile(profile) => profile.text(),
            Said::Evaluation(_) | Said::Symbols(_) | Said::Clock(_) | Said::TimeControl(_) => None,
        }
    }

    /// True for an item that can be read, but whose meaning is unknown.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Said::Evaluation([_, kind, _]) if !matches!(kind, 0 | 1))
    }

    /// The value of the tag that an item is.
    pub(super) fn tag(&self) -> Option<String> {
        match *self {
            Said::Clock(hundredths) => Some(clock(hundredths)),
            Said::TimeControl(stages) => time_control(&stages),
            _ => None,
        }
    }
}

/// Medals as a command.
pub(super) fn medals(medals: u32) -> String {
    format!("[%mdl {medals}]")
}

/// A clock in hundredths of a second as text.
fn clock(hundredths: u32) -> String {
    let seconds = hundredths / 100;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours}:{minutes:02}:{:02}", seconds % 60)
}

/// Stages of a time control in PGN's form; `None` if PGN cannot express them.
fn time_control(stages: &[Stage]) -> Option<String> {
    /// ChessBase stores this number of moves for a stage that lasts to the end of the game.
    const REST: u16 = 1000;
    let mut text = String::new();
    let mut is_over = false;
    for stage in stages {
        let seconds = |hundredths: u32| hundredths.is_multiple_of(100).then_some(hundredths / 100);
        let (time, increment) = (seconds(stage.time)?, seconds(stage.increment)?);
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
        let _ = match (stage.moves, increment) {
            (REST, 0) => write!(text, "{time}"),
            (REST, _) => write!(text, "{time}+{increment}"),
            (moves @ 1.., 0) => write!(text, "{moves}/{time}"),
            _ => return None,
        };
        is_over = stage.moves == REST;
    }
    (!text.is_empty()).then_some(text)
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

impl Profile<'_> {
    fn text(&self) -> Option<String> {
        let (values, _) = self.values.as_chunks::<4>();
        let last = values.len().checked_sub(1)?;
        let mut text = format!("[%evp 0,{last}");
        for value in values {
            // Writing to a string cannot fail.
            let _ = match (self.read)(*value) {
                (0, number) => write!(text, ",{number}"),
                (1, number) => write!(text, ",#{number}"),
                _ => write!(text, ",-"),
            };
        }
        text.push(']');
        Some(text)
    }
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
        let characters = Characters::choose(None, &mut Vec::new());
        let text = |said: Said<'_>| said.comment(characters);
        assert_eq!(text(Said::Evaluation([-10, 0, 22])).unwrap(), "[%eval -10,22]");
        assert_eq!(text(Said::Evaluation([3, 1, 22])).unwrap(), "[%eval #3]");
        assert_eq!(text(Said::Evaluation([3, 2, 22])), None);
        let profile = |values| Profile {
            values,
            read: |[kind, _, a, b]| (kind, i16::from_be_bytes([a, b])),
        };
        let values = [0, 9, 0, 19, 0xff, 0, 0, 0, 1, 0, 0xff, 0xfe];
        assert_eq!(profile(&values).text().unwrap(), "[%evp 0,2,19,-,#-2]");
        assert_eq!(profile(&[]).text(), None);
    }

    #[test]
    fn time_controls_are_those_of_pgn() {
        let stage = |time, increment, moves| Stage {
            time,
            increment,
            moves,
        };
        let rest = stage(0, 0, 1000);
        let text = time_control(&[stage(540_000, 0, 40), stage(180_000, 3000, 1000), rest]);
        assert_eq!(text.as_deref(), Some("40/5400:1800+30"));
        assert_eq!(
            time_control(&[stage(30_000, 0, 1000), rest, rest]).as_deref(),
            Some("300")
        );
        assert_eq!(time_control(&[stage(540_000, 3000, 40), rest, rest]), None);
        assert_eq!(time_control(&[rest; 3]), None);
    }

    #[test]
    fn clocks_are_rounded_down() {
        assert_eq!(clock(215_799), "0:35:57");
    }
}
