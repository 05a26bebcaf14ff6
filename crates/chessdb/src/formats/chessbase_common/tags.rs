//! The tags that ChessBase exports.

use super::{characters, values};
use crate::game::{Date, Eco, Tags};

/// Kinds of tournaments.
const KINDS: [&str; 9] = [
    "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];

/// Bits of the kind, with the text that they add to its name.
const SPEEDS: [(u8, &str); 3] = [(0x20, " (blitz)"), (0x40, " (rapid)"), (0x80, " (corr)")];

/// Sets a tag to a text, if it is not empty.
#[inline]
pub(in crate::formats) fn set_text(tags: &mut Tags, name: &'static str, append: impl FnOnce(&mut String)) {
    let mut text = String::new();
    append(&mut text);
    if !text.is_empty() {
        tags.set_str(name, &text);
    }
}

/// Sets the tag of a game's title, which may contain moves with private characters.
pub(in crate::formats) fn set_title(tags: &mut Tags, append: impl FnOnce(&mut String)) {
    set_text(tags, "Title", |out| {
        append(out);
        *out = characters::with_marks(out);
    });
}

pub(in crate::formats) fn set_date(tags: &mut Tags, name: &'static str, date: Date) {
    if date != Date::default() {
        tags.set_date(name, date);
    }
}

pub(in crate::formats) fn set_number(tags: &mut Tags, name: &'static str, number: u32) {
    if number != 0 {
        tags.set_number(name, number);
    }
}

/// Sets the tag of a date from its stored form.
pub(in crate::formats) fn set_stored_date(tags: &mut Tags, name: &'static str, stored: u32) {
    set_date(tags, name, values::date(stored));
}

/// Values from a game's record; 0 if unknown.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) struct OfRecord {
    pub(in crate::formats) date: Date,
    pub(in crate::formats) round: u16,
    pub(in crate::formats) subround: u16,
    pub(in crate::formats) board: u16,
    pub(in crate::formats) elo: [u16; 2],
    pub(in crate::formats) eco: Option<(Eco, u16)>,
    pub(in crate::formats) is_deleted: bool,
}

impl OfRecord {
    /// Sets their tags.
    pub(in crate::formats) fn set(self, tags: &mut Tags) {
        tags.set_date("Date", self.date);
        match (self.round, self.subround) {
            (0, _) => {}
            (round, 0) => tags.set_number("Round", round.into()),
            (round, subround) => tags.set("Round", format_args!("{round}.{subround}")),
        }
        // A subround without a round is a board.
        let board = match (self.board, self.round) {
            (0, 0) => self.subround,
            (board, _) => board,
        };
        set_number(tags, "Board", board.into());
        for (name, elo) in ["WhiteElo", "BlackElo"].into_iter().zip(self.elo) {
            set_number(tags, name, elo.into());
        }
        if let Some((eco, sub_code)) = self.eco {
            tags.set_str("ECO", eco.as_str());
            if sub_code != 0 {
                tags.set("ECOSub", format_args!("{sub_code:02}"));
            }
        }
        if self.is_deleted {
            tags.set_str("Deleted", "1");
        }
    }
}

/// Sets the tags of a start position. `fen` is `None` for the usual position, and for a position that no game can be
/// played from.
pub(in crate::formats) fn set_start(tags: &mut Tags, is_chess960: bool, fen: Option<&str>) {
    if is_chess960 {
        tags.set_str("Variant", "chess 960");
    }
    if let Some(fen) = fen {
        tags.set_str("SetUp", "1");
        tags.set_str("FEN", fen);
    }
}

/// Appends the name of a player: `Last, First`. Both parts append their own text.
pub(in crate::formats) fn append_player(
    last: impl FnOnce(&mut String),
    first: impl FnOnce(&mut String),
    out: &mut String,
) {
    let start = out.len();
    last(out);
    let comma = out.len();
    if comma > start {
        out.push_str(", ");
    }
    let place = out.len();
    first(out);
    match out.get(place..).map(|name| name.chars().count()) {
        Some(0) => out.truncate(comma),
        Some(1) if out.ends_with(char::is_alphabetic) => out.push('.'),
        _ => {}
    }
}

/// Appends the kind of a tournament: `team-swiss (rapid)`.
pub(in crate::formats) fn append_kind(kind: u8, is_of_teams: bool, out: &mut String) {
    let name = KINDS.get(usize::from(kind & 0x1f)).copied().unwrap_or_default();
    if name.is_empty() {
        return;
    }
    if is_of_teams {
        out.push_str("team-");
    }
    out.push_str(name);
    for (_, speed) in SPEEDS.into_iter().filter(|(bit, _)| kind & bit != 0) {
        out.push_str(speed);
    }
}

/// Appends the number of a team to its name: `Eppingen II`.
pub(in crate::formats) fn append_number_of_team(number: u32, name: &mut String) {
    if !name.is_empty() && (2..=MOST_ROMAN).contains(&number) {
        name.push(' ');
        append_roman(number, name);
    }
}

/// The greatest number that can be written in Roman numerals.
const MOST_ROMAN: u32 = 3999;

fn append_roman(mut number: u32, out: &mut String) {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    for (value, digits) in DIGITS {
        while number >= value {
            out.push_str(digits);
            number -= value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_have_roman_numbers() {
        let roman = |number| {
            let mut text = String::new();
            append_roman(number, &mut text);
            text
        };
        assert_eq!(
            [2, 4, 9, 14, 1994].map(roman),
            ["II", "IV", "IX", "XIV", "MCMXCIV"]
        );
    }
}
