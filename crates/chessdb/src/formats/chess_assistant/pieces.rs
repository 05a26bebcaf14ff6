//! The pieces of both sides by their numbers, and the moves of codes (sections 6.2 to 6.6).
//!
//! | number | piece |
//! |---|---|
//! | 0..7 | pawns by their first file |
//! | 8, 9 | knights, the queen's first |
//! | 10, 11 | bishops |
//! | 12, 13 | rooks |
//! | 14, 15 | queen, king |
//! | 16, 17 | promoted pieces |

use std::sync::LazyLock;

use super::codes::CodedMove;
use super::reading::CodeReading;
use super::steps::{Delta, Files, pawn_step, step};
use crate::board::{Color, Illegal, Move, PieceNumbers, Position, Role, Square};

/// Numbers of pieces are below this one.
pub(super) const NUMBERS: u8 = 18;

/// Numbers of the pieces on the first rank, from the a-file on.
const HOME: [u8; 8] = [12, 8, 10, 14, 15, 11, 9, 13];

/// The numbers of all pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces {
    numbers: PieceNumbers,
    /// The number of the promoted piece, by colour and number of the pawn.
    became: [[Option<u8>; 8]; 2],
}

/// A move, and the number given to a promoted piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecodedMove {
    pub(super) mv: Move,
    new_number: Option<(u8, u8)>,
}

/// Why a stored code is not a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InvalidCode {
    /// No piece has this number.
    NoPiece(u8),
    /// A pawn cannot be promoted to this kind.
    Kind(u8),
}

impl std::fmt::Display for InvalidCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InvalidCode::NoPiece(number) => write!(f, "no piece has the number {number}"),
            InvalidCode::Kind(kind) => write!(f, "a pawn cannot become kind {kind}"),
        }
    }
}

impl Pieces {
    /// No pieces.
    pub(super) fn empty() -> Pieces {
        Pieces {
            numbers: PieceNumbers::default(),
            became: [[None; 8]; 2],
        }
    }

    /// The pieces of the normal start position.
    pub(super) fn initial() -> Pieces {
        static INITIAL: LazyLock<Pieces> = LazyLock::new(|| {
            let mut pieces = Pieces::empty();
            for color in Color::ALL {
                let pawns = (0..8).zip(Square::ALL.into_iter().skip(8));
                let home = HOME.into_iter().zip(Square::ALL);
                for (number, square) in pawns.chain(home) {
                    let square = color.fold_wb(square, square.flip_vertical());
                    pieces.place(color, number, square);
                }
            }
            pieces
        });
        *INITIAL
    }

    /// Adds a piece of the start position.
    pub(super) fn place(&mut self, color: Color, number: u8, square: Square) {
        self.numbers.place(color, number, square);
    }

    /// The move on the board for a stored move.
    #[inline(always)]
    pub(super) fn find(
        &self,
        stored: CodedMove,
        us: Color,
        reading: CodeReading,
    ) -> Result<DecodedMove, InvalidCode> {
        let go = |piece: u8, delta: Delta| {
            let from = self
                .numbers
                .square(us, piece)
                .ok_or(InvalidCode::NoPiece(piece))?;
            Ok(DecodedMove {
                mv: Move::normal(from, delta.from(from, reading.files)),
                new_number: None,
            })
        };
        match stored {
            CodedMove::Step(code) => {
                let step = step(code, us).ok_or(InvalidCode::NoPiece(NUMBERS))?;
                go(step.piece, step.delta)
            }
            CodedMove::Castle(side) => Ok(DecodedMove {
                mv: Move::Castle(side),
                new_number: None,
            }),
            CodedMove::Null => Ok(DecodedMove {
                mv: Move::Null,
                new_number: None,
            }),
            CodedMove::Promoted(pawn, nibbles) => {
                let number = self.became_of(us, pawn).unwrap_or(pawn);
                let from = self
                    .numbers
                    .square(us, number)
                    .ok_or(InvalidCode::NoPiece(number))?;
                let to = Delta::of_nibbles(nibbles).from(from, Files::Right);
                Ok(DecodedMove {
                    mv: Move::normal(from, to),
                    new_number: None,
                })
            }
            CodedMove::Promotion(first, second) => self.promotion(first, second, us, reading),
        }
    }

    /// Origin and target of the code of a step.
    #[inline(always)]
    pub(super) fn step(&self, code: u8, us: Color, files: Files) -> Option<(Square, Square)> {
        let step = step(code, us)?;
        let from = self.numbers.square(us, step.piece)?;
        Some((from, step.delta.from(from, files)))
    }

    /// Updates the numbers for a step of `us`. A piece on `taken` is captured: see [`Position::capture_square`].
    #[inline(always)]
    pub(super) fn follow_step(&mut self, us: Color, from: Square, to: Square, taken: Square) {
        if let Some(taken) = self.numbers.number(to) {
            self.forget(!us, taken);
        }
        self.numbers.step(us, from, to, taken);
    }

    fn promotion(
        &self,
        first: u8,
        second: u8,
        us: Color,
        reading: CodeReading,
    ) -> Result<DecodedMove, InvalidCode> {
        let pawn = first >> 2;
        let from = self.numbers.square(us, pawn).ok_or(InvalidCode::NoPiece(pawn))?;
        let delta = pawn_step(reading.pawn_kind(first & 3), us).ok_or(InvalidCode::NoPiece(pawn))?;
        let role = match second >> 5 {
            2 => Role::Knight,
            3 => Role::Bishop,
            4 => Role::Rook,
            5 => Role::Queen,
            kind => return Err(InvalidCode::Kind(kind)),
        };
        let number = second & 31;
        let is_free = number < NUMBERS && self.numbers.square(us, number).is_none();
        Ok(DecodedMove {
            mv: Move::Normal {
                from,
                to: delta.from(from, reading.files),
                promotion: Some(role),
            },
            // If the number is not free, the piece is referred to by its pawn's number (section 6.6).
            new_number: is_free.then_some((pawn, number)),
        })
    }

    fn became_of(&self, color: Color, pawn: u8) -> Option<u8> {
        let pawns = self.became.get(color as usize)?;
        pawns.get(usize::from(pawn)).copied().flatten()
    }

    /// Updates the numbers for a move that is about to be played.
    #[inline(always)]
    pub(super) fn follow(&mut self, position: &Position, meant: DecodedMove) {
        let us = position.turn();
        if let Move::Normal { to, .. } = meant.mv
            && let Some(taken) = self.numbers.number(to)
        {
            self.forget(!us, taken);
        }
        self.numbers.follow(position, meant.mv);
        if let (Some((pawn, number)), Move::Normal { to, .. }) = (meant.new_number, meant.mv) {
            self.numbers.remove(us, to);
            self.numbers.place(us, number, to);
            let pawns = self.became.get_mut(us as usize);
            if let Some(place) = pawns.and_then(|pawns| pawns.get_mut(usize::from(pawn))) {
                *place = Some(number);
            }
        }
    }

    /// Removes the link from any pawn to the piece with this number.
    fn forget(&mut self, color: Color, number: u8) {
        let pawns = self.became.get_mut(color as usize).into_iter().flatten();
        for place in pawns.filter(|place| **place == Some(number)) {
            *place = None;
        }
    }
}

/// True for a move that is legal except that it may leave the king in check.
pub(super) fn is_possible(result: Result<(), Illegal>) -> bool {
    result.err().is_none_or(Illegal::is_pseudo_legal)
}
