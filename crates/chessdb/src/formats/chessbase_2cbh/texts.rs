//! Guiding texts (section 7): pages between the games.
//!
//! | type | content of the frame |
//! |---|---|
//! | u16 | 5 |
//! | i32 | bytes that follow |
//! | i32 | number of languages |
//! | | each: i32 language, HTML with its length before it |

use std::ops::Range;

use super::ChessBase2Cbh;
use super::fields::Fields;
use super::frame::{self, Frame};
use super::header::{Header, RECORD};
use super::names::{self, Type};
use crate::bytes::{index, le_u64};
use crate::files::SourceFile;
use crate::formats::chessbase_common::{GuidingText, Texts, file_name, nations};
use crate::text::without_cut_character;

/// The version number that every content starts with.
const VERSION: u16 = 5;
/// Languages by the numbers of their countries, with their codes for names of files.
const LANGUAGES: [(u32, &str); 7] = [
    (42, "en"),
    (43, "es"),
    (49, "fr"),
    (53, "de"),
    (70, "it"),
    (103, "nl"),
    (117, "pt"),
];
/// Maximum number of bytes of a title that are read for the name of a file. File names are shorter.
const MOST_OF_TITLE: usize = 1024;
/// Maximum number of languages of a text.
const MOST_LANGUAGES: i32 = 256;
/// Minimum size of a guiding text in one language, in bytes.
const SHORTEST_TEXT: usize = 8;

/// A text in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// Number of its record, from 1.
    record: usize,
    language: u32,
    /// Its place in the `.2cbg`.
    bytes: Range<usize>,
}

impl Text {
    /// Name of the file that shows it: `000003 Title.en.html`. The title is in the language of the text or, if that is
    /// missing, the first title that is not empty.
    pub(super) fn name(&self, database: &ChessBase2Cbh) -> String {
        let title = title_of(&database.base.cbh, self.record)
            .and_then(|number| database.names.get(Type::Title, number));
        let (mut own, mut first) = (String::new(), String::new());
        for (language, text) in title.into_iter().flat_map(names::titles) {
            let wanted = if language == self.language {
                &mut own
            } else {
                &mut first
            };
            if wanted.is_empty() {
                let beginning = text.get(..MOST_OF_TITLE).map(without_cut_character);
                database
                    .base
                    .characters
                    .append_name(beginning.unwrap_or(text), wanted);
            }
        }
        let title = if own.is_empty() { first } else { own };
        file_name(self.record, &title, &suffix(self.language), ".html")
    }
}

impl GuidingText for Text {
    fn bytes(&self) -> Range<usize> {
        self.bytes.clone()
    }
}

/// The number of a text's title.
fn title_of(cbh: &SourceFile, record: usize) -> Option<i64> {
    let at = record.checked_mul(RECORD)?.checked_add(0x28)?;
    le_u64(&cbh.bytes, at).map(u64::cast_signed)
}

/// The part of a file's name for its language.
fn suffix(language: u32) -> String {
    let own = LANGUAGES.iter().find(|(number, _)| *number == language);
    let country = || nations::code(u8::try_from(language).ok()?);
    match (own, country()) {
        (Some((_, language)), _) => format!(".{language}"),
        (None, Some(country)) => format!(".{}", country.to_lowercase()),
        (None, None) if language == 0 => String::new(),
        (None, None) => format!(".{language}"),
    }
}

/// The texts of the records at these places, from 0.
pub(super) fn read_all(
    cbh: &SourceFile,
    cbg: &SourceFile,
    records: impl Iterator<Item = usize>,
) -> Texts<Text> {
    // Frames of sound files do not share bytes, so together they are not longer than the file.
    let mut unsummed = cbg.data_len();
    let records = records.map(|place| place + 1);
    Texts::read(cbg, SHORTEST_TEXT, records, |record| {
        let Some(header) = Header::at(&cbh.bytes, record - 1) else {
            return (Vec::new(), None);
        };
        let (texts, damage) = read(&cbg.bytes, header.moves_at(), record, &mut unsummed);
        (texts, damage.map(|(at, what)| (at, what.to_owned())))
    })
}

/// The place of damage in a text, and its description.
type Damage = (Option<u64>, &'static str);

/// The texts of a record that are not empty, one for each language, and their damage. Checksums are tested for at most
/// `unsummed` bytes, from which their number is subtracted.
fn read(cbg: &[u8], at: i64, record: usize, unsummed: &mut usize) -> (Vec<Text>, Option<Damage>) {
    let frame = match Frame::at(cbg, at) {
        Ok(frame) => frame,
        Err(why) => return (Vec::new(), Some((u64::try_from(at).ok(), why))),
    };
    let damage = |what| Some((Some(frame.at), what));
    if frame.tag != frame::TEXT {
        return (Vec::new(), damage("is not in the frame of a text"));
    }
    let mut fields = Fields::new(frame.content);
    let mut texts: Vec<Text> = Vec::new();
    let is_whole = read_languages(&mut fields, |language, len, end| {
        let is_known = texts.iter().any(|text| text.language == language);
        let end = index(frame.content_at()) + end;
        if len > 0 && !is_known {
            texts.push(Text {
                record,
                language,
                bytes: end - len..end,
            });
        }
    });
    let left = unsummed.checked_sub(frame.content.len());
    *unsummed = left.unwrap_or(*unsummed);
    let damage = match is_whole {
        None => Some((
            Some(frame.content_at() + fields.at() as u64),
            "cannot be read from here on",
        )),
        Some(()) if frame.is_cut => damage("is cut by the end of the file"),
        Some(()) if left.is_none() => damage("shares bytes with others: its checksum is not compared"),
        Some(()) if !frame.is_sound(cbg) => damage("has a wrong checksum: some of it may be damaged"),
        Some(()) if !frame.has_end => damage("has a frame with a wrong length at its end"),
        Some(()) => None,
    };
    (texts, damage)
}

/// Passes the language, the length and the end of each text to `each`. Returns `None` if reading ends early.
fn read_languages(fields: &mut Fields<'_>, mut each: impl FnMut(u32, usize, usize)) -> Option<()> {
    let mut ahead = *fields;
    if ahead.u16()? != VERSION {
        return None;
    }
    let _len = ahead.i32()?;
    let count = ahead.i32().filter(|count| (0..=MOST_LANGUAGES).contains(count))?;
    *fields = ahead;
    for _ in 0..count {
        let mut ahead = *fields;
        let language = ahead.u32()?;
        let text = ahead.string()?;
        *fields = ahead;
        each(language, text.len(), fields.at());
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_at_most_256_languages() {
        for (languages, read) in [(255u16, 255), (256, 256), (257, 0)] {
            let mut bytes = vec![5, 0, 0, 0, 0, 0];
            bytes.extend(i32::from(languages).to_le_bytes());
            bytes.extend([49, 0, 0, 0, 1, 0, 0, 0, b'x'].repeat(languages.into()));
            let mut found = 0;
            let end = read_languages(&mut Fields::new(&bytes), |_, _, _| found += 1);
            assert_eq!((found, end.is_some()), (read, read > 0), "{languages}");
        }
    }
}
