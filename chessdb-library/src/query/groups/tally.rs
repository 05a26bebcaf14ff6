//! How many pieces of each kind there are.

pub(super) use crate::lines::{PieceTally, place_of};
use chessdb::board::{Color, Position, Role};

/// Kinds of pieces in the order of names, with their values.
pub(super) const KINDS: [(Role, i64); 6] = [
    (Role::King, 0),
    (Role::Queen, 9),
    (Role::Rook, 5),
    (Role::Bishop, 3),
    (Role::Knight, 3),
    (Role::Pawn, 1),
];

/// The pieces of a position.
pub(super) fn tally(position: &Position) -> PieceTally {
    let mut tally = PieceTally::default();
    for color in Color::ALL {
        for (role, _) in KINDS {
            tally[place_of(color, role)] = position.of_kind(color, role).count() as u8;
        }
    }
    tally
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

/// The value of a kind of piece.
#[inline]
pub(super) fn value_of(role: Role) -> i64 {
    VALUES[role as usize]
}

/// White's material less Black's.
pub(super) fn difference(tally: &PieceTally) -> i64 {
    let number = |color, role| i64::from(tally[place_of(color, role)]);
    let values = KINDS.map(|(role, value)| value * (number(Color::White, role) - number(Color::Black, role)));
    values.into_iter().sum()
}
