//! The databases of a folder.

use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList};

use crate::arguments::{MovesArgument, PositionArgument};
use crate::database::Database;
use crate::duplicates::{Duplicate, groups};
use crate::found::FoundGames;
use crate::indices::{Int, counted, place};
use crate::opening::{Opening, OpeningArguments, function};
use crate::rows::ChosenGames;
use crate::search::{FoundOrder, Question, Search, find, read_query};
use crate::source::Source;
use crate::table::{Columns, Table};
use chessdb_library::repertoire::Repertoires;

/// The open databases of a folder or of an archive: a sequence, sorted by path.
///
/// A database is chosen by its index or by its path. As a context manager it closes all of them.
///
/// >>> import chessdb
/// >>> library = chessdb.open(".")
/// >>> library["classics.pgn"]
/// <chessdb.Database "classics.pgn": 63 games>
/// >>> [database.path for database in library]
/// ['annotated.pgn', 'classics.pgn']
#[pyclass(frozen, sequence, module = "chessdb")]
pub struct Library {
    /// With their paths.
    pub databases: Vec<(String, Py<Database>)>,
    /// Paths and reasons.
    pub left_out: Vec<(String, String)>,
    /// As the user named it.
    pub path: String,
    /// How they were opened.
    pub opening: Arc<Opening>,
}

#[pymethods]
impl Library {
    fn __len__(&self) -> usize {
        self.databases.len()
    }

    fn __getitem__(&self, py: Python<'_>, which: &Bound<'_, PyAny>) -> PyResult<Py<Database>> {
        if let Ok(path) = which.extract::<String>() {
            let found = self.databases.iter().find(|(other, _)| *other == path);
            let (_, database) = found.ok_or_else(|| PyKeyError::new_err(path))?;
            return Ok(database.clone_ref(py));
        }
        let Ok(index) = which.extract::<Int>() else {
            return Err(PyTypeError::new_err(
                "databases are chosen by their path or by an integer",
            ));
        };
        let found = place(index, self.databases.len()).and_then(|place| self.databases.get(place));
        match found {
            Some((_, database)) => Ok(database.clone_ref(py)),
            None => Err(PyIndexError::new_err(format!(
                "{}: there is no database with this index among {}",
                self.path,
                self.databases.len()
            ))),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.all(py))?.try_iter()?.into_any())
    }

    /// The games of all databases, or their positions, as a table in the memory format of Arrow, as `table` of a database gives it, with the
    /// column `database` before all others unless columns are named.
    ///
    /// >>> import chessdb, pyarrow
    /// >>> library = chessdb.open(".")
    /// >>> table = pyarrow.table(library.table(["database", "number", "White"]))
    /// >>> table.slice(16, 1).to_pylist()
    /// [{'database': 'classics.pgn', 'number': 1, 'White': 'Legall de Kermeur'}]
    #[pyo3(signature = (columns=None, *, rows="games", r#where=None))]
    fn table(
        &self,
        py: Python<'_>,
        columns: Option<Vec<String>>,
        rows: &str,
        r#where: Option<&str>,
    ) -> PyResult<Table> {
        let columns = Columns::of(rows, columns.as_deref(), true)?;
        let query = r#where.map(|text| read_query(py, text)).transpose()?;
        let are_of_player = columns.are_of_player();
        let chosen = self.searches()?.into_iter().map(|search| {
            let games = 0..search.source.len();
            ChosenGames::of(py, &search, games, query.as_ref(), are_of_player)
        });
        columns.table(py, chosen.collect::<PyResult<_>>()?, self.opening.threads)
    }

    /// The games of all databases that answer a query, or have a position, as `find` of a database gives them, database by
    /// database unless they are sorted.
    ///
    /// >>> import chessdb
    /// >>> library = chessdb.open(".")
    /// >>> [(found.game.database, found.game.number) for found in library.find(moves="e4 e5 f4 exf4")]
    /// [('classics.pgn', 7), ('classics.pgn', 48)]
    #[pyo3(signature = (query=None, *, fen=None, moves=None, pawns=None, material=None, sort=None, limit=None, progress=None))]
    #[expect(clippy::too_many_arguments)]
    fn find(
        &self,
        py: Python<'_>,
        query: Option<PositionArgument>,
        fen: Option<PositionArgument>,
        moves: Option<MovesArgument>,
        pawns: Option<String>,
        material: Option<String>,
        sort: Option<&str>,
        limit: Option<Int>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<FoundGames> {
        let order = FoundOrder::read(sort, limit)?;
        let question = Question::new(query, fen, moves, pawns, material);
        let asked = question.read(py)?;
        find(py, &self.searches()?, &asked, &order, progress)
    }

    /// Games of all databases that are there more than once, as `duplicates` of a database gives them.
    fn duplicates(&self, py: Python<'_>) -> PyResult<Vec<Vec<Duplicate>>> {
        let sources: Vec<Source> = self.searches()?.into_iter().map(|search| search.source).collect();
        groups(py, &sources, self.opening.threads)
    }

    /// The path as it was given.
    #[getter]
    fn path(&self) -> &str {
        &self.path
    }

    /// What looked like a database or might have contained one but is not there, with the reasons.
    #[getter]
    fn left_out(&self) -> Vec<(String, String)> {
        self.left_out.clone()
    }

    /// Closes all databases.
    fn close(&self) {
        self.databases
            .iter()
            .for_each(|(_, database)| database.get().close());
    }

    /// True if a database has been closed.
    #[getter]
    fn closed(&self) -> bool {
        self.databases.iter().any(|(_, database)| database.get().closed())
    }

    fn __enter__(slf: Py<Self>) -> PyResult<Py<Self>> {
        slf.get().searches()?;
        Ok(slf)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, OpeningArguments)> {
        self.searches()?;
        Ok((function(py, "again")?, self.opening.arguments()))
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        let databases = counted(self.databases.len(), "database");
        format!("<chessdb.Library {:?}: {databases}>", self.path)
    }
}

impl Library {
    /// How the databases are searched.
    fn searches(&self) -> PyResult<Vec<Search>> {
        let databases = self.databases.iter();
        let searches = databases.map(|(_, database)| database.get().search());
        let mut searches = searches.collect::<PyResult<Vec<_>>>()?;
        let entries = searches.iter().map(|search| Arc::clone(&search.source.entry));
        let repertoires = Arc::new(Repertoires::of(entries, self.opening.threads));
        for search in &mut searches {
            search.repertoires = Arc::clone(&repertoires);
        }
        Ok(searches)
    }

    fn all(&self, py: Python<'_>) -> Vec<Py<Database>> {
        let databases = self.databases.iter();
        databases.map(|(_, database)| database.clone_ref(py)).collect()
    }
}
