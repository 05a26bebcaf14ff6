//! Moves and sequences of moves as names of directories, and parsing other notations of them.

use std::ops::ControlFlow;

use super::line::{LineStep, at, follow};
use chessdb::Database;
use chessdb::board::{Move, Position, San, Undo};

/// The name of a null move, because programs would take its SAN `--` for an option.
pub(crate) const NULL_MOVE: &str = "null";

/// The name of a move: its SAN as in PGN. `None` for an illegal move.
pub fn move_name(position: &Position, mv: Move) -> Option<String> {
    let san = { *position }.play_legal(mv, &mut Undo::default()).ok()?;
    Some(name_of(mv, san))
}

fn name_of(mv: Move, san: San) -> String {
    match mv {
        Move::Null => NULL_MOVE.to_owned(),
        _ => san.to_string(),
    }
}

/// The position after the first `ply` moves of a game; `None` if it has fewer moves.
pub fn position_after(database: &dyn Database, game: u32, ply: u32) -> Option<Position> {
    at(database, game, ply).map(|(position, _)| position)
}

/// The names of the first `ply` moves of a game; `None` if it has fewer moves.
pub fn line_names(database: &dyn Database, game: u32, ply: u32) -> Option<Vec<String>> {
    let mut names = Vec::new();
    follow(database, game, |step| {
        if let LineStep::Ply(step) = step {
            names.extend(move_name(&step.before(), step.mv));
        }
        if names.len() < ply as usize {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    names.truncate(ply as usize);
    (names.len() == ply as usize).then_some(names)
}

/// Parses a move in any notation, with or without the move number: `Nf3`, `2.Nf3`, `g1f3`.
pub fn read_move(position: &Position, ply: u32, text: &str) -> Option<Move> {
    position.read_move(without_number(text, ply)?).ok()
}

/// Parses moves from the normal start position: `1. e4 c5 2. Nf3`, `e4,c5,Nf3`, `e4_c5_Nf3`.
pub fn read_line(text: &str) -> Option<Vec<Move>> {
    let mut position = Position::initial();
    let mut moves = Vec::new();
    for word in text.split([' ', ',', '_']).filter(|word| !word.is_empty()) {
        let word = without_number(word, moves.len() as u32)?;
        if word.is_empty() {
            continue;
        }
        let mv = position.read_move(word).ok()?;
        position.advance(mv, &mut Undo::default()).ok()?;
        moves.push(mv);
    }
    Some(moves)
}

/// The text after a move number and its dots; `None` if this ply has another number.
fn without_number(text: &str, ply: u32) -> Option<&str> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    match rest.strip_prefix('.') {
        Some(rest) if digits > 0 => {
            let is_next = number.parse() == Ok(ply / 2 + 1);
            is_next.then(|| rest.trim_start_matches('.').trim_start())
        }
        _ => Some(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<String> {
        let mut position = Position::initial();
        let names = read_line(text)?.into_iter().map(|mv| {
            let name = move_name(&position, mv).unwrap();
            position.advance(mv, &mut Undo::default()).unwrap();
            name
        });
        Some(names.collect::<Vec<_>>().join("/"))
    }

    #[test]
    fn lines_are_read_in_many_forms() {
        for text in [
            "1. e4 c5 2. Nf3",
            "1.e4 c5 2.Nf3",
            "e4,c5,Nf3",
            "e4_c5_g1f3",
            "1. e2-e4 1... c7c5 2. Nf3!",
        ] {
            assert_eq!(names(text).as_deref(), Some("e4/c5/Nf3"), "{text}");
        }
        for text in ["2. e4", "1. e4 2. e5", "e4 x", "e4.c5", "1. e4 c5 Ke3"] {
            assert_eq!(names(text), None, "{text}");
        }
        assert_eq!(names("e4 -- Nf3").as_deref(), Some("e4/null/Nf3"));
    }

    #[test]
    fn castling_with_zeros_has_no_number() {
        let castling = read_line("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 0000").unwrap();
        assert_eq!(castling.len(), 8);
        assert_eq!(castling.last(), Some(&Move::Null));
    }
}
