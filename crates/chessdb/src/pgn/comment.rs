//! Comments: cleaned, split into words, and wrapped at the end of a line.

use memchr::memchr;

use super::lines::Lines;

/// Maximum length in bytes of a word, without commands in it: the standard allows lines of 255 bytes.
const LONGEST_WORD: usize = 250;

/// Writes the words of all `texts` in braces. Writes nothing if there are no words.
pub(super) fn append_comment<'t>(lines: &mut Lines<'_>, texts: impl Iterator<Item = &'t str>) {
    let mut words = texts.flat_map(Words::new).peekable();
    let mut is_first = true;
    while let Some(word) = words.next() {
        let is_last = words.peek().is_none();
        let columns = word.chars().count() + usize::from(is_first) + usize::from(is_last);
        // A line that starts with `[` looks like a tag, and readers skip a line that starts with `%`.
        let out = if !is_first && word.starts_with(starts_badly) {
            lines.begin_unbroken_word(columns)
        } else {
            lines.begin_word(columns)
        };
        if is_first {
            out.push(b'{');
        }
        append_clean(out, word);
        if is_last {
            out.push(b'}');
        }
        is_first = false;
    }
}

/// The words of a text. A command such as `[%clk 0:01:00]` is part of a word with its spaces; other text between blanks is
/// divided into parts of at most [`LONGEST_WORD`] bytes.
struct Words<'t> {
    rest: &'t str,
    /// The last closing bracket found. If each command searched for it again, a text with many opening brackets would
    /// take very long.
    bracket: Bracket,
}

/// A closing bracket in the rest of a text.
enum Bracket {
    /// The bracket that has this number of bytes after it, unless it has been passed.
    Before(usize),
    Nowhere,
}

