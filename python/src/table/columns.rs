//! The columns of a table.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, LargeBinaryBuilder, LargeStringBuilder, StringBuilder, UInt8Builder, UInt16Builder,
    UInt32Builder,
};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::append_plies;
use chessdb::Keys;
use chessdb::game::{Tags, rating};
use chessdb_library::library::{LibraryEntry, append_text, tags_of};
use chessdb_library::table::{TAG, is_tag, is_usual_tag, no_column, opening};

/// A column by its name.
pub struct Column {
    name: String,
    kind: Kind,
}

/// What is in a column.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Path of the database.
    Database,
    /// Number of the game, from 1.
    Number,
    /// Year, month and day of the game; null if unknown.
    Year,
    Month,
    Day,
    /// Whether the game is marked as deleted.
    Deleted,
    /// Number of moves of the main line.
    PlyCount,
    /// The moves of the main line, two bytes each.
    Plies,
    /// The game as PGN.
    Pgn,
    /// Name of the opening with the code in the tag `ECO`; null if there is none.
    Opening,
    /// A rating; null if the number is none.
    Rating,
    /// Any other tag; null if unknown.
    Tag,
}

/// The columns that are not tags.
const COMPUTED: [(&str, Kind); 10] = [
    ("database", Kind::Database),
    ("number", Kind::Number),
    ("year", Kind::Year),
    ("month", Kind::Month),
    ("day", Kind::Day),
    ("deleted", Kind::Deleted),
    ("ply_count", Kind::PlyCount),
    ("plies", Kind::Plies),
    ("pgn", Kind::Pgn),
    ("opening", Kind::Opening),
];

/// The names of the columns that are not tags.
pub fn computed_names<'a>() -> impl Iterator<Item = &'a str> + Clone {
    COMPUTED.iter().map(|(name, _)| *name)
}

/// The tags that are numbers.
const RATINGS: [&str; 2] = ["WhiteElo", "BlackElo"];

impl Column {
    /// The column with a name: one of [`COMPUTED`], or a tag.
    ///
    /// # Errors
    /// The name is no name of a tag.
    pub fn of(name: &str) -> PyResult<Column> {
        let computed = COMPUTED.iter().find(|(other, _)| *other == name);
        let kind = match computed {
            Some((_, kind)) => *kind,
            None if RATINGS.contains(&name) => Kind::Rating,
            None if name.strip_prefix(TAG).is_some_and(is_tag) => Kind::Tag,
            None if name.starts_with(|c: char| c.is_ascii_uppercase()) && is_tag(name) => Kind::Tag,
            None => return Err(PyValueError::new_err(no_column(name, computed_names()))),
        };
        Ok(Column {
            name: name.to_owned(),
            kind,
        })
    }

    /// The tag of the column, if hardly any game has it and it was not named with [`TAG`].
    pub fn unusual_tag(&self) -> Option<&str> {
        let is_unusual = self.kind == Kind::Tag && !self.name.starts_with(TAG) && !is_usual_tag(&self.name);
        is_unusual.then_some(&self.name)
    }

    /// Name and type of the column.
    pub fn field(&self) -> Field {
        let (kind, is_nullable) = match self.kind {
            Kind::Database => (DataType::Utf8, false),
            Kind::Number | Kind::PlyCount => (DataType::UInt32, false),
            Kind::Year | Kind::Rating => (DataType::UInt16, true),
            Kind::Month | Kind::Day => (DataType::UInt8, true),
            Kind::Deleted => (DataType::Boolean, false),
            Kind::Plies => (DataType::LargeBinary, false),
            Kind::Pgn => (DataType::LargeUtf8, false),
            Kind::Tag | Kind::Opening => (DataType::Utf8, true),
        };
        Field::new(&self.name, kind, is_nullable)
    }

    fn builder(&self, rows: usize) -> Builder<'_> {
        let name = self.name.strip_prefix(TAG).unwrap_or(&self.name);
        match self.kind {
            Kind::Database => Builder::Database(StringBuilder::with_capacity(rows, 16 * rows)),
            Kind::Number => Builder::Number(UInt32Builder::with_capacity(rows)),
            Kind::Year => Builder::Year(UInt16Builder::with_capacity(rows)),
            Kind::Month => Builder::Month(UInt8Builder::with_capacity(rows)),
            Kind::Day => Builder::Day(UInt8Builder::with_capacity(rows)),
            Kind::Deleted => Builder::Deleted(BooleanBuilder::with_capacity(rows)),
            Kind::PlyCount => Builder::PlyCount(UInt32Builder::with_capacity(rows)),
            Kind::Plies => Builder::Plies(LargeBinaryBuilder::new()),
            Kind::Pgn => Builder::Pgn(LargeStringBuilder::new()),
            Kind::Opening => Builder::Opening(StringBuilder::with_capacity(rows, 16 * rows)),
            Kind::Rating => Builder::Rating(name, UInt16Builder::with_capacity(rows)),
            Kind::Tag => Builder::Tag(name, StringBuilder::with_capacity(rows, 16 * rows)),
        }
    }
}

