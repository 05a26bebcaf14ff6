//! Positions and the moves in them.

use chessdb::board::{Color, Counters, Move, Position, Undo};
use chessdb_library::openings::OpeningName;
use chessdb_library::positions::{MoveRow, MovesTable};
use serde_json::{Value, json};

use crate::serve::line::{PlayedLine, fen, uci};

/// A position with its legal moves.
pub(super) fn position(line: &PlayedLine) -> Value {
    let position = &line.position;
    let moves = position.legal_moves().into_iter();
    let moves: Vec<Value> = moves
        .filter_map(|mv| legal_move(position, line.counters(), mv))
        .collect();
    let is_check = position.is_check();
    json!({
        "fen": line.fen(),
        "turn": color(position.turn()),
        "san": line.sans.last(),
        "line": line.sans,
        "play": line.ucis,
        "check": is_check,
        "mate": is_check && moves.is_empty(),
        "opening": opening(line.opening),
        "moves": moves,
    })
}

fn legal_move(position: &Position, mut counters: Counters, mv: Move) -> Option<Value> {
    let (mut after, uci) = (*position, uci(position, mv));
    counters.follow(position, mv);
    let san = after.play_legal(mv, &mut Undo::default()).ok()?;
    Some(json!({ "uci": uci, "san": san.to_string(), "fen": fen(&after, &counters) }))
}

/// The rows of `moves.csv`.
pub(super) fn moves(line: &PlayedLine, table: &MovesTable) -> Value {
    let rows: Vec<Value> = table
        .rows
        .iter()
        .map(|row| self::row(&line.position, row))
        .collect();
    json!({
        "fen": line.fen(),
        "games": table.games(),
        "opening": opening(line.opening),
        "moves": rows,
    })
}

fn row(position: &Position, row: &MoveRow) -> Value {
    let after = row.mv.and_then(|mv| {
        let mut after = *position;
        after.advance(mv, &mut Undo::default()).ok()?;
        Some(after)
    });
    let tally = &row.tally;
    json!({
        "move": row.san,
        "uci": row.uci,
        "games": tally.games,
        "white": tally.white,
        "draws": tally.draws,
        "black": tally.black,
        "score": tally.score(),
        "elo": tally.elo(),
        "performance": tally.performance(),
        "first": tally.first,
        "last": tally.last,
        "reached": row.reached,
        "eco": tally.eco().map(|eco| eco.as_str().to_owned()),
        "opening": opening(after.and_then(|after| OpeningName::of(&after))),
    })
}

pub(super) fn opening(opening: Option<OpeningName>) -> Option<Value> {
    opening.map(|OpeningName { eco, name, .. }| json!({ "eco": eco, "name": name }))
}

pub(super) fn color(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}
