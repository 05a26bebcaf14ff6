//! The keys of games, read from all rows on first use.

use std::sync::Arc;

use crate::text::Charset;

use super::column;
use super::names::{Collected, Names};
use super::page::{Page, Value};
use super::row::{Columns, is_result};
use super::table::{Cell, Table};
use crate::database::{Keys, TextId};
use crate::formats::pgn_common::items::Items;
use crate::formats::pgn_common::results::{outcome, read_result};
use crate::formats::pgn_common::values::read_eco;
use crate::game::{Date, Eco, Tags};

/// The keys of all games, and their names.
#[derive(Debug)]
pub(super) struct AllKeys {
    pub(super) keys: Vec<Keys>,
    pub(super) names: Names,
}

/// The tags that keys are made from.
pub(super) const TAGS: [&str; 7] = ["White", "Black", "Event", "Date", "EventDate", "ECO", "Result"];

/// Keys of a game without any known value. Text 0 is the name for unknown.
const UNKNOWN: Keys = Keys {
    white: TextId(0),
    black: TextId(0),
    event: TextId(0),
    ..Keys::UNKNOWN
};

impl AllKeys {
    /// Reads the keys from the columns that are needed.
    pub(super) fn of_columns(table: &Table, columns: &Columns) -> AllKeys {
        let mut keys = vec![UNKNOWN; rows_of(table)];
        let mut names = Collected::new();
        let name = |names: &mut Collected, text: &str| TextId(names.number(text));
        fill(
            table,
            columns,
            "White",
            &mut keys,
            |text| name(&mut names, text),
            |key, id| key.white = id,
        );
        fill(
            table,
            columns,
            "Black",
            &mut keys,
            |text| name(&mut names, text),
            |key, id| key.black = id,
        );
        fill(
            table,
            columns,
            "Event",
            &mut keys,
            |text| name(&mut names, text),
            |key, id| key.event = id,
        );
        // `Date` replaces `UTCDate`, even if it is unknown.
        for name in ["UTCDate", "Date"] {
            fill(
                table,
                columns,
                name,
                &mut keys,
                |text| Date::read(text).0,
                |key, date| key.date = date,
            );
        }
        fill(
            table,
            columns,
            "EventDate",
            &mut keys,
            |text| Date::read(text).0.year,
            |key, year| key.event_year = year,
        );
        fill(
            table,
            columns,
            "ECO",
            &mut keys,
            read_eco,
            |key, eco: Option<Eco>| key.eco = eco,
        );
        let mut is_certain = vec![false; keys.len()];
        let result = |text: &str| (read_result(text), is_result(text));
        each(table, columns, "Result", result, |row, found| {
            let (written, certain) = found.unwrap_or_default();
            if let (Some(key), Some(flag)) = (keys.get_mut(row), is_certain.get_mut(row)) {
                key.outcome = written.map(|written| written.outcome).unwrap_or_default();
                *flag = certain;
            }
        });
        for (row, key) in (0..).zip(&mut keys) {
            let is_certain = usize::try_from(row).ok().and_then(|row| is_certain.get(row));
            if is_certain == Some(&true) {
                continue;
            }
            let tagged = columns.tag("Result").and_then(|number| {
                let mut text = String::new();
                let is_some = columns.value(table, number, row, &mut text);
                is_some
                    .is_ok_and(|is_some| is_some)
                    .then(|| read_result(&text))
                    .flatten()
            });
            if let Ok((Some(moves), _)) = columns.moves(table, row) {
                key.outcome = outcome(tagged, Items::new(moves.as_bytes(), 0, b'\n'), Charset::Utf8);
            }
        }
        AllKeys {
            keys,
            names: names.finish(),
        }
    }

    /// Reads the keys from the tags of all games.
    pub(super) fn of_tags(table: &Table, tags: impl Fn(u32) -> Tags) -> AllKeys {
        let mut names = Collected::new();
        let rows = table.file.numbers(table.layout.rows);
        let mut keys: Vec<Keys> = rows
            .map(|row| {
                let tags = tags(row);
                let text = |name: &str| tags.get(name).unwrap_or_default();
                let mut id = |name: &str| TextId(names.number(text(name)));
                Keys {
                    white: id("White"),
                    black: id("Black"),
                    event: id("Event"),
                    date: Date::read(text("Date")).0,
                    event_year: Date::read(text("EventDate")).0.year,
                    eco: read_eco(text("ECO")),
                    outcome: tags.outcome(),
                    deleted: false,
                }
            })
            .collect();
        keys.resize(rows_of(table), UNKNOWN);
        AllKeys {
            keys,
            names: names.finish(),
        }
    }
}

impl AllKeys {
    /// Reads from a column which games are marked as deleted. A game whose mark cannot be read is not deleted.
    pub(super) fn with_deleted(mut self, table: &Table, column: Option<usize>) -> AllKeys {
        let Some(column) = column else { return self };
        table.each(column, |row, cell| {
            let key = usize::try_from(row).ok().and_then(|row| self.keys.get_mut(row));
            if let Some(key) = key {
                key.deleted = cell.and_then(Cell::value) == Some(Value::Number(1));
            }
        });
        self
    }
}

fn rows_of(table: &Table) -> usize {
    usize::try_from(table.layout.rows).unwrap_or_default()
}

/// Sets one of the keys from the value of a tag, in all rows that have the tag.
fn fill<T: Copy>(
    table: &Table,
    columns: &Columns,
    tag: &str,
    keys: &mut [Keys],
    read: impl FnMut(&str) -> T,
    set: impl Fn(&mut Keys, T),
) {
    each(table, columns, tag, read, |row, found| {
        if let (Some(key), Some(found)) = (keys.get_mut(row), found) {
            set(key, found);
        }
    });
}

/// Computes a value from a tag and passes it to `each`, for each row in order; `None` if the row does not have the tag.
/// For rows with the same entry of a dictionary, it is computed once.
fn each<T: Copy>(
    table: &Table,
    columns: &Columns,
    tag: &str,
    mut read: impl FnMut(&str) -> T,
    mut each: impl FnMut(usize, Option<T>),
) {
    let Some(number) = columns.tag(tag) else {
        return;
    };
    let Some(column) = table.layout.columns.get(number) else {
        return;
    };
    let mut text = String::new();
    let mut read_cell = |cell: &Cell| {
        text.clear();
        column::append(
            &column.name,
            column.meaning,
            cell.value()?,
            columns.texts,
            &mut text,
        );
        // An empty tag counts as missing.
        (!text.is_empty()).then(|| read(&text))
    };
    let mut dictionary: Option<Arc<Page>> = None;
    let mut of_dictionary: Vec<Option<Option<T>>> = Vec::new();
    table.each(number, |row, cell| {
        let known = cell.and_then(Cell::chosen).and_then(|(page, number)| {
            if dictionary.as_ref().is_none_or(|other| !Arc::ptr_eq(other, page)) {
                dictionary = Some(Arc::clone(page));
                of_dictionary.clear();
                of_dictionary.resize(page.len(), None);
            }
            of_dictionary.get_mut(usize::try_from(number).ok()?)
        });
        let found = match known {
            Some(known) => *known.get_or_insert_with(|| cell.and_then(&mut read_cell)),
            None => cell.and_then(&mut read_cell),
        };
        if let Ok(row) = usize::try_from(row) {
            each(row, found);
        }
    });
}
