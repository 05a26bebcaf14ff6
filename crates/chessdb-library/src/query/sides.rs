//! The sides of a game for which a query holds if that side is the player.

use chessdb::board::Color;

/// The sides for whose player a term holds: 1 for White, 2 for Black. For a term that is not about a side: both or
/// none.
pub(super) type Sides = u8;

pub(super) const WHITE: Sides = 1;
pub(super) const BLACK: Sides = 2;
pub(super) const BOTH: Sides = WHITE | BLACK;

/// Both sides or none.
#[inline]
pub(super) fn both(is_held: bool) -> Sides {
    if is_held { BOTH } else { 0 }
}

/// The sides for which a test is true.
#[inline]
pub(super) fn each(white: bool, black: bool) -> Sides {
    Sides::from(white) | Sides::from(black) << 1
}

/// That side alone.
pub(super) fn side_of(color: Color) -> Sides {
    color.fold_wb(WHITE, BLACK)
}

/// The sides of a game that may be the player of whom a query speaks.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayerSides {
    /// Those that have the name.
    pub(super) named: Sides,
    /// The sides of `named` for which all terms tested so far hold.
    pub(super) held: Sides,
}

impl PlayerSides {
    /// Those where a query speaks of no player.
    pub(super) const BOTH: PlayerSides = PlayerSides {
        named: BOTH,
        held: BOTH,
    };

    /// The sides of a game that does not answer a query.
    pub(super) const NONE: PlayerSides = PlayerSides { named: 0, held: 0 };
}
