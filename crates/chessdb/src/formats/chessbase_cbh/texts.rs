//! Guiding texts (section 10): pages between the games.
//!
//! The body in the `.cbg` is `80` and its size in three bytes, big endian; then, in little endian: u16 version; u16
//! number of titles, each u16 language, u16 length, text; u8; u16 number of contents:
//!
//! ```text
//! version  each content
//! 1        u16 language, u16 length, text, u16 length, formatting
//! 2        the same with u32 lengths
//! 3        u16 language, u32 length, HTML, u32
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use crate::bytes::{index, le_u16, le_u32, slice};
use crate::files::SourceFile;
use crate::formats::chessbase_common::{Characters, GuidingText, Texts, file_name};

/// Endings of names by the number of the language. The last one is for texts without a language; an unknown language
/// has its number as ending.
const LANGUAGES: [&str; 8] = [".en", ".de", ".fr", ".es", ".it", ".nl", ".pt", ""];
const HEAD: usize = 4;
/// Minimum size of a guiding text in one language in bytes: two lengths, two languages, and hardly any text.
const SHORTEST_TEXT: usize = 16;
/// Maximum number of titles, and of contents, of a text. More can only be damage.
const MOST_PARTS: u16 = 256;

/// A text in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// Number of its record, from 1.
    record: usize,
    language: u16,
    title: Range<usize>,
    is_html: bool,
    /// Place of the text in the `.cbg`.
    bytes: Range<usize>,
}

impl Text {
    /// Name of the file that shows it: `000003 Title.en.html`.
    pub(super) fn name(&self, cbg: &[u8], characters: Characters) -> String {
        let title = characters.line(cbg.get(self.title.clone()).unwrap_or_default());
        let language = match LANGUAGES.get(usize::from(self.language)) {
            Some(language) => (*language).to_owned(),
            None => format!(".{}", self.language),
        };
        let end = if self.is_html { ".html" } else { ".txt" };
        file_name(self.record, &title, &language, end)
    }
}

impl GuidingText for Text {
    fn bytes(&self) -> Range<usize> {
        self.bytes.clone()
    }
}

/// Reads the texts of the records at these places, from 0.
///
/// `text_at` gives the place of a record's text in the `.cbg`.
pub(super) fn read_all(
    cbg: &SourceFile,
    records: impl Iterator<Item = usize>,
    text_at: impl Fn(usize) -> Option<u64>,
) -> Texts<Text> {
    let records = records.map(|place| place + 1);
    Texts::read(cbg, SHORTEST_TEXT, records, |record| {
        let Some(at) = text_at(record - 1) else {
            return (Vec::new(), None);
        };
        let (texts, damage) = read(&cbg.bytes, index(at), record);
        let damage = damage.map(|at| (Some(at as u64), "cannot be read from here on".to_owned()));
        (texts, damage)
    })
}

/// The texts of a record, one for each language, and the place of the first damage.
fn read(cbg: &[u8], offset: usize, record: usize) -> (Vec<Text>, Option<usize>) {
    let mut texts = Vec::new();
    let mut body = Body {
        cbg,
        at: offset.saturating_add(HEAD),
    };
    let is_whole = body.read(record, &mut texts).is_some();
    (texts, (!is_whole).then_some(body.at))
}

struct Body<'a> {
    cbg: &'a [u8],
    at: usize,
}

impl Body<'_> {
    fn u16(&mut self) -> Option<u16> {
        let value = le_u16(self.cbg, self.at)?;
        self.at += 2;
        Some(value)
    }

    fn u32(&mut self) -> Option<u32> {
        let value = le_u32(self.cbg, self.at)?;
        self.at += 4;
        Some(value)
    }

    /// Skips `len` bytes and returns their place; `None` if the file ends before.
    fn pass(&mut self, len: usize) -> Option<Range<usize>> {
        slice(self.cbg, self.at, len)?;
        let start = self.at;
        self.at += len;
        Some(start..self.at)
    }

    fn read(&mut self, record: usize, texts: &mut Vec<Text>) -> Option<()> {
        let version = self.u16()?;
        let few = |count: &u16| *count <= MOST_PARTS;
        let mut titles = BTreeMap::new();
        for _ in 0..self.u16().filter(few)? {
            let language = self.u16()?;
            let len = usize::from(self.u16()?);
            let title = self.pass(len)?;
            titles.entry(language).or_insert(title);
        }
        self.pass(1)?;
        for _ in 0..self.u16().filter(few)? {
            let language = self.u16()?;
            let is_short = version == 1;
            let len = if is_short {
                u32::from(self.u16()?)
            } else {
                self.u32()?
            };
            let bytes = self.pass(usize::try_from(len).ok()?)?;
            let formatting = match (version, is_short) {
                (_, true) => u32::from(self.u16()?),
                _ => self.u32()?,
            };
            if version < 3 {
                self.pass(usize::try_from(formatting).ok()?)?;
            }
            if texts.iter().any(|text: &Text| text.language == language) {
                continue;
            }
            let title = titles.get(&language).or_else(|| titles.values().next()).cloned();
            texts.push(Text {
                record,
                language,
                title: title.unwrap_or_default(),
                is_html: version >= 3,
                bytes,
            });
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_a_file() {
        let mut body = vec![0x80, 0, 0, 0];
        body.extend([3, 0, 2, 0]);
        for (language, title) in [(0, "Preface"), (1, "Vorwort")] {
            body.extend([language, 0, 7, 0]);
            body.extend(title.bytes());
        }
        body.extend([1, 4, 0]);
        for (language, text) in [(1, "<p>"), (0, "<b>"), (2, "<i>"), (12, "<u>")] {
            body.extend([language, 0, 3, 0, 0, 0]);
            body.extend(text.bytes());
            body.extend([0; 4]);
        }
        let characters = Characters::choose(None, &mut Vec::new());
        let (texts, damage) = read(&body, 0, 3);
        assert_eq!(damage, None);
        let shown: Vec<_> = texts
            .iter()
            .map(|text| (text.name(&body, characters), &body[text.bytes.clone()]))
            .collect();
        let expected = [
            ("000003 Vorwort.de.html", b"<p>"),
            ("000003 Preface.en.html", b"<b>"),
            ("000003 Preface.fr.html", b"<i>"),
            ("000003 Preface.12.html", b"<u>"),
        ];
        assert_eq!(shown, expected.map(|(name, text)| (name.to_owned(), &text[..])));
        assert_eq!(read(&body[..40], 0, 3), (Vec::new(), Some(39)));
    }

    #[test]
    fn a_text_has_at_most_256_languages() {
        for (languages, shown) in [(255u16, 1), (256, 1), (257, 0)] {
            // All parts are in the same language, so only the first is shown.
            let mut body = vec![0x80, 0, 0, 0, 3, 0, 0, 0, 1];
            body.extend(languages.to_le_bytes());
            body.extend([0, 0, 1, 0, 0, 0, b'x', 0, 0, 0, 0].repeat(languages.into()));
            let (texts, damage) = read(&body, 0, 3);
            assert_eq!(
                (texts.len(), damage.is_some()),
                (shown, shown == 0),
                "{languages}"
            );
        }
    }
}
