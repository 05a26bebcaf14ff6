//! Problems of a game, by the move where they are.

use chessdb::game::Token;
use chessdb::{Decoded, Problem};

use super::LibraryEntry;
use super::text::problems_of;

/// The words in a remark before the moves that could not be played.
const STORED: [&str; 2] = ["; the line goes on: ", "; the stored line goes on "];

/// The words in a remark before the reason why a move is illegal.
pub const ILLEGAL: &str = "illegal move: ";

/// The problems of a game, as [`problems_of`] gives them, each with its move: `4. Bxc7` or, where the move is not known,
/// `move 4`. `None` where a problem is not at a move.
pub fn problems_by_move(entry: &LibraryEntry, game: u32) -> Vec<(Problem, Option<String>)> {
    let problems = problems_of(entry, game);
    if problems.is_empty() {
        return Vec::new();
    }
    let Decoded { game, .. } = entry.database.game(game);
    let movetext = &game.movetext;
    let remarks = movetext.tokens().iter().filter_map(|token| match token {
        Token::Remark(text) => Some(movetext.text(*text)),
        _ => None,
    });
    // Those that have not been matched with a problem yet.
    let mut remarks: Vec<&str> = remarks.collect();
    let placed = problems.into_iter().map(|problem| {
        // Each remark names one problem, nearly always the next one, and decoders stop at a thousand of both.
        let own = remarks.iter().position(|remark| remark.contains(&problem.what));
        let remark = own.map(|own| remarks.remove(own));
        let place = place_of(&problem, movetext.first_ply(), remark);
        (problem, place)
    });
    placed.collect()
}

/// The move of a problem in a game whose first move has this ply, with the remark that names the problem.
fn place_of(problem: &Problem, first_ply: u32, remark: Option<&str>) -> Option<String> {
    let ply = problem.plies?.checked_add(first_ply)?;
    let number = u64::from(ply) / 2 + 1;
    let stored = remark
        .filter(|_| problem.what.starts_with(ILLEGAL))
        .and_then(stored_move);
    let dots = if ply.is_multiple_of(2) { "." } else { "..." };
    Some(match stored {
        Some(stored) => format!("{number}{dots} {stored}"),
        None => format!("move {number}"),
    })
}

/// The move that could not be played: the first one of the rest of a line that a remark quotes.
fn stored_move(remark: &str) -> Option<&str> {
    let rest = STORED.iter().find_map(|begin| remark.split_once(begin));
    let words = rest?.1.split_whitespace();
    let mut moves = words.map(|word| {
        let after_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        match after_digits.bytes().next() {
            None | Some(b'.') => after_digits.trim_start_matches('.'),
            // Castling may be written with zeros.
            Some(_) => word,
        }
    });
    moves.find(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_move_follows_its_number() {
        for (remark, stored) in [
            (
                "byte 9 of x.pgn: illegal move: why; the line goes on: 4. Bxc7 dxc6",
                Some("Bxc7"),
            ),
            ("illegal move: why; the line goes on: 4.Bxc7", Some("Bxc7")),
            ("illegal move: why; the line goes on: 4... Bxc7", Some("Bxc7")),
            ("illegal move: why; the line goes on: Bxc7 4. a3", Some("Bxc7")),
            ("illegal move: why; the line goes on: 0-0 Nf6", Some("0-0")),
            ("illegal move: why; the line goes on: 4.0-0-0", Some("0-0-0")),
            (
                "illegal move: why; the stored line goes on e2e4 e7e5 at .dcg offset 0x10",
                Some("e2e4"),
            ),
            ("illegal move: why", None),
            ("illegal move: why; the line goes on: 4.", None),
        ] {
            assert_eq!(stored_move(remark), stored, "{remark}");
        }
    }
}
