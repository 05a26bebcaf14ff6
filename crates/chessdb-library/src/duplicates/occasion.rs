//! The occasions on which games were played, and which of them can be the same.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::player::words;
use chessdb::game::Date;

/// The date of a game, and its event and round if these can distinguish it from another game with the same moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Occasion {
    pub(super) date: Date,
    /// `None` if only the date counts.
    pub(super) place: Option<EventRound>,
    /// True if a program played, which may play the same moves again: then both the date and the round count.
    pub(super) is_of_program: bool,
}

/// An event and a round of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventRound {
    pub(super) event: Arc<Event>,
    /// The [numbers] in the round.
    pub(super) round: Arc<[u64]>,
}

/// The name of an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Hashes of the words that identify the event, sorted; empty if it is unknown.
    words: Box<[u64]>,
    /// Hashes of the years and ordinals of the event, sorted.
    edition: Box<[u64]>,
}

impl Event {
    pub(super) fn read(name: &str) -> Event {
        Event {
            words: event_words(name),
            edition: hashes_of(name, is_edition),
        }
    }
}

impl Occasion {
    /// True if two games with the same moves and players can be one game that was played on both occasions.
    pub(super) fn agrees(&self, other: &Occasion) -> bool {
        let places = self.place.as_ref().zip(other.place.as_ref());
        let has_date = dates_agree(self.date, other.date);
        if self.is_of_program || other.is_of_program {
            return has_date && places.is_none_or(|(a, b)| a.has_round_of(b) != Some(false));
        }
        has_date || places.is_some_and(|(a, b)| a.agrees(b))
    }

    /// True if no known part of the dates differs, nor the first number of known rounds; in games of programs, no
    /// number of known rounds may differ.
    pub(super) fn may_be(&self, other: &Occasion) -> bool {
        if self.is_of_program || other.is_of_program {
            return self.agrees(other);
        }
        let places = self.place.as_ref().zip(other.place.as_ref());
        dates_agree(self.date, other.date) && places.is_none_or(|(a, b)| a.has_first_round_of(b))
    }
}

impl EventRound {
    /// True unless both rounds are known and their first numbers differ.
    fn has_first_round_of(&self, other: &EventRound) -> bool {
        let rounds = self.round.first().zip(other.round.first());
        rounds.is_none_or(|(a, b)| a == b)
    }

    fn agrees(&self, other: &EventRound) -> bool {
        self.has_first_round_of(other) && one_is_part(&self.event.words, &other.event.words)
    }

    /// True if both events are known and the same, apart from years and ordinals that one event leaves out.
    pub(super) fn has_event_of(&self, other: &EventRound) -> bool {
        let (a, b) = (&self.event, &other.event);
        !a.words.is_empty() && a.words == b.words && one_is_part(&a.edition, &b.edition)
    }

    /// True if both rounds are the same, apart from further numbers that one of them leaves out. `None` if one is
    /// unknown.
    pub(super) fn has_round_of(&self, other: &EventRound) -> Option<bool> {
        let mut numbers = self.round.iter().zip(&*other.round).peekable();
        numbers.peek()?;
        Some(numbers.all(|(a, b)| a == b))
    }
}

/// True if all known parts of two dates are the same.
pub(super) fn dates_agree(a: Date, b: Date) -> bool {
    let agree = |a: u16, b: u16| a == 0 || b == 0 || a == b;
    agree(a.year, b.year) && agree(a.month.into(), b.month.into()) && agree(a.day.into(), b.day.into())
}

/// True if one of two sorted lists contains the whole other list.
fn one_is_part(a: &[u64], b: &[u64]) -> bool {
    is_part(a, b) || is_part(b, a)
}

/// True if the sorted list `whole` contains all of the sorted list `part`.
fn is_part(part: &[u64], whole: &[u64]) -> bool {
    part.iter().all(|word| whole.binary_search(word).is_ok())
}

/// Hashes of the words of an event, without years and ordinals, which are often left out.
pub(super) fn event_words(event: &str) -> Box<[u64]> {
    hashes_of(event, |word| !is_edition(word))
}

