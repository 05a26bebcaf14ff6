//! The columns of a table, and rows as text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use super::column::{Column, RowKind, TAG};
use super::row::TableRow;
use super::value::{NULL, append_string};
use crate::library::on_one_line;
use crate::similar::similar;
use chessdb::game::{ROSTER, TagName};

/// Tags that are so common that it is not an error to name one that no game of the database has.
const USUAL: [&str; 24] = [
    "Annotator",
    "BlackElo",
    "BlackFideId",
    "BlackRatingDiff",
    "BlackTeam",
    "BlackTitle",
    "Board",
    "ECO",
    "EventDate",
    "FEN",
    "Opening",
    "PlyCount",
    "SetUp",
    "Termination",
    "TimeControl",
    "UTCDate",
    "UTCTime",
    "Variant",
    "Variation",
    "WhiteElo",
    "WhiteFideId",
    "WhiteRatingDiff",
    "WhiteTeam",
    "WhiteTitle",
];

/// The columns of the tables that Lichess publishes.
const LICHESS: [&str; 18] = [
    "Event",
    "Site",
    "White",
    "Black",
    "Result",
    "WhiteTitle",
    "BlackTitle",
    "WhiteElo",
    "BlackElo",
    "WhiteRatingDiff",
    "BlackRatingDiff",
    "UTCDate",
    "UTCTime",
    "ECO",
    "Opening",
    "Termination",
    "TimeControl",
    "movetext",
];

/// The columns of a table of positions, besides the column of the database.
const OF_POSITIONS: [&str; 8] = [
    "number", "ply", "key", "move", "Result", "WhiteElo", "BlackElo", "Date",
];

/// Unusual tags that have a column in a typed table, however few games have them.
const MOST_TAGS: usize = 200;

/// A tag is rare if fewer than one of this many games has it.
const RARE: u64 = 1000;

/// Tags outside the roster, each with the number of games that have it.
pub type TagCounts = BTreeMap<String, u64>;

/// The columns of a table, in their order, with their names.
pub struct Columns {
    rows: RowKind,
    columns: Vec<(String, Column)>,
}

/// Why columns cannot be named like this.
#[derive(Debug, PartialEq, Eq)]
pub enum ColumnError {
    /// No table with such rows has a column of this name.
    Unknown(String, RowKind),
    /// The column is named twice, and programs find columns by their names.
    Twice(String),
}

impl Columns {
    /// The columns of a text table: the number, the roster, the tags `others`, and the path. With
    /// `has_database`, the database comes first.
    pub fn of_text(others: &TagCounts, has_database: bool) -> Columns {
        Columns::with(others.keys(), has_database, &[])
    }

    /// Like [`Columns::of_text`], with the parts of the date and the name of the opening, for `games` games. A table
    /// with a column for every rare tag would have as many cells as the square of the games, so all rare tags share
    /// one column.
    pub fn typed(others: &TagCounts, games: u64, has_database: bool) -> Columns {
        let rare = rare_tags(others, games);
        let own = others.keys().filter(|tag| !rare.contains(tag));
        let other_tags = (!rare.is_empty()).then_some(Column::OtherTags(None));
        let typed = [Column::Year, Column::Month, Column::Day, Column::EcoName];
        let typed: Vec<Column> = other_tags.into_iter().chain(typed).collect();
        Columns::with(own, has_database, &typed)
    }

