//! Tables for the codes 00 to 8f: one with the piece's place in the lists, one with its target square. The other codes
//! use only the second table.
//!
//! Looking up a place and a target takes no branch. A processor would predict branches badly here, because the codes of
//! a game follow no pattern.

use super::pieces::{PieceLists, Slot};
use crate::board::{Color, Role, Square};

/// Number of codes that move a piece of a list and have no second byte.
const CODES: usize = 0x90;

/// The meaning of a code for one side.
#[derive(Clone, Copy)]
struct Step {
    place: Slot,
    /// Index in [`TARGETS`].
    way: u8,
}

/// The ways of pieces in the order of [`way`]: a white and a black pawn, knight, bishop, rook, king.
const WAYS: usize = 4 + 4 + 8 + 16 + 16 + 8;
/// The entry for a target that is not on the board.
const NONE: u8 = 64;

static STEPS: [[Step; CODES]; 2] = [steps(Color::Black), steps(Color::White)];
static TARGETS: [[u8; 64]; WAYS] = targets();

/// The place of the piece that a code moves, its square, and its target; `None` for other codes, for a vacant place,
/// and for a target off the board. The move may be illegal.
#[inline(always)]
pub(super) fn step(lists: &PieceLists, us: Color, code: u8) -> Option<(Slot, Square, Square)> {
    let side = STEPS.get(usize::from(us.is_white()))?;
    let Step { place, way } = *side.get(usize::from(code))?;
    let from = lists.square(place)?;
    Some((place, from, on_way(way, from)?))
}

/// The square that a direction leads to; `None` if it is off the board.
#[inline]
pub(super) fn target(us: Color, role: Role, direction: u8, from: Square) -> Option<Square> {
    on_way(way(us, role, direction), from)
}

#[inline(always)]
fn on_way(way: u8, from: Square) -> Option<Square> {
    let to = *TARGETS.get(usize::from(way))?.get(from as usize)?;
    (to < NONE).then(|| Square::new(to.into()))
}

/// The way of a piece in a direction. Bits of the direction that this kind of piece does not use are ignored.
const fn way(us: Color, role: Role, direction: u8) -> u8 {
    match role {
        Role::Pawn => (us.is_black() as u8) << 2 | direction & 3,
        Role::Knight => 8 + (direction & 7),
        Role::Bishop => 16 + (direction & 15),
        Role::Rook => 32 + (direction & 15),
        Role::Queen => 16 + (direction & 31),
        Role::King => 48 + (direction & 7),
    }
}

#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]
const fn steps(us: Color) -> [Step; CODES] {
    let mut steps = [Step {
        place: PieceLists::place(us, Role::Pawn, 0),
        way: 0,
    }; CODES];
    let mut code = 0;
    while code < CODES as u8 {
        let (role, index, direction) = match code {
            0x00..=0x1f => (Role::Pawn, code >> 2, code),
            0x20..=0x2f => (Role::Knight, code >> 3 & 1, code),
            0x30..=0x4f => (Role::Bishop, (code - 0x30) >> 4, code),
            0x50..=0x6f => (Role::Rook, (code - 0x50) >> 4, code),
            _ => (Role::Queen, 0, code - 0x70),
        };
        steps[code as usize] = Step {
            place: PieceLists::place(us, role, index),
            way: way(us, role, direction),
        };
        code += 1;
    }
    steps
}

/// For each way, the square that it leads to from each square.
#[allow(clippy::indexing_slicing)]
const fn targets() -> [[u8; 64]; WAYS] {
    let mut targets = [[NONE; 64]; WAYS];
    let mut way = 0;
    while way < WAYS {
        let mut from = 0;
        while from < 64 {
            targets[way][from] = computed(way, from);
            from += 1;
        }
        way += 1;
    }
    targets
}

