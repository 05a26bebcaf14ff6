//! One language for questions about the games of databases.

mod bounds;
mod groups;

pub use bounds::{Bounds, BoundsError};
pub use groups::{Mirror, PositionGroup, PositionQuery, PositionTerm, TermError};
