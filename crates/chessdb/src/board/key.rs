//! Zobrist keys: 64 bits that identify a position, the same as in Polyglot's opening books.
//!
//! The random numbers are Polyglot's and come from shakmaty.

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use shakmaty::attacks;
use shakmaty::zobrist::{Zobrist64, ZobristValue};

use super::packed::PackedPiece;
use super::{Bitboard, CastlingSide, Color, EnPassantMode, Move, Position, Role, Square, Undo};

/// The random numbers by [`PackedPiece::index`] and square; 0 for an empty square.
static PIECES: LazyLock<[[u64; 64]; PackedPiece::KINDS]> = LazyLock::new(|| {
    let mut numbers = [[0; 64]; PackedPiece::KINDS];
    for color in Color::ALL {
        for role in Role::ALL {
            let number = |square| Zobrist64::zobrist_for_piece(square, role.of(color)).0;
            numbers[PackedPiece::new(color, role).index()] = Square::ALL.map(number);
        }
    }
    numbers
});

impl Position {
    /// The position's Zobrist key with the numbers and the rules of Polyglot's book format.
    ///
    /// The en passant file counts if a pawn of the side to move is next to the pawn that made the double step, even if
    /// it is pinned and cannot capture. This is the rule of Polyglot's books, so the key can be compared with the keys
    /// in a book. See [`Position::key_with`] for other rules.
    ///
    /// ```
    /// use chessdb::board::Position;
    ///
    /// assert_eq!(Position::initial().key(), 0x463b_9618_1691_fc9c);
    /// ```
    pub fn key(&self) -> u64 {
        self.key_with(EnPassantMode::PseudoLegal)
    }

    /// The key with `mode` for the en passant square. `PseudoLegal` is the rule of Polyglot. With `Legal`, two
    /// positions have the same key if they are the same for threefold repetition. shakmaty's `zobrist_hash` gives the
    /// same keys.
    ///
    /// ```
    /// use chessdb::board::{EnPassantMode, Fen};
    ///
    /// // The white pawn stands next to the black one but is pinned.
    /// let pinned = Fen::parse("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1").unwrap().position;
    /// assert_ne!(pinned.key_with(EnPassantMode::Legal), pinned.key());
    /// ```
    pub fn key_with(&self, mode: EnPassantMode) -> u64 {
        RunningKey::new(self).key_with(self, mode)
    }

    /// The target square of a legal en passant capture; `None` if no such capture is legal.
    ///
    /// ```
    /// use chessdb::board::{Fen, Square};
    ///
    /// let legal = |fen| Fen::parse(fen).unwrap().position.legal_en_passant();
    /// assert_eq!(legal("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"), Some(Square::D6));
    /// assert_eq!(legal("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1"), None);
    /// ```
    pub fn legal_en_passant(&self) -> Option<Square> {
        self.en_passant_by(EnPassantMode::Legal)
    }

    /// The en passant square, if it counts according to `mode`.
    fn en_passant_by(&self, mode: EnPassantMode) -> Option<Square> {
        let square = self.en_passant?;
        let neighbours = attacks::pawn_attacks(!self.turn, square) & self.of_kind(self.turn, Role::Pawn);
        let counts = match mode {
            EnPassantMode::Always => true,
            EnPassantMode::PseudoLegal => neighbours.any(),
            EnPassantMode::Legal => neighbours
                .into_iter()
                .any(|from| self.test(Move::normal(from, square)).is_ok()),
        };
        counts.then_some(square)
    }
}

/// The same position always has the same key, so the key serves as a hash value.
impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key());
    }
}