#[allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]
const fn computed(way: usize, from: usize) -> u8 {
    // Files to the east and ranks to the north.
    const PAWN: [(i32, i32); 4] = [(0, 1), (1, 1), (-1, 1), (0, 2)];
    const KNIGHT: [(i32, i32); 8] = [
        (2, 1),
        (2, -1),
        (1, -2),
        (-1, -2),
        (-2, -1),
        (-2, 1),
        (-1, 2),
        (1, 2),
    ];
    const KING: [(i32, i32); 8] = [
        (1, 1),
        (1, -1),
        (-1, -1),
        (-1, 1),
        (1, 0),
        (-1, 0),
        (0, 1),
        (0, -1),
    ];
    let (file, rank) = (from as i32 & 7, from as i32 >> 3);
    let place = way as i32 & 7;
    let (file, rank) = match way {
        0..4 => (file + PAWN[way].0, rank + PAWN[way].1),
        4..8 => (file - PAWN[way - 4].0, rank - PAWN[way - 4].1),
        8..16 => (file + KNIGHT[way - 8].0, rank + KNIGHT[way - 8].1),
        16..24 => (file + place - rank, place),
        24..32 => (file - place + rank, place),
        32..40 => (file, place),
        40..48 => (place, rank),
        _ => (file + KING[way - 48].0, rank + KING[way - 48].1),
    };
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        NONE
    } else {
        (8 * rank + file) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A direction of `codes.rs`: does it lead from the first square to the second, given as file and rank?
    type Leads = fn(u8, [i32; 2], [i32; 2]) -> bool;

    fn is_among(steps: &[[i32; 2]], direction: u8, from: [i32; 2], to: [i32; 2]) -> bool {
        steps[usize::from(direction)] == [to[0] - from[0], to[1] - from[1]]
    }

    fn white_pawn(direction: u8, from: [i32; 2], to: [i32; 2]) -> bool {
        is_among(&[[0, 1], [1, 1], [-1, 1], [0, 2]], direction, from, to)
    }

    fn black_pawn(direction: u8, from: [i32; 2], to: [i32; 2]) -> bool {
        is_among(&[[0, -1], [-1, -1], [1, -1], [0, -2]], direction, from, to)
    }

    fn knight(direction: u8, from: [i32; 2], to: [i32; 2]) -> bool {
        let steps = [
            [2, 1],
            [2, -1],
            [1, -2],
            [-1, -2],
            [-2, -1],
            [-2, 1],
            [-1, 2],
            [1, 2],
        ];
        is_among(&steps, direction, from, to)
    }

    fn bishop(direction: u8, from: [i32; 2], to: [i32; 2]) -> bool {
        let same = match direction {
            0..8 => from[0] - from[1] == to[0] - to[1],
            _ => from[0] + from[1] == to[0] + to[1],
        };
        same && to[1] == i32::from(direction % 8)
    }

    fn rook(direction: u8, from: [i32; 2], to: [i32; 2]) -> bool {
        match direction {
            0..8 => to == [from[0], direction.into()],
            _ => to == [i32::from(direction) - 8, from[1]],
        }
    }

    fn queen(direction: u8, from: [i32; 2], to: [i32; 2]) -> bool {
        match direction {
            0..16 => bishop(direction, from, to),
            _ => rook(direction - 16, from, to),
        }
    }

    fn king(direction: u8, from: [i32; 2], to: [i32; 2]) -> bool {
        let steps = [
            [1, 1],
            [1, -1],
            [-1, -1],
            [-1, 1],
            [1, 0],
            [-1, 0],
            [0, 1],
            [0, -1],
        ];
        is_among(&steps, direction, from, to)
    }

    /// The target square of a direction, as the format's page describes it.
    fn expected(leads: Leads, direction: u8, from: Square) -> Option<Square> {
        let place = |square: Square| [square.file() as i32, square.rank() as i32];
        let mut found = (0..64)
            .map(Square::new)
            .filter(|to| leads(direction, place(from), place(*to)));
        let to = found.next();
        assert_eq!(found.next(), None);
        to
    }

    #[test]
    fn codes_move_the_pieces_of_the_page() {
        // For each kind of piece its first code, the number of pieces and of directions.
        let kinds: [(Role, u8, u8, u8, [Leads; 2]); 5] = [
            (Role::Pawn, 0x00, 8, 4, [white_pawn, black_pawn]),
            (Role::Knight, 0x20, 2, 8, [knight; 2]),
            (Role::Bishop, 0x30, 2, 16, [bishop; 2]),
            (Role::Rook, 0x50, 2, 16, [rook; 2]),
            (Role::Queen, 0x70, 1, 32, [queen; 2]),
        ];
        let mut codes = 0;
        for (role, first, pieces, directions, leads) in kinds {
            for (us, leads) in [Color::White, Color::Black].into_iter().zip(leads) {
                for (index, direction) in (0..pieces).flat_map(|i| (0..directions).map(move |d| (i, d))) {
                    let code = first + index * directions + direction;
                    let place = PieceLists::place(us, role, index);
                    for from in (0..64).map(Square::new) {
                        let mut lists = PieceLists::initial();
                        lists.step(place, from);
                        let to = expected(leads, direction, from);
                        let given = step(&lists, us, code);
                        assert_eq!(given, to.map(|to| (place, from, to)), "{us} {code:x} {from}");
                        assert_eq!(target(us, role, direction, from), to);
                    }
                    codes += 1;
                }
            }
        }
        assert_eq!(codes, 2 * CODES);
        for code in 0x90..=0xff {
            assert_eq!(step(&PieceLists::initial(), Color::White, code), None);
        }
    }

    #[test]
    fn the_king_steps_as_on_the_page() {
        for direction in 0..8 {
            for from in (0..64).map(Square::new) {
                let to = expected(king, direction, from);
                assert_eq!(target(Color::White, Role::King, direction, from), to);
                assert_eq!(target(Color::Black, Role::King, 8 + direction, from), to);
            }
        }
    }

    #[test]
    fn targets_are_absolute() {
        let target = |from, role, direction| target(Color::White, role, direction, from);
        assert_eq!(target(Square::C3, Role::Bishop, 6), Some(Square::G7));
        assert_eq!(target(Square::C3, Role::Bishop, 8), Some(Square::E1));
        assert_eq!(target(Square::C3, Role::Bishop, 7), Some(Square::H8));
        assert_eq!(target(Square::G3, Role::Bishop, 7), None);
        assert_eq!(target(Square::C3, Role::Rook, 15), Some(Square::H3));
        assert_eq!(target(Square::C3, Role::Queen, 16), Some(Square::C1));
    }
}
