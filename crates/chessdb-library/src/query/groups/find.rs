//! Finding the games of a database.

use super::group::{PositionQuery, QueryImages};
use super::matcher::Matcher;
use super::term::Condition;
use crate::library::GuardedDatabase;
use crate::lines::{LineSource, LineWriter, Occurrence, PackedGames, PackedLine};
use crate::parallel::{chunks, chunks_of};
use crate::positions::{Damaged, Index, Pattern, Wanted, kept_occurrence};
use crate::query::SearchedGames;
use crate::query::sides::PlayerSides;
use crate::task;
use chessdb::Database;

/// Number of games that a thread takes at a time if they are far apart.
const FEW: u32 = 64;

impl PositionQuery {
    /// The games that match, in ascending order, each with the first position of the last group that completes the
    /// match earliest; ply 0 if the query has no position. Deleted games are found, too.
    ///
    /// `done` is called with numbers of games searched. Either side may be the player.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn find(
        &self,
        searched: &SearchedGames<'_>,
        threads: usize,
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<Vec<Occurrence>, Damaged> {
        self.find_for(&|_| PlayerSides::BOTH, searched, threads, done)
    }

    /// The same, where `players` gives the sides of a game that may be the player.
    pub(in crate::query) fn find_for(
        &self,
        players: &(dyn Fn(u32) -> PlayerSides + Sync),
        searched: &SearchedGames<'_>,
        threads: usize,
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<Vec<Occurrence>, Damaged> {
        let &SearchedGames {
            database,
            among,
            index,
            lines,
            ..
        } = searched;
        let images = QueryImages::new(self);
        let all = among.map_or(u64::from(database.len()), |games| games.len() as u64);
        let one = images.one_position();
        let narrowed = match index {
            Some(index) => {
                if let Some(one) = one.filter(|one| one.is_exact() && index.has_all_games()) {
                    let mut found = index.find(one)?;
                    found.retain(|found| among.is_none_or(|games| games.has(found.game)));
                    done(all);
                    return Ok(found);
                }
                images.narrowed(index)?
            }
            None => None,
        };
        let games = match (narrowed, among) {
            (Some(mut narrowed), Some(among)) => {
                narrowed.retain(|&game| among.has(game));
                Some(narrowed)
            }
            (narrowed, among) => narrowed.or_else(|| among.map(|among| among.games().to_vec())),
        };
        let search = |database: &dyn Database,
                      lines: Option<&dyn LineSource>,
                      games: &mut dyn Iterator<Item = u32>| {
            if let Some(one) = one {
                let mut packed = PackedLine::default();
                let found = games.filter_map(|game| {
                    task::check();
                    kept_occurrence(database, lines, &mut packed, game, one)
                });
                return found.collect::<Vec<_>>();
            }
            let mut matcher = Matcher::new(&images, lines);
            let found = games.filter_map(|game| {
                task::check();
                let sides = if images.has_player {
                    players(game)
                } else {
                    PlayerSides::BOTH
                };
                matcher.first_in(database, game, sides)
            });
            found.collect::<Vec<_>>()
        };
        let kept = lines.filter(|lines| lines.are_kept());
        let source = kept.map(|kept| kept as &dyn LineSource);
        let parts = match games {
            None if kept.is_none() && one.is_none() && images.reads_whole_lines() => {
                let all = |new: Option<&LineWriter>| {
                    chunks(database.len(), threads, done, |mut games| match new {
                        None => search(database, None, &mut games),
                        Some(new) => {
                            let packed = PackedGames::of(database, games.clone());
                            let lines = GuardedDatabase::with(database, &packed);
                            let found = search(&lines, Some(&packed), &mut games);
                            new.add(&packed);
                            found
                        }
                    })
                };
                match lines {
                    Some(lines) => lines.write_while(all),
                    None => all(None),
                }
            }
            None => chunks(database.len(), threads, done, |mut games| {
                search(database, source, &mut games)
            }),
            Some(games) => {
                done(all - games.len() as u64);
                chunks_of(FEW, games.len() as u32, threads, done, |places| {
                    let places = places.start as usize..places.end as usize;
                    search(database, source, &mut games[places].iter().copied())
                })
            }
        };
        Ok(parts.concat())
    }
}

impl QueryImages {
    /// The position, if the query asks for nothing else and only main lines count.
    fn one_position(&self) -> Option<&Pattern> {
        if self.in_variations {
            return None;
        }
        match (self.images.as_slice(), self.excluded.as_slice()) {
            ([image], []) => match image.groups.as_slice() {
                [group] => group.one_position(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The games that may have the positions of some group, by an index. `None` if it cannot exclude any.
    fn narrowed(&self, index: &Index) -> Result<Option<Vec<u32>>, Damaged> {
        if !self.asks || self.in_variations {
            return Ok(None);
        }
        let mut wanted = Vec::new();
        for image in &self.images {
            let terms = image.groups.iter().flat_map(|group| &group.terms);
            let mut known = terms.filter_map(|alternatives| {
                let wanted = alternatives.iter().map(Condition::wanted);
                wanted.collect::<Option<Vec<_>>>()
            });
            match known.next() {
                Some(known) => wanted.extend(known),
                None => return Ok(None),
            }
        }
        index.may_have(&wanted).map(Some)
    }
}

impl Condition {
    /// The condition in a form that an index can answer. It may be weaker, but it holds wherever this condition does.
    fn wanted(&self) -> Option<Wanted> {
        match self {
            Condition::Exact(exact) => Some(Wanted::Position(exact.pattern)),
            Condition::Pawns(pawns) => Some(Wanted::Pawns(pawns.pawns)),
            _ => None,
        }
    }
}
