//! The games of a player: results by colour, opening, year and opponent, and recent changes.
//!
//! [`PlayerFigures`] counts the games of a search with one `player:`. [`Preparation`] compares the player's latest
//! games with earlier ones, as preparation for a game against this player.

mod figures;
mod preparation;
mod repertoire;
mod tally;

pub use figures::{PlayerFigures, RATINGS, latest_games};
pub use preparation::Preparation;
pub use repertoire::RepertoireChange;
pub use tally::PlayerTally;
