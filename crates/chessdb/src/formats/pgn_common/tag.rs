//! Reading a tag (section 3.1).

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::near::short_tag;

/// Maximum length of a tag in bytes (section 8); a longer one is cut.
pub(in crate::formats) const LONGEST_TAG: usize = 1 << 16;

/// A tag as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) struct Tag<'a> {
    pub(in crate::formats) name: &'a [u8],
    /// The bytes of the value, with their escapes.
    pub(in crate::formats) value: &'a [u8],
    /// The part of the tag that is missing or invalid.
    pub(in crate::formats) flaw: Option<Flaw>,
    /// Length of the whole tag in bytes.
    pub(in crate::formats) len: usize,
}

/// The missing part of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) enum Flaw {
    /// The quotation mark or the bracket at its end.
    End,
    /// Both quotation marks.
    Quotes,
    /// A name that PGN allows: it has a blank or another sign.
    Name,
}

/// Reads the tag at the start of a text; `None` if it does not start with a tag. `line_end` is the byte that ends
/// lines.
#[inline]
pub(in crate::formats) fn read_tag(text: &[u8], line_end: u8) -> Option<Tag<'_>> {
    short_tag(text, line_end).or_else(|| read_any_tag(text, line_end))
}

fn read_any_tag(text: &[u8], line_end: u8) -> Option<Tag<'_>> {
    let text = text.get(..LONGEST_TAG).unwrap_or(text);
    let (name, value_at) = opening(text)?;
    let line = value_at + memchr(line_end, text.get(value_at..)?).unwrap_or(text.len() - value_at);
    let value = text.get(value_at..line)?;
    let quotes =
        memchr_iter(b'"', value).map(|quote| (value_at + quote, bracket_after(text, value_at + quote)));
    let mut closed = None;
    for (quote, bracket) in quotes {
        let Some(bracket) = bracket else { continue };
        if !is_escaped(text, value_at..quote) || ends_tag(text.get(bracket + 1..)?) {
            return tag(text, name, value_at..quote, None, bracket + 1);
        }
        closed = Some((quote, bracket + 1));
    }
    if let Some((quote, len)) = closed {
        return tag(text, name, value_at..quote, None, len);
    }
    if let Some(quote) = memrchr(b'"', value) {
        // No bracket closes the tag, so the last quotation mark in the line is used.
        let end = value_at + quote;
        let len = end + 1 + blanks(text.get(end + 1..line)?);
        return tag(text, name, value_at..end, Some(Flaw::End), len);
    }
    if let Some((quote, len)) = closing_below(text, line, line_end) {
        return tag(text, name, value_at..quote, None, len);
    }
    let value = text.get(value_at..line)?.trim_ascii_end();
    let value = value.strip_suffix(b"]").unwrap_or(value).trim_ascii_end();
    Some(Tag {
        name,
        value,
        flaw: Some(Flaw::End),
        len: line,
    })
}

/// Reads what counts as a tag only after another tag of a game: a line without quotation marks, such as `[FEN
/// 8/8/8/8/8/8/8/8 w - - 0 1]`, or a tag whose name has characters that names do not have, such as `[White ACPL "25"]`.
#[cold]
pub(in crate::formats) fn read_odd_tag(text: &[u8], line_end: u8) -> Option<Tag<'_>> {
    let text = text.get(..LONGEST_TAG).unwrap_or(text);
    let line = text.get(..memchr(line_end, text)?)?;
    unquoted(line).or_else(|| with_odd_name(line))
}

/// The length of a line in brackets, such as `[White]`, which is no tag in any form.
#[cold]
pub(in crate::formats) fn bracket_line(text: &[u8], line_end: u8) -> Option<usize> {
    let text = text.get(..LONGEST_TAG).unwrap_or(text);
    let len = memchr(line_end, text)?;
    let inside = inside_brackets(text.get(..len)?)?;
    (!inside.iter().any(|c| b"[]{}".contains(c))).then_some(len + 1)
}

