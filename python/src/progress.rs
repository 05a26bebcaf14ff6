//! How far a long search is, told to a function of Python.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBool};

/// Who is told, and how much has been done.
#[derive(Default)]
pub struct Progress {
    told: Option<Py<PyAny>>,
    /// Number of games that will have been read at the end.
    total: u64,
    done: AtomicU64,
    /// The number that was told last.
    last: AtomicU64,
}

impl Progress {
    /// Tells `progress`, which is called with the number of games that have been read and that of all. `True` is a bar of
    /// tqdm; `None` and `False` tell nobody.
    ///
    /// # Errors
    /// If tqdm cannot be imported.
    pub fn new(progress: Option<Bound<'_, PyAny>>, total: u64) -> PyResult<Progress> {
        let told = match progress {
            Some(wanted) if wanted.is_instance_of::<PyBool>() => {
                if wanted.is_truthy()? {
                    let module = wanted.py().import("chessdb._progress")?;
                    Some(module.call_method1("bar", (total,))?)
                } else {
                    None
                }
            }
            function => function,
        };
        Ok(Progress {
            told: told.map(Bound::unbind),
            total,
            ..Progress::default()
        })
    }

    /// So many more games have been read.
    pub fn add(&self, games: u64) {
        self.done.fetch_add(games, Ordering::Relaxed);
    }

    /// Tells what has been done since the last time.
    ///
    /// # Errors
    /// The exception of who is told.
    pub fn report(&self, py: Python<'_>) -> PyResult<()> {
        let done = self.done.load(Ordering::Relaxed).min(self.total);
        self.tell(py, done)
    }

    /// Tells that all is done, also if not all games had to be read.
    ///
    /// # Errors
    /// The exception of who is told.
    pub fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.tell(py, self.total)
    }

    fn tell(&self, py: Python<'_>, done: u64) -> PyResult<()> {
        if let Some(told) = &self.told
            && self.last.swap(done, Ordering::Relaxed) != done
        {
            told.call1(py, (done, self.total))?;
        }
        Ok(())
    }
}
