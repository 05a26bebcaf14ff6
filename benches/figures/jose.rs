//! Figures of jose, on the database of 2005.

use std::path::Path;

use super::{fastest, row_at_most};
use testkit::samples::open_base;

/// Measures opening the published database.
pub fn figures(shared: &Path) {
    let base = shared.join("data/jose/real2005");
    let open = || open_base(&base).expect("the tables are a database");
    let opened = fastest(|| open().len() as usize);
    row_at_most("jose: opening 10,147 games, seconds", opened, 0.2);
}
