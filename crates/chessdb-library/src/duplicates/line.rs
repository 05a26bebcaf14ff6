//! The main line of a game, in a form that is the same for the same moves from the same position.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::lines::{LineStart, PackedLine};
use crate::positions::epd;
use chessdb::board::Position;
use chessdb::game::Game;

/// A main line, up to the first move that cannot be read.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ComparedLine {
    /// The start position; empty for the usual one, `none` for a game without one.
    start: String,
    /// The bits of each [`PackedMove`](chessdb::board::PackedMove).
    moves: Box<[[u8; 2]]>,
}

impl ComparedLine {
    /// The main line of a game.
    pub(super) fn of(game: &Game) -> ComparedLine {
        let moves = game.movetext.main_line();
        ComparedLine {
            start: start_name(game.start().as_ref()),
            moves: moves.map(|(_, mv)| mv.bits().to_le_bytes()).collect(),
        }
    }

    /// A main line that was kept.
    pub(super) fn of_kept(line: &PackedLine) -> ComparedLine {
        ComparedLine {
            start: match &line.start {
                LineStart::Usual => String::new(),
                LineStart::At(position) => start_name(Some(position)),
                LineStart::Nowhere => start_name(None),
            },
            moves: line
                .moves
                .iter()
                .map(|mv| mv.pack().bits().to_le_bytes())
                .collect(),
        }
    }

    /// A hash of the line and of `more`. Different lines practically never share a hash.
    pub(super) fn hash(&self, more: &[u8]) -> u128 {
        let mut hash = Xxh3::with_seed(xxh3_64(self.start.as_bytes()));
        hash.update(self.moves.as_flattened());
        hash.update(more);
        hash.digest128()
    }

    /// True if the moves of another line start with these, or are the same.
    pub(super) fn begins(&self, other: &ComparedLine) -> bool {
        self.start == other.start && other.moves.starts_with(&self.moves)
    }

    /// Number of moves.
    pub(super) fn plies(&self) -> u32 {
        self.moves.len() as u32
    }
}

fn start_name(start: Option<&Position>) -> String {
    match start {
        None => "none".to_owned(),
        Some(start) if *start == Position::initial() => String::new(),
        Some(start) => epd(start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_without_a_start_has_another_line_than_an_empty_one() {
        let (usual, mut unplayable) = (Game::default(), Game::default());
        unplayable.tags.set_no_start();
        assert_ne!(ComparedLine::of(&unplayable), ComparedLine::of(&usual));
        for (game, start) in [(usual, LineStart::Usual), (unplayable, LineStart::Nowhere)] {
            let moves = Vec::new();
            let kept = ComparedLine::of_kept(&PackedLine { start, moves });
            assert_eq!(kept, ComparedLine::of(&game), "{start:?}");
        }
    }
}
