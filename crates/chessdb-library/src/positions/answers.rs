//! Questions about the positions of some games of several databases.

use std::ops::Range;
use std::sync::Arc;

use super::{
    Damaged, Facts, Index, IndexError, IndexUse, MovesTable, Novelty, Pattern, PopularPosition, Positions,
    Selection, scan, scan_moves,
};
use crate::library::LibraryEntry;
use crate::lines::Occurrence;
use crate::parallel::chunks_of;
use crate::repertoire::Repertoires;
use crate::spelling::Names;
use chessdb::Database;

/// Answers questions about the positions of some games of several databases, from indexes or by searching the games.
///
/// Clones share the databases with their indexes, which keep work that all questions need: an index stays open, and
/// caches the places of the games that were selected last. Answers end when their work is [cancelled](crate::task).
///
/// ```
/// use chessdb_library::library::Library;
/// use chessdb_library::positions::{AnswerOptions, Answers, BuildOptions, IndexUse, DatabasePart, Pattern, Positions};
/// use chessdb_library::query::Query;
/// use std::sync::Arc;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.pgn"), "1. e4 e5 *\n\n1. e4 c5 *\n\n")?;
/// std::fs::write(folder.path().join("b.pgn"), "1. d4 d5 *\n\n1. e4 c5 1-0\n\n")?;
/// let library = Library::open(folder.path(), &Default::default())?;
/// let databases = library.databases().iter();
/// let positions = databases.map(|entry| Arc::new(Positions::new(entry, BuildOptions::default())));
/// // Indexes are built by the first question. They are not kept without `Positions::keep_in`.
/// let options = AnswerOptions {
///     index: IndexUse::Yes,
///     ..AnswerOptions::default()
/// };
/// let all = Answers::new(DatabasePart::all(positions), options);
///
/// let pattern = Pattern::of_moves("e4")?;
/// let table = all.moves(&pattern, &|_| ()).ok_or("not answered")?;
/// let played: Vec<(&str, u32)> = table.rows.iter().map(|row| (row.san.as_str(), row.tally.games)).collect();
/// assert_eq!(played, [("c5", 2), ("e5", 1)]);
///
/// // The same of the games that answer a query: these are found once, and can be asked for again and again.
/// let won = all.among(&Query::parse("result:1-0")?, &|_| ());
/// let found = won.find(&pattern, &|_| ()).ok_or("not answered")?;
/// assert_eq!((found.len(), found[0].game), (1, 3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Answers {
    parts: Arc<[DatabasePart]>,
    options: AnswerOptions,
}

impl Answers {
    /// Answers questions about these parts.
    pub fn new(parts: impl Into<Arc<[DatabasePart]>>, options: AnswerOptions) -> Answers {
        Answers {
            parts: parts.into(),
            options,
        }
    }

    /// The parts.
    pub fn parts(&self) -> &Arc<[DatabasePart]> {
        &self.parts
    }

    /// How questions are answered.
    pub fn options(&self) -> &AnswerOptions {
        &self.options
    }

    /// The games that match, numbered through all parts, each with its first occurrence. `done` is called with numbers
    /// of games searched. `None` if a part has no index and is not scanned.
    pub fn find(&self, pattern: &Pattern, done: &(dyn Fn(u64) + Sync)) -> Option<Vec<Occurrence>> {
        let mut all = Vec::new();
        for part in &*self.parts {
            let found = part.find(pattern, &self.options, done)?;
            all.extend(found.into_iter().map(|found| Occurrence {
                game: part.first.saturating_add(found.game),
                ..found
            }));
        }
        Some(all)
    }

    /// The moves played in a position, over all parts. For `done` and the result see [`Answers::find`].
    pub fn moves(&self, pattern: &Pattern, done: &(dyn Fn(u64) + Sync)) -> Option<MovesTable> {
        DatabasePart::sum(&*self.parts, |part| part.moves(pattern, &self.options, done))
    }
}

/// Number of games whose facts a thread reads at a time.
const FEW: u32 = 4096;

