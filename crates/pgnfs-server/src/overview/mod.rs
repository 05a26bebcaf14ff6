//! `overview.html`: what the games of a database are, as one page with charts.

mod chart;
mod figures;
mod page;
mod player;

pub use figures::{Counts, Figures};
pub use page::{Subject, page};
pub use player::{LatestGame, PlayerSubject};
