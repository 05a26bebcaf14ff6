//! The positions of a game's main line.

use std::ops::ControlFlow;

use pyo3::prelude::*;

use crate::opening::{Reduced, function};
use chessdb::Database;
use chessdb::board::{Counters, Fen, Position as Board, Setup, Uci};

/// A position of a game.
#[pyclass(frozen, module = "chessdb")]
pub struct Position {
    setup: Setup,
    /// Number of moves before it.
    #[pyo3(get)]
    ply: u32,
    /// Its Zobrist key, as in Polyglot's opening books.
    #[pyo3(get)]
    key: u64,
    /// The move that led to the position, as UCI; `None` for the first position.
    #[pyo3(get)]
    r#move: Option<String>,
}

#[pymethods]
impl Position {
    /// The position as FEN, with the en passant square after every double step.
    #[getter]
    fn fen(&self) -> String {
        Fen::text(&self.setup)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String, u32, u64, Option<String>)> {
        let arguments = (self.fen(), self.ply, self.key, self.r#move.clone());
        Ok((function(py, "position")?, arguments))
    }

    fn __repr__(&self) -> String {
        format!("<chessdb.Position {}: {}>", self.ply, self.fen())
    }
}

impl Position {
    /// A position that was pickled; `None` if its FEN is not one.
    pub fn of_fen(fen: &str, ply: u32, key: u64, r#move: Option<String>) -> Option<Position> {
        Some(Position {
            setup: Fen::setup(fen).ok()?,
            ply,
            key,
            r#move,
        })
    }
}

/// The positions of a game, from the start to the last move. Empty if the game has no position.
pub fn positions_of(database: &dyn Database, game: u32) -> Vec<Position> {
    let tags = database.tags(game);
    let fen = tags.start();
    let first = tags.get("FEN").and_then(|text| Fen::setup(text).ok());
    let mut counters = first.as_ref().map_or_else(Counters::default, Counters::of);
    let mut is_chess960 = tags.is_chess960();
    let mut positions = Vec::new();
    database.main_line(game, &mut |ply| {
        let before = ply.before();
        if positions.is_empty() {
            positions.push(position(&counters, &before, 0, None));
            is_chess960 |= before.is_chess960();
        }
        let uci = Uci {
            position: &before,
            mv: ply.mv,
            is_chess960,
        };
        counters.follow(&before, ply.mv);
        positions.push(position(
            &counters,
            ply.position,
            ply.number + 1,
            Some(uci.to_string()),
        ));
        ControlFlow::Continue(())
    });
    if positions.is_empty() {
        let start = fen.map(|fen| position(&counters, &fen.position, 0, None));
        positions.extend(start);
    }
    positions
}

fn position(counters: &Counters, board: &Board, ply: u32, r#move: Option<String>) -> Position {
    Position {
        setup: counters.setup(board),
        ply,
        key: board.key(),
        r#move,
    }
}
