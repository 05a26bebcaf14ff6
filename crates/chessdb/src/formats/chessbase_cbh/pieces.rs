//! The numbers of pieces in compact codes (section 8.5).
//!
//! | slots | pieces |
//! |---|---|
//! | 0..=2 | queens |
//! | 3..=5 | rooks |
//! | 6..=8 | bishops |
//! | 9..=11 | knights |
//! | 12..=19 | pawns |
//!
//! At the start, the squares are read in order, or from h8 down if the order is reversed: queens, rooks, bishops and
//! knights of each side get 1 to 3, pawns 0 to 7. When a numbered piece is taken, higher numbers of its kind go down by
//! one; pawns keep their numbers. A promoted piece gets the first free number of its kind, if any. A variation starts
//! with the numbers at its first move.

use std::sync::LazyLock;

use crate::board::{CastlingSide, Color, File, Move, Position, Role, Square};
use crate::replay::State;

/// Slots of a side. The first 20 are for numbered pieces, and the last one is shared by all pieces without a number.
/// The number of slots is a power of two, so that a masked index is never out of range.
const SLOTS: usize = 32;
/// First slot of the pawns.
pub(super) const PAWNS: u8 = 12;
/// Number of slots of each kind of piece other than pawns.
const OF_A_KIND: u8 = 3;
/// The slot of pieces without a number.
const NO_SLOT: u8 = 31;
/// No square.
const NO_SQUARE: u8 = 0xff;

/// The order in which a start position is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// From a1 to h8, file by file.
    Normal,
    /// From h8 to a1.
    Reverse,
}

/// The squares of the numbered pieces. Kings need no number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces {
    /// The square of each slot.
    squares: [[u8; SLOTS]; 2],
    /// The slot of the piece on each square.
    slots: [u8; 64],
}

impl State for Pieces {}

/// The first slot of a kind.
pub(super) fn first_slot(role: Role) -> Option<u8> {
    match role {
        Role::Queen => Some(0),
        Role::Rook => Some(3),
        Role::Bishop => Some(6),
        Role::Knight => Some(9),
        Role::Pawn => Some(PAWNS),
        Role::King => None,
    }
}

/// The kind of the pieces in a slot.
pub(super) fn kind(slot: u8) -> Role {
    match slot / OF_A_KIND {
        0 => Role::Queen,
        1 => Role::Rook,
        2 => Role::Bishop,
        3 => Role::Knight,
        _ => Role::Pawn,
    }
}

/// A square by ChessBase's number: file by file.
pub(super) fn square(number: u8) -> Option<Square> {
    let index = ((u32::from(number) & 7) << 3) | (u32::from(number) >> 3);
    (number < 64).then(|| Square::new(index))
}

impl Pieces {
    /// The numbers at the start of a game.
    pub(super) fn of(position: &Position, order: Order) -> Pieces {
        static INITIAL: LazyLock<[Pieces; 2]> = LazyLock::new(|| {
            let initial = Position::initial();
            [Order::Normal, Order::Reverse].map(|order| Pieces::numbered(&initial, order))
        });
        let [normal, reverse] = &*INITIAL;
        match order {
            _ if *position != Position::initial() => Pieces::numbered(position, order),
            Order::Normal => *normal,
            Order::Reverse => *reverse,
        }
    }

    fn numbered(position: &Position, order: Order) -> Pieces {
        let mut pieces = Pieces {
            squares: [[NO_SQUARE; SLOTS]; 2],
            slots: [NO_SLOT; 64],
        };
        for number in 0..64 {
            let number = match order {
                Order::Normal => number,
                Order::Reverse => 63 - number,
            };
            if let Some(square) = square(number)
                && let Some(piece) = position.piece_at(square)
            {
                pieces.give_number(piece.color, piece.role, square);
            }
        }
        pieces
    }

