//! Libraries of chess databases: finds the databases of a folder, opens them through memory maps, searches them for
//! positions, lists their games in tables, compares them and makes opening books of them.
//!
//! It knows neither directories nor the kernel, so that programs without FUSE can use it. Data flows from `mapped` and
//! `kept` to `library`, and from there to `positions`, `duplicates`, `polyglot`, `table` and `query`;
//! `tests/repository/layering.rs` checks this.

pub mod cancel;
pub mod csv;
pub mod duplicates;
pub mod kept;
pub mod library;
pub mod made;
pub mod making;
pub mod mapped;
pub mod mounts;
pub mod parallel;
pub mod polyglot;
pub mod positions;
pub mod query;
pub mod recent;
pub mod similar;
pub mod spelling;
pub mod spill;
pub mod table;
pub mod turns;
mod within;
pub mod workers;
