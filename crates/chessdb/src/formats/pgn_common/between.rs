//! Lines between the tags of a game that are not tags: comments, and text without meaning (section 3.1).

use crate::text::Charset;
use memchr::memchr;

use super::items::{Item, Items};
use super::numbers::is_move;
use super::results::{movetext_result, read_result};
use super::tag::{Tag, blanks, read_odd_tag, read_tag};

/// Maximum number of lines between two tags that belong to the tags.
const MOST_LINES: usize = 16;

/// Maximum number of bytes of these lines.
const MOST_BYTES: usize = 4 << 10;

/// The length in bytes of the lines before the next tag, and this tag, if these lines belong to the tags: they have no
/// empty line and, outside of comments, no result, move or move number. `text` comes after a tag and does not start
/// with one.
#[cold]
pub(in crate::formats) fn lines_between(text: &[u8], line_end: u8) -> Option<(usize, Tag<'_>)> {
    let lines = lines(text, line_end)?;
    let mut items = Items::new(lines, 0, line_end);
    while let Some(item) = items.next() {
        match item {
            Item::Word(word) if may_be_movetext(word) => return None,
            Item::Bracket if items.start > 0 && lines.get(items.start - 1) == Some(&line_end) => {
                let tag = text.get(items.start..)?;
                let tag = read_tag(tag, line_end).or_else(|| read_odd_tag(tag, line_end));
                if let Some(tag) = tag {
                    return Some((items.start, tag));
                }
            }
            // The rules for open comments decide where a comment with a tag in it ends.
            Item::Comment(_, false) => return None,
            Item::Comment(inside, true) if has_line_with_bracket(inside, line_end) => return None,
            _ => {}
        }
    }
    None
}

/// True if the first word of a text, apart from comments, may be movetext: a result, a move number, or a move.
pub(in crate::formats) fn begins_with_movetext(text: &[u8], line_end: u8) -> bool {
    let mut items = Items::new(text.get(..MOST_BYTES).unwrap_or(text), 0, line_end);
    loop {
        match items.next() {
            Some(Item::Comment(_, true)) => {}
            Some(Item::Word(word)) => return may_be_movetext(word),
            _ => return false,
        }
    }
}

/// The text up to an empty line, a line with only a result, or a limit. `None` if it starts with a move.
fn lines(text: &[u8], line_end: u8) -> Option<&[u8]> {
    // Fast path: nearly all movetext starts with a number.
    if begins_with_movetext(text, line_end) {
        return None;
    }
    let mut at = 0;
    // One more line than the limit, for the line of the next tag.
    for _ in 0..=MOST_LINES {
        let rest = text.get(at..)?;
        let rest = rest.get(..=MOST_BYTES).unwrap_or(rest);
        let len = memchr(line_end, rest).unwrap_or(rest.len());
        let line = rest.get(..len)?;
        if at > MOST_BYTES || line.trim_ascii().is_empty() || is_result(line) {
            break;
        }
        at = (at + len + 1).min(text.len());
    }
    text.get(..at)
}

fn has_line_with_bracket(comment: &[u8], line_end: u8) -> bool {
    let lines = comment.split(|&c| c == line_end).skip(1);
    lines
        .map(|line| line.get(blanks(line)..))
        .any(|line| line.is_some_and(|line| line.starts_with(b"[")))
}

/// True for a line that has only a result, in any form.
fn is_result(line: &[u8]) -> bool {
    const LONGEST: usize = 32;
    line.len() <= LONGEST && read_result(&crate::text::utf8_lossy(line)).is_some()
}

/// True for a result, a move number, and a word with the form of a move.
fn may_be_movetext(word: &[u8]) -> bool {
    let digits = word.iter().take_while(|c| c.is_ascii_digit()).count();
    let rest = word.get(digits..).unwrap_or_default();
    let points = rest.iter().take_while(|&&c| c == b'.').count();
    let rest = match (digits, points) {
        (1.., 1..) => rest.get(points..).unwrap_or_default(),
        _ => word,
    };
    rest.is_empty() || is_move(rest, Charset::Utf8) || movetext_result(rest, Charset::Utf8).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn len(text: &str) -> Option<usize> {
        lines_between(text.as_bytes(), b'\n').map(|(len, _)| len)
    }

    #[test]
    fn lines_without_moves_belong_to_the_tags() {
        for lines in [
            "; a comment with 1. e4 and 1-0\n",
            "{a comment: 1. e4 *}\n",
            "{a\ncomment} ; and another\r\n",
            " {one line}\n% and an escape\n",
            "[White]\n",
            "[%clk 0:01:00]\n",
            "Time: 20:00\n",
            "Board 5 of the team Elo 2500\n",
            "{a [White \"x\"]}\n",
            " ; behind the tag\n",
        ] {
            assert_eq!(
                len(&format!("{lines}[White \"A\"]\n")),
                Some(lines.len()),
                "{lines}"
            );
            assert_eq!(len(&format!("{lines}[White A]\n")), Some(lines.len()), "{lines}");
        }
    }

    #[test]
    fn other_text_is_movetext() {
        for lines in [
            "1. e4 e5\n",
            "1 e4 e5\n",
            "e4\n",
            "Sf3 d5\n",
            "{a comment} 1-0\n",
            "{a comment}\n*\n",
            "1/2-1/2\n",
            "1 - 0\n",
            "+--\n",
            "0-0\n",
            "--\n",
            "1.\n",
            "text 12... text\n",
            "; a comment\n\n",
            "{an open comment\n",
            "{a\n[Site \"x\"]\n}\n",
            "\n; a comment\n",
        ] {
            assert_eq!(len(&format!("{lines}[White \"A\"]\n")), None, "{lines}");
        }
        for text in ["; a comment\n", "; a comment", "", "text [White \"A\"]\n"] {
            assert_eq!(len(text), None, "{text}");
        }
        assert_eq!(len("; a comment\n [White \"A\"]\n"), None);
    }

    #[test]
    fn sixteen_lines_or_4096_bytes_are_read() {
        for (lines, belong) in [(15, true), (16, true), (17, false)] {
            let text = "; a\n".repeat(lines);
            assert_eq!(len(&format!("{text}[A \"\"]\n")).is_some(), belong, "{lines}");
        }
        for (bytes, belong) in [(4095, true), (4096, true), (4097, false)] {
            let text = format!(";{}\n", "a".repeat(bytes - 2));
            assert_eq!(len(&format!("{text}[A \"\"]\n")).is_some(), belong, "{bytes}");
        }
    }
}
