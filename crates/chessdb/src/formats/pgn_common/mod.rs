//! A game as PGN, read from its bytes: what PGN files and tables with movetext have in common.
//!
//! | part of a game | read by |
//! |---|---|
//! | tags | [`near`], [`tag`], [`section`], [`between`], [`usual_names`], [`values`], [`characters`] |
//! | movetext | [`items`], [`words`], [`form`], [`promotion`], [`numbers`], [`symbols`], [`languages`], [`decode`], [`results`], [`plain`] |
//!
//! Section numbers in this module refer to `docs/formats/pgn.md`.

pub(super) mod between;
pub(super) mod characters;
mod decode;
mod form;
mod game;
pub(super) mod items;
mod languages;
pub(super) mod near;
mod numbers;
mod plain;
mod promotion;
pub(super) mod results;
pub(super) mod section;
mod set_up;
mod symbols;
pub(super) mod tag;
pub(super) mod usual_names;
pub(super) mod values;
pub(super) mod words;

pub(super) use game::{MOST_TAGS, Stored};
pub use symbols::nag_of_sign;