    /// The square of the piece in a slot.
    #[inline(always)]
    pub(super) fn square(&self, color: Color, slot: u8) -> Option<Square> {
        let square = *self.squares.get(color as usize)?.get(usize::from(slot))?;
        Square::try_from(u32::from(square)).ok()
    }

    /// Follows a move that has been played in `before`.
    #[inline(always)]
    pub(super) fn follow(&mut self, us: Color, played: &Played) {
        match *played {
            Played::Piece {
                from,
                to,
                taken,
                promotion,
            } => {
                let gone = self.take(taken);
                self.put(!us, gone, NO_SQUARE);
                if gone < PAWNS {
                    self.move_down(!us, gone);
                }
                let slot = self.take(from);
                if let Some(role) = promotion {
                    self.promote(us, slot, role, to);
                } else {
                    self.number(slot, to);
                    self.put(us, slot, to as u8);
                }
            }
            Played::Castle { rook, to } => {
                let slot = self.take(rook);
                self.number(slot, to);
                self.put(us, slot, to as u8);
            }
            Played::Null => {}
        }
    }

    /// Removes the number from a square, and returns it.
    #[inline(always)]
    fn take(&mut self, square: Square) -> u8 {
        let slot = self.slots.get_mut(square as usize);
        slot.map_or(NO_SLOT, |slot| std::mem::replace(slot, NO_SLOT))
    }

    /// Sets the number of a square.
    #[inline(always)]
    fn number(&mut self, slot: u8, square: Square) {
        if let Some(number) = self.slots.get_mut(square as usize) {
            *number = slot;
        }
    }

    /// Sets the square of a slot. The square of [`NO_SLOT`] is never read.
    #[inline(always)]
    fn put(&mut self, color: Color, slot: u8, square: u8) {
        let squares = self.squares.get_mut(color as usize);
        let place = squares.and_then(|squares| squares.get_mut(usize::from(slot) % SLOTS));
        if let Some(place) = place {
            *place = square;
        }
    }

    /// Gives a piece the first free number of its kind. If none is free, it never gets a number.
    fn give_number(&mut self, color: Color, role: Role, square: Square) {
        let Some(first) = first_slot(role) else { return };
        let most = if role == Role::Pawn { 8 } else { OF_A_KIND };
        let squares = self.squares.get(color as usize);
        let is_free = |slot: &u8| {
            let place = squares.and_then(|squares| squares.get(usize::from(*slot)));
            place == Some(&NO_SQUARE)
        };
        if let Some(slot) = (first..first + most).find(is_free) {
            self.number(slot, square);
            self.put(color, slot, square as u8);
        }
    }

    /// Follows a promotion.
    #[cold]
    fn promote(&mut self, color: Color, slot: u8, role: Role, square: Square) {
        self.put(color, slot, NO_SQUARE);
        if slot < PAWNS {
            self.move_down(color, slot);
        }
        self.give_number(color, role, square);
    }

    /// Closes the gap of an empty slot: the higher numbers of its kind go down by one. Pawns keep their numbers.
    fn move_down(&mut self, color: Color, slot: u8) {
        let Some(squares) = self.squares.get_mut(color as usize) else {
            return;
        };
        let end = slot - slot % OF_A_KIND + OF_A_KIND;
        for slot in slot..end {
            let next = usize::from(slot) + 1;
            let moved = if slot + 1 < end {
                squares.get(next).copied().unwrap_or(NO_SQUARE)
            } else {
                NO_SQUARE
            };
            if let Some(place) = squares.get_mut(usize::from(slot)) {
                *place = moved;
            }
            if let Some(number) = self.slots.get_mut(usize::from(moved)) {
                *number = slot;
            }
        }
    }
}

/// The effect of a move on the numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Played {
    Piece {
        from: Square,
        to: Square,
        /// The square of the piece that the move takes.
        taken: Square,
        promotion: Option<Role>,
    },
    /// The king has no number.
    Castle {
        rook: Square,
        to: Square,
    },
    Null,
}

