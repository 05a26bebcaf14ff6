//! The meaning of the bytes 08 to FF in each notation (section 3), as two tables that are made at compile time.
//!
//! For both sides north is towards rank 8, east towards file h.
//!
//! ```text
//! ddd             0    1    2    3    4    5    6    7
//! king and queen  E    NE   N    NW   W    SW   S    SE
//! knight          EES  EEN  NNE  NNW  WWN  WWS  SSW  SSE
//! ```
//!
//! `ddd` is `2 * dd` for a rook (E N W S) and `2 * dd + 1` for a bishop (NE NW SW SE). `nnn` is the number of squares,
//! 1 to 7; `w` and `www` are the number of the piece. The main notation:
//!
//! ```text
//! 08-0F         00001 ddd    king
//! 10-1F         0001 w ddd   knight
//! 20-27         00100 www    pawn, one step
//! 28-2F         00101 www    pawn, two steps
//! 30-37         00110 www    pawn captures to its right
//! 38-3F         00111 www    pawn captures to its left
//! 40-47         01000 dd x   prefix: queen (x = 0) or knight (x = 1) number dd
//! 48-7F         01 nnn ddd   queen number 0
//! 80-87         10000 dd x   prefix: rook (x = 0) or bishop (x = 1) number dd
//! 88-BF, C8-FF  1 w nnn dd x rook (x = 0) or bishop (x = 1)
//! C0-C7                      unassigned
//! ```
//!
//! The alternate notation:
//!
//! ```text
//! 08-1F                      as in the main notation
//! 20-27         00100 www    pawn captures to its right
//! 28-2F         00101 www    pawn, one step
//! 30-37         00110 www    pawn, two steps
//! 38-3F         00111 www    pawn captures to its left
//! 40-7F         01 dd w nnn  bishop; with nnn = 0 and w = 0 the prefix of bishop dd
//! 80-BF         10 dd w nnn  rook; with nnn = 0 and w = 0 the prefix of rook dd
//! C0-FF         11 ddd nnn   queen number 0; with nnn = 0 the prefix of queen (11 dd 0 000) or knight (11 dd 1 000) dd
//! 48 58 68 78 88 98 A8 B8    unassigned
//! ```
//!
//! Three games, under *identity* and *own*. The description has the first one, in the main notation. In the third, the
//! new queen gets the number of the captured one:
//!
//! ```text
//! e4 e5 Qh5 Nc6 Bc4 Nf6?? Qxf7# 1-0
//!   main       2C 2C 61 17 DB 1E 06 06 53 02
//!   alternate  34 34 CC 17 5B 1E 06 06 DA 02
//! a4 b5 axb5 a6 bxa6 Bb7 axb7 Nc6 bxa8=Q Nb8 Qb7
//!   main       28 29 30 20 38 8D 30 17 42 38 13 42 4F
//!   alternate  30 31 20 28 38 61 20 17 D0 38 13 D0 F9
//! d4 e5 dxe5 Qg5 Qd6 cxd6 e6 Kd8 e7+ Kc7 e8=Q
//!   main       2B 2C 33 5F 6A 3A 23 0C 23 0D 40 23
//!   alternate  33 34 23 FB D5 3A 2B 0C 2B 0D C0 2B
//! ```

use super::reading::Right;
use crate::board::{Color, Role};

/// A way of writing half-moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Main,
    Alternate,
}

/// The meaning of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// King, knight, bishop, rook or queen `number` moves east by a number of files and north by a number of
    /// ranks.
    Piece {
        role: Role,
        number: u8,
        east: i8,
        north: i8,
    },
    Pawn {
        number: u8,
        way: Way,
    },
    /// Prefix: the next byte moves this piece, or promotes a pawn to it.
    Prefix {
        role: Role,
        number: u8,
    },
    Unassigned,
}

/// How a pawn moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Step,
    TwoSteps,
    TakesRight,
    TakesLeft,
}

