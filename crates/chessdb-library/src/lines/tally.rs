//! How many pieces of each kind are on a board.

use chessdb::board::{Color, Move, Position, Role};
use chessdb::replay::Ply;

/// Kinds of pieces in the order of names, with their values, and with the bits that each has in [`PieceTally::bits`]: enough
/// for the most that there can be.
pub(crate) const KINDS: [(Role, i64, u32); 6] = [
    (Role::King, 0, 2),
    (Role::Queen, 9, 6),
    (Role::Rook, 5, 6),
    (Role::Bishop, 3, 6),
    (Role::Knight, 3, 6),
    (Role::Pawn, 1, 6),
];

/// Numbers of pieces, each at the place of its kind; the other places mean nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceTally(pub(crate) [u8; 16]);

/// The place of a kind of piece among 16: 0 and 8 are of none.
#[inline]
pub(crate) fn place_of(color: Color, role: Role) -> usize {
    (color as usize) << 3 | role as usize
}

impl PieceTally {
    /// The pieces of a position.
    pub fn of(position: &Position) -> PieceTally {
        let mut tally = PieceTally::default();
        for (color, (role, ..)) in all_kinds() {
            tally.0[place_of(color, role)] = position.of_kind(color, role).count() as u8;
        }
        tally
    }

    /// Number of pieces of a kind.
    #[inline]
    pub(crate) fn count(&self, color: Color, role: Role) -> u8 {
        self.0[place_of(color, role)]
    }

    /// Number of pieces of a side.
    pub(crate) fn pieces_of(&self, color: Color) -> u32 {
        KINDS
            .iter()
            .map(|&(role, ..)| u32::from(self.count(color, role)))
            .sum()
    }

    /// Follows a move that has been played.
    #[inline]
    pub(crate) fn follow(&mut self, ply: &Ply<'_>) {
        if let Some(captured) = ply.captured() {
            self.0[place_of(captured.color, captured.role)] -= 1;
        }
        if let Move::Normal {
            promotion: Some(role),
            ..
        } = ply.mv
        {
            // The other side is to move.
            let color = !ply.position.turn();
            self.0[place_of(color, role)] += 1;
            self.0[place_of(color, Role::Pawn)] -= 1;
        }
    }

    /// White's material less Black's.
    pub(crate) fn difference(&self) -> i64 {
        let number = |color, role| i64::from(self.count(color, role));
        let values =
            KINDS.map(|(role, value, _)| value * (number(Color::White, role) - number(Color::Black, role)));
        values.into_iter().sum()
    }

    /// The numbers in one integer, which is greater for the names that come later.
    pub fn bits(&self) -> u64 {
        all_kinds().fold(0, |all, (color, (role, _, bits))| {
            let count = u64::from(self.count(color, role));
            all << bits | count.min((1 << bits) - 1)
        })
    }

    /// Restores the numbers from [`PieceTally::bits`].
    pub fn of_bits(bits: u64) -> PieceTally {
        let (mut tally, mut left) = (PieceTally::default(), u64::BITS);
        for (color, (role, _, own)) in all_kinds() {
            left -= own;
            tally.0[place_of(color, role)] = (bits >> left & ((1 << own) - 1)) as u8;
        }
        tally
    }

    /// The pieces as letters, upper case for White: `KRPkr`.
    pub fn name(&self) -> String {
        let letters = all_kinds().flat_map(|(color, (role, ..))| {
            let letter = role.of(color).char();
            std::iter::repeat_n(letter, self.count(color, role).into())
        });
        letters.collect()
    }
}

/// The kinds of White's pieces, then of Black's.
fn all_kinds() -> impl Iterator<Item = (Color, (Role, i64, u32))> {
    Color::ALL
        .into_iter()
        .flat_map(|color| KINDS.map(|kind| (color, kind)))
}

/// The values of [`KINDS`] by the number of the role.
const VALUES: [i64; 8] = {
    let mut values = [0; 8];
    let mut kind = 0;
    while kind < KINDS.len() {
        values[KINDS[kind].0 as usize] = KINDS[kind].1;
        kind += 1;
    }
    values
};

/// The value of a piece by its [place](place_of): positive for White's, negative for Black's.
pub(super) const WORTHS: [i32; 16] = {
    let mut worths = [0; 16];
    let mut role = 0;
    while role < VALUES.len() {
        worths[(Color::White as usize) << 3 | role] = VALUES[role] as i32;
        worths[(Color::Black as usize) << 3 | role] = -(VALUES[role] as i32);
        role += 1;
    }
    worths
};

/// The value of a kind of piece.
#[inline]
pub(crate) fn value_of(role: Role) -> i64 {
    VALUES[role as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb::board::Fen;

    #[test]
    fn pieces_are_named_by_their_letters() {
        let name = |fen: &str| {
            let tally = PieceTally::of(&Fen::parse(fen).unwrap().position);
            assert_eq!(PieceTally::of_bits(tally.bits()), tally);
            tally.name()
        };
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
