//! What is read of a game before it is followed, for terms that depend on more than a position and a move.

use chessdb::Database;

use super::sacrifice::LineMaterial;
use crate::annotations::LineAnnotations;

/// What a query needs of a whole game; empty where it needs nothing.
#[derive(Debug, Default)]
pub(super) struct WholeLine {
    pub(super) annotations: LineAnnotations,
    pub(super) material: LineMaterial,
}

/// Which of it a query needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineNeeds {
    pub(super) annotations: bool,
    pub(super) material: bool,
}

impl WholeLine {
    /// Reads a game.
    pub(super) fn read(&mut self, needs: LineNeeds, database: &dyn Database, game: u32) {
        if needs.annotations {
            self.annotations = LineAnnotations::of(database, game);
        }
        if needs.material {
            self.material.read(database, game);
        }
    }
}
