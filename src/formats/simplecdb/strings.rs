//! Players, sites and events: texts of 36 bytes (section 3).

use std::borrow::Cow;

use crate::bytes::slice;
use crate::formats::{SourceFile, TextId};
use crate::text::{utf8_line, without_cut_character};

/// What stands for a text that is not known.
pub(super) const UNKNOWN: &str = "?";

const HEADER: u32 = 10;
const RECORD: u32 = 36;

/// One of the three string files.
pub(super) struct Kind {
    pub(super) extension: &'static str,
    magic: &'static str,
    /// Ids of this file are `slot` modulo [`SLOTS`]; 0 is the unknown text.
    slot: u32,
}

const SLOTS: u32 = 4;

pub(super) const PLAYERS: Kind = Kind {
    extension: "dcn",
    magic: "SimpleCDbn",
    slot: 1,
};
pub(super) const SITES: Kind = Kind {
    extension: "dcs",
    magic: "SimpleCDbs",
    slot: 2,
};
pub(super) const EVENTS: Kind = Kind {
    extension: "dce",
    magic: "SimpleCDbe",
    slot: 3,
};

/// A string file; a missing one knows no text.
pub(super) struct Strings {
    file: Option<SourceFile>,
    slot: u32,
}

impl Strings {
    /// Old writers put other magics at the head of these files, so a wrong one is only a warning (section 1.4).
    pub(super) fn open(file: Option<&SourceFile>, kind: &Kind, warnings: &mut Vec<String>) -> Strings {
        if let Some(file) = file
            && !file.bytes.is_empty()
            && !file.bytes.starts_with(kind.magic.as_bytes())
        {
            warnings.push(format!("{} does not begin with {}", file.name, kind.magic));
        }
        Strings {
            file: file.cloned(),
            slot: kind.slot,
        }
    }

    /// The text at a file offset, `?` where it is unknown.
    pub(super) fn text(&self, reference: u32) -> Cow<'_, str> {
        self.record(reference)
            .map_or(Cow::Borrowed(UNKNOWN), text_of_record)
    }

    /// The id of the text at a file offset.
    pub(super) fn id(&self, reference: u32) -> TextId {
        match self.record(reference) {
            Some(_) => TextId((reference - HEADER) / RECORD * SLOTS + self.slot),
            None => TextId(0),
        }
    }

    /// The text of an id, where it is one of this file.
    pub(super) fn of_id(&self, id: TextId) -> Option<Cow<'_, str>> {
        (id.0 % SLOTS == self.slot).then(|| self.text(id.0 / SLOTS * RECORD + HEADER))
    }

    /// The bytes at a good reference (section 3.2).
    fn record(&self, reference: u32) -> Option<&[u8]> {
        let number = reference.checked_sub(HEADER)?;
        if number % RECORD != 0 {
            return None;
        }
        slice(&self.file.as_ref()?.bytes, reference as usize, RECORD as usize)
    }
}

/// The text of 36 bytes (section 3.4); the writer keeps the escapes of PGN as they stood.
fn text_of_record(record: &[u8]) -> Cow<'_, str> {
    let plain = is_plain(record).then(|| std::str::from_utf8(without_padding(record)).ok());
    let text = match plain.flatten() {
        Some(text) => Cow::Borrowed(text),
        None => text_with_oddities(record),
    };
    if text.is_empty() {
        Cow::Borrowed(UNKNOWN)
    } else {
        text
    }
}

/// Printable ASCII without escapes, as nearly all texts are.
fn is_plain(record: &[u8]) -> bool {
    record
        .iter()
        .fold(true, |plain, &c| plain & (b' '..0x7f).contains(&c) & (c != b'\\'))
}

/// A record without blanks at both ends; at its end there are many, so that eight are looked at at once.
fn without_padding(mut record: &[u8]) -> &[u8] {
    while let Some((head, tail)) = record.split_last_chunk() {
        let others = u64::from_le_bytes(*tail) ^ u64::from_le_bytes([b' '; 8]);
        if others != 0 {
            let padding = others.leading_zeros() as usize / 8;
            record = record.get(..record.len() - padding).unwrap_or(record);
            break;
        }
        record = head;
    }
    record.trim_ascii()
}

#[cold]
fn text_with_oddities(record: &[u8]) -> Cow<'_, str> {
    match utf8_line(without_cut_character(record)) {
        text if text.contains('\\') => Cow::Owned(unescaped(&text)),
        text => text,
    }
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' {
            characters.next_if(|c| matches!(c, '"' | '\\'))
        } else {
            None
        };
        plain.push(escaped.unwrap_or(character));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_become_texts() {
        let padded = |text: &str| format!("{text:<36}").into_bytes();
        assert_eq!(text_of_record(&padded("Kasparov, Garry")), "Kasparov, Garry");
        assert_eq!(text_of_record(&padded("")), "?");
        assert_eq!(
            text_of_record(&padded(r#"The \"Immortal\" \\ \x"#)),
            r#"The "Immortal" \ \x"#
        );
        let mut cut = "x".repeat(35).into_bytes();
        cut.push(0xc3);
        assert_eq!(text_of_record(&cut), "x".repeat(35));
        assert_eq!(text_of_record(b"Petrosian\0\0\0"), "Petrosian");
    }
}
