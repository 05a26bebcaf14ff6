//! The side that the player of a query had in a game.

use std::collections::{BTreeMap, HashMap, HashSet};

use chessdb::board::Color;

use super::answer::SearchedGames;
use super::evaluate::Evaluator;
use super::sides::{BLACK, BOTH, PlayerSides, WHITE, side_of};
use super::value::TagSource;
use super::{ListOrder, Query, SortKey};
use crate::positions::{AnswerOptions, DatabasePart, Selection};

/// A game of the player of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerGame {
    /// The place of its part among the searched parts.
    pub part: usize,
    /// Its number in the database, from 0.
    pub game: u32,
    /// The side that the player had.
    pub color: Color,
    /// True if the name fits both players.
    pub fits_both: bool,
}

impl Query {
    /// True if one term outside of choices is `player:`, which is not negated.
    pub fn has_one_player(&self) -> bool {
        self.tags.iter().filter(|term| term.is_player()).count() == 1
    }

    /// The side that the [one player](Query::has_one_player) had in each game of some parts, by the number of the game
    /// through all parts. The games answer the query.
    pub fn colors_of_player(&self, parts: &[DatabasePart], options: &AnswerOptions) -> HashMap<u32, Color> {
        let games = self.games_of_player(parts, options).into_iter();
        let color = |played: PlayerGame| {
            let part = parts.get(played.part)?;
            Some((part.first.saturating_add(played.game), played.color))
        };
        games.filter_map(color).collect()
    }

    /// The games of some parts that match the tags of a query with [one player](Query::has_one_player), the earliest
    /// first and those without a year last. If both players of a game match, the side with the query's positions
    /// counts. If both sides have them, it is White, or Black if the query has `black:`.
    pub fn games_of_player(&self, parts: &[DatabasePart], options: &AnswerOptions) -> Vec<PlayerGame> {
        if !self.has_one_player() {
            return Vec::new();
        }
        let has_black = self
            .tags
            .iter()
            .any(|term| term.field.is("black") && !term.is_negated);
        let preferred = if has_black { Color::Black } else { Color::White };
        let mut games = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            let searched = SearchedGames::of(part, options);
            let evaluator = Evaluator::new(self, &searched);
            if !evaluator.has_database {
                continue;
            }
            let from = games.len();
            games.extend(part.games_at(0..part.len()).filter_map(|game| {
                let held = evaluator.player_sides(game, TagSource::Game).held;
                let [is_white, is_black] = [WHITE, BLACK].map(|side| held & side != 0);
                let color = match (is_white, is_black) {
                    (false, false) => return None,
                    (true, true) => preferred,
                    (true, false) => Color::White,
                    (false, true) => Color::Black,
                };
                Some(PlayerGame {
                    part: place,
                    game,
                    color,
                    fits_both: is_white && is_black,
                })
            }));
            let found = games.get_mut(from..).unwrap_or_default();
            self.correct_colors(found, &searched, options.threads);
        }
        let place = |found: &PlayerGame| (parts[found.part].database(), found.game);
        ListOrder::from(SortKey::Date).arrange(&mut games, place, options.threads);
        games
    }

    /// In games of a database that fit both players, turns the colour if positions about the player are not found for it.
    fn correct_colors(&self, games: &mut [PlayerGame], searched: &SearchedGames<'_>, threads: usize) {
        let of_both = games.iter().filter(|found| found.fits_both);
        let colors: BTreeMap<u32, Color> = of_both.map(|found| (found.game, found.color)).collect();
        if colors.is_empty() || !self.positions.has_player() {
            return;
        }
        let among = Selection::of(colors.keys().copied().collect::<Vec<u32>>());
        let players = |game| PlayerSides {
            named: BOTH,
            held: colors.get(&game).map_or(0, |&color| side_of(color)),
        };
        let searched = SearchedGames {
            among: Some(&among),
            index: None,
            lines: None,
            ..*searched
        };
        // Without an index there is no damage.
        let found = self.positions.find_for(&players, &searched, threads, &|_| ());
        let found: HashSet<u32> = found.into_iter().flatten().map(|found| found.game).collect();
        let others = games
            .iter_mut()
            .filter(|played| played.fits_both && !found.contains(&played.game));
        others.for_each(|played| played.color = !played.color);
    }
}
