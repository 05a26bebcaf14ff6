//! Names of games, of their blocks, and of directories that have a database's text as their name.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::formats::{Database, Keys, TextId};
use crate::game::{Date, Outcome};
use crate::library::{LONGEST_NAME, cut, safe_name};

/// Games in a directory of `games/`.
pub const BLOCK: u32 = 1000;

/// Most bytes of a surname in a game's name.
const LONGEST_SURNAME: usize = 60;

/// Digits of the numbers of a database with so many games.
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

/// Name of a game in every view: `1985.11.09_Karpov-Kasparov_0-1_000042.pgn`.
pub fn game_name(database: &dyn Database, keys: &Keys, game: u32, digits: usize) -> String {
    let mut name = String::with_capacity(64);
    push_date(&mut name, keys.date);
    name.push('_');
    push_surname(&mut name, &database.text(keys.white));
    name.push('-');
    push_surname(&mut name, &database.text(keys.black));
    let result = match keys.outcome {
        Outcome::WhiteWins => "1-0",
        Outcome::BlackWins => "0-1",
        Outcome::Draw => "draw",
        Outcome::Unknown => "open",
    };
    // Writing to a string cannot fail.
    let _ = write!(name, "_{result}_{:0digits$}.pgn", u64::from(game) + 1);
    name
}

/// The game that a name speaks of: the number at its end. The rest of the name is not looked at.
pub fn game_of_name(name: &str) -> Option<u32> {
    let stem = name.strip_suffix(".pgn")?;
    let number = stem.rsplit_once('_').map_or(stem, |(_, number)| number);
    if !number.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    number.parse::<u32>().ok()?.checked_sub(1)
}

/// The form of a text in which equal texts are equal: Unicode NFC. An empty text says as little as `?`.
pub fn canonical(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_empty() {
        return Cow::Borrowed("?");
    }
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text;
    }
    Cow::Owned(text.nfc().collect())
}

/// The canonical text that an id stands for.
pub fn canonical_text(database: &dyn Database, id: TextId) -> Cow<'_, str> {
    canonical(database.text(id))
}

/// Name of the directory for a canonical text.
pub fn directory_name(text: &str) -> Cow<'_, str> {
    match safe_name(text) {
        Cow::Borrowed(name) => Cow::Borrowed(cut(name, LONGEST_NAME)),
        Cow::Owned(name) => Cow::Owned(cut(&name, LONGEST_NAME).to_owned()),
    }
}

/// Appends `1985.11.09`, unknown parts as `xxxx` and `xx`.
fn push_date(name: &mut String, date: Date) {
    let start = name.len();
    let _ = write!(name, "{date}");
    if name.get(start..).is_some_and(|date| date.contains('?')) {
        let date = name.split_off(start).replace('?', "x");
        name.push_str(&date);
    }
}

/// Appends letters and digits of what stands before the first comma, with `-` for all that is between them.
fn push_surname(name: &mut String, player: &str) {
    let surname = player.split(',').next().unwrap_or_default();
    let start = name.len();
    let mut is_gap = false;
    for c in canonical(Cow::Borrowed(surname)).chars() {
        if !c.is_alphanumeric() {
            is_gap = true;
            continue;
        }
        let gap = is_gap && name.len() > start;
        if name.len() - start + usize::from(gap) + c.len_utf8() > LONGEST_SURNAME {
            break;
        }
        if gap {
            name.push('-');
        }
        name.push(c);
        is_gap = false;
    }
    if name.len() == start {
        name.push_str("unknown");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn surname(player: &str) -> String {
        let mut name = String::new();
        push_surname(&mut name, player);
        name
    }

    #[test]
    fn numbers_have_as_many_digits_as_the_count_needs() {
        assert_eq!([0, 1, 999_999, 1_000_000].map(digits), [6, 6, 6, 7]);
        assert_eq!(block_name(0, 6), "000001-001000");
        assert_eq!(block_name(1000, 7), "1000001-1001000");
        assert_eq!(numbered_game_name(41, 6), "000042.pgn");
        assert_eq!(numbered_game_name(u32::MAX, 10), "4294967296.pgn");
    }

    #[test]
    fn the_number_is_found_at_the_end_of_a_name() {
        assert_eq!(
            game_of_name("1985.11.09_Karpov-Kasparov_0-1_000042.pgn"),
            Some(41)
        );
        assert_eq!(game_of_name("000042.pgn"), Some(41));
        assert_eq!(game_of_name("a_000000.pgn"), None);
        assert_eq!(game_of_name("a_+00042.pgn"), None);
        assert_eq!(game_of_name("a_99999999999.pgn"), None);
        assert_eq!(game_of_name("_.pgn"), None);
        assert_eq!(game_of_name("000042"), None);
    }

    #[test]
    fn surnames_need_no_quotes() {
        assert_eq!(surname("Kasparov, Garry"), "Kasparov");
        assert_eq!(surname("O'Kelly de Galway, Alberic"), "O-Kelly-de-Galway");
        assert_eq!(surname(" (Deep  Blue) "), "Deep-Blue");
        assert_eq!(surname("Re\u{301}ti"), "Réti");
        for nothing in ["", "?", ", Garry", "/../"] {
            assert_eq!(surname(nothing), "unknown");
        }
        assert_eq!(surname(&"é".repeat(40)), "é".repeat(30));
        assert_eq!(surname(&format!("{} b", "a".repeat(59))), "a".repeat(59));
    }

    #[test]
    fn dates_have_no_question_marks() {
        let mut name = "_".to_owned();
        push_date(&mut name, Date::new(1985, 0, 0));
        assert_eq!(name, "_1985.xx.xx");
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

        #[test]
        fn surnames_are_letters_digits_and_single_lines(text in any::<String>()) {
            let name = surname(&text);
            prop_assert!(!name.is_empty() && name.len() <= LONGEST_SURNAME);
            prop_assert!(name.chars().all(|c| c.is_alphanumeric() || c == '-'));
            prop_assert!(!name.starts_with('-') && !name.ends_with('-') && !name.contains("--"));
        }
    }
}
