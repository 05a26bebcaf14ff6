//! Names that no directory chokes on, each given once.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Maximum number of bytes of a name before ` (2)` or `.pgn` is appended: what is appended must fit into 255.
pub const LONGEST_NAME: usize = 240;

/// The text as a name: `/`, NUL and control characters are replaced by `_`, and names that directories do not
/// allow or keep for themselves become `unknown`. The length is not touched.
pub fn safe_name(text: &str) -> Cow<'_, str> {
    let is_plain = |c: u8| (b' '..0x7f).contains(&c) && c != b'/';
    let is_unsafe = |c: char| c == '/' || c.is_control();
    match text {
        "" | "." | ".." | "?" => Cow::Borrowed("unknown"),
        _ if text.bytes().all(is_plain) || !text.contains(is_unsafe) => Cow::Borrowed(text),
        _ => Cow::Owned(text.replace(is_unsafe, "_")),
    }
}

/// What a terminal shows nothing for or takes for a command, from the first character of each range to its last:
/// controls, breaks of lines and paragraphs, marks that reverse the order of what follows, and invisible characters.
/// Joiners (U+200C, U+200D) are not among them, because words of some scripts are misspelt without them.
const UNPRINTABLE: [(char, char); 18] = [
    ('\0', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200b}'),
    ('\u{200e}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e007f}'),
    ('\u{e01f0}', '\u{e0fff}'),
];

/// True for a character that shows nothing, or makes a terminal show something else than the text.
pub fn is_unprintable(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_control(),
        false => UNPRINTABLE
            .iter()
            .any(|&(first, last)| (first..=last).contains(&c)),
    }
}

/// A text with a space for each character that is unprintable, so that it stays on its line and cannot command a
/// terminal.
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    match text.contains(is_unprintable) {
        true => Cow::Owned(text.replace(is_unprintable, " ")),
        false => Cow::Borrowed(text),
    }
}

/// A path for people: on one line, with `\u{fffd}` for what is not UTF-8.
pub fn shown(path: &Path) -> String {
    on_one_line(&path.to_string_lossy()).into_owned()
}

/// At most `bytes` of a text, cut between characters.
pub fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// `name`, or `name (2)` and so on for the second and later of that name.
pub fn numbered(name: &str, ordinal: u32) -> Cow<'_, str> {
    match ordinal {
        0 | 1 => Cow::Borrowed(name),
        _ => Cow::Owned(format!("{} ({ordinal})", cut(name, LONGEST_NAME))),
    }
}

/// The names that a directory has given away.
#[derive(Debug, Default)]
pub struct TakenNames {
    taken: HashSet<String>,
    /// The ordinal to try next for another of those names that [`numbered`] cuts to the same beginning.
    next: HashMap<String, u32>,
}

impl TakenNames {
    /// The ordinal under which [`numbered`] gives a name that is free; it is taken from now on.
    pub fn take(&mut self, name: &str) -> u32 {
        if !self.taken.contains(name) {
            self.taken.insert(name.to_owned());
            return 1;
        }
        let next = self.next.entry(cut(name, LONGEST_NAME).to_owned()).or_insert(2);
        loop {
            let ordinal = *next;
            *next = ordinal.saturating_add(1);
            if self.taken.insert(numbered(name, ordinal).into_owned()) {
                return ordinal;
            }
        }
    }

    /// The name itself where it is free, else one with a number; it is taken from now on.
    pub fn take_name(&mut self, name: &str) -> String {
        let ordinal = self.take(name);
        numbered(name, ordinal).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_are_replaced() {
        assert_eq!(safe_name("A/B\0C\nD\u{85}"), "A_B_C_D_");
        assert_eq!(safe_name("Kasparov, Garry"), "Kasparov, Garry");
        for text in ["", ".", "..", "?"] {
            assert_eq!(safe_name(text), "unknown");
        }
    }

    #[test]
    fn a_line_stays_one() {
        assert_eq!(on_one_line("a\nb\x1b[31m\u{85}é"), "a b [31m é");
        assert_eq!(on_one_line("é"), "é");
        let hidden = "\u{9b}\u{ad}\u{200b}\u{200f}\u{2028}\u{2029}\u{202e}\u{2066}\u{feff}\u{e0041}";
        assert_eq!(on_one_line(hidden), " ".repeat(10));
        // Letters that are written from right to left stay, and so do joiners and accents.
        for name in ["גלפנד", "علی\u{200c}رضا", "Ковачевић", "葉江川", "e\u{301}"] {
            assert_eq!(on_one_line(name), name);
        }
        assert_eq!(shown(Path::new("/a\nb\x1b[31m")), "/a b [31m");
    }

    #[test]
    fn names_are_cut_between_characters() {
        assert_eq!(cut("ééé", 5), "éé");
        assert_eq!(cut("abc", 5), "abc");
    }

    #[test]
    fn later_names_get_a_number() {
        let mut names = TakenNames::default();
        let given: Vec<_> = ["a", "a (2)", "a", "a", "a (2)"]
            .iter()
            .map(|name| names.take_name(name))
            .collect();
        assert_eq!(given, ["a", "a (2)", "a (3)", "a (4)", "a (2) (2)"]);
    }

    #[test]
    fn a_number_fits_behind_the_longest_name() {
        let mut names = TakenNames::default();
        let long = "x".repeat(255);
        assert_eq!(names.take_name(&long), long);
        assert_eq!(names.take_name(&long), format!("{} (2)", "x".repeat(240)));
        assert_eq!(names.take_name(&long).len(), 244);
    }

    #[test]
    fn many_long_names_with_one_beginning_are_numbered_in_turn() {
        // Where each of them tried all numbers from 2 on, these would be more than a thousand million names.
        let long = |n: usize| format!("{}{n:05}", "x".repeat(LONGEST_NAME));
        let mut names = TakenNames::default();
        for n in 0..50_000 {
            assert_eq!(names.take_name(&long(n)), long(n));
        }
        for n in 0..50_000 {
            let expected = format!("{} ({})", "x".repeat(LONGEST_NAME), n + 2);
            assert_eq!(names.take_name(&long(n)), expected);
        }
    }
}
