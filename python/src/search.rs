//! Searching for positions, in the index of positions or in all games. These are read in chunks, without the GIL;
//! Ctrl-C ends a search. The index is only used where it answers in milliseconds: it would read the games of all other
//! questions in one thread.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::Game;
use crate::in_chunks::in_chunks;
use crate::index::KeptIndex;
use crate::source::Source;
use chessdb_library::positions::{
    Damaged, Index, Material, MoveRow, MovesScan, MovesTable, Pattern, Pawns, Wanted, WantedError, san_of,
    scan_part,
};

/// Number of games in a chunk.
const CHUNK: u32 = 4096;

/// The first occurrence of a position in a game.
#[pyclass(frozen, module = "chessdb")]
pub struct Found {
    source: Source,
    found: chessdb_library::positions::Occurrence,
}

#[pymethods]
impl Found {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game::new(&self.source, self.found.game)
    }

    /// Number of moves before the position.
    #[getter]
    fn ply(&self) -> u32 {
        self.found.ply
    }

    /// The move played in the position, as SAN; `None` if the game ends there.
    #[getter]
    fn san(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let found = self.found;
        let san = self.source.read(py, |entry| san_of(&*entry.database, &found))?;
        Ok(Some(san).filter(|san| !san.is_empty()))
    }

    fn __repr__(&self) -> String {
        format!(
            "<chessdb.Found: game {}, ply {}>",
            u64::from(self.found.game) + 1,
            self.found.ply
        )
    }
}

/// A move in the table of a position, with the games in which it was played there.
#[pyclass(frozen, get_all, module = "chessdb")]
pub struct PlayedMove {
    /// The move as SAN, `null` for a null move; `None` for the games that end in the position.
    san: Option<String>,
    /// The move as UCI, `0000` for a null move.
    uci: Option<String>,
    /// Number of games.
    games: u32,
    /// Number of games won by White.
    white: u32,
    /// Number of draws.
    draws: u32,
    /// Number of games won by Black.
    black: u32,
    /// White's points in percent of the games with a result.
    score: Option<f64>,
    /// Mean rating of the side that moves.
    elo: Option<u32>,
    /// The rating that corresponds to the results of the side that moves.
    performance: Option<i32>,
    /// Year of the first game.
    first: Option<u16>,
    /// Year of the last game.
    last: Option<u16>,
    /// Number of games with the position after the move, whatever moves led there.
    reached: u32,
    /// The most frequent opening code.
    eco: Option<String>,
    /// The first game in which the move was played here, or else the first one with the position after it.
    game: Option<Py<Game>>,
}

#[pymethods]
impl PlayedMove {
    fn __repr__(&self) -> String {
        let san = self.san.as_deref().unwrap_or("end");
        format!("<chessdb.PlayedMove {san}: {} games>", self.games)
    }
}

impl PlayedMove {
    fn new(py: Python<'_>, source: &Source, row: MoveRow) -> PyResult<PlayedMove> {
        let text = |text: String| Some(text).filter(|text| !text.is_empty());
        let tally = row.tally;
        let game = row.game.map(|game| Py::new(py, Game::new(source, game)));
        Ok(PlayedMove {
            san: text(row.san),
            uci: text(row.uci),
            games: tally.games,
            white: tally.white,
            draws: tally.draws,
            black: tally.black,
            score: tally.score(),
            elo: tally.elo(),
            performance: tally.performance(),
            first: tally.first,
            last: tally.last,
            reached: row.reached,
            eco: tally.eco().map(|eco| eco.as_str().to_owned()),
            game: game.transpose()?,
        })
    }
}

/// What is searched for. One field is set.
pub struct Question {
    pub fen: Option<String>,
    pub moves: Option<String>,
    pub pawns: Option<String>,
    pub material: Option<String>,
}

