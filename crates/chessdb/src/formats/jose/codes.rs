//! Move codes: which piece moves where (sections 3.1, 3.3, 3.8).
//!
//! Bytes are hexadecimal; c is the first one, d a direction. Steps of knights and kings are files and ranks; sliders
//! have the rank or file of the target, not a distance.
//!
//! ```text
//! 00-1f         pawn c >> 2: d = c & 3: 0 forward, 3 two forward; 1 captures towards h for White and a for Black,
//!               2 the other way
//! 20-2f         knight c >> 3 & 1: d = c & 7: +2+1, +2-1, +1-2, -1-2, -2-1, -2+1, -1+2, +1+2
//! 30-3f, 40-4f  bishop 0, 1: d = c & 15: below 8 rank d on the rising diagonal, else rank d - 8 on the falling one
//! 50-5f, 60-6f  rook 0, 1: d = c & 15: below 8 rank d on its file, else file d - 8 on its rank
//! 70-8f         queen 0: d = c - 70: below 16 as a bishop, else d - 16 as a rook
//! 90-97         king: d = c & 7: +1+1, +1-1, -1-1, -1+1, +1 0, -1 0, 0+1, 0-1
//! 98, 99        castling with the rook on the higher, lower file
//! 9a            null move
//! 9b-9f         king, as 90 + (c & 7); never seen
//! a0-a7, b      pawn c & 7 promotes: d = b >> 2 & 3; b & 3: 0 knight, 1 bishop, 2 rook, 3 queen
//! a8-af, b      the piece promoted from pawn c & 7: d = b & 1f, as for its kind
//! ```
//!
//! `0f 2b 0b 18 27 0f 2e 4e` is 1. d4 Nf6 2. c4 g6 3. Nc3 d5 4. Nf3 Bg7.

use super::pieces::{PieceLists, Slot};
use super::steps::{step, target};
use crate::board::{CastlingSide, Color, Illegal, Move, Position, Role, Square};

/// The move of a code, and the piece that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Coded {
    pub(super) mv: Move,
    piece: Mover,
}

/// The piece that a code moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mover {
    /// The king, or no piece.
    King,
    /// A piece in a list.
    Listed(Slot),
    /// A promoting pawn, by its number, and its new role.
    Promotes(u8, Role),
}

/// Why a code is not a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Impossible {
    /// The piece is not on the board, or the target is not.
    NoTarget,
    /// A rule other than the safety of the king is broken.
    Rule(Illegal),
}

impl std::fmt::Display for Impossible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Impossible::NoTarget => f.write_str("the piece or its target is not on the board"),
            Impossible::Rule(illegal) => illegal.fmt(f),
        }
    }
}

/// Promotions in the order of the codes.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The move of a code by its rule alone, which may be illegal.
#[inline]
pub(super) fn coded(position: &Position, lists: &PieceLists, code: u8, second: u8) -> Option<Coded> {
    let us = position.turn();
    match code {
        0x00..=0x8f => {
            let (place, from, to) = step(lists, us, code)?;
            Some(Coded::listed(place, from, to))
        }
        0x98 => Some(Coded::king(Move::Castle(CastlingSide::KingSide))),
        0x99 => Some(Coded::king(Move::Castle(CastlingSide::QueenSide))),
        0x9a => Some(Coded::king(Move::Null)),
        0x90..=0x9f => {
            let from = position.king(us)?;
            let to = target(us, Role::King, code, from)?;
            Some(Coded::king(Move::normal(from, to)))
        }
        0xa0..=0xa7 => {
            let pawn = code & 7;
            let from = lists.square(PieceLists::place(us, Role::Pawn, pawn))?;
            let to = target(us, Role::Pawn, second >> 2, from)?;
            let role = *PROMOTIONS.get(usize::from(second & 3))?;
            Some(Coded {
                mv: Move::Normal {
                    from,
                    to,
                    promotion: Some(role),
                },
                piece: Mover::Promotes(pawn, role),
            })
        }
        0xa8..=0xaf => {
            let (role, place) = lists.promoted(us, code & 7)?;
            of_place(lists, us, role, place, second)
        }
        _ => None,
    }
}

impl Coded {
    #[inline]
    fn listed(place: Slot, from: Square, to: Square) -> Coded {
        Coded {
            mv: Move::normal(from, to),
            piece: Mover::Listed(place),
        }
    }

    fn king(mv: Move) -> Coded {
        Coded {
            mv,
            piece: Mover::King,
        }
    }

