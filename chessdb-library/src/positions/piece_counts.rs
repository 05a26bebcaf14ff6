//! How many pieces of each kind are on a board.

use chessdb::board::{Color, Move, Position, Role};
use chessdb::replay::Ply;

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

    /// Follows a move that has been played.
    #[inline]
    pub(super) fn follow(&mut self, ply: &Ply<'_>) {
        if let Some(captured) = ply.captured() {
            self.0 -= one(captured.color, captured.role);
        }
        if let Move::Normal {
            promotion: Some(role),
            ..
        } = ply.mv
        {
            // The other side is to move.
            let color = !ply.position.turn();
            self.0 += one(color, role);
            self.0 -= one(color, Role::Pawn);
        }
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

/// The counts of a single piece.
fn one(color: Color, role: Role) -> u64 {
    ONE[usize::from(color.is_black())][role as usize]
}

/// The counts of a single piece by colour, White first, and by the number of its role.
const ONE: [[u64; 7]; 2] = {
    let mut one = [[0; 7]; 2];
    let mut left = 64;
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < KINDS.len() {
            left -= KINDS[kind].1;
            one[color][KINDS[kind].0 as usize] = 1 << left;
            kind += 1;
        }
        color += 1;
    }
    one
};

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
