//! The names of version 5: each is a number with its length and kind, then the text (section 8).
//!
//! Records follow each other without gaps: a number in groups of 7 bits, the lowest first, with the top bit set in all
//! bytes except the last; then number div 8 bytes of text. Number mod 8 is 0 player, 1 event, 2 site, 3 round, 4
//! information. Names of a kind are numbered from 0.

use super::{Damage, KINDS, Kind};
use crate::bytes::{index, slice};
use crate::files::SourceFile;
use crate::formats::scid::texts::Texts;

/// The kind of records that describe the database itself.
const INFORMATION: u64 = 4;

/// Maximum length of a name in bytes. The rest of a longer name is not shown.
const LONGEST: usize = 1 << 12;

/// The names in a file.
pub(crate) struct Plain {
    pub(super) file: SourceFile,
    /// The place of each name's record, by kind and number.
    kinds: [Vec<u32>; KINDS],
    pub(super) is_whole: bool,
}

impl Plain {
    /// Finds all names up to the first damage, and passes the texts that describe the database to `about`.
    pub(super) fn open(file: &SourceFile, about: impl FnMut(&[u8])) -> (Plain, Option<Damage>) {
        let mut names = Plain {
            file: file.clone(),
            kinds: Default::default(),
            is_whole: false,
        };
        let damage = names.read(about).err();
        names.is_whole = damage.is_none();
        (names, damage)
    }

    fn read(&mut self, mut about: impl FnMut(&[u8])) -> Result<(), Damage> {
        let file = &self.file;
        let mut at = 0;
        let mut records = 0u32;
        while at < file.bytes.len() {
            let damage = |what: &str| Damage {
                at,
                what: what.to_owned(),
            };
            if records.is_multiple_of(1024) && file.bytes.is_lost() {
                return Err(damage("the file cannot be read"));
            }
            if file.gap_at(at).is_some() {
                return Err(damage("a hole is where a name should be"));
            }
            let Record { kind, text, end } =
                Record::at(&file.bytes, at).ok_or_else(|| damage("the file ends inside a name"))?;
            match usize::try_from(kind)
                .ok()
                .and_then(|kind| self.kinds.get_mut(kind))
            {
                Some(names) => {
                    let place = u32::try_from(at);
                    names.push(place.map_err(|_| damage("a name is beyond the fourth gibibyte"))?);
                }
                None if kind == INFORMATION => about(text),
                None => return Err(damage("a record has a kind that is not defined")),
            }
            at = end;
            records = records.wrapping_add(1);
        }
        Ok(())
    }

    fn place(&self, kind: Kind, number: u32) -> Option<u32> {
        self.kinds.get(kind as usize)?.get(number as usize).copied()
    }

    pub(super) fn has(&self, kind: Kind, number: u32) -> bool {
        self.place(kind, number).is_some()
    }

    pub(super) fn count(&self, kind: Kind) -> usize {
        self.kinds.get(kind as usize).map_or(0, Vec::len)
    }

    /// Appends a name; returns false if it is unknown.
    pub(super) fn append(&self, kind: Kind, number: u32, texts: Texts, out: &mut String) -> bool {
        let place = self.place(kind, number);
        let record = place.and_then(|at| Record::at(&self.file.bytes, at as usize));
        if let Some(Record { text, .. }) = &record {
            texts.append_line(text.get(..LONGEST).unwrap_or(text), out);
        }
        record.is_some()
    }
}

/// A record in the file.
struct Record<'a> {
    kind: u64,
    text: &'a [u8],
    /// Place of the next record.
    end: usize,
}

impl Record<'_> {
    fn at(bytes: &[u8], at: usize) -> Option<Record<'_>> {
        let mut number = 0;
        let digits = bytes.get(at..)?.iter().zip((0..64).step_by(7));
        for (&digit, shift) in digits {
            number |= u64::from(digit & 0x7f) << shift;
            if digit & 0x80 == 0 {
                let start = at + shift / 7 + 1;
                let text = slice(bytes, start, index(number / 8))?;
                return Some(Record {
                    kind: number % 8,
                    text,
                    end: start + text.len(),
                });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn open(bytes: &[u8]) -> (Plain, Vec<Vec<u8>>, Option<Damage>) {
        let file = SourceFile {
            name: "x.sn5".to_owned(),
            bytes: Arc::new(bytes.to_vec()),
        };
        let mut information = Vec::new();
        let (names, damage) = Plain::open(&file, |record| information.push(record.to_vec()));
        (names, information, damage)
    }

    fn name(names: &Plain, kind: Kind, number: u32) -> Option<String> {
        let mut text = String::new();
        let texts = Texts::choose(None, &mut Vec::new());
        names.append(kind, number, texts, &mut text).then_some(text)
    }

    #[test]
    fn names_are_numbered_by_their_kind() {
        let long = "x".repeat(20);
        let file = [b"\x08A\x09e\x14k1", &[0xa0, 0x01][..], long.as_bytes(), b"\x00"].concat();
        let (names, information, damage) = open(&file);
        assert!(damage.is_none() && names.is_whole);
        assert_eq!(name(&names, Kind::Player, 0).as_deref(), Some("A"));
        assert_eq!(name(&names, Kind::Player, 1), Some(long));
        assert_eq!(name(&names, Kind::Player, 2).as_deref(), Some(""));
        assert_eq!(name(&names, Kind::Player, 3), None);
        assert_eq!(name(&names, Kind::Event, 0).as_deref(), Some("e"));
        assert_eq!(information, [b"k1"]);
    }

    #[test]
    fn names_before_the_damage_are_good() {
        for (rest, at) in [
            (&b"\x0d"[..], 2),
            (b"\x08", 2),
            (b"\x80", 2),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 2),
        ] {
            let (names, _, damage) = open(&[b"\x08A", rest].concat());
            assert_eq!(damage.map(|damage| damage.at), Some(at), "{rest:?}");
            assert_eq!(name(&names, Kind::Player, 0).as_deref(), Some("A"));
            assert_eq!(names.count(Kind::Player), 1);
        }
    }

    #[test]
    fn a_name_has_at_most_4096_bytes() {
        for (len, shown) in [(4_095u16, 4_095), (4_096, 4_096), (4_097, 4_096)] {
            let digit = |shift: u32| (u32::from(len) << 3 >> shift & 0x7f).to_le_bytes()[0];
            let digits = [digit(0) | 0x80, digit(7) | 0x80, digit(14)];
            let (names, _, damage) = open(&[&digits[..], &vec![b'x'; len.into()], b"\x08A"].concat());
            assert!(damage.is_none());
            let text = name(&names, Kind::Player, 0).map(|name| name.len());
            assert_eq!(text, Some(shown), "{len}");
            assert_eq!(name(&names, Kind::Player, 1).as_deref(), Some("A"), "{len}");
        }
    }
}
