//! Pickles of games and results. They contain numbers, and the arguments to open the databases again.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::database::Database;
use crate::duplicates::Duplicate;
use crate::found::{Found, FoundGames};
use crate::game::Game;
use crate::games::Games;
use crate::novelty::Novelty;
use crate::opening::{OpenArguments, ReopenArguments};
use crate::position::Position;
use crate::rows::Rows;
use crate::search::{PlayedMove, PlayedMoveValues, read_query};
use crate::source::Source;
use chessdb::board::PackedMove;
use chessdb_library::lines::Occurrence;

/// A database that is opened again, with the state that its files must have then: arguments of `chessdb._open.unchanged`.
pub type PickledSource = (u64, ReopenArguments);

/// The database of a source.
pub fn source(source: &Source) -> PickledSource {
    (source.state(), OpenArguments::arguments_of(source))
}

/// Numbers of 32 bits in each occurrence, and one more for the database.
const NUMBERS: usize = 5;

/// Occurrences in databases with these numbers, as bytes.
pub fn occurrences<'py>(py: Python<'py>, found: &[(u32, Occurrence)]) -> Bound<'py, PyBytes> {
    let numbers = found.iter().flat_map(|(database, found)| {
        let next = found
            .next
            .map_or(0, |mv| 1 + u32::from(PackedMove::new(mv).bits()));
        [*database, found.game, found.ply, found.variation, next]
    });
    PyBytes::new(py, &numbers.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}

/// Restores occurrences from bytes.
///
/// # Errors
/// If the bytes are not from [`occurrences`], or a database with one of these lengths has no such game.
fn occurrences_of(bytes: &[u8], lens: &[u32]) -> PyResult<Vec<(u32, Occurrence)>> {
    let numbers = numbers_of(bytes)?;
    let (found, rest) = numbers.as_chunks::<NUMBERS>();
    if !rest.is_empty() {
        return Err(not_pickled());
    }
    let found = found.iter().map(|&[database, game, ply, variation, next]| {
        let len = lens.get(database as usize).copied().unwrap_or(0);
        if game >= len {
            return Err(not_pickled());
        }
        let next = next.checked_sub(1).and_then(|bits| u16::try_from(bits).ok());
        let next = next.map(|bits| PackedMove::of_bits(bits).unpack());
        Ok((
            database,
            Occurrence {
                game,
                ply,
                next,
                variation,
            },
        ))
    });
    found.collect()
}

/// Games in their order: their range, or their numbers as bytes.
#[derive(FromPyObject, IntoPyObject)]
pub enum PickledRows<'py> {
    All(u32, u32),
    Some(Bound<'py, PyBytes>),
}

impl<'py> PickledRows<'py> {
    pub fn of(py: Python<'py>, rows: &Rows) -> PickledRows<'py> {
        match rows {
            Rows::All(games) => PickledRows::All(games.start, games.end),
            Rows::Some(games) => {
                let bytes: Vec<u8> = games.iter().copied().flat_map(u32::to_le_bytes).collect();
                PickledRows::Some(PyBytes::new(py, &bytes))
            }
        }
    }

    fn rows(&self, len: u32) -> PyResult<Rows> {
        match self {
            PickledRows::All(start, stop) if start <= stop && *stop <= len => Ok(Rows::All(*start..*stop)),
            PickledRows::All(..) => Err(not_pickled()),
            PickledRows::Some(bytes) => {
                let games = numbers_of(bytes.as_bytes())?;
                match games.iter().all(|game| *game < len) {
                    true => Ok(Rows::Some(games.into())),
                    false => Err(not_pickled()),
                }
            }
        }
    }
}

fn numbers_of(bytes: &[u8]) -> PyResult<Vec<u32>> {
    match bytes.as_chunks() {
        (numbers, []) => Ok(numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()),
        _ => Err(not_pickled()),
    }
}

fn not_pickled() -> PyErr {
    PyValueError::new_err("these are not the pickled games of this database")
}

/// The games of a slice.
#[pyfunction]
pub fn _games(database: PyRef<'_, Database>, rows: PickledRows<'_>) -> PyResult<Games> {
    let source = database.source()?;
    let rows = rows.rows(source.len())?;
    Ok(Games::new(&source, rows, database.threads()))
}

/// A found game.
#[pyfunction]
pub fn _found(database: PyRef<'_, Database>, found: &[u8]) -> PyResult<Found> {
    let source = database.source()?;
    match occurrences_of(found, &[source.len()])?.as_slice() {
        [(_, found)] => Ok(Found::new(&source, *found)),
        _ => Err(not_pickled()),
    }
}

/// Found games of databases, which answer a query unless it is a position alone. `of_several` is true if several databases
/// were searched.
#[pyfunction]
pub fn _found_games(
    py: Python<'_>,
    databases: Vec<PyRef<'_, Database>>,
    found: &[u8],
    query: Option<String>,
    of_several: bool,
) -> PyResult<FoundGames> {
    let sources = databases
        .iter()
        .map(|database| database.source())
        .collect::<PyResult<Vec<_>>>()?;
    let lens: Vec<u32> = sources.iter().map(Source::len).collect();
    let found = occurrences_of(found, &lens)?;
    let query = match query {
        Some(text) => Some((read_query(py, &text)?, text)),
        None => None,
    };
    let threads = databases.first().map_or(1, |database| database.threads());
    Ok(FoundGames::new(found, sources.into(), of_several, query, threads))
}

/// A position of a game.
#[pyfunction]
pub fn _position(fen: &str, ply: u32, key: u64, r#move: Option<String>) -> PyResult<Position> {
    Position::of_fen(fen, ply, key, r#move).ok_or_else(not_pickled)
}

/// A row of a table of moves.
#[pyfunction]
pub fn _played_move(values: PlayedMoveValues, game: Option<Py<Game>>) -> PlayedMove {
    PlayedMove::of_values(values, game)
}

/// A novelty.
#[pyfunction]
pub fn _novelty(found: PyRef<'_, Found>, before: u32) -> Novelty {
    Novelty::new(found.clone(), before)
}

/// A game of a group of the same games.
#[pyfunction]
pub fn _duplicate(
    game: PyRef<'_, Game>,
    reason: Option<&str>,
    ply_count: u32,
    annotations: u32,
) -> PyResult<Duplicate> {
    Duplicate::of_game(&game, reason, ply_count, annotations).ok_or_else(not_pickled)
}
