//! The layer below the moves: a file is a sequence of items, each a text or a single byte (section 2).
//!
//! | byte | means |
//! |---|---|
//! | 00 | opens and closes a text |
//! | 01 02 03 | 0-1, 1-0, 1/2-1/2 |
//! | 04 05 | O-O, O-O-O |
//! | 06 07 | `?`, `!` |
//! | 08-FF | half-moves and prefixes ([`super::codes`]) |

use crate::game::Outcome;

/// Bytes below this one end a text: 00 closes it, and other bytes show that the closing 00 is missing (section 2.3).
const ENDS_TEXT: u8 = 9;

/// One item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<'a> {
    Text(Text<'a>),
    Byte(u8),
}

/// A text without the bytes 00 around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    /// True if the closing 00 exists.
    pub(super) is_closed: bool,
}

impl Text<'_> {
    /// The letter that marks a header (section 2.4).
    pub(super) fn tag(&self) -> Option<u8> {
        let first = self.bytes.first().copied();
        first.filter(|letter| matches!(letter, b'W' | b'B' | b'D' | b'L' | b'T' | b'V'))
    }
}

/// Iterates over the items and examines every byte once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items<'a> {
    bytes: &'a [u8],
    /// Offset of the next item.
    pub(super) at: usize,
}

impl<'a> Items<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Items<'a> {
        Items { bytes, at: 0 }
    }

    /// The bytes that have not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    #[inline]
    fn next(&mut self) -> Option<Item<'a>> {
        let (&first, rest) = self.rest().split_first()?;
        self.at += 1;
        if first != 0 {
            return Some(Item::Byte(first));
        }
        let end = rest.iter().position(|&byte| byte < ENDS_TEXT);
        let len = end.unwrap_or(rest.len());
        let is_closed = rest.get(len) == Some(&0);
        self.at += len + usize::from(is_closed);
        Some(Item::Text(Text {
            bytes: rest.get(..len).unwrap_or_default(),
            is_closed,
        }))
    }
}

/// The result of a byte, if it is one.
pub(super) fn outcome(byte: u8) -> Option<Outcome> {
    match byte {
        1 => Some(Outcome::BlackWins),
        2 => Some(Outcome::WhiteWins),
        3 => Some(Outcome::Draw),
        _ => None,
    }
}

/// A glyph: `?` or `!`.
pub(super) fn is_glyph(byte: u8) -> bool {
    matches!(byte, 6 | 7)
}

/// A byte of a half-move: a move or a prefix, assigned or not.
pub(super) fn is_halfmove(byte: u8) -> bool {
    !matches!(byte, 0..=3 | 6 | 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], is_closed: bool) -> Item<'_> {
        Item::Text(Text { bytes, is_closed })
    }

    #[test]
    fn a_text_ends_at_its_closing_byte_or_before_a_byte_that_is_no_text() {
        let items: Vec<_> = Items::new(b"\0Wab\0\x2c\0c\x04\0\0\0d\te").collect();
        assert_eq!(
            items,
            [
                text(b"Wab", true),
                Item::Byte(0x2c),
                text(b"c", false),
                Item::Byte(4),
                text(b"", true),
                text(b"d\te", false),
            ]
        );
    }

    #[test]
    fn a_lone_opening_byte_is_an_empty_unclosed_text() {
        assert_eq!(Items::new(b"\0").collect::<Vec<_>>(), [text(b"", false)]);
        assert_eq!(Items::new(b"\0\x02").next(), Some(text(b"", false)));
    }
}