impl Played {
    /// The effect of a move that is about to be played in a position.
    #[inline(always)]
    pub(super) fn of(position: &Position, mv: Move) -> Played {
        match mv {
            Move::Normal { from, to, promotion } => {
                let is_en_passant = position.en_passant() == Some(to)
                    && position.role_at(from) == Some(Role::Pawn)
                    && from.file() != to.file();
                Played::Piece {
                    from,
                    to,
                    taken: if is_en_passant { to.xor(Square::A2) } else { to },
                    promotion,
                }
            }
            Move::Castle(side) => match position.castling_rook_anyhow(side) {
                Some(rook) => {
                    let file = match side {
                        CastlingSide::KingSide => File::F,
                        CastlingSide::QueenSide => File::D,
                    };
                    let to = Square::from_coords(file, position.turn().backrank());
                    Played::Castle { rook, to }
                }
                None => Played::Null,
            },
            Move::Null => Played::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Fen;

    fn played(fen: &str, mv: Move) -> Pieces {
        let position = Fen::parse(fen).unwrap().position;
        let mut pieces = Pieces::of(&position, Order::Normal);
        pieces.follow(position.turn(), &Played::of(&position, mv));
        pieces
    }

    fn squares(pieces: &Pieces, color: Color, role: Role) -> Vec<Option<Square>> {
        let first = first_slot(role).unwrap();
        (first..first + 3)
            .map(|slot| pieces.square(color, slot))
            .collect()
    }

    #[test]
    fn pieces_are_numbered_file_by_file() {
        let pieces = Pieces::of(&Position::initial(), Order::Normal);
        assert_eq!(pieces.square(Color::White, PAWNS + 4), Some(Square::E2));
        assert_eq!(
            squares(&pieces, Color::Black, Role::Knight),
            [Some(Square::B8), Some(Square::G8), None]
        );
        let pieces = Pieces::of(&Position::initial(), Order::Reverse);
        assert_eq!(pieces.square(Color::White, PAWNS), Some(Square::H2));
        assert_eq!(pieces.square(Color::White, 3), Some(Square::H1));
    }

    #[test]
    fn higher_numbers_move_down_and_a_fourth_piece_gets_none() {
        let fen = "4k3/8/8/8/3p4/QQQQ4/8/4K3 b - - 0 1";
        let takes = Move::normal(Square::D4, Square::C3);
        let pieces = played(fen, takes);
        assert_eq!(
            squares(&pieces, Color::White, Role::Queen),
            [Some(Square::A3), Some(Square::B3), None]
        );
        assert_eq!(pieces.square(Color::Black, PAWNS), Some(Square::C3));
    }

    #[test]
    fn a_promoted_piece_takes_the_first_free_number() {
        let fen = "rn2k3/2P5/8/8/8/8/8/Q3K3 w - - 0 1";
        let takes = Move::Normal {
            from: Square::C7,
            to: Square::B8,
            promotion: Some(Role::Queen),
        };
        let pieces = played(fen, takes);
        assert_eq!(
            squares(&pieces, Color::White, Role::Queen),
            [Some(Square::A1), Some(Square::B8), None]
        );
        assert_eq!(squares(&pieces, Color::Black, Role::Knight), [None; 3]);
        assert_eq!(pieces.square(Color::White, PAWNS), None);
    }

    #[test]
    fn castling_and_en_passant_are_followed() {
        // Without the right, castling is illegal, but the moves after it are shown.
        for rights in ["KQ", "-"] {
            let castled = played(
                &format!("4k3/8/8/8/8/8/8/R3K2R w {rights} - 0 1"),
                Move::Castle(CastlingSide::KingSide),
            );
            assert_eq!(
                squares(&castled, Color::White, Role::Rook),
                [Some(Square::A1), Some(Square::F1), None]
            );
        }
        let taken = played(
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            Move::normal(Square::E5, Square::D6),
        );
        assert_eq!(taken.square(Color::Black, PAWNS), None);
        assert_eq!(taken.square(Color::White, PAWNS), Some(Square::D6));
    }
}
