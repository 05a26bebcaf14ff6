//! Geometry of pairs of squares: one table load instead of an attack set.

use shakmaty::attacks;

use super::packed::PackedPiece;
use super::{Bitboard, Square};

/// The squares that a knight, bishop, rook, queen or king attacks from `square` on an empty board; empty for
/// pawns.
///
/// The relation is symmetric: such a piece also attacks `square` from these squares.
#[inline]
pub(super) fn reach(piece: PackedPiece, square: Square) -> Bitboard {
    REACH[piece.role_index()][square as usize]
}

/// The whole rank, file or diagonal through both squares; empty if they share no line.
///
/// `a` is the index of a square. The index of a missing king is 64, for which the result is always empty.
#[inline]
pub(super) fn line(a: usize, b: Square) -> Bitboard {
    LINES[a][b as usize]
}

/// The squares between two squares of one line; empty if they are on no common line.
#[inline]
pub(super) fn between(a: Square, b: Square) -> Bitboard {
    // The same as in shakmaty, but from the table that is in the cache anyway.
    let span = (u64::MAX << a as u32) ^ (u64::MAX << b as u32);
    (line(a as usize, b) & Bitboard(span)).without_first()
}

/// The `pieces` with no other piece between them and `square`.
///
/// There are few such pieces, so a loop is cheaper than an attack set, whose table does not fit into the L1
/// cache.
#[inline]
pub(super) fn with_free_path(pieces: Bitboard, square: Square, occupied: Bitboard) -> Bitboard {
    pieces.into_iter().fold(Bitboard::EMPTY, |free, piece| {
        let is_free = (between(square, piece) & occupied).is_empty();
        free | Bitboard(u64::from(is_free) << piece as u32)
    })
}

static REACH: [[Bitboard; 64]; 8] = reaches();
static LINES: [[Bitboard; 64]; 65] = lines();

const fn reaches() -> [[Bitboard; 64]; 8] {
    let mut table = [[Bitboard::EMPTY; 64]; 8];
    let mut index = 0;
    while index < 64 {
        let square = Square::new(index as u32);
        let bishop = attacks::bishop_attacks(square, Bitboard::EMPTY);
        let rook = attacks::rook_attacks(square, Bitboard::EMPTY);
        table[2][index] = attacks::knight_attacks(square);
        table[3][index] = bishop;
        table[4][index] = rook;
        table[5][index] = Bitboard(bishop.0 | rook.0);
        table[6][index] = attacks::king_attacks(square);
        index += 1;
    }
    table
}

const fn lines() -> [[Bitboard; 64]; 65] {
    let mut table = [[Bitboard::EMPTY; 64]; 65];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            table[a][b] = attacks::ray(Square::new(a as u32), Square::new(b as u32));
            b += 1;
        }
        a += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Color, Role};

    #[test]
    fn tables_agree_with_attack_sets() {
        let occupied = Bitboard(0x0042_1824_0010_8100);
        for from in Square::ALL {
            for to in Square::ALL {
                assert_eq!(between(from, to), attacks::between(from, to), "{from} {to}");
                for role in Role::ALL.into_iter().filter(|&role| role != Role::Pawn) {
                    let expected = attacks::attacks(from, role.of(Color::White), occupied).contains(to);
                    let related = reach(PackedPiece::new(Color::White, role), to).contains(from);
                    let given = related && (between(from, to) & occupied).is_empty();
                    assert_eq!(given, expected, "{role:?} {from} {to}");
                }
            }
        }
    }

    #[test]
    fn a_missing_king_is_on_no_line() {
        assert!(Square::ALL.into_iter().all(|square| line(64, square).is_empty()));
    }
}
