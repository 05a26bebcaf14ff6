//! Results of a player.

use chessdb::board::{ByColor, Color};

use crate::positions::{Facts, Tally};

/// Results of a player, with either colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerTally {
    /// The games by the colour of the player's pieces.
    pub by_color: ByColor<Tally>,
}

impl PlayerTally {
    /// Adds a game where the player had this colour.
    pub fn add(&mut self, facts: Facts, color: Color) {
        self.by_color.get_mut(color).add(facts, color);
    }

    /// The games with one colour.
    pub fn only(&self, color: Color) -> PlayerTally {
        let mut only = PlayerTally::default();
        *only.by_color.get_mut(color) = self.by_color.get(color).clone();
        only
    }

    /// Number of games.
    pub fn games(&self) -> u32 {
        self.by_color.white.games + self.by_color.black.games
    }

    /// Number of games that the player won.
    pub fn wins(&self) -> u32 {
        self.by_color.white.white + self.by_color.black.black
    }

    /// Number of draws.
    pub fn draws(&self) -> u32 {
        self.by_color.white.draws + self.by_color.black.draws
    }

    /// Number of games that the player lost.
    pub fn losses(&self) -> u32 {
        self.by_color.white.black + self.by_color.black.white
    }

    /// The player's points in percent of the games with a result.
    pub fn score(&self) -> Option<f64> {
        let games = self.wins() + self.draws() + self.losses();
        let points = f64::from(self.wins()) + f64::from(self.draws()) / 2.0;
        (games != 0).then(|| 100.0 * points / f64::from(games))
    }

    /// The rating that corresponds to the results against opponents of known rating; see [`Tally::performance`].
    pub fn performance(&self) -> Option<i32> {
        self.sum().performance()
    }

    /// Mean rating of the opponents in games with a result.
    pub fn opponents(&self) -> Option<u32> {
        self.sum().opponents()
    }

    /// Both colours together. Only the counts for the player are meaningful, not those for White and Black.
    fn sum(&self) -> Tally {
        let mut sum = self.by_color.white.clone();
        sum.merge(&self.by_color.black);
        sum
    }
}