impl Question {
    /// The criterion.
    ///
    /// # Errors
    /// If it is invalid, or there is not exactly one.
    pub fn wanted(&self) -> PyResult<Wanted> {
        type Read = fn(&str) -> Result<Wanted, WantedError>;
        let readers: [(&str, &Option<String>, Read); 4] = [
            ("fen", &self.fen, |text| {
                Pattern::parse(text).map(Wanted::Position)
            }),
            ("moves", &self.moves, |text| {
                Pattern::of_moves(text).map(Wanted::Position)
            }),
            ("pawns", &self.pawns, |text| Pawns::parse(text).map(Wanted::Pawns)),
            ("material", &self.material, |text| {
                Material::parse(text).map(Wanted::Material)
            }),
        ];
        let given = readers
            .into_iter()
            .filter_map(|(name, text, read)| Some((name, text.as_deref()?, read)));
        match given.collect::<Vec<_>>().as_slice() {
            [(name, text, read)] => {
                read(text).map_err(|error| PyValueError::new_err(format!("{name}: {error}")))
            }
            _ => Err(PyValueError::new_err(
                "say what to find by one of fen, moves, pawns and material",
            )),
        }
    }
}

/// How a database is searched.
pub struct Search {
    pub source: Source,
    /// Answers without reading all games.
    pub index: Option<Arc<KeptIndex>>,
    /// Number of threads that read all games.
    pub threads: usize,
}

impl Search {
    /// The answer of the index. `None` without an index, if that is damaged, or if castling rights or en passant do
    /// not count: then all games have to be read.
    fn of_index<T: Send>(
        &self,
        py: Python<'_>,
        wanted: &Wanted,
        ask: impl FnOnce(&Index) -> Result<T, Damaged> + Send,
    ) -> PyResult<Option<T>> {
        let is_exact = matches!(wanted, Wanted::Position(pattern) if pattern.is_exact());
        match &self.index {
            Some(index) if is_exact => self.source.read(py, |entry| index.answer(entry, ask)),
            _ => Ok(None),
        }
    }
}

/// The games with a match.
pub fn find(py: Python<'_>, search: &Search, wanted: &Wanted) -> PyResult<Vec<Found>> {
    let found = match search.of_index(py, wanted, |index| index.find(wanted))? {
        Some(found) => found,
        None => found(py, search, wanted)?,
    };
    let source = &search.source;
    let found = found.into_iter().map(|found| Found {
        source: source.clone(),
        found,
    });
    Ok(found.collect())
}

fn found(
    py: Python<'_>,
    search: &Search,
    wanted: &Wanted,
) -> PyResult<Vec<chessdb_library::positions::Occurrence>> {
    let source = &search.source;
    let database = &*source.entry.database;
    let parts = in_chunks(py, source, 0..source.len(), CHUNK, search.threads, |games| {
        scan_part(database, wanted, games)
    })?;
    Ok(parts.concat())
}

/// The moves that were played in a position.
pub fn moves_table(py: Python<'_>, search: &Search, question: &Question) -> PyResult<Vec<PlayedMove>> {
    let wanted = question.wanted()?;
    let Wanted::Position(pattern) = &wanted else {
        return Err(PyValueError::new_err("a table of moves needs fen or moves"));
    };
    let table = match search.of_index(py, &wanted, |index| index.moves(pattern))? {
        Some(table) => table,
        None => scanned_table(py, search, pattern, &wanted)?,
    };
    let rows = table.rows.into_iter();
    rows.map(|row| PlayedMove::new(py, &search.source, row)).collect()
}

fn scanned_table(
    py: Python<'_>,
    search: &Search,
    pattern: &Pattern,
    wanted: &Wanted,
) -> PyResult<MovesTable> {
    let source = &search.source;
    let database = &*source.entry.database;
    let found = found(py, search, wanted)?;
    let scan = source.read(py, |_| MovesScan::new(database, pattern, &found))?;
    let parts = in_chunks(py, source, 0..source.len(), CHUNK, search.threads, |games| {
        scan.part(database, games)
    })?;
    Ok(py.detach(|| scan.table(&parts)))
}
