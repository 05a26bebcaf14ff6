//! The games that a search has found.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes, PyList, PySlice};

use crate::arguments::ColumnsArgument;
use crate::batches::{Batches, HeadersIterator, PgnIterator};
use crate::detached_work::detached;
use crate::game::Game;
use crate::indices::{Int, place};
use crate::opening::{Reduced, function};
use crate::pickled::{self, PickledSource};
use crate::progress::Progress;
use crate::rows::{ChosenGames, Rows};
use crate::source::Source;
use crate::table::{Columns, Table};
use chessdb_library::lines::{Occurrence, line_of};
use chessdb_library::positions::san_of;
use chessdb_library::query::{Query, SearchedGames, hints};

/// The games, their databases, the query that they match, and whether several databases were searched.
type PickledFoundGames<'py> = (Bound<'py, PyBytes>, Vec<PickledSource>, Option<String>, bool);

/// A game that a search has found, with the place of the position there.
#[pyclass(frozen, eq, hash, module = "chessdb")]
#[derive(Clone)]
pub struct Found {
    source: Source,
    found: Occurrence,
}

impl Found {
    /// Its database, and the place in it.
    pub fn place(&self) -> (&Source, Occurrence) {
        (&self.source, self.found)
    }

    /// A place in a game of a database.
    pub fn new(source: &Source, found: Occurrence) -> Found {
        Found {
            source: source.clone(),
            found,
        }
    }
}

/// Equal if it is the same position of the same game.
impl PartialEq for Found {
    fn eq(&self, other: &Found) -> bool {
        self.found == other.found && self.source.is_same(&other.source)
    }
}

impl Hash for Found {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.found.game, self.found.ply, self.source.own_name()).hash(hasher);
    }
}

#[pymethods]
impl Found {
    /// The game.
    #[getter]
    pub fn game(&self) -> Game {
        Game::new(&self.source, self.found.game)
    }

    /// Number of moves before the position; 0 if no position was asked for.
    #[getter]
    pub fn ply(&self) -> u32 {
        self.found.ply
    }

    /// The move played in the position, as SAN; `None` if the line ends there, or no position was asked for.
    #[getter]
    pub fn san(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let found = self.found;
        let san = self.source.read(py, |entry| san_of(&*entry.database, &found))?;
        Ok(Some(san).filter(|san| !san.is_empty()))
    }

    /// The moves that lead to the position, as SAN; moves of a variation if it was found there.
    #[getter]
    pub fn line(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let found = self.found;
        self.source.read(py, |entry| line_of(&*entry.database, &found))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Bound<'py, PyBytes>, PickledSource)> {
        let found = pickled::occurrences(py, &[(0, self.found)]);
        Ok((function(py, "found")?, (found, pickled::source(&self.source))))
    }

    fn __repr__(&self) -> String {
        format!(
            "<chessdb.Found: game {}, ply {}>",
            self.game().number(),
            self.ply()
        )
    }
}

/// The games that a search has found: a sequence of `Found`.
///
/// >>> import chessdb
/// >>> found = chessdb.open_database("classics.pgn").find("white:morphy result:1-0")
/// >>> len(found), found[0].game.number, [game.number for game in found.games]
/// (2, 13, [13, 15])
#[pyclass(frozen, sequence, module = "chessdb")]
pub struct FoundGames {
    /// The number of the database among `sources`, and the place in it.
    found: Vec<(u32, Occurrence)>,
    sources: Arc<[Source]>,
    /// Several databases were searched, so tables have the column `database`.
    of_several: bool,
    /// The query that they match; `None` for a search for a position.
    query: Option<Arc<(Query, String)>>,
    /// Number of threads that read them.
    threads: usize,
    /// Why no game may have been found, once a caller has requested it.
    hints: OnceLock<Vec<String>>,
}

impl FoundGames {
    /// Games of databases, which have these numbers among `sources`.
    pub fn new(
        found: Vec<(u32, Occurrence)>,
        sources: Arc<[Source]>,
        of_several: bool,
        query: Option<(Query, String)>,
        threads: usize,
    ) -> FoundGames {
        FoundGames {
            found,
            sources,
            of_several,
            query: query.map(Arc::new),
            threads,
            hints: OnceLock::new(),
        }
    }

    fn query(&self) -> Option<&Query> {
        self.query.as_deref().map(|(query, _)| query)
    }

    fn source(&self, number: u32) -> PyResult<&Source> {
        let source = self.sources.get(number as usize);
        source.ok_or_else(|| PyIndexError::new_err("there is no such database"))
    }

    /// The games in runs of consecutive games of one database.
    fn chosen(&self) -> PyResult<Vec<ChosenGames>> {
        let runs = self.found.chunk_by(|(a, _), (b, _)| a == b);
        let chosen = runs.filter_map(|run| {
            let (number, _) = run.first()?;
            let rows = Rows::Some(run.iter().map(|(_, found)| found.game).collect());
            Some(self.source(*number).map(|source| ChosenGames::new(source, rows)))
        });
        chosen.collect()
    }
}

