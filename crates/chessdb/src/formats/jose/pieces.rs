//! Lists of pieces. The numbers of pieces in move codes are places in them (section 3.2).
//!
//! Every piece has a place in the list of its side and kind, assigned in the start position. Places become
//! vacant and are filled again by promotions. No list ever becomes shorter, even at the end of a variation.
//!
//! Lists are filled at the start from rank 8 down to rank 1, each rank from file a to h: normally pawns a to h are 0
//! to 7, and of each pair the queen's-side piece is 0.
//!
//! - A captured piece and a promoted pawn leave their places vacant.
//! - A new piece takes the last vacant place of its list, or a new one at the end; codes refer to it by the number of
//!   its pawn.
//! - Taking moves back restores all places, but a place that a variation added remains, and is vacant.

use std::sync::LazyLock;

use crate::board::{Color, Position, Role, Square};
use crate::replay::State;

/// Maximum number of places of a list.
const MOST: usize = 64;
/// Number of kinds of pieces that have lists: all but the king.
const KINDS: usize = 5;
const PER_SIDE: usize = KINDS * MOST;
/// The place after all lists belongs to no piece. A move that captures nothing empties it, so that no test is needed.
const NOWHERE: usize = 2 * PER_SIDE;
/// Means that a place is vacant.
const VACANT: u8 = u8::MAX;
/// Means that there is no place.
const NONE: u16 = u16::MAX;

/// A place in one of the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(u16);

/// The lists of both sides.
#[derive(Clone, Debug)]
pub(super) struct PieceLists {
    /// The square of the piece at each place. Stored as bytes, because the lists are copied for every game.
    squares: [u8; NOWHERE + 1],
    /// For each side and pawn, the place of the piece that the pawn was promoted to.
    promoted: [[u16; 8]; 2],
    lens: [[u8; KINDS]; 2],
    /// True after a promotion.
    has_promoted: bool,
    /// Place of the piece on each square; undefined for empty squares.
    on: [u16; 64],
}

impl State for PieceLists {
    fn carry(&mut self, left: &PieceLists) {
        let lens = self.lens.iter_mut().flatten();
        for (len, left) in lens.zip(left.lens.iter().flatten()) {
            *len = (*len).max(*left);
        }
    }
}

impl PieceLists {
    /// The lists of a start position: ranks 8 to 1, each from file a to h.
    pub(super) fn new(position: &Position) -> PieceLists {
        let mut lists = PieceLists {
            squares: [VACANT; NOWHERE + 1],
            promoted: [[NONE; 8]; 2],
            lens: [[0; KINDS]; 2],
            has_promoted: false,
            on: [NONE; 64],
        };
        for number in 0..64u32 {
            let square = Square::new(number ^ 56);
            if let (Some(color), Some(role)) = (position.color_at(square), position.role_at(square))
                && role != Role::King
                && let Some(place) = lists.append(color, role)
            {
                lists.step(place, square);
            }
        }
        lists
    }

    /// The lists of the normal start position.
    pub(super) fn initial() -> PieceLists {
        static INITIAL: LazyLock<PieceLists> = LazyLock::new(|| PieceLists::new(&Position::initial()));
        INITIAL.clone()
    }

    /// The place of a piece with a number.
    // A place is below 640.
    #[allow(clippy::cast_possible_truncation)]
    #[inline]
    pub(super) const fn place(color: Color, role: Role, index: u8) -> Slot {
        let kind = (role as usize).saturating_sub(1);
        let kind = if kind < KINDS { kind } else { KINDS - 1 };
        Slot((color.is_black() as usize * PER_SIDE + kind * MOST + index as usize % MOST) as u16)
    }

    /// The square of the piece with this place.
    #[inline]
    pub(super) fn square(&self, place: Slot) -> Option<Square> {
        let square = self.squares.get(usize::from(place.0)).copied().unwrap_or(VACANT);
        (square != VACANT).then(|| Square::new(u32::from(square & 63)))
    }

    /// The kind and place of the piece that a pawn was promoted to.
    pub(super) fn promoted(&self, color: Color, pawn: u8) -> Option<(Role, Slot)> {
        let side = self.promoted.get(usize::from(color.is_black()))?;
        let place = side
            .get(usize::from(pawn % 8))
            .copied()
            .filter(|&place| place != NONE)?;
        let kind = usize::from(place) % PER_SIDE / MOST;
        Some((*ROLES.get(kind)?, Slot(place)))
    }

    /// Number of places of a kind, including vacant ones.
    pub(super) fn len(&self, color: Color, role: Role) -> u8 {
        let kind = (role as usize).saturating_sub(1).min(KINDS - 1);
        let side = self.lens.get(usize::from(color.is_black()));
        side.and_then(|side| side.get(kind)).copied().unwrap_or(0)
    }

