//! The pieces and steps of the codes 0 to 206 (section 6.4).

use crate::board::{Color, Square};

/// Number of codes that are steps.
const STEPS: usize = 207;

/// The number of a piece, and its step. A step over the edge of the board continues on the opposite side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) piece: u8,
    pub(super) delta: Delta,
}

/// Ranks forward (first octal digit) and files to the side (second one), each modulo 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delta(u8);

/// The direction in which files are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Files {
    Right,
    Left,
}

impl Delta {
    /// A step from a byte of the codes 212 to 219: ranks in the high four bits, files in the low ones.
    #[inline]
    pub(super) fn of_nibbles(byte: u8) -> Delta {
        Delta(byte >> 1 & 0o70 | byte & 7)
    }

    #[inline]
    pub(super) fn from(self, square: Square, files: Files) -> Square {
        let square = u32::from(square);
        let delta = u32::from(self.0);
        // Seven to the right is one to the left.
        let factor = match files {
            Files::Right => 1,
            Files::Left => 7,
        };
        let rank = ((square & 0o70) + (delta & 0o70)) & 0o70;
        let file = ((square & 7) + (delta & 7) * factor) & 7;
        Square::new(rank | file)
    }
}

/// The step of a code; `None` above 206.
#[inline]
pub(super) fn step(code: u8, color: Color) -> Option<Step> {
    let table = match color {
        Color::White => &WHITE,
        Color::Black => &BLACK,
    };
    table.get(usize::from(code)).copied()
}

/// A pawn's step by its kind, 0 to 3.
#[inline]
pub(super) fn pawn_step(kind: u8, color: Color) -> Option<Delta> {
    let table = match color {
        Color::White => &WHITE_PAWN,
        Color::Black => &BLACK_PAWN,
    };
    table.get(usize::from(kind)).map(|&delta| Delta(delta))
}

/// One step, captures to the left and to the right, two steps.
const WHITE_PAWN: [u8; 4] = [0o10, 0o17, 0o11, 0o20];
const BLACK_PAWN: [u8; 4] = [0o70, 0o77, 0o71, 0o60];
const KNIGHT: [u8; 8] = [0o67, 0o76, 0o16, 0o27, 0o21, 0o12, 0o72, 0o61];
const BISHOP: [u8; 13] = [
    0o11, 0o22, 0o33, 0o44, 0o55, 0o66, 0o77, 0o17, 0o26, 0o35, 0o53, 0o62, 0o71,
];
const ROOK: [u8; 14] = [
    0o07, 0o06, 0o05, 0o04, 0o03, 0o02, 0o01, 0o70, 0o60, 0o50, 0o40, 0o30, 0o20, 0o10,
];
const KING: [u8; 8] = [0o11, 0o77, 0o17, 0o71, 0o07, 0o01, 0o70, 0o10];

static WHITE: [Step; STEPS] = steps(&WHITE_PAWN);
static BLACK: [Step; STEPS] = steps(&BLACK_PAWN);

const fn steps(pawn: &[u8; 4]) -> [Step; STEPS] {
    let mut table = [Step {
        piece: 0,
        delta: Delta(0),
    }; STEPS];
    let mut filled = 0;
    let mut piece = 0;
    while piece < 18 {
        // In the order of numbers: eight pawns, two knights, two bishops, two rooks, queen, king, and two
        // promoted pieces of any kind.
        let ways: [&[u8]; 3] = match piece {
            0..8 => [pawn, &[], &[]],
            8 | 9 => [&KNIGHT, &[], &[]],
            10 | 11 => [&BISHOP, &[], &[]],
            12 | 13 => [&ROOK, &[], &[]],
            14 => [&BISHOP, &ROOK, &[]],
            15 => [&KING, &[], &[]],
            _ => [&BISHOP, &ROOK, &KNIGHT],
        };
        filled = append(&mut table, filled, piece, ways);
        piece += 1;
    }
    assert!(filled == STEPS);
    table
}

/// Adds rows to the table, which is computed at compile time: an incorrect size does not compile.
#[allow(clippy::indexing_slicing)]
const fn append(table: &mut [Step; STEPS], mut filled: usize, piece: u8, ways: [&[u8]; 3]) -> usize {
    let mut way = 0;
    while way < 3 {
        let mut number = 0;
        while number < ways[way].len() {
            let delta = Delta(ways[way][number]);
            table[filled] = Step { piece, delta };
            filled += 1;
            number += 1;
        }
        way += 1;
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_lead_where_the_page_says() {
        let to = |code, color, from, files| {
            let Step { piece, delta } = step(code, color).unwrap();
            (piece, delta.from(from, files))
        };
        use Color::{Black, White};
        assert_eq!(to(19, White, Square::E2, Files::Right), (4, Square::E4));
        assert_eq!(to(19, Black, Square::E7, Files::Right), (4, Square::E5));
        assert_eq!(to(1, White, Square::B2, Files::Right), (0, Square::A3));
        assert_eq!(to(1, White, Square::B2, Files::Left), (0, Square::C3));
        assert_eq!(to(33, White, Square::C4, Files::Right), (8, Square::A3));
        assert_eq!(to(74, White, Square::B1, Files::Right), (12, Square::A1));
        assert_eq!(to(115, White, Square::H8, Files::Right), (14, Square::G8));
        assert_eq!(to(136, White, Square::E1, Files::Left), (15, Square::E2));
        assert_eq!(to(137, White, Square::H8, Files::Right), (16, Square::A1));
        assert_eq!(to(206, White, Square::A2, Files::Right), (17, Square::B8));
        assert_eq!(step(207, White), None);
        assert_eq!(Delta::of_nibbles(0x76).from(Square::C4, Files::Right), Square::A3);
    }
}
