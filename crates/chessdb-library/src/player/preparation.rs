//! A player's results and moves, and how they have changed lately.

use chessdb::game::{Date, Outcome};

use super::figures::{PlayerFigures, latest_games};
use super::repertoire::{RepertoireChange, changes};
use super::tally::PlayerTally;
use crate::positions::{DatabasePart, Facts};
use crate::query::{Days, PlayerGame};

/// A player's games since a day, compared with the earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Preparation {
    /// Results in all games.
    pub figures: PlayerFigures,
    /// The days of new games.
    pub since: Days,
    /// Results in new games.
    pub recent: PlayerTally,
    /// Moves that were first played in new games, in positions that had occurred before.
    pub new: Vec<RepertoireChange>,
    /// Moves that were played in at least three games before, and in none of the new games that had the position.
    pub given_up: Vec<RepertoireChange>,
    /// New games that the player lost, the latest first.
    pub lost: Vec<PlayerGame>,
    /// The latest games, the last one first.
    pub latest: Vec<PlayerGame>,
}

impl Preparation {
    /// Compares the new games of a player with all others. A game is new if it may have been played on one of the days
    /// of `since`; without `since`, if it was played in the last year with games of the player. Each list has at most
    /// `most` items. `games` is what [`Query::games_of_player`](crate::query::Query::games_of_player) returns, in the
    /// same order.
    ///
    /// Ends when its work is [cancelled](crate::task).
    pub fn of(parts: &[DatabasePart], games: &[PlayerGame], since: Option<Days>, most: usize) -> Preparation {
        let facts = |played: &PlayerGame| {
            let part = parts.get(played.part)?;
            Some(Facts::of(part.database(), played.game))
        };
        let date = |played: &PlayerGame| facts(played).map(Facts::date).unwrap_or_default();
        let latest = latest_games(parts, games);
        let last = latest.first().map(date).unwrap_or_default();
        let since = since.unwrap_or(Days::since(Date::new(last.year, 0, 0)));
        let (new, old): (Vec<_>, Vec<_>) = games
            .iter()
            .copied()
            .partition(|played| since.may_have(date(played)));
        let (taken_up, given_up) = changes(parts, &old, &new, most);
        let mut recent = PlayerTally::default();
        for (facts, played) in new.iter().filter_map(|played| Some((facts(played)?, played))) {
            recent.add(facts, played.color);
        }
        let is_lost = |played: &&PlayerGame| {
            let outcome = facts(played).map(Facts::outcome);
            outcome == Some(played.color.fold_wb(Outcome::BlackWins, Outcome::WhiteWins))
        };
        Preparation {
            figures: PlayerFigures::of(parts, games),
            since,
            recent,
            new: taken_up,
            given_up,
            lost: new.iter().rev().filter(is_lost).take(most).copied().collect(),
            latest: latest.into_iter().take(most).collect(),
        }
    }
}