    /// The changes that this move, which is about to be played in `position`, makes to the lists.
    #[inline]
    pub(super) fn effect(self, position: &Position) -> Effect {
        let us = position.turn();
        let mut effect = Effect {
            us,
            piece: self.piece,
            to: None,
            taken: None,
            rook: None,
        };
        match self.mv {
            Move::Normal { from, to, .. } => {
                effect.to = Some(to);
                effect.taken = match position.role_at(to) {
                    Some(Role::King) => None,
                    Some(_) => Some(to),
                    None if from.file() != to.file() && position.role_at(from) == Some(Role::Pawn) => {
                        Some(to.xor(Square::A2))
                    }
                    None => None,
                };
            }
            Move::Castle(side) => {
                effect.rook = position.castling_rook(side).zip(Some(castled_rook(side, us)))
            }
            Move::Null => {}
        }
        effect
    }
}

/// The changes that a move makes to the lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    us: Color,
    piece: Mover,
    to: Option<Square>,
    taken: Option<Square>,
    /// The squares of the castling rook before and after the move.
    rook: Option<(Square, Square)>,
}

impl Effect {
    /// Updates the lists.
    #[inline]
    pub(super) fn apply(self, lists: &mut PieceLists) {
        if let Some(taken) = self.taken {
            lists.take(!self.us, taken);
        }
        match (self.piece, self.to) {
            (Mover::Listed(place), Some(to)) => lists.step(place, to),
            (Mover::Promotes(pawn, role), Some(to)) => lists.promote(self.us, pawn, role, to),
            _ => {}
        }
        if let Some((from, to)) = self.rook {
            lists.step_from(from, to);
        }
    }
}

/// The move of the piece at `place` of its list, in a direction.
fn of_place(lists: &PieceLists, us: Color, role: Role, place: Slot, direction: u8) -> Option<Coded> {
    let from = lists.square(place)?;
    let to = target(us, role, direction, from)?;
    Some(Coded::listed(place, from, to))
}

/// The square of the rook after castling.
fn castled_rook(side: CastlingSide, us: Color) -> Square {
    let square = match side {
        CastlingSide::KingSide => Square::F1,
        CastlingSide::QueenSide => Square::D1,
    };
    us.fold_wb(square, square.flip_vertical())
}

/// The only legal move that fits this code, of a piece that has no code for it (section 3.8).
#[cold]
pub(super) fn recovered(position: &Position, lists: &PieceLists, code: u8) -> Option<Coded> {
    let us = position.turn();
    let (roles, direction): (&[(Role, u8)], u8) = match code {
        0x00..=0x07 => (&[(Role::Knight, 2), (Role::Bishop, 2), (Role::Rook, 2)], code),
        0x08..=0x0f => (&[(Role::Bishop, 2), (Role::Rook, 2)], code),
        0x70..=0x8f => (&[(Role::Queen, 1)], code - 0x70),
        _ => return None,
    };
    let mut legal = roles
        .iter()
        .flat_map(|&(role, first)| (first..lists.len(us, role)).map(move |index| (role, index)))
        .filter_map(|(role, index)| {
            let place = PieceLists::place(us, role, index);
            of_place(lists, us, role, place, direction)
        })
        .filter(|coded| position.test(coded.mv).is_ok());
    let found = legal.next()?;
    legal.next().is_none().then_some(found)
}

/// True for a move that is illegal only because it leaves the king in check (section 3.6, step 3).
#[cold]
pub(super) fn is_possible(position: &Position, mv: Move, illegal: Illegal) -> bool {
    match mv {
        Move::Castle(side) => is_castling_possible(position, side),
        _ => illegal.is_pseudo_legal(),
    }
}

/// Tests the right, the rook and the free squares, but not whether squares are attacked.
fn is_castling_possible(position: &Position, side: CastlingSide) -> bool {
    let us = position.turn();
    let (Some(king), Some(rook)) = (position.king(us), position.castling_rook(side)) else {
        return false;
    };
    let rook_to = castled_rook(side, us);
    let king_to = match side {
        CastlingSide::KingSide => us.fold_wb(Square::G1, Square::G8),
        CastlingSide::QueenSide => us.fold_wb(Square::C1, Square::C8),
    };
    let is_free = |from: Square, to: Square| {
        let (low, high) = (from.min(to), from.max(to));
        let pieces = position.occupied().into_iter();
        pieces
            .filter(|&piece| low <= piece && piece <= high)
            .all(|piece| piece == king || piece == rook)
    };
    king.rank() == us.backrank() && is_free(king, king_to) && is_free(rook, rook_to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_page_reads() {
        let mut position = Position::initial();
        let mut lists = PieceLists::new(&position);
        let mut sans = Vec::new();
        for code in [0x0f, 0x2b, 0x0b, 0x18, 0x27, 0x0f, 0x2e, 0x4e] {
            let coded = coded(&position, &lists, code, 0).unwrap();
            coded.effect(&position).apply(&mut lists);
            let san = position.play_legal(coded.mv, &mut Default::default()).unwrap();
            sans.push(san.to_string());
        }
        assert_eq!(sans, ["d4", "Nf6", "c4", "g6", "Nc3", "d5", "Nf3", "Bg7"]);
    }
}
