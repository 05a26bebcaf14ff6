//! `games.csv` and `games.ndjson`: the tags of all games as tables, made from headers when they are read.
//!
//! One pass over the tags of all games finds the columns and how long each piece of a table is. From then on any
//! byte costs the piece that it is in.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::gather::decode_missing;
use crate::library::{LibraryEntry, tags_of};
use crate::tree::{BLOCK, Table, block_name, numbered_game_name};
use chessdb::game::{ROSTER, Tags};

/// Games in a piece: so few that a piece is made faster than it would be found in a cache full of games.
const PIECE: u32 = 64;

/// The columns before the tags and behind them. Where a tag has one of these names it gets `tag:` before it, which no
/// tag's name can contain.
const NUMBER: &str = "number";
const PATH: &str = "path";

/// The tables of a database, as far as they are kept: their columns, and where their pieces end.
pub(super) struct Tables {
    /// Tags that some game has, beside the roster.
    columns: Vec<String>,
    csv: Vec<u64>,
    ndjson: Vec<u64>,
}

/// Bytes of a piece of both tables.
#[derive(Clone, Copy, Default)]
struct Lengths {
    /// Without commas and line feeds, whose number follows from that of the columns.
    csv: u64,
    ndjson: u64,
}

impl Tables {
    /// Looks through the tags of all games.
    pub(super) fn new(entry: &LibraryEntry, digits: usize, threads: usize) -> Tables {
        let games = entry.database.len();
        let pieces: Vec<u32> = (0..games.div_ceil(PIECE)).collect();
        let lengths: Vec<OnceLock<Lengths>> = pieces.iter().map(|_| OnceLock::new()).collect();
        let columns = Mutex::new(BTreeSet::new());
        decode_missing(&pieces, threads, |pieces| {
            let mut own = BTreeSet::new();
            for &piece in pieces {
                let found = lengths_of(entry, games_of(piece, games), digits, &mut own);
                if let Some(slot) = lengths.get(piece as usize) {
                    let _ = slot.set(found);
                }
            }
            columns
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .append(&mut own);
        });
        let columns = columns.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut tables = Tables {
            columns: columns.into_iter().collect(),
            csv: Vec::new(),
            ndjson: Vec::new(),
        };
        let mut ends = Lengths {
            csv: tables.header().len() as u64,
            ndjson: 0,
        };
        for (&piece, found) in pieces.iter().zip(&lengths) {
            let found = found.get().copied().unwrap_or_default();
            let rows = games_of(piece, games).len() as u64;
            ends.csv += found.csv + rows * tables.names().count() as u64;
            ends.ndjson += found.ndjson;
            tables.csv.push(ends.csv);
            tables.ndjson.push(ends.ndjson);
        }
        if pieces.is_empty() {
            // The header stands in the first piece.
            tables.csv.push(ends.csv);
        }
        tables
    }

    /// Bytes of a table.
    pub(super) fn len(&self, table: Table) -> u64 {
        self.ends(table).last().copied().unwrap_or(0)
    }

    /// Bytes of a table: `size` of them from `offset`, fewer only at its end. None where the tags are not what they
    /// were.
    pub(super) fn read(
        &self,
        entry: &LibraryEntry,
        digits: usize,
        table: Table,
        offset: u64,
        size: u32,
    ) -> Option<Vec<u8>> {
        let ends = self.ends(table);
        let end = offset.saturating_add(size.into()).min(self.len(table));
        let first = ends.partition_point(|&end| end <= offset);
        let start = first.checked_sub(1).map_or(0, |before| ends[before]);
        let mut bytes = Vec::new();
        for (piece, &next) in (0..).zip(ends).skip(first) {
            if start + bytes.len() as u64 >= end {
                break;
            }
            self.append_piece(&mut bytes, entry, digits, table, piece);
            if !entry.is_intact() || start + bytes.len() as u64 != next {
                return None;
            }
        }
        bytes.truncate(end.saturating_sub(start) as usize);
        bytes.drain(..bytes.len().min((offset - start) as usize));
        Some(bytes)
    }

    fn append_piece(&self, out: &mut Vec<u8>, entry: &LibraryEntry, digits: usize, table: Table, piece: u32) {
        if table == Table::Csv && piece == 0 {
            out.extend_from_slice(self.header().as_bytes());
        }
        for game in games_of(piece, entry.database.len()) {
            let tags = tags_of(&*entry.database, game);
            match table {
                Table::Csv => self.append_row(out, game, &tags, digits),
                Table::Ndjson => append_object(out, game, &tags, digits),
            }
        }
    }

