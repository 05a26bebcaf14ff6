//! Set-up positions: rules that all formats share, and FEN.

use std::fmt;

use super::{Bitboard, Color, Position, Rank, Role, Setup, Square};

/// Why no game can be played from a set-up position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupError {
    /// The text is not FEN.
    NotFen,
    /// A side has no king or more than one.
    Kings,
    /// A pawn is on the first or last rank.
    PawnOnEdge,
    /// The side that is not to move is in check.
    OpponentInCheck,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SetupError::NotFen => "the position is not readable FEN",
            SetupError::Kings => "each side must have one king",
            SetupError::PawnOnEdge => "a pawn stands on the first or last rank",
            SetupError::OpponentInCheck => "the side not to move is in check",
        })
    }
}

impl std::error::Error for SetupError {}

impl Position {
    /// The position of a set-up.
    ///
    /// Drops castling rights without king and rook on the home rank, and en passant squares that no double step can
    /// have caused. Accepts too many pieces and impossible checks.
    ///
    /// # Errors
    /// If no game can be played from it: see [`SetupError`].
    pub fn from_setup(setup: &Setup) -> Result<Position, SetupError> {
        let board = &setup.board;
        if Color::ALL
            .into_iter()
            .any(|color| board.by_piece(color.king()).count() != 1)
        {
            return Err(SetupError::Kings);
        }
        if (board.by_role(Role::Pawn) & Bitboard::BACKRANKS).any() {
            return Err(SetupError::PawnOnEdge);
        }
        let mut position = Position::from_pieces(board, setup.turn, Bitboard::EMPTY, None);
        if position.checks_on(!setup.turn).any() {
            return Err(SetupError::OpponentInCheck);
        }
        position.castling = playable_rights(&position, setup.castling_rights);
        position.en_passant = setup
            .ep_square
            .filter(|&square| is_playable_en_passant(&position, square));
        Ok(position)
    }
}

impl Position {
    /// A position with the pieces of a set-up that no game can be played from, so that [`Position::play`] can follow
    /// the moves of a file.
    ///
    /// Nothing is tested, and no castling right is kept. Pieces move according to their kind even if the position is
    /// impossible.
    pub fn unplayable(setup: &Setup) -> Position {
        let mut position = Position::from_pieces(&setup.board, setup.turn, Bitboard::EMPTY, None);
        position.sound = false;
        position
    }
}

impl Position {
    /// The position as a set-up. A position has no counters, so the set-up has the counters of a game's start.
    ///
    /// The en passant square is set after every double step, as in the FEN of the PGN standard.
    pub fn setup(&self) -> Setup {
        let mut setup = Setup::empty();
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                setup.board.set_piece_at(square, piece);
            }
        }
        setup.turn = self.turn;
        setup.castling_rights = self.castling;
        setup.ep_square = self.en_passant;
        setup
    }

    /// The position as FEN, with the counters `0 1`, as in [`Position::setup`].
    ///
    /// ```
    /// use chessdb::board::{Fen, Position};
    ///
    /// let fen = "r3k2r/8/8/3pP3/8/8/8/4K3 w kq d6 0 1";
    /// let position = Fen::parse(fen).unwrap().position;
    /// assert_eq!(position.fen(), fen);
    /// ```
    pub fn fen(&self) -> String {
        Fen::text(&self.setup())
    }
}

/// Rooks among `rights` that are on the home rank of their king.
fn playable_rights(position: &Position, rights: Bitboard) -> Bitboard {
    let mut playable = Bitboard::EMPTY;
    for color in Color::ALL {
        let home = Bitboard::from_rank(color.backrank());
        if (position.of_kind(color, Role::King) & home).any() {
            playable |= rights & home & position.of_kind(color, Role::Rook);
        }
    }
    playable
}

/// True if `square` is behind a pawn of the side that has just moved, and the two squares that it crossed are
/// empty.
fn is_playable_en_passant(position: &Position, square: Square) -> bool {
    let us = position.turn();
    let forward = us.fold_wb(8, -8);
    let (Some(from), Some(pawn)) = (square.offset(forward), square.offset(-forward)) else {
        return false;
    };
    square.rank() == us.relative_rank(Rank::Sixth)
        && position.of_kind(!us, Role::Pawn).contains(pawn)
        && !position.occupied().contains(square)
        && !position.occupied().contains(from)
}

/// A set-up read from FEN.
#[derive(Clone, Copy, Debug)]
pub struct Fen {
    /// The position.
    pub position: Position,
    /// Number of the next move.
    pub first_move: u32,
}

impl Fen {
    /// A set-up as FEN; castling rights and en passant square are not tested.
    pub fn text(setup: &Setup) -> String {
        let fen = shakmaty::fen::Fen::try_from_setup(setup.clone());
        fen.unwrap_or_else(|lossy| lossy.ignore()).to_string()
    }

    /// Reads FEN with four to six fields: missing counters are 0 and 1.
    ///
    /// # Errors
    /// As [`Position::from_setup`], and [`SetupError::NotFen`].
    pub fn parse(text: &str) -> Result<Fen, SetupError> {
        let setup = Fen::setup(text)?;
        Ok(Fen {
            position: Position::from_setup(&setup)?,
            first_move: setup.fullmoves.get(),
        })
    }

    /// Reads FEN like [`Fen::parse`], without testing the position.
    ///
    /// # Errors
    /// If it is not FEN.
    pub fn setup(text: &str) -> Result<Setup, SetupError> {
        if !(4..=6).contains(&text.split_ascii_whitespace().count()) {
            return Err(SetupError::NotFen);
        }
        let fen = shakmaty::fen::Fen::from_ascii(text.trim().as_bytes()).map_err(|_| SetupError::NotFen)?;
        Ok(fen.into_setup())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;

    #[test]
    fn set_ups_are_written_as_they_are_read() {
        let text = "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 20";
        let setup = text.parse::<shakmaty::fen::Fen>().unwrap().into_setup();
        assert_eq!(Fen::text(&setup), text);
    }

    #[test]
    fn pieces_move_where_no_game_can_be_played() {
        let setup: shakmaty::fen::Fen = "P7/8/8/8/8/8/8/K1K5 w - - 0 1".parse().unwrap();
        let setup = setup.into_setup();
        assert_eq!(Position::from_setup(&setup), Err(SetupError::Kings));
        let mut position = Position::unplayable(&setup);
        position.play(Move::normal(Square::C1, Square::C2));
        assert_eq!(position.role_at(Square::C2), Some(Role::King));
        assert_eq!(position.turn(), Color::Black);
        position.play(Move::normal(Square::A8, Square::A7));
        assert_eq!(position.role_at(Square::A7), Some(Role::Pawn));
    }
}
