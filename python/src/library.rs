//! The databases of a folder.

use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList, PySlice};

use crate::arguments::{ColumnsArgument, MovesArgument, PositionArgument, QueryArgument};
use crate::database::Database;
use crate::duplicates::groups;
use crate::found::FoundGames;
use crate::indices::{Int, counted, place};
use crate::lists::list_of;
use crate::opening::{OpenArguments, Reduced, ReopenArguments, function};
use crate::rows::ChosenGames;
use crate::search::{FoundOrder, Question, Search, find, read_query};
use crate::source::Source;
use crate::table::{Columns, Table};
use chessdb_library::repertoire::Repertoires;

/// The open databases of a folder or of an archive: a sequence, sorted by name.
///
/// A database is chosen by its index or by its name, and a slice is a library of some of them. As a context manager it closes
/// all of them.
///
/// >>> import chessdb
/// >>> library = chessdb.open(".")
/// >>> library["classics.pgn"]
/// <chessdb.Database "./classics.pgn": 63 games>
/// >>> [database.name for database in library], "classics.pgn" in library
/// (['annotated.pgn', 'classics.pgn'], True)
/// >>> library[1:]
/// <chessdb.Library ".": 1 database>
#[pyclass(frozen, sequence, module = "chessdb")]
pub struct Library {
    /// With their names.
    pub databases: Vec<(String, Py<Database>)>,
    /// Paths and reasons.
    pub left_out: Vec<(String, String)>,
    /// As the user named it.
    pub path: String,
    /// How they were opened.
    pub opening: Arc<OpenArguments>,
}

#[pymethods]
impl Library {
    fn __len__(&self) -> usize {
        self.databases.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, which: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = which.extract::<String>() {
            let database = self.named(py, &name).ok_or_else(|| PyKeyError::new_err(name))?;
            return Ok(database.into_bound(py).into_any());
        }
        if let Ok(slice) = which.cast::<PySlice>() {
            let places = slice.indices(self.databases.len() as isize)?;
            let chosen = (0..places.slicelength).map(|n| places.start + places.step * n as isize);
            let chosen = chosen.filter_map(|place| self.databases.get(place as usize));
            return Ok(Bound::new(py, self.of(py, chosen))?.into_any());
        }
        let Ok(index) = which.extract::<Int>() else {
            return Err(PyTypeError::new_err(
                "databases are chosen by their name, by an integer, or by a slice of integers",
            ));
        };
        let found = place(index, self.databases.len()).and_then(|place| self.databases.get(place));
        match found {
            Some((_, database)) => Ok(database.bind(py).clone().into_any()),
            None => Err(PyIndexError::new_err(format!(
                "{}: there is no database with this index among {}",
                self.path,
                self.databases.len()
            ))),
        }
    }

    /// True for one of the databases, and for the name of one.
    fn __contains__(&self, py: Python<'_>, which: &Bound<'_, PyAny>) -> bool {
        match which.extract::<String>() {
            Ok(name) => self.named(py, &name).is_some(),
            Err(_) => self.databases.iter().any(|(_, database)| database.is(which)),
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
        columns: Option<ColumnsArgument>,
        rows: &str,
        r#where: Option<QueryArgument>,
    ) -> PyResult<Table> {
        let columns = Columns::of(rows, columns.as_ref(), true)?;
        let query = r#where.map(|query| read_query(py, &query.0)).transpose()?;
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

    /// Games of all databases that occur more than once, as `duplicates` of a database gives them.
    fn duplicates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sources: Vec<Source> = self.searches()?.into_iter().map(|search| search.source).collect();
        list_of(py, "DuplicateGroups", groups(py, &sources, self.opening.threads)?)
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

    /// A pickled library is opened again where it is unpickled, as a database is.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (ReopenArguments, Vec<String>)> {
        self.searches()?;
        let names = self.databases.iter().map(|(name, _)| name.clone());
        Ok((
            function(py, "library")?,
            (self.opening.arguments(), names.collect()),
        ))
    }

    /// A library of the databases with these names, in this order.
    fn _of(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Library> {
        let chosen = names.into_iter().map(|name| match self.named(py, &name) {
            Some(database) => Ok((name, database)),
            None => Err(PyKeyError::new_err(name)),
        });
        let chosen = chosen.collect::<PyResult<Vec<_>>>()?;
        Ok(self.of(py, chosen.iter()))
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

    fn named(&self, py: Python<'_>, name: &str) -> Option<Py<Database>> {
        let found = self.databases.iter().find(|(other, _)| other == name);
        found.map(|(_, database)| database.clone_ref(py))
    }

    /// A library of some databases of this one.
    fn of<'a>(&self, py: Python<'_>, databases: impl Iterator<Item = &'a (String, Py<Database>)>) -> Library {
        let databases = databases.map(|(name, database)| (name.clone(), database.clone_ref(py)));
        Library {
            databases: databases.collect(),
            left_out: self.left_out.clone(),
            path: self.path.clone(),
            opening: Arc::clone(&self.opening),
        }
    }

    fn all(&self, py: Python<'_>) -> Vec<Py<Database>> {
        let databases = self.databases.iter();
        databases.map(|(_, database)| database.clone_ref(py)).collect()
    }
}
