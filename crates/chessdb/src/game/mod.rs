//! The model of a game: tags, and movetext as a flat list of tokens.

mod main_line;
mod movetext;
mod read_date;
mod tags;
mod values;

pub use main_line::MainLineMove;
pub use movetext::{Movetext, TextRange, Token, Tree};
pub use read_date::DateFlaw;
pub(crate) use tags::is_name;
pub use tags::{ROSTER, TagName, Tags};
pub use values::{Date, Eco, Outcome, RATINGS, rating};

/// One game.
#[derive(Clone, Debug, Default)]
pub struct Game {
    /// The tag pairs.
    pub tags: Tags,
    /// Moves, variations, NAGs and comments.
    pub movetext: Movetext,
}
