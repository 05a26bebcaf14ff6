//! Where the games that a query finds leave its repertoire.

use super::answer::SearchedGames;
use super::evaluate::Evaluator;
use super::sides::{Sides, side_of};
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
    /// For each of these games of a part that leaves the query's repertoire, the move that leaves it. Empty if the
    /// query does not name exactly one repertoire. The query also decides which side is the player, and with `left:`
    /// the side that leaves must be the side of `by:`.
    pub fn left_in(
        &self,
        part: &DatabasePart,
        games: &[u32],
        options: &AnswerOptions,
        done: &(dyn Fn(u64) + Sync),
    ) -> Vec<LeftRepertoire> {
        let Some((named, mover)) = self.only_repertoire() else {
            return Vec::new();
        };
        let Some(repertoire) = options.repertoires.get(named.pattern) else {
            return Vec::new();
        };
        let searched = SearchedGames::of(part, options);
        let evaluator = Evaluator::new(self, &searched);
        let players = |game: u32| evaluator.player_sides(game, TagSource::Game).held;
        // The sides that may own the repertoire; `None` if no player does.
        let owners = |game: u32| -> Vec<Option<Color>> {
            let owns = |side: Color| match mover {
                _ if named.is_left => side_of(side) & players(game) != 0,
                // Finding the player takes time, so it is done only where it matters.
                Some(mover) if mover.is_of_player() => mover.is_side(side, players(game)),
                Some(mover) => mover.is_side(side, 0),
                None => false,
            };
            if named.is_left && !self.has_one_player() {
                return vec![None];
            }
            Color::ALL
                .into_iter()
                .filter(|&side| owns(side))
                .map(Some)
                .collect()
        };
        let is_asked = |left: &LeftRepertoire, owner: Option<Color>| {
            let is_mover = |mover: Mover| mover.is_side(left.position.turn(), owner.map_or(0, side_of));
            !named.is_left || mover.is_none_or(is_mover)
        };
        let left = |game: u32| {
            task::check();
            let mut lefts = owners(game).into_iter().filter_map(|owner| {
                let left = repertoire.left_in(part.database(), game, owner);
                left.filter(|left| is_asked(left, owner))
            });
            if named.is_left {
                // The query finds the first of both moves, where both sides have the player's name.
                lefts.min_by_key(|left| left.ply)
            } else {
                lefts.next()
            }
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
    /// True for this side, in a game where one of these sides is the player.
    fn is_side(self, side: Color, players: Sides) -> bool {
        match self {
            Mover::White => side.is_white(),
            Mover::Black => side.is_black(),
            Mover::Player => side_of(side) & players != 0,
            Mover::Opponent => side_of(!side) & players != 0,
        }
    }
}