#[pymethods]
impl FoundGames {
    fn __len__(&self) -> usize {
        self.found.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let places = slice.indices(self.found.len() as isize)?;
            let chosen = (0..places.slicelength).map(|n| places.start + places.step * n as isize);
            let chosen = chosen.filter_map(|place| self.found.get(place as usize).copied());
            let games = FoundGames {
                found: chosen.collect(),
                sources: Arc::clone(&self.sources),
                of_several: self.of_several,
                query: self.query.clone(),
                threads: self.threads,
                hints: OnceLock::new(),
            };
            return Ok(Bound::new(py, games)?.into_any());
        }
        let Ok(index) = index.extract::<Int>() else {
            return Err(PyTypeError::new_err(
                "found games are chosen by an integer or a slice of integers",
            ));
        };
        let found = place(index, self.found.len()).and_then(|place| self.found.get(place));
        let &(number, found) = found.ok_or_else(|| {
            PyIndexError::new_err(format!(
                "there is no game with this index among {}",
                self.found.len()
            ))
        })?;
        Ok(Bound::new(py, Found::new(self.source(number)?, found))?.into_any())
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let found = (0..slf.get().__len__()).map(|place| slf.get_item(place));
        let found = found.collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, found)?.try_iter()?.into_any())
    }

    /// The games alone.
    #[getter]
    fn games(&self) -> PyResult<Vec<Game>> {
        let games = self.found.iter();
        games
            .map(|(number, found)| Ok(Game::new(self.source(*number)?, found.game)))
            .collect()
    }

    /// The games, or all their positions, as a table in the memory format of Arrow, in this order, as `table` of a database gives it. Of several
    /// databases, it has the column `database` before all others unless columns are named.
    ///
    /// >>> import chessdb, pyarrow
    /// >>> found = chessdb.open_database("classics.pgn").find("white:morphy result:1-0")
    /// >>> pyarrow.table(found.table(["number", "Black"])).to_pylist()[0]
    /// {'number': 13, 'Black': 'Duke Karl / Count Isouard'}
    #[pyo3(signature = (columns=None, *, rows="games"))]
    fn table(&self, py: Python<'_>, columns: Option<ColumnsArgument>, rows: &str) -> PyResult<Table> {
        let columns = Columns::of(rows, columns.as_ref(), self.of_several)?;
        let mut chosen = self.chosen()?;
        if columns.are_of_player() {
            let player = |chosen: ChosenGames| chosen.with_player(py, self.query(), self.threads);
            chosen = chosen.into_iter().map(player).collect::<PyResult<_>>()?;
        }
        columns.table(py, chosen, self.threads)
    }

    /// An iterator over the PGN of the games, as texts.
    ///
    /// >>> import chessdb
    /// >>> found = chessdb.open_database("classics.pgn").find("white:morphy result:1-0")
    /// >>> [text.splitlines()[4] for text in found.pgn()]
    /// ['[White "Morphy, Paul"]', '[White "Morphy, Paul"]']
    fn pgn(&self) -> PyResult<PgnIterator> {
        Ok(PgnIterator::new(Batches::new(self.chosen()?, self.threads)))
    }

    /// An iterator over the headers of the games, as dicts.
    fn headers(&self) -> PyResult<HeadersIterator> {
        Ok(HeadersIterator::new(Batches::new(self.chosen()?, self.threads)))
    }

    /// Why a query may have found no game, as `pgnfs find` says it: a tag or a name that no game has, with similar ones, or a
    /// term that looks like a mistake. Empty if games were found.
    ///
    /// >>> import chessdb
    /// >>> chessdb.open_database("classics.pgn").find("has:evnt").hints
    /// ['has:evnt: no game has this tag; has:Event, has:EventDate and has:fen are similar']
    #[getter]
    fn hints(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        if let Some(hints) = self.hints.get() {
            return Ok(hints.clone());
        }
        let hints = match (&self.query, self.sources.first()) {
            (Some(asked), Some(first)) if self.found.is_empty() => {
                let found = detached(py, first, &Progress::default(), |_, _| {
                    let searched = self.sources.iter().map(|source| SearchedGames {
                        path: source.entry.name(),
                        ..SearchedGames::all(&*source.entry.database)
                    });
                    hints(&asked.1, &searched.collect::<Vec<_>>())
                })?;
                found.iter().map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        };
        Ok(self.hints.get_or_init(|| hints).clone())
    }

    /// Pickled games are read again when they are unpickled, like a single game. Only their own databases are opened for
    /// that; without games, all searched databases, because hints are about them.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, PickledFoundGames<'py>> {
        let mut numbers: Vec<u32> = match self.found.as_slice() {
            [] => (0..self.sources.len() as u32).collect(),
            found => found.iter().map(|(number, _)| *number).collect(),
        };
        numbers.sort_unstable();
        numbers.dedup();
        let sources = numbers
            .iter()
            .map(|&number| Ok(pickled::source(self.source(number)?)));
        let found = self.found.iter().filter_map(|(number, found)| {
            let number = numbers.binary_search(number).ok()?;
            Some((number as u32, *found))
        });
        let arguments = (
            pickled::occurrences(py, &found.collect::<Vec<_>>()),
            sources.collect::<PyResult<_>>()?,
            self.query.as_ref().map(|asked| asked.1.clone()),
            self.of_several,
        );
        Ok((function(py, "found_games")?, arguments))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let hints = self.hints(py)?;
        let reasons = if hints.is_empty() {
            String::new()
        } else {
            format!("; {}", hints.join("; "))
        };
        Ok(format!("<chessdb.FoundGames: {}{reasons}>", self.found.len()))
    }
}
