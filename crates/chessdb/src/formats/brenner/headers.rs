//! Texts that are headers, and their tags (sections 6.3, 7.1).

use super::dates;
use super::items::{Item, Items, Text};
use super::texts::TextReader;
use crate::game::{Outcome, Tags};

/// A header, by the meaning of its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    White,
    Black,
    Date,
    Location,
    Type,
    Variation,
}

/// The texts of one record before its first item that is not a text, by kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Headers {
    /// One bit for each header that has occurred.
    seen: u8,
}

impl Headers {
    /// The kind and value of the next text, if it is a header; `None` for a comment.
    pub(super) fn take<'a>(&mut self, text: Text<'a>) -> Option<(Header, &'a [u8])> {
        let header = match text.tag()? {
            b'W' => Header::White,
            b'B' => Header::Black,
            b'D' => Header::Date,
            b'L' => Header::Location,
            b'T' => Header::Type,
            _ => Header::Variation,
        };
        let bit = 1 << header as u8;
        let is_first = self.seen & bit == 0;
        self.seen |= bit;
        is_first.then(|| (header, text.bytes.get(1..).unwrap_or_default()))
    }
}

/// Sets the tags of a header, unless it is empty.
pub(super) fn set_tag(tags: &mut Tags, header: Header, value: &[u8], texts: TextReader) {
    let value = texts.value(value);
    if value.is_empty() {
        return;
    }
    let name = match header {
        Header::White => "White",
        Header::Black => "Black",
        Header::Location => "Site",
        Header::Type => "Event",
        Header::Variation => "Opening",
        Header::Date => {
            let (date, is_lossy) = dates::read(&value);
            tags.set_date("Date", date);
            if is_lossy {
                tags.set_str("DateText", &value);
            }
            return;
        }
    };
    tags.set_str(name, &value);
}

/// All tags of a record.
pub(super) fn tags(record: &[u8], outcome: Outcome, texts: TextReader) -> Tags {
    let mut tags = Tags::new(outcome);
    let mut headers = Headers::default();
    for item in Items::new(record) {
        let Item::Text(text) = item else { break };
        if let Some((header, value)) = headers.take(text) {
            set_tag(&mut tags, header, value, texts);
        }
    }
    tags
}
