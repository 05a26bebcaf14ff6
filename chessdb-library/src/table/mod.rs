//! Games as rows of tables: their tags, values derived from tags, and moves.
//!
//! To make a table, choose its [`Columns`] and provide the [`GameRow`]s.

mod columns;
mod duplicate;
mod moves;
mod opening;
mod parquet;
mod row;

pub use crate::csv::append_field;
pub use columns::{Column, Columns, TAG, UnknownColumn, is_tag, is_usual_tag, no_column, no_tag};
pub use duplicate::DuplicateRow;
pub use opening::opening;
pub use parquet::{ColumnRows, Parquet};
pub use row::{
    GamePath, GameRow, NULL, Value, append_string, field_lengths, further_tags, known, respell_players,
};
