//! Comments: cleaned, split into words, and wrapped at the end of a line.

use super::lines::Lines;

/// Maximum length of a word in bytes.
const LONGEST_WORD: usize = 250;

/// Writes the words of all `texts` in braces, or nothing if there are none.
pub(super) fn append_comment<'t>(lines: &mut Lines<'_>, texts: impl Iterator<Item = &'t str>) {
    let mut words = texts.flat_map(Words::of).peekable();
    let mut is_first = true;
    while let Some(word) = words.next() {
        let is_last = words.peek().is_none();
        let columns = word.chars().count() + usize::from(is_first) + usize::from(is_last);
        // A line that begins with `[` looks like a tag, and readers skip one that begins with `%`.
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

/// The words of a text, in parts of at most [`LONGEST_WORD`] bytes. A command such as `[%clk 0:01:00]` is a single word
/// including its spaces.
struct Words<'t> {
    /// The rest of a word whose beginning was returned.
    word: &'t str,
    /// The text after it.
    rest: &'t str,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Words<'t> {
        Words { word: "", rest: text }
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.word.is_empty() {
            let text = self.rest.trim_start_matches(is_blank);
            // Text directly after the bracket of a command belongs to the same word.
            let command = command_len(text).unwrap_or(0);
            (self.word, self.rest) = text.split_at(command + blank_at(&text[command..]));
        }
        let (part, word) = self.word.split_at(part_len(self.word));
        self.word = word;
        (!part.is_empty()).then_some(part)
    }
}

/// The length of the first part of a word. Only the first one may begin with `[` or `%`.
fn part_len(word: &str) -> usize {
    if word.len() <= LONGEST_WORD {
        return word.len();
    }
    let mut len = 0;
    let ends = |&(_, c): &(usize, char)| {
        len += clean(c).len_utf8();
        len > LONGEST_WORD && !starts_badly(c)
    };
    let mut characters = word.char_indices();
    characters.find(ends).map_or(word.len(), |(at, _)| at)
}

/// Appends a word with `)` for braces that would end the comment, and blanks for control characters.
fn append_clean(out: &mut Vec<u8>, word: &str) {
    // The control characters beyond ASCII begin with 0xc2.
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

/// Offset of the first blank, or the length of the text.
fn blank_at(text: &str) -> usize {
    let mut from = 0;
    loop {
        let is_candidate = |c: &u8| *c <= b' ' || *c == 0x7f || *c == 0xc2;
        let rest = &text.as_bytes()[from..];
        let Some(at) = rest.iter().position(is_candidate).map(|at| from + at) else {
            return text.len();
        };
        if text[at..].starts_with(is_blank) {
            return at;
        }
        from = at + 1;
    }
}

/// Length of the command at the beginning of a text, including its brackets.
fn command_len(text: &str) -> Option<usize> {
    if !text.starts_with("[%") {
        return None;
    }
    // The search for the closing bracket is limited, because a text of many opening brackets would take very
    // long.
    let bracket = text.bytes().take(LONGEST_WORD).position(|c| c == b']')?;
    Some(bracket + 1)
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
        assert!(
            written.lines().all(|line| !line.starts_with(['[', '%'])),
            "{written}"
        );
    }

    #[test]
    fn a_command_has_250_bytes_at_most() {
        let command = |len: usize| format!("[%{}]", "a ".repeat(len / 2));
        assert_eq!(Words::of(&command(246)).count(), 1);
        assert!(Words::of(&command(248)).count() > 100);
    }

    #[test]
    fn unclosed_brackets_are_words() {
        // Searching to the end of the text for each bracket would read terabytes.
        let brackets = "[% ".repeat(1 << 20);
        assert_eq!(written(&[&brackets]).matches("[%").count(), 1 << 20);
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
        let written = written(&[&"é".repeat(400)]);
        assert_eq!(written.chars().filter(|c| *c == 'é').count(), 400);
        let longest = written.split_whitespace().map(str::len).max();
        assert_eq!(longest, Some(251));
    }
}
