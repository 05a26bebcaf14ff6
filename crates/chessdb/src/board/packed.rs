//! A piece and its colour in one byte, so that one load yields both for a square; a move in two bytes, so that the
//! tokens of a game stay small.

use super::{CastlingSide, Color, Move, Role, Square};

/// The contents of a square. The low three bits are the role, and each colour has its own bit, so that an
/// empty square has neither colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedPiece(u8);

impl PackedPiece {
    /// An empty square.
    pub(super) const NONE: PackedPiece = PackedPiece(0);
    /// Number of values that [`PackedPiece::index`] has.
    pub(super) const KINDS: usize = 16;

    #[inline]
    pub(super) fn new(color: Color, role: Role) -> PackedPiece {
        PackedPiece(role as u8 | color_bit(color))
    }

    /// The piece as a number below 32.
    #[inline]
    pub(super) fn bits(self) -> u32 {
        self.0.into()
    }

    /// The piece with the number in the low five bits.
    #[inline]
    pub(super) fn of_bits(bits: u32) -> PackedPiece {
        PackedPiece((bits & 31) as u8)
    }

    /// True for a piece of `color`.
    #[inline]
    pub(super) fn is_of(self, color: Color) -> bool {
        self.0 & color_bit(color) != 0
    }

    /// True for a pawn of either colour.
    #[inline]
    pub(super) fn is_pawn(self) -> bool {
        self.0 & 7 == Role::Pawn as u8
    }

    /// True for a king of either colour.
    #[inline]
    pub(super) fn is_king(self) -> bool {
        self.0 & 7 == Role::King as u8
    }

    #[inline]
    pub(super) fn role(self) -> Option<Role> {
        role_of(self.role_index())
    }

    #[inline]
    pub(super) fn color(self) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| self.is_of(color))
    }

    /// The role as an index: 0 for an empty square, otherwise the number of the role.
    #[inline]
    pub(super) fn role_index(self) -> usize {
        usize::from(self.0 & 7)
    }

    /// Role and colour as an index below [`PackedPiece::KINDS`]; 0 for an empty square.
    #[inline]
    pub(super) fn index(self) -> usize {
        usize::from(self.0 & 15)
    }
}

/// The role with a number below 8; `None` for 0 and 7.
#[inline]
fn role_of(number: usize) -> Option<Role> {
    const ROLES: [Option<Role>; 8] = [
        None,
        Some(Role::Pawn),
        Some(Role::Knight),
        Some(Role::Bishop),
        Some(Role::Rook),
        Some(Role::Queen),
        Some(Role::King),
        None,
    ];
    ROLES[number & 7]
}

/// 8 for Black, 16 for White. The bit of White is not part of [`PackedPiece::index`], so that the index is below 16.
#[inline]
fn color_bit(color: Color) -> u8 {
    8 << color as u8
}

/// A [`Move`] in two bytes.
///
/// ```
/// use chessdb::board::{Move, PackedMove, Square};
///
/// let mv = Move::normal(Square::G1, Square::F3);
/// assert_eq!(PackedMove::of_bits(PackedMove::new(mv).bits()).unpack(), mv);
/// ```
// Bits 0-5 to, 6-11 from, 12-14 the promotion. A promotion to a pawn does not exist, so it marks castling and null
// moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedMove(u16);

impl PackedMove {
    const NULL: PackedMove = PackedMove((Role::Pawn as u16) << 12);
    const CASTLE_KING_SIDE: PackedMove = PackedMove(PackedMove::NULL.0 | 1);
    const CASTLE_QUEEN_SIDE: PackedMove = PackedMove(PackedMove::NULL.0 | 2);

    /// Packs a move. A promotion to a pawn, which is never legal, may become another move.
    #[inline(always)]
    pub fn new(mv: Move) -> PackedMove {
        match mv {
            Move::Normal { from, to, promotion } => {
                let promotion = promotion.map_or(0, |role| role as u16);
                PackedMove(promotion << 12 | (from as u16) << 6 | to as u16)
            }
            Move::Castle(CastlingSide::KingSide) => PackedMove::CASTLE_KING_SIDE,
            Move::Castle(CastlingSide::QueenSide) => PackedMove::CASTLE_QUEEN_SIDE,
            Move::Null => PackedMove::NULL,
        }
    }

    /// The move as a number. Different moves have different numbers.
    #[inline]
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The move with this number. A number that belongs to no move gives a move that is never legal.
    #[inline]
    pub fn of_bits(bits: u16) -> PackedMove {
        PackedMove(bits)
    }

    /// The squares that the move leads from and to; any squares for castling and null moves.
    #[inline]
    fn squares(self) -> (Square, Square) {
        let square = |bits: u16| Square::new(u32::from(bits & 63));
        (square(self.0 >> 6), square(self.0))
    }

    /// The move.
    #[inline]
    pub fn unpack(self) -> Move {
        match self {
            PackedMove::NULL => Move::Null,
            PackedMove::CASTLE_KING_SIDE => Move::Castle(CastlingSide::KingSide),
            PackedMove::CASTLE_QUEEN_SIDE => Move::Castle(CastlingSide::QueenSide),
            PackedMove(bits) => Move::Normal {
                from: self.squares().0,
                to: self.squares().1,
                promotion: role_of(usize::from(bits >> 12)),
            },
        }
    }
}

impl std::fmt::Debug for PackedMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.unpack().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_is_unpacked_as_it_was_packed() {
        let promotions = [
            None,
            Some(Role::Knight),
            Some(Role::Bishop),
            Some(Role::Rook),
            Some(Role::Queen),
            Some(Role::King),
        ];
        for from in Square::ALL {
            for to in Square::ALL {
                for promotion in promotions {
                    let mv = Move::Normal { from, to, promotion };
                    assert_eq!(PackedMove::of_bits(PackedMove::new(mv).bits()).unpack(), mv);
                    assert_eq!(PackedMove::new(mv).squares(), (from, to));
                }
            }
        }
        let castling = [CastlingSide::KingSide, CastlingSide::QueenSide].map(Move::Castle);
        for mv in castling.into_iter().chain([Move::Null]) {
            assert_eq!(PackedMove::of_bits(PackedMove::new(mv).bits()).unpack(), mv);
        }
    }
}
