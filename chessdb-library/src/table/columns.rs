//! The columns of a table, and rows as text.

use std::collections::BTreeSet;

use super::row::{GameRow, NULL, Value, append_string};
use crate::csv::append_field;
use crate::library::on_one_line;
use crate::similar::similar;
use chessdb::game::{ROSTER, TagName};

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// The path of the database's directory.
    Database,
    /// The number of the game, from 1.
    Number,
    /// A tag.
    Tag(TagName),
    /// The year of the date, as a number.
    Year,
    /// The month of the date.
    Month,
    /// The day of the date.
    Day,
    /// White's [rating](chessdb::game::rating) as a number.
    WhiteElo,
    /// Black's rating, likewise.
    BlackElo,
    /// The name of the opening with the code in the tag `ECO`.
    Opening,
    /// The number of half-moves of the main line.
    Plies,
    /// The moves of the main line in SAN, with spaces between them.
    Moves,
    /// Like [`Column::Moves`], in the notation of UCI.
    Uci,
    /// The position at the end of the main line.
    FinalFen,
    /// The path of the game's file.
    Path,
}

/// The columns other than tags, by name.
const NAMED: [(&str, Column); 13] = [
    ("database", Column::Database),
    ("number", Column::Number),
    ("year", Column::Year),
    ("month", Column::Month),
    ("day", Column::Day),
    ("white_elo", Column::WhiteElo),
    ("black_elo", Column::BlackElo),
    ("opening", Column::Opening),
    ("plies", Column::Plies),
    ("moves", Column::Moves),
    ("uci", Column::Uci),
    ("final_fen", Column::FinalFen),
    ("path", Column::Path),
];

/// Prefix for a tag that has the name of another column. No name of a tag can contain it.
pub const TAG: &str = "tag:";

/// Tags that games have so often that no game of a database having them is no mistake.
const USUAL: [&str; 20] = [
    "Annotator",
    "BlackElo",
    "BlackFideId",
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
    "Variant",
    "Variation",
    "WhiteElo",
    "WhiteFideId",
    "WhiteTeam",
    "WhiteTitle",
];

/// The columns of a table, in their order, with their names.
pub struct Columns(Vec<(String, Column)>);

/// No table has a column of this name.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownColumn(pub String);

impl Columns {
    /// The columns of a text table: the number, the roster, the tags `others`, and the path. With
    /// `has_database`, the database comes first.
    pub fn of_text(others: &BTreeSet<String>, has_database: bool) -> Columns {
        Columns::with(others, has_database, &[])
    }

    /// Like [`Columns::of_text`], with typed columns for dates and ratings.
    pub fn typed(others: &BTreeSet<String>, has_database: bool) -> Columns {
        let typed = [
            Column::Year,
            Column::Month,
            Column::Day,
            Column::WhiteElo,
            Column::BlackElo,
            Column::Opening,
        ];
        Columns::with(others, has_database, &typed)
    }

    fn with(others: &BTreeSet<String>, has_database: bool, typed: &[Column]) -> Columns {
        let roster = ROSTER.iter().map(|(name, _)| (*name).to_owned());
        let tags = roster.chain(others.iter().cloned());
        let tags = tags.map(|name| Column::Tag(TagName::new(name)));
        let database = has_database.then_some(Column::Database);
        let first = database.into_iter().chain([Column::Number]);
        let last = typed.iter().cloned().chain([Column::Path]);
        let all: Vec<Column> = first.chain(tags).chain(last).collect();
        let is_named = |name: &str| {
            NAMED
                .iter()
                .any(|(own, column)| *own == name && all.contains(column))
        };
        let names = all.iter().map(|column| match column {
            Column::Tag(tag) if is_named(tag.as_str()) => format!("{TAG}{}", tag.as_str()),
            Column::Tag(tag) => tag.as_str().to_owned(),
            column => name_of(column).to_owned(),
        });
        let names: Vec<String> = names.collect();
        Columns(names.into_iter().zip(all).collect())
    }

    /// The columns with these names. A name that begins with a capital letter or with `tag:` names a tag.
    ///
    /// # Errors
    /// If a name is neither that of a tag nor of another column.
    pub fn of_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<Columns, UnknownColumn> {
        let column = |name: &str| {
            let named = NAMED.iter().find(|(own, _)| *own == name);
            let tag = name.strip_prefix(TAG).or_else(|| {
                let is_tag = name.starts_with(|c: char| c.is_ascii_uppercase());
                is_tag.then_some(name)
            });
            match (named, tag.filter(|tag| is_tag(tag))) {
                (Some((_, column)), _) => Ok((name.to_owned(), column.clone())),
                (None, Some(tag)) => Ok((name.to_owned(), Column::Tag(TagName::new(tag)))),
                (None, None) => Err(UnknownColumn(name.to_owned())),
            }
        };
        names.map(column).collect::<Result<_, _>>().map(Columns)
    }