fn inside_brackets(line: &[u8]) -> Option<&[u8]> {
    let inside = line.trim_ascii_end().strip_prefix(b"[")?.strip_suffix(b"]")?;
    Some(inside.trim_ascii())
}

/// A tag whose name PGN does not allow. `[%clk "0:01"]` is not a tag.
fn with_odd_name(line: &[u8]) -> Option<Tag<'_>> {
    // A quotation mark at the start belongs to the name.
    let opening = 2 + memchr(b'"', line.get(2..)?)?;
    let name = line.get(..opening)?.strip_prefix(b"[")?.trim_ascii();
    let is_odd = !matches!(name, [] | [b'%', ..])
        && !name.iter().any(|c| b"[]{};".contains(c))
        && !name.iter().all(|&c| is_name(c));
    let mut quotes = memchr_iter(b'"', line).filter(|quote| is_odd && *quote > opening);
    quotes.find_map(|quote| {
        let len = bracket_after(line, quote)? + 1;
        tag(line, name, opening + 1..quote, Some(Flaw::Name), len)
    })
}

fn unquoted(line: &[u8]) -> Option<Tag<'_>> {
    let inside = inside_brackets(line)?;
    let (name, value) = inside.split_at_checked(inside.iter().position(|&c| !is_name(c))?)?;
    let is_tag = !name.is_empty()
        && value.first().is_some_and(u8::is_ascii_whitespace)
        && !value.iter().any(|c| matches!(c, b'"' | b'[' | b']'));
    is_tag.then_some(Tag {
        name,
        value: value.trim_ascii_start(),
        flaw: Some(Flaw::Quotes),
        len: line.len(),
    })
}

/// True if an indented line of movetext begins a game: a tag, and then an empty line, another tag or the first move
/// with its number.
pub(in crate::formats) fn opens_game(text: &[u8], line_end: u8) -> bool {
    let Some(tag) = read_tag(text, line_end).filter(|tag| tag.flaw.is_none()) else {
        return false;
    };
    let text = text.get(..tag.len.saturating_add(LONGEST_TAG)).unwrap_or(text);
    let after = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        let rest = rest.get(blanks(rest)..).unwrap_or_default();
        match rest {
            [b'\r', end, ..] if *end == line_end => rest.get(1..).unwrap_or_default(),
            _ => rest,
        }
    };
    let is_beginning = |rest: &[u8]| rest.starts_with(b"1.") || opening(rest).is_some();
    let rest = after(tag.len);
    if rest.first() != Some(&line_end) {
        return is_beginning(rest);
    }
    let next = after(text.len() - rest.len() + 1);
    next.first() == Some(&line_end) || is_beginning(next)
}

fn tag<'a>(
    text: &'a [u8],
    name: &'a [u8],
    value: Range<usize>,
    flaw: Option<Flaw>,
    len: usize,
) -> Option<Tag<'a>> {
    Some(Tag {
        name,
        value: text.get(value)?,
        flaw,
        len,
    })
}

/// The name of a tag, and the offset after the quotation mark that opens its value.
fn opening(text: &[u8]) -> Option<(&[u8], usize)> {
    let rest = text.strip_prefix(b"[")?;
    let start = 1 + blanks(rest);
    let rest = text.get(start..)?;
    let len = rest.iter().position(|&c| !is_name(c)).unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(len)?;
    let space = spaces(rest);
    let is_tag = !name.is_empty() && rest.get(space) == Some(&b'"');
    is_tag.then_some((name, start + len + space + 1))
}

/// Number of bytes of white space at the start. Tags that were copied from a web page may have U+00A0 between name and
/// value, in UTF-8 or in one byte.
fn spaces(text: &[u8]) -> usize {
    let mut rest = text;
    loop {
        rest = match rest {
            [0xc2, 0xa0, after @ ..] | [0xa0, after @ ..] => after,
            [c, after @ ..] if c.is_ascii_whitespace() => after,
            _ => return text.len() - rest.len(),
        };
    }
}

