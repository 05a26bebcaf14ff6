//! The texts of `info.txt` and `problems.txt`, and the description of a branch in `overview.html` and in the keys of
//! kept tables.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use super::branch::BranchFs;
use super::database::DatabaseFs;
use super::sizes::Sizes;
use super::times::utc;
use super::types::FsError;
use crate::overview::Counts;
use crate::tree::NamedSearch;
use chessdb::Problem;
use chessdb_library::kept::KeptKind;
use chessdb_library::library::{Library, LibraryEntry, is_unprintable};
use chessdb_library::query::QueryHint;

/// `info.txt` of a database, with `more` as its last warnings.
pub(super) fn database_info(entry: &LibraryEntry, more: Vec<String>) -> String {
    let database = &entry.database;
    let info = database.info();
    let mut rows = vec![
        ("Database", entry.name().to_owned()),
        ("Format", entry.format.title.to_owned()),
        ("Games", database.len().to_string()),
    ];
    rows.extend(entry.file_rows().into_iter().map(|row| ("File", row)));
    rows.extend(info.rows);
    let mut text = String::new();
    push_rows(&mut text, &rows);
    push_list(&mut text, "Warnings", info.warnings.into_iter().chain(more));
    push_list(&mut text, "Problems", entry.problems().iter());
    text
}

/// `info.txt` at the root: lists the databases and what was left out. Without `shows_path`, the source is named by the
/// last part of its path.
pub(super) fn library_info(library: &Library, shows_path: bool) -> String {
    let mut text = String::new();
    let databases = library.databases();
    // Counts the games, unless files were changed before that.
    let games: u64 = databases
        .iter()
        .map(|entry| u64::from(entry.database.len()))
        .sum();
    let source = library.source();
    let name = source.file_name().map(Path::new).filter(|_| !shows_path);
    let mut source = name.unwrap_or(source).display().to_string();
    if let Some(since) = library.gone() {
        source += &format!(", missing or empty since {}", utc(since));
    }
    let are_counted = databases.iter().all(|entry| entry.is_counted());
    push_rows(
        &mut text,
        &[
            ("Source", source),
            ("Databases", databases.len().to_string()),
            ("Games", format!("{}{games}", bound(are_counted))),
        ],
    );
    let shown = databases.iter().map(|entry| {
        let games = entry.database.len();
        format!(
            "{}: {}, {}{games} {}",
            entry.name(),
            entry.format.title,
            bound(entry.is_counted()),
            plural(games)
        )
    });
    push_list(&mut text, "Databases", shown);
    // Lists no elapsed time, so that the text does not change every second.
    let patience = library.patience().as_secs();
    let opening = library.opening().iter();
    let opening = opening.map(|one| format!("{}: for more than {patience} s", one.path));
    push_list(&mut text, "Being opened", opening);
    push_list(&mut text, "Left out", library.left_out().iter());
    text
}

/// `info.txt` of all databases: the code, the path and the number of games of each. `more` are rows that follow the
/// number of all games, and precede `warnings`.
pub(super) fn all_info<'a>(
    databases: impl Iterator<Item = (&'a str, &'a str, u32)> + Clone,
    more: impl IntoIterator<Item = (&'static str, String)>,
    warnings: Vec<String>,
) -> String {
    let mut text = String::new();
    let games: u64 = databases.clone().map(|(_, _, games)| u64::from(games)).sum();
    let number = databases.clone().count();
    let mut rows = vec![("Databases", number.to_string()), ("Games", games.to_string())];
    rows.extend(more);
    push_rows(&mut text, &rows);
    push_list(&mut text, "Warnings", warnings.into_iter());
    let rows = databases.map(|(code, path, games)| format!("{code}  {path}, {games} {}", plural(games)));
    push_list(&mut text, "Codes in the names of games", rows);
    text
}

/// `info.txt` of a search: the query, and the path and the number of games of each database.
pub(super) fn search_info<'a>(
    search: &NamedSearch,
    databases: impl IntoIterator<Item = (&'a str, u32)>,
    warnings: impl Iterator<Item = String>,
) -> String {
    let databases: Vec<_> = databases.into_iter().collect();
    let games: u64 = databases.iter().map(|(_, games)| u64::from(*games)).sum();
    let mut text = String::new();
    push_rows(
        &mut text,
        &[
            ("Query", search.text.clone()),
            ("Canonical form", search.query.canonical()),
            ("Games", games.to_string()),
        ],
    );
    push_list(&mut text, "Warnings", warnings);
    let rows = databases
        .iter()
        .map(|(path, games)| format!("{path}, {games} {}", plural(*games)));
    push_list(&mut text, "Games of each database", rows);
    text
}

