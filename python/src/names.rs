//! The names of tags as keys of dicts.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use chessdb::game::Tags;

/// Maximum number of names that are kept. PGN files may have any.
const MOST: usize = 128;

/// The names of tags met so far, in the order of their first occurrence. The dicts of all games share them.
#[derive(Default)]
pub struct Names(Mutex<Vec<(String, Py<PyString>)>>);

impl Names {
    /// Tags as a dict.
    pub fn dict<'py>(&self, py: Python<'py>, tags: &Tags) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        // Nothing below runs code of Python, which could release the GIL and leave other threads waiting.
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Most games have their tags in the same order.
        let mut place = 0;
        for (name, value) in tags.iter() {
            let is_there = |(known, _): &(String, Py<PyString>)| known == name;
            let found = if names.get(place).is_some_and(is_there) {
                Some(place)
            } else {
                names.iter().position(is_there)
            };
            place = found.unwrap_or(names.len());
            if place < MOST && found.is_none() {
                names.push((name.to_owned(), PyString::intern(py, name).unbind()));
            }
            match names.get(place) {
                Some((_, name)) => dict.set_item(name, value)?,
                None => dict.set_item(name, value)?,
            }
            place += 1;
        }
        Ok(dict)
    }
}
