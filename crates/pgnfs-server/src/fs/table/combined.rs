//! The tables of a branch: the rows of its parts' tables, with more columns if it has several parts.

use super::{PIECE, Tables, append_piece, games_of, read_pieces};
use crate::fs::branch::PartFs;
use crate::fs::types::{Failure, FsError};
use crate::tree::Table;
use chessdb_library::table::{Columns, NULL, TagCounts, append_field, append_string};

/// The tables of a branch. A row is longer than in the tables of its part, by the same number of bytes for every row of
/// that part.
pub(in crate::fs) struct CombinedTables {
    columns: Columns,
    parts: Vec<Grown>,
    csv: Growth,
    ndjson: Growth,
}

/// The tables of some games, for each part that has some.
pub(in crate::fs) struct TablesOfGames {
    pub(in crate::fs) own: Vec<Tables>,
    pub(in crate::fs) all: CombinedTables,
}

impl TablesOfGames {
    /// The memory that they take, in bytes.
    pub(in crate::fs) fn bytes(&self) -> usize {
        self.own.iter().map(Tables::bytes).sum()
    }
}

/// How much longer the rows of a part are.
struct Grown {
    csv: Growth,
    ndjson: Growth,
}

/// Offset of the first row, and the bytes that each row has more than in the tables of the part.
#[derive(Clone, Copy, Default)]
struct Growth {
    start: u64,
    row: u64,
}

/// The tags of several tables, each with the number of all games that have it.
pub(in crate::fs) fn tags_of_all<'a>(tables: impl Iterator<Item = &'a Tables>) -> TagCounts {
    let mut all = TagCounts::new();
    for (tag, games) in tables.flat_map(|tables| &tables.others) {
        *all.entry(tag.clone()).or_default() += games;
    }
    all
}

impl CombinedTables {
    /// Combines the tables of parts.
    pub(in crate::fs) fn new(parts: &[PartFs<'_>], tables: &[&Tables]) -> CombinedTables {
        let others = tags_of_all(tables.iter().copied());
        let columns = Columns::of_text(&others, parts.iter().all(|part| part.path.is_some()));
        let mut all = CombinedTables {
            csv: Growth {
                start: columns.header().len() as u64,
                ..Growth::default()
            },
            ndjson: Growth::default(),
            parts: Vec::new(),
            columns,
        };
        for (part, tables) in parts.iter().zip(tables) {
            let (csv, ndjson) = all.growth(part.path, &tables.columns);
            let rows = tables.games as u64;
            let start = |growth: &mut Growth, row: u64, own: u64| {
                let start = growth.start;
                growth.start += own + rows * row;
                Growth { start, row }
            };
            let own = tables.len(Table::Csv) - tables.columns.header().len() as u64;
            all.parts.push(Grown {
                csv: start(&mut all.csv, csv, own),
                ndjson: start(&mut all.ndjson, ndjson, tables.len(Table::Ndjson)),
            });
        }
        all
    }

    /// Bytes that a row has more than in the tables of its part: in `games.csv`, then in `games.ndjson`.
    fn growth(&self, path: Option<&str>, own: &Columns) -> (u64, u64) {
        let (mut csv, mut ndjson) = (Vec::new(), Vec::new());
        if let Some(path) = path {
            append_field(&mut csv, path);
            append_field(&mut csv, &folder(path));
            append_string(&mut ndjson, path);
            append_string(&mut ndjson, &folder(path));
            // The quotation marks around the path are counted already.
            ndjson.truncate(ndjson.len() - 2);
        }
        let more = self.columns.tags() - own.tags();
        (
            csv.len() as u64 + self.columns.row_len() - own.row_len(),
            ndjson.len() as u64 + self.columns.object_len() - own.object_len() + more * NULL.len() as u64,
        )
    }

    /// Length of a table in bytes.
    pub(in crate::fs) fn len(&self, table: Table) -> u64 {
        match table {
            Table::Csv => self.csv.start,
            Table::Ndjson => self.ndjson.start,
        }
    }

    /// Reads `size` bytes of a table from `offset`, fewer only at the end of the table. `parts` and `tables` must be of
    /// the same databases as in [`CombinedTables::new`].
    pub(in crate::fs) fn read(
        &self,
        parts: &[PartFs<'_>],
        tables: &[&Tables],
        table: Table,
        offset: u64,
        size: u32,
    ) -> Result<Vec<u8>, FsError> {
        let mut bytes = Vec::new();
        if table == Table::Csv {
            let header = self.columns.header();
            let rest = usize::try_from(offset)
                .ok()
                .and_then(|offset| header.get(offset..));
            bytes.extend(rest.unwrap_or_default().bytes().take(size as usize));
        }
        let after = self
            .parts
            .partition_point(|part| part.growth(table).start <= offset);
        let own = parts.iter().zip(tables);
        for (grown, (part, tables)) in self.parts.iter().zip(own).skip(after.saturating_sub(1)) {
            let wanted = size.saturating_sub(bytes.len() as u32);
            if wanted == 0 {
                break;
            }
            let growth = grown.growth(table);
            let at = offset + bytes.len() as u64 - growth.start;
            let more = self.read_part(part, tables, growth.row, table, at, wanted);
            bytes.extend(more.ok_or_else(|| part.database.texts().fail(Failure::Tags))?);
        }
        Ok(bytes)
    }

    /// Reads bytes of the rows of a part. Each row is `row` bytes longer than in `tables`. `None` if the rows have
    /// changed.
    fn read_part(
        &self,
        part: &PartFs<'_>,
        tables: &Tables,
        row: u64,
        table: Table,
        offset: u64,
        size: u32,
    ) -> Option<Vec<u8>> {
        let entry = part.database.served_entry();
        let ends = tables.ends(table);
        let header = match table {
            Table::Csv => tables.columns.header().len() as u64,
            Table::Ndjson => 0,
        };
        let end_of = |piece: usize| {
            let rows = tables.games.min((piece + 1) * PIECE) as u64;
            Some(ends.get(piece)? - header + rows * row)
        };
        let append = |out: &mut Vec<u8>, piece| {
            append_piece(
                out,
                &self.columns,
                entry,
                table,
                games_of(piece, &part.games),
                part.names,
                |game| part.path_of(game),
            );
        };
        read_pieces(|_| entry.is_intact(), offset, size, ends.len(), end_of, append)
    }
}

impl Grown {
    fn growth(&self, table: Table) -> Growth {
        match table {
            Table::Csv => self.csv,
            Table::Ndjson => self.ndjson,
        }
    }
}

/// Prefix of paths that are relative to a database's directory.
fn folder(path: &str) -> String {
    match path {
        "" => String::new(),
        path => format!("{path}/"),
    }
}
