//! PieceLists of pieces: what the numbers in move codes mean (section 3.2).
//!
//! Every piece of a kind has a place in the list of its side and kind, given once by the start position. Places
//! become vacant and are filled again by promotions; no list ever gets shorter, even when moves are taken back.

use crate::board::{Color, Position, Role, Square};

/// Most places of a list.
const MOST: usize = 64;
/// Kinds of pieces that have lists: all but the king.
const KINDS: usize = 5;
const PER_SIDE: usize = KINDS * MOST;
/// Behind the lists stand eight cells a side: the place of the piece that a pawn has become.
const PROMOTED: usize = 2 * PER_SIDE;
const CELLS: usize = PROMOTED + 16;
/// A vacant place, a pawn that has not been promoted.
const NONE: u16 = u16::MAX;

/// A place in one of the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u16);

/// The lists, with what takes their changes back.
#[derive(Clone, Debug)]
pub(super) struct PieceLists {
    cells: [u16; CELLS],
    lens: [[u8; KINDS]; 2],
    /// Place of the piece that stands on a square; of empty squares it means nothing.
    on: [u16; 64],
    /// Cells that were changed, with what they held.
    log: Vec<(u16, u16)>,
    /// Where the last move of the current line begins in `log`.
    last_move: Option<usize>,
    /// Moves that were taken back, to be played again.
    redo: Vec<(u16, u16)>,
    lines: Vec<Branch>,
}

/// What brings back the line that a variation leaves.
#[derive(Clone, Copy, Debug)]
struct Branch {
    log: usize,
    redo: usize,
    had_move: bool,
}

