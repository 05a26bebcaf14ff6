//! The files of `all/`.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::found::{FoundGames, FoundTable, Own};
use super::overview::Overview;
use super::{AllFs, AllNode};
use crate::fs::database::DatabaseFs;
use crate::fs::files::{File, Joined, Text, Wait};
use crate::fs::info::all_info;
use crate::fs::sizes::Games;
use crate::fs::table::{AllTables, DuplicatesTable, Found, ParquetTable, Part, Tables};
use crate::fs::types::{Chunk, FsError};
use crate::tree::{Content, InParts, Node, Table};
use chessdb_library::spelling::Names;

/// Calls `then` with the file of a node that has this content.
pub(super) fn with_file<R>(at: &AllNode<'_>, content: Content<'_>, then: impl FnOnce(&dyn File) -> R) -> R {
    let AllNode {
        all,
        section,
        node: file,
    } = *at;
    let found;
    let games = match content {
        Content::Info => return then(&Info(all)),
        Content::Table(table) => return then(&TableFile(all, table)),
        Content::Parquet => return then(&ParquetFile(all)),
        Content::Duplicates => return then(&DuplicatesFile(all)),
        Content::Overview => return then(&Overview(all)),
        Content::Own => return then(&Own { all, section, file }),
        Content::FoundTable(games) => {
            let games = &*all.found_games(file, &games);
            return then(&FoundTable { all, file, games });
        }
        Content::Found(games) => {
            found = all.found_games(file, &games);
            Shown::Found(&found)
        }
        Content::InParts(games) => Shown::InParts(games),
        _ => Shown::All,
    };
    then(&Concatenated { all, file, games })
}

/// `info.txt`
struct Info<'a>(&'a AllFs);

impl Text for Info<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        let all = self.0;
        match all.tree.databases().is_unique() {
            true => all.info.get().cloned(),
            false => self.text().ok(),
        }
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        let all = self.0;
        if let Some(text) = all.info.get() {
            return Ok(Arc::clone(text));
        }
        let databases = all.tree.databases();
        let rows = all.paths.iter().enumerate().map(|(number, path)| {
            let games = all.games_of(number).len() as u32;
            (databases.code(number), path.as_str(), games)
        });
        let left_out = databases.is_unique().then(|| ("Left out", self.left_out()));
        let text = all_info(rows, left_out).into_bytes().into();
        // The games of a source that may not answer were counted when it was opened.
        let checked = all.databases.iter();
        let mut checked =
            checked.filter(|database| databases.is_unique() || database.texts().remote().is_none());
        checked.try_for_each(|database| database.texts().check())?;
        Ok(Arc::clone(all.info.get_or_init(|| text)))
    }

    fn wait(&self) -> Wait {
        match self.text_if_known() {
            Some(_) => Wait::None,
            None => Wait::Common,
        }
    }
}

impl Info<'_> {
    /// What `unique/` does not show.
    fn left_out(&self) -> String {
        let all = self.0;
        let stored = all
            .databases
            .iter()
            .map(|database| database.entry().database.len() as usize);
        let shown = (0..all.databases.len()).map(|number| all.games_of(number).len());
        let duplicates = all.tree.databases().duplicates();
        let lesser = duplicates.len() - duplicates.groups();
        let deleted = stored
            .sum::<usize>()
            .saturating_sub(shown.sum::<usize>() + lesser);
        format!("duplicates: {lesser}, games marked as deleted: {deleted}")
    }
}

/// The games of a file.
#[derive(Clone, Copy)]
enum Shown<'a> {
    /// All.
    All,
    /// Those of a view's directory.
    InParts(InParts<'a>),
    /// Those that a search has found.
    Found(&'a FoundGames),
}

/// Files of several databases, concatenated: `all.pgn`, merged files, and `games.pgn` of a position.
struct Concatenated<'a> {
    all: &'a AllFs,
    file: Node,
    games: Shown<'a>,
}

