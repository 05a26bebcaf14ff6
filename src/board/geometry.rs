//! How two squares lie to each other: one table load instead of an attack set.

use shakmaty::attacks;

use super::{Bitboard, Color, Role, Square};

/// Relations between squares, and so the ways in which men go. Bits may be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relation(u8);

const DIAGONAL: u8 = 1;
const STRAIGHT: u8 = 2;
const KNIGHT: u8 = 4;
const ADJACENT: u8 = 8;
const WHITE_PAWN_TAKES: u8 = 16;
const BLACK_PAWN_TAKES: u8 = 32;

impl Relation {
    /// The ways in which a man of `role` and `color` takes.
    #[inline]
    pub(super) fn of_man(role: Role, color: Color) -> Relation {
        const OF_ROLE: [u8; 7] = [0, 0, KNIGHT, DIAGONAL, STRAIGHT, DIAGONAL | STRAIGHT, ADJACENT];
        let pawn = if color.is_white() {
            WHITE_PAWN_TAKES
        } else {
            BLACK_PAWN_TAKES
        };
        let pawn = if role == Role::Pawn { pawn } else { 0 };
        Relation(OF_ROLE[role as usize] | pawn)
    }

    /// True where a man that goes these ways attacks `to` from `from` when `occupied` is the board.
    #[inline]
    pub(super) fn attacks(self, from: Square, to: Square, occupied: Bitboard) -> bool {
        let related = RELATIONS[from as usize][to as usize] & self.0 != 0;
        // Nothing lies between squares that are a knight's jump or one step apart. No short circuit: a wrong guess
        // of the processor costs more than the second load.
        related & (attacks::between(from, to) & occupied).is_empty()
    }
}

static RELATIONS: [[u8; 64]; 64] = relations();

const fn relations() -> [[u8; 64]; 64] {
    let mut table = [[0; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            let files = (to as i32 & 7) - (from as i32 & 7);
            let ranks = (to as i32 >> 3) - (from as i32 >> 3);
            let (wide, high) = (files.abs(), ranks.abs());
            let mut relation = 0;
            if from != to {
                if wide == high {
                    relation |= DIAGONAL;
                }
                if wide == 0 || high == 0 {
                    relation |= STRAIGHT;
                }
                if wide * high == 2 {
                    relation |= KNIGHT;
                }
                if wide <= 1 && high <= 1 {
                    relation |= ADJACENT;
                }
                if wide == 1 && ranks == 1 {
                    relation |= WHITE_PAWN_TAKES;
                }
                if wide == 1 && ranks == -1 {
                    relation |= BLACK_PAWN_TAKES;
                }
            }
            table[from][to] = relation;
            to += 1;
        }
        from += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_agree_with_attack_sets() {
        let occupied = Bitboard(0x0042_1824_0010_8100);
        for from in Square::ALL {
            for to in Square::ALL {
                for role in Role::ALL {
                    for color in Color::ALL {
                        let expected = attacks::attacks(from, role.of(color), occupied).contains(to);
                        let given = Relation::of_man(role, color).attacks(from, to, occupied);
                        assert_eq!(given, expected, "{role:?} {color:?} {from} {to}");
                    }
                }
            }
        }
    }
}
