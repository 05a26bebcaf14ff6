//! Where the games that a query finds leave its repertoire.

use super::answer::Searched;
use super::evaluate::Evaluator;
use super::sides::{PlayerSides, Sides, side_of};
use super::value::TagSource;
use super::{Mover, Query};
use crate::parallel::chunks_of;
use crate::positions::{AnswerOptions, DatabasePart};
use crate::repertoire::LeftRepertoire;
use crate::task;
use chessdb::board::Color;

/// Number of games that a thread takes at a time.
const FEW: u32 = 64;

impl Query {
    /// For each of these games of a part that leaves the only repertoire of the query, the move with which it does; none if
    /// the query does not name one alone. Which side is the player is asked of the query, too.
    pub fn left_in(
        &self,
        part: &DatabasePart,
        games: &[u32],
        options: &AnswerOptions,
        done: &(dyn Fn(u64) + Sync),
    ) -> Vec<LeftRepertoire> {
        let Some((pattern, mover)) = self.only_repertoire() else {
            return Vec::new();
        };
        let Some(repertoire) = options.repertoires.get(pattern) else {
            return Vec::new();
        };
        let searched = Searched::of(part, options);
        let evaluator = Evaluator::new(self, &searched);
        let left = |game: u32| {
            task::check();
            let sides = if mover.is_of_player() {
                evaluator.player_sides(game, TagSource::Game)
            } else {
                PlayerSides::BOTH
            };
            let mut sides = Color::ALL
                .into_iter()
                .filter(|&side| mover.is_side(side, sides.held));
            sides.find_map(|side| repertoire.left_in(part.database(), game, side))
        };
        let parts = chunks_of(FEW, games.len() as u32, options.threads, done, |places| {
            let some = games.get(places.start as usize..places.end as usize);
            let some = some.unwrap_or_default().iter();
            some.filter_map(|&game| left(game)).collect::<Vec<_>>()
        });
        parts.concat()
    }
}

impl Mover {
    /// True if it is this side, where one of these sides is the player.
    fn is_side(self, side: Color, players: Sides) -> bool {
        match self {
            Mover::White => side.is_white(),
            Mover::Black => side.is_black(),
            Mover::Player => side_of(side) & players != 0,
            Mover::Opponent => side_of(!side) & players != 0,
        }
    }
}
