//! Progress of a long search, reported to a Python function.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBool};

/// The function that is called, and how much has been done.
#[derive(Default)]
pub struct Progress {
    function: Option<Py<PyAny>>,
    /// Number of games that will have been read at the end.
    total: u64,
    done: AtomicU64,
    /// The number that was reported last.
    last: AtomicU64,
}

impl Progress {
    /// Reports to `progress`, a function that takes the number of games read so far and their total. `True` shows a tqdm
    /// bar; `None` and `False` report nothing.
    ///
    /// # Errors
    /// If tqdm cannot be imported.
    pub fn new(progress: Option<Bound<'_, PyAny>>, total: u64) -> PyResult<Progress> {
        let function = match progress {
            Some(wanted) if wanted.is_instance_of::<PyBool>() => {
                if wanted.is_truthy()? {
                    let module = wanted.py().import("chessdb._progress")?;
                    Some(module.call_method1("bar", (total,))?)
                } else {
                    None
                }
            }
            given => given,
        };
        Ok(Progress {
            function: function.map(Bound::unbind),
            total,
            ..Progress::default()
        })
    }

    /// Adds `games` games to those that have been read.
    pub fn add(&self, games: u64) {
        self.done.fetch_add(games, Ordering::Relaxed);
    }

    /// Reports progress, if there was any since the last report.
    ///
    /// # Errors
    /// The exception that the function raises.
    pub fn report(&self, py: Python<'_>) -> PyResult<()> {
        let done = self.done.load(Ordering::Relaxed).min(self.total);
        self.call(py, done)
    }

    /// Reports that all is done, even if not all games had to be read.
    ///
    /// # Errors
    /// The exception that the function raises.
    pub fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.call(py, self.total)
    }

    fn call(&self, py: Python<'_>, done: u64) -> PyResult<()> {
        if let Some(function) = &self.function
            && self.last.swap(done, Ordering::Relaxed) != done
        {
            function.call1(py, (done, self.total))?;
        }
        Ok(())
    }
}
