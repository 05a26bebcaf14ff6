//! Reading a tag (section 3.1).

use memchr::{memchr, memchr_iter, memrchr};

/// Maximum length of a tag in bytes (section 8); a longer one is cut.
pub(super) const LONGEST_TAG: usize = 1 << 16;

/// A tag as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    /// The bytes of the value, with their escapes.
    pub(super) value: &'a [u8],
    /// False if the quotation mark or the bracket at its end is missing.
    pub(super) is_closed: bool,
    /// Length of the whole tag in bytes.
    pub(super) len: usize,
}

/// Reads the tag at the beginning of a text; `None` if it does not begin with a tag. `line_end` is the byte
/// that ends lines.
pub(super) fn read_tag(text: &[u8], line_end: u8) -> Option<Tag<'_>> {
    let text = text.get(..LONGEST_TAG).unwrap_or(text);
    let (name, value_at) = opening(text)?;
    let line = value_at + memchr(line_end, text.get(value_at..)?).unwrap_or(text.len() - value_at);
    let quotes = memchr_iter(b'"', text.get(value_at..line)?).map(|quote| value_at + quote);
    for quote in quotes {
        if let Some(len) = closing(text, quote) {
            return tag(text, name, value_at..quote, true, len);
        }
    }
    if let Some(quote) = memrchr(b'"', text.get(value_at..line)?) {
        // No such end exists, so the last quotation mark in the line is used.
        let end = value_at + quote;
        let bracket = end + 1 + blanks(text.get(end + 1..line)?);
        let has_bracket = text.get(bracket) == Some(&b']');
        let len = match has_bracket {
            true => bracket + 1,
            false => bracket,
        };
        return tag(text, name, value_at..end, has_bracket, len);
    }
    if let Some((quote, len)) = closing_below(text, line, line_end) {
        return tag(text, name, value_at..quote, true, len);
    }
    let value = text.get(value_at..line)?.trim_ascii_end();
    let value = value.strip_suffix(b"]").unwrap_or(value).trim_ascii_end();
    Some(Tag {
        name,
        value,
        is_closed: false,
        len: line,
    })
}

fn tag<'a>(
    text: &'a [u8],
    name: &'a [u8],
    value: std::ops::Range<usize>,
    is_closed: bool,
    len: usize,
) -> Option<Tag<'a>> {
    Some(Tag {
        name,
        value: text.get(value)?,
        is_closed,
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
    let space = rest.iter().take_while(|c| c.is_ascii_whitespace()).count();
    let is_tag = !name.is_empty() && rest.get(space) == Some(&b'"');
    is_tag.then_some((name, start + len + space + 1))
}

/// True for a character of a name; some programs use more than the standard permits.
fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || b"_+#=:-".contains(&c)
}

/// The end of a tag whose value ends at a quotation mark: a bracket must follow, and then the end of the line
/// or another tag.
fn closing(text: &[u8], quote: usize) -> Option<usize> {
    let bracket = quote + 1 + blanks(text.get(quote + 1..)?);
    let rest = text.get(bracket..)?.strip_prefix(b"]")?;
    let next = rest.get(blanks(rest)..)?;
    let is_end = match next.first() {
        None | Some(b'\n' | b'\r' | b'\0' | 0x1a) => true,
        Some(b'[') => opening(next).is_some(),
        _ => false,
    };
    is_end.then_some(bracket + 1)
}

/// The quotation mark and the end of a tag whose value continues on the following lines. An empty line, or
/// one that begins a tag, is not part of it.
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
            if let Some(len) = closing(text, quote) {
                return Some((quote, len));
            }
        }
        start += end? + 1;
    }
}

/// Number of spaces and tabs at the beginning.
pub(super) fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|&&c| c == b' ' || c == b'\t').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, String, bool, &str)> {
        let tag = read_tag(text.as_bytes(), b'\n')?;
        let [name, value] = [tag.name, tag.value].map(|bytes| crate::text::utf8(bytes).unwrap());
        Some((name, value, tag.is_closed, &text[tag.len..]))
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
}
