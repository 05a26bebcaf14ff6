//! The names of versions 3 and 4. They are sorted, and each is stored without the prefix that it shares with the
//! previous name (section 7).
//!
//! | size | field |
//! |---|---|
//! | 36 | header: magic, 4 bytes, the number of names of each kind, the highest frequency of each kind |
//! | 2 or 3 | number of the name |
//! | 1 to 3 | frequency |
//! | 1 | length of the whole name |
//! | 1 | number of bytes that it shares with the previous name; absent in the first name of each kind |
//! | the rest | the bytes that differ |

use std::collections::BTreeMap;

use super::{Damage, KINDS, Kind};
use crate::bytes::{be_u32, slice};
use crate::files::SourceFile;
use crate::formats::scid::texts::Texts;

const MAGIC: &[u8] = b"Scid.sn\0";

/// Size of the header in bytes.
const HEADER: usize = 36;

/// Size of the shortest record in bytes.
const SHORTEST: usize = 4;

/// Longest name.
const LONGEST: usize = 255;

/// The names in a file.
pub(crate) struct Coded {
    pub(super) file: SourceFile,
    kinds: [Names; KINDS],
    pub(super) is_whole: bool,
}

/// The names of one kind by their numbers, which are in no order. Memory is limited by how many records fit into the
/// file, not by the count in its header.
#[derive(Clone, Debug, Default)]
struct Names {
    /// The names with numbers below the number of records that fit.
    near: Vec<Name>,
    /// The names with higher numbers, which only a cut file has.
    beyond: BTreeMap<u32, Name>,
}

impl Names {
    fn new(count: usize, fit: usize) -> Names {
        Names {
            near: vec![Name::default(); count.min(fit)],
            beyond: BTreeMap::new(),
        }
    }

    fn get(&self, number: u32) -> Option<&Name> {
        let near = self.near.get(number as usize);
        near.or_else(|| self.beyond.get(&number))
            .filter(|name| name.at != 0)
    }

    /// The place for a name. It is not taken if its `at` is 0.
    fn place(&mut self, number: u32) -> &mut Name {
        match self.near.get_mut(number as usize) {
            Some(name) => name,
            None => self.beyond.entry(number).or_default(),
        }
    }

    fn len(&self) -> usize {
        let near = self.near.iter().filter(|name| name.at != 0).count();
        near + self.beyond.len()
    }
}

/// Where a name is stored.
#[derive(Clone, Copy, Debug, Default)]
struct Name {
    /// Place of its own bytes in the file; 0 if no name has this number.
    at: u32,
    /// Number of an earlier name that has the last of the shared bytes among its own bytes.
    prefix: u32,
    /// Number of bytes that it shares with the previous name.
    same: u8,
    /// Length of the whole name in bytes.
    len: u8,
}

impl Coded {
    /// Finds all names up to the first damage.
    pub(super) fn open(file: &SourceFile, warnings: &mut Vec<String>) -> (Coded, Option<Damage>) {
        let mut names = Coded {
            file: file.clone(),
            kinds: Default::default(),
            is_whole: false,
        };
        let damage = names.read(warnings).err();
        names.is_whole = damage.is_none();
        (names, damage)
    }

    fn read(&mut self, warnings: &mut Vec<String>) -> Result<(), Damage> {
        let file = self.file.clone();
        if !file.bytes.starts_with(MAGIC) {
            return Err(damage(0, "it does not begin with Scid.sn"));
        }
        let mut at = HEADER;
        for (number, kind) in (0..).zip(&mut self.kinds) {
            // Each count has three bytes, from +12 and from +24 on. The byte before it belongs to another field.
            let count = |at| be_u32(&file.bytes, at).map(|field| field & 0xff_ffff);
            let widths = count(11 + 3 * number).zip(count(23 + 3 * number));
            let (count, frequency) = widths.ok_or_else(|| damage(0, "its header is cut"))?;
            let widths = Widths {
                number: if count >= 1 << 16 { 3 } else { 2 },
                frequency: match frequency {
                    0..0x100 => 1,
                    0x100..0x1_0000 => 2,
                    _ => 3,
                },
            };
            at = read_kind(&file, at, count as usize, widths, kind)?;
        }
        if at < file.bytes.len() && file.bytes.gaps().is_empty() {
            warnings.push(format!(
                "{}: {} bytes after the last name are ignored",
                file.name,
                file.bytes.len() - at
            ));
        }
        Ok(())
    }

    fn name(&self, kind: Kind, number: u32) -> Option<&Name> {
        self.kinds.get(kind as usize)?.get(number)
    }

    pub(super) fn has(&self, kind: Kind, number: u32) -> bool {
        self.name(kind, number).is_some()
    }

    pub(super) fn count(&self, kind: Kind) -> usize {
        self.kinds.get(kind as usize).map_or(0, Names::len)
    }

