//! Tables of players, tournaments, annotators, sources, teams and game titles (section 5).
//!
//! | offset | size | header |
//! |---|---|---|
//! | 0 | 4 | records in the file |
//! | 4 | 4 | root of the tree that ChessBase finds names with |
//! | 8 | 4 | 1234567890 |
//! | 12 | 4 | bytes of a record after its node |
//! | 16 | 8 | first deleted record, number of other records |
//! | 24 | 4 | bytes of the header after these: 0 in old databases, 4 in new ones |
//!
//! A record is a node of the tree, 9 bytes, and its fields. The number of a record is its place, so the tree is not
//! needed. In the fields, offsets count from the end of the node:
//!
//! ```text
//! .cbp  58  0 last name (30), 30 first name (20)
//! .cbt  90  0 title (40), 40 place (30), 70 date u32, 74 kind, 75 bit 0 teams, 76 country, 78 category, 80 rounds
//! .cbc  53  0 name (45)
//! .cbs  59  0 title (25), 25 publisher (16), 41 publication u32, 45 date u32, 49 version, 50 quality
//! .cbe  63  0 name (45), 45 number u32, 54 country
//! .cbl  1608  eight titles (200 each), by language
//! ```
//!
//! The number after the extension is the length of all fields; a number in parentheses is the size of a text in bytes.

use crate::bytes::{le_u32, slice};
use crate::files::SourceFile;
use crate::formats::chessbase_common::{Characters, records, tags};
use crate::problem::Problem;

/// Size of the header in old databases.
const HEADER: usize = 28;
/// Size of a node: four bytes for each of its branches, one for its balance.
const NODE: usize = 9;
/// A number in the header that identifies the file.
const MAGIC: u32 = 1_234_567_890;
/// ChessBase marks a deleted record with this number as its left branch.
const DELETED: [u8; 4] = (-999i32).to_le_bytes();

/// A kind of table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) extension: &'static str,
    /// Length of the fields, if the header does not say it.
    len: usize,
}

pub(super) const PLAYERS: Kind = Kind::new("cbp", 58);
pub(super) const TOURNAMENTS: Kind = Kind::new("cbt", 90);
pub(super) const ANNOTATORS: Kind = Kind::new("cbc", 53);
pub(super) const SOURCES: Kind = Kind::new("cbs", 59);
pub(super) const TEAMS: Kind = Kind::new("cbe", 63);
pub(super) const TITLES: Kind = Kind::new("cbl", 1608);

impl Kind {
    const fn new(extension: &'static str, len: usize) -> Kind {
        Kind { extension, len }
    }
}

/// An open table.
#[derive(Clone, Debug)]
pub(super) struct Entities {
    file: Option<SourceFile>,
    /// Place of the first record.
    start: usize,
    /// Size of a record, with its node.
    size: usize,
    /// True if the file has all records that its header counts.
    is_whole: bool,
}

impl Entities {
    /// Opens a table. A damaged header or a wrong length of the file is reported in `problems`.
    pub(super) fn open(file: Option<&SourceFile>, kind: Kind, problems: &mut Vec<Problem>) -> Entities {
        let bytes: &[u8] = file.map_or(&[], |file| &file.bytes);
        let header = TableHeader(bytes);
        // A larger number can only be damage.
        let stored_len = header.record_len().filter(|len| (1..=1 << 16).contains(len));
        let extra = header.extra_len().filter(|extra| matches!(extra, 0 | 4));
        let mut entities = Entities {
            file: file.cloned(),
            start: HEADER + extra.unwrap_or(4),
            size: NODE + stored_len.unwrap_or(kind.len),
            is_whole: false,
        };
        let Some(file) = file.filter(|file| !file.bytes.is_empty()) else {
            return entities;
        };
        let damage = match (header.count(), stored_len, extra) {
            (Some(count), Some(_), Some(_)) if header.magic() == Some(MAGIC) => {
                records::wrong_number(file, entities.start, entities.size, count)
            }
            _ => Some(records::no_header(file)),
        };
        entities.is_whole = damage.is_none();
        problems.extend(damage);
        entities
    }

