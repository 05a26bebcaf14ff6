//! The databases of a folder.

use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::database::Database;

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
}

/// How a database of a library is chosen.
#[derive(FromPyObject)]
enum Which {
    Path(String),
    Index(isize),
}

#[pymethods]
impl Library {
    fn __len__(&self) -> usize {
        self.databases.len()
    }

    fn __getitem__(&self, py: Python<'_>, which: Which) -> PyResult<Py<Database>> {
        let found = match &which {
            Which::Path(path) => self.databases.iter().find(|(other, _)| other == path),
            Which::Index(index) => {
                let back = |index: isize| index.checked_add_unsigned(self.databases.len());
                let place = if *index < 0 { back(*index) } else { Some(*index) };
                let place = place.and_then(|place| usize::try_from(place).ok());
                place.and_then(|place| self.databases.get(place))
            }
        };
        match (found, which) {
            (Some((_, database)), _) => Ok(database.clone_ref(py)),
            (None, Which::Path(path)) => Err(PyKeyError::new_err(path)),
            (None, Which::Index(index)) => Err(PyIndexError::new_err(format!(
                "{}: there is no database with index {index} among {}",
                self.path,
                self.databases.len()
            ))),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.all(py))?.try_iter()?.into_any())
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

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        format!(
            "<chessdb.Library {:?}: {} databases>",
            self.path,
            self.databases.len()
        )
    }
}

impl Library {
    fn all(&self, py: Python<'_>) -> Vec<Py<Database>> {
        let databases = self.databases.iter();
        databases.map(|(_, database)| database.clone_ref(py)).collect()
    }
}
