//! Results of a player by colour, opening, year and opponent.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chessdb::board::Color;
use chessdb::game::Eco;

use super::tally::PlayerTally;
use crate::openings::code_of;
use crate::positions::{DatabasePart, Facts};
use crate::query::PlayerGame;
use crate::task;

/// Width of a group of ratings.
pub const RATINGS: u16 = 100;

/// Results of a player.
///
/// ```
/// use chessdb_library::library::Library;
/// use chessdb_library::player::PlayerFigures;
/// use chessdb_library::positions::{AnswerOptions, BuildOptions, DatabasePart, Positions};
/// use chessdb_library::query::Query;
/// use std::sync::Arc;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let games = "[White \"Morphy\"]\n[Result \"1-0\"]\n\n1-0\n\n[Black \"Morphy\"]\n[Result \"1/2-1/2\"]\n\n1/2-1/2\n";
/// std::fs::write(folder.path().join("games.pgn"), games)?;
/// let library = Library::open(folder.path(), &Default::default())?;
/// let databases = library.databases().iter();
/// let parts = DatabasePart::all(databases.map(|entry| Arc::new(Positions::new(entry, BuildOptions::default()))));
/// let games = Query::parse("player:morphy")?.games_of_player(&parts, &AnswerOptions::default());
/// let figures = PlayerFigures::of(&parts, &games);
/// assert_eq!((figures.all.games(), figures.all.score()), (2, Some(75.0)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerFigures {
    /// All games.
    pub all: PlayerTally,
    /// By opening code, which is found [from the moves](code_of) where the tag is missing. Games without a code are
    /// left out.
    pub openings: BTreeMap<Eco, PlayerTally>,
    /// By year; games without one are in none.
    pub years: BTreeMap<u16, PlayerTally>,
    /// By the opponent's rating, in groups of [`RATINGS`] by their lowest rating.
    pub opponents: BTreeMap<u16, PlayerTally>,
}

impl PlayerFigures {
    /// The figures of a player's games in these parts. Reads the tags of the games.
    ///
    /// Ends when its work is [cancelled](crate::task).
    pub fn of(parts: &[DatabasePart], games: &[PlayerGame]) -> PlayerFigures {
        let mut figures = PlayerFigures::default();
        for played in games {
            task::check();
            let Some(part) = parts.get(played.part) else {
                continue;
            };
            let facts = Facts::of(part.database(), played.game);
            let add = |tally: &mut PlayerTally| tally.add(facts, played.color);
            add(&mut figures.all);
            if let Some(eco) = code_of(part.database(), played.game) {
                add(figures.openings.entry(eco).or_default());
            }
            let year = facts.date().year;
            if year != 0 {
                add(figures.years.entry(year).or_default());
            }
            let opponent = played.color.fold_wb(facts.black_elo(), facts.white_elo());
            if let Some(opponent) = opponent {
                add(figures.opponents.entry(opponent / RATINGS * RATINGS).or_default());
            }
        }
        figures
    }
}

impl PlayerFigures {
    /// The openings with one colour, the most frequent first, and equally frequent ones by code.
    pub fn openings_of(&self, color: Color) -> Vec<(Eco, PlayerTally)> {
        let all = self.openings.iter().map(|(&eco, all)| (eco, all.only(color)));
        let mut own: Vec<_> = all.filter(|(_, own)| own.games() > 0).collect();
        own.sort_by_key(|(eco, own)| (Reverse(own.games()), *eco));
        own
    }
}

/// The games of a player, the latest first and those without a year last. `games` is what
/// [`Query::games_of_player`](crate::query::Query::games_of_player) returns, in the same order.
pub fn latest_games(parts: &[DatabasePart], games: &[PlayerGame]) -> Vec<PlayerGame> {
    let year = |played: &PlayerGame| {
        let part = parts.get(played.part)?;
        Some(part.database().keys(played.game).date.year)
    };
    let dated = games.partition_point(|played| year(played).is_some_and(|year| year != 0));
    let (dated, others) = games.split_at(dated);
    dated.iter().rev().chain(others).copied().collect()
}
