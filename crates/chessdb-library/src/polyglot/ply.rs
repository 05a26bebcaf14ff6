//! Moves as the 16 bits of Polyglot's opening books.

use chessdb::board::{Move, Position, Role};

/// A move in `position` as in Polyglot's books: from bit 0 the target, from bit 6 the origin, from bit 12 the promotion
/// (1 knight, 2 bishop, 3 rook, 4 queen). Castling is the king taking its own rook, and 0 is a null move.
pub fn ply(position: &Position, mv: Move) -> u16 {
    let (from, to, promotion) = match mv {
        Move::Normal { from, to, promotion } => (from, to, promotion),
        Move::Castle(side) => {
            let (king, rook) = position.castling_squares(position.turn(), side, true);
            (king, rook, None)
        }
        Move::Null => return 0,
    };
    let promotion = promotion.map_or(0, |role| role as u16 - Role::Pawn as u16);
    promotion << 12 | (from as u16) << 6 | to as u16
}
