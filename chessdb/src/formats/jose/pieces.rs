//! Lists of pieces, to which the numbers in move codes refer (section 3.2).
//!
//! Every piece has a place in the list of its side and kind, assigned in the start position. Places become
//! vacant and are filled again by promotions. No list ever becomes shorter, even at the end of a variation.

use crate::board::{Color, Position, Role, Square};
use crate::replay::State;

/// Maximum number of places of a list.
const MOST: usize = 64;
/// Number of kinds of pieces that have lists: all but the king.
const KINDS: usize = 5;
const PER_SIDE: usize = KINDS * MOST;
/// The lists are followed by eight cells for each side: the place of the piece to which each pawn was
/// promoted.
const PROMOTED: usize = 2 * PER_SIDE;
const CELLS: usize = PROMOTED + 16;
/// Stands for a vacant place, and for a pawn that has not been promoted.
const NONE: u16 = u16::MAX;

/// A place in one of the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(u16);

/// The lists of both sides.
#[derive(Clone, Debug)]
pub(super) struct PieceLists {
    cells: [u16; CELLS],
    lens: [[u8; KINDS]; 2],
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
            cells: [NONE; CELLS],
            lens: [[0; KINDS]; 2],
            on: [NONE; 64],
        };
        for number in 0..64u32 {
            let square = Square::new(number ^ 56);
            if let (Some(color), Some(role)) = (position.color_at(square), position.role_at(square))
                && role != Role::King
                && let Some(place) = lists.append(color, role)
            {
                lists.put(place.0, square as u16);
            }
        }
        lists
    }

    /// The place for a piece's number.
    #[inline]
    pub(super) fn place(color: Color, role: Role, index: u8) -> Slot {
        let kind = (role as usize).saturating_sub(1).min(KINDS - 1);
        let place = usize::from(color.is_black()) * PER_SIDE + kind * MOST + usize::from(index) % MOST;
        Slot(u16::try_from(place).unwrap_or(NONE))
    }

    /// The square of the piece with this place.
    #[inline]
    pub(super) fn square(&self, place: Slot) -> Option<Square> {
        let cell = self.cells.get(usize::from(place.0)).copied().unwrap_or(NONE);
        (cell != NONE).then(|| Square::new(u32::from(cell & 63)))
    }

    /// The piece to which a pawn was promoted: its kind and place.
    pub(super) fn promoted(&self, color: Color, pawn: u8) -> Option<(Role, Slot)> {
        let cell = self.cells.get(promoted_cell(color, pawn)).copied()?;
        let kind = usize::from(cell).checked_rem(PER_SIDE)? / MOST;
        (cell != NONE).then_some((*ROLES.get(kind)?, Slot(cell)))
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
        self.put(place.0, to as u16);
    }

    /// Moves the piece on a square to another square.
    pub(super) fn step_from(&mut self, from: Square, to: Square) {
        let place = self.on.get(from as usize).copied().unwrap_or(NONE);
        self.put(place, to as u16);
    }

    /// Removes the captured piece of `color` on a square.
    #[inline]
    pub(super) fn take(&mut self, color: Color, square: Square) {
        let place = self.on.get(square as usize).copied().unwrap_or(NONE);
        if place == NONE {
            return;
        }
        self.put(place, NONE);
        for pawn in 0..8 {
            let cell = promoted_cell(color, pawn);
            if self.cells.get(cell) == Some(&place) {
                self.put(u16::try_from(cell).unwrap_or(NONE), NONE);
            }
        }
    }

    /// Replaces a pawn by a piece of `role` on a square, at the last vacant place of its list or else at a
    /// new one.
    pub(super) fn promote(&mut self, color: Color, pawn: u8, role: Role, square: Square) {
        self.put(PieceLists::place(color, Role::Pawn, pawn).0, NONE);
        let places = (0..self.len(color, role)).rev();
        let vacant = places
            .map(|index| PieceLists::place(color, role, index))
            .find(|place| self.square(*place).is_none());
        if let Some(place) = vacant.or_else(|| self.append(color, role)) {
            self.put(place.0, square as u16);
            self.put(u16::try_from(promoted_cell(color, pawn)).unwrap_or(NONE), place.0);
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

    #[inline]
    fn put(&mut self, cell: u16, value: u16) {
        if let Some(slot) = self.cells.get_mut(usize::from(cell)) {
            *slot = value;
            if usize::from(cell) < PROMOTED
                && let Some(on) = self.on.get_mut(usize::from(value))
            {
                *on = cell;
            }
        }
    }
}

const ROLES: [Role; KINDS] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

fn promoted_cell(color: Color, pawn: u8) -> usize {
    PROMOTED + usize::from(color.is_black()) * 8 + usize::from(pawn % 8)
}

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
