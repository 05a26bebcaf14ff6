//! The games that answer a query.

use std::ops::Range;

use super::evaluate::Evaluator;
use super::value::TagSource;
use super::{PositionQuery, Query};
use crate::lines::{KeptLines, Occurrence};
use crate::parallel::{chunks, chunks_of};
use crate::positions::{Damaged, Index, Selection};
use crate::spelling::Names;
use chessdb::Database;

/// Number of games that a thread takes at a time if all of them are decoded.
pub(super) const FEW: u32 = 64;

/// The games of a database that are searched, and what makes that faster.
#[derive(Clone, Copy)]
pub struct SearchedGames<'a> {
    /// The path of the database's directory, for `db:`.
    pub path: &'a str,
    /// The database.
    pub database: &'a dyn Database,
    /// Its index of positions, of all games, if it has one.
    pub index: Option<&'a Index>,
    /// Its kept lines, if it can have some. A search of all games writes them if they do not exist.
    pub lines: Option<&'a KeptLines>,
    /// The names that are shown for players, if spellings are joined.
    pub names: Option<&'a Names>,
    /// Only these games; `None` for all.
    pub among: Option<&'a Selection>,
}

impl<'a> SearchedGames<'a> {
    /// All games of a database without a path, and without anything that makes the search faster.
    pub fn all(database: &'a dyn Database) -> SearchedGames<'a> {
        SearchedGames {
            path: "",
            database,
            index: None,
            lines: None,
            names: None,
            among: None,
        }
    }
}

impl Query {
    /// The games of a database that match the query, in ascending order, each with the ply of its match. The ply comes
    /// from the query's own groups; without any, it is the earliest ply from the matching sides of its choices; 0 if
    /// the query has no position. `done` is called with numbers of games searched, which add up to all games of the
    /// database.
    ///
    /// Ends when its work is [cancelled](crate::task).
    ///
    /// # Errors
    /// If the index is damaged. Without it the answer is the same.
    pub fn answer(
        &self,
        searched: &SearchedGames<'_>,
        threads: usize,
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<Vec<Occurrence>, Damaged> {
        let mut found = self.answer_without_choices(searched, threads, done)?;
        let mut has_ply = false;
        for choice in &self.choices {
            let gives_ply = self.positions.groups.is_empty() && choice.groups() > 0;
            choice.retain(&mut found, gives_ply, has_ply, searched, threads)?;
            has_ply |= gives_ply;
        }
        Ok(found)
    }

    fn answer_without_choices(
        &self,
        searched: &SearchedGames<'_>,
        threads: usize,
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<Vec<Occurrence>, Damaged> {
        let database = searched.database;
        let evaluator = Evaluator::new(self, searched);
        if !evaluator.has_database {
            done(database.len().into());
            return Ok(Vec::new());
        }
        if self.positions.is_empty() {
            return Ok(held(searched, threads, done, |game| {
                evaluator.holds(game, TagSource::Game)
            }));
        }
        // With an index, finding positions is quick, so terms that take longer are tested only on games with the
        // positions.
        let is_indexed = searched.index.is_some() && self.positions.uses_index();
        // If positions are about a player, the side of the player must be known first: then all terms about a side come
        // before the positions.
        let most = if is_indexed && !self.positions.has_player() {
            TagSource::Keys
        } else {
            TagSource::Tags
        };
        let among = evaluator.is_choosy(most).then(|| {
            let held = held(searched, threads, &|_| (), |game| evaluator.holds(game, most));
            Selection::of(held.iter().map(|found| found.game).collect::<Vec<u32>>())
        });
        if let Some(among) = &among {
            done(u64::from(database.len()) - among.len() as u64);
        }
        let positions = &self.positions;
        let players = |game| evaluator.player_sides(game, most);
        let games = SearchedGames {
            among: among.as_ref(),
            ..*searched
        };
        let found = positions.find_for(&players, &games, threads, done)?;
        let is_checked = among.is_some() && !evaluator.reads_more_than(most);
        Ok(if is_checked {
            found
        } else {
            evaluator.retained(found, threads)
        })
    }

    /// The same query without its positions. Positions that it excludes stay excluded.
    pub fn without_positions(&self) -> Query {
        let positions = PositionQuery {
            groups: Vec::new(),
            ..self.positions.clone()
        };
        Query {
            positions,
            ..self.clone()
        }
    }
}

/// The searched games for which `holds` is true.
fn held(
    searched: &SearchedGames<'_>,
    threads: usize,
    done: &(dyn Fn(u64) + Sync),
    holds: impl Fn(u32) -> bool + Sync,
) -> Vec<Occurrence> {
    let found = |game| Occurrence {
        game,
        ply: 0,
        next: None,
        variation: 0,
    };
    let all = searched.database.len();
    let Some(among) = searched.among else {
        let found = |games: Range<u32>| games.filter(|&game| holds(game)).map(found).collect::<Vec<_>>();
        return chunks(all, threads, done, found).concat();
    };
    done(u64::from(all) - among.len() as u64);
    let found = |places: Range<u32>| {
        let some = among.games().get(places.start as usize..places.end as usize);
        let held = some.unwrap_or_default().iter().filter(|&&game| holds(game));
        held.copied().map(found).collect::<Vec<_>>()
    };
    chunks(among.len() as u32, threads, done, found).concat()
}

impl Evaluator<'_> {
    /// The games for which all terms hold.
    fn retained(&self, found: Vec<Occurrence>, threads: usize) -> Vec<Occurrence> {
        let parts = chunks_of(FEW, found.len() as u32, threads, &|_| (), |places| {
            let some = found.get(places.start as usize..places.end as usize);
            let some = some.unwrap_or_default().iter();
            let held = some.filter(|found| self.holds(found.game, TagSource::Game));
            held.copied().collect::<Vec<_>>()
        });
        parts.concat()
    }
}
