//! MyISAM tables, read-only (section 8).
//!
//! | file | contents |
//! |---|---|
//! | `.frm` | names and types of the columns ([`frm`]) |
//! | `.MYI` | the layout of a row ([`myi`]); its counters are used in messages only |
//! | `.MYD` | the rows: of one size ([`table`]), or records in chains of blocks ([`block`], [`record`]) |
//!
//! `.MYI` and block headers are big-endian, `.frm` and values little-endian.

mod block;
mod chain;
mod frm;
mod layout;
mod myi;
mod record;
mod table;
mod walk;

pub(super) use layout::{Charset, ColumnSpec, Type};
pub(super) use record::Row;
pub(super) use table::Table;
