//! The key of a position in the index. Equal positions have equal keys; different ones almost never do.

use chessdb::board::{Bitboard, EnPassantMode, Position, RunningKey};

/// The key of a position. It also depends on castling rights and on a legal en passant capture.
pub(super) fn key_of(position: &Position) -> u64 {
    key_with(RunningKey::new(position), position)
}

/// Like [`key_of`], if the part of the key for the pieces is known.
#[inline]
pub(super) fn key_with(running: RunningKey, position: &Position) -> u64 {
    let key = running.key_with(position, EnPassantMode::Legal);
    // In Chess960, one castling right may refer to either of two rooks.
    let unusual = position.castling_rooks() & !Bitboard::CORNERS;
    if unusual.is_empty() {
        key
    } else {
        key ^ unusual.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
    }
}
