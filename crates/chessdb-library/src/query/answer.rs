//! The games that answer a query.

use std::ops::Range;

use super::evaluate::Evaluator;
use super::groups::SearchedGames;
use super::value::TagSource;
use super::{PositionQuery, Query};
use crate::lines::{KeptLines, Occurrence};
use crate::parallel::{chunks, chunks_of};
use crate::positions::{Damaged, Index, Selection};
use crate::spelling::Names;
use chessdb::Database;

/// Number of games that a thread takes at a time if all of them are decoded.
const FEW: u32 = 64;

/// A database that is searched.
#[derive(Clone, Copy)]
pub struct Searched<'a> {
    /// The path of its directory, with which `db:` is compared.
    pub path: &'a str,
    /// The database.
    pub database: &'a dyn Database,
    /// Its index of positions, of all games, if it has one.
    pub index: Option<&'a Index>,
    /// Its kept lines, if it can have some.
    pub lines: Option<&'a KeptLines>,
    /// The names under which players are shown, if spellings are joined.
    pub names: Option<&'a Names>,
    /// The games that are searched; `None` for all.
    pub among: Option<&'a Selection>,
}

impl Query {
    /// The games of a database that answer the query, in ascending order, each with the ply of its answer. The query's
    /// own groups give the ply; without any, it is the earliest ply of the sides that hold of choices with groups; 0 if
    /// no position is asked for. `done` is called with numbers of games searched, which add up to all games of the
    /// database.
    ///
    /// Ends when its work is [cancelled](crate::task).
    ///
    /// # Errors
    /// If the index is damaged. Without it the answer is the same.
    pub fn answer(
        &self,
        searched: &Searched<'_>,
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
        searched: &Searched<'_>,
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
        // What takes longer than looking for positions is asked of the games that have them.
        let is_indexed = searched.index.is_some() && self.positions.uses_index();
        // The side that positions are about is known when all terms were asked that are about a side.
        let most = if is_indexed && !self.positions.has_player() {
            TagSource::Keys
        } else {
            TagSource::Tags
        };
        let among = evaluator.is_choosy(most).then(|| {
            let held = held(searched, threads, &|_| (), |game| evaluator.holds(game, most));
            held.iter().map(|found| found.game).collect::<Vec<u32>>()
        });
        if let Some(among) = &among {
            done(u64::from(database.len()) - among.len() as u64);
        }
        let positions = &self.positions;
        let players = |game| evaluator.player_sides(game, most);
        let games = SearchedGames {
            database,
            among: among.as_deref(),
            index: searched.index,
            lines: searched.lines,
        };
        let found = positions.find_for(&players, games, threads, done)?;
        let is_checked = among.is_some() && !evaluator.reads_more_than(most);
        Ok(if is_checked {
            found
        } else {
            evaluator.retained(found, threads)
        })
    }

    /// The same query without the positions that it asks for; those that it leaves out still are.
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
    searched: &Searched<'_>,
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
