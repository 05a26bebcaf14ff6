//! The positions of a game's main line as rows.

use std::fmt::Write;
use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::column::{Column, RowKind};
use super::columns::Columns;
use super::row::{GameRow, TableRow};
use super::value::Value;
use crate::lines::{LineStep, NULL_MOVE, follow};
use chessdb::board::{Move, Position, RunningKey, Undo};

/// A position of a game as a row.
struct PositionRow<'a> {
    /// The values that all positions of the game have in the columns of the table.
    of_game: &'a [Option<Value<'a>>],
    ply: u32,
    key: u64,
    /// The move played here; `None` at the end of the game.
    name: Option<&'a str>,
}

impl TableRow for PositionRow<'_> {
    fn field(&self, n: usize, column: &Column) -> Option<Value<'_>> {
        match column {
            Column::Ply => Some(Value::Number(self.ply.into())),
            Column::Key => Some(Value::Number(self.key.cast_signed())),
            Column::Move => self.name.map(|name| Value::Text(name.into())),
            _ => self.of_game.get(n)?.as_ref().map(Value::borrowed),
        }
    }
}

impl Columns {
    /// Passes the rows of a game to `each`: the game, or its positions, as [`RowKind`] says.
    ///
    /// As in a table of moves, a position has one row for each game, with the move after its first occurrence, and a game
    /// that is marked as deleted has none. Castling rights count, and the en passant file by the rule of the key.
    pub fn each_row(&self, game: &GameRow<'_>, mut each: impl FnMut(&dyn TableRow)) {
        match self.rows() {
            RowKind::Games => each(game),
            RowKind::Positions => self.each_position(game, each),
        }
    }

    fn each_position(&self, game: &GameRow<'_>, mut each: impl FnMut(&dyn TableRow)) {
        if game.database().keys(game.game()).deleted {
            return;
        }
        let of_game: Vec<Option<Value<'_>>> = self.iter().map(|(_, column)| game.value(column)).collect();
        let mut line: Option<LineSoFar> = None;
        let mut seen = FxHashSet::default();
        let mut name = String::new();
        let mut row = |line: &LineSoFar, name: Option<&str>| {
            let key = line.running.key(&line.position);
            if seen.insert(key) {
                each(&PositionRow {
                    of_game: &of_game,
                    ply: line.ply,
                    key,
                    name,
                });
            }
        };
        follow(game.database(), game.game(), |step| {
            match (step, &mut line) {
                (LineStep::Start(start), _) => line = Some(LineSoFar::new(start)),
                (LineStep::Ply(ply), Some(line)) => {
                    let before = *line;
                    if !line.play(ply.mv, &mut name) {
                        return ControlFlow::Break(());
                    }
                    row(&before, Some(&name));
                }
                (LineStep::Ply(_), None) => {}
            }
            ControlFlow::Continue(())
        });
        if let Some(line) = &line {
            row(line, None);
        }
    }
}

/// A line up to one of its positions.
#[derive(Clone, Copy)]
struct LineSoFar {
    position: Position,
    running: RunningKey,
    ply: u32,
}

impl LineSoFar {
    fn new(start: &Position) -> LineSoFar {
        LineSoFar {
            position: *start,
            running: RunningKey::new(start),
            ply: 0,
        }
    }

    /// Plays a move and writes its name. False if it is illegal, as no move is that was decoded.
    fn play(&mut self, mv: Move, name: &mut String) -> bool {
        let mut undo = Undo::default();
        let Ok(san) = self.position.play_legal(mv, &mut undo) else {
            return false;
        };
        name.clear();
        // Writing to a string cannot fail.
        let _ = match mv {
            Move::Null => name.write_str(NULL_MOVE),
            _ => write!(name, "{san}"),
        };
        self.running.follow(&undo, &self.position);
        self.ply += 1;
        true
    }
}