/// True if a text starts like a tag with this name, in any letter case.
pub(in crate::formats) fn has_name(text: &[u8], name: &[u8]) -> bool {
    let found = opening(text.get(..LONGEST_TAG).unwrap_or(text));
    found.is_some_and(|(found, _)| found.eq_ignore_ascii_case(name))
}

/// True for a character of a name; some programs use more than the standard permits.
fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || b"_+#=:-".contains(&c)
}

/// The closing bracket that follows a quotation mark, perhaps after blanks.
fn bracket_after(text: &[u8], quote: usize) -> Option<usize> {
    let rest = text.get(quote + 1..)?;
    let bracket = blanks(rest);
    (rest.get(bracket) == Some(&b']')).then_some(quote + 1 + bracket)
}

/// True if a value ends with an odd number of backslashes.
fn is_escaped(text: &[u8], value: Range<usize>) -> bool {
    let value = text.get(value).unwrap_or_default();
    value.iter().rev().take_while(|c| **c == b'\\').count() % 2 == 1
}

/// True if the bracket is followed by the end of the line or another tag.
fn ends_tag(after: &[u8]) -> bool {
    let next = after.get(blanks(after)..).unwrap_or_default();
    match next.first() {
        None | Some(b'\n' | b'\r' | b'\0' | 0x1a) => true,
        Some(b'[') => opening(next).is_some(),
        _ => false,
    }
}

/// The quotation mark and the end of a tag whose value continues on the following lines. It stops at an empty line, and
/// at a line that starts with a tag.
fn closing_below(text: &[u8], line: usize, line_end: u8) -> Option<(usize, usize)> {
    let mut start = line + 1;
    loop {
        let rest = text.get(start..)?;
        let end = memchr(line_end, rest);
        let line = rest.get(..end.unwrap_or(rest.len()))?.trim_ascii_start();
        if line.is_empty() || line.starts_with(b"[") {
            return None;
        }
        let line_len = end.unwrap_or(rest.len());
        let quotes = memchr_iter(b'"', rest.get(..line_len)?);
        for quote in quotes.map(|quote| start + quote) {
            let bracket = bracket_after(text, quote);
            if let Some(bracket) = bracket
                && ends_tag(text.get(bracket + 1..)?)
            {
                return Some((quote, bracket + 1));
            }
        }
        start += end? + 1;
    }
}