/// The rows of `problems.txt`: first about the database itself, then about the games that are shown, in their order.
pub(super) fn problem_rows(
    own: &[Problem],
    games: &Sizes,
    is_shown: impl Fn(u32) -> bool,
    digits: usize,
) -> String {
    let mut text = String::new();
    for problem in own {
        push_line(&mut text, &format!("-\t{problem}"));
    }
    games.each_problem(|game, file, rest| {
        if is_shown(game) {
            let number = u64::from(game) + 1;
            push_line(&mut text, &format!("{number:0digits$}\t{file}{rest}"));
        }
    });
    text
}

/// The words in front of a number of games.
fn bound(is_counted: bool) -> &'static str {
    if is_counted { "" } else { "at most " }
}

fn plural(games: u32) -> &'static str {
    if games == 1 { "game" } else { "games" }
}

fn push_rows(text: &mut String, rows: &[(&str, String)]) {
    let width = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0)
        + 1;
    for (name, value) in rows {
        push_line(text, &format!("{:width$} {value}", format!("{name}:")));
    }
}

/// Appends a headline and its list, unless the list is empty.
fn push_list(text: &mut String, headline: &str, items: impl Iterator<Item = impl std::fmt::Display>) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\n{headline}:");
    for item in items {
        push_line(text, &format!("  {item}"));
    }
}

/// Appends a line with unprintable characters replaced by spaces. Tabs stay, because they separate columns.
fn push_line(text: &mut String, line: &str) {
    let is_kept = |c: char| c == '\t' || !is_unprintable(c);
    text.extend(line.chars().map(|c| if is_kept(c) { c } else { ' ' }));
    text.push('\n');
}

impl BranchFs {
    /// `info.txt`, if that takes no counting and no search.
    pub(super) fn info_if_known(&self) -> Option<Arc<[u8]>> {
        let is_known = match self.own_database() {
            Some(own) => own.served_entry().is_counted(),
            None => !self.game_set().is_filtered(),
        };
        if is_known {
            return self.info().ok();
        }
        self.files.info.get().cloned()
    }

    /// `info.txt`. Does not check sources that can hang: all it contains about them was found when they were opened.
    pub(super) fn info(&self) -> Result<Arc<[u8]>, FsError> {
        self.files.info.get_or_make(|| self.make_info()).cloned()
    }

    fn make_info(&self) -> Result<Arc<[u8]>, FsError> {
        let is_unique = self.game_set().is_unique();
        let text = match (self.own_database(), &self.search) {
            (Some(own), _) => database_info(own.served_entry(), own.warnings()),
            (None, Some(search)) => {
                let counts = self.parts().into_iter().map(|part| {
                    let name = part.path.unwrap_or(part.database.served_entry().name());
                    (name, part.games.len() as u32)
                });
                let paths = self
                    .databases()
                    .iter()
                    .map(|database| database.served_entry().name());
                let unknown = search.query.unknown_databases(paths).into_iter();
                search_info(
                    search,
                    counts,
                    unknown.map(|term| QueryHint::NoDatabase(term).to_string()),
                )
            }
            (None, None) => {
                let rows = self.databases().iter().enumerate().map(|(number, database)| {
                    let path = self.paths.get(number).unwrap_or(&database.served_entry().path);
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
        let (name, databases) = (first.served_entry().name(), self.databases().len());
        let games = self.parts().iter().map(|part| part.games.len() as u64).sum();
        let kinds = [KeptKind::Parquet, KeptKind::Duplicates].into_iter();
        kinds
            .filter_map(|kind| files.refusal(kind, name, databases, games))
            .collect()
    }

    /// What `unique/` does not show.
    fn left_out(&self) -> String {
        let stored = self.databases().iter();
        let stored = stored.map(|database| database.served_entry().database.len() as usize);
        let shown = (0..self.databases().len()).map(|number| self.game_set().games_of(number).len());
        let duplicates = self.game_set().duplicates();
        let lesser = duplicates.len() - duplicates.groups();
        let deleted = stored
            .sum::<usize>()
            .saturating_sub(shown.sum::<usize>() + lesser);
        format!("duplicates: {lesser}, games marked as deleted: {deleted}")
    }

    /// The name of the branch in `overview.html`, and what kind of thing it is.
    pub(super) fn title(&self) -> (String, String) {
        let only = self.only_database().map(|only| only.served_entry());
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
