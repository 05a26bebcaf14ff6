//! Writing a table of any number of games.

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};

use super::column_rows::ColumnRows;
use super::columns::Columns;
use super::parquet::Parquet;
use super::row::TableRow;
use crate::parallel::in_order;

/// The forms of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableForm {
    /// Comma-separated values.
    Csv,
    /// A JSON object on each line.
    Ndjson,
    /// A Parquet file.
    Parquet,
}

impl Columns {
    /// Writes games of several databases as a table. `lens` are the numbers of their games. `rows` passes the rows of some
    /// games of one database to its last argument, in `threads` threads. `done` is called with numbers of games.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(
        &self,
        mut out: impl Write + Send,
        form: TableForm,
        lens: &[u32],
        threads: usize,
        rows: impl Fn(usize, Range<u32>, &mut dyn FnMut(&dyn TableRow)) + Sync,
        done: impl Fn(u64),
    ) -> io::Result<()> {
        let append: fn(&Columns, &mut Vec<u8>, &dyn TableRow) = match form {
            TableForm::Csv => |columns, out, row| columns.append_row(out, row),
            TableForm::Ndjson => |columns, out, row| columns.append_object(out, row),
            TableForm::Parquet => {
                let columns = |part, games| {
                    let mut columns = ColumnRows::new(self);
                    rows(part, games, &mut |row| columns.push(self, row));
                    columns
                };
                return Parquet::write(out, self, lens, threads, columns, done);
            }
        };
        if form == TableForm::Csv {
            out.write_all(self.header().as_bytes())?;
        }
        for (part, &len) in lens.iter().enumerate() {
            let lines = |games: Range<u32>| {
                let (number, mut lines) = (games.len() as u64, Vec::new());
                rows(part, games, &mut |row| append(self, &mut lines, row));
                (number, lines)
            };
            let mut written = Ok(());
            let _ = in_order(len, threads, lines, |(number, lines)| {
                done(number);
                written = out.write_all(&lines);
                match written {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            });
            written?;
        }
        Ok(())
    }
}
