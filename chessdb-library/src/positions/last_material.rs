//! The material at the end of games.

use std::ops::ControlFlow;

use super::line::{LineStep, follow};
use crate::parallel::chunks;
use chessdb::board::{Color, Position, Role};
use chessdb::formats::Database;

/// Kinds of pieces in the order of names, with the number of bits that the maximum number of each needs.
const KINDS: [(Role, u32); 6] = [
    (Role::King, 2),
    (Role::Queen, 6),
    (Role::Rook, 6),
    (Role::Bishop, 6),
    (Role::Knight, 6),
    (Role::Pawn, 6),
];

/// The pieces on a board, without their squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PieceCounts(pub u64);

impl PieceCounts {
    /// The pieces of a position.
    pub fn of(position: &Position) -> PieceCounts {
        let fields = Color::ALL
            .into_iter()
            .flat_map(|color| KINDS.map(|kind| (color, kind)));
        PieceCounts(fields.fold(0, |counts, (color, (role, bits))| {
            let count = position.of_kind(color, role).count() as u64;
            counts << bits | count.min((1 << bits) - 1)
        }))
    }

    /// The pieces as letters, upper case for White: `KRPkr`.
    pub fn name(self) -> String {
        let mut left = 64;
        let mut name = String::new();
        for color in Color::ALL {
            for (role, bits) in KINDS {
                left -= bits;
                let count = self.0 >> left & ((1 << bits) - 1);
                name.extend((0..count).map(|_| role.of(color).char()));
            }
        }
        name
    }
}

/// The pieces left at the end of each game's main line.
pub fn last_material(database: &dyn Database, threads: usize) -> Vec<PieceCounts> {
    let counts = chunks(database.len(), threads, &|_| (), |games| {
        games.map(|game| at_end(database, game)).collect::<Vec<_>>()
    });
    counts.concat()
}

fn at_end(database: &dyn Database, game: u32) -> PieceCounts {
    let mut last = Position::initial();
    follow(database, game, |step| {
        last = match step {
            LineStep::Start(position) => *position,
            LineStep::Ply(step) => *step.position,
        };
        ControlFlow::Continue(())
    });
    PieceCounts::of(&last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb::board::Fen;

    #[test]
    fn pieces_are_named_by_their_letters() {
        let name = |fen: &str| PieceCounts::of(&Fen::parse(fen).unwrap().position).name();
        assert_eq!(name("4k2r/8/8/8/8/8/4P3/R3K3 w - - 0 1"), "KRPkr");
        assert_eq!(
            name("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
            "KQRRBBNNPPPPPPPPkqrrbbnnpppppppp"
        );
        assert_eq!(
            name(&format!("{}K/8/8/8/8/8/8/7k w - - 0 1", "N".repeat(7))),
            "KNNNNNNNk"
        );
    }
}
