//! Choices in a query: at least one side must hold.

use rustc_hash::FxHashMap;

use super::Query;
use super::answer::{FEW, SearchedGames};
use crate::lines::{Occurrence, at};
use crate::parallel::chunks_of;
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

    /// Keeps the games for which it holds. If the choice gives the ply, this is the first ply of the matching sides
    /// and, if it `has_ply`, of the result so far: the smallest in the main line, otherwise in a variation. A side
    /// without positions counts as the start of the game. Otherwise a side is tested only on games for which no
    /// earlier side holds.
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
            for held in side.answer(&searched, threads, &|_| ())? {
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
        if gives_ply {
            add_first_moves(found, searched, threads);
        }
        Ok(())
    }
}

/// Adds the moves of occurrences at the start of games: a side without positions has not read any.
fn add_first_moves(found: &mut [Occurrence], searched: &SearchedGames<'_>, threads: usize) {
    let first_move = |game| at(searched.database, game, 0)?.1;
    let moves = chunks_of(FEW, found.len() as u32, threads, &|_| (), |places| {
        let some = found.get(places.start as usize..places.end as usize);
        let some = some.unwrap_or_default().iter();
        let moves = some.map(|found| match (found.ply, found.next) {
            (0, None) => first_move(found.game),
            (_, next) => next,
        });
        moves.collect::<Vec<_>>()
    });
    for (found, next) in found.iter_mut().zip(moves.concat()) {
        found.next = next;
    }
}

/// The order in which occurrences in one game are shown: occurrences in the main line come first.
fn order(found: &Occurrence) -> (bool, u32) {
    (found.variation > 0, found.ply)
}
