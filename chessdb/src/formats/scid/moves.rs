//! What a byte of the moves means (sections 5.5 and 5.6).

use super::pieces::Lists;
use crate::board::{CastlingSide, File, Move, Position, Rank, Role, Square};
use crate::replay::Fault;

/// The next byte is the number of a glyph.
pub(super) const GLYPH: u8 = 0x0b;
/// A comment stands here.
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

    /// Passes over all bytes up to the end of the game, and gives what stands behind it. None where there is no end.
    pub(super) fn behind_end(mut self) -> Option<&'a [u8]> {
        while let Some(byte) = self.next() {
            match byte {
                GLYPH => drop(self.next()),
                FINISH => return self.bytes.get(self.at..),
                _ => {}
            }
        }
        None
    }

    /// Passes over all bytes up to the ends of so many variations, and counts the comments among them. False where the
    /// game ends before; its mark is not passed.
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

/// Why a byte is no move.
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
            NoMove::BadSecond => "the second byte of a queen's move is none",
        })
    }
}

/// The move that a byte means, whether or not it is legal, and the number of its piece. A second byte is taken from
/// `bytes` where there is one.
#[inline]
pub(super) fn read(
    byte: u8,
    bytes: &mut Bytes<'_>,
    position: &Position,
    lists: &Lists,
) -> Result<(u8, Move), NoMove> {
    let (number, value) = (byte >> 4, byte & 15);
    let us = position.turn();
    let from = lists.square(us, number).ok_or(NoMove::NoPiece)?;
    let to = if number == 0 {
        match value {
            0 => return Ok((number, Move::Null)),
            9 => return Ok((number, Move::Castle(CastlingSide::QueenSide))),
            10 => return Ok((number, Move::Castle(CastlingSide::KingSide))),
            _ => by_table(from, &KING, value),
        }
    } else {
        match position.role_at(from) {
            Some(Role::Pawn) => {
                let (steps, promotion) = PAWN.get(usize::from(value)).copied().ok_or(NoMove::NoTarget)?;
                let to = from.offset(us.fold_wb(steps, -steps)).ok_or(NoMove::NoTarget)?;
                return Ok((number, Move::Normal { from, to, promotion }));
            }
            Some(Role::Knight) => by_table(from, &KNIGHT, value),
            Some(Role::Bishop) => diagonal(from, value),
            Some(Role::Rook) => Some(straight(from, value)),
            Some(Role::Queen) if value == from.file() as u8 => {
                let second = bytes.peek().and_then(|second| second.checked_sub(64));
                let to = second.and_then(|second| Square::try_from(second).ok());
                let to = to.ok_or(NoMove::BadSecond)?;
                bytes.at += 1;
                Some(to)
            }
            Some(Role::Queen) => Some(straight(from, value)),
            Some(Role::King) | None => return Err(NoMove::NoPiece),
        }
    };
    let to = to.ok_or(NoMove::NoTarget)?;
    Ok((number, Move::normal(from, to)))
}

/// Steps of the king by the value, from 1 on.
static KING: [(i32, i32); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

/// Steps of a knight, likewise.
static KNIGHT: [(i32, i32); 8] = [
    (-1, -2),
    (1, -2),
    (-2, -1),
    (2, -1),
    (-2, 1),
    (2, 1),
    (-1, 2),
    (1, 2),
];

/// Squares that a pawn goes on, and what it becomes.
#[rustfmt::skip]
static PAWN: [(i32, Option<Role>); 16] = [
    (7, None), (8, None), (9, None),
    (7, Some(Role::Queen)), (8, Some(Role::Queen)), (9, Some(Role::Queen)),
    (7, Some(Role::Rook)), (8, Some(Role::Rook)), (9, Some(Role::Rook)),
    (7, Some(Role::Bishop)), (8, Some(Role::Bishop)), (9, Some(Role::Bishop)),
    (7, Some(Role::Knight)), (8, Some(Role::Knight)), (9, Some(Role::Knight)),
    (16, None),
];

/// The square so many files and ranks away that the value names.
#[inline]
fn by_table(from: Square, steps: &[(i32, i32)], value: u8) -> Option<Square> {
    let &(files, ranks) = steps.get(usize::from(value).checked_sub(1)?)?;
    let to = from.offset(files + 8 * ranks)?;
    // A step off the board at the side comes back in on the other one.
    (to.file() as i32 - from.file() as i32 == files).then_some(to)
}

/// Along a rank to a file, or along a file to a rank.
#[inline]
fn straight(from: Square, value: u8) -> Square {
    let target = u32::from(value & 7);
    match value & 8 {
        0 => Square::from_coords(File::new(target), from.rank()),
        _ => Square::from_coords(from.file(), Rank::new(target)),
    }
}

/// Along a diagonal to a file.
#[inline]
fn diagonal(from: Square, value: u8) -> Option<Square> {
    let file = i32::from(value & 7);
    let files = file - from.file() as i32;
    let ranks = if value & 8 == 0 { files } else { -files };
    let rank = u32::try_from(from.rank() as i32 + ranks)
        .ok()
        .filter(|&rank| rank < 8)?;
    Some(Square::from_coords(
        File::new(u32::from(value & 7)),
        Rank::new(rank),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Fen;

    /// The move of a byte, with the next one behind it, in a position where White's king is 0.
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
        assert_eq!(Bytes::new(&bytes, 0).behind_end(), Some(&b"x\0"[..]));
        let mut comments = 0;
        let mut skipped = Bytes::new(&bytes, 0);
        assert!(skipped.skip(1, &mut comments));
        assert_eq!((skipped.at, comments), (8, 1));
        assert!(!skipped.skip(1, &mut comments));
        assert_eq!(skipped.next(), Some(FINISH));
    }
}