impl Way {
    /// The distance in files to the east and in ranks to the north.
    #[inline]
    pub(super) const fn distance(self, right: Right, us: Color) -> (i8, i8) {
        let forward = if us.is_white() { 1 } else { -1 };
        // Right is east, except for a black pawn in the reading `own`.
        let right = match right {
            Right::Own => forward,
            Right::Diagram => 1,
        };
        match self {
            Way::Step => (0, forward),
            Way::TwoSteps => (0, 2 * forward),
            Way::TakesRight => (right, forward),
            Way::TakesLeft => (-right, forward),
        }
    }
}

impl Notation {
    /// The meaning of a byte from 08 on. Lower bytes have the same meaning in both notations and are not
    /// codes.
    #[inline]
    pub(super) fn code(self, byte: u8) -> Code {
        static MAIN: [Code; 256] = table(Notation::Main);
        static ALTERNATE: [Code; 256] = table(Notation::Alternate);
        let table = match self {
            Notation::Main => &MAIN,
            Notation::Alternate => &ALTERNATE,
        };
        table.get(usize::from(byte)).copied().unwrap_or(Code::Unassigned)
    }
}

/// The meaning of each byte. Bytes below 08 are not in this table.
#[allow(clippy::indexing_slicing)]
pub(super) const fn table(notation: Notation) -> [Code; 256] {
    let mut table = [Code::Unassigned; 256];
    let mut byte = 8u8;
    loop {
        table[byte as usize] = match byte {
            0x08..=0x0f => KING_STEPS[(byte & 7) as usize].of(Role::King, 0, 1),
            0x10..=0x1f => KNIGHT_STEPS[(byte & 7) as usize].of(Role::Knight, byte >> 3 & 1, 1),
            0x20..=0x3f => pawn(notation, byte),
            _ => match notation {
                Notation::Main => main(byte),
                Notation::Alternate => alternate(byte),
            },
        };
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

/// Files east and ranks north of one step.
#[derive(Clone, Copy)]
struct Direction(i8, i8);

impl Direction {
    #[allow(clippy::cast_possible_wrap)]
    const fn of(self, role: Role, number: u8, count: u8) -> Code {
        Code::Piece {
            role,
            number,
            east: self.0 * count as i8,
            north: self.1 * count as i8,
        }
    }
}

/// E NE N NW W SW S SE.
const KING_STEPS: [Direction; 8] = [
    Direction(1, 0),
    Direction(1, 1),
    Direction(0, 1),
    Direction(-1, 1),
    Direction(-1, 0),
    Direction(-1, -1),
    Direction(0, -1),
    Direction(1, -1),
];

/// EES EEN NNE NNW WWN WWS SSW SSE.
const KNIGHT_STEPS: [Direction; 8] = [
    Direction(2, -1),
    Direction(2, 1),
    Direction(1, 2),
    Direction(-1, 2),
    Direction(-2, 1),
    Direction(-2, -1),
    Direction(-1, -2),
    Direction(1, -2),
];

/// `001 mm www`: the notations differ only in the order of the kinds of moves (section 10.5).
#[allow(clippy::indexing_slicing)]
const fn pawn(notation: Notation, byte: u8) -> Code {
    let ways = match notation {
        Notation::Main => [Way::Step, Way::TwoSteps, Way::TakesRight, Way::TakesLeft],
        Notation::Alternate => [Way::TakesRight, Way::Step, Way::TwoSteps, Way::TakesLeft],
    };
    Code::Pawn {
        number: byte & 7,
        way: ways[(byte >> 3 & 3) as usize],
    }
}

/// Bytes from 40 on: `01 nnn ddd`, `1 w nnn dd x`, and prefixes where `nnn` is 0.
const fn main(byte: u8) -> Code {
    let count = byte >> 3 & 7;
    match byte {
        0x40..=0x47 => prefix(Role::Queen, Role::Knight, byte & 1, byte >> 1 & 3),
        0x48..=0x7f => slider(Role::Queen, 0, byte & 7, count),
        0x80..=0x87 => prefix(Role::Rook, Role::Bishop, byte & 1, byte >> 1 & 3),
        0x88..=0xbf | 0xc8..=0xff => {
            let role = if byte & 1 == 0 { Role::Rook } else { Role::Bishop };
            // `dd x` of rook and bishop is the `ddd` of a queen.
            slider(role, byte >> 6 & 1, byte & 7, count)
        }
        _ => Code::Unassigned,
    }
}

/// Bytes from 40 on: `01 dd w nnn` bishop, `10 dd w nnn` rook, `11 ddd nnn` queen, and prefixes where `nnn` is 0.
const fn alternate(byte: u8) -> Code {
    let count = byte & 7;
    let dd = byte >> 4 & 3;
    let w = byte >> 3 & 1;
    match (byte >> 6, count) {
        (3, 0) => prefix(Role::Queen, Role::Knight, w, dd),
        (3, _) => slider(Role::Queen, 0, byte >> 3 & 7, count),
        (2, 0) if w == 0 => prefix(Role::Rook, Role::Rook, 0, dd),
        (2, 1..) => slider(Role::Rook, w, 2 * dd, count),
        (1, 0) if w == 0 => prefix(Role::Bishop, Role::Bishop, 0, dd),
        (1, 1..) => slider(Role::Bishop, w, 2 * dd + 1, count),
        _ => Code::Unassigned,
    }
}

#[allow(clippy::indexing_slicing)]
const fn slider(role: Role, number: u8, direction: u8, count: u8) -> Code {
    KING_STEPS[direction as usize].of(role, number, count)
}

/// A prefix for the first role, or for the second one if `which` is 1.
const fn prefix(first: Role, second: Role, which: u8, number: u8) -> Code {
    let role = if which == 0 { first } else { second };
    Code::Prefix { role, number }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn both_notations_assign_248_bytes_with_the_same_meanings() {
        let said = |notation: Notation| -> HashSet<String> {
            let codes = (8..=255).map(|byte| notation.code(byte));
            let assigned = codes.filter(|code| *code != Code::Unassigned);
            assigned.map(|code| format!("{code:?}")).collect()
        };
        let main = said(Notation::Main);
        // The eight bytes below 08 are added.
        assert_eq!(main.len() + 8, 248);
        assert_eq!(main, said(Notation::Alternate));
    }

    #[test]
    fn unassigned_bytes_are_those_of_the_description() {
        let unassigned = |notation: Notation| -> Vec<u8> {
            let is_free = |&byte: &u8| notation.code(byte) == Code::Unassigned;
            (8..=255).filter(is_free).collect()
        };
        assert_eq!(unassigned(Notation::Main), (0xc0..=0xc7).collect::<Vec<u8>>());
        assert_eq!(
            unassigned(Notation::Alternate),
            [0x48, 0x58, 0x68, 0x78, 0x88, 0x98, 0xa8, 0xb8]
        );
    }

    #[test]
    fn the_bytes_of_the_example_mean_what_it_says() {
        let code = |byte| Notation::Main.code(byte);
        let queen = |east, north| Code::Piece {
            role: Role::Queen,
            number: 0,
            east,
            north,
        };
        assert_eq!(
            code(0x2c),
            Code::Pawn {
                number: 4,
                way: Way::TwoSteps
            }
        );
        assert_eq!(code(0x61), queen(4, 4));
        assert_eq!(code(0x53), queen(-2, 2));
        assert_eq!(Notation::Alternate.code(0xcc), queen(4, 4));
        assert_eq!(
            code(0xdb),
            Code::Piece {
                role: Role::Bishop,
                number: 1,
                east: -3,
                north: 3
            }
        );
    }

    #[test]
    fn the_right_of_a_black_pawn_depends_on_the_reading() {
        let [white, black] = [Color::White, Color::Black];
        assert_eq!(Way::TakesRight.distance(Right::Own, white), (1, 1));
        assert_eq!(Way::TakesRight.distance(Right::Diagram, white), (1, 1));
        assert_eq!(Way::TakesRight.distance(Right::Own, black), (-1, -1));
        assert_eq!(Way::TakesRight.distance(Right::Diagram, black), (1, -1));
        assert_eq!(Way::TakesLeft.distance(Right::Own, black), (1, -1));
        assert_eq!(Way::TakesLeft.distance(Right::Diagram, black), (-1, -1));
        assert_eq!(Way::TwoSteps.distance(Right::Own, black), (0, -2));
    }
}
