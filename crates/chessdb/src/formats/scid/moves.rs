//! The meaning of the bytes of moves (sections 5.5 and 5.6).
//!
//! ```text
//! 00      null move
//! 01-0A   the king's move
//! 0B n    glyph n of the previous move
//! 0C      a comment belongs here
//! 0D, 0E  a variation begins, ends
//! 0F      the game ends
//! 10-FF   high half: number of the piece; low half: target
//! ```
//!
//! The target of a move. v is the low half; squares are a1 = 0, b1 = 1 to h8 = 63.
//!
//! ```text
//! piece   v                                  to
//! king    1 to 8                             square - 9, - 8, - 7, - 1, + 1, + 7, + 8, + 9
//!         9, 10                              castles on the queen's, the king's side
//! knight  1 to 8                             square - 17, - 15, - 10, - 6, + 6, + 10, + 15, + 17
//! rook    0 to 7, 8 to 15                    file v on its rank; rank v - 8 on its file
//! bishop  0 to 7, 8 to 15                    file v on the rising diagonal; file v - 8 on the falling one
//! queen                                      as the rook; v = its own file: the next byte - 64 is the square
//! pawn    0, 1, 2                            7, 8, 9 squares on
//!         3 to 5, 6 to 8, 9 to 11, 12 to 14  the same, promoting to queen, rook, bishop, knight
//!         15                                 16 squares on
//! ```

use super::pieces::Lists;
use crate::board::{CastlingSide, Color, Move, Position, Role, Square};
use crate::replay::Fault;

/// The next byte is the number of a glyph.
pub(super) const GLYPH: u8 = 0x0b;
/// A comment belongs here.
pub(super) const COMMENT: u8 = 0x0c;
/// A variation begins.
pub(super) const START: u8 = 0x0d;
/// A variation ends.
pub(super) const END: u8 = 0x0e;
/// The game ends.
pub(super) const FINISH: u8 = 0x0f;

/// The moves of a game, byte by byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a> {
    bytes: &'a [u8],
    /// Place of the next byte in the record.
    pub(super) at: usize,
}

impl<'a> Bytes<'a> {
    /// The bytes of a record from a place on.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Bytes<'a> {
        Bytes { bytes, at }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// True if a glyph, a comment or a variation follows.
    #[inline(always)]
    pub(super) fn is_annotation_next(&self) -> bool {
        matches!(self.peek(), Some(GLYPH..=START))
    }

    /// The bytes after the mark of the game's end; `None` without that mark.
    pub(super) fn after_end(&self) -> Option<&'a [u8]> {
        let mut ahead = *self;
        while let Some(byte) = ahead.next() {
            match byte {
                GLYPH => drop(ahead.next()),
                FINISH => return ahead.bytes.get(ahead.at..),
                _ => {}
            }
        }
        None
    }

    /// Skips the rest of `depth` nested variations and counts the comments in them. Returns false if the game ends
    /// earlier; then the next byte is the mark of its end.
    pub(super) fn skip(&mut self, mut depth: usize, comments: &mut usize) -> bool {
        while depth > 0 {
            match self.peek() {
                None | Some(FINISH) => return false,
                Some(byte) => {
                    self.at += 1;
                    match byte {
                        GLYPH => drop(self.next()),
                        COMMENT => *comments += 1,
                        START => depth += 1,
                        END => depth -= 1,
                        _ => {}
                    }
                }
            }
        }
        true
    }
}

/// Why a byte is not a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoMove {
    NoPiece,
    NoTarget,
    /// The second byte of a queen's move.
    BadSecond,
}

impl From<NoMove> for Fault {
    fn from(reason: NoMove) -> Fault {
        Fault::damage(match reason {
            NoMove::NoPiece => "no piece has the number of the move",
            NoMove::NoTarget => "the move leads to no square",
            NoMove::BadSecond => "the second byte of a queen's move is invalid",
        })
    }
}