    /// The names of the columns other than tags.
    pub fn names<'a>() -> impl Iterator<Item = &'a str> + Clone {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// All columns with their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Column)> {
        self.0.iter().map(|(name, column)| (name.as_str(), column))
    }

    /// The tags that were named as columns and that games usually do not have, unless they were given with `tag:`.
    pub fn unusual_tags(&self) -> impl Iterator<Item = &str> {
        let tags = self.0.iter().filter_map(|(name, column)| match column {
            Column::Tag(tag) if tag.as_str() == name => Some(tag.as_str()),
            _ => None,
        });
        tags.filter(|tag| !is_usual_tag(tag))
    }

    /// The number of columns that are tags.
    pub fn tags(&self) -> u64 {
        let tags = self
            .0
            .iter()
            .filter(|(_, column)| matches!(column, Column::Tag(_)));
        tags.count() as u64
    }

    /// The first line of comma-separated values.
    pub fn header(&self) -> String {
        let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        names.join(",") + "\n"
    }

    /// Bytes of a row of comma-separated values, without its fields.
    pub fn row_len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Bytes of a line of JSON, without its values.
    pub fn object_len(&self) -> u64 {
        let mut keys = Vec::new();
        self.iter().for_each(|(name, _)| append_key(&mut keys, name));
        // A brace replaces the first comma. The other brace and the line feed follow the last value.
        keys.len() as u64 + 2
    }

    /// Appends a game as a line of comma-separated values.
    pub fn append_row(&self, out: &mut Vec<u8>, row: &GameRow<'_>) {
        for (n, (_, column)) in self.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            match row.value(column) {
                Some(Value::Text(text)) => append_field(out, &text),
                Some(Value::Number(number)) => append_integer(out, number),
                None => {}
            }
        }
        out.push(b'\n');
    }

    /// Appends a game as a line of JSON. Each row has all columns, because programs infer them from the first
    /// rows.
    pub fn append_object(&self, out: &mut Vec<u8>, row: &GameRow<'_>) {
        let start = out.len();
        for (name, column) in self.iter() {
            append_key(out, name);
            match row.value(column) {
                Some(Value::Text(text)) => append_string(out, &text),
                Some(Value::Number(number)) => append_integer(out, number),
                None => out.extend_from_slice(NULL),
            }
        }
        out.extend_from_slice(b"}\n");
        if let Some(first) = out.get_mut(start) {
            *first = b'{';
        }
    }
}

/// True for a tag that games have so often that no game of a database having it is no mistake.
pub fn is_usual_tag(tag: &str) -> bool {
    usual_tags().any(|usual| usual == tag)
}

fn usual_tags<'a>() -> impl Iterator<Item = &'a str> {
    ROSTER.iter().map(|(name, _)| *name).chain(USUAL)
}

/// Says that no column has a name, and what is similar among the tags and the columns that are `named` otherwise.
pub fn no_column<'a>(name: &str, named: impl Iterator<Item = &'a str> + Clone) -> String {
    let meant = match similar(name, usual_tags().chain(named.clone())).as_slice() {
        [] => {
            let named: Vec<&str> = named.collect();
            format!("there are the tags, such as White, and {}", named.join(", "))
        }
        names => format!("similar are {}", names.join(", ")),
    };
    format!("no table has a column '{}'; {meant}", on_one_line(name))
}

/// Says that no game has a tag that was named as a column, and what is similar among the `tags` of the games, the usual
/// ones, and the columns that are `named` otherwise.
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

/// True if PGN allows a tag of this name.
pub fn is_tag(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.starts_with('_') && !name.is_empty() && name.chars().all(is_allowed)
}

/// The name of a column other than a tag.
fn name_of(column: &Column) -> &'static str {
    let named = NAMED.iter().find(|(_, own)| own == column);
    named.map_or("", |(name, _)| name)
}

/// Appends the key of a value, after the comma that ends the previous value.
fn append_key(out: &mut Vec<u8>, name: &str) {
    out.push(b',');
    append_string(out, name);
    out.push(b':');
}

fn append_integer(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
