//! Terms of a query that hold at positions, and the search for games that have such positions.
//!
//! The terms of a [`PositionGroup`] must hold at one position, and each group of a [`PositionQuery`] at a later one
//! than the group before it. [`PositionQuery::find`] follows the main lines of the games and stops where a game can no
//! longer match.

mod annotation;
mod board;
mod error;
mod filter;
mod find;
mod followed;
mod group;
mod matcher;
mod move_table;
mod played;
mod reflection;
mod sacrifice;
mod state;
mod term;
mod variations;

pub use error::TermError;
pub use group::Mover;
pub use group::{PositionGroup, PositionQuery};
pub(super) use move_table::is_move_pattern;
pub use reflection::Mirror;
pub(super) use sacrifice::MOST_PLIES_OF_LESS;
pub use state::PawnKind;
pub use term::PositionTerm;
