//! Names of games and blocks in `games/`, and of directories named after a text of the database.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::library::{LONGEST_NAME, cut, safe_name};
use chessdb::formats::{Database, TextId};

/// Number of games in a directory of `games/`.
pub const BLOCK: u32 = 1000;

/// Number of digits in the numbers of a database with `games` games.
pub fn digits(games: u32) -> usize {
    let needed = games.checked_ilog10().unwrap_or(0) as usize + 1;
    needed.max(6)
}

/// Name of a block of `games/`: `000001-001000`.
pub fn block_name(block: u32, digits: usize) -> String {
    let first = u64::from(block) * u64::from(BLOCK) + 1;
    let last = first + u64::from(BLOCK) - 1;
    format!("{first:0digits$}-{last:0digits$}")
}

/// Name of a game in its block: `000042.pgn`.
pub fn numbered_game_name(game: u32, digits: usize) -> String {
    format!("{:0digits$}.pgn", u64::from(game) + 1)
}

/// Path of a game from the directory of its database, which has `games` games: `games/000001-001000/000042.pgn`.
pub fn game_path(game: u32, games: u32) -> String {
    let digits = digits(games);
    let (block, name) = (block_name(game / BLOCK, digits), numbered_game_name(game, digits));
    format!("games/{block}/{name}")
}

/// Normalizes a text to Unicode NFC, so that equal texts are equal as bytes. An empty text becomes `?`.
pub fn canonical(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_empty() {
        return Cow::Borrowed("?");
    }
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text;
    }
    Cow::Owned(text.nfc().collect())
}

/// The normalized text of an id.
pub fn canonical_text(database: &dyn Database, id: TextId) -> String {
    canonical(database.text(id).into()).into_owned()
}

/// Name of the directory for a normalized text.
pub fn directory_name(text: &str) -> Cow<'_, str> {
    match safe_name(text) {
        Cow::Borrowed(name) => Cow::Borrowed(cut(name, LONGEST_NAME)),
        Cow::Owned(name) => Cow::Owned(cut(&name, LONGEST_NAME).to_owned()),
    }
}

/// `Linares 1993`; without the year if it is unknown or already part of the event's text.
pub fn event_and_year(event: String, year: u16) -> String {
    if year == 0 {
        return event;
    }
    let year = format!("{year:04}");
    match event.as_str() {
        "?" => format!("unknown {year}"),
        text if text.contains(&year) => event,
        text => canonical(format!("{text} {year}").into()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_have_as_many_digits_as_the_count_needs() {
        assert_eq!([0, 1, 999_999, 1_000_000].map(digits), [6, 6, 6, 7]);
        assert_eq!(block_name(0, 6), "000001-001000");
        assert_eq!(block_name(1000, 7), "1000001-1001000");
        assert_eq!(numbered_game_name(41, 6), "000042.pgn");
        assert_eq!(numbered_game_name(u32::MAX, 10), "4294967296.pgn");
    }

    #[test]
    fn an_event_has_its_year_once() {
        let name = |event: &str, year| event_and_year(event.to_owned(), year);
        assert_eq!(name("Linares", 1993), "Linares 1993");
        assert_eq!(name("Linares 1993", 1993), "Linares 1993");
        assert_eq!(name("Linares 1993", 1994), "Linares 1993 1994");
        assert_eq!(name("Linares", 0), "Linares");
        assert_eq!(name("?", 1993), "unknown 1993");
        assert_eq!(name("?", 0), "?");
    }

    #[test]
    fn directories_have_safe_names() {
        assert_eq!(directory_name("Kasparov, Garry"), "Kasparov, Garry");
        assert_eq!(directory_name("a/b\0c\u{7f}"), "a_b_c_");
        assert_eq!(directory_name(&canonical(Cow::Borrowed(""))), "unknown");
        assert_eq!(directory_name(&"é".repeat(200)), "é".repeat(120));
        assert_eq!(canonical(Cow::Borrowed("Re\u{301}ti")), "Réti");
    }

    proptest! {
        #[test]
        fn directory_names_are_always_good(text in any::<String>()) {
            let name = directory_name(&canonical(Cow::Borrowed(&text))).into_owned();
            prop_assert!(!name.is_empty() && name.len() <= LONGEST_NAME);
            prop_assert!(!name.contains(['/', '\0']) && !matches!(name.as_str(), "." | ".." | "?"));
        }
    }
}
