//! `games.parquet`

use std::io::Write;
use std::ops::Range;

use crate::fs::branch::BranchFs;
use crate::fs::part::PartFs;
use crate::fs::table::{WriteError, tags_of_all};
use chessdb_library::table::{ColumnRows, Columns, GamePath, GameRow, Parquet};

/// Writes the table of all games of a branch, as `pgnfs export` does.
///
/// # Errors
/// If a database has changed, or writing fails.
pub(super) fn write_parquet(branch: &BranchFs, out: &mut (impl Write + Send)) -> Result<(), WriteError> {
    let parts = branch.named_parts();
    let tables = branch.tables_of(&parts)?;
    let others = tags_of_all(tables.into_iter());
    let lens: Vec<u32> = parts.iter().map(|part| part.games.len() as u32).collect();
    let games = lens.iter().map(|&len| u64::from(len)).sum();
    let columns = Columns::typed(&others, games, parts.iter().any(|part| part.path.is_some()));
    let rows = |part: usize, games| match parts.get(part) {
        Some(part) => rows(&columns, part, games),
        None => ColumnRows::new(&columns),
    };
    Ok(Parquet::write(
        out,
        &columns,
        &lens,
        branch.threads(),
        rows,
        |_| (),
    )?)
}

fn rows(columns: &Columns, part: &PartFs<'_>, numbers: Range<u32>) -> ColumnRows {
    let mut rows = ColumnRows::new(columns);
    let folder = match part.path {
        None | Some("") => String::new(),
        Some(path) => format!("{path}/"),
    };
    for game in numbers.filter_map(|n| part.games.get(n as usize)) {
        let place = GamePath {
            database: part.path.unwrap_or_default(),
            folder: &folder,
            game,
            digits: part.database.indexed().digits(),
        };
        let row = GameRow::new(part.database.entry(), place).with_names(part.names);
        rows.push(columns, &row);
    }
    rows
}
