//! A piece with its colour in one byte, so that one load yields the kind and the colour of the piece on a square.

use super::{Color, Role};

/// The contents of a square. The low three bits are the role, and each colour has a bit of its own, so that an empty
/// square is of neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedPiece(u8);

impl PackedPiece {
    /// Nobody.
    pub(super) const NONE: PackedPiece = PackedPiece(0);
    /// Number of values that [`PackedPiece::index`] has.
    pub(super) const KINDS: usize = 16;

    #[inline]
    pub(super) fn new(color: Color, role: Role) -> PackedPiece {
        PackedPiece(role as u8 | color_bit(color))
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
        ROLES[self.role_index()]
    }

    #[inline]
    pub(super) fn color(self) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| self.is_of(color))
    }

    /// The role as an index: 0 for an empty square, else the number of the role.
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

/// 8 for Black, 16 for White: the bit of White is not part of [`PackedPiece::index`], which stays below 16 that way.
#[inline]
fn color_bit(color: Color) -> u8 {
    8 << color as u8
}
