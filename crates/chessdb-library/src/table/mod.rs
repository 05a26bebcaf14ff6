//! Games as rows of tables: their tags, values derived from tags, and moves.
//!
//! To make a table, choose its [`Columns`] and provide the [`GameRow`]s. [`Columns::each_row`] makes rows of their positions
//! if the columns are for these.

mod bitboards;
mod column;
mod column_rows;
mod columns;
mod duplicate;
mod moves;
mod parquet;
mod position_row;
mod row;
mod value;
mod write;

pub use crate::csv::append_field;
pub use bitboards::{BITBOARDS, Bitboards};
pub use column::{Column, ColumnType, RowKind, TAG, is_tag};
pub(crate) use columns::usual_tags;
pub use columns::{ColumnError, Columns, TagCounts, is_usual_tag, no_tag};
pub use duplicate::DuplicateRow;
pub use row::{GamePath, GameRow, TableRow, further_tags, respell_players};
pub use value::{NULL, Value, append_string, field_lengths, known, utc_month};
pub use write::TableForm;
