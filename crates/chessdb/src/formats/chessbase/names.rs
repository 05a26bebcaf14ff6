//! The values in both texts of a record: players, event, round, annotator (section 10).

use std::borrow::Cow;
use std::fmt::Write;

use super::characters::Characters;
use super::record::Record;

/// The placeholder for an empty text.
const UNKNOWN: &str = "?";

/// The texts of one record. Reading another record reuses the memory.
#[derive(Debug, Default)]
pub(super) struct Names {
    bytes: [Vec<u8>; 2],
    /// The players, without the round.
    players: String,
    /// Position of the hyphen between the players.
    hyphen: Option<usize>,
    /// The source, without round and annotator.
    source: String,
    /// Empty if the texts have no round.
    pub(super) round: String,
    /// Empty if the texts have no annotator.
    pub(super) annotator: String,
}

impl Names {
    /// Reads the texts of a record.
    pub(super) fn read(&mut self, record: &Record<'_>, characters: Characters) {
        let [players, source] = &mut self.bytes;
        players.clear();
        source.clear();
        record.texts(players, source);
        characters.decode(players, &mut self.players);
        characters.decode(source, &mut self.source);
        self.split();
    }

    /// Moves round and annotator out of the texts (sections 10.2, 10.3).
    fn split(&mut self) {
        self.round.clear();
        self.annotator.clear();
        for text in [&mut self.players, &mut self.source] {
            if let Some((start, end)) = find_round(text) {
                let numbers = text.get(start..end).unwrap_or_default();
                append_round(numbers, &mut self.round);
                take_out(text, start, end);
                break;
            }
        }
        if let Some(start) = self.source.find('[')
            && let Some(len) = self.source.get(start..).and_then(|rest| rest.find(']'))
        {
            let annotator = self.source.get(start + 1..start + len).unwrap_or_default();
            self.annotator.push_str(annotator.trim());
            take_out(&mut self.source, start, start + len + 1);
        }
        self.part_players();
    }

    /// White's name.
    pub(super) fn white(&self) -> Cow<'_, str> {
        let end = self.hyphen.unwrap_or(self.players.len());
        name(self.players.get(..end).unwrap_or_default())
    }

    /// Black's name.
    pub(super) fn black(&self) -> Cow<'_, str> {
        let start = self.hyphen.map_or(self.players.len(), |hyphen| hyphen + 1);
        name(self.players.get(start..).unwrap_or_default())
    }

    /// The event.
    pub(super) fn event(&self) -> Cow<'_, str> {
        Cow::Borrowed(if self.source.is_empty() {
            UNKNOWN
        } else {
            &self.source
        })
    }

    /// Finds the hyphen that separates the players (section 10.1).
    fn part_players(&mut self) {
        let text = self.players.as_str();
        let mut hyphens = text.match_indices('-').map(|(at, _)| at);
        self.hyphen = hyphens.next().map(|first| match hyphens.next() {
            Some(second) if text.find(',').is_some_and(|comma| comma > first) => second,
            _ => first,
        });
    }
}

/// A name without surrounding spaces. `_` in a name is a hyphen.
fn name(text: &str) -> Cow<'_, str> {
    match text.trim() {
        "" => Cow::Borrowed(UNKNOWN),
        text if text.contains('_') => Cow::Owned(text.replace('_', "-")),
        text => Cow::Borrowed(text),
    }
}

/// Removes a range from a text. If there are spaces on both sides, one remains.
fn take_out(text: &mut String, start: usize, end: usize) {
    text.replace_range(start..end, "");
    let head = text.get(..start).unwrap_or_default();
    if head.is_empty() || head.ends_with(' ') {
        let blanks = text
            .get(start..)
            .map_or(0, |tail| tail.len() - tail.trim_start().len());
        text.replace_range(start..start + blanks, "");
    }
    text.truncate(text.trim_end().len());
}

/// The range of the first round, including its parentheses: digits, points and slashes, perhaps after `m/`.
fn find_round(text: &str) -> Option<(usize, usize)> {
    let opens = text.match_indices('(').map(|(at, _)| at);
    opens.into_iter().find_map(|open| {
        let inside = text.get(open + 1..)?;
        let numbers = inside.strip_prefix("m/").unwrap_or(inside);
        let rest = numbers.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '/' | '\\'));
        let len = numbers.len() - rest.len();
        let has_digit = numbers.get(..len)?.contains(|c: char| c.is_ascii_digit());
        let end = text.len() - rest.len() + 1;
        (has_digit && rest.starts_with(')')).then_some((open, end))
    })
}

/// Appends the first three numbers without leading zeros, separated by points.
fn append_round(text: &str, round: &mut String) {
    let numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| !number.is_empty());
    for (place, number) in numbers.take(3).enumerate() {
        let point = if place == 0 { "" } else { "." };
        let number = match number.trim_start_matches('0') {
            "" => "0",
            number => number,
        };
        // Writing to a string cannot fail.
        let _ = write!(round, "{point}{number}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(players: &str, source: &str) -> Names {
        let mut names = Names {
            players: players.to_owned(),
            source: source.to_owned(),
            ..Names::default()
        };
        names.split();
        names
    }

    #[test]
    fn players_are_separated_at_the_right_hyphen() {
        for (text, white, black) in [
            ("Kasparov,G-Karpov,A", "Kasparov,G", "Karpov,A"),
            ("Vachier-Lagrave,M-Carlsen,M", "Vachier-Lagrave,M", "Carlsen,M"),
            ("Carlsen,M-Vachier-Lagrave,M", "Carlsen,M", "Vachier-Lagrave,M"),
            ("Fischer simul", "Fischer simul", "?"),
            ("Kramnik,V - Anand,V", "Kramnik,V", "Anand,V"),
            ("Vachier_Lagrave,M-", "Vachier-Lagrave,M", "?"),
            ("-", "?", "?"),
            ("a-b-c", "a", "b-c"),
        ] {
            let names = names(text, "");
            assert_eq!((&*names.white(), &*names.black()), (white, black), "{text}");
        }
    }

    #[test]
    fn rounds_are_numbers_in_parentheses() {
        for (source, event, round) in [
            ("Test, Bonn (1)", "Test, Bonn", "1"),
            ("Wch-Leningrad (m/22)", "Wch-Leningrad", "22"),
            ("A (06) B", "A B", "6"),
            ("(1/3)", "?", "1.3"),
            ("A (0)", "A", "0"),
            ("A (3.2.1.7)", "A", "3.2.1"),
            ("A (w) (4)", "A (w)", "4"),
            ("A (.)", "A (.)", ""),
            ("A (1", "A (1", ""),
            ("A ((2)", "A (", "2"),
        ] {
            let names = names("", source);
            assert_eq!(
                (&*names.event(), names.round.as_str()),
                (event, round),
                "{source}"
            );
        }
        let names = names("A-B (7)", "C (8)");
        assert_eq!(
            (&*names.black(), &*names.event(), &*names.round),
            ("B", "C (8)", "7")
        );
    }

    #[test]
    fn annotators_are_in_brackets() {
        let both = names("", "London m/1 (3.2) [Nunn,J]");
        assert_eq!((&*both.event(), &*both.annotator), ("London m/1", "Nunn,J"));
        assert_eq!(both.round, "3.2");
        assert_eq!(names("", "A []").annotator, "");
        assert_eq!(names("", "A [b").event(), "A [b");
    }
}
