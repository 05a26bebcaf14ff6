//! Numbers that pieces keep through a game, for formats that name the piece instead of its square.

use super::{CastlingSide, Color, File, Move, Position, Square};

/// Numbers of pieces are below this limit.
pub const MOST_NUMBERS: usize = 128;

/// The squares of pieces by numbers that the pieces keep throughout the game.
///
/// The format defines the meaning of a number: the kind of piece, its initial file, its index among pieces of
/// its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceNumbers {
    /// Squares by colour and number, [`NONE`] for a missing piece. The last entry of each colour is for pieces without
    /// a number, so that moves need no test; its contents are never used.
    squares: [[u8; MOST_NUMBERS + 1]; 2],
    /// Numbers by square, [`NONE`] for pieces without one and for empty squares.
    numbers: [u8; 64],
}

/// Means no number, and no square.
const NONE: u8 = MOST_NUMBERS as u8;

impl Default for PieceNumbers {
    fn default() -> PieceNumbers {
        PieceNumbers {
            squares: [[NONE; MOST_NUMBERS + 1]; 2],
            numbers: [NONE; 64],
        }
    }
}

impl PieceNumbers {
    /// Assigns a number to the piece on `square`. Numbers of [`MOST_NUMBERS`] and above are ignored.
    pub fn place(&mut self, color: Color, number: u8, square: Square) {
        if number < NONE {
            self.squares[color as usize][usize::from(number)] = square as u8;
            self.numbers[square as usize] = number;
        }
    }

    /// The square of the piece with a number; `None` if it was never placed or has been captured.
    #[inline]
    pub fn square(&self, color: Color, number: u8) -> Option<Square> {
        let square = self.squares[color as usize]
            .get(usize::from(number))
            .filter(|_| number < NONE)?;
        (*square < NONE).then(|| Square::new(u32::from(*square)))
    }

    /// The number of the piece on a square.
    #[inline]
    pub fn number(&self, square: Square) -> Option<u8> {
        let number = self.numbers[square as usize];
        (number < NONE).then_some(number)
    }

    /// Removes the piece of `color` from a square; its number is free again.
    #[inline]
    pub fn remove(&mut self, color: Color, square: Square) {
        let number = std::mem::replace(&mut self.numbers[square as usize], NONE);
        self.squares[color as usize][usize::from(number.min(NONE))] = NONE;
    }

    /// Follows a move of `us` that is neither castling nor a null move. A piece on `taken` is captured: see
    /// [`Position::capture_square`].
    #[inline(always)]
    pub fn step(&mut self, us: Color, from: Square, to: Square, taken: Square) {
        self.remove(!us, taken);
        let number = std::mem::replace(&mut self.numbers[from as usize], NONE);
        self.numbers[to as usize] = number;
        self.squares[us as usize][usize::from(number.min(NONE))] = to as u8;
    }

    /// Follows a move that is about to be played in `position`. A captured piece loses its number; a castling
    /// rook and a promoted pawn keep theirs.
    #[inline]
    pub fn follow(&mut self, position: &Position, mv: Move) {
        let us = position.turn();
        match mv {
            Move::Normal { from, to, .. } => {
                let taken = position.capture_square(from, to);
                self.step(us, from, to, taken);
            }
            Move::Castle(side) => {
                let (Some(king), Some(rook)) = (position.king(us), position.castling_rook(side)) else {
                    return;
                };
                let home = us.backrank();
                let (king_file, rook_file) = match side {
                    CastlingSide::KingSide => (File::G, File::F),
                    CastlingSide::QueenSide => (File::C, File::D),
                };
                // In Chess960, king and rook may each go to the other's square.
                let numbers = (self.number(king), self.number(rook));
                self.remove(us, king);
                self.remove(us, rook);
                for (number, file) in [(numbers.0, king_file), (numbers.1, rook_file)] {
                    if let Some(number) = number {
                        self.place(us, number, Square::from_coords(file, home));
                    }
                }
            }
            Move::Null => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(position: &Position) -> PieceNumbers {
        let mut pieces = PieceNumbers::default();
        for color in Color::ALL {
            for (number, square) in (0..).zip(position.pieces(color)) {
                pieces.place(color, number, square);
            }
        }
        pieces
    }

    #[test]
    fn numbers_follow_captures_castling_and_en_passant() {
        let fen = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";
        let position = super::super::Fen::parse(fen).unwrap().position;
        let pieces = numbered(&position);

        let mut castled = pieces;
        castled.follow(&position, Move::Castle(CastlingSide::KingSide));
        assert_eq!(castled.number(Square::G1), pieces.number(Square::E1));
        assert_eq!(castled.number(Square::F1), pieces.number(Square::H1));
        assert_eq!(castled.number(Square::H1), None);

        let mut taken = pieces;
        taken.follow(&position, Move::normal(Square::E5, Square::D6));
        assert_eq!(taken.number(Square::D5), None);
        assert_eq!(taken.number(Square::D6), pieces.number(Square::E5));
        let pawn = pieces.number(Square::D5).unwrap();
        assert_eq!(taken.square(Color::Black, pawn), None);

        let mut captured = pieces;
        captured.follow(&position, Move::normal(Square::H1, Square::H8));
        assert_eq!(captured.number(Square::H8), pieces.number(Square::H1));
        assert_eq!(
            captured.square(Color::Black, pieces.number(Square::H8).unwrap()),
            None
        );
    }
}