/// How questions are answered.
#[derive(Clone)]
pub struct AnswerOptions {
    /// Which indexes are used, and whether missing ones are built.
    pub index: IndexUse,
    /// Whether all games are searched where no index answers.
    pub scans: bool,
    /// Maximum number of threads that search games.
    pub threads: usize,
    /// The names that are shown for players, for queries, if spellings are joined.
    pub names: Option<Arc<Names>>,
    /// The databases that queries may name as a repertoire.
    pub repertoires: Arc<Repertoires>,
}

impl Default for AnswerOptions {
    fn default() -> AnswerOptions {
        AnswerOptions {
            index: IndexUse::default(),
            scans: true,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            names: None,
            repertoires: Arc::default(),
        }
    }
}

/// A database and some of its games. The games of several parts are numbered consecutively, part by part. A game of the
/// database that is left out of the part still takes a number.
#[derive(Clone)]
pub struct DatabasePart {
    /// The database and its index of positions.
    pub positions: Arc<Positions>,
    /// The games; `None` for all.
    pub games: Option<Arc<Selection>>,
    /// The number of the database's first game when the games are numbered through all parts.
    pub first: u32,
}

impl DatabasePart {
    /// All games of a database.
    pub fn of(positions: Arc<Positions>) -> DatabasePart {
        DatabasePart {
            positions,
            games: None,
            first: 0,
        }
    }

    /// All games of some databases. Counts them.
    pub fn all(databases: impl IntoIterator<Item = Arc<Positions>>) -> Vec<DatabasePart> {
        let mut next = 0u32;
        let part = |positions: Arc<Positions>| {
            let first = next;
            next = next.saturating_add(positions.entry().database.len());
            DatabasePart {
                first,
                ..DatabasePart::of(positions)
            }
        };
        databases.into_iter().map(part).collect()
    }

    /// The same database with these games.
    pub fn with(&self, games: impl Into<Box<[u32]>>) -> DatabasePart {
        DatabasePart {
            games: Some(Arc::new(Selection::of(games))),
            ..self.clone()
        }
    }

    /// The games that this part and another part of the same database have in common.
    pub fn and(&self, other: &DatabasePart) -> DatabasePart {
        let games = self.games_at(0..self.len()).filter(|&game| other.has(game));
        self.with(games.collect::<Vec<u32>>())
    }

    /// The same database with the games that were found in it.
    pub fn found(&self, found: &[Occurrence]) -> DatabasePart {
        self.with(found.iter().map(|found| found.game).collect::<Vec<u32>>())
    }

    /// The database and its files.
    pub fn entry(&self) -> &Arc<LibraryEntry> {
        self.positions.entry()
    }

    /// The database.
    pub fn database(&self) -> &dyn Database {
        &*self.entry().database
    }

    /// Number of games.
    pub fn len(&self) -> u32 {
        match &self.games {
            Some(games) => games.len() as u32,
            None => self.database().len(),
        }
    }