    fn with<'a>(others: impl Iterator<Item = &'a String>, has_database: bool, typed: &[Column]) -> Columns {
        let roster = ROSTER.iter().map(|(name, _)| (*name).to_owned());
        let tags = roster.chain(others.cloned());
        let tags = tags.map(|name| {
            let typed = Column::of_typed_tag(&name);
            typed.unwrap_or_else(|| Column::Tag(TagName::new(name)))
        });
        let database = has_database.then_some(Column::Database);
        let first = database.into_iter().chain([Column::Number]);
        let last = typed.iter().cloned().chain([Column::Path]);
        let all: Vec<Column> = first.chain(tags).chain(last).collect();
        // Spark takes names that differ only in letter case for one.
        let others = all.iter().filter(|column| !matches!(column, Column::Tag(_)));
        let mut met: HashSet<String> = others.map(|column| column.name().to_ascii_lowercase()).collect();
        let names = all.iter().map(|column| match column {
            Column::Tag(tag)
                if !is_of_other_column(tag.as_str()) && met.insert(tag.as_str().to_ascii_lowercase()) =>
            {
                tag.as_str().to_owned()
            }
            column => column.name(),
        });
        let names: Vec<String> = names.collect();
        Columns::new(RowKind::Games, names.into_iter().zip(all).collect())
    }

    /// These columns. The column of other tags has the tags that no other column has.
    fn new(rows: RowKind, mut columns: Vec<(String, Column)>) -> Columns {
        let own: BTreeSet<String> = columns.iter().filter_map(|(_, column)| column.tag()).collect();
        let own = Arc::new(own);
        for (_, column) in &mut columns {
            if matches!(column, Column::OtherTags(_)) {
                *column = Column::OtherTags(Some(Arc::clone(&own)));
            }
        }
        Columns { rows, columns }
    }

    /// The columns of the tables that Lichess publishes.
    pub fn lichess() -> Columns {
        Columns::known(RowKind::Games, &LICHESS)
    }

    /// The usual columns of a table of positions. With `has_database`, the database comes first.
    pub fn of_positions(has_database: bool) -> Columns {
        let database = has_database.then_some("database");
        let names: Vec<&str> = database.into_iter().chain(OF_POSITIONS).collect();
        Columns::known(RowKind::Positions, &names)
    }

    fn known(rows: RowKind, names: &[&str]) -> Columns {
        let columns = names
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), Column::of(name, rows)?)));
        Columns {
            rows,
            columns: columns.collect(),
        }
    }

    /// The columns with these names, for rows of this kind. A name with a capital first letter, or with `tag:` in
    /// front, is a tag.
    ///
    /// # Errors
    /// If a name is neither a tag nor another column, or is given twice.
    pub fn of_names<'a>(rows: RowKind, names: impl Iterator<Item = &'a str>) -> Result<Columns, ColumnError> {
        let mut met = HashSet::new();
        let column = |name: &'a str| match Column::of(name, rows) {
            Some(_) if !met.insert(name) => Err(ColumnError::Twice(name.to_owned())),
            Some(column) => Ok((name.to_owned(), column)),
            None => Err(ColumnError::Unknown(name.to_owned(), rows)),
        };
        Ok(Columns::new(rows, names.map(column).collect::<Result<_, _>>()?))
    }

    /// The meaning of each row.
    pub fn rows(&self) -> RowKind {
        self.rows
    }

    /// All columns with their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Column)> {
        self.columns.iter().map(|(name, column)| (name.as_str(), column))
    }

    /// The tags that were named as columns and that games usually do not have, unless they were given with `tag:`.
    pub fn unusual_tags(&self) -> impl Iterator<Item = &str> {
        let tags = self.columns.iter().filter_map(|(name, column)| match column {
            Column::Tag(tag) if tag.as_str() == name => Some(tag.as_str()),
            _ => None,
        });
        tags.filter(|tag| !is_usual_tag(tag))
    }

    /// True if it has moves and no start position, so that the moves of a set-up game are read from the usual one.
    pub fn lack_start(&self) -> bool {
        let mut columns = self.columns.iter().map(|(_, column)| column);
        let is_moves = |column: &Column| matches!(column, Column::Movetext | Column::Moves | Column::Uci);
        self.rows == RowKind::Games
            && columns.clone().any(is_moves)
            && !columns.any(|column| match column {
                // FEN is among the other tags, because no column has it.
                Column::Pgn | Column::OtherTags(_) => true,
                Column::Tag(tag) => tag.as_str() == "FEN",
                _ => false,
            })
    }

    /// True if it has columns of the player that the games were searched for.
    pub fn are_of_player(&self) -> bool {
        self.columns.iter().any(|(_, column)| column.is_of_player())
    }

    /// The number of columns that are tags.
    pub fn tags(&self) -> u64 {
        let tags = self.columns.iter().filter(|(_, column)| column.is_of_tag());
        tags.count() as u64
    }

    /// The first line of comma-separated values.
    pub fn header(&self) -> String {
        let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        names.join(",") + "\n"
    }

    /// Bytes of a row of comma-separated values, without its fields.
    pub fn row_len(&self) -> u64 {
        self.columns.len() as u64
    }

    /// Bytes of a line of JSON, without its values.
    pub fn object_len(&self) -> u64 {
        let mut keys = Vec::new();
        self.iter().for_each(|(name, _)| append_key(&mut keys, name));
        // A brace replaces the first comma. The other brace and the line feed follow the last value.
        keys.len() as u64 + 2
    }

    /// Appends a row as a line of comma-separated values. An unknown value in the only column is `""`, because readers
    /// skip empty lines.
    pub fn append_row(&self, out: &mut Vec<u8>, row: &(impl TableRow + ?Sized)) {
        let start = out.len();
        for (n, (_, column)) in self.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            if let Some(value) = row.field(n, column) {
                value.append_field(out);
            }
        }
        if out.len() == start {
            out.extend_from_slice(b"\"\"");
        }
        out.push(b'\n');
    }

    /// Appends a row as a line of JSON. Each row has all columns, because programs infer them from the first
    /// rows.
    pub fn append_object(&self, out: &mut Vec<u8>, row: &(impl TableRow + ?Sized)) {
        let start = out.len();
        for (n, (name, column)) in self.iter().enumerate() {
            append_key(out, name);
            match row.field(n, column) {
                Some(value) => value.append_json(out),
                None => out.extend_from_slice(NULL),
            }
        }
        out.extend_from_slice(b"}\n");
        if let Some(first) = out.get_mut(start) {
            *first = b'{';
        }
    }
}

