//! Moves in 16 bits each, for sorting lines.

use chessdb::board::{CastlingSide, Move, Role, Square};

/// The pieces that a pawn can promote to. The number in a code is the index plus 1.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Codes of moves that are not one piece moving from one square to another.
const CASTLE_KING_SIDE: u16 = 0x8000;
const CASTLE_QUEEN_SIDE: u16 = 0x8001;
const NULL: u16 = 0x8002;

/// The code of a move: departure in bits 0-5, target in bits 6-11, promotion in bits 12-14. It is never 0.
#[inline]
pub(super) fn code_of(mv: Move) -> u16 {
    match mv {
        Move::Normal { from, to, promotion } => {
            let promoted = promotion.and_then(|role| PROMOTIONS.iter().position(|&known| known == role));
            let promoted = promoted.map_or(0, |place| place as u16 + 1);
            from as u16 | (to as u16) << 6 | promoted << 12
        }
        Move::Castle(CastlingSide::KingSide) => CASTLE_KING_SIDE,
        Move::Castle(CastlingSide::QueenSide) => CASTLE_QUEEN_SIDE,
        Move::Null => NULL,
    }
}

/// A code in 12 bits, for moves other than promotions. Castling and null moves have equal origin and target.
pub(super) fn short(code: u16) -> u64 {
    match code {
        CASTLE_KING_SIDE => 1 | 1 << 6,
        CASTLE_QUEEN_SIDE => 2 | 2 << 6,
        NULL => 3 | 3 << 6,
        code => u64::from(code & 0xfff),
    }
}

/// The move of a code; `None` if the code is invalid.
pub(super) fn move_of(code: u16) -> Option<Move> {
    Some(match code {
        CASTLE_KING_SIDE => Move::Castle(CastlingSide::KingSide),
        CASTLE_QUEEN_SIDE => Move::Castle(CastlingSide::QueenSide),
        NULL => Move::Null,
        _ => {
            let square = |bits: u16| Square::new(u32::from(bits & 63));
            let promoted = usize::from(code >> 12);
            let promotion = match promoted.checked_sub(1) {
                None => None,
                Some(place) => Some(*PROMOTIONS.get(place)?),
            };
            Move::Normal {
                from: square(code),
                to: square(code >> 6),
                promotion,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_one_move() {
        let codes = (1..=u16::MAX).filter_map(|code| Some((code, move_of(code)?)));
        let read: Vec<_> = codes.collect();
        assert_eq!(read.len(), 5 * 4096 + 3 - 1);
        assert!(read.iter().all(|&(code, mv)| code_of(mv) == code));
        let castling = [
            Move::Castle(CastlingSide::KingSide),
            Move::Castle(CastlingSide::QueenSide),
            Move::Null,
        ];
        let mut short = castling.map(|mv| short(code_of(mv)));
        assert!(
            short.iter().all(|code| code >> 6 == code & 63),
            "no piece goes there"
        );
        short.sort_unstable();
        assert!(short.windows(2).all(|two| two[0] != two[1]));
    }
}
