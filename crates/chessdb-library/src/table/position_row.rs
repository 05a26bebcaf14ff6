//! The positions of a game's main line as rows.

use std::fmt::Write;
use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::bitboards::{BITBOARDS, Bitboards, bitboards};
use super::column::{Column, RowKind};
use super::columns::Columns;
use super::row::{GameRow, TableRow};
use super::value::Value;
use crate::lines::{LineStep, NULL_MOVE, follow};
use chessdb::board::{Counters, Fen, Move, Position, RunningKey};
use chessdb::replay::Ply;

/// A position of a game as a row.
struct PositionRow<'a> {
    /// The values that all positions of the game have in the columns of the table.
    of_game: &'a [Option<Value<'a>>],
    ply: u32,
    key: u64,
    /// The move played here; `None` at the end of the game.
    name: Option<&'a str>,
    /// Empty, or zeros, if the table has no such column.
    fen: &'a str,
    bitboards: &'a Bitboards,
}

impl TableRow for PositionRow<'_> {
    fn field(&self, n: usize, column: &Column) -> Option<Value<'_>> {
        match column {
            Column::Ply => Some(Value::Number(self.ply.into())),
            Column::Key => Some(Value::Number(self.key.cast_signed())),
            Column::Move => self.name.map(|name| Value::Text(name.into())),
            Column::Fen => Some(Value::Text(self.fen.into())),
            Column::Bitboards => Some(Value::Bitboards(self.bitboards)),
            _ => self.of_game.get(n)?.as_ref().map(Value::borrowed),
        }
    }
}

impl Columns {
    /// Passes the rows of a game to `each`: the game, or its positions, as [`RowKind`] says.
    ///
    /// As in a table of moves, a position has one row for each game, with the move after its first occurrence, and
    /// games marked as deleted are left out. Castling rights count, and the en passant file by the rule of the key.
    pub fn each_row(&self, game: &GameRow<'_>, mut each: impl FnMut(&dyn TableRow)) {
        match self.rows() {
            RowKind::Games => each(game),
            RowKind::Positions => self.each_position_row(game, each),
        }
    }

    /// The number of rows of a game. Reads only its positions.
    pub fn count_rows(&self, game: &GameRow<'_>) -> usize {
        let mut number = 0;
        match self.rows() {
            RowKind::Games => number = 1,
            RowKind::Positions => each_position(game, &Counters::default(), false, |_, _, _| number += 1),
        }
        number
    }

    fn each_position_row(&self, game: &GameRow<'_>, mut each: impl FnMut(&dyn TableRow)) {
        let of_game: Vec<Option<Value<'_>>> = self.iter().map(|(_, column)| game.value(column)).collect();
        let has = |wanted: Column| self.iter().any(|(_, column)| *column == wanted);
        let (has_fen, has_bitboards) = (has(Column::Fen), has(Column::Bitboards));
        let start = || {
            let fen = game.tags().get("FEN")?;
            Fen::setup(fen).ok().as_ref().map(Counters::of)
        };
        let start = if has_fen || has_bitboards { start() } else { None };
        let mut fen = String::new();
        let mut numbers = [0; BITBOARDS];
        each_position(
            game,
            &start.unwrap_or_default(),
            has(Column::Move),
            |line, key, name| {
                if has_fen {
                    fen = Fen::text(&line.counters.setup(&line.position));
                }
                if has_bitboards {
                    numbers = bitboards(&line.position, &line.counters);
                }
                each(&PositionRow {
                    of_game: &of_game,
                    ply: line.ply,
                    key,
                    name,
                    fen: &fen,
                    bitboards: &numbers,
                });
            },
        );
    }
}

/// Passes the positions of a game to `each` as a table has them, with their keys, and with the moves played there if
/// `has_names`. The counters start at `start`.
fn each_position(
    game: &GameRow<'_>,
    start: &Counters,
    has_names: bool,
    mut each: impl FnMut(&LineSoFar, u64, Option<&str>),
) {
    if game.database().keys(game.game()).deleted {
        return;
    }
    let mut line: Option<LineSoFar> = None;
    let mut seen = FxHashSet::default();
    let mut name = String::new();
    let mut row = |line: &LineSoFar, name: Option<&str>| {
        let key = line.running.key(&line.position);
        if seen.insert(key) {
            each(line, key, name);
        }
    };
    follow(game.database(), game.game(), |step| {
        match (step, &mut line) {
            (LineStep::Start(position), _) => {
                line = Some(LineSoFar {
                    position: *position,
                    running: RunningKey::new(position),
                    counters: *start,
                    ply: 0,
                });
                if !is_playable(position) {
                    return ControlFlow::Break(());
                }
            }
            (LineStep::Ply(ply), Some(line)) => {
                if has_names {
                    name.clear();
                    // Writing to a string cannot fail.
                    let _ = match ply.mv {
                        Move::Null => name.write_str(NULL_MOVE),
                        _ => write!(name, "{}", ply.san()),
                    };
                }
                row(line, has_names.then_some(&name));
                line.follow(ply);
            }
            (LineStep::Ply(_), None) => {}
        }
        ControlFlow::Continue(())
    });
    if let Some(line) = &line {
        row(line, None);
    }
}

/// False for a set-up that no game can be played from: its moves are not tested and have no names.
fn is_playable(start: &Position) -> bool {
    *start == Position::initial() || Position::from_setup(&start.setup()).is_ok()
}

/// A line up to one of its positions.
struct LineSoFar {
    position: Position,
    running: RunningKey,
    counters: Counters,
    ply: u32,
}

impl LineSoFar {
    fn follow(&mut self, ply: &Ply<'_>) {
        self.counters.follow(&self.position, ply.mv);
        self.position = *ply.position;
        self.running.follow(ply.undo, &self.position);
        self.ply += 1;
    }
}