/// A key that is updated move by move, at the cost of a few operations per move instead of one for each
/// piece.
///
/// It covers only the pieces. Side to move, castling and en passant are added from the position when the key is read.
/// To take a move back, use a copy made before the move.
///
/// ```
/// use chessdb::board::{Move, Position, RunningKey, Square, Undo};
///
/// let mut position = Position::initial();
/// let mut running = RunningKey::new(&position);
/// let mut undo = Undo::default();
/// position.play_legal(Move::normal(Square::E2, Square::E4), &mut undo).unwrap();
/// running.follow(&undo, &position);
/// assert_eq!(running.key(&position), 0x823c_9b50_fd11_4196);
/// assert_eq!(running.key(&position), position.key());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunningKey(u64);

impl RunningKey {
    /// The key of the pieces of `position`.
    pub fn new(position: &Position) -> RunningKey {
        let numbers = &*PIECES;
        let number = |square| numbers[position.packed_at(square).index()][square as usize];
        RunningKey(
            position
                .occupied()
                .into_iter()
                .fold(0, |key, square| key ^ number(square)),
        )
    }

    /// Updates the key after a move played by [`Position::play_legal`]. `after` is the resulting position, and `undo`
    /// was set by the move.
    #[inline]
    pub fn follow(&mut self, undo: &Undo, after: &Position) {
        let numbers = &*PIECES;
        let mut done = Bitboard::EMPTY;
        for &(square, before) in undo.changes() {
            let now = after.packed_at(square);
            // A square may occur twice, as in castling if the king goes to the square of the rook.
            if !done.contains(square) {
                self.0 ^= numbers[before.index()][square as usize] ^ numbers[now.index()][square as usize];
            }
            done.add(square);
        }
    }

    /// The key by Polyglot's rules, the same as [`Position::key`]. `position` is the position after the move.
    #[inline]
    pub fn key(self, position: &Position) -> u64 {
        self.key_with(position, EnPassantMode::PseudoLegal)
    }

    /// The key by another en passant rule, the same as [`Position::key_with`].
    #[inline]
    pub fn key_with(self, position: &Position, mode: EnPassantMode) -> u64 {
        let mut key = self.0;
        if position.turn == Color::White {
            key ^= Zobrist64::zobrist_for_white_turn().0;
        }
        if position.castling.any() {
            key ^= castling_key(position);
        }
        if let Some(square) = position.en_passant_by(mode) {
            key ^= Zobrist64::zobrist_for_en_passant_file(square.file()).0;
        }
        key
    }
}

/// The part of the key for castling rights: one number for each side of each colour.
fn castling_key(position: &Position) -> u64 {
    let mut key = 0;
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if position.castling_rook_of(color, side).is_some() {
                key ^= Zobrist64::zobrist_for_castling_right(color, side).0;
            }
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::super::Fen;
    use super::*;

    /// The examples in the description of Polyglot's book format.
    #[test]
    fn published_keys() {
        for (fen, key) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                0x463b_9618_1691_fc9c,
            ),
            (
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
                0x823c_9b50_fd11_4196,
            ),
            (
                "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2",
                0x0756_b944_61c5_0fb0,
            ),
            (
                "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2",
                0x662f_afb9_65db_29d4,
            ),
            (
                "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
                0x22a4_8b5a_8e47_ff78,
            ),
            (
                "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3",
                0x652a_607c_a3f2_42c1,
            ),
            (
                "rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4",
                0x00fd_d303_c946_bdd9,
            ),
            (
                "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
                0x3c81_23ea_7b06_7637,
            ),
            (
                "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4",
                0x5c3f_9b82_9b27_9560,
            ),
        ] {
            let position = Fen::parse(fen).unwrap().position;
            assert_eq!(position.key(), key, "{fen}");
        }
    }

    #[test]
    fn a_pinned_pawn_counts_for_polyglot_alone() {
        let pinned = Fen::parse("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1").unwrap().position;
        let without = Fen::parse("8/8/8/K2pP2r/8/8/8/7k w - - 0 1").unwrap().position;
        assert_ne!(pinned.key(), without.key());
        assert_eq!(pinned.key_with(EnPassantMode::Legal), without.key());
    }
}