/// True for the name of a column that is not a tag.
fn is_of_other_column(tag: &str) -> bool {
    Column::names(RowKind::Games).any(|name| name == tag)
}

/// The tags without a column in a typed table: they are neither usual nor among the most frequent ones, and less than a
/// thousandth of the games have them.
fn rare_tags(others: &TagCounts, games: u64) -> BTreeSet<&String> {
    let mut unusual: Vec<(&String, u64)> = others
        .iter()
        .filter(|(tag, _)| !is_usual_tag(tag))
        .map(|(tag, &games)| (tag, games))
        .collect();
    unusual.sort_by_key(|&(tag, games)| (Reverse(games), tag));
    let beyond = unusual.into_iter().skip(MOST_TAGS);
    beyond
        .filter(|(_, having)| having * RARE < games)
        .map(|(tag, _)| tag)
        .collect()
}

/// True for a tag that is so common that it is not an error to name it if no game of the database has it.
pub fn is_usual_tag(tag: &str) -> bool {
    usual_tags().any(|usual| usual == tag)
}

pub(crate) fn usual_tags<'a>() -> impl Iterator<Item = &'a str> {
    ROSTER.iter().map(|(name, _)| *name).chain(USUAL)
}

impl ColumnError {
    /// True if only tables whose rows are positions have the column.
    pub fn is_of_position(&self) -> bool {
        match self {
            ColumnError::Unknown(name, _) => {
                Column::names(RowKind::Positions).any(|of_position| of_position == name)
            }
            ColumnError::Twice(_) => false,
        }
    }
}

impl fmt::Display for ColumnError {
    /// Reports what is wrong with the name, and suggests similar tags and columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, rows) = match self {
            ColumnError::Unknown(name, rows) => (name, *rows),
            ColumnError::Twice(name) => {
                return write!(f, "the column '{}' is named twice", on_one_line(name));
            }
        };
        let shown = on_one_line(name);
        if self.is_of_position() {
            return write!(
                f,
                "the column '{shown}' is for rows that are positions, not games"
            );
        }
        let named = Column::names(rows);
        let meant = match similar(name, usual_tags().chain(named.clone())).as_slice() {
            [] => {
                let named: Vec<&str> = named.collect();
                format!("there are the tags, such as White, and {}", named.join(", "))
            }
            names => format!("similar are {}", names.join(", ")),
        };
        write!(f, "no table has a column '{shown}'; {meant}")
    }
}