/// The move of a byte, legal or not, and the number of its piece. If the move has a second byte, it is read from
/// `bytes`.
#[inline(always)]
pub(super) fn read(
    byte: u8,
    bytes: &mut Bytes<'_>,
    position: &Position,
    lists: &Lists,
) -> Result<(u8, Move), NoMove> {
    let (number, value) = (byte >> 4, byte & 15);
    let us = position.turn();
    let from = lists.square(us, number).ok_or(NoMove::NoPiece)?;
    let role = position.role_at(from).ok_or(NoMove::NoPiece)?;
    let table = match (role, us) {
        (Role::Pawn, Color::Black) => 0,
        _ => role as usize,
    };
    let targets = TARGETS.get(table).and_then(|squares| squares.get(from as usize));
    let target = targets.and_then(|values| values.get(usize::from(value)));
    match target.copied().unwrap_or(NONE) {
        square @ 0..64 => Ok((number, Move::normal(from, Square::new(square.into())))),
        rare => Ok((number, rare_move(from, us, value, rare, bytes)?)),
    }
}

/// A move for which [`TARGETS`] has one of the codes below, not a square.
#[cold]
fn rare_move(from: Square, us: Color, value: u8, target: u8, bytes: &mut Bytes<'_>) -> Result<Move, NoMove> {
    match target {
        NULL => Ok(Move::Null),
        CASTLING => Ok(Move::Castle(match value {
            9 => CastlingSide::QueenSide,
            _ => CastlingSide::KingSide,
        })),
        SECOND => {
            let second = bytes.peek().and_then(|second| second.checked_sub(64));
            let to = second.and_then(|second| Square::try_from(second).ok());
            let to = to.ok_or(NoMove::BadSecond)?;
            bytes.at += 1;
            Ok(Move::normal(from, to))
        }
        PROMOTION => {
            let steps = 7 + i32::from(value % 3);
            let to = from.offset(us.fold_wb(steps, -steps)).ok_or(NoMove::NoTarget)?;
            let promotion = match value {
                3..=5 => Role::Queen,
                6..=8 => Role::Rook,
                9..=11 => Role::Bishop,
                _ => Role::Knight,
            };
            Ok(Move::Normal {
                from,
                to,
                promotion: Some(promotion),
            })
        }
        _ => Err(NoMove::NoTarget),
    }
}

// Codes in the table of targets: all are above 63, the last square.

/// The move does not exist.
const NONE: u8 = 0xff;
/// A null move.
const NULL: u8 = 0xfe;
/// Castling; the value has the side.
const CASTLING: u8 = 0xfd;
/// A queen's move whose target is in the next byte.
const SECOND: u8 = 0xfc;
/// A promotion; the value has the square and the piece.
const PROMOTION: u8 = 0xfb;

/// The target square of a piece by its role, its square and the value, or one of the codes above. Roles start at 1, so
/// row 0 is free for Black's pawns.
static TARGETS: [[[u8; 16]; 64]; 7] = targets();

/// Files and ranks of the king's steps by the value, from 1 on.
const KING: [(i32, i32); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

/// The same for a knight.
const KNIGHT: [(i32, i32); 8] = [
    (-1, -2),
    (1, -2),
    (-2, -1),
    (2, -1),
    (-2, 1),
    (2, 1),
    (-1, 2),
    (1, 2),
];

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::indexing_slicing,
    reason = "the table is made at compile time"
)]
const fn targets() -> [[[u8; 16]; 64]; 7] {
    let mut table = [[[NONE; 16]; 64]; 7];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square as i32 % 8, square as i32 / 8);
        let mut value = 0;
        while value < 16 {
            let low = value as i32 % 8;
            let (rising, falling) = (rank + low - file, rank - (low - file));
            let straight = if value < 8 { at(low, rank) } else { at(file, low) };
            table[0][square][value] = pawn(file, rank, value as i32, -1);
            table[Role::Pawn as usize][square][value] = pawn(file, rank, value as i32, 1);
            table[Role::Knight as usize][square][value] = step(file, rank, &KNIGHT, value);
            table[Role::Bishop as usize][square][value] = at(low, if value < 8 { rising } else { falling });
            table[Role::Rook as usize][square][value] = straight;
            table[Role::Queen as usize][square][value] = if value as i32 == file { SECOND } else { straight };
            table[Role::King as usize][square][value] = match value {
                0 => NULL,
                9 | 10 => CASTLING,
                _ => step(file, rank, &KING, value),
            };
            value += 1;
        }
        square += 1;
    }
    table
}

/// The number of a square, or [`NONE`] if it is not on the board.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a square is below 64"
)]
const fn at(file: i32, rank: i32) -> u8 {
    match (file, rank) {
        (0..8, 0..8) => (8 * rank + file) as u8,
        _ => NONE,
    }
}

