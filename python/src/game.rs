//! One game.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::blocks::{Texts, tags_of_games};
use crate::opening::{Reduced, function};
use crate::parts::Problem;
use crate::pickled::{self, PickledSource};
use crate::position::{Position, positions_of};
use crate::source::Source;
use crate::tokens::{to_list, values_of, with_pawns};
use chessdb::Database;
use chessdb::board::Uci;
use chessdb_library::annotations::{clocks, evaluations};
use chessdb_library::library::{problems_of, to_pgn};
use chessdb_library::polyglot;

/// Names and values of headers, and the movetext as a list.
type Values<'py> = (Vec<(String, String)>, Bound<'py, PyList>);

/// A game of a database.
///
/// Each of its methods and properties decodes it anew, but headers and texts of consecutive games are decoded some
/// games ahead. It keeps the database open.
///
/// >>> import chessdb
/// >>> game = chessdb.open_database("classics.pgn")[0]
/// >>> game
/// <chessdb.Game 1 of classics.pgn>
#[pyclass(frozen, module = "chessdb")]
pub struct Game {
    source: Source,
    index: u32,
}

impl Game {
    /// Its database, and its number there from 0.
    pub fn place(&self) -> (&Source, u32) {
        (&self.source, self.index)
    }

    /// The game with an index, which must be below the number of games.
    pub fn new(source: &Source, index: u32) -> Game {
        Game {
            source: source.clone(),
            index,
        }
    }
}

#[pymethods]
impl Game {
    /// Number of the game in its database, from 1, as in names of files and in `problems.txt`.
    #[getter]
    pub fn number(&self) -> u64 {
        u64::from(self.index) + 1
    }

    /// Path of its database below the folder that was opened; the name of its main file if that database was opened alone.
    #[getter]
    fn database(&self) -> &str {
        self.source.entry.name()
    }

