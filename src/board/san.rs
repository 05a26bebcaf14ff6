//! Short and long algebraic notation, packed so that a game holds no strings for its moves.

use std::fmt;

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
        let mut san = San(0);
        let text: &[u8] = match side {
            CastlingSide::KingSide => b"O-O",
            CastlingSide::QueenSide => b"O-O-O",
        };
        text.iter().for_each(|&c| san.push(c));
        san
    }

    /// SAN of a pawn's move: a change of file is a capture.
    #[inline]
    pub(super) fn pawn(from: Square, to: Square, promotion: Option<Role>) -> San {
        let mut san = San(0);
        if from.file() != to.file() {
            san.push_pair([b'a' + from.file() as u8, b'x']);
        }
        san.push_pair(name_of(to));
        if let Some(role) = promotion {
            san.push_pair([b'=', role.upper_char() as u8]);
        }
        san
    }

    /// SAN of another man's move; `rivals` are the men of its kind that could legally go to `to` as well.
    #[inline]
    pub(super) fn piece(role: Role, from: Square, to: Square, takes: bool, rivals: Bitboard) -> San {
        const LETTERS: [u8; 7] = *b"??NBRQK";
        let mut san = San(u64::from(LETTERS[role as usize]) | 1 << 56);
        if rivals.any() {
            let same_file = rivals & Bitboard::from_file(from.file());
            let same_rank = rivals & Bitboard::from_rank(from.rank());
            let [file, rank] = name_of(from);
            if same_file.is_empty() {
                san.push(file);
            } else if same_rank.is_empty() {
                san.push(rank);
            } else {
                san.push_pair([file, rank]);
            }
        }
        if takes {
            san.push(b'x');
        }
        san.push_pair(name_of(to));
        san
    }

    /// Appends a character. No move has more than seven.
    #[inline]
    pub(super) fn push(&mut self, character: u8) {
        self.0 |= u64::from(character) << ((8 * (self.0 >> 56)) & 63);
        self.0 += 1 << 56;
    }

    #[inline]
    fn push_pair(&mut self, pair: [u8; 2]) {
        self.0 |= u64::from(u16::from_le_bytes(pair)) << ((8 * (self.0 >> 56)) & 63);
        self.0 += 2 << 56;
    }

    /// Number of characters, 2..=7.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        (self.0 >> 56) as usize
    }

    /// The characters, padded with zeros; [`San::len`] of them count.
    #[inline]
    pub fn bytes(self) -> [u8; 8] {
        (self.0 & 0x00ff_ffff_ffff_ffff).to_le_bytes()
    }
}

/// The two characters of a square.
#[inline]
fn name_of(square: Square) -> [u8; 2] {
    [b'a' + square.file() as u8, b'1' + square.rank() as u8]
}

impl fmt::Display for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes()
            .iter()
            .take(self.len())
            .try_for_each(|&c| fmt::Write::write_char(f, char::from(c)))
    }
}

impl fmt::Debug for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A move in long algebraic notation (`e2e4`, `e7e8q`, `--`), as remarks give moves that PGN cannot hold.
///
/// Castling is the king's move to the g- or c-file; the position before the move tells where the king stands.
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
