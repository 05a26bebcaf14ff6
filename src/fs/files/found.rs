//! Games that a search has found: by their databases, and as `games.csv` of a position.

use std::sync::Arc;

use super::{File, Wait};
use crate::fs::branch::Part;
use crate::fs::object::At;
use crate::fs::sizes::Games;
use crate::fs::table::{CombinedTables, Tables};
use crate::fs::types::{Chunk, FsError};
use crate::tree::Table;

/// Found games of each part that has some, in ascending order.
pub(in crate::fs) struct FoundGames(Vec<(usize, Arc<[u32]>)>);

impl FoundGames {
    /// The games of a file by part. `games` are their numbers among the games of all parts.
    pub(super) fn of(at: &At<'_>, games: &Arc<[u32]>) -> Arc<FoundGames> {
        if at.branch.database().is_some() {
            return Arc::new(FoundGames(vec![(0, Arc::clone(games))]));
        }
        at.branch.made().found_games.get_or(at.node, || {
            let mut parts: Vec<(usize, Vec<u32>)> = Vec::new();
            for &game in &**games {
                let (part, game) = at.branch.place_of(game);
                match parts.last_mut() {
                    Some((last, games)) if *last == part => games.push(game),
                    _ => parts.push((part, vec![game])),
                }
            }
            let parts = parts.into_iter().map(|(part, games)| (part, games.into()));
            Arc::new(FoundGames(parts.collect()))
        })
    }

    /// The games of each part.
    pub(super) fn databases(&self) -> impl Iterator<Item = (usize, Games<'_>)> {
        let parts = self.0.iter();
        parts.map(|(number, games)| (*number, Games::Listed((&**games).into())))
    }
}

/// The tables of found games, for each part that has some.
pub(in crate::fs) struct FoundTables {
    own: Vec<Tables>,
    all: CombinedTables,
}

/// `games.csv` of a position.
pub(super) struct FoundTable<'a> {
    pub(super) at: At<'a>,
    pub(super) games: &'a FoundGames,
}

impl<'a> FoundTable<'a> {
    fn parts(&self) -> Vec<Part<'a>> {
        let parts = self.at.branch.named_parts();
        let found = self.games.databases();
        let part = |(number, games): (usize, Games<'a>)| {
            Some(Part {
                games,
                ..*parts.get(number)?
            })
        };
        found.filter_map(part).collect()
    }

    fn kept(&self) -> Option<Arc<FoundTables>> {
        self.at.branch.made().found_tables.get(&self.at.node)
    }

    /// The tables. On first use, reads the tags of the games.
    fn tables(&self) -> Result<Arc<FoundTables>, FsError> {
        let branch = self.at.branch;
        branch.made().found_tables.get_or_make(self.at.node, || {
            let parts = self.parts();
            let own = parts.iter().map(|part| part.new_tables(branch.threads()));
            let own = own.collect::<Result<Vec<_>, _>>()?;
            let all = CombinedTables::new(&parts, &own.iter().collect::<Vec<_>>());
            Ok(Arc::new(FoundTables { own, all }))
        })
    }
}

impl File for FoundTable<'_> {
    fn size_if_known(&self) -> Option<u64> {
        Some(self.kept()?.all.len(Table::Csv))
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.tables()?.all.len(Table::Csv))
    }

    fn wait(&self) -> Wait {
        Wait::Own.unless(self.kept().is_some())
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let tables = self.tables()?;
        let own: Vec<&Tables> = tables.own.iter().collect();
        let bytes = tables.all.read(&self.parts(), &own, Table::Csv, offset, size)?;
        Ok(bytes.into())
    }
}
