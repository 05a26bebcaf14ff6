//! `games.csv` and `games.ndjson`: the tags of games as tables, made from headers when they are read.
//!
//! One pass over the tags of all games finds the columns and the length of each piece of a table. After that,
//! reading a byte only makes the piece that contains it.

mod combined;

use parking_lot::Mutex;
use std::io;
use std::sync::OnceLock;

use super::game_texts::decode_missing;
use super::types::FsError;
use crate::tree::{Games, Table};
use chessdb::game::ROSTER;
use chessdb_library::library::{LibraryEntry, append_game_path};
use chessdb_library::making::Making;
use chessdb_library::spelling::Names;
use chessdb_library::table::{Columns, GamePath, GameRow, NULL, TagCounts, field_lengths, respell_players};
pub(super) use combined::{CombinedTables, TablesOfGames, tags_of_all};

/// Why a table cannot be written.
pub(super) enum WriteError {
    /// A database has changed.
    Source(FsError),
    /// The file of the table cannot be written.
    File(io::Error),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        WriteError::File(error)
    }
}

impl From<FsError> for WriteError {
    fn from(error: FsError) -> WriteError {
        WriteError::Source(error)
    }
}

/// Games in a piece. Making so small a piece is faster than a lookup in a cache full of games.
const PIECE: usize = 64;

/// Tables of some games. Only the columns and the end of each piece stay in memory.
pub(super) struct Tables {
    /// Tags that some game has, beside the roster.
    others: TagCounts,
    columns: Columns,
    /// The number of games.
    games: usize,
    csv: Vec<u64>,
    ndjson: Vec<u64>,
}

/// Bytes of a piece in both tables, without the bytes that every row has: commas, line feeds, and names of
/// columns.
#[derive(Clone, Copy, Default)]
struct Lengths {
    csv: u64,
    ndjson: u64,
    /// Tags with a known value, in all rows together.
    known: u64,
}

impl Tables {
    /// The memory that they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        // Each tag is counted, and has a column and its name there. A column is not larger than this.
        const OF_TAG: usize = size_of::<(String, u64)>() + 2 * size_of::<String>() + 64;
        let tags = self.others.keys().map(|tag| OF_TAG + 3 * tag.len());
        size_of_val(&*self.csv) + size_of_val(&*self.ndjson) + tags.sum::<usize>()
    }

    /// Reads the tags of some games of a database. Their numbers are written with `digits` digits. With `names`,
    /// players are shown under these names.
    pub(super) fn new(
        entry: &LibraryEntry,
        digits: usize,
        games: &Games<'_>,
        names: Option<&Names>,
        threads: usize,
    ) -> Tables {
        let pieces: Vec<u32> = (0..games.len().div_ceil(PIECE) as u32).collect();
        let lengths: Vec<OnceLock<Lengths>> = pieces.iter().map(|_| OnceLock::new()).collect();
        let columns = Mutex::new(TagCounts::new());
        let making = Making::begin("table of games", entry.name(), games.len() as u64);
        decode_missing(&pieces, threads, |pieces| {
            making.done((pieces.len() * PIECE) as u64);
            let mut own = TagCounts::new();
            for &piece in pieces {
                let found = lengths_of(entry, games_of(piece, games), digits, names, &mut own);
                if let Some(slot) = lengths.get(piece as usize) {
                    let _ = slot.set(found);
                }
            }
            let mut columns = columns.lock();
            for (tag, games) in own {
                *columns.entry(tag).or_default() += games;
            }
        });
        let columns = columns.into_inner();
        let mut tables = Tables {
            columns: Columns::of_text(&columns, false),
            others: columns,
            games: games.len(),
            csv: Vec::new(),
            ndjson: Vec::new(),
        };
        let (row, object) = (tables.columns.row_len(), tables.columns.object_len());
        let tags = tables.columns.tags();
        let mut ends = Lengths {
            csv: tables.columns.header().len() as u64,
            ..Lengths::default()
        };
        for (&piece, found) in pieces.iter().zip(&lengths) {
            let found = found.get().copied().unwrap_or_default();
            let rows = games_of(piece, games).count() as u64;
            let unknown = rows * tags - found.known;
            ends.csv += found.csv + rows * row;
            ends.ndjson += found.ndjson + rows * object + unknown * NULL.len() as u64;
            tables.csv.push(ends.csv);
            tables.ndjson.push(ends.ndjson);
        }
        if pieces.is_empty() {
            // The header is part of the first piece.
            tables.csv.push(ends.csv);
        }
        tables
    }

    /// Length of a table in bytes.
    pub(super) fn len(&self, table: Table) -> u64 {
        self.ends(table).last().copied().unwrap_or(0)
    }

    fn ends(&self, table: Table) -> &[u64] {
        match table {
            Table::Csv => &self.csv,
            Table::Ndjson => &self.ndjson,
        }
    }
}

