//! Figures of Brenner's encoding.

use std::path::Path;

use super::{fastest, row};
use testkit::samples::open_base;

/// Measures opening a large file: splitting it into games, reading headers, choosing the reading.
pub fn figures(shared: &Path) {
    let sample = shared.join("data/brenner/medium.main");
    let folder = tempfile::tempdir().expect("a place for databases");
    let base = folder.path().join("large");
    let bytes = std::fs::read(sample.with_added_extension("brn")).expect("the sample");
    let bytes = bytes.repeat(64);
    std::fs::write(base.with_extension("brn"), &bytes).expect("the large file");
    let seconds = fastest(|| open_base(&base).map_or(0, |database| database.len() as usize));
    let speed = bytes.len() as f64 / 1e6 / seconds;
    row("Brenner: opening a .brn file, MB/s", speed, Some(100.0));
}