    /// The tags as a dict, in the order of PGN: the roster of seven, then all others by name.
    ///
    /// Values are plain text, without the escapes that PGN has for quotation marks.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let shared = &self.source.shared;
        let decode = |games| self.source.read(py, |entry| tags_of_games(entry, games));
        let (tags, place) = shared.headers.get(self.index, self.source.len(), decode)?;
        let tags = tags.get(place);
        tags.map_or_else(|| Ok(PyDict::new(py)), |tags| shared.names.dict(py, tags))
    }

    /// The game as PGN, with all its variations, comments and glyphs.
    ///
    /// It is the text that a mount shows and that `pgnfs export` writes.
    ///
    /// >>> import chessdb
    /// >>> print(chessdb.open_database("classics.pgn")[0].pgn().splitlines()[4])
    /// [White "Legall de Kermeur"]
    fn pgn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let decode = |games| self.source.read(py, |entry| Texts::of(entry, games));
        let texts = &self.source.shared.texts;
        let (texts, place) = texts.get(self.index, self.source.len(), decode)?;
        texts.to_str(py, place)
    }

    /// The moves of the main line as UCI, with `0000` for a null move.
    ///
    /// >>> import chessdb
    /// >>> chessdb.open_database("classics.pgn")[0].moves()[-1]
    /// 'c3d5'
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let index = self.index;
        self.source.read(py, |entry| moves_of(&*entry.database, index))
    }

    /// The moves of the main line, two bytes each, as in Polyglot's opening books but in little endian.
    ///
    /// Bits 0 to 5 are the target, 6 to 11 the origin (a1 is 0, h8 is 63), and 12 to 14 the promotion: 1 knight, 2 bishop,
    /// 3 rook, 4 queen. Castling is the king taking its own rook, and 0 is a null move.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let index = self.index;
        let plies = self.source.read(py, |entry| {
            let mut plies = Vec::new();
            append_plies(&mut plies, &*entry.database, index);
            plies
        })?;
        Ok(PyBytes::new(py, &plies))
    }

    /// The positions of the main line, from the start to the last move.
    ///
    /// Empty if the game has no position, because its set-up cannot be played.
    ///
    /// >>> import chessdb
    /// >>> first, *_ = chessdb.open_database("classics.pgn")[0].positions()
    /// >>> hex(first.key), first.fen
    /// ('0x463b96181691fc9c', 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1')
    fn positions(&self, py: Python<'_>) -> PyResult<Vec<Position>> {
        let index = self.index;
        self.source
            .read(py, |entry| positions_of(&*entry.database, index))
    }

    /// The time left on the clock after each half-move of the main line, in seconds; `None` where no comment says it.
    ///
    /// >>> import chessdb
    /// >>> chessdb.open_database("annotated.pgn")[0].clocks()[:2]
    /// [None, None]
    fn clocks(&self, py: Python<'_>) -> PyResult<Vec<Option<f64>>> {
        let index = self.index;
        let times = self.source.read(py, |entry| clocks(&*entry.database, index))?;
        let seconds = times.into_iter().map(|time| Some(f64::from(time?) / 100.0));
        Ok(seconds.collect())
    }

    /// The evaluation after each half-move of the main line, in hundredths of a pawn from White's side; `None` where no comment
    /// says it. A mate in n is 32,000 - n, and negative if Black mates.
    ///
    /// >>> import chessdb
    /// >>> chessdb.open_database("annotated.pgn")[0].evals()[:2]
    /// [None, None]
    fn evals(&self, py: Python<'_>) -> PyResult<Vec<Option<i32>>> {
        let index = self.index;
        self.source.read(py, |entry| evaluations(&*entry.database, index))
    }

    /// What is wrong with the game. Each problem is also a remark in its text, unless that is shown as it is written in a PGN
    /// file.
    #[getter]
    fn problems(&self, py: Python<'_>) -> PyResult<Vec<Problem>> {
        let index = self.index;
        let problems = self.source.read(py, |entry| problems_of(entry, index))?;
        Ok(problems.iter().map(Problem::from).collect())
    }

    /// The game as a `chess.pgn.Game` of python-chess, equal to what that reads from the game in export form, with all evaluations
    /// in pawns.
    ///
    /// >>> import chessdb
    /// >>> game = chessdb.open_database("classics.pgn")[0].to_chess()
    /// >>> game.end().san()
    /// 'Nd5#'
    fn to_chess<'py>(slf: &Bound<'py, Game>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("chessdb._to_chess")?;
        module.call_method1("to_chess", (slf,))
    }

    /// The PGN in export form, also of a game that `pgn` shows as it is written. Evaluations are in pawns.
    fn _export<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let index = self.index;
        let text = self
            .source
            .read(py, |entry| to_pgn(&with_pawns(&*entry.database, index)))?;
        PyString::from_bytes(py, &text)
    }

    /// Headers and movetext for `to_chess`; `None` if python-chess has to read the PGN.
    fn _values<'py>(&self, py: Python<'py>) -> PyResult<Option<Values<'py>>> {
        let index = self.index;
        let values = self.source.read(py, |entry| values_of(&*entry.database, index))?;
        values
            .map(|(headers, values)| Ok((headers, to_list(py, values)?)))
            .transpose()
    }

    /// Games are equal if they have the same number in the same files, which were opened with the same options.
    fn __eq__(&self, other: PyRef<'_, Game>) -> bool {
        self.index == other.index && self.source.is_same(&other.source)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.index, self.source.own_name()).hash(&mut hasher);
        hasher.finish()
    }

    /// A pickled game is read again where it is unpickled, from a database that is opened once for all its games. If that
    /// has changed, there is an error.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (u32, PickledSource)> {
        let arguments = (self.index, pickled::source(&self.source));
        Ok((function(py, "game")?, arguments))
    }

    fn __repr__(&self) -> String {
        format!("<chessdb.Game {} of {}>", self.number(), self.source.entry.name())
    }
}

fn moves_of(database: &dyn Database, game: u32) -> Vec<String> {
    let mut moves = Vec::new();
    let mut is_chess960 = database.tags(game).is_chess960();
    database.main_line(game, &mut |ply| {
        let (position, mv) = (&ply.before(), ply.mv);
        is_chess960 |= ply.number == 0 && position.is_chess960();
        let uci = Uci {
            position,
            mv,
            is_chess960,
        };
        moves.push(uci.to_string());
        ControlFlow::Continue(())
    });
    moves
}

/// Appends the moves of the main line, two bytes each.
fn append_plies(plies: &mut Vec<u8>, database: &dyn Database, game: u32) {
    database.main_line(game, &mut |ply| {
        plies.extend_from_slice(&polyglot::ply(&ply.before(), ply.mv).to_le_bytes());
        ControlFlow::Continue(())
    });
}
