//! Numbers of pieces: a list for each side, which has no gaps (section 5.4).
//!
//! - Usual start: king 0, then from file a on rook 1, knight 2, bishop 3, queen 4, bishop 5, knight 6, rook 7, pawns
//!   8 to 15.
//! - From a FEN: in its order, a8 to h8 first and a1 to h1 last, each piece gets the next number of its side; the
//!   king gets 0, and the piece that had it gets the next number.
//!
//! When a piece is captured, the last piece of the list takes its number. Promotions and castling change no numbers. A
//! variation starts with the lists before the move that it replaces.

use std::sync::LazyLock;

use crate::board::{CastlingSide, Color, File, Move, Position, Rank, Role, Square};
use crate::replay;

/// Maximum number of pieces of a side.
const MOST: usize = 16;

/// The pieces of one side: the square of each, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct List {
    squares: [u8; MOST],
    len: u8,
}

impl List {
    const EMPTY: List = List {
        squares: [0; MOST],
        len: 0,
    };

    /// The list of a side at the usual start.
    fn usual(color: Color) -> List {
        let pieces = [
            File::E,
            File::A,
            File::B,
            File::C,
            File::D,
            File::F,
            File::G,
            File::H,
        ];
        let pieces = pieces.map(|file| Square::from_coords(file, color.backrank()));
        let pawns = File::ALL.map(|file| Square::from_coords(file, color.relative_rank(Rank::Second)));
        let mut list = List::EMPTY;
        pieces
            .into_iter()
            .chain(pawns)
            .for_each(|square| list.push(square as u8));
        list
    }

    /// Gives a piece the next number, if there is one.
    fn push(&mut self, square: u8) {
        if let Some(place) = self.squares.get_mut(usize::from(self.len)) {
            *place = square;
            self.len += 1;
        }
    }

    /// Gives the king number 0, and the piece that had it the next number.
    fn push_king(&mut self, square: u8) {
        match self.squares.first_mut().filter(|_| self.len > 0) {
            Some(first) => {
                let moved = std::mem::replace(first, square);
                self.push(moved);
            }
            None => self.push(square),
        }
    }

    #[inline(always)]
    fn square(&self, number: u8) -> Option<Square> {
        let square = self.squares.get(usize::from(number)).copied();
        let square = square.filter(|_| number < self.len)?;
        Some(Square::new(u32::from(square & 63)))
    }

    /// The number of the piece on a square; [`MOST`] if the list has no piece there.
    ///
    /// This compares all sixteen squares at once, as the bytes of one integer. A loop would end at an unpredictable
    /// place, and a wrong branch prediction costs more than all comparisons.
    #[inline(always)]
    fn number(&self, square: Square) -> usize {
        const ONES: u128 = u128::MAX / 0xff;
        let others = u128::from_le_bytes(self.squares) ^ (ONES * (square as u128));
        // The well-known trick to find zero bytes: the highest bit of the lowest zero byte is set. Bytes above it may
        // be wrong.
        let zeros = others.wrapping_sub(ONES) & !others & (ONES << 7);
        let number = zeros.trailing_zeros() / 8;
        if number < u32::from(self.len) {
            number as usize
        } else {
            MOST
        }
    }

    fn step(&mut self, from: Square, to: Square) {
        let number = self.number(from);
        if let Some(place) = self.squares.get_mut(number) {
            *place = to as u8;
        }
    }

    /// Removes the piece on a square, if there is one. The piece with the highest number takes over its number.
    #[inline(always)]
    fn remove(&mut self, square: Square) {
        let number = self.number(square);
        let last = self.squares.get(usize::from(self.len.wrapping_sub(1))).copied();
        if let Some((place, last)) = self.squares.get_mut(number).zip(last) {
            *place = last;
            self.len -= 1;
        }
    }
}

/// The pieces of both sides by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lists {
    white: List,
    black: List,
}

impl replay::State for Lists {}

impl Lists {
    /// The lists at the usual start.
    pub(super) fn usual() -> Lists {
        static USUAL: LazyLock<Lists> = LazyLock::new(|| Lists {
            white: List::usual(Color::White),
            black: List::usual(Color::Black),
        });
        *USUAL
    }

    /// The lists for a position that comes from a FEN, in the order of its letters.
    pub(super) fn of(position: &Position) -> Lists {
        let mut lists = Lists {
            white: List::EMPTY,
            black: List::EMPTY,
        };
        for rank in Rank::ALL.into_iter().rev() {
            for square in File::ALL.map(|file| Square::from_coords(file, rank)) {
                let Some(piece) = position.piece_at(square) else {
                    continue;
                };
                let list = lists.of_side(piece.color);
                match piece.role {
                    Role::King => list.push_king(square as u8),
                    _ => list.push(square as u8),
                }
            }
        }
        lists
    }

    #[inline]
    fn of_side(&mut self, color: Color) -> &mut List {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }

    /// The square of the piece with a number.
    #[inline]
    pub(super) fn square(&self, color: Color, number: u8) -> Option<Square> {
        match color {
            Color::White => self.white.square(number),
            Color::Black => self.black.square(number),
        }
    }

