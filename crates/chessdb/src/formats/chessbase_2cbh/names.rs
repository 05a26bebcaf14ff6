//! The `.2lid`: players, tournaments, sources, teams and titles (section 5).
//!
//! | offset | type | header, **big endian** |
//! |---|---|---|
//! | 0 | i32 | size of the header, where records begin |
//! | 4 | i32 | types |
//! | 8 + 20i | i32 | bytes of a container of type i |
//! | 12 + 20i | i64 | entities of type i |
//! | 20 + 20i | i64 | first deleted entity, not used |
//!
//! Block n has a container for entity n of each type. A container begins with the number of bytes that follow, or 0
//! without an entity. It is little endian.
//!
//! Contents of a container:
//!
//! ```text
//! player      string last name, string first name
//! tournament  string place, title; i32 date; u8 kind, u8 bit 0 teams, u8 country, u8, u8 category, u8, u8 rounds
//! source      string title, string publisher, i32 date of publication, i32 date, i16 version, i16 quality
//! team        string name, u8 number, u8 bit 0 season, i16 year, u8 country
//! title       i32 count; each i32 language, string
//! ```

use crate::bytes::{be_u32, be_u64, index, le_u16, le_u32, slice};
use crate::files::SourceFile;
use crate::formats::chessbase_common::records;
use crate::problem::Problem;

/// Types of entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Player = 0,
    Tournament = 1,
    Source = 2,
    Team = 4,
    Title = 5,
}

const TYPES: usize = 6;
/// Bytes of the header before the types, and for each type.
const HEAD: usize = 8;
const OF_TYPE: usize = 20;
/// The limits of section 14.5.
const MOST_TYPES: usize = 32;
const LONGEST_CONTAINER: usize = 1 << 20;
const LONGEST_HEADER: usize = 64 << 10;
/// The first bytes of a deleted record of 16 bytes.
const DELETED: [u8; 8] = [0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99];
const DELETED_LEN: usize = 16;

/// An open `.2lid`. Without the file, there are no names.
#[derive(Clone, Debug)]
pub(super) struct Names {
    file: Option<SourceFile>,
    start: usize,
    /// Bytes of a block.
    block: usize,
    types: [Containers; TYPES],
}

/// The containers of a type.
#[derive(Clone, Copy, Debug, Default)]
struct Containers {
    /// Place of the container in a block.
    at: usize,
    len: usize,
    entities: u64,
}

impl Names {
    /// Opens the file. An impossible header is a problem; the database then has no names.
    pub(super) fn open(file: Option<&SourceFile>, problems: &mut Vec<Problem>) -> Names {
        let names = file.and_then(Names::read);
        if let Some(file) = file.filter(|file| names.is_none() && !file.bytes.is_empty()) {
            problems.push(records::no_header(file));
        }
        names.unwrap_or(Names {
            file: None,
            start: 0,
            block: 0,
            types: Default::default(),
        })
    }

    fn read(file: &SourceFile) -> Option<Names> {
        let bytes: &[u8] = &file.bytes;
        let size = |at, most: usize| {
            let size = usize::try_from(be_u32(bytes, at)?).ok()?;
            (size <= most).then_some(size)
        };
        let start = size(0, LONGEST_HEADER.min(bytes.len()))?;
        let count = size(4, MOST_TYPES).filter(|count| *count > 0)?;
        if start < HEAD + OF_TYPE * count {
            return None;
        }
        let mut block = 0;
        let mut types: [Containers; TYPES] = Default::default();
        for number in 0..count {
            let at = HEAD + OF_TYPE * number;
            let len = size(at, LONGEST_CONTAINER)?;
            if let Some(of_type) = types.get_mut(number) {
                *of_type = Containers {
                    at: block,
                    len,
                    entities: u64::try_from(be_u64(bytes, at + 4)?.cast_signed()).unwrap_or(0),
                };
            }
            block += len;
        }
        Some(Names {
            file: Some(file.clone()),
            start,
            block,
            types,
        })
    }

    /// The name of the file that has the entities, if there is one.
    pub(super) fn file(&self) -> Option<&str> {
        self.file.as_ref().map(|file| file.name.as_str())
    }