impl<'a> Concatenated<'a> {
    fn parts(&self) -> Box<dyn Iterator<Item = Joined<'a>> + 'a> {
        let Concatenated { all, file: own, .. } = *self;
        let databases = &all.databases;
        let part = move |(number, file, games): (usize, Node, Games<'a>)| {
            let part = Joined::new(databases.get(number)?, file, games);
            Some(match all.joins.get(number) {
                Some(joins) => part.kept_in(joins),
                None => part,
            })
        };
        match self.games {
            Shown::InParts(games) => {
                let listed = move |(number, file, games)| part((number, file, Games::Listed(games)));
                Box::new(games.databases().filter_map(listed))
            }
            Shown::Found(games) => {
                // A file of the database itself may have the same node.
                let found = move |(number, games)| {
                    let database: &Arc<DatabaseFs> = databases.get(number)?;
                    let part = Joined::new(database, own, games);
                    Some(part.kept_in(all.found_joins(number)?))
                };
                Box::new(games.databases().filter_map(found))
            }
            Shown::All => {
                let parts = (0..databases.len()).map(|number| (number, Node::ALL, all.games_of(number)));
                Box::new(parts.filter_map(part))
            }
        }
    }

    /// True if the games are unknown because duplicates have not been searched for yet.
    fn must_search(&self) -> bool {
        matches!(self.games, Shown::All) && self.all.tree.databases().must_search()
    }

    /// Offset at which the part of each database ends.
    fn ends(&self) -> Result<Arc<[u64]>, FsError> {
        let kept = || self.all.ends.lock();
        if let Some(ends) = kept().get(&self.file) {
            return Ok(Arc::clone(ends));
        }
        let mut end = 0;
        let ends = self.parts().map(|part| {
            end += part.size()?;
            Ok(end)
        });
        let ends: Arc<[u64]> = ends.collect::<Result<_, FsError>>()?;
        kept().put(self.file, Arc::clone(&ends));
        Ok(ends)
    }
}

impl File for Concatenated<'_> {
    fn size_if_known(&self) -> Option<u64> {
        if self.must_search() {
            return None;
        }
        self.parts().map(|part| part.size_if_known()).sum()
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.ends()?.last().copied().unwrap_or(0))
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let ends = self.ends()?;
        let end = offset.saturating_add(u64::from(size));
        let first = ends.partition_point(|&end| end <= offset);
        let mut start = first.checked_sub(1).map_or(0, |before| ends[before]);
        let mut bytes = Vec::new();
        for (part, &next) in self.parts().zip(&*ends).skip(first) {
            let at = offset.saturating_sub(start);
            let wanted = end.min(next).saturating_sub(start + at) as u32;
            let chunk = part.read(at, wanted)?;
            if bytes.is_empty() && next >= end {
                return Ok(chunk);
            }
            bytes.extend_from_slice(&chunk);
            if next >= end {
                break;
            }
            start = next;
        }
        Ok(bytes.into())
    }

    fn wait(&self) -> Wait {
        match !self.must_search() && self.parts().all(|part| part.wait() == Wait::None) {
            true => Wait::None,
            false => Wait::Common,
        }
    }
}

/// A table of all games.
struct TableFile<'a>(&'a AllFs, Table);

impl TableFile<'_> {
    /// The tables. On first use, makes the tables of every database.
    fn tables(&self) -> Result<&AllTables, FsError> {
        let all = self.0;
        if let Some(tables) = all.tables.get() {
            return Ok(tables);
        }
        let tables = all.tables_of_databases()?;
        let paths = all.paths.iter().map(String::as_str);
        Ok(all
            .tables
            .get_or_init(|| AllTables::new(paths.zip(tables.iter().copied()))))
    }
}

impl File for TableFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        let tables = self.0.tables.get()?;
        Some(tables.len(self.1))
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.tables()?.len(self.1))
    }

    fn wait(&self) -> Wait {
        match self.size_if_known() {
            Some(_) => Wait::None,
            None => Wait::Common,
        }
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let all = self.0;
        let bytes = self.tables()?.read(
            &all.parts(all.names()),
            &all.tables_of_databases()?,
            self.1,
            offset,
            size,
        )?;
        Ok(bytes.into())
    }
}