    /// The name of the file if it should have a record with this number, but does not: a file that has lost records is
    /// reported once, not for each record.
    pub(super) fn lacks(&self, id: u32, characters: Characters) -> Option<&str> {
        let file = self.file.as_ref().filter(|_| self.is_whole)?;
        self.get(id, characters).is_none().then_some(&file.name)
    }

    /// The record with a number; `None` if it does not exist, is deleted, or has only zeros, which are no node of the tree.
    pub(super) fn get(&self, id: u32, characters: Characters) -> Option<Entity<'_>> {
        let bytes: &[u8] = &self.file.as_ref()?.bytes;
        let place = usize::try_from(id).ok()?.checked_mul(self.size)?;
        let record = slice(bytes, place.checked_add(self.start)?, self.size)?;
        let (node, fields) = record.split_at_checked(NODE)?;
        let is_lost = node.starts_with(&DELETED) || record.iter().all(|&byte| byte == 0);
        (!is_lost).then_some(Entity { fields, characters })
    }

    /// The first field of at most `most` records, for guessing the encoding of the database.
    pub(super) fn sample(&self, most: u32) -> impl Iterator<Item = &[u8]> {
        let bytes: &[u8] = self.file.as_ref().map_or(&[], |file| &file.bytes);
        let records = bytes
            .get(self.start..)
            .unwrap_or_default()
            .chunks_exact(self.size);
        records.take(most as usize).map(|record| {
            // The shortest of the first fields, the title of a source, has 25 bytes.
            let field = record.get(NODE..NODE + 25).unwrap_or_default();
            field.split(|&byte| byte == 0).next().unwrap_or_default()
        })
    }
}

/// The header of a table.
struct TableHeader<'a>(&'a [u8]);

impl TableHeader<'_> {
    /// Number of records in the file.
    fn count(&self) -> Option<usize> {
        self.number(0)
    }

    fn magic(&self) -> Option<u32> {
        le_u32(self.0, 8)
    }

    /// Length of a record without its node.
    fn record_len(&self) -> Option<usize> {
        self.number(12)
    }

    /// Number of bytes that the header has after its first [`HEADER`] bytes.
    fn extra_len(&self) -> Option<usize> {
        self.number(24)
    }

    fn number(&self, at: usize) -> Option<usize> {
        le_u32(self.0, at).and_then(|value| usize::try_from(value).ok())
    }
}

/// A record of any table. [`Player`], [`Tournament`] and so on name its fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entity<'a> {
    fields: &'a [u8],
    characters: Characters,
}

impl Entity<'_> {
    /// Appends the text of a field.
    fn append(&self, at: usize, len: usize, out: &mut String) {
        let field = slice(self.fields, at, len).unwrap_or_default();
        self.characters.append_field(field, out);
    }

    fn byte(&self, at: usize) -> u8 {
        self.fields.get(at).copied().unwrap_or(0)
    }

    fn u32(&self, at: usize) -> u32 {
        le_u32(self.fields, at).unwrap_or(0)
    }
}

/// A record of the `.cbp`.
pub(super) struct Player<'a>(pub(super) Entity<'a>);

impl Player<'_> {
    /// Appends the name: `Last, First`.
    pub(super) fn append_name(&self, out: &mut String) {
        let last = |out: &mut String| self.0.append(0, 30, out);
        let first = |out: &mut String| self.0.append(30, 20, out);
        tags::append_player(last, first, out);
    }
}

/// A record of the `.cbt`.
pub(super) struct Tournament<'a>(pub(super) Entity<'a>);