    /// Moves the piece with this place to a square.
    #[inline]
    pub(super) fn step(&mut self, place: Slot, to: Square) {
        if let Some(square) = self.squares.get_mut(usize::from(place.0)) {
            *square = to as u8;
            if let Some(on) = self.on.get_mut(to as usize) {
                *on = place.0;
            }
        }
    }

    /// Moves the piece on a square to another square.
    pub(super) fn step_from(&mut self, from: Square, to: Square) {
        let place = self.on.get(from as usize).copied().unwrap_or(NONE);
        self.step(Slot(place), to);
    }

    /// Moves the piece with this place to a square, in a move of `us` that takes the piece on `taken` if `takes` is
    /// true.
    #[inline(always)]
    pub(super) fn step_and_take(&mut self, us: Color, place: Slot, to: Square, taken: Square, takes: bool) {
        if takes && self.has_promoted {
            self.take(!us, taken);
        } else {
            // No branch, because the processor cannot predict whether a move captures.
            let on = self.on.get(taken as usize).copied().unwrap_or(NONE);
            self.vacate(if takes { usize::from(on) } else { NOWHERE });
        }
        self.step(place, to);
    }

    /// Removes the captured piece of `color` on a square.
    #[inline]
    pub(super) fn take(&mut self, color: Color, square: Square) {
        let place = self.on.get(square as usize).copied().unwrap_or(NONE);
        if place == NONE {
            return;
        }
        self.vacate(usize::from(place));
        let pawns = self.promoted.get_mut(usize::from(color.is_black()));
        for promoted in pawns.into_iter().flatten().filter(|promoted| **promoted == place) {
            *promoted = NONE;
        }
    }

    /// Replaces a pawn by a piece of `role` on a square, at the last vacant place of its list, otherwise at a new one.
    pub(super) fn promote(&mut self, color: Color, pawn: u8, role: Role, square: Square) {
        self.has_promoted = true;
        self.vacate(usize::from(PieceLists::place(color, Role::Pawn, pawn).0));
        let places = (0..self.len(color, role)).rev();
        let vacant = places
            .map(|index| PieceLists::place(color, role, index))
            .find(|place| self.square(*place).is_none());
        if let Some(place) = vacant.or_else(|| self.append(color, role)) {
            self.step(place, square);
            let pawns = self.promoted.get_mut(usize::from(color.is_black()));
            if let Some(promoted) = pawns.and_then(|pawns| pawns.get_mut(usize::from(pawn % 8))) {
                *promoted = place.0;
            }
        }
    }

    fn append(&mut self, color: Color, role: Role) -> Option<Slot> {
        let kind = (role as usize).checked_sub(1)?;
        let len = self.lens.get_mut(usize::from(color.is_black()))?.get_mut(kind)?;
        if usize::from(*len) >= MOST {
            return None;
        }
        *len += 1;
        Some(PieceLists::place(color, role, *len - 1))
    }

    /// Makes a place vacant.
    #[inline(always)]
    fn vacate(&mut self, place: usize) {
        if let Some(square) = self.squares.get_mut(place) {
            *square = VACANT;
        }
    }
}

const ROLES: [Role; KINDS] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_begin_on_the_eighth_rank() {
        let lists = PieceLists::new(&Position::initial());
        let square = |color, role, index| lists.square(PieceLists::place(color, role, index));
        assert_eq!(square(Color::White, Role::Pawn, 0), Some(Square::A2));
        assert_eq!(square(Color::Black, Role::Knight, 1), Some(Square::G8));
        assert_eq!(square(Color::White, Role::Queen, 0), Some(Square::D1));
        assert_eq!(square(Color::White, Role::Queen, 1), None);
    }

    #[test]
    fn no_list_gets_shorter_at_the_end_of_a_variation() {
        let mut before = PieceLists::new(&Position::initial());
        let mut after = before.clone();
        after.promote(Color::White, 0, Role::Queen, Square::A8);
        let queen = PieceLists::place(Color::White, Role::Queen, 1);
        assert_eq!(after.promoted(Color::White, 0), Some((Role::Queen, queen)));

        before.carry(&after);
        assert_eq!(before.len(Color::White, Role::Queen), 2);
        assert_eq!(before.promoted(Color::White, 0), None);
        assert_eq!(before.square(queen), None);

        after.take(Color::White, Square::A8);
        assert_eq!(after.promoted(Color::White, 0), None);
        assert_eq!(after.square(queen), None);
    }
}
