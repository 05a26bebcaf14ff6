//! Novelties: the first move of a game that leads to a position that no earlier game has.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::aside::aside;
use crate::found::Found;
use crate::game::Game;
use crate::progress::Progress;
use crate::search::Search;

/// The novelty of a game: the first move that leads to a position that no earlier game has.
#[pyclass(frozen, eq, hash, module = "chessdb")]
#[derive(PartialEq, Hash)]
pub struct Novelty {
    found: Found,
    /// Number of earlier games that have the position in which it was played.
    #[pyo3(get)]
    before: u32,
}

#[pymethods]
impl Novelty {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.found.game()
    }

    /// Number of moves before it.
    #[getter]
    fn ply(&self) -> u32 {
        self.found.ply()
    }

    /// The move as SAN.
    #[getter]
    fn san(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.found.san(py)
    }

    /// The moves before it, as SAN.
    #[getter]
    fn line(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.found.line(py)
    }

    fn __repr__(&self) -> String {
        let (game, ply, before) = (self.game().number(), self.ply(), self.before);
        format!("<chessdb.Novelty: game {game}, ply {ply}, {before} before>")
    }
}

/// The novelties of a database that has its index, in its order.
///
/// # Errors
/// The exception of a signal handler or of a report of progress, after which the search ends; those of `Source::checked`.
pub fn novelties(py: Python<'_>, search: &Search, progress: &Progress) -> PyResult<Vec<Novelty>> {
    let found = aside(py, &search.source, progress, |_, done| {
        search.part.novelties(done)
    })?;
    let found = found.map_err(|error| PyOSError::new_err(error.to_string()))?;
    let novelties = found.into_iter().map(|novelty| Novelty {
        found: Found::new(&search.source, novelty.found),
        before: novelty.before,
    });
    Ok(novelties.collect())
}
