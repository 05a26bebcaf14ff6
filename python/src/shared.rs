//! The state of an iterator that several threads may use.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

/// A state that one thread uses at a time. The others wait without the GIL, which the first may need.
pub struct Shared<T> {
    state: Mutex<T>,
    /// The thread that uses the state. Locked only for moments, also while `state` is locked.
    user: Mutex<Option<ThreadId>>,
}

impl<T: Send> Shared<T> {
    /// A state that no thread uses yet.
    pub fn new(state: T) -> Shared<T> {
        Shared {
            state: Mutex::new(state),
            user: Mutex::default(),
        }
    }

    /// Calls `work` with the state.
    ///
    /// # Errors
    /// If `work` fails, and ValueError if `work` runs in this thread already: while it checks for signals, a handler
    /// may call anything, this object included.
    pub fn with<R>(&self, py: Python<'_>, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        let own = thread::current().id();
        if self.user() == Some(own) {
            return Err(PyValueError::new_err("iterator already executing"));
        }
        let mut state = self
            .state
            .lock_py_attached(py)
            .unwrap_or_else(PoisonError::into_inner);
        let _use = Use::new(&self.user, own);
        work(&mut state)
    }

    /// The thread that uses the state.
    fn user(&self) -> Option<ThreadId> {
        *self.user.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The use of a state by a thread. Ends when it is dropped, also by a panic, which is an exception in Python.
struct Use<'a>(&'a Mutex<Option<ThreadId>>);

impl Use<'_> {
    fn new(user: &Mutex<Option<ThreadId>>, thread: ThreadId) -> Use<'_> {
        *user.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Use(user)
    }
}

impl Drop for Use<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
