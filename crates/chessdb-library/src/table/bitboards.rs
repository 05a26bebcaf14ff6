//! A position as numbers, for programs that learn from positions.

use chessdb::board::{Bitboard, Color, Counters, Position, Role};

/// The numbers of a position in [`Bitboards`].
pub const BITBOARDS: usize = 13;

/// A position as thirteen numbers. Twelve are sets of squares: White's pawns, knights, bishops, rooks, queens and kings, then
/// Black's. Bit 0 is a1, bit 7 h1, and bit 63 h8. The last one is the state:
///
/// | bits | what they say |
/// |---|---|
/// | 0 | 1 if Black is to move |
/// | 1 to 4 | castling rights: White's on the king's side, on the queen's side, then Black's |
/// | 8 to 13 | the square that a pawn has just passed with a double step, as in FEN; 0 if none has |
/// | 16 to 31 | half-moves since the last capture or pawn move |
/// | 32 to 63 | number of the next move |
pub type Bitboards = [u64; BITBOARDS];

const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// The numbers of a position with these counters.
pub(super) fn bitboards(position: &Position, counters: &Counters) -> Bitboards {
    let mut all = [0; BITBOARDS];
    let pieces = Color::ALL
        .into_iter()
        .flat_map(|color| ROLES.map(|role| (color, role)));
    for (own, (color, role)) in all.iter_mut().zip(pieces) {
        *own = position.of_kind(color, role).0;
    }
    let mut state = u64::from(position.turn().is_black());
    for (n, color) in Color::ALL.into_iter().enumerate() {
        let rooks = position.castling_rooks() & position.pieces(color);
        let king = position.king(color).map_or(0, |king| king as u64);
        // The king castles with a rook on its own rank.
        let above = Bitboard(u64::MAX << king);
        state |= u64::from((rooks & above).any()) << (1 + 2 * n);
        state |= u64::from((rooks & !above).any()) << (2 + 2 * n);
    }
    state |= position.en_passant().map_or(0, |square| square as u64) << 8;
    state |= u64::from(counters.halfmoves.min(u16::MAX.into())) << 16;
    state |= u64::from(counters.fullmoves.get()) << 32;
    if let Some(last) = all.last_mut() {
        *last = state;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb::board::Fen;

    fn of(fen: &str) -> Bitboards {
        let setup = Fen::setup(fen).unwrap();
        bitboards(&Position::from_setup(&setup).unwrap(), &Counters::of(&setup))
    }

    #[test]
    fn squares_are_bits() {
        assert_eq!(
            of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
            [
                0xff << 8,
                0x42,
                0x24,
                0x81,
                0x08,
                0x10,
                0xff << 48,
                0x42 << 56,
                0x24 << 56,
                0x81 << 56,
                0x08 << 56,
                0x10 << 56,
                1 << 32 | 0b11110,
            ]
        );
    }

    #[test]
    fn the_state_has_its_bits() {
        for (fen, state) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1 << 32),
            ("4k3/8/8/8/8/8/8/4K3 b - - 7 9", 9 << 32 | 7 << 16 | 1),
            ("r3k2r/8/8/8/8/8/8/R3K2R w K - 0 1", 1 << 32 | 0b00010),
            ("r3k2r/8/8/8/8/8/8/R3K2R w Q - 0 1", 1 << 32 | 0b00100),
            ("r3k2r/8/8/8/8/8/8/R3K2R w k - 0 1", 1 << 32 | 0b01000),
            ("r3k2r/8/8/8/8/8/8/R3K2R w q - 0 1", 1 << 32 | 0b10000),
            // In Chess960, the rooks may be beside the king.
            ("1rkr4/8/8/8/8/8/8/1RKR4 w Dq - 0 1", 1 << 32 | 0b10010),
            // d6 is square 43.
            ("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 20", 20 << 32 | 43 << 8),
            (
                "4k3/8/8/8/8/8/8/4K3 w - - 65535 4294967295",
                0xffff_ffff << 32 | 65_535 << 16,
            ),
            ("4k3/8/8/8/8/8/8/4K3 w - - 65536 1", 1 << 32 | 65_535 << 16),
        ] {
            assert_eq!(of(fen)[12], state, "{fen}");
        }
    }
}
