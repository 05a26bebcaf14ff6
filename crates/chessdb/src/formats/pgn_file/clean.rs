//! The cleaned text of a game, the default form for showing it (section 7.1).

use crate::text::Charset;
use memchr::{memchr, memchr3};

use crate::formats::pgn_common::characters::decode;
use crate::formats::pgn_common::items::MARK;
use crate::formats::pgn_common::section::Section;

/// The end of every game.
const END: &[u8] = b"\n\n";

/// The beginning of a game without tags: in a file of several games, tags alone show where one begins (section 3.4).
const UNKNOWN_EVENT: &[u8] = b"[Event \"?\"]\n\n";

/// Length of a game's cleaned text in bytes, and whether the text is the same as in the file, apart from white space at
/// the end.
pub(super) fn cleaned_len(game: &[u8], line_end: u8, encoding: Charset) -> (usize, bool) {
    let text = without_end(game);
    if is_plain(text, line_end, encoding) {
        return (text.len() + END.len(), true);
    }
    let mut out = Vec::with_capacity(text.len() + text.len() / 16);
    append_changed(&mut out, text, line_end, encoding);
    (out.len(), false)
}

/// Appends the cleaned text of a game.
pub(super) fn append_cleaned(out: &mut Vec<u8>, game: &[u8], line_end: u8, encoding: Charset) {
    let start = out.len();
    append_changed(out, without_end(game), line_end, encoding);
    keep_text(out, start);
}

/// Appends the cleaned text of a game that is known to be plain and to have `len` bytes.
pub(super) fn append_plain(out: &mut Vec<u8>, game: &[u8], len: usize) {
    let start = out.len();
    out.extend_from_slice(game.get(..len.saturating_sub(END.len())).unwrap_or(game));
    out.extend_from_slice(END);
    keep_text(out, start);
}

/// Replaces bytes from `start` on that are not UTF-8. The game was valid when it was examined, but its bytes may have
/// changed before they were copied.
fn keep_text(out: &mut Vec<u8>, start: usize) {
    let copied = out.get(start..).unwrap_or_default();
    if !is_utf8(copied) {
        let text = crate::text::utf8_lossy(copied);
        out.truncate(start);
        out.extend_from_slice(text.as_bytes());
    }
}

/// True if cleaning changes nothing in a text.
fn is_plain(text: &[u8], line_end: u8, encoding: Charset) -> bool {
    !lacks_tags(text, line_end)
        && memchr3(b'\r', 0, 0x1a, text).is_none()
        && (text.is_ascii() || encoding == Charset::Utf8 && !has_mark(text) && is_utf8(text))
}

/// True for a game without a tag before its movetext.
fn lacks_tags(text: &[u8], line_end: u8) -> bool {
    !text.is_empty() && Section::new(text, line_end).next().is_none()
}

fn is_utf8(text: &[u8]) -> bool {
    crate::text::utf8_len(text) == text.len()
}

fn has_mark(text: &[u8]) -> bool {
    memchr(0xef, text).is_some() && text.windows(MARK.len()).any(|window| window == MARK)
}

fn append_changed(out: &mut Vec<u8>, text: &[u8], line_end: u8, encoding: Charset) {
    let decoded;
    let mut rest = if text.is_ascii() {
        text
    } else {
        decoded = decode(text, encoding);
        decoded.as_bytes()
    };
    if lacks_tags(text, line_end) {
        out.extend_from_slice(UNKNOWN_EVENT);
    }
    let start = out.len();
    loop {
        let is_special = |&c: &u8| matches!(c, b'\r' | 0 | 0x1a | 0xef);
        let len = rest.iter().position(is_special).unwrap_or(rest.len());
        let (before, tail) = rest.split_at_checked(len).unwrap_or((rest, &[]));
        out.extend_from_slice(before);
        let Some(&special) = tail.first() else { break };
        let skipped = match special {
            b'\r' => {
                out.push(b'\n');
                1 + usize::from(tail.get(1) == Some(&b'\n'))
            }
            0xef if tail.starts_with(MARK) => MARK.len(),
            0xef => {
                out.push(special);
                1
            }
            _ => 1,
        };
        rest = tail.get(skipped..).unwrap_or_default();
    }
    let kept = out.get(start..).unwrap_or_default().trim_ascii_end().len();
    out.truncate(start + kept);
    out.extend_from_slice(END);
}

/// A game without white space at its end.
fn without_end(game: &[u8]) -> &[u8] {
    let is_end = |c: &u8| c.is_ascii_whitespace() || matches!(c, 0 | 0x1a);
    let end = game.iter().rposition(|c| !is_end(c)).map_or(0, |last| last + 1);
    game.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::WINDOWS_1252;

    fn cleaned(game: &[u8], encoding: Charset) -> String {
        let mut out = b"_".to_vec();
        append_cleaned(&mut out, game, b'\n', encoding);
        let (len, is_plain) = cleaned_len(game, b'\n', encoding);
        assert_eq!(len, out.len() - 1);
        if is_plain {
            let mut plain = b"_".to_vec();
            append_plain(&mut plain, game, len);
            assert_eq!(plain, out);
        }
        crate::text::utf8(&out[1..]).unwrap()
    }

    #[test]
    fn only_four_things_are_changed() {
        let after_tag = |moves: &[u8], encoding| {
            let cleaned = cleaned(&[b"[Site \"x\"]\n", moves].concat(), encoding);
            cleaned.strip_prefix("[Site \"x\"]\n").unwrap().to_owned()
        };
        assert_eq!(after_tag(b"1. e4 \t *", Charset::Utf8), "1. e4 \t *\n\n");
        assert_eq!(after_tag(b"a\r\nb\rc\n\r\n \x1a\0", Charset::Utf8), "a\nb\nc\n\n");
        assert_eq!(
            after_tag("a\u{feff}\0b é ｆ".as_bytes(), Charset::Utf8),
            "ab é ｆ\n\n"
        );
        assert_eq!(
            after_tag(b"O\x92Kelly \x81 \xfc", Charset::Other(WINDOWS_1252)),
            "O’Kelly \u{81} ü\n\n"
        );
        assert_eq!(cleaned(b" \n", Charset::Utf8), "\n\n");
    }

    #[test]
    fn a_game_without_tags_gets_one() {
        let tag = "[Event \"?\"]\n\n";
        for game in [
            "1. e4 *",
            "{[%clk 1:00:00]} 1. e4 *",
            "[e4 e5] 1. e4 *",
            "[% \"x\"] *",
            "1. e4 {[White \"x\"]} e5 2. Nf3 *",
            "{a [White \"x\"] b}\n1. e4 e5 2. Nf3 *",
            "1. e4 ; [White \"x\"]\ne5 *",
            "é",
        ] {
            assert_eq!(
                cleaned(game.as_bytes(), Charset::Utf8),
                format!("{tag}{game}\n\n")
            );
        }
        for game in ["[A \"x\"] 1. e4 *", "% c\n[A \"x\"]\n*", "\u{feff}[A \"x\"]\n*"] {
            let shown = game.trim_start_matches('\u{feff}');
            assert_eq!(cleaned(game.as_bytes(), Charset::Utf8), format!("{shown}\n\n"));
        }
    }

    #[test]
    fn a_game_that_was_changed_since_it_was_examined_is_text() {
        let mut out = b"before".to_vec();
        append_plain(&mut out, b"1. e4 { \xff } *", 17);
        assert_eq!(crate::text::utf8(&out).unwrap(), "before1. e4 { \u{fffd} } *\n\n");
    }
}
