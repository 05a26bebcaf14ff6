//! The description of a database: text, type, autoload, names of custom flags (sections 2.1, 2.2 and 8).
//!
//! The header of an index of versions 3 and 4:
//!
//! ```text
//! offset  size
//! 0       8     magic
//! 8       2     version
//! 10      4     type
//! 14      3     number of games
//! 17      3     autoload: the game that Scid shows first, from 1
//! 20      108   description, up to the first zero
//! 128     54    version 4: six names of custom flags, 9 bytes each, up to the first zero
//! ```

use super::texts::Texts;
use crate::bytes::{be_u32, slice};
use crate::text::without_cut_character;

/// Rows of the custom flags for display.
const FLAGS: [&str; 6] = ["flag 1", "flag 2", "flag 3", "flag 4", "flag 5", "flag 6"];

/// Size of the field for the description, with the zero after it.
const DESCRIPTION: usize = 108;
/// Size of the field for the name of a custom flag, with the zero after it.
const FLAG: usize = 9;

/// Maximum number of bytes of a record that are read. Version 5 itself has no limit, but these texts are kept in
/// memory.
const LONGEST: usize = 1 << 12;

/// Names of the types of databases (section 2.2). All types from 20 on are "theory".
const TYPES: [&str; 20] = [
    "unknown",
    "temporary",
    "clipbase",
    "PGN",
    "my games",
    "large",
    "correspondence",
    "computer chess",
    "sorted index",
    "player collection",
    "tournament, all play all",
    "tournament, Swiss",
    "grandmasters",
    "masters",
    "blitz",
    "tactics",
    "endgames",
    "openings for White",
    "openings for Black",
    "openings",
];

/// The description of a database; empty or 0 if not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct About {
    description: String,
    kind: u32,
    autoload: u32,
    flags: [String; FLAGS.len()],
}

impl About {
    /// Reads the header of an index of version 3 or 4. In version 3 the header ends before the names of flags, so they
    /// stay empty.
    pub(super) fn of_header(header: &[u8], texts: Texts) -> About {
        let text = |start, len| {
            let field = slice(header, start, len).unwrap_or_default();
            let text = field.split(|&byte| byte == 0).next().unwrap_or_default();
            // Only a text that fills its field may be cut.
            let is_full = text.len() + 1 >= len;
            let text = if is_full {
                without_cut_character(text)
            } else {
                text
            };
            texts.line(text).trim().to_owned()
        };
        let mut about = About {
            description: text(20, DESCRIPTION),
            kind: be_u32(header, 10).unwrap_or(0),
            // The number has three bytes, +17 to +19. The byte at +16 is the last one of the number of games.
            autoload: be_u32(header, 16).unwrap_or(0) & 0xff_ffff,
            ..About::default()
        };
        for (start, flag) in (128..).step_by(FLAG).zip(&mut about.flags) {
            *flag = text(start, FLAG);
        }
        about
    }

    /// Sets a field from a record of version 5's file of names. The record is a text with a key and its value.
    pub(super) fn set(&mut self, record: &[u8], texts: Texts) {
        let record = match record.split_at_checked(LONGEST) {
            Some((beginning, [_, ..])) => without_cut_character(beginning),
            _ => record,
        };
        let record = texts.line(record);
        let number = |text: &str| text.trim().parse().unwrap_or(0);
        if let Some(text) = record.strip_prefix("description") {
            self.description = text.trim().to_owned();
        } else if let Some(text) = record.strip_prefix("type") {
            self.kind = number(text);
        } else if let Some(text) = record.strip_prefix("autoload") {
            self.autoload = number(text);
        } else if let Some(rest) = record.strip_prefix("flag") {
            for (digit, flag) in ('1'..).zip(&mut self.flags) {
                if let Some(text) = rest.strip_prefix(digit) {
                    *flag = text.trim().to_owned();
                }
            }
        }
    }

    /// The rows for display.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if !self.description.is_empty() {
            rows.push(("description", self.description.clone()));
        }
        if self.kind != 0 {
            let kind = TYPES.get(self.kind as usize).copied().unwrap_or("theory");
            rows.push(("type", format!("{} ({kind})", self.kind)));
        }
        if self.autoload != 0 {
            rows.push(("autoload", format!("game {}", self.autoload)));
        }
        for (name, flag) in FLAGS.into_iter().zip(&self.flags) {
            if !flag.is_empty() {
                rows.push((name, flag.clone()));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Texts {
        Texts::choose(None, &mut Vec::new())
    }

    #[test]
    fn headers_and_records_say_the_same() {
        let mut header = vec![0; 182];
        header[13] = 7;
        header[17..20].copy_from_slice(&[0, 1, 2]);
        header[20..28].copy_from_slice(b"My games");
        header[137..141].copy_from_slice(b"mate");
        let header = About::of_header(&header, texts());
        let mut records = About::default();
        for record in [
            "descriptionOld",
            "descriptionMy games",
            "type7",
            "autoload258",
            "flag2mate",
            "x1",
        ] {
            records.set(record.as_bytes(), texts());
        }
        assert_eq!(header, records);
        let rows: Vec<_> = records
            .rows()
            .into_iter()
            .map(|(name, text)| format!("{name}: {text}"))
            .collect();
        assert_eq!(
            rows,
            [
                "description: My games",
                "type: 7 (computer chess)",
                "autoload: game 258",
                "flag 2: mate"
            ]
        );
    }

    #[test]
    fn a_text_keeps_its_last_letter() {
        let mut header = vec![0; 182];
        header[20..24].copy_from_slice(b"Caf\xe9");
        header[128..133].copy_from_slice(b"Pok\xe9\0");
        let mut about = About::default();
        about.set(b"descriptionCaf\xe9", texts());
        about.set(b"flag1Pok\xe9", texts());
        assert_eq!(About::of_header(&header, texts()), about);
        assert_eq!((&*about.description, &*about.flags[0]), ("Café", "Poké"));
    }

    #[test]
    fn a_text_that_is_cut_inside_a_character_loses_it() {
        let mut header = vec![b'x'; 182];
        header[20..128].copy_from_slice(&[&[b'a'; 106][..], &[0xc3, 0]].concat());
        assert_eq!(About::of_header(&header, texts()).description, "a".repeat(106));
    }

    #[test]
    fn version_3_has_no_names_of_flags() {
        assert_eq!(
            About::of_header(&[b'x'; 128], texts()).flags,
            About::default().flags
        );
    }

    #[test]
    fn a_header_that_is_cut_says_nothing() {
        assert_eq!(About::of_header(&[], texts()).rows(), []);
    }

    #[test]
    fn a_record_has_at_most_4096_bytes() {
        for (len, shown) in [
            (LONGEST - 1, LONGEST - 1),
            (LONGEST, LONGEST),
            (LONGEST + 1, LONGEST),
        ] {
            let mut about = About::default();
            let record = format!("description{}", "x".repeat(len - "description".len()));
            about.set(record.as_bytes(), texts());
            assert_eq!(about.description.len(), shown - "description".len(), "{len}");
        }
    }
}
