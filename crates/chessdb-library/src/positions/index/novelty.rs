//! Novelties: the first move of a game that leads to a position that no earlier game has.
//!
//! A game is earlier only if its date certainly is: a game of 1985 is not earlier than one of 1985.11.09.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::super::table::san_of;
use super::super::tally::Facts;
use super::Index;
use super::keys::key_with;
use super::shared::IndexNode;
use super::shared::IndexSection;
use crate::csv::append_record;
use crate::kept::Damaged;
use crate::lines::{LineStep, Occurrence, follow};
use crate::task;
use chessdb::Database;
use chessdb::board::RunningKey;
use chessdb::bytes::le_u64;

/// The columns of `novelties.csv`.
const COLUMNS: [&str; 5] = ["game", "ply", "move", "before", "path"];

/// During a search for novelties, the dates of positions that at least this many games have are kept.
const KEPT: u32 = 256;

/// No date: later than all others.
const NEVER: u32 = u32::MAX;

/// The novelty of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Novelty {
    /// The game, the number of moves before the novelty, and its move.
    pub found: Occurrence,
    /// Number of earlier games that have the position where the novelty was played.
    pub before: u32,
}

impl Index {
    /// The novelties of all games, in database order. A game has no novelty if its year is unknown, or if
    /// earlier games have all of its positions. `done` is called with numbers of games searched.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn novelties(&self, done: &dyn Fn(u64)) -> Result<Vec<Novelty>, Damaged> {
        let mut search = NoveltySearch {
            index: self,
            first_dates: Vec::new(),
            kept: HashMap::new(),
        };
        let mut novelties = Vec::new();
        for place in 0..self.sections.games() {
            task::check();
            novelties.extend(search.game(place)?);
            done(1);
        }
        novelties.sort_unstable_by_key(|novelty| novelty.found.game);
        Ok(novelties)
    }
}

/// `novelties.csv`: a line for each novelty, with the number of the game, from 1, and its path, which `path` returns.
pub fn novelties_csv(database: &dyn Database, novelties: &[Novelty], path: impl Fn(u32) -> String) -> String {
    let mut out = Vec::new();
    append_record(&mut out, COLUMNS);
    for Novelty { found, before } in novelties {
        task::check();
        let (number, san) = (u64::from(found.game) + 1, san_of(database, found));
        let [number, ply, before] = [number, found.ply.into(), (*before).into()].map(|n: u64| n.to_string());
        append_record(&mut out, [number, ply, san, before, path(found.game)]);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A search of the games in the order of the index.
struct NoveltySearch<'a> {
    index: &'a Index,
    /// For each position of the last game up to its novelty, the date of the first game that had it.
    first_dates: Vec<u32>,
    /// Like `first_dates`, for positions that many games have, by key.
    kept: HashMap<u64, u32>,
}

impl NoveltySearch<'_> {
    fn game(&mut self, place: u32) -> Result<Option<Novelty>, Damaged> {
        let common = self
            .index
            .sections
            .get(IndexSection::Common, place as usize * 2, 2)?;
        self.first_dates
            .truncate(u16::from_le_bytes([common[0], common[1]]).into());
        let own = self.index.facts_at(place)?;
        let Some(date) = earliest(own) else {
            return Ok(None);
        };
        let game = self.index.game_at(place)?;
        if !self.index.selects(game) {
            return Ok(None);
        }
        let mut running: Option<RunningKey> = None;
        let (mut found, mut damaged, mut keys) = (None, None, Vec::new());
        follow(&*self.index.database, game, |step| {
            let (running, position) = match (step, &mut running) {
                (LineStep::Ply(ply), Some(running)) => {
                    running.follow(ply.undo, ply.position);
                    (*running, ply.position)
                }
                (LineStep::Ply(_), None) => return ControlFlow::Break(()),
                (LineStep::Start(position), running) => {
                    (*running.insert(RunningKey::new(position)), position)
                }
            };
            let key = key_with(running, position);
            let depth = keys.len();
            keys.push(key);
            let first = match self.first_dates.get(depth) {
                Some(&first) => Ok(first),
                None => self.first_date(key, place),
            };
            match first {
                Ok(first) => {
                    if depth == self.first_dates.len() {
                        self.first_dates.push(first);
                    }
                    if let (LineStep::Ply(ply), true) = (step, first >= date) {
                        found = Some(Occurrence {
                            game,
                            ply: ply.number,
                            next: Some(ply.mv),
                            variation: 0,
                        });
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    damaged = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(damaged) = damaged {
            return Err(damaged);
        }
        let Some(found) = found else { return Ok(None) };
        let key = keys.get(found.ply as usize).copied().ok_or(Damaged)?;
        let mut before = 0;
        for node in self.nodes_with(key, place)? {
            let facts = self.index.facts_in(&(node.lo..node.hi))?;
            before += facts.filter(|&facts| latest(facts) < date).count() as u32;
        }
        Ok(Some(Novelty { found, before }))
    }

    /// The date of the first game with the position that has this key. The game at `place` has it.
    fn first_date(&mut self, key: u64, place: u32) -> Result<u32, Damaged> {
        if let Some(&first) = self.kept.get(&key) {
            return Ok(first);
        }
        let nodes = self.nodes_with(key, place)?;
        let mut first = NEVER;
        let mut games = 0;
        for node in &nodes {
            games += node.hi - node.lo;
            let facts = self.index.facts_in(&(node.lo..node.hi))?;
            first = first.min(facts.map(latest).min().unwrap_or(NEVER));
        }
        if games >= KEPT {
            self.kept.insert(key, first);
        }
        Ok(first)
    }

    /// The nodes of a position that the game at a place has. Empty if no other game has it.
    fn nodes_with(&self, key: u64, place: u32) -> Result<Vec<IndexNode>, Damaged> {
        let groups = self.index.nodes_by_key(key)?;
        let has_game = |nodes: &Vec<IndexNode>| nodes.iter().any(|node| (node.lo..node.hi).contains(&place));
        Ok(groups.into_iter().find(has_game).unwrap_or_default())
    }
}

impl Index {
    fn facts_at(&self, place: u32) -> Result<Facts, Damaged> {
        let bytes = self.sections.get(IndexSection::Facts, place as usize * 8, 8)?;
        Ok(Facts(le_u64(bytes, 0).ok_or(Damaged)?))
    }
}

/// The first day on which a game may have been played; `None` if the year is unknown.
fn earliest(facts: Facts) -> Option<u32> {
    let date = facts.date();
    let day = u32::from(date.month) * 100 + if date.month == 0 { 0 } else { u32::from(date.day) };
    (date.year != 0).then(|| u32::from(date.year) * 10_000 + day)
}

/// The last day on which a game may have been played; [`NEVER`] if the year is unknown.
fn latest(facts: Facts) -> u32 {
    let date = facts.date();
    let day = match (date.month, date.day) {
        (0, _) => 9999,
        (month, 0) => u32::from(month) * 100 + 99,
        (month, day) => u32::from(month) * 100 + u32::from(day),
    };
    match date.year {
        0 => NEVER,
        year => u32::from(year) * 10_000 + day,
    }
}