    /// An entity; `None` if it is deleted or does not exist.
    pub(super) fn get(&self, of: Type, number: i64) -> Option<Entity<'_>> {
        let containers = self.types.get(of as usize)?;
        let number = u64::try_from(number)
            .ok()
            .filter(|number| *number < containers.entities)?;
        let at = index(number).checked_mul(self.block)?.checked_add(self.start)?;
        let bytes: &[u8] = &self.file.as_ref()?.bytes;
        let rest = bytes.get(at.checked_add(containers.at)?..)?;
        let container = rest.get(..containers.len).unwrap_or(rest);
        let len = le_u32(container, 0).and_then(|len| usize::try_from(len).ok())?;
        let fields = container.get(4..)?;
        let is_deleted = len == DELETED_LEN && fields.starts_with(&DELETED);
        (len > 0 && !is_deleted).then_some(Entity {
            fields: fields.get(..len).unwrap_or(fields),
            at: 0,
        })
    }

    /// The first texts of at most `most` entities of a type, for guessing the encoding of the database.
    pub(super) fn sample(&self, of: Type, most: u32) -> impl Iterator<Item = &[u8]> {
        let entities = (0..i64::from(most)).map_while(move |number| {
            let is_there = self.types.get(of as usize)?.entities > u64::try_from(number).ok()?;
            is_there.then(|| self.get(of, number))
        });
        entities.filter_map(|entity| entity?.string())
    }
}

/// The fields of an entity, read one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entity<'a> {
    fields: &'a [u8],
    at: usize,
}

impl<'a> Entity<'a> {
    /// The next string; `None` if it is longer than its container.
    pub(super) fn string(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.u32()?).ok()?;
        let bytes = slice(self.fields, self.at, len)?;
        self.at += len;
        Some(bytes)
    }

    /// Skips `len` bytes, even beyond the end.
    pub(super) fn pass(&mut self, len: usize) {
        self.at = self.at.saturating_add(len);
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = self.fields.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        let value = le_u16(self.fields, self.at)?;
        self.at += 2;
        Some(value)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        let value = le_u32(self.fields, self.at)?;
        self.at += 4;
        Some(value)
    }
}

/// Languages that a title may have.
const MOST_LANGUAGES: u32 = 256;

/// The texts of a title with their languages, in stored order, up to the first that cannot be read.
pub(super) fn titles(mut title: Entity<'_>) -> impl Iterator<Item = (u32, &[u8])> {
    let count = title.u32().unwrap_or(0);
    (0..count.min(MOST_LANGUAGES)).map_while(move |_| Some((title.u32()?, title.string()?)))
}

/// True if all strings of an entity are in its container.
pub(super) fn has_all_strings(of: Type, mut entity: Entity<'_>) -> bool {
    match of {
        Type::Player | Type::Tournament | Type::Source => {
            entity.string().is_some() && entity.string().is_some()
        }
        Type::Team => entity.string().is_some(),
        Type::Title => {
            let count = entity.clone().u32();
            count.is_some_and(|count| titles(entity).count() == index(count.into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// A file of names whose header has these lengths.
    fn file(header: u32, types: u32, container: u32) -> SourceFile {
        let mut bytes = vec![0; (header as usize).max(HEAD + OF_TYPE * types as usize) + 100];
        bytes[..4].copy_from_slice(&header.to_be_bytes());
        bytes[4..8].copy_from_slice(&types.to_be_bytes());
        for number in 0..types as usize {
            let at = HEAD + OF_TYPE * number;
            bytes[at..at + 4].copy_from_slice(&container.to_be_bytes());
        }
        SourceFile {
            name: "x.2cbe".to_owned(),
            bytes: Arc::new(bytes),
        }
    }

    #[test]
    fn a_header_has_limits() {
        let is_read = |header, types, container| Names::read(&file(header, types, container)).is_some();
        assert_eq!(
            [65_535, 65_536, 65_537].map(|header| is_read(header, 6, 9)),
            [true, true, false]
        );
        assert_eq!(
            [31, 32, 33].map(|types| is_read(1_000, types, 9)),
            [true, true, false]
        );
        let container = 1 << 20;
        assert_eq!(
            [container - 1, container, container + 1].map(|len| is_read(1_000, 6, len)),
            [true, true, false]
        );
    }

    #[test]
    fn a_title_has_at_most_256_languages() {
        for languages in [255u32, 256, 257] {
            let mut fields = languages.to_le_bytes().to_vec();
            fields.extend([49, 0, 0, 0, 1, 0, 0, 0, b'x'].repeat(languages as usize));
            let title = Entity {
                fields: &fields,
                at: 0,
            };
            assert_eq!(titles(title).count(), languages.min(256) as usize);
        }
    }
}