    /// Updates the lists after a move.
    #[inline(always)]
    pub(super) fn follow(&mut self, effect: Effect) {
        let us = effect.mover;
        if let Some(taken) = effect.taken {
            self.of_side(!us).remove(taken);
        }
        match effect.steps {
            Steps::None => {}
            Steps::One(number, to) => {
                if let Some(place) = self.of_side(us).squares.get_mut(usize::from(number)) {
                    *place = to as u8;
                }
            }
            Steps::Castling(side, rook) => self.castle(us, side, rook),
        }
    }

    #[cold]
    fn castle(&mut self, us: Color, side: CastlingSide, rook: Square) {
        let home = us.backrank();
        let (king_to, rook_to) = match side {
            CastlingSide::KingSide => (File::G, File::F),
            CastlingSide::QueenSide => (File::C, File::D),
        };
        let list = self.of_side(us);
        // In Chess960 the king may go to the rook's square and the rook to the king's. The rook is found by its square,
        // so it goes first; the king always has number 0.
        list.step(rook, Square::from_coords(rook_to, home));
        if let Some(king) = list.squares.first_mut() {
            *king = Square::from_coords(king_to, home) as u8;
        }
    }
}

/// The change of the lists by a move. It is determined before the move is played, and applied with [`Lists::follow`]
/// after that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    mover: Color,
    taken: Option<Square>,
    steps: Steps,
}

#[derive(Clone, Copy, Debug)]
enum Steps {
    None,
    /// The piece with this number is on this square now.
    One(u8, Square),
    /// Castling with the rook that is on this square before the move.
    Castling(CastlingSide, Square),
}

impl Effect {
    /// The effect of a move that the piece with this number is about to make.
    #[inline(always)]
    pub(super) fn of(position: &Position, number: u8, mv: Move) -> Effect {
        let mover = position.turn();
        let (taken, steps) = match mv {
            Move::Normal { from, to, .. } => {
                let taken = if position.occupied().contains(to) {
                    Some(to)
                } else if from.file() != to.file() && position.role_at(from) == Some(Role::Pawn) {
                    Some(to.xor(Square::A2))
                } else {
                    None
                };
                (taken, Steps::One(number, to))
            }
            Move::Castle(side) => {
                let rook = position.castling_rook_anyhow(side);
                (None, rook.map_or(Steps::None, |rook| Steps::Castling(side, rook)))
            }
            Move::Null => (None, Steps::None),
        };
        Effect { mover, taken, steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Fen;

    fn position(fen: &str) -> Position {
        Fen::parse(fen).unwrap().position
    }

    fn squares(lists: &Lists, color: Color) -> String {
        let square = |number| lists.square(color, number).map(|square| square.to_string());
        (0..16).map_while(square).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_usual_start_has_its_own_order() {
        let lists = Lists::usual();
        assert_eq!(
            squares(&lists, Color::Black),
            "e8 a8 b8 c8 d8 f8 g8 h8 a7 b7 c7 d7 e7 f7 g7 h7"
        );
    }

    #[test]
    fn a_position_is_numbered_in_the_order_of_its_fen() {
        let lists = Lists::of(&position("r1bqk2r/8/8/8/8/8/PP6/R3K3 w - - 0 1"));
        assert_eq!(squares(&lists, Color::Black), "e8 c8 d8 a8 h8");
        assert_eq!(squares(&lists, Color::White), "e1 b2 a1 a2");
    }

    #[test]
    fn the_last_piece_takes_the_number_of_one_that_leaves() {
        let before = position("4k3/2p3p1/8/3pP3/8/8/8/4K2R w K d6 0 1");
        let mut lists = Lists::of(&before);
        assert_eq!(squares(&lists, Color::Black), "e8 c7 g7 d5");
        let mv = Move::normal(Square::E5, Square::D6);
        lists.follow(Effect::of(&before, 1, mv));
        assert_eq!(squares(&lists, Color::Black), "e8 c7 g7");

        let before = position("4k3/2p3p1/8/3p4/8/8/6R1/4K3 w - - 0 1");
        let mut lists = Lists::of(&before);
        lists.follow(Effect::of(&before, 1, Move::normal(Square::G2, Square::G7)));
        assert_eq!(squares(&lists, Color::Black), "e8 c7 d5");
        assert_eq!(squares(&lists, Color::White), "e1 g7");
    }

    #[test]
    fn castling_moves_the_rook_that_has_its_number() {
        let before = position("4k3/8/8/8/8/8/8/R4KR1 w AG - 0 1");
        let mut lists = Lists::of(&before);
        assert_eq!(squares(&lists, Color::White), "f1 a1 g1");
        lists.follow(Effect::of(&before, 0, Move::Castle(CastlingSide::KingSide)));
        assert_eq!(squares(&lists, Color::White), "g1 a1 f1");

        // Without the right, castling is illegal, but the moves after it are shown.
        let before = position("4k3/8/8/8/8/8/8/R3K2R w - - 0 1");
        let mut lists = Lists::of(&before);
        lists.follow(Effect::of(&before, 0, Move::Castle(CastlingSide::QueenSide)));
        assert_eq!(squares(&lists, Color::White), "c1 d1 h1");
    }
}
