//! Choices in a query: at least one side must hold.

use rustc_hash::FxHashMap;

use super::Query;
use super::answer::SearchedGames;
use crate::lines::{Occurrence, at};
use crate::positions::{Damaged, Selection};

/// `( QUERY | QUERY ... )`: at least one side must hold; if negated, none may.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    /// None may hold.
    pub(super) is_negated: bool,
    /// Its sides in canonical order, each with the terms that it inherits from outside the parentheses.
    pub(super) sides: Vec<Query>,
    /// The canonical text.
    pub(super) text: String,
}

impl Choice {
    /// The largest number of groups in one of its sides; 0 if no side has groups.
    pub(super) fn groups(&self) -> usize {
        let groups = self.sides.iter().map(Query::groups);
        groups.max().filter(|_| !self.is_negated).unwrap_or(0)
    }

    pub(super) fn asks_for_positions(&self) -> bool {
        self.sides.iter().any(Query::asks_for_positions)
    }

    /// Keeps the games for which it holds. If the choice gives the ply, that is the first one of the matching sides and, if
    /// it `has_ply`, of the result so far: the smallest in the main line, or else in a variation. A side without positions
    /// counts as the start of the game. Otherwise a side is tested only on games for which no earlier side holds.
    ///
    /// # Errors
    /// If the index is damaged.
    pub(super) fn retain(
        &self,
        found: &mut Vec<Occurrence>,
        gives_ply: bool,
        has_ply: bool,
        searched: &SearchedGames<'_>,
        threads: usize,
    ) -> Result<(), Damaged> {
        let mut open: Vec<u32> = found.iter().map(|found| found.game).collect();
        let mut first: FxHashMap<u32, Occurrence> = FxHashMap::default();
        for side in &self.sides {
            if open.is_empty() {
                break;
            }
            let among = Selection::of(open.clone());
            let searched = SearchedGames {
                among: Some(&among),
                ..*searched
            };
            let has_place = side.groups() > 0;
            for mut held in side.answer(&searched, threads, &|_| ())? {
                if gives_ply && !has_place {
                    held.next = at(searched.database, held.game, 0).and_then(|(_, next)| next);
                }
                let first = first.entry(held.game).or_insert(held);
                if order(&held) < order(first) {
                    *first = held;
                }
            }
            if !gives_ply {
                open.retain(|game| !first.contains_key(game));
            }
        }
        found.retain_mut(|found| {
            let held = first.get(&found.game);
            let earlier = held.filter(|held| gives_ply && (!has_ply || order(held) < order(found)));
            if let Some(earlier) = earlier {
                *found = *earlier;
            }
            held.is_some() != self.is_negated
        });
        Ok(())
    }
}

/// The order in which occurrences in one game are shown: those in the main line first.
fn order(found: &Occurrence) -> (bool, u32) {
    (found.variation > 0, found.ply)
}
