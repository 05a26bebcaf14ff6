//! The tables of a branch: the rows of its parts' tables, with more columns if it has several parts.

use super::{PIECE, Tables, append_piece, games_of, read_pieces};
use crate::fs::part::PartFs;
use crate::fs::types::{Failure, FsError};
use crate::tree::Table;
use chessdb_library::table::{Columns, NULL, TagCounts, append_field, append_string};

/// The tables of a branch. A row is longer than in the tables of its part, by the same number of bytes for every row of
/// that part.
pub(in crate::fs) struct CombinedTables {
    columns: Columns,
    /// The rows of each part, by [`Table`].
    parts: Vec<[Growth; 2]>,
    /// The length of each [`Table`].
    lens: [u64; 2],
}

/// The tables of some games, one for each part that has some of them.
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

/// Offset of the first row of a part, and the bytes that each of its rows has more than in the table of the part.
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
            lens: [columns.header().len() as u64, 0],
            parts: Vec::new(),
            columns,
        };
        for (part, tables) in parts.iter().zip(tables) {
            let more = all.more(part.path, &tables.columns);
            let header = tables.columns.header().len() as u64;
            all.parts
                .push([(Table::Csv, header), (Table::Ndjson, 0)].map(|(table, header)| {
                    let (len, row) = (&mut all.lens[table as usize], more[table as usize]);
                    let start = *len;
                    *len += tables.len(table) - header + tables.games as u64 * row;
                    Growth { start, row }
                }));
        }
        all
    }

    /// Bytes that a row has more than in the tables of its part, by [`Table`].
    fn more(&self, path: Option<&str>, own: &Columns) -> [u64; 2] {
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
        [
            csv.len() as u64 + self.columns.row_len() - own.row_len(),
            ndjson.len() as u64 + self.columns.object_len() - own.object_len() + more * NULL.len() as u64,
        ]
    }

    /// Length of a table in bytes.
    pub(in crate::fs) fn len(&self, table: Table) -> u64 {
        self.lens[table as usize]
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
            .partition_point(|part| part[table as usize].start <= offset);
        let own = parts.iter().zip(tables);
        for (grown, (part, tables)) in self.parts.iter().zip(own).skip(after.saturating_sub(1)) {
            let wanted = size.saturating_sub(bytes.len() as u32);
            if wanted == 0 {
                break;
            }
            let growth = &grown[table as usize];
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

/// Prefix of paths that are relative to a database's directory.
fn folder(path: &str) -> String {
    match path {
        "" => String::new(),
        path => format!("{path}/"),
    }
}
