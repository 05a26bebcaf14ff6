//! Where a game leaves a repertoire.

use std::ops::ControlFlow;

use chessdb::Database;
use chessdb::board::{Color, Move, PackedMove, Position};

use super::Repertoire;
use crate::lines::{LineStep, follow, move_name};

/// The first move of a game that is not in a repertoire.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftRepertoire {
    /// The number of the game, from 0.
    pub game: u32,
    /// Number of moves before it.
    pub ply: u32,
    /// The position where it was played.
    pub position: Position,
    /// The move.
    pub mv: Move,
    /// The moves of the repertoire in that position.
    pub moves: Vec<Move>,
}

/// The columns of [`LeftRepertoire::record`].
pub const LEFT_COLUMNS: [&str; 5] = ["path", "ply", "by", "move", "repertoire"];

impl LeftRepertoire {
    /// A record of a table, with the path of the game: the moves are SAN, with blanks between the moves of the repertoire.
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

/// Where a game has left a repertoire, up to some move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Departure {
    ply: Option<u32>,
    is_final: bool,
}

impl Departure {
    /// The ply of the move that leaves it.
    pub(crate) fn ply(self) -> Option<u32> {
        self.ply
    }

    /// True if no later move matters, whether or not the game comes back.
    pub(crate) fn is_final(self) -> bool {
        self.is_final
    }

    /// The same up to the next move, at this ply. `is_known` says whether the repertoire has this move where it has some,
    /// `is_of_owner` whether it is played by the side whose repertoire it is, `has_next` whether the repertoire has the position
    /// that follows.
    #[must_use]
    pub(crate) fn then(
        self,
        ply: u32,
        is_known: Option<bool>,
        is_of_owner: bool,
        has_next: impl FnOnce() -> bool,
    ) -> Departure {
        let departure = if is_known == Some(false) {
            Departure {
                ply: Some(ply),
                is_final: is_of_owner,
            }
        } else {
            self
        };
        if departure.ply.is_some() && !departure.is_final && has_next() {
            return Departure::default();
        }
        departure
    }
}

impl Repertoire {
    /// Where the main line of a game leaves it; `None` if it never does, or never has a position of it.
    ///
    /// `side` owns the repertoire, and leaves it with the first move that is not in the repertoire where other moves
    /// are. Any other side leaves it with such a move if the game never returns to a position of the repertoire.
    pub fn left_in(&self, database: &dyn Database, game: u32, side: Option<Color>) -> Option<LeftRepertoire> {
        let mut departure = Departure::default();
        let mut left = None;
        follow(database, game, |step| {
            let LineStep::Ply(step) = step else {
                return ControlFlow::Continue(());
            };
            let before = step.before();
            let moves = self.moves_in(&before);
            let is_known = (!moves.is_empty()).then(|| moves.contains(&PackedMove::new(step.mv)));
            let is_of_owner = Some(before.turn()) == side;
            departure = departure.then(step.number, is_known, is_of_owner, || self.has(step.position));
            if departure.ply().is_none() {
                left = None;
            } else if departure.ply() == Some(step.number) {
                left = Some(LeftRepertoire {
                    game,
                    ply: step.number,
                    position: before,
                    mv: step.mv,
                    moves: moves.iter().map(|mv| mv.unpack()).collect(),
                });
            }
            if departure.is_final() || self.moves().is_past(step.position) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        left
    }
}