    /// Appends a name; returns false if it is unknown.
    pub(super) fn append(&self, kind: Kind, number: u32, texts: Texts, out: &mut String) -> bool {
        let mut buffer = [0; LONGEST];
        let bytes = self.bytes(kind, number, &mut buffer);
        if let Some(bytes) = bytes {
            texts.append_value(bytes, out);
        }
        bytes.is_some()
    }

    /// Builds a name from its end to its start. Each step leaves fewer bytes to find, so it ends even in a damaged
    /// file.
    fn bytes<'b>(&self, kind: Kind, number: u32, buffer: &'b mut [u8; LONGEST]) -> Option<&'b [u8]> {
        let mut name = self.name(kind, number)?;
        let len = usize::from(name.len);
        let mut wanted = len;
        loop {
            let same = usize::from(name.same);
            let own = slice(&self.file.bytes, name.at as usize, wanted.checked_sub(same)?)?;
            buffer.get_mut(same..wanted)?.copy_from_slice(own);
            if same == 0 {
                return buffer.get(..len);
            }
            wanted = same;
            name = self
                .name(kind, name.prefix)
                .filter(|before| usize::from(before.same) < wanted)?;
        }
    }
}

/// Sizes of the fields that differ between kinds.
#[derive(Clone, Copy)]
struct Widths {
    number: usize,
    frequency: usize,
}

/// Finds the names of one kind, and returns the place after them.
fn read_kind(
    file: &SourceFile,
    start: usize,
    count: usize,
    widths: Widths,
    names: &mut Names,
) -> Result<usize, Damage> {
    let bytes: &[u8] = &file.bytes;
    *names = Names::new(count, bytes.len().saturating_sub(start) / SHORTEST);
    // Earlier names that store bytes of the current one: the number of bytes that each shares, and its number. A name
    // that shares as many bytes as a later one, or more, is no longer needed and is removed, so the numbers of shared
    // bytes rise.
    let mut prefixes: Vec<(u8, u32)> = Vec::new();
    let mut before = None;
    let mut at = start;
    for record in 0..count {
        if record % 1024 == 0 && file.bytes.is_lost() {
            return Err(damage(at, "the file cannot be read"));
        }
        if file.gap_at(at).is_some() {
            return Err(damage(at, "a hole is where a name should be"));
        }
        let fields = widths.number + widths.frequency;
        let head = slice(bytes, at, fields + 2).or_else(|| slice(bytes, at, fields + 1));
        let Some((head, &len)) = head.and_then(|head| Some((head, head.get(fields)?))) else {
            return Err(damage(at, "the file ends inside a name"));
        };
        let number = head
            .iter()
            .take(widths.number)
            .fold(0, |number, &byte| number << 8 | u32::from(byte));
        let (same, own) = match before {
            None => (0, at + fields + 1),
            Some(_) => (head.get(fields + 1).copied().unwrap_or(0), at + fields + 2),
        };
        if same > len || before.is_some_and(|before| same > before) {
            return Err(damage(
                at,
                "a name takes more bytes from the previous name than it has",
            ));
        }
        let end = own + usize::from(len - same);
        let (Some(place), true) = (u32::try_from(own).ok(), end <= bytes.len()) else {
            return Err(damage(at, "the file ends inside a name"));
        };
        if number as usize >= count {
            return Err(damage(at, "a name has too high a number"));
        }
        let name = names.place(number);
        if name.at != 0 {
            return Err(damage(at, "two names have one number"));
        }
        while prefixes.pop_if(|(other, _)| *other >= same).is_some() {}
        *name = Name {
            at: place,
            prefix: prefixes.last().map_or(0, |&(_, number)| number),
            same,
            len,
        };
        prefixes.push((same, number));
        before = Some(len);
        at = end;
    }
    Ok(at)
}

