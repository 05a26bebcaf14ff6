//! What is read of a game before it is followed, for terms that depend on more than a position and a move.

use chessdb::Database;
use chessdb::board::Color;
use chessdb::game::Game;

use super::followed::{FollowedLines, RepertoireTest};
use super::sacrifice::LineMaterial;
use crate::annotations::LineAnnotations;
use crate::lines::{BranchingLine, PackedLine};

/// What a query needs of a whole game; empty where it needs nothing.
#[derive(Debug, Default)]
pub(super) struct WholeLine {
    pub(super) annotations: LineAnnotations,
    pub(super) material: LineMaterial,
    pub(super) followed: FollowedLines,
}

/// Which of it a query needs.
#[derive(Debug)]
pub(super) struct LineNeeds {
    pub(super) annotations: bool,
    pub(super) material: bool,
    /// Each has its place as its number.
    pub(super) repertoires: Vec<RepertoireTest>,
    /// Number of half-moves after a position on which terms depend.
    pub(super) looks_ahead: u32,
}

impl WholeLine {
    /// Begins a game whose lines are followed one after the other.
    pub(super) fn begin(&mut self, needs: &LineNeeds, game: &Game) {
        if needs.annotations {
            self.annotations = LineAnnotations::beginning(game);
        }
    }

    /// Reads a line, which `winner` has won, and whose first `shared` moves are those of the line before. False if what holds at
    /// the plies of these moves may be different, although it does not depend on the half-moves that terms look ahead.
    pub(super) fn follow(
        &mut self,
        needs: &LineNeeds,
        line: &BranchingLine,
        shared: u32,
        winner: Option<Color>,
    ) -> bool {
        if needs.material {
            self.material.follow(line, shared, winner);
        }
        needs.repertoires.is_empty() || self.followed.follow(&needs.repertoires, line, shared)
    }

    /// Reads a game, whose main line may be packed.
    pub(super) fn read(
        &mut self,
        needs: &LineNeeds,
        database: &dyn Database,
        game: u32,
        packed: Option<&PackedLine>,
    ) {
        if needs.annotations {
            self.annotations = LineAnnotations::of(database, game);
        }
        if needs.material {
            self.material.read(database, game, packed);
        }
        if !needs.repertoires.is_empty() {
            self.followed.read(&needs.repertoires, database, game);
        }
    }
}
