//! `games.parquet`

use std::io::Write;
use std::ops::Range;

use crate::fs::branch::BranchFs;
use crate::fs::table::{WriteError, tags_of_all};
use chessdb_library::table::{Columns, GameRow, TableForm, TableRow};

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
    let rows = |part: usize, numbers: Range<u32>, each: &mut dyn FnMut(&dyn TableRow)| {
        let Some(part) = parts.get(part) else { return };
        for game in numbers.filter_map(|n| part.games.get(n as usize)) {
            each(&GameRow::new(part.database.entry(), part.path_of(game)).with_names(part.names));
        }
    };
    Ok(columns.write(out, TableForm::Parquet, &lens, branch.threads(), rows, |_| ())?)
}
