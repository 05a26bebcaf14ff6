//! Figures of CBH.

use std::path::Path;

use super::common::samples::open_base;
use super::export_figures;

/// Export and main lines of the games of a week, which have no annotations.
pub fn figures(shared: &Path) {
    let games = open_base(&shared.join("data/chessbase-cbh/twic1134/twic1134"));
    export_figures(
        "ChessBase (CBH)",
        &*games.expect("the samples are a database"),
        4.0,
    );
}
