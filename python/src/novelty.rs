//! Novelties: the first move of a game that leads to a position that no earlier game has.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::detached_work::detached;
use crate::found::Found;
use crate::game::Game;
use crate::opening::{Reduced, function};
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

impl Novelty {
    /// A novelty, and the number of earlier games with the position before it.
    pub fn new(found: Found, before: u32) -> Novelty {
        Novelty { found, before }
    }

    /// Number of earlier games with the position before it.
    pub fn before(&self) -> u32 {
        self.before
    }

    /// The place of the novelty.
    pub fn found(&self) -> &Found {
        &self.found
    }
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

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Found, u32)> {
        Ok((function(py, "novelty")?, (self.found.clone(), self.before)))
    }

    fn __repr__(&self) -> String {
        let (game, ply, before) = (self.game().number(), self.ply(), self.before);
        format!("<chessdb.Novelty: game {game}, ply {ply}, {before} before>")
    }
}

/// The novelties of a database that has its index, in its order.
///
/// # Errors
/// The exception of a signal handler or of a report of progress, which ends the search; as for `Source::checked`.
pub fn novelties(py: Python<'_>, search: &Search, progress: &Progress) -> PyResult<Vec<Novelty>> {
    let found = detached(py, &search.source, progress, |_, done| {
        search.part.novelties(done)
    })?;
    let found = found.map_err(|error| PyOSError::new_err(error.to_string()))?;
    let novelties = found
        .into_iter()
        .map(|novelty| Novelty::new(Found::new(&search.source, novelty.found), novelty.before));
    Ok(novelties.collect())
}