impl<'t> Words<'t> {
    fn new(text: &'t str) -> Words<'t> {
        Words {
            rest: text,
            // No bracket has been found yet.
            bracket: Bracket::Before(text.len()),
        }
    }

    /// The end of the command that starts at an offset.
    fn command_end(&mut self, from: usize) -> Option<usize> {
        let known = match self.bracket {
            Bracket::Before(after) => self.rest.len().checked_sub(after).filter(|end| *end > from),
            Bracket::Nowhere => return None,
        };
        if known.is_none() {
            let text = self.rest.as_bytes().get(from..)?;
            let found = memchr(b']', text);
            self.bracket = found.map_or(Bracket::Nowhere, |at| Bracket::Before(text.len() - at - 1));
            return found.map(|at| from + at + 1);
        }
        known
    }

    /// Length of the first word, or of its first part.
    fn part_len(&mut self) -> usize {
        // The length of the text since the last command.
        let (mut at, mut text) = (0, 0);
        loop {
            // Reads no more of a long word than this part needs, because the next part would read the rest again.
            let most = at + LONGEST_WORD.saturating_sub(text) + 1;
            let plain = plain_len(&self.rest.as_bytes()[at..most.min(self.rest.len())]);
            if text + plain > LONGEST_WORD {
                return self.boundary(at + LONGEST_WORD.saturating_sub(text));
            }
            (at, text) = (at + plain, text + plain);
            let next = self.rest[at..].chars().next();
            let Some(c) = next.filter(|c| !is_blank(*c)) else {
                return at;
            };
            let is_command = self.rest[at..].starts_with("[%");
            if is_command && let Some(end) = self.command_end(at) {
                (at, text) = (end, 0);
                continue;
            }
            let len = c.len_utf8();
            if text + len > LONGEST_WORD && !starts_badly(c) {
                return at;
            }
            (at, text) = (at + len, text + len);
        }
    }

    /// The last place between two characters that is not after an offset.
    fn boundary(&self, offset: usize) -> usize {
        (0..=offset)
            .rev()
            .find(|&at| self.rest.is_char_boundary(at))
            .unwrap_or(0)
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        self.rest = self.rest.trim_start_matches(is_blank);
        let (part, rest) = self.rest.split_at(self.part_len());
        self.rest = rest;
        (!part.is_empty()).then_some(part)
    }
}

/// Appends a word with `)` for braces that would end the comment, and blanks for control characters.
fn append_clean(out: &mut Vec<u8>, word: &str) {
    // In UTF-8, control characters beyond ASCII start with 0xc2.
    let is_plain = |c: u8| (c >= b' ') & (c != b'}') & (c != 0x7f) & (c != 0xc2);
    if word.bytes().fold(true, |all, c| all & is_plain(c)) {
        out.extend_from_slice(word.as_bytes());
        return;
    }
    for character in word.chars().map(clean) {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

fn clean(c: char) -> char {
    match c {
        '}' => ')',
        c if is_blank(c) => ' ',
        c => c,
    }
}

/// Number of bytes up to the first byte that may start a blank, a command or a forbidden line.
fn plain_len(text: &[u8]) -> usize {
    // In UTF-8, control characters beyond ASCII start with 0xc2.
    let is_special = |c: &u8| *c <= b' ' || matches!(*c, 0x7f | 0xc2 | b'[' | b'%');
    text.iter().position(is_special).unwrap_or(text.len())
}

fn is_blank(c: char) -> bool {
    c == ' ' || c.is_control()
}

fn starts_badly(c: char) -> bool {
    c == '[' || c == '%'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(texts: &[&str]) -> String {
        let mut out = Vec::new();
        append_comment(&mut Lines::new(&mut out), texts.iter().copied());
        String::from_utf8(out).expect("comments are UTF-8")
    }

    #[test]
    fn texts_are_joined_and_cleaned() {
        assert_eq!(written(&["a  b\r\n\tc", "d}e\u{9b}\u{85}f"]), "{a b c d)e f}");
        assert_eq!(written(&[" \n", ""]), "");
    }

    #[test]
    fn commands_are_never_wrapped() {
        let text = "word ".repeat(15) + "[%cal Ge2e4, Rd1d8] end";
        let written = written(&[&text]);
        assert!(written.contains("[%cal Ge2e4, Rd1d8]"), "{written}");
        assert_eq!(
            super::tests::written(&[&"[%clk 0:01:00] a ".repeat(99)])
                .matches("[%clk 0:01:00]")
                .count(),
            99
        );
        assert!(
            written.lines().all(|line| !line.starts_with(['[', '%'])),
            "{written}"
        );
    }

    #[test]
    fn commands_of_any_length_are_whole() {
        let long = format!("[%ref {}]", "aaaaaaaa-0001|bbbb ".repeat(30));
        for text in [
            format!("{long} good"),
            format!("{long}good"),
            format!("so{long}{long} good"),
            format!("{}{long}", "é".repeat(124)),
            format!("{}{long}", "a".repeat(250)),
            format!("[%{}]", "%[".repeat(400)),
        ] {
            assert_eq!(written(&[&text]).replace('\n', " "), format!("{{{text}}}"));
        }
        // Text beside a command is divided like any other text.
        let text = format!("{long}{}", "a".repeat(251));
        assert_eq!(
            written(&[&text]).replace('\n', " "),
            format!("{{{long}{} a}}", "a".repeat(250))
        );
    }

    #[test]
    fn unclosed_brackets_are_words() {
        // Searching to the end of the text for each bracket would read terabytes.
        let brackets = "[% ".repeat(1 << 20);
        assert_eq!(written(&[&brackets]).matches("[%").count(), 1 << 20);
    }

    #[test]
    fn a_word_of_any_length_is_read_once() {
        // Reading the rest of the word for each of its parts would take minutes.
        let word = "a".repeat(1 << 24);
        assert_eq!(
            written(&[&word]).split_whitespace().count(),
            (1usize << 24).div_ceil(250)
        );
    }

    #[test]
    fn no_line_begins_like_a_tag_or_an_escape() {
        let written = written(&[&"[Event \"x\"] %abc ".repeat(20)]);
        assert!(
            written.lines().all(|line| !line.starts_with(['[', '%'])),
            "{written}"
        );
    }

    #[test]
    fn long_words_are_broken_between_characters() {
        for (character, longest) in [('é', 250), ('中', 249), ('𝄞', 248)] {
            let text = character.to_string().repeat(400);
            let written = written(&[&text]);
            let parts: Vec<&str> = written.trim_matches(['{', '}']).split_whitespace().collect();
            assert_eq!(parts.concat(), text);
            assert_eq!(parts[0].len(), longest);
        }
        assert_eq!(written(&[&"a".repeat(250)]).len(), 252);
        assert_eq!(written(&[&"a".repeat(251)]).split_whitespace().count(), 2);
    }
}