impl AllFs {
    /// The databases as parts of tables; with `names`, players are shown under these names.
    fn parts<'a>(&'a self, names: Option<&'a Names>) -> Vec<Part<'a>> {
        let parts = self.databases.iter().zip(&self.paths).enumerate();
        let part = |(number, (database, path)): (usize, (&'a Arc<DatabaseFs>, &'a String))| Part {
            database,
            games: self.games_of(number),
            path: Some(path.as_str()),
            names,
        };
        parts.map(part).collect()
    }

    /// The games of a database that are shown. In `unique/`, searches for duplicates on first use.
    pub(super) fn games_of(&self, number: usize) -> Games<'_> {
        if let Some(unique) = self.tree.databases().shown() {
            return Games::Listed(unique.games(number).into());
        }
        let database = self.databases.get(number);
        Games::All(database.map_or(0, |database| database.entry().database.len()))
    }

    /// The names under which players are shown, if spellings are joined.
    pub(super) fn names(&self) -> Option<&Names> {
        self.tree.databases().names().map(Arc::as_ref)
    }

    /// The tables of each database, with the games and the names of players that are shown.
    fn tables_of_databases(&self) -> Result<Vec<&Tables>, FsError> {
        let databases = self.tree.databases();
        if !databases.is_unique() && !databases.joins_spellings() {
            return self.databases.iter().map(|database| database.tables()).collect();
        }
        let new = |part: Part<'_>| {
            let (entry, digits) = (part.database.entry(), part.database.tree.digits());
            let tables = Tables::with_names(entry, part.games, digits, self.threads(), part.names);
            part.database.texts().check().map(|()| tables)
        };
        let own = match self.own_tables.get() {
            Some(own) => own,
            None => {
                let parts = self.parts(self.names()).into_iter();
                let made = parts.map(new).collect::<Result<Vec<_>, _>>()?;
                self.own_tables.get_or_init(|| made)
            }
        };
        Ok(own.iter().collect())
    }

    pub(super) fn threads(&self) -> usize {
        let first = self.databases.first();
        first.map_or(1, |database| database.options.threads)
    }
}

/// `duplicates.csv`
struct DuplicatesFile<'a>(&'a AllFs);

impl DuplicatesFile<'_> {
    /// The table, made on first use.
    fn table(&self) -> Result<&DuplicatesTable, FsError> {
        let all = self.0;
        if let Some(table) = all.duplicates.get() {
            return Ok(table);
        }
        let table = self.with_found(|found| DuplicatesTable::new(found, all.threads()))?;
        Ok(all.duplicates.get_or_init(|| table))
    }

    fn with_found<T>(&self, then: impl FnOnce(&Found<'_>) -> T) -> T {
        let databases = self.0.tree.databases();
        then(&Found {
            duplicates: databases.duplicates(),
            parts: &self.0.parts(None),
            place_of: &|game| databases.place_of(game),
        })
    }
}

impl File for DuplicatesFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        self.0.duplicates.get().map(DuplicatesTable::len)
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.table()?.len())
    }

    fn wait(&self) -> Wait {
        match self.size_if_known() {
            Some(_) => Wait::None,
            None => Wait::Common,
        }
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let table = self.table()?;
        Ok(self.with_found(|found| table.read(found, offset, size))?.into())
    }
}

/// `games.parquet`
struct ParquetFile<'a>(&'a AllFs);

impl ParquetFile<'_> {
    /// The table, made on first use.
    fn table(&self) -> Result<&ParquetTable, FsError> {
        let all = self.0;
        if let Some(table) = all.parquet.get() {
            return Ok(table);
        }
        let mut others = BTreeSet::new();
        for tables in all.tables_of_databases()? {
            others.extend(tables.others().iter().cloned());
        }
        let table = ParquetTable::new(&all.parts(all.names()), &others, all.threads())?;
        Ok(all.parquet.get_or_init(|| table))
    }
}

impl File for ParquetFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        self.0.parquet.get().map(ParquetTable::len)
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.table()?.len())
    }

    /// Reading has to make a group of rows even if the size is known.
    fn wait(&self) -> Wait {
        Wait::Own
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let bytes = self
            .table()?
            .read(&self.0.parts(self.0.names()), offset, size, self.0.threads())?;
        Ok(bytes.into())
    }
}
