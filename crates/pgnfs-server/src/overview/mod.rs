//! `overview.html`: one page with charts of the games of a database.

mod chart;
mod figures;
mod page;
mod player;

pub use figures::{Counts, Figures};
pub use page::{Subject, page};
pub use player::{LatestGame, PlayerSubject};