/// A column that grows.
enum Builder<'a> {
    Database(StringBuilder),
    Number(UInt32Builder),
    Year(UInt16Builder),
    Month(UInt8Builder),
    Day(UInt8Builder),
    Deleted(BooleanBuilder),
    PlyCount(UInt32Builder),
    Plies(LargeBinaryBuilder),
    Pgn(LargeStringBuilder),
    Opening(StringBuilder),
    Rating(&'a str, UInt16Builder),
    Tag(&'a str, StringBuilder),
}

/// What the columns need of a game.
struct Row<'a> {
    entry: &'a LibraryEntry,
    game: u32,
    tags: Tags,
    keys: Option<Keys>,
    plies: Vec<u8>,
}

impl Builder<'_> {
    fn append(&mut self, row: &Row<'_>) {
        let part = |value: u8| (value != 0).then_some(value);
        let date = row.keys.map(|keys| keys.date).unwrap_or_default();
        match self {
            Builder::Database(names) => names.append_value(row.entry.name()),
            Builder::Number(numbers) => numbers.append_value(row.game.saturating_add(1)),
            Builder::Year(years) => years.append_option((date.year != 0).then_some(date.year)),
            Builder::Month(months) => months.append_option(part(date.month)),
            Builder::Day(days) => days.append_option(part(date.day)),
            Builder::Deleted(marks) => marks.append_value(row.keys.is_some_and(|keys| keys.deleted)),
            Builder::PlyCount(counts) => counts.append_value((row.plies.len() / 2) as u32),
            Builder::Plies(plies) => plies.append_value(&row.plies),
            Builder::Pgn(texts) => {
                let mut text = Vec::new();
                append_text(&mut text, row.entry, row.game);
                texts.append_value(String::from_utf8_lossy(&text));
            }
            Builder::Opening(names) => names.append_option(row.tags.get("ECO").and_then(opening)),
            Builder::Rating(name, ratings) => {
                ratings.append_option(row.tags.get(name).and_then(rating));
            }
            Builder::Tag(name, values) => values.append_option(row.tags.get(name).and_then(known)),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Number(column) | Builder::PlyCount(column) => Arc::new(column.finish()),
            Builder::Year(column) | Builder::Rating(_, column) => Arc::new(column.finish()),
            Builder::Month(column) | Builder::Day(column) => Arc::new(column.finish()),
            Builder::Deleted(column) => Arc::new(column.finish()),
            Builder::Plies(column) => Arc::new(column.finish()),
            Builder::Pgn(column) => Arc::new(column.finish()),
            Builder::Database(column) | Builder::Opening(column) | Builder::Tag(_, column) => {
                Arc::new(column.finish())
            }
        }
    }
}

/// What a tag says; none where it says that it is unknown.
fn known(value: &str) -> Option<&str> {
    (!matches!(value, "" | "?" | "????.??.??")).then_some(value)
}

/// The columns of some games.
pub fn arrays(columns: &[Column], entry: &LibraryEntry, games: &[u32]) -> Vec<ArrayRef> {
    let needs = |kinds: &[Kind]| columns.iter().any(|column| kinds.contains(&column.kind));
    let needs_tags = needs(&[Kind::Rating, Kind::Tag, Kind::Opening]);
    let needs_keys = needs(&[Kind::Year, Kind::Month, Kind::Day, Kind::Deleted]);
    let needs_plies = needs(&[Kind::PlyCount, Kind::Plies]);
    let mut builders: Vec<Builder<'_>> = columns.iter().map(|column| column.builder(games.len())).collect();
    let mut plies = Vec::new();
    for &game in games {
        plies.clear();
        if needs_plies {
            append_plies(&mut plies, &*entry.database, game);
        }
        let row = Row {
            entry,
            game,
            tags: if needs_tags {
                tags_of(&*entry.database, game)
            } else {
                Tags::default()
            },
            keys: needs_keys.then(|| entry.database.keys(game)),
            plies: std::mem::take(&mut plies),
        };
        builders.iter_mut().for_each(|builder| builder.append(&row));
        plies = row.plies;
    }
    builders.iter_mut().map(Builder::finish).collect()
}