/// Hashes of some words of an event, sorted, each once.
fn hashes_of(event: &str, is_wanted: fn(&str) -> bool) -> Box<[u64]> {
    let words = words(event).into_iter().filter(|word| is_wanted(word));
    let mut hashes: Vec<u64> = words.map(|word| xxh3_64(word.as_bytes())).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

/// True for years and ordinals.
fn is_edition(word: &str) -> bool {
    is_year(word) || is_ordinal(word)
}

/// True for four digits.
fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for `1st`, `22nd`, `3rd`, `14th`, and for Roman numbers up to `lxxxix`.
fn is_ordinal(word: &str) -> bool {
    let letters = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if letters.len() < word.len() {
        matches!(letters, "st" | "nd" | "rd" | "th")
    } else {
        is_roman(word)
    }
}

fn is_roman(word: &str) -> bool {
    let tens = ["lx", "l", "xl", ""]
        .into_iter()
        .find_map(|tens| word.strip_prefix(tens));
    let rest = tens.unwrap_or_default();
    let ones = rest.trim_start_matches('x');
    let has_tens = rest.len() - ones.len() <= 3;
    let is_digit = matches!(
        ones,
        "" | "i" | "ii" | "iii" | "iv" | "v" | "vi" | "vii" | "viii" | "ix"
    );
    !word.is_empty() && has_tens && is_digit
}

/// The numbers in a round: 2 and 10 in `2.10` and in `Round 2, board 10`; none if it is unknown. A number that is too large
/// ends the list.
pub(super) fn numbers(text: &str) -> Box<[u64]> {
    let digits = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty());
    digits.map_while(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(a: (&str, &str), b: (&str, &str)) -> bool {
        let occasion = |year, (event, round)| Occasion {
            date: Date::new(year, 1, 1),
            place: Some(EventRound {
                event: Event::read(event).into(),
                round: numbers(round).into(),
            }),
            is_of_program: false,
        };
        let (a, b) = (occasion(1985, a), occasion(1986, b));
        assert_eq!(a.agrees(&b), b.agrees(&a));
        let of_date = Occasion {
            place: None,
            ..a.clone()
        };
        assert!(!of_date.agrees(&b));
        a.agrees(&b)
    }

    #[test]
    fn an_event_may_be_written_with_fewer_words() {
        for (a, b) in [
            ("Linares", "Linares 10th"),
            ("Linares 1993", "LINARES"),
            ("XI Linares", "Linares"),
            ("World Championship 32th-KK1", "World Championship-KK1"),
            ("Réti Memorial", "Memorial Reti, Prague"),
            ("?", "Linares"),
            ("1985", "Linares"),
        ] {
            assert!(agree((a, "?"), (b, "?")), "{a} {b}");
        }
        for (a, b) in [
            ("Linares", "Wijk aan Zee"),
            ("Linares open", "Linares final"),
            ("Match 1", "Match 2"),
            ("Dix memorial", "Memorial of Linares"),
        ] {
            assert!(!agree((a, "?"), (b, "?")), "{a} {b}");
        }
    }

    #[test]
    fn rounds_are_compared_by_their_first_numbers() {
        for (a, b) in [
            ("2", "2.10"),
            ("02", "Round 2"),
            ("?", "3"),
            ("", "3"),
            ("final", "3"),
        ] {
            assert!(agree(("Linares", a), ("Linares", b)), "{a} {b}");
        }
        for (a, b) in [("2", "3"), ("1.10", "10")] {
            assert!(!agree(("Linares", a), ("Linares", b)), "{a} {b}");
        }
    }

    #[test]
    fn unusual_words_are_no_ordinals() {
        for word in [
            "1st", "22nd", "3rd", "14th", "i", "iv", "xiv", "xxxix", "xlii", "lxxxix", "v",
        ] {
            assert!(is_ordinal(word), "{word}");
        }
        for word in ["th", "1a", "12", "iiii", "xxxx", "vx", "dix", "mix", "civil", ""] {
            assert!(!is_ordinal(word), "{word}");
        }
    }
}
