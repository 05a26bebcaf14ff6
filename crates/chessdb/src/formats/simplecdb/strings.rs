//! Players, sites and events: texts of 36 bytes (section 3).

use crate::database::TextId;
use crate::files::SourceFile;
use crate::problem::Problem;
use crate::text::{append_ascii, unescaped, utf8_line, without_cut_character};

/// The placeholder for an unknown text.
pub(super) const UNKNOWN: &str = "?";

const HEADER: u32 = 10;
const RECORD: u32 = 36;

/// The bytes of one text.
type Record = [u8; RECORD as usize];

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

/// A string file; a missing one has no texts.
pub(super) struct Strings {
    file: Option<SourceFile>,
    slot: u32,
}

impl Strings {
    /// Opens a string file. Wrong magic bytes only cause a warning, because old writers used other ones (section 1.4).
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

    /// The problem of a reference to a missing text. `None` for 0, which means that there is no text, and if the file
    /// is missing or empty, because that is reported once.
    pub(super) fn lost(&self, reference: u32, what: &str) -> Option<Problem> {
        let file = self.file.as_ref().filter(|file| !file.bytes.is_empty())?;
        let why = match self.record(reference) {
            _ if reference == 0 => return None,
            Some(record) if record.iter().all(|&byte| byte == 0) => "is zeros",
            Some(_) => return None,
            None => "is not there",
        };
        let what = format!("the text of {what} {why}");
        Some(Problem::damage(&file.name, u64::from(reference), what))
    }

    /// Appends the text at a file offset, or `?` if it is unknown.
    pub(super) fn append(&self, reference: u32, out: &mut String) {
        match self.record(reference) {
            Some(record) => append_text(record, out),
            None => out.push_str(UNKNOWN),
        }
    }

    /// The id of the text at a file offset.
    pub(super) fn id(&self, reference: u32) -> TextId {
        match self.record(reference) {
            Some(_) => TextId((reference - HEADER) / RECORD * SLOTS + self.slot),
            None => TextId(0),
        }
    }

    /// The text with this id, if it belongs to this file.
    pub(super) fn of_id(&self, id: TextId) -> Option<String> {
        (id.0 % SLOTS == self.slot).then(|| {
            let mut text = String::new();
            self.append(id.0 / SLOTS * RECORD + HEADER, &mut text);
            text
        })
    }

    /// The bytes at a valid reference (section 3.2).
    fn record(&self, reference: u32) -> Option<&Record> {
        let number = reference.checked_sub(HEADER)?;
        if number % RECORD != 0 {
            return None;
        }
        let bytes: &[u8] = &self.file.as_ref()?.bytes;
        bytes.get(reference as usize..)?.first_chunk()
    }
}

/// Appends the text of 36 bytes (section 3.4); the writer copies the escapes of PGN.
fn append_text(record: &Record, out: &mut String) {
    let start = out.len();
    if is_plain(record) {
        append_ascii(record.get(..len_without_padding(record)).unwrap_or_default(), out);
    } else {
        out.push_str(&text_with_oddities(record));
    }
    if out.len() == start {
        out.push_str(UNKNOWN);
    }
}

/// True for printable ASCII without escapes and without spaces at its start. Nearly all texts are like this.
fn is_plain(record: &Record) -> bool {
    // All bytes are examined, many at once, because the processor cannot predict where a text ends.
    let is_odd = |&c: &u8| !(b' '..0x7f).contains(&c) | (c == b'\\');
    record.iter().fold(0, |odd, c| odd | u8::from(is_odd(c))) == 0 && !record.starts_with(b" ")
}

/// Length of a record without trailing spaces, computed without branches.
fn len_without_padding(record: &Record) -> usize {
    // The last eight bytes overlap the previous ones.
    [0, 8, 16, 24, 28].into_iter().fold(0, |len, start| {
        let bytes = record.get(start..).and_then(|rest| rest.first_chunk());
        let others = bytes.map_or(0, |bytes| {
            u64::from_le_bytes(*bytes) ^ u64::from_le_bytes([b' '; 8])
        });
        let end = start + 8 - (others | 1).leading_zeros() as usize / 8;
        if others == 0 { len } else { end }
    })
}

#[cold]
fn text_with_oddities(record: &[u8]) -> String {
    match utf8_line(without_cut_character(record)) {
        text if text.contains('\\') => unescaped(&text),
        text => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of_record(record: &Record) -> String {
        let mut text = String::new();
        append_text(record, &mut text);
        text
    }

    #[test]
    fn records_become_texts() {
        let padded = |text: &str| Record::try_from(format!("{text:<36}").as_bytes()).unwrap();
        assert_eq!(text_of_record(&padded("Kasparov, Garry")), "Kasparov, Garry");
        assert_eq!(text_of_record(&padded("  Kasparov, Garry")), "Kasparov, Garry");
        assert_eq!(text_of_record(&padded("")), "?");
        assert_eq!(
            text_of_record(&padded(r#"The \"Immortal\" \\ \x"#)),
            r#"The "Immortal" \ \x"#
        );
        let mut cut = [b'x'; 36];
        cut[35] = 0xc3;
        assert_eq!(text_of_record(&cut), "x".repeat(35));
        let mut zeros = [0; 36];
        zeros[..9].copy_from_slice(b"Petrosian");
        assert_eq!(text_of_record(&zeros), "Petrosian");
    }
}
