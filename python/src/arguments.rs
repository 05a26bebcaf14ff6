//! Positions and moves as arguments: texts, or objects of this package or python-chess.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes, PyString};

/// The text of an object; `None` if it is not a `str`.
///
/// # Errors
/// If it has a lone surrogate, which UTF-8 cannot represent.
fn text_of(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let Ok(text) = object.cast::<PyString>() else {
        return Ok(None);
    };
    match text.to_cow() {
        Ok(text) => Ok(Some(text.into_owned())),
        Err(error) => {
            let place: usize = error.value(text.py()).getattr("start")?.extract()?;
            let number: u32 = text
                .py()
                .import("builtins")?
                .call_method1("ord", (text.get_item(place)?,))?
                .extract()?;
            Err(PyValueError::new_err(format!(
                "character {} of the text is the lone surrogate U+{number:04X}, which no text of a game has",
                place + 1
            )))
        }
    }
}

/// A query.
pub struct QueryArgument(pub String);

impl<'py> FromPyObject<'_, 'py> for QueryArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<QueryArgument> {
        match text_of(&object)? {
            Some(text) => Ok(QueryArgument(text)),
            None => {
                let kind = object.get_type().name()?;
                Err(PyTypeError::new_err(format!("a query is a text, not '{kind}'")))
            }
        }
    }
}

/// The names of columns; a text is one of them.
pub struct ColumnsArgument(pub Vec<String>);

impl<'py> FromPyObject<'_, 'py> for ColumnsArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<ColumnsArgument> {
        if let Some(name) = text_of(&object)? {
            return Ok(ColumnsArgument(vec![name]));
        }
        let name = |name: PyResult<Bound<'py, PyAny>>| {
            let name = name?;
            let kind = name.get_type().name()?;
            text_of(&name)?
                .ok_or_else(|| PyTypeError::new_err(format!("the name of a column is a text, not '{kind}'")))
        };
        let names = object.try_iter()?.map(name).collect::<PyResult<_>>()?;
        Ok(ColumnsArgument(names))
    }
}

/// A position: a FEN, a `chess.Board`, or a `Position` of a game.
pub struct PositionArgument(pub String);

impl<'py> FromPyObject<'_, 'py> for PositionArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<PositionArgument> {
        if let Some(text) = text_of(&object)? {
            return Ok(PositionArgument(text));
        }
        let Some(fen) = object.getattr_opt("fen")? else {
            return Err(PyTypeError::new_err(format!(
                "a position is a text or a chess.Board, not '{}'",
                object.get_type().name()?
            )));
        };
        let fen = if fen.is_callable() { fen.call0()? } else { fen };
        Ok(PositionArgument(fen.extract()?))
    }
}

/// Moves from the initial position: a text, a sequence of texts or of `chess.Move`, or bytes as in `Game.plies`.
pub struct MovesArgument(pub String);

impl<'py> FromPyObject<'_, 'py> for MovesArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<MovesArgument> {
        if let Some(text) = text_of(&object)? {
            return Ok(MovesArgument(text));
        }
        let words = match object.cast::<PyBytes>() {
            Ok(plies) => words_of(plies.as_bytes())?,
            Err(_) => object
                .try_iter()?
                .map(|mv| word_of(&mv?))
                .collect::<PyResult<_>>()?,
        };
        Ok(MovesArgument(words.join(" ")))
    }
}

/// A move as a text.
fn word_of(mv: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Some(text) = text_of(mv)? {
        return Ok(text);
    }
    match mv.getattr_opt("uci")? {
        Some(uci) => uci.call0()?.extract(),
        None => Err(PyTypeError::new_err(format!(
            "a move is a text or a chess.Move, not '{}'",
            mv.get_type().name()?
        ))),
    }
}

/// Moves in two bytes each, in the notation of UCI.
fn words_of(plies: &[u8]) -> PyResult<Vec<String>> {
    let (plies, rest) = plies.as_chunks();
    if !rest.is_empty() {
        return Err(PyValueError::new_err("moves: a move takes two bytes"));
    }
    let square = |place: u16| {
        let letter = |first: u8, number: u16| char::from(first + (number & 7) as u8);
        format!("{}{}", letter(b'a', place), letter(b'1', place >> 3))
    };
    let word = |&ply: &[u8; 2]| match u16::from_le_bytes(ply) {
        0 => "0000".to_owned(),
        ply => {
            let promotion = ["", "n", "b", "r", "q"]
                .get(usize::from(ply >> 12))
                .unwrap_or(&"?");
            format!("{}{}{promotion}", square(ply >> 6), square(ply))
        }
    };
    Ok(plies.iter().map(word).collect())
}
