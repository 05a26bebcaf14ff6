//! The names of players and events, each stored once and identified by a number (section 6).
//!
//! Names are concatenated, each followed by a zero. The offset of every sixteenth name is listed.

use std::collections::HashMap;

use crate::text::Charset;
use memchr::{memchr, memchr_iter, memrchr};

use crate::bytes::le_u32;
use crate::formats::pgn_common::characters::{decode, value};
use crate::text;

/// Number of names from one listed offset to the next.
const STEP: u32 = 16;

/// Maximum number of bytes of all names (section 8). Further names are stored as unknown.
const MOST_BYTES: usize = u32::MAX as usize / 2;

/// The names that one thread has met, numbered independently of other threads.
#[derive(Debug, Default)]
pub(super) struct Met {
    numbers: HashMap<Box<[u8]>, u32>,
    /// Names met since the last call of [`Met::merge_into`].
    fresh: Vec<Box<[u8]>>,
    /// The number in the index of each name that was merged.
    known: Vec<u32>,
}

impl Met {
    /// The number of the value of a tag.
    pub(super) fn number(&mut self, stored: &[u8], encoding: Charset) -> u32 {
        if encoding != Charset::Utf8 && !stored.is_ascii() {
            self.number_utf8(decode(stored, encoding).as_bytes())
        } else {
            self.number_utf8(stored)
        }
    }

    fn number_utf8(&mut self, stored: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(stored) {
            return number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(stored.into(), number);
        self.fresh.push(stored.into());
        number
    }

    /// Adds the names met since the last call to the index.
    pub(super) fn merge_into(&mut self, names: &mut Names) {
        let fresh = self.fresh.drain(..).map(|stored| names.number(&stored));
        self.known.extend(fresh);
    }

    /// The number in the index of a name that [`Met::merge_into`] has added.
    pub(super) fn merged(&self, number: u32) -> u32 {
        self.known.get(number as usize).copied().unwrap_or(0)
    }
}

/// The names in the index: their bytes, and the list of their offsets. Number 0 is the name for unknown.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) len: u32,
    pub(super) places: Vec<u8>,
    pub(super) texts: Vec<u8>,
    numbers: HashMap<Box<str>, u32>,
}

impl Names {
    /// Contains only the name for unknown.
    pub(super) fn new() -> Names {
        let mut names = Names {
            len: 0,
            places: Vec::new(),
            texts: Vec::new(),
            numbers: HashMap::new(),
        };
        names.push("?");
        names
    }

    /// The names of an index, from the bytes of the list of offsets and of the texts.
    pub(super) fn of_parts(places: &[u8], texts: &[u8]) -> Names {
        let mut names = Names {
            len: 0,
            places: places.to_vec(),
            texts: texts.to_vec(),
            numbers: HashMap::new(),
        };
        for end in memchr_iter(0, texts) {
            let start = texts.get(..end).and_then(|before| memrchr(0, before));
            let name = texts.get(start.map_or(0, |start| start + 1)..end);
            let name = text::utf8_lossy(name.unwrap_or_default());
            names.numbers.entry(name.into()).or_insert(names.len);
            names.len += 1;
        }
        names
    }

    fn push(&mut self, name: &str) {
        if self.len.is_multiple_of(STEP) {
            let place = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
            self.places.extend(place.to_le_bytes());
        }
        self.texts.extend(name.bytes().filter(|&c| c != 0));
        self.texts.push(0);
        self.len += 1;
    }

    /// The number of the value of a tag, in UTF-8.
    fn number(&mut self, stored: &[u8]) -> u32 {
        let name = value(stored, Charset::Utf8);
        if let Some(&number) = self.numbers.get(name.as_str()) {
            return number;
        }
        let number = match name.trim() {
            "" | "?" => 0,
            _ if self.texts.len() + name.len() >= MOST_BYTES => 0,
            _ => {
                self.push(&name);
                self.len - 1
            }
        };
        self.numbers.insert(name.into(), number);
        number
    }
}

/// The name with a number, from the bytes of the list of offsets and of the texts.
pub(super) fn name_at(places: &[u8], texts: &[u8], number: u32) -> Option<String> {
    let place = le_u32(places, (number / STEP) as usize * 4)?;
    let mut rest = texts.get(place as usize..)?;
    for _ in 0..number % STEP {
        rest = rest.get(memchr(0, rest)? + 1..)?;
    }
    Some(text::utf8_lossy(rest.get(..memchr(0, rest)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::WINDOWS_1252;

    #[test]
    fn equal_names_have_one_number() {
        let mut names = Names::new();
        let [mut one, mut other] = [Met::default(), Met::default()];
        let stored: Vec<String> = (0..100).map(|n| format!("name {n}")).collect();
        let numbers: Vec<u32> = stored
            .iter()
            .map(|name| one.number(name.as_bytes(), Charset::Utf8))
            .collect();
        let seven = other.number(b"name 7", Charset::Other(WINDOWS_1252));
        let [mueller, utf8] = [
            (&b"M\xfcller"[..], Charset::Other(WINDOWS_1252)),
            ("Müller".as_bytes(), Charset::Utf8),
        ]
        .map(|(name, encoding)| other.number(name, encoding));
        assert_eq!(mueller, utf8);
        let nothing = other.number(b"", Charset::Utf8);
        one.merge_into(&mut names);
        other.merge_into(&mut names);
        assert_eq!(other.merged(seven), one.merged(numbers[7]));
        assert_eq!(other.merged(nothing), 0);
        let name = |number| name_at(&names.places, &names.texts, number);
        assert_eq!(name(0).as_deref(), Some("?"));
        assert_eq!(name(other.merged(mueller)).as_deref(), Some("Müller"));
        for (stored, &number) in stored.iter().zip(&numbers) {
            assert_eq!(name(one.merged(number)).as_deref(), Some(stored.as_str()));
        }
        assert_eq!(name(102), None);
        // Names that were stored in an index and read again are the same.
        let mut again = Names::of_parts(&names.places, &names.texts);
        assert_eq!(again.len, names.len);
        assert_eq!(again.number(b"name 7"), one.merged(numbers[7]));
        assert_eq!(again.number(br"name \7"), names.len);
    }
}
