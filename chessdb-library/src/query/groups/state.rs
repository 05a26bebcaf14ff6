//! What is asked of the side to move, of bishops and of the structure of pawns.

use chessdb::board::{Bitboard, ByColor, Color, File, Position, Role};

use super::error::TermError;
use crate::lines::{Change, KeptMove, PlainBoard, bits_of, place_of};

use crate::query::Bounds;

/// What is asked of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoverState {
    Check,
    Mate,
    Stalemate,
}

impl MoverState {
    const NAMES: [(&str, MoverState); 3] = [
        ("check", MoverState::Check),
        ("mate", MoverState::Mate),
        ("stalemate", MoverState::Stalemate),
    ];

    /// Reads a name, in any letter case.
    pub(super) fn parse(text: &str) -> Result<(&'static str, MoverState), TermError> {
        named(&MoverState::NAMES, text).ok_or(TermError::State)
    }

    #[inline]
    pub(super) fn holds(self, position: &Position) -> bool {
        match self {
            MoverState::Check => position.is_check(),
            MoverState::Mate => position.is_checkmate(),
            MoverState::Stalemate => {
                !position.is_check() && !moves_freely(position) && position.legal_moves().is_empty()
            }
        }
    }
}

impl MoverState {
    /// False if it does not hold where the pieces stand like this and these moves follow.
    pub(super) fn may_hold_on(self, board: &PlainBoard, rest: &[KeptMove]) -> bool {
        match self {
            MoverState::Check => board.is_check(),
            MoverState::Mate => ends(rest) && board.may_be_mated(),
            MoverState::Stalemate => ends(rest) && !board.is_check(),
        }
    }

    /// Number of moves before the first position at which it may hold.
    pub(super) fn first_chance(self, moves: &[KeptMove]) -> Option<usize> {
        let null = || moves.iter().position(|mv| mv.is_null());
        match self {
            MoverState::Check => Some(0),
            MoverState::Mate | MoverState::Stalemate => Some(null().unwrap_or(moves.len())),
        }
    }
}

/// True if no piece moves next, so that the side to move may have no legal move.
pub(super) fn ends(rest: &[KeptMove]) -> bool {
    rest.first().is_none_or(|mv| mv.is_null())
}

/// True if some piece of the side to move that cannot be pinned has a square to go to. This is quickly seen, and most
/// positions have one.
fn moves_freely(position: &Position) -> bool {
    let us = position.turn();
    let Some(king) = position.king(us) else {
        return false;
    };
    // A pinned piece is the first one on a line from the king.
    let on_lines = position.attacks_from(Role::Queen, king) | Bitboard::from_square(king);
    let free = position.pieces(us) & !on_lines;
    let steps = beyond(free & position.of_kind(us, Role::Pawn), us) & !position.occupied();
    let others = free & !position.of_kind(us, Role::Pawn);
    steps.any()
        || others.into_iter().any(|square| {
            let role = position.role_at(square);
            role.is_some_and(|role| (position.attacks_from(role, square) & !position.pieces(us)).any())
        })
}

/// The squares one step ahead of these.
fn beyond(squares: Bitboard, color: Color) -> Bitboard {
    Bitboard(match color {
        Color::White => squares.0 << 8,
        Color::Black => squares.0 >> 8,
    })
}

/// On squares of which colours the bishops stand, one of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bishops {
    Same,
    Opposite,
}

impl Bishops {
    const NAMES: [(&str, Bishops); 2] = [("same", Bishops::Same), ("opposite", Bishops::Opposite)];

    /// Reads a name, in any letter case.
    pub(super) fn parse(text: &str) -> Result<(&'static str, Bishops), TermError> {
        named(&Bishops::NAMES, text).ok_or(TermError::Bishops)
    }

    /// True if the bishops of each side on these squares are such.
    #[inline]
    pub(super) fn holds_for(self, bishops: impl Fn(Color) -> Bitboard) -> bool {
        let bishops = ByColor::new_with(bishops);
        let is_light = ByColor::new_with(|color| (bishops[color] & Bitboard::LIGHT_SQUARES).any());
        let are_same = is_light[Color::White] == is_light[Color::Black];
        bishops[Color::White].count() == 1
            && bishops[Color::Black].count() == 1
            && are_same == (self == Bishops::Same)
    }
}

/// Which pawns of a side are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PawnKind {
    /// All.
    Any,
    /// Those with no pawn of the other side before them, on their file or the files beside.
    Passed,
    /// Those with no pawn of their own side on the files beside.
    Isolated,
    /// Those with a pawn of their own side before them on their file.
    Doubled,
}

/// The number of some pawns of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PawnCount {
    pub(super) kind: PawnKind,
    pub(super) color: Color,
    pub(super) bounds: Bounds,
}

impl PawnCount {
    /// What a move must change so that the number may be another one after it.
    pub(super) fn watched(&self) -> Change {
        match self.kind {
            PawnKind::Any | PawnKind::Isolated | PawnKind::Doubled => 1 << place_of(self.color, Role::Pawn),
            PawnKind::Passed => bits_of(Role::Pawn),
        }
    }

    /// True if there are so many of the pawns of each side on these squares.
    #[inline]
    pub(super) fn holds_for(&self, pawns: impl Fn(Color) -> Bitboard) -> bool {
        let own = pawns(self.color);
        let counted = match self.kind {
            PawnKind::Any => own,
            PawnKind::Passed => {
                let others = pawns(!self.color);
                own & !behind(others | beside(others), self.color)
            }
            PawnKind::Isolated => {
                let files = behind(own, Color::White) | own | behind(own, Color::Black);
                own & !beside(files)
            }
            PawnKind::Doubled => own & behind(own, self.color),
        };
        self.bounds.contains(counted.count() as i64)
    }
}

/// All squares behind these on their files, as this side sees them.
fn behind(squares: Bitboard, color: Color) -> Bitboard {
    let mut behind = squares.0;
    for ranks in [8, 16, 32] {
        behind |= match color {
            Color::White => behind >> ranks,
            Color::Black => behind << ranks,
        };
    }
    beyond(Bitboard(behind), !color)
}

/// The squares beside these on the same rank.
fn beside(squares: Bitboard) -> Bitboard {
    let (a_file, h_file) = (Bitboard::from_file(File::A), Bitboard::from_file(File::H));
    Bitboard((squares & !a_file).0 >> 1 | (squares & !h_file).0 << 1)
}

/// The row with this name, in any letter case.
fn named<T: Copy>(rows: &[(&'static str, T)], text: &str) -> Option<(&'static str, T)> {
    rows.iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(text))
        .copied()
}