impl Tournament<'_> {
    pub(super) fn append_title(&self, out: &mut String) {
        self.0.append(0, 40, out);
    }

    pub(super) fn append_place(&self, out: &mut String) {
        self.0.append(40, 30, out);
    }

    /// The stored form of the date.
    pub(super) fn date(&self) -> u32 {
        self.0.u32(70)
    }

    pub(super) fn kind(&self) -> u8 {
        self.0.byte(74)
    }

    pub(super) fn is_for_teams(&self) -> bool {
        self.0.byte(75) & 1 != 0
    }

    pub(super) fn country(&self) -> u8 {
        self.0.byte(76)
    }

    pub(super) fn category(&self) -> u8 {
        self.0.byte(78)
    }

    pub(super) fn rounds(&self) -> u8 {
        self.0.byte(80)
    }
}

/// A record of the `.cbc`.
pub(super) struct Annotator<'a>(pub(super) Entity<'a>);

impl Annotator<'_> {
    pub(super) fn append_name(&self, out: &mut String) {
        self.0.append(0, 45, out);
    }
}

/// A record of the `.cbs`.
pub(super) struct Source<'a>(pub(super) Entity<'a>);

impl Source<'_> {
    pub(super) fn append_title(&self, out: &mut String) {
        self.0.append(0, 25, out);
    }

    /// The stored form of this version's date.
    pub(super) fn date(&self) -> u32 {
        self.0.u32(45)
    }

    pub(super) fn version(&self) -> u8 {
        self.0.byte(49)
    }

    pub(super) fn quality(&self) -> u8 {
        self.0.byte(50)
    }
}

/// A record of the `.cbe`.
pub(super) struct Team<'a>(pub(super) Entity<'a>);

impl Team<'_> {
    /// Appends the name with the number of the team: `Eppingen II`.
    pub(super) fn append_name(&self, out: &mut String) {
        self.0.append(0, 45, out);
        tags::append_number_of_team(self.0.u32(45), out);
    }

    pub(super) fn country(&self) -> u8 {
        self.0.byte(54)
    }
}

/// A record of the `.cbl`: the title of a game in several languages.
pub(super) struct Title<'a>(pub(super) Entity<'a>);

impl Title<'_> {
    /// Appends the first title that is not empty.
    pub(super) fn append(&self, out: &mut String) {
        let len = out.len();
        for language in 0..8 {
            self.0.append(200 * language, 200, out);
            if out.len() > len {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn table(extra: u32, players: &[(&str, &str)]) -> Entities {
        let mut bytes = Vec::new();
        let count = u32::try_from(players.len()).unwrap();
        for field in [count, 0, MAGIC, 58, u32::MAX, 0, extra] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(vec![0; extra as usize]);
        for (last, first) in players {
            let mut record = vec![0; NODE + 58];
            record[NODE..NODE + last.len()].copy_from_slice(last.as_bytes());
            record[NODE + 30..NODE + 30 + first.len()].copy_from_slice(first.as_bytes());
            bytes.extend(record);
        }
        let file = SourceFile {
            name: String::new(),
            bytes: Arc::new(bytes),
        };
        let mut problems = Vec::new();
        let entities = Entities::open(Some(&file), PLAYERS, &mut problems);
        assert_eq!(problems, []);
        entities
    }

    fn name(entities: &Entities, id: u32) -> Option<String> {
        let characters = Characters::choose(None, &mut Vec::new());
        let mut name = String::new();
        Player(entities.get(id, characters)?).append_name(&mut name);
        Some(name)
    }

    #[test]
    fn records_are_found_after_both_headers() {
        for extra in [0, 4] {
            let entities = table(
                extra,
                &[("Tal", "Mihail"), ("Svidler", "P"), ("Fritz", ""), ("", "Bob")],
            );
            let names: Vec<_> = (0..5).map(|id| name(&entities, id)).collect();
            let expected = ["Tal, Mihail", "Svidler, P.", "Fritz", "Bob"];
            assert_eq!(names[..4], expected.map(|name| Some(name.to_owned())));
            assert_eq!(names[4], None);
        }
    }
}
