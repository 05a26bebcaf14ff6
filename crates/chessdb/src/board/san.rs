//! Standard and long algebraic notation, packed so that the moves of a game need no strings.

use std::fmt;

use super::packed::PackedPiece;
use super::{Bitboard, CastlingSide, Move, Position, Role, Square};

/// SAN of one move: at most seven ASCII characters (`Qa1xb2#`, `exd8=Q+`, `O-O-O+`).
///
/// Text in the low seven bytes, first character lowest; length in the highest byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct San(u64);

impl San {
    /// A null move, `--`.
    pub const NULL: San = San(0x0200_0000_0000_2d2d);

    /// SAN of castling, without the sign of check.
    pub fn castle(side: CastlingSide) -> San {
        match side {
            CastlingSide::KingSide => San::new(u64::from_le_bytes(*b"O-O\0\0\0\0\0"), 3),
            CastlingSide::QueenSide => San::new(u64::from_le_bytes(*b"O-O-O\0\0\0"), 5),
        }
    }

    #[inline]
    fn new(text: u64, len: u64) -> San {
        San(text | len << 56)
    }

    /// SAN of a pawn's move. A change of file means a capture.
    #[inline]
    pub(super) fn pawn(from: Square, to: Square, promotion: Option<Role>) -> San {
        let takes = u64::from(from.file() != to.file());
        let before = file_of(from) | u64::from(b'x') << 8;
        // Computed without a branch, because the processor cannot predict whether a piece captures.
        let mut san = San::new((before * takes) | name_of(to) << (16 * takes), 2 + 2 * takes);
        if let Some(role) = promotion {
            san.push(b'=');
            san.push(role.upper_char() as u8);
        }
        san
    }

    /// SAN of another piece's move. `candidates` are the other pieces of its kind that could legally go to
    /// `to`.
    #[inline(always)]
    pub(super) fn piece(
        piece: PackedPiece,
        from: Square,
        to: Square,
        takes: bool,
        candidates: Bitboard,
    ) -> San {
        let letter = u64::from(b"??NBRQK?"[piece.role_index()]);
        if candidates.any() {
            return San::piece_among_candidates(letter, from, to, takes, candidates);
        }
        // Without a branch, as for pawns.
        let takes = u64::from(takes);
        let before = letter | (u64::from(b'x') * takes) << 8;
        San::new(before | name_of(to) << (8 + 8 * takes), 3 + takes)
    }

    fn piece_among_candidates(
        letter: u64,
        from: Square,
        to: Square,
        takes: bool,
        candidates: Bitboard,
    ) -> San {
        let mut san = San::new(letter, 1);
        let shares_file = (candidates & Bitboard::from_file(from.file())).any();
        let shares_rank = (candidates & Bitboard::from_rank(from.rank())).any();
        if !shares_file || shares_rank {
            san.push(b'a' + from.file() as u8);
        }
        if shares_file {
            san.push(b'1' + from.rank() as u8);
        }
        if takes {
            san.push(b'x');
        }
        san.push(b'a' + to.file() as u8);
        san.push(b'1' + to.rank() as u8);
        san
    }

    /// Appends a character. No move has more than seven.
    #[inline]
    pub(super) fn push(&mut self, character: u8) {
        self.0 |= u64::from(character) << ((8 * (self.0 >> 56)) & 63);
        self.0 += 1 << 56;
    }

    /// Number of characters, 2..=7.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        (self.0 >> 56) as usize
    }

    /// The characters, padded with zeros; the first [`San::len`] of them are used.
    #[inline]
    pub fn bytes(self) -> [u8; 8] {
        (self.0 & 0x00ff_ffff_ffff_ffff).to_le_bytes()
    }
}

/// The two characters of a square, the first one in the lowest byte.
#[inline]
fn name_of(square: Square) -> u64 {
    file_of(square) | (u64::from(b'1') + square.rank() as u64) << 8
}

/// The letter of a square's file.
#[inline]
fn file_of(square: Square) -> u64 {
    u64::from(b'a') + square.file() as u64
}

impl fmt::Display for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes();
        let text = bytes
            .get(..self.len())
            .and_then(|text| std::str::from_utf8(text).ok());
        f.write_str(text.unwrap_or_default())
    }
}

impl fmt::Debug for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A move in long algebraic notation (`e2e4`, `e7e8q`, `--`), used in remarks for moves that PGN cannot
/// represent.
///
/// Castling is written as the king's move to the g- or c-file; the position before the move provides the
/// king's square.
#[derive(Clone, Copy, Debug)]
pub struct LongMove<'a>(pub &'a Position, pub Move);

impl fmt::Display for LongMove<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LongMove(position, mv) = *self;
        match mv {
            Move::Normal { from, to, promotion } => {
                write!(f, "{from}{to}")?;
                promotion.map_or(Ok(()), |role| write!(f, "{}", role.char()))
            }
            Move::Castle(side) => {
                let rank = position.king(position.turn()).map(|king| king.rank());
                let rank = rank.unwrap_or(position.turn().backrank());
                let from = position
                    .king(position.turn())
                    .map_or('e', |king| king.file().char());
                let to = match side {
                    CastlingSide::KingSide => 'g',
                    CastlingSide::QueenSide => 'c',
                };
                write!(f, "{from}{rank}{to}{rank}")
            }
            Move::Null => f.write_str("--"),
        }
    }
}