impl PieceLists {
    /// The lists of a start position: rank 8 down to 1, each from file a to h.
    pub(super) fn new(position: &Position) -> PieceLists {
        let mut lists = PieceLists {
            cells: [NONE; CELLS],
            lens: [[0; KINDS]; 2],
            on: [NONE; 64],
            log: Vec::with_capacity(256),
            last_move: None,
            redo: Vec::new(),
            lines: Vec::new(),
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

    /// The place of a piece's number.
    #[inline]
    pub(super) fn place(color: Color, role: Role, index: u8) -> Place {
        let kind = (role as usize).saturating_sub(1).min(KINDS - 1);
        let place = usize::from(color.is_black()) * PER_SIDE + kind * MOST + usize::from(index) % MOST;
        Place(u16::try_from(place).unwrap_or(NONE))
    }

    /// Where the piece of a place stands.
    #[inline]
    pub(super) fn square(&self, place: Place) -> Option<Square> {
        let cell = self.cells.get(usize::from(place.0)).copied().unwrap_or(NONE);
        (cell != NONE).then(|| Square::new(u32::from(cell & 63)))
    }

    /// The piece that a pawn has become: its kind and place.
    pub(super) fn promoted(&self, color: Color, pawn: u8) -> Option<(Role, Place)> {
        let cell = self.cells.get(promoted_cell(color, pawn)).copied()?;
        let kind = usize::from(cell).checked_rem(PER_SIDE)? / MOST;
        (cell != NONE).then_some((*ROLES.get(kind)?, Place(cell)))
    }

    /// Number of places of a kind.
    pub(super) fn len(&self, color: Color, role: Role) -> u8 {
        let kind = (role as usize).saturating_sub(1).min(KINDS - 1);
        let side = self.lens.get(usize::from(color.is_black()));
        side.and_then(|side| side.get(kind)).copied().unwrap_or(0)
    }

    /// A move begins: what follows up to the next one is taken back together.
    #[inline]
    pub(super) fn begin_move(&mut self) {
        self.last_move = Some(self.log.len());
    }

    /// The piece of a place goes to a square.
    #[inline]
    pub(super) fn step(&mut self, place: Place, to: Square) {
        self.change(place.0, to as u16);
    }

    /// The piece on a square goes to another one.
    pub(super) fn step_from(&mut self, from: Square, to: Square) {
        let place = self.on.get(from as usize).copied().unwrap_or(NONE);
        self.change(place, to as u16);
    }

    /// The piece of `color` on a square is taken.
    #[inline]
    pub(super) fn take(&mut self, color: Color, square: Square) {
        let place = self.on.get(square as usize).copied().unwrap_or(NONE);
        if place == NONE {
            return;
        }
        self.change(place, NONE);
        for pawn in 0..8 {
            let cell = promoted_cell(color, pawn);
            if self.cells.get(cell) == Some(&place) {
                self.change(u16::try_from(cell).unwrap_or(NONE), NONE);
            }
        }
    }

    /// A pawn becomes a piece of `role` on a square: the last vacant place of its list, else a new one.
    pub(super) fn promote(&mut self, color: Color, pawn: u8, role: Role, square: Square) {
        self.change(PieceLists::place(color, Role::Pawn, pawn).0, NONE);
        let places = (0..self.len(color, role)).rev();
        let vacant = places
            .map(|index| PieceLists::place(color, role, index))
            .find(|place| self.square(*place).is_none());
        if let Some(place) = vacant.or_else(|| self.append(color, role)) {
            self.change(place.0, square as u16);
            self.change(u16::try_from(promoted_cell(color, pawn)).unwrap_or(NONE), place.0);
        }
    }

    fn append(&mut self, color: Color, role: Role) -> Option<Place> {
        let kind = (role as usize).checked_sub(1)?;
        let len = self.lens.get_mut(usize::from(color.is_black()))?.get_mut(kind)?;
        if usize::from(*len) >= MOST {
            return None;
        }
        *len += 1;
        Some(PieceLists::place(color, role, *len - 1))
    }

    /// Takes the last move of the current line back and begins a variation.
    pub(super) fn start_variation(&mut self) {
        let start = self.last_move.unwrap_or(self.log.len());
        self.lines.push(Branch {
            log: start,
            redo: self.redo.len(),
            had_move: self.last_move.is_some(),
        });
        while self.log.len() > start {
            if let Some((cell, old)) = self.log.pop() {
                let new = self.cells.get(usize::from(cell)).copied().unwrap_or(NONE);
                self.redo.push((cell, new));
                self.put(cell, old);
            }
        }
        self.last_move = None;
    }

    /// Goes back to the line that the variation left, with its last move.
    pub(super) fn end_variation(&mut self) {
        let Some(branch) = self.lines.pop() else { return };
        while self.log.len() > branch.log {
            if let Some((cell, old)) = self.log.pop() {
                self.put(cell, old);
            }
        }
        while self.redo.len() > branch.redo {
            if let Some((cell, new)) = self.redo.pop() {
                self.change(cell, new);
            }
        }
        self.last_move = branch.had_move.then_some(branch.log);
    }

    #[inline]
    fn change(&mut self, cell: u16, value: u16) {
        if let Some(&old) = self.cells.get(usize::from(cell)) {
            self.log.push((cell, old));
            self.put(cell, value);
        }
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
    fn no_list_gets_shorter_when_a_promotion_is_taken_back() {
        let mut lists = PieceLists::new(&Position::initial());
        lists.begin_move();
        lists.promote(Color::White, 0, Role::Queen, Square::A8);
        assert_eq!(
            lists.promoted(Color::White, 0),
            Some((Role::Queen, PieceLists::place(Color::White, Role::Queen, 1)))
        );
        lists.start_variation();
        assert_eq!(lists.promoted(Color::White, 0), None);
        let pawn = PieceLists::place(Color::White, Role::Pawn, 0);
        assert_eq!(lists.square(pawn), Some(Square::A2));
        assert_eq!(lists.len(Color::White, Role::Queen), 2);
        lists.begin_move();
        lists.step(pawn, Square::A3);
        lists.end_variation();
        assert_eq!(lists.square(pawn), None);
        let queen = PieceLists::place(Color::White, Role::Queen, 1);
        assert_eq!(lists.square(queen), Some(Square::A8));
        lists.begin_move();
        lists.take(Color::White, Square::A8);
        assert_eq!(lists.promoted(Color::White, 0), None);
        lists.start_variation();
        lists.end_variation();
        assert_eq!(lists.square(queen), None);
    }
}