fn damage(at: usize, what: &str) -> Damage {
    Damage {
        at,
        what: what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// A file that has only players.
    fn file(count: u8, records: &[u8]) -> SourceFile {
        let mut bytes = [MAGIC, &[0; 28]].concat();
        bytes[14] = count;
        bytes.extend_from_slice(records);
        SourceFile {
            name: "x.sn4".to_owned(),
            bytes: Arc::new(bytes),
        }
    }

    fn open(count: u8, records: &[u8]) -> (Vec<String>, Option<String>) {
        let (names, damage) = Coded::open(&file(count, records), &mut Vec::new());
        let texts = Texts::choose(None, &mut Vec::new());
        let text = |number| {
            let mut text = String::new();
            if names.append(Kind::Player, number, texts, &mut text) {
                text
            } else {
                "unknown".to_owned()
            }
        };
        let texts = (0..count.into()).map(text).collect();
        (texts, damage.map(|damage| damage.what))
    }

    #[test]
    fn names_are_put_together() {
        let records = b"\0\x02\x01\x06Karpow\0\0\x01\x07\x02simow\0\x03\x01\x02\x02\0\x01\x01\x05\x02sch";
        let (names, damage) = open(4, records);
        assert_eq!(damage, None);
        assert_eq!(names, ["Kasimow", "Kasch", "Karpow", "Ka"]);
    }

    #[test]
    fn names_before_the_damage_are_good() {
        let (names, damage) = open(3, b"\0\x02\x01\x05Karpo\0\0\x01\x06\x03mow\0\x01\x01\x09\x03ab");
        assert_eq!(names, ["Karmow", "unknown", "Karpo"]);
        assert_eq!(damage.as_deref(), Some("the file ends inside a name"));
    }

    /// The numbers are in no order, so the first of a file that is cut may be the highest.
    #[test]
    fn a_cut_file_keeps_each_name_before_the_cut() {
        let (names, damage) = open(200, b"\0\xc7\x01\x03Tal\0\x03\x01\x05\x03ro\0");
        assert_eq!(
            (&*names[199], &*names[3], &*names[0]),
            ("Tal", "Talro", "unknown")
        );
        assert_eq!(damage.as_deref(), Some("the file ends inside a name"));
        let (names, damage) = open(200, b"\0\xc7\x01\x03Tal\0\xc7\x01\x05\x03ro\0");
        assert_eq!(names[199], "Tal");
        assert_eq!(damage.as_deref(), Some("two names have one number"));
    }

    /// Scid before version 4.7 stored names as PGN has them (section 7).
    #[test]
    fn names_lose_the_escapes_of_pgn() {
        let (names, _) = open(2, b"\0\0\x01\x04A\\\"B\0\x01\x01\x0c\x01\\\\ back \\ 2");
        assert_eq!(names, ["A\"B", "A\\ back \\ 2"]);
    }

    #[test]
    fn numbers_are_below_the_count_and_each_comes_once() {
        let record = b"\0\0\x01\x01A";
        let twice = [&record[..], b"\0\0\x01\x01\0B"].concat();
        let (names, damage) = open(2, &twice);
        assert_eq!(names, ["A", "unknown"]);
        assert_eq!(damage.as_deref(), Some("two names have one number"));
        let (names, damage) = open(2, &[&record[..], b"\0\x02\x01\x01\0B"].concat());
        assert_eq!(names, ["A", "unknown"]);
        assert_eq!(damage.as_deref(), Some("a name has too high a number"));
    }

    /// The header counts names, and the highest number is one less. With 65,536 names, it would fit into two bytes, but
    /// has three.
    #[test]
    fn numbers_have_three_bytes_from_65536_names_on() {
        for (count, width) in [(65_535u32, 2), (65_536, 3), (65_537, 3)] {
            let mut bytes = [MAGIC, &[0; 28]].concat();
            bytes[12..15].copy_from_slice(&count.to_be_bytes()[1..]);
            for number in 0..count {
                bytes.extend_from_slice(&number.to_be_bytes()[4 - width..]);
                // Frequency, length, and no byte from the previous name.
                bytes.extend_from_slice(if number == 0 { &[1, 6] } else { &[1, 6, 0] });
                bytes.extend_from_slice(format!("{number:06}").as_bytes());
            }
            let file = SourceFile {
                name: "x.sn4".to_owned(),
                bytes: Arc::new(bytes),
            };
            let (names, damage) = Coded::open(&file, &mut Vec::new());
            assert!(damage.is_none() && names.is_whole, "{count}");
            assert_eq!(names.count(Kind::Player), count as usize);
            let texts = Texts::choose(None, &mut Vec::new());
            for number in [0, 1, 65_534, count - 1] {
                let mut text = String::new();
                assert!(names.append(Kind::Player, number, texts, &mut text));
                assert_eq!(text, format!("{number:06}"), "{count}");
            }
        }
    }

    #[test]
    fn frequencies_have_as_many_bytes_as_the_highest_needs() {
        for (highest, width) in [(0xffu32, 1), (0x100, 2), (0xffff, 2), (0x1_0000, 3)] {
            let mut records = Vec::new();
            for (number, rest) in [(0, &b"\x03Tal"[..]), (1, b"\x05\x03ro")] {
                records.extend_from_slice(&[0, number]);
                records.extend_from_slice(&highest.to_be_bytes()[4 - width..]);
                records.extend_from_slice(rest);
            }
            let mut bytes = file(2, &records).bytes.to_vec();
            bytes[24..27].copy_from_slice(&highest.to_be_bytes()[1..]);
            let file = SourceFile {
                name: "x.sn4".to_owned(),
                bytes: Arc::new(bytes),
            };
            let mut warnings = Vec::new();
            let (names, damage) = Coded::open(&file, &mut warnings);
            assert!(damage.is_none() && warnings.is_empty(), "{highest}: {warnings:?}");
            let texts = Texts::choose(None, &mut Vec::new());
            let mut text = String::new();
            assert!(names.append(Kind::Player, 1, texts, &mut text));
            assert_eq!(text, "Talro", "{highest}");
        }
    }

    #[test]
    fn a_prefix_is_no_longer_than_the_name_before() {
        let (names, damage) = open(2, b"\0\0\x01\x01A\0\x01\x01\x09\x02aaaaaaa");
        assert_eq!(names, ["A", "unknown"]);
        assert!(damage.is_some());
    }
}
