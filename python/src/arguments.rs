//! Positions and moves as arguments: texts, or what this package and python-chess have for them.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes};

/// A position: a FEN, a `chess.Board`, or a `Position` of a game.
pub struct PositionArgument(pub String);

impl<'py> FromPyObject<'_, 'py> for PositionArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<PositionArgument> {
        if let Ok(text) = object.extract() {
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
        if let Ok(text) = object.extract() {
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
    if let Ok(text) = mv.extract() {
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
