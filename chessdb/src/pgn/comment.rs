//! Comments: cleaned, split into words, and wrapped at the end of a line.

use super::lines::Lines;

/// Maximum length of a word in bytes.
const LONGEST_WORD: usize = 250;

/// Writes the words of all `texts` in braces, or nothing if there are none.
pub(super) fn append_comment<'t>(lines: &mut Lines<'_>, texts: impl Iterator<Item = &'t str>) {
    let mut words = Words::default();
    for text in texts {
        words.add_text(text);
    }
    words.write(lines);
}

/// The words of a comment, cleaned, one after another in a buffer.
#[derive(Default)]
struct Words {
    text: String,
    /// End of each word in `text`.
    ends: Vec<usize>,
}

impl Words {
    /// Adds the words of a text. A command such as `[%clk 0:01:00]` is a single word including its spaces.
    fn add_text(&mut self, text: &str) {
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches(is_blank);
            if rest.is_empty() {
                return;
            }
            let end = match command_len(rest) {
                // Text directly after the bracket belongs to the same word.
                Some(closed) => {
                    let tail = rest.get(closed..).unwrap_or_default();
                    closed + tail.find(is_blank).unwrap_or(tail.len())
                }
                None => rest.find(is_blank).unwrap_or(rest.len()),
            };
            let (word, tail) = rest.split_at(end);
            self.add_word(word);
            rest = tail;
        }
    }

    /// Adds a word in parts of at most [`LONGEST_WORD`] bytes. Only the first part may begin with `[` or `%`.
    fn add_word(&mut self, word: &str) {
        let mut start = self.text.len();
        for character in word.chars() {
            let clean = match character {
                '}' => ')',
                c if is_blank(c) => ' ',
                c => c,
            };
            let piece = self.text.len() - start;
            if piece + clean.len_utf8() > LONGEST_WORD && !starts_badly(clean) {
                self.ends.push(self.text.len());
                start = self.text.len();
            }
            self.text.push(clean);
        }
        self.ends.push(self.text.len());
    }

    fn write(&self, lines: &mut Lines<'_>) {
        let mut start = 0;
        let last = self.ends.len().saturating_sub(1);
        let mut word = Vec::new();
        for (n, &end) in self.ends.iter().enumerate() {
            let text = self.text.get(start..end).unwrap_or_default();
            start = end;
            word.clear();
            if n == 0 {
                word.push(b'{');
            }
            word.extend_from_slice(text.as_bytes());
            if n == last {
                word.push(b'}');
            }
            let braces = usize::from(n == 0) + usize::from(n == last);
            let columns = text.chars().count() + braces;
            // A line that begins with `[` looks like a tag, and readers skip one that begins with `%`.
            if n > 0 && text.starts_with(starts_badly) {
                lines.unbroken_word(&word, columns);
            } else {
                lines.word(&word, columns);
            }
        }
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
        let words = |text: &str| {
            let mut words = Words::default();
            words.add_text(text);
            words.ends.len()
        };
        assert_eq!(words(&command(246)), 1);
        assert!(words(&command(248)) > 100);
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
