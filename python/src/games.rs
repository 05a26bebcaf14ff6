//! Some games of a database, such as a slice.

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PySlice};

use crate::arguments::ColumnsArgument;
use crate::batches::{Batches, GameIterator, HeadersIterator, PgnIterator};
use crate::game::Game;
use crate::indices::{Int, counted, place};
use crate::opening::{Reduced, function};
use crate::pickled::{self, PickledRows, PickledSource};
use crate::rows::{ChosenGames, Rows, no_player};
use crate::source::Source;
use crate::table::{Columns, Table};

/// Some games of a database, in an order: a sequence of `Game`. A slice of a database is one, and holds no game in memory.
///
/// >>> import chessdb
/// >>> database = chessdb.open_database("classics.pgn")
/// >>> last = database[::-1]
/// >>> last
/// <chessdb.Games: 63 games of classics.pgn>
/// >>> last[0] == database[62], len(last[:10])
/// (True, 10)
#[pyclass(frozen, sequence, module = "chessdb")]
pub struct Games {
    chosen: ChosenGames,
    /// Number of threads that read them.
    threads: usize,
}

impl Games {
    /// Some games of a database.
    pub fn new(source: &Source, rows: Rows, threads: usize) -> Games {
        Games {
            chosen: ChosenGames::new(source, rows),
            threads,
        }
    }

    fn batches(&self) -> Batches {
        Batches::new(vec![self.chosen.clone()], self.threads)
    }

    /// A game by its place, or the games of a slice.
    ///
    /// # Errors
    /// `TypeError` and `IndexError`.
    pub fn item<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let ChosenGames { source, rows, .. } = &self.chosen;
        if let Ok(slice) = index.cast::<PySlice>() {
            let rows = rows.slice(&slice.indices(rows.len() as isize)?);
            return Ok(Bound::new(py, Games::new(source, rows, self.threads))?.into_any());
        }
        let Ok(index) = index.extract::<Int>() else {
            return Err(PyTypeError::new_err(
                "games are chosen by an integer or a slice of integers",
            ));
        };
        match place(index, rows.len() as usize) {
            Some(place) => Ok(Bound::new(py, Game::new(source, rows.game(place as u32)))?.into_any()),
            None => Err(PyIndexError::new_err(format!(
                "{}: there is no game with this index among {}",
                source.entry.name(),
                rows.len()
            ))),
        }
    }
}

#[pymethods]
impl Games {
    fn __len__(&self) -> usize {
        self.chosen.rows.len() as usize
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.item(py, index)
    }

    pub fn __iter__(&self) -> GameIterator {
        GameIterator::new(self.chosen.clone())
    }

    /// An iterator over the headers of the games, as dicts.
    pub fn headers(&self) -> HeadersIterator {
        HeadersIterator::new(self.batches())
    }

    /// An iterator over the PGN of the games, as texts.
    pub fn pgn(&self) -> PgnIterator {
        PgnIterator::new(self.batches())
    }

    /// The games, or their positions, as a table in the memory format of Arrow, as `table` of a database gives it.
    ///
    /// >>> import chessdb, pyarrow
    /// >>> database = chessdb.open_database("classics.pgn")
    /// >>> pyarrow.table(database[12::2].table(["number", "White"])).slice(0, 1).to_pylist()
    /// [{'number': 13, 'White': 'Morphy, Paul'}]
    #[pyo3(signature = (columns=None, *, rows="games"))]
    fn table(&self, py: Python<'_>, columns: Option<ColumnsArgument>, rows: &str) -> PyResult<Table> {
        let columns = Columns::of(rows, columns.as_ref(), false)?;
        if columns.are_of_player() {
            return Err(no_player());
        }
        columns.table(py, vec![self.chosen.clone()], self.threads)
    }

    /// Pickled games are read again where they are unpickled, as one game is.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (PickledRows<'py>, PickledSource)> {
        let ChosenGames { source, rows, .. } = &self.chosen;
        let arguments = (PickledRows::of(py, rows), pickled::source(source));
        Ok((function(py, "games")?, arguments))
    }

    fn __repr__(&self) -> String {
        let games = counted(self.__len__(), "game");
        format!("<chessdb.Games: {games} of {}>", self.chosen.source.entry.name())
    }
}