/// Number of spaces and tabs at the start.
pub(in crate::formats) fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|&&c| c == b' ' || c == b'\t').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, String, bool, &str)> {
        let tag = read_tag(text.as_bytes(), b'\n')?;
        let [name, value] = [tag.name, tag.value].map(|bytes| crate::text::utf8(bytes).unwrap());
        Some((name, value, tag.flaw.is_none(), &text[tag.len..]))
    }

    fn wanted<'a>(
        name: &str,
        value: &str,
        is_closed: bool,
        rest: &'a str,
    ) -> Option<(String, String, bool, &'a str)> {
        Some((name.to_owned(), value.to_owned(), is_closed, rest))
    }

    #[test]
    fn values_end_where_the_tag_does() {
        assert_eq!(read("[White \"W\"]\n"), wanted("White", "W", true, "\n"));
        assert_eq!(
            read("[ White\t\"W\" ]  \r\n"),
            wanted("White", "W", true, "  \r\n")
        );
        assert_eq!(read(r#"[A "x"] [B "y"]"#), wanted("A", "x", true, r#" [B "y"]"#));
        assert_eq!(read(r#"[A "W [X] ]"]"#), wanted("A", "W [X] ]", true, ""));
        assert_eq!(
            read(r#"[A "Bob "the tank" X"]"#),
            wanted("A", "Bob \"the tank\" X", true, "")
        );
        assert_eq!(read(r#"[A "C:\"]"#), wanted("A", "C:\\", true, ""));
        assert_eq!(read("[A \"x\"] 1. e4\n"), wanted("A", "x", true, " 1. e4\n"));
    }

    /// As in tags that were copied from a web page.
    #[test]
    fn blanks_that_do_not_break_separate_name_and_value() {
        for space in ["\u{a0}", "\u{a0} ", " \u{a0}\u{a0}"] {
            let text = format!("[White{space}\"W\"]\n");
            assert_eq!(read(&text), wanted("White", "W", true, "\n"), "{space:?}");
        }
        let in_one_byte = read_tag(b"[White\xa0\"W\"]", b'\n').unwrap();
        assert_eq!((in_one_byte.name, in_one_byte.value), (&b"White"[..], &b"W"[..]));
        for text in ["[White\u{e0}\"W\"]", "[White\u{2000}\"W\"]", "[\u{a0}\"W\"]"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    /// The table of section 3.1 in `docs/formats/pgn.md`, and more such lines.
    #[test]
    fn movetext_may_follow_in_the_line() {
        for (text, value, rest) in [
            (
                r#"[A "x"] 1. e4 {he said "fine"} e5"#,
                "x",
                r#" 1. e4 {he said "fine"} e5"#,
            ),
            (r#"[A "x"]1. e4 {["y"]}"#, "x", r#"1. e4 {["y"]}"#),
            (r#"[A "x"] {a "live" game}"#, "x", r#" {a "live" game}"#),
            (r#"[A "x" ] [B "y"] 1. d4"#, "x", r#" [B "y"] 1. d4"#),
            (r#"[A "x"][B "y"]"#, "x", r#"[B "y"]"#),
            (
                r#"[A "The "Big" Open"] 1. d4 {"y"}"#,
                r#"The "Big" Open"#,
                r#" 1. d4 {"y"}"#,
            ),
            (r#"[A "W [X] ]"] 1. d4 {"y"]"#, "W [X] ]", r#" 1. d4 {"y"]"#),
            (r#"[A "W \"X\"] Y"] 1. d4"#, r#"W \"X\"] Y"#, " 1. d4"),
            (r#"[A "W \\"] 1. d4 {"y"]"#, r#"W \\"#, r#" 1. d4 {"y"]"#),
            // A folder of Windows, whose last backslash escapes nothing.
            (r#"[A "C:\"] [B "y"]"#, r#"C:\"#, r#" [B "y"]"#),
            (r#"[A "C:\"] 1. d4 {"y"}"#, r#"C:\"#, r#" 1. d4 {"y"}"#),
        ] {
            assert_eq!(read(text), wanted("A", value, true, rest), "{text}");
        }
    }

    #[test]
    fn short_tags_are_read_as_all_others() {
        let pieces = [
            "A", "Elo9", "_", " ", " \"", "\"", "\\", "[", "]", "\"]\n", "\"]\r\n", "\"] ", "\r", "\n", "é",
            "\0",
        ];
        let (mut number, mut short) = (1u32, 0);
        let mut next = |most: usize| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 16) as usize % most
        };
        for _ in 0..100_000 {
            let mut text = ["[", "[A", "[A \""][next(3)].to_owned();
            while text.len() < 80 {
                text += pieces[next(pieces.len())];
            }
            for line_end in [b'\n', b'\r'] {
                let tag = short_tag(text.as_bytes(), line_end);
                short += usize::from(tag.is_some());
                assert!(
                    tag.is_none() || tag == read_any_tag(text.as_bytes(), line_end),
                    "{text:?}"
                );
            }
        }
        assert!(short > 1_000, "{short}");
    }

    #[test]
    fn a_line_ends_what_is_not_closed() {
        assert_eq!(
            read("[A \"W\n[B \"x\"]\n"),
            wanted("A", "W", false, "\n[B \"x\"]\n")
        );
        assert_eq!(read("[A \"W]\n\n\"]\n"), wanted("A", "W", false, "\n\n\"]\n"));
        assert_eq!(read("[A \"W\" \nx"), wanted("A", "W", false, "\nx"));
    }

    #[test]
    fn values_go_on_below() {
        assert_eq!(read("[A\n\"W\"]\n"), wanted("A", "W", true, "\n"));
        assert_eq!(
            read("[A \"two\nlines\"]\nx"),
            wanted("A", "two\nlines", true, "\nx")
        );
    }

    #[test]
    fn commands_are_no_tags() {
        for text in [
            "[%clk 0:01]",
            "[#]",
            "[Diagram]",
            "[]",
            "[",
            "[A",
            "[A x \"y\"]",
            "[A\n\nB \"x\"]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn quotation_marks_may_be_missing() {
        let read = |text: &'static str| {
            let tag = read_odd_tag(text.as_bytes(), b'\n')?;
            let [name, value] = [tag.name, tag.value].map(|bytes| crate::text::utf8(bytes).unwrap());
            Some((name, value, &text[tag.len..]))
        };
        let fen = ("FEN".to_owned(), "8/8 w - - 0 1".to_owned(), "\nx");
        assert_eq!(
            read("[FEN 8/8 w - - 0 1] \r\nx").map(|read| read.1),
            Some(fen.1.clone())
        );
        assert_eq!(read("[FEN 8/8 w - - 0 1]\nx"), Some(fen));
        for text in [
            "[%clk 0:01]\n",
            "[Diagram]\n",
            "[#]\n",
            "[A x] 1. e4\n",
            "[A \"x]\n",
            "[A x]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_may_have_other_signs_among_tags() {
        let read = |text: &'static str| {
            let tag = read_odd_tag(text.as_bytes(), b'\n')?;
            assert_eq!(tag.flaw, Some(Flaw::Name));
            let [name, value] = [tag.name, tag.value].map(|bytes| crate::text::utf8(bytes).unwrap());
            Some((name, value, &text[tag.len..]))
        };
        for (text, name, value) in [
            ("[White ACPL \"252\"] \r\nx", "White ACPL", "252"),
            ("[Site.Url \"a b\"]\nx", "Site.Url", "a b"),
            ("[Белые \"a\"]\nx", "Белые", "a"),
            ("[Elo (White) \"2500\"] {c}\nx", "Elo (White)", "2500"),
            ("[1. Board \"5\"] 1. e4\nx", "1. Board", "5"),
            ("[?? \"a \"b\" c\"]\nx", "??", "a \"b\" c"),
            ("[\"Quoted\" \"5\"]\nx", "\"Quoted", " \"5"),
            ("['A' \"5\" ] ; c\nx", "'A'", "5"),
        ] {
            let found = read(text).unwrap();
            assert_eq!((found.0.as_str(), found.1.as_str()), (name, value), "{text}");
            assert!(found.2.ends_with("\nx"), "{text}");
        }
        for text in [
            "[%clk \"0:01\"]\n",
            "[A b \"c]\n",
            "[A b c\"]\n",
            "[A {b} \"c\"]\n",
            "[A \"c\"]\n",
            "[ \"c\"]\n",
            "[A b \"c\"]",
        ] {
            assert_eq!(read_odd_tag(text.as_bytes(), b'\n'), None, "{text}");
        }
    }

    #[test]
    fn what_follows_shows_that_an_indented_tag_begins_a_game() {
        for text in [
            "[A \"x\"]\n\n1. e4",
            "[A \"x\"] \r\n \r\n",
            "[A \"x\"] 1. e4",
            "[A \"x\"]\n  1. e4",
            "[A \"x\"]\n [B \"y\"]",
        ] {
            assert!(opens_game(text.as_bytes(), b'\n'), "{text}");
        }
        for text in [
            "[A \"x\"] e5 1-0\n\n",
            "[A \"x\"]\ne5",
            "[A \"x\n\n",
            "[%clk 1]\n\n",
            "[A \"x\"]\n",
        ] {
            assert!(!opens_game(text.as_bytes(), b'\n'), "{text}");
        }
    }
}
