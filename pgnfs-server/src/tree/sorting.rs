//! What the directories of a view of one database follow from.

use std::sync::Arc;

use super::views::View;
use chessdb_library::library::LibraryEntry;
use chessdb_library::positions::LineEnds;
use chessdb_library::spelling::Spelling;

/// A view of a database, and what its directories follow from.
pub(super) struct Sorting {
    pub(super) view: View,
    pub(super) entry: Arc<LibraryEntry>,
    pub(super) spelling: Spelling,
    pub(super) line_ends: Arc<LineEnds>,
    /// Maximum number of threads.
    pub(super) threads: usize,
}

impl Sorting {
    /// What, beside the database, the arrays of the view follow from.
    pub(super) fn what(&self) -> String {
        let (view, spelling) = (self.view.key(), self.spelling.key());
        if self.view.names_players() {
            format!("{view} {spelling}")
        } else {
            view
        }
    }
}
