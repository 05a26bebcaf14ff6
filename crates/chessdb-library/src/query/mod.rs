//! Queries: tags and positions in one question, and the games that answer it.
//!
//! [`Query::parse`] reads a query, [`Query::parse_name`] a query from the name of a directory, and [`SYNTAX`] describes
//! the language. [`Query::answer`] finds the games of a database. Tags are tested first, by the integers that games are
//! sorted by, so that each name is compared only once, and positions are searched for only in the games that are left.

mod answer;
mod answers;
mod asked_game;
mod bounds;
mod canonical;
mod choice;
mod compare;
mod databases;
mod days;
mod error;
mod evaluate;
mod field;
mod group_order;
mod groups;
mod hints;
mod left;
mod names;
mod order;
mod parse;
mod player;
mod question;
mod quotes;
mod repertoires;
mod sides;
mod tag_term;
mod terms;
mod value;
mod verdicts;
mod words;
mod written_positions;
mod written_query;

pub use answer::SearchedGames;
pub use bounds::{Bounds, BoundsError};
pub use days::Days;
pub use error::QueryError;
pub use field::fields;
pub use groups::{Mirror, Mover, PawnKind, PositionGroup, PositionQuery, PositionTerm, TermError};
pub use hints::{QueryHint, hints};
pub use names::{GameNames, NameList};
pub use order::{ListOrder, SortKey};
pub use player::PlayerGame;

use crate::positions::Pattern;
use choice::Choice;
use group_order::GroupOrder;
use tag_term::TagTerm;

/// The language, for people.
pub const SYNTAX: &str = include_str!("syntax.txt");

/// A question about games.
///
/// ```
/// use chessdb_library::query::Query;
///
/// let query = Query::parse("year:2013.. player:Carlsen played:e4").unwrap();
/// assert_eq!(query.canonical(), "player:carlsen year:2013.. played:e4");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// In their canonical order.
    tags: Vec<TagTerm>,
    /// In their canonical order.
    choices: Vec<Choice>,
    positions: PositionQuery,
    /// The canonical texts of the terms of each group, after the word that begins it.
    group_texts: Vec<(GroupOrder, Vec<String>)>,
    /// A term is a field with a value.
    has_fields: bool,
}

impl Query {
    /// True if a term is a field with a value.
    pub fn has_fields(&self) -> bool {
        self.has_fields
    }

    /// Number of groups of terms. The last group gives the ply of a game; with 0 groups, plies have no meaning.
    pub fn groups(&self) -> usize {
        match self.positions.groups.len() {
            0 => self
                .choices
                .iter()
                .map(Choice::groups)
                .find(|&groups| groups > 0)
                .unwrap_or(0),
            groups => groups,
        }
    }

    /// True if the query has terms about positions.
    pub fn asks_for_positions(&self) -> bool {
        !self.positions.groups.is_empty() || self.choices.iter().any(Choice::asks_for_positions)
    }

    /// True if all games answer it that are not deleted.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.choices.is_empty() && self.positions.is_empty()
    }

    /// The position, if the query has nothing else about positions, and leaves out deleted games.
    pub fn only_position(&self) -> Option<&Pattern> {
        let has_deleted = self.tags.iter().any(|term| term.field.is("deleted"));
        self.positions.only_position().filter(|_| !has_deleted)
    }
}

#[cfg(test)]
mod tests;