/// Reads `size` bytes from `offset` of consecutive pieces. `None` if a piece no longer ends at the offset
/// that `end_of` returns, or is not intact after it was made.
fn read_pieces(
    is_intact: impl Fn(u32) -> bool,
    offset: u64,
    size: u32,
    pieces: usize,
    end_of: impl Fn(usize) -> Option<u64>,
    append: impl Fn(&mut Vec<u8>, u32),
) -> Option<Vec<u8>> {
    let (mut first, mut after) = (0, pieces);
    while first < after {
        let middle = first + (after - first) / 2;
        if end_of(middle)? <= offset {
            first = middle + 1;
        } else {
            after = middle;
        }
    }
    let end = offset.saturating_add(size.into());
    let start = first.checked_sub(1).and_then(&end_of).unwrap_or(0);
    let mut bytes = Vec::new();
    for piece in first..pieces {
        if start + bytes.len() as u64 >= end {
            break;
        }
        append(&mut bytes, piece as u32);
        if !is_intact(piece as u32) || Some(start + bytes.len() as u64) != end_of(piece) {
            return None;
        }
    }
    bytes.truncate(end.saturating_sub(start).try_into().unwrap_or(usize::MAX));
    bytes.drain(..bytes.len().min((offset - start) as usize));
    Some(bytes)
}

fn append_piece<'a>(
    out: &mut Vec<u8>,
    columns: &Columns,
    entry: &LibraryEntry,
    table: Table,
    games: impl Iterator<Item = u32>,
    names: Option<&Names>,
    place: impl Fn(u32) -> GamePath<'a>,
) {
    for game in games {
        let row = GameRow::new(entry, place(game)).with_names(names);
        match table {
            Table::Csv => columns.append_row(out, &row),
            Table::Ndjson => columns.append_object(out, &row),
        }
    }
}

/// The games of a piece.
fn games_of<'a>(piece: u32, games: &'a Games<'a>) -> impl Iterator<Item = u32> + 'a {
    let first = piece as usize * PIECE;
    (first..first.saturating_add(PIECE)).map_while(move |n| games.get(n))
}

/// Bytes of some games in both tables, and the names of their tags beside the roster.
fn lengths_of(
    entry: &LibraryEntry,
    games: impl Iterator<Item = u32>,
    digits: usize,
    names: Option<&Names>,
    columns: &mut TagCounts,
) -> Lengths {
    let mut lengths = Lengths::default();
    let mut path = String::new();
    for game in games {
        let mut tags = entry.database.tags(game);
        respell_players(&mut tags, names);
        path.clear();
        append_game_path(&mut path, game, digits);
        let number = (u64::from(game) + 1).ilog10() + 1;
        let both = path.len() as u64 + u64::from(number);
        lengths.csv += both;
        // In JSON, the path is in quotation marks.
        lengths.ndjson += both + 2;
        for (n, (name, value)) in tags.iter().enumerate() {
            if let Some((field, string)) = field_lengths(name, value) {
                lengths.csv += field;
                lengths.ndjson += string;
                lengths.known += 1;
                if n >= ROSTER.len() {
                    match columns.get_mut(name) {
                        Some(games) => *games += 1,
                        None => _ = columns.insert(name.to_owned(), 1),
                    }
                }
            }
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_library::library::Library;

    /// A game may have tags that no other has.
    #[test]
    fn the_names_of_tags_count() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = |tag: &str| {
            let game = |n: usize| format!("[{tag}{n} \"x\"]\n\n1. e4 *\n\n");
            let pgn: String = (0..1000).map(game).collect();
            std::fs::write(folder.path().join("a.pgn"), pgn).unwrap();
            let library = Library::open(folder.path(), &Default::default()).unwrap();
            Tables::new(&library.databases()[0], 4, &Games::range(0..1000), None, 1).bytes()
        };
        let (short, long) = (bytes("T"), bytes(&"T".repeat(101)));
        assert!(short > 1000 * 64, "{short}");
        // Each is in the lists of tags and of columns.
        assert!(long - short >= 2 * 100 * 1000, "{short} {long}");
    }
}
