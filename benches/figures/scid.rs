//! Figures of Scid.

use std::path::Path;

use super::common::samples::open_base;
use super::export_figures;

/// Export and main lines of a database of whole games, some of which have annotations.
pub fn figures(shared: &Path) {
    let games = open_base(&shared.join("data/scid/real-si4/res_database"));
    export_figures("Scid", &*games.expect("the samples are a database"), 3.0);
}