impl std::error::Error for ColumnError {}

/// Says that no game has a tag that was named as a column, and suggests similar ones: among the `tags` of the games,
/// the usual tags, and the other column names `named`.
pub fn no_tag<'a>(
    tag: &str,
    tags: impl Iterator<Item = &'a str>,
    named: impl Iterator<Item = &'a str>,
) -> String {
    let all: BTreeSet<&str> = tags.chain(usual_tags()).chain(named).collect();
    let meant = match similar(tag, all).as_slice() {
        [] => String::new(),
        names => format!("; similar are {}", names.join(", ")),
    };
    let tag = on_one_line(tag);
    format!("no game has the tag '{tag}'{meant}; for an empty column, write {TAG}{tag}")
}

/// Appends the key of a value, after the comma that ends the previous value.
fn append_key(out: &mut Vec<u8>, name: &str) {
    out.push(b',');
    append_string(out, name);
    out.push(b':');
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER_TAGS: &str = "other_tags";

    fn names(others: &TagCounts, games: u64) -> Vec<String> {
        let columns = Columns::typed(others, games, false);
        columns.iter().map(|(name, _)| name.to_owned()).collect()
    }

    #[test]
    fn rare_tags_have_one_column_beyond_two_hundred() {
        let tag = |n: usize| (format!("T{n:03}"), 1);
        for (tags, has_column) in [(MOST_TAGS, false), (MOST_TAGS + 1, true)] {
            let mut others: TagCounts = (0..tags).map(tag).collect();
            // Usual tags have columns in any case, and do not count.
            others.extend([
                ("ECO".to_owned(), 1),
                ("FEN".to_owned(), 1),
                ("WhiteElo".to_owned(), 1),
            ]);
            let names = names(&others, 1001);
            assert_eq!(names.contains(&OTHER_TAGS.to_owned()), has_column, "{tags}");
            let last = names.contains(&format!("T{:03}", tags - 1));
            assert_eq!(last, !has_column);
            assert!(
                ["ECO", "FEN", "WhiteElo", "T000", "eco_name", "path"]
                    .iter()
                    .all(|name| names.contains(&(*name).to_owned()))
            );
        }
    }

    #[test]
    fn a_tag_of_a_thousandth_of_the_games_has_a_column() {
        for (games, is_rare) in [(1000, false), (1001, true), (2000, true), (2001, true)] {
            let mut others: TagCounts = (0..MOST_TAGS).map(|n| (format!("T{n:03}"), 2)).collect();
            others.insert("A".to_owned(), 1);
            assert_eq!(
                names(&others, games).contains(&OTHER_TAGS.to_owned()),
                is_rare,
                "{games}"
            );
            // The most frequent ones come first.
            others.insert("Z".to_owned(), 3);
            let names = names(&others, 5000);
            assert!(names.contains(&"Z".to_owned()) && !names.contains(&"T199".to_owned()));
        }
    }

    #[test]
    fn a_tag_called_like_the_column_of_others_has_a_prefix() {
        let others = [(OTHER_TAGS.to_owned(), 1)].into();
        assert!(names(&others, 1).contains(&"tag:other_tags".to_owned()));
    }

    #[test]
    fn a_table_of_moves_lacks_the_start_where_no_column_has_it() {
        for (names, lacks) in [
            (&["movetext"][..], true),
            (&["White", "uci"], true),
            (&["movetext", "tag:FEN"], false),
            (&["movetext", OTHER_TAGS], false),
            (&["pgn", "moves"], false),
            (&["White", "Black"], false),
        ] {
            let columns = Columns::of_names(RowKind::Games, names.iter().copied()).unwrap();
            assert_eq!(columns.lack_start(), lacks, "{names:?}");
        }
    }
}
