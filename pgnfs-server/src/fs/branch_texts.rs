//! What `info.txt`, `overview.html` and the keys of kept tables say of a branch.

use std::sync::Arc;

use super::branch::BranchFs;
use super::database::DatabaseFs;
use super::info::{all_info, database_info, search_info};
use super::types::FsError;
use crate::overview::Counts;
use chessdb_library::kept::KeptKind;
use chessdb_library::query::QueryHint;

impl BranchFs {
    /// `info.txt`, if nothing has to be counted or searched for it.
    pub(super) fn info_if_known(&self) -> Option<Arc<[u8]>> {
        let is_known = match self.own_database() {
            Some(own) => own.entry().is_described(),
            None => !self.game_set().is_filtered(),
        };
        if is_known {
            return self.info().ok();
        }
        self.files.info.get().cloned()
    }

    /// `info.txt`. Sources that may not answer are not checked: what is said of them is known since they were opened.
    pub(super) fn info(&self) -> Result<Arc<[u8]>, FsError> {
        self.files.info.get_or_make(|| self.make_info()).cloned()
    }

    fn make_info(&self) -> Result<Arc<[u8]>, FsError> {
        let is_unique = self.game_set().is_unique();
        let text = match (self.own_database(), &self.search) {
            (Some(own), _) => database_info(own.entry(), own.warnings()),
            (None, Some(search)) => {
                let counts = self.parts().into_iter().map(|part| {
                    let name = part.path.unwrap_or(part.database.entry().name());
                    (name, part.games.len() as u32)
                });
                let paths = self.databases().iter().map(|database| database.entry().name());
                let unknown = search.query.unknown_databases(paths).into_iter();
                search_info(
                    search,
                    counts,
                    unknown.map(|term| QueryHint::NoDatabase(term).to_string()),
                )
            }
            (None, None) => {
                let rows = self.databases().iter().enumerate().map(|(number, database)| {
                    let path = self.paths.get(number).unwrap_or(&database.entry().path);
                    let games = self.game_set().games_of(number).len() as u32;
                    (self.game_set().code(number), path.as_str(), games)
                });
                let left_out = is_unique.then(|| ("Left out", self.left_out()));
                all_info(rows, left_out, self.warnings())
            }
        };
        let is_filtered = self.game_set().is_filtered();
        let is_checked = |database: &&Arc<DatabaseFs>| is_filtered || database.texts().remote().is_none();
        let mut checked = self.databases().iter().filter(is_checked);
        checked.try_for_each(|database| database.texts().check())?;
        Ok(text.into_bytes().into())
    }

    /// Which tables of several databases are not kept.
    fn warnings(&self) -> Vec<String> {
        let Some((first, files)) = self
            .databases()
            .first()
            .and_then(|first| Some((first, first.kept()?)))
        else {
            return Vec::new();
        };
        let (name, databases) = (first.entry().name(), self.databases().len());
        let games = self.parts().iter().map(|part| part.games.len() as u64).sum();
        let kinds = [KeptKind::Parquet, KeptKind::Duplicates].into_iter();
        kinds
            .filter_map(|kind| files.refusal(kind, name, databases, games))
            .collect()
    }

    /// What `unique/` does not show.
    fn left_out(&self) -> String {
        let stored = self.databases().iter();
        let stored = stored.map(|database| database.entry().database.len() as usize);
        let shown = (0..self.databases().len()).map(|number| self.game_set().games_of(number).len());
        let duplicates = self.game_set().duplicates();
        let lesser = duplicates.len() - duplicates.groups();
        let deleted = stored
            .sum::<usize>()
            .saturating_sub(shown.sum::<usize>() + lesser);
        format!("duplicates: {lesser}, games marked as deleted: {deleted}")
    }

    /// The name in `overview.html`, and what it stands for.
    pub(super) fn title(&self) -> (String, String) {
        let only = self.only_database().map(|only| only.entry());
        let databases = || format!("{} databases", self.databases().len());
        if let Some(query) = self.search.as_ref().map(|search| &search.query) {
            let place = only.map_or_else(databases, |entry| entry.name().to_owned());
            return (query.canonical(), place);
        }
        if let Some(entry) = only {
            return (entry.name().to_owned(), entry.format.title.to_owned());
        }
        let name = if self.game_set().is_unique() {
            "All games, each once"
        } else {
            "All games"
        };
        (name.to_owned(), databases())
    }

    /// The number of problems in each file of a database, or in each database; `None` if only some games are shown.
    ///
    /// # Errors
    /// If a database has changed.
    pub(super) fn problems(&self) -> Result<Option<Counts>, FsError> {
        if let Some(own) = self.own_database() {
            return own.problems_by_file().map(Some);
        }
        if self.game_set().is_filtered() {
            return Ok(None);
        }
        let mut sum = Counts::default();
        for (database, path) in self.databases().iter().zip(&*self.paths) {
            let found = database.problems_by_file()?.sum();
            if found > 0 {
                sum.add(path, found);
            }
        }
        Ok(Some(sum))
    }
}
