//! Safe and unique names.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Maximum length of a name in bytes before ` (2)` or `.pgn` is appended; the result must not exceed 255.
pub const LONGEST_NAME: usize = 240;

/// The text as a file name: `/`, `\` and control characters become `_`, and texts that are empty or have a special
/// meaning, such as `..`, become `unknown`.
pub fn safe_name(text: &str) -> Cow<'_, str> {
    let is_plain = |c: u8| (b' '..0x7f).contains(&c) && !matches!(c, b'/' | b'\\');
    // Samba stops listing a directory at a name with a backslash.
    let is_unsafe = |c: char| matches!(c, '/' | '\\') || c.is_control();
    match text {
        "" | "." | ".." | "?" => Cow::Borrowed("unknown"),
        _ if text.bytes().all(is_plain) || !text.contains(is_unsafe) => Cow::Borrowed(text),
        _ => Cow::Owned(text.replace(is_unsafe, "_")),
    }
}

/// Ranges of characters that terminals do not show or interpret as commands: controls, line and paragraph
/// separators, marks that change the direction of text, and invisible characters. Joiners (U+200C, U+200D)
/// are not included, because some scripts need them for correct spelling.
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

/// True for a character that is invisible or changes what a terminal displays.
pub fn is_unprintable(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_control()
    } else {
        UNPRINTABLE
            .iter()
            .any(|&(first, last)| (first..=last).contains(&c))
    }
}

/// Replaces each unprintable character by a space, so that the text stays on one line and cannot control a
/// terminal.
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    if text.contains(is_unprintable) {
        Cow::Owned(text.replace(is_unprintable, " "))
    } else {
        Cow::Borrowed(text)
    }
}

/// A path for messages: on one line, with `\u{fffd}` in place of bytes that are not UTF-8.
pub fn shown(path: &Path) -> String {
    on_one_line(&path.to_string_lossy()).into_owned()
}

/// The first `bytes` bytes of a text at most, cut between characters.
pub fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// The first `bytes` bytes of a text at most, with `...` after them if it is longer, for messages: on one line.
pub fn abridged(text: &str, bytes: usize) -> String {
    let shown = cut(text, bytes);
    let rest = if shown.len() < text.len() { "..." } else { "" };
    format!("{}{rest}", on_one_line(shown))
}

/// `name`, or `name (2)` and so on if `ordinal` is 2 or more.
pub fn numbered(name: &str, ordinal: u32) -> Cow<'_, str> {
    match ordinal {
        0 | 1 => Cow::Borrowed(name),
        _ => Cow::Owned(format!("{} ({ordinal})", cut(name, LONGEST_NAME))),
    }
}

/// The names that are taken in a directory.
#[derive(Debug, Default)]
pub struct TakenNames {
    taken: HashSet<String>,
    /// The next ordinal to try for a name that [`numbered`] cuts to this start.
    next: HashMap<String, u32>,
}

impl TakenNames {
    /// Reserves a name. Returns the ordinal with which [`numbered`] makes it unique.
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

    /// Takes a name and returns it, with a number if it was taken already.
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
        assert_eq!(safe_name("A/B\0C\nD\u{85}E\\F"), "A_B_C_D_E_F");
        assert_eq!(safe_name("Kasparov, Garry"), "Kasparov, Garry");
        for text in ["", ".", "..", "?"] {
            assert_eq!(safe_name(text), "unknown");
        }
    }

    #[test]
    fn texts_stay_on_one_line() {
        assert_eq!(on_one_line("a\nb\x1b[31m\u{85}é"), "a b [31m é");
        assert_eq!(on_one_line("é"), "é");
        let hidden = "\u{9b}\u{ad}\u{200b}\u{200f}\u{2028}\u{2029}\u{202e}\u{2066}\u{feff}\u{e0041}";
        assert_eq!(on_one_line(hidden), " ".repeat(10));
        // Letters of scripts written from right to left are kept, and so are joiners and accents.
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
        // If each name tried all numbers from 2, this would try more than a thousand million names.
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
