//! The codes 00 to 8f as tables: which place of a list has the piece, and where the piece goes from its square.
//!
//! Looking up both needs no branch, of which a processor would predict few, because the codes of a game follow no
//! pattern.

use super::pieces::{PieceLists, Slot};
use crate::board::{Color, Role, Square};

/// Number of codes that move a piece of a list and have no second byte.
const CODES: usize = 0x90;

/// What a code means for a side.
#[derive(Clone, Copy)]
struct Step {
    place: Slot,
    /// Index in [`TARGETS`].
    way: u8,
}

/// Ways of pieces: those of a white and a black pawn, knight, bishop, rook.
const WAYS: usize = 4 + 4 + 8 + 16 + 16;
/// Stands for no square.
const NONE: u8 = 64;

static STEPS: [[Step; CODES]; 2] = [steps(Color::Black), steps(Color::White)];
static TARGETS: [[u8; 64]; WAYS] = targets();

/// The place of the piece that a code moves, its square, and where it goes; `None` for other codes, for a vacant place,
/// and if there is no such square. The move may be illegal.
#[inline(always)]
pub(super) fn step(lists: &PieceLists, us: Color, code: u8) -> Option<(Slot, Square, Square)> {
    let side = STEPS.get(usize::from(us.is_white()))?;
    let Step { place, way } = *side.get(usize::from(code))?;
    let from = lists.square(place)?;
    let to = *TARGETS.get(usize::from(way))?.get(from as usize)?;
    (to < NONE).then(|| (place, from, Square::new(to.into())))
}

#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]
const fn steps(us: Color) -> [Step; CODES] {
    let mut steps = [Step {
        place: PieceLists::place(us, Role::Pawn, 0),
        way: 0,
    }; CODES];
    let mut code = 0;
    while code < CODES as u8 {
        let (role, index, way) = match code {
            0x00..=0x1f => (Role::Pawn, code >> 2, code & 3 | (us.is_black() as u8) << 2),
            0x20..=0x2f => (Role::Knight, code >> 3 & 1, 8 + (code & 7)),
            0x30..=0x4f => (Role::Bishop, (code - 0x30) >> 4, 16 + (code & 15)),
            0x50..=0x6f => (Role::Rook, (code - 0x50) >> 4, 32 + (code & 15)),
            _ => (Role::Queen, 0, 16 + code - 0x70),
        };
        steps[code as usize] = Step {
            place: PieceLists::place(us, role, index),
            way,
        };
        code += 1;
    }
    steps
}

/// For each way the square to which it leads from each square.
#[allow(clippy::indexing_slicing)]
const fn targets() -> [[u8; 64]; WAYS] {
    let mut targets = [[NONE; 64]; WAYS];
    let mut way = 0;
    while way < WAYS {
        let mut from = 0;
        while from < 64 {
            targets[way][from] = target(way, from);
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
const fn target(way: usize, from: usize) -> u8 {
    const PAWN: [i32; 4] = [8, 9, 7, 16];
    const KNIGHT: [i32; 8] = [10, -6, -15, -17, -10, 6, 15, 17];
    let (file, rank) = (from as i32 & 7, from as i32 >> 3);
    let place = way as i32 & 7;
    let to = match way {
        0..4 => from as i32 + PAWN[way],
        4..8 => from as i32 - PAWN[way - 4],
        8..16 => from as i32 + KNIGHT[way - 8],
        16..32 => {
            let steps = place - rank;
            let file = if way < 24 { file + steps } else { file - steps };
            if file < 0 || file > 7 {
                -1
            } else {
                8 * place + file
            }
        }
        32..40 => 8 * place + file,
        _ => 8 * rank + place,
    };
    if to < 0 || to > 63 { NONE } else { to as u8 }
}

#[cfg(test)]
mod tests {
    use super::super::codes::coded;
    use super::*;
    use crate::board::{Fen, Move};

    #[test]
    fn the_tables_agree_with_the_rules_of_the_page() {
        let positions = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r2q1rk1/1p2bpp1/p1n1bn1p/3p4/P2N1B2/2NB3P/1P2QPP1/R3R1K1 w - - 0 1",
            "7k/P3n2q/1b6/r6p/2R5/6B1/Q2N3P/K7 w - - 0 1",
        ];
        let mut known = 0;
        for fen in positions {
            for fen in [fen.to_owned(), fen.replace(" w ", " b ")] {
                let position = Fen::parse(&fen).unwrap().position;
                let lists = PieceLists::new(&position);
                for code in 0..=0xff {
                    let given =
                        step(&lists, position.turn(), code).map(|(_, from, to)| Move::normal(from, to));
                    let expected = coded(&position, &lists, code, 0).map(|coded| coded.mv);
                    assert_eq!(given, expected.filter(|_| code < 0x90), "{code:x} in {fen}");
                    known += u32::from(given.is_some());
                }
            }
        }
        assert!(known > 300, "{known}");
    }
}