#[expect(clippy::indexing_slicing, reason = "the table is made at compile time")]
const fn step(file: i32, rank: i32, steps: &[(i32, i32); 8], value: usize) -> u8 {
    match value {
        1..=8 => at(file + steps[value - 1].0, rank + steps[value - 1].1),
        _ => NONE,
    }
}

/// The square that a pawn goes to; `forward` is 1 for White and -1 for Black. Values 0 and 2 are the captures, 7 and 9
/// squares on.
const fn pawn(file: i32, rank: i32, value: i32, forward: i32) -> u8 {
    match value {
        0..3 => at(file + forward * (value - 1), rank + forward),
        15 => at(file, rank + 2 * forward),
        _ => PROMOTION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Fen;

    /// The target of the move of two bytes in a position.
    fn target(fen: &str, byte: u8, second: u8) -> Result<String, NoMove> {
        let position = Fen::parse(fen).unwrap().position;
        let mut bytes = Bytes::new(&[0], 0);
        let seconds = [second];
        bytes.bytes = &seconds;
        let (_, mv) = read(byte, &mut bytes, &position, &Lists::of(&position))?;
        Ok(match mv {
            Move::Normal { to, promotion, .. } => format!("{to}{}", promotion.map_or("", |_| "=")),
            other => format!("{other:?}"),
        })
    }

    #[test]
    fn every_piece_has_its_own_code() {
        let king = |value| target("4k3/8/8/8/8/8/8/4K2R w K - 0 1", value, 0);
        assert_eq!(king(0).as_deref(), Ok("Null"));
        assert_eq!(king(7).as_deref(), Ok("e2"));
        assert_eq!(king(1), Err(NoMove::NoTarget));
        assert_eq!(king(10).as_deref(), Ok("Castle(KingSide)"));
        let knight = |value: u8| target("4k3/8/8/8/8/N7/8/4K3 w - - 0 1", 0x10 | value, 0);
        assert_eq!(knight(8).as_deref(), Ok("b5"));
        assert_eq!(knight(7), Err(NoMove::NoTarget));
        assert_eq!(knight(0), Err(NoMove::NoTarget));
        let bishop = |value: u8| target("4k3/8/8/8/8/2B5/8/4K3 w - - 0 1", 0x10 | value, 0);
        assert_eq!(bishop(7).as_deref(), Ok("h8"));
        assert_eq!(bishop(8).as_deref(), Ok("a5"));
        assert_eq!(bishop(15), Err(NoMove::NoTarget));
        let rook = |value: u8| target("4k3/8/8/8/8/2R5/8/4K3 w - - 0 1", 0x10 | value, 0);
        assert_eq!(rook(7).as_deref(), Ok("h3"));
        assert_eq!(rook(15).as_deref(), Ok("c8"));
        let pawn = |value: u8| target("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", 0x10 | value, 0);
        assert_eq!(pawn(4).as_deref(), Ok("b8="));
        assert_eq!(pawn(15), Err(NoMove::NoTarget));
        let queen = |value: u8, second| target("4k3/8/8/8/8/2Q5/8/4K3 w - - 0 1", 0x10 | value, second);
        assert_eq!(queen(3, 0).as_deref(), Ok("d3"));
        assert_eq!(queen(2, 64 + 63).as_deref(), Ok("h8"));
        assert_eq!(queen(2, 63), Err(NoMove::BadSecond));
        assert_eq!(queen(2, 128), Err(NoMove::BadSecond));
        assert_eq!(
            target("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0x10, 0),
            Err(NoMove::NoPiece)
        );
    }

    #[test]
    fn glyphs_look_like_marks_and_are_none() {
        let bytes = [
            GLYPH, FINISH, START, GLYPH, END, COMMENT, END, END, 0x11, FINISH, b'x', 0,
        ];
        assert_eq!(Bytes::new(&bytes, 0).after_end(), Some(&b"x\0"[..]));
        let mut comments = 0;
        let mut skipped = Bytes::new(&bytes, 0);
        assert!(skipped.skip(1, &mut comments));
        assert_eq!((skipped.at, comments), (8, 1));
        assert!(!skipped.skip(1, &mut comments));
        assert_eq!(skipped.next(), Some(FINISH));
    }
}