    fn ends(&self, table: Table) -> &[u64] {
        match table {
            Table::Csv => &self.csv,
            Table::Ndjson => &self.ndjson,
        }
    }

    /// The names of all columns.
    fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let roster = ROSTER.iter().map(|(name, _)| Cow::Borrowed(*name));
        let others = self.columns.iter().map(|tag| column(tag));
        std::iter::once(Cow::Borrowed(NUMBER))
            .chain(roster)
            .chain(others)
            .chain([Cow::Borrowed(PATH)])
    }

    fn header(&self) -> String {
        let names: Vec<_> = self.names().collect();
        names.join(",") + "\n"
    }

    fn append_row(&self, out: &mut Vec<u8>, game: u32, tags: &Tags, digits: usize) {
        append_number(out, game);
        let names = ROSTER.iter().map(|(name, _)| *name);
        for name in names.chain(self.columns.iter().map(String::as_str)) {
            out.push(b',');
            if let Some(value) = tags.get(name).and_then(known) {
                append_field(out, &value);
            }
        }
        out.push(b',');
        append_path(out, game, digits);
        out.push(b'\n');
    }
}

/// The games of a piece.
fn games_of(piece: u32, games: u32) -> Range<u32> {
    let first = piece.saturating_mul(PIECE);
    first..first.saturating_add(PIECE).min(games)
}

/// Bytes of some games in both tables, and the names of their tags beside the roster.
fn lengths_of(
    entry: &LibraryEntry,
    games: Range<u32>,
    digits: usize,
    columns: &mut BTreeSet<String>,
) -> Lengths {
    let mut lengths = Lengths::default();
    let mut scratch = Vec::new();
    for game in games {
        let tags = tags_of(&*entry.database, game);
        scratch.clear();
        append_number(&mut scratch, game);
        for (n, (name, value)) in tags.iter().enumerate() {
            if let Some(value) = known(value) {
                append_field(&mut scratch, &value);
                if n >= ROSTER.len() && !columns.contains(name) {
                    columns.insert(name.to_owned());
                }
            }
        }
        append_path(&mut scratch, game, digits);
        lengths.csv += scratch.len() as u64;
        scratch.clear();
        append_object(&mut scratch, game, &tags, digits);
        lengths.ndjson += scratch.len() as u64;
    }
    lengths
}

/// What a tag says, without the control characters that PGN leaves out, too; none where it says that it is unknown.
fn known(value: &str) -> Option<Cow<'_, str>> {
    let value = match value.bytes().any(|c| c.is_ascii_control()) {
        true => Cow::Owned(value.replace(|c: char| c.is_ascii_control(), "")),
        false => Cow::Borrowed(value),
    };
    (!matches!(value.as_ref(), "" | "?" | "????.??.??")).then_some(value)
}

/// The name of a tag's column.
fn column(tag: &str) -> Cow<'_, str> {
    match tag {
        NUMBER | PATH => Cow::Owned(format!("tag:{tag}")),
        _ => Cow::Borrowed(tag),
    }
}

/// Appends a field of CSV as RFC 4180 wants it.
fn append_field(out: &mut Vec<u8>, value: &str) {
    match value.contains([',', '"']) {
        true => {
            out.push(b'"');
            out.extend_from_slice(value.replace('"', "\"\"").as_bytes());
            out.push(b'"');
        }
        false => out.extend_from_slice(value.as_bytes()),
    }
}

/// Appends a game as a line of JSON.
fn append_object(out: &mut Vec<u8>, game: u32, tags: &Tags, digits: usize) {
    out.extend_from_slice(b"{\"number\":");
    append_number(out, game);
    for (name, value) in tags.iter() {
        if let Some(value) = known(value) {
            out.push(b',');
            append_string(out, &column(name));
            out.push(b':');
            append_string(out, &value);
        }
    }
    out.extend_from_slice(b",\"path\":\"");
    append_path(out, game, digits);
    out.extend_from_slice(b"\"}\n");
}

fn append_string(out: &mut Vec<u8>, text: &str) {
    // Writing to a vector cannot fail.
    let _ = serde_json::to_writer(out, text);
}

fn append_number(out: &mut Vec<u8>, game: u32) {
    let _ = write!(out, "{}", u64::from(game) + 1);
}

/// Appends where the game is from the database's directory.
fn append_path(out: &mut Vec<u8>, game: u32, digits: usize) {
    let (block, name) = (block_name(game / BLOCK, digits), numbered_game_name(game, digits));
    let _ = write!(out, "games/{block}/{name}");
}