    /// True without games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The games at some places among these, by their numbers in the database.
    pub fn games_at(&self, places: Range<u32>) -> impl Iterator<Item = u32> + use<'_> {
        places.map_while(|place| match &self.games {
            Some(games) => games.games().get(place as usize).copied(),
            None => Some(place),
        })
    }

    /// True if a game of the database is in this part.
    #[inline]
    pub fn has(&self, game: u32) -> bool {
        self.games.as_ref().is_none_or(|games| games.has(game))
    }

    /// Finds a game by its number through all parts: the part that has it, and its number in the database.
    pub fn place_of(parts: &[DatabasePart], game: u32) -> (usize, u32) {
        // An empty database has the same first number as the next one.
        let after = parts.partition_point(|part| part.first <= game);
        let place = after.saturating_sub(1);
        let first = parts.get(place).map_or(0, |part| part.first);
        (place, game - first)
    }

    /// Answers a question about these games from the index of the database. See [`Positions::ask`].
    pub fn ask<T>(&self, index: IndexUse, question: impl Fn(&Index) -> Result<T, Damaged>) -> Option<T> {
        self.positions.ask(index, |index| match &self.games {
            Some(games) => question(&index.among(games)),
            None => question(index),
        })
    }

    /// The games that match, in database order, each with its first occurrence. `done` is called with numbers of games
    /// searched, which add up to all games of the database. `None` if no index answers and games are not scanned.
    pub fn find(
        &self,
        pattern: &Pattern,
        options: &AnswerOptions,
        done: &(dyn Fn(u64) + Sync),
    ) -> Option<Vec<Occurrence>> {
        self.ask_or_scan(
            options,
            done,
            |index| index.find(pattern),
            || self.scan(pattern, options.threads, done),
        )
    }

    fn scan(&self, pattern: &Pattern, threads: usize, done: &(dyn Fn(u64) + Sync)) -> Vec<Occurrence> {
        let lines = Some(&**self.positions.lines());
        scan(
            self.database(),
            lines,
            pattern,
            self.games.as_ref(),
            threads,
            done,
        )
    }

    /// Like [`DatabasePart::find`], but in any order, and with the facts about each game that tables need.
    pub fn find_with_facts(
        &self,
        pattern: &Pattern,
        options: &AnswerOptions,
    ) -> Option<Vec<(Occurrence, Facts)>> {
        self.ask_or_scan(
            options,
            &|_| (),
            |index| index.find_with_facts(pattern),
            || {
                let (database, found) = (self.database(), self.scan(pattern, options.threads, &|_| ()));
                let chunks = chunks_of(FEW, found.len() as u32, options.threads, &|_| (), |places| {
                    let found = &found[places.start as usize..places.end as usize];
                    let with_facts = |&found: &Occurrence| (found, Facts::of(database, found.game));
                    found.iter().map(with_facts).collect::<Vec<_>>()
                });
                chunks.concat()
            },
        )
    }

    /// The moves played in a position. For `done` and the result see [`DatabasePart::find`].
    pub fn moves(
        &self,
        pattern: &Pattern,
        options: &AnswerOptions,
        done: &(dyn Fn(u64) + Sync),
    ) -> Option<MovesTable> {
        self.ask_or_scan(
            options,
            done,
            |index| index.moves(pattern),
            || {
                scan_moves(
                    self.database(),
                    Some(self.positions.lines()),
                    pattern,
                    self.games.as_ref(),
                    options.threads,
                    done,
                )
            },
        )
    }

    /// The table and notable games that the index stores for a position of very many games. `None` for other positions,
    /// and if only some games of the database are searched.
    pub fn popular(&self, pattern: &Pattern, options: &AnswerOptions) -> Option<PopularPosition> {
        self.ask(options.index, |index| index.popular(pattern)).flatten()
    }

    /// The novelties of the games, in database order. No scan finds them, so the index is built if it is missing.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn novelties(&self, done: &(dyn Fn(u64) + Sync)) -> Result<Vec<Novelty>, Arc<IndexError>> {
        self.positions.build(&|_| ())?;
        let novelties = self.ask(IndexUse::Yes, |index| index.novelties(done));
        novelties.ok_or_else(|| Arc::new(IndexError::Damaged))
    }

    /// The sum of the tables of some parts, with games numbered through all parts. `None` if a part has no table.
    pub fn sum<'a>(
        parts: impl IntoIterator<Item = &'a DatabasePart>,
        mut table: impl FnMut(&DatabasePart) -> Option<MovesTable>,
    ) -> Option<MovesTable> {
        let mut sum = MovesTable::default();
        for part in parts {
            sum.merge(table(part)?, part.first);
        }
        Some(sum)
    }

    fn ask_or_scan<T>(
        &self,
        options: &AnswerOptions,
        done: &(dyn Fn(u64) + Sync),
        question: impl Fn(&Index) -> Result<T, Damaged>,
        scan: impl FnOnce() -> T,
    ) -> Option<T> {
        let answer = self.ask(options.index, question);
        if answer.is_some() {
            done(self.database().len().into());
        }
        answer.or_else(|| options.scans.then(scan))
    }
}
