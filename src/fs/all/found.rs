//! Files of `all/moves/` and `all/positions/`: texts, and games found by a search.

use parking_lot::Mutex;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use super::AllFs;
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::files::{File, Joins, OwnTexts, Text, Wait};
use crate::fs::sizes::Games;
use crate::fs::table::{AllTables, Part, Tables};
use crate::fs::types::{Chunk, FsError};
use crate::tree::{IndexState, Node, Section, Table};

/// Maximum number of files for which the games of each database are kept.
const MOST_LISTS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Maximum number of tables that are kept.
const MOST_TABLES: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// What is kept of these files.
pub(super) struct FoundFiles {
    texts: OwnTexts,
    lists: Mutex<LruCache<Node, Arc<FoundGames>>>,
    tables: Mutex<LruCache<Node, Arc<FoundTables>>>,
    /// Offsets of games, for each database.
    joins: Vec<Joins>,
}

impl FoundFiles {
    pub(super) fn new(databases: usize) -> FoundFiles {
        FoundFiles {
            texts: OwnTexts::new(),
            lists: Mutex::new(LruCache::sparse(MOST_LISTS)),
            tables: Mutex::new(LruCache::sparse(MOST_TABLES)),
            joins: (0..databases).map(|_| Joins::new()).collect(),
        }
    }
}

/// Games of several databases: the number of each database with its games, in ascending order.
pub(super) struct FoundGames(Vec<(usize, Vec<u32>)>);

impl FoundGames {
    /// The games of each database.
    pub(super) fn databases(&self) -> impl Iterator<Item = (usize, Games<'_>)> {
        let databases = self.0.iter();
        databases.map(|(number, games)| (*number, Games::Listed(games.as_slice().into())))
    }
}

impl AllFs {
    /// The found games of a file, by database. `games` are their numbers among the games of all databases.
    pub(super) fn found_games(&self, file: Node, games: &[u32]) -> Arc<FoundGames> {
        let lists = || self.found.lists.lock();
        if let Some(found) = lists().get(&file) {
            return Arc::clone(found);
        }
        let mut parts: Vec<(usize, Vec<u32>)> = Vec::new();
        for &game in games {
            let (database, game) = self.tree.databases().place_of(game);
            match parts.last_mut() {
                Some((last, games)) if *last == database => games.push(game),
                _ => parts.push((database, vec![game])),
            }
        }
        let found = Arc::new(FoundGames(parts));
        lists().put(file, Arc::clone(&found));
        found
    }

    /// The offsets of found games of a database.
    pub(super) fn found_joins(&self, database: usize) -> Option<&Joins> {
        self.found.joins.get(database)
    }

    /// Logs that an index is missing, and returns the error for the request.
    pub(super) fn fail_without_index(&self) -> FsError {
        let has_failed =
            |database: &&Arc<DatabaseFs>| database.tree.positions().state() == IndexState::Failed;
        let failed = self.databases.iter().find(has_failed);
        failed.map_or(FsError::Io, |database| database.texts().fail(Failure::Index))
    }
}

/// A file with the text that its section generates.
pub(super) struct Own<'a> {
    pub(super) all: &'a AllFs,
    pub(super) section: &'a dyn Section,
    pub(super) file: Node,
}

impl Text for Own<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.all.found.texts.get(self.file)
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.text_if_known() {
            return Ok(text);
        }
        let text = self.section.text(self.file);
        if self.section.is_unavailable() {
            return Err(self.all.fail_without_index());
        }
        let text: Arc<[u8]> = text.ok_or(FsError::Stale)?.into_bytes().into();
        self.all.check()?;
        self.all.found.texts.put(self.file, &text);
        Ok(text)
    }
}

/// The tables of found games, for each database that has some.
struct FoundTables {
    own: Vec<Tables>,
    all: AllTables,
}

/// `games.csv` of a position.
pub(super) struct FoundTable<'a> {
    pub(super) all: &'a AllFs,
    pub(super) file: Node,
    pub(super) games: &'a FoundGames,
}

impl<'a> FoundTable<'a> {
    fn parts(&self) -> Vec<Part<'a>> {
        let all = self.all;
        let part = |(number, games): (usize, Games<'a>)| {
            Some(Part {
                database: all.databases.get(number)?,
                games,
                path: Some(all.paths.get(number)?),
                names: all.names(),
            })
        };
        self.games.databases().filter_map(part).collect()
    }

    fn kept(&self) -> Option<Arc<FoundTables>> {
        let tables = &self.all.found.tables;
        let mut tables = tables.lock();
        tables.get(&self.file).cloned()
    }

    /// The tables. On first use, reads the tags of the games.
    fn tables(&self) -> Result<Arc<FoundTables>, FsError> {
        if let Some(tables) = self.kept() {
            return Ok(tables);
        }
        let parts = self.parts();
        let own = parts.iter().map(|part| {
            let (entry, digits) = (part.database.entry(), part.database.tree.digits());
            let tables = Tables::with_names(entry, part.games, digits, self.all.threads(), part.names);
            part.database.texts().check().map(|()| tables)
        });
        let own = own.collect::<Result<Vec<_>, _>>()?;
        let paths = parts.iter().map(|part| part.path.unwrap_or_default());
        let tables = Arc::new(FoundTables {
            all: AllTables::new(paths.zip(&own)),
            own,
        });
        let kept = &self.all.found.tables;
        let mut kept = kept.lock();
        kept.put(self.file, Arc::clone(&tables));
        Ok(tables)
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
        match self.size_if_known() {
            Some(_) => Wait::None,
            None => Wait::Common,
        }
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let tables = self.tables()?;
        let own: Vec<&Tables> = tables.own.iter().collect();
        let bytes = tables.all.read(&self.parts(), &own, Table::Csv, offset, size)?;
        Ok(bytes.into())
    }
}
