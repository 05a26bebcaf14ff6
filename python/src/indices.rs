//! Integers of Python that choose from a sequence, of any size.

use std::ops::Range;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBool};

/// An integer, limited to the range of 64 bits.
#[derive(Clone, Copy)]
pub struct Int(pub i64);

impl<'py> FromPyObject<'_, 'py> for Int {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Int> {
        match object.extract::<i64>() {
            // Python takes True for 1; as an index it is a mistake.
            Ok(_) if object.is_instance_of::<PyBool>() => Err(PyTypeError::new_err(
                "'bool' object cannot be interpreted as an integer",
            )),
            Ok(number) => Ok(Int(number)),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                let number = object.call_method0("__index__")?;
                Ok(Int(if number.lt(0)? { i64::MIN } else { i64::MAX }))
            }
            Err(_) => Err(PyTypeError::new_err(format!(
                "'{}' object cannot be interpreted as an integer",
                object.get_type().name()?
            ))),
        }
    }
}

/// A number with its noun, such as `1 game` or `2 games`.
pub fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The place of Python's index in a sequence of `len`.
pub fn place(Int(index): Int, len: usize) -> Option<usize> {
    let place = match index {
        0.. => usize::try_from(index).ok()?,
        _ => len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?,
    };
    (place < len).then_some(place)
}

/// The range of Python's `[start:stop]` in a sequence of `len`.
pub fn range(start: Option<Int>, stop: Option<Int>, len: u32) -> Range<u32> {
    let bound = |Int(bound): Int| match bound {
        0.. => u32::try_from(bound).map_or(len, |bound| bound.min(len)),
        _ => u32::try_from(bound.unsigned_abs()).map_or(0, |back| len.saturating_sub(back)),
    };
    let (start, stop) = (start.map_or(0, bound), stop.map_or(len, bound));
    start..stop.max(start)
}
