//! Tables of players, tournaments, annotators, sources, teams and game titles (section 5).
//!
//! | offset | size | header |
//! |---|---|---|
//! | 0 | 4 | records in the file |
//! | 4 | 4 | root of the tree by which ChessBase finds names |
//! | 8 | 4 | 1234567890 |
//! | 12 | 4 | bytes of a record after its node |
//! | 16 | 8 | first deleted record, number of others |
//! | 24 | 4 | bytes of the header after these: 0 in old databases, 4 in new ones |
//!
//! A record is a node of the tree, 9 bytes, and its fields. Its number is its place, so the tree is not needed.

use crate::bytes::{le_u32, slice};
use crate::files::SourceFile;
use crate::formats::chessbase_common::{Characters, records, tags};
use crate::problem::Problem;

/// Bytes of the header that all files have.
const HEADER: usize = 28;
/// Bytes of a node: left, right, balance.
const NODE: usize = 9;
/// Stands in the header.
const MAGIC: u32 = 1_234_567_890;
/// The left branch of a record that is deleted.
const DELETED: [u8; 4] = (-999i32).to_le_bytes();

/// What a table holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) extension: &'static str,
    /// Bytes of the fields.
    len: usize,
}

pub(super) const PLAYERS: Kind = Kind::new("cbp", 58);
pub(super) const TOURNAMENTS: Kind = Kind::new("cbt", 90);
pub(super) const ANNOTATORS: Kind = Kind::new("cbc", 53);
pub(super) const SOURCES: Kind = Kind::new("cbs", 59);
pub(super) const TEAMS: Kind = Kind::new("cbe", 63);

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
    /// Bytes of a record.
    size: usize,
    /// The file has all records.
    is_whole: bool,
}

impl Entities {
    /// Opens a table. What is wrong with its header or its length is a problem.
    pub(super) fn open(file: Option<&SourceFile>, kind: Kind, problems: &mut Vec<Problem>) -> Entities {
        let bytes: &[u8] = file.map_or(&[], |file| &file.bytes);
        let field = |at| le_u32(bytes, at).and_then(|value| usize::try_from(value).ok());
        let stored_len = field(12).filter(|len| (1..=1 << 16).contains(len));
        let extra = field(24).filter(|extra| matches!(extra, 0 | 4));
        let mut entities = Entities {
            file: file.cloned(),
            start: HEADER + extra.unwrap_or(4),
            size: NODE + stored_len.unwrap_or(kind.len),
            is_whole: false,
        };
        let Some(file) = file else { return entities };
        let damage = match (field(0), stored_len, extra) {
            (Some(count), Some(_), Some(_)) if le_u32(bytes, 8) == Some(MAGIC) => {
                records::wrong_number(file, entities.start, entities.size, count)
            }
            _ => Some(records::no_header(file)),
        };
        entities.is_whole = damage.is_none();
        problems.extend(damage);
        entities
    }

    /// The name of the file, if it has no record of this number though no record of it is lost.
    pub(super) fn lacks(&self, id: u32, characters: Characters) -> Option<&str> {
        let file = self.file.as_ref().filter(|_| self.is_whole)?;
        self.get(id, characters).is_none().then_some(&file.name)
    }

    /// A record by its number; none for a deleted one.
    pub(super) fn get(&self, id: u32, characters: Characters) -> Option<Entity<'_>> {
        let bytes: &[u8] = &self.file.as_ref()?.bytes;
        let place = usize::try_from(id).ok()?.checked_mul(self.size)?;
        let record = slice(bytes, place.checked_add(self.start)?, self.size)?;
        let (node, fields) = record.split_at_checked(NODE)?;
        (!node.starts_with(&DELETED)).then_some(Entity { fields, characters })
    }

    /// The first fields of the first records, for a look at their characters.
    pub(super) fn sample(&self, most: u32) -> impl Iterator<Item = &[u8]> {
        let bytes: &[u8] = self.file.as_ref().map_or(&[], |file| &file.bytes);
        let records = bytes
            .get(self.start..)
            .unwrap_or_default()
            .chunks_exact(self.size);
        records.take(most as usize).map(|record| {
            let field = record.get(NODE..NODE + 25).unwrap_or_default();
            field.split(|&byte| byte == 0).next().unwrap_or_default()
        })
    }
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entity<'a> {
    fields: &'a [u8],
    characters: Characters,
}

impl Entity<'_> {
    /// Appends the text of a field.
    pub(super) fn append(&self, at: usize, len: usize, out: &mut String) {
        let field = slice(self.fields, at, len).unwrap_or_default();
        self.characters.append_field(field, out);
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.fields.get(at).copied().unwrap_or(0)
    }

    pub(super) fn u32(&self, at: usize) -> u32 {
        le_u32(self.fields, at).unwrap_or(0)
    }
}

/// Appends the name of a player: `Last, First`.
pub(super) fn append_player(player: &Entity<'_>, out: &mut String) {
    let part = |at, len| move |out: &mut String| player.append(at, len, out);
    tags::append_player(part(0, 30), part(30, 20), out);
}

/// Appends the title of a tournament.
pub(super) fn append_title(tournament: &Entity<'_>, out: &mut String) {
    tournament.append(0, 40, out);
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
        append_player(&entities.get(id, characters)?, &mut name);
        Some(name)
    }

    #[test]
    fn records_are_found_behind_both_headers() {
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
