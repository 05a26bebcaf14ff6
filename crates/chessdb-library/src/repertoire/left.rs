//! Where a game leaves a repertoire.

use std::ops::ControlFlow;

use chessdb::Database;
use chessdb::board::{Color, Move, PackedMove, Position};

use super::Repertoire;
use crate::lines::{LineStep, follow, move_name};

/// The first move of a game that a repertoire does not have.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftRepertoire {
    /// The number of the game, from 0.
    pub game: u32,
    /// Number of moves before it.
    pub ply: u32,
    /// The position in which it was played.
    pub position: Position,
    /// The move.
    pub mv: Move,
    /// The moves of the repertoire in that position.
    pub moves: Vec<Move>,
}

/// The columns of [`LeftRepertoire::record`].
pub const LEFT_COLUMNS: [&str; 5] = ["path", "ply", "by", "move", "repertoire"];

impl LeftRepertoire {
    /// A record of a table, with the path of the game: the moves are SAN, those of the repertoire with blanks between them.
    pub fn record(&self, path: String) -> [String; 5] {
        let san = |mv: Move| move_name(&self.position, mv).unwrap_or_default();
        let moves: Vec<String> = self.moves.iter().map(|&mv| san(mv)).collect();
        let by = self.position.turn().fold_wb("white", "black");
        [
            path,
            self.ply.to_string(),
            by.to_owned(),
            san(self.mv),
            moves.join(" "),
        ]
    }
}

impl Repertoire {
    /// Where the main line of a game leaves it; `None` if it never does, or never has a position of it.
    ///
    /// `side` leaves it with the first move that the repertoire does not have where it has others. The other side leaves it
    /// with such a move if no later position is one of the repertoire.
    pub fn left_in(&self, database: &dyn Database, game: u32, side: Color) -> Option<LeftRepertoire> {
        let mut left = None;
        follow(database, game, |step| {
            let LineStep::Ply(step) = step else {
                return ControlFlow::Continue(());
            };
            let before = step.before();
            let moves = self.moves_in(&before);
            if !moves.is_empty() && !moves.contains(&PackedMove::new(step.mv)) {
                left = Some(LeftRepertoire {
                    game,
                    ply: step.number,
                    position: before,
                    mv: step.mv,
                    moves: moves.iter().map(|mv| mv.unpack()).collect(),
                });
                if before.turn() == side {
                    return ControlFlow::Break(());
                }
            }
            if left.is_some() && self.has(step.position) {
                left = None;
            }
            if self.moves().is_past(step.position) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        left
    }
}
