//! Conversions of positions and moves from and to shakmaty.

use shakmaty::{CastlingMode, Chess, FromSetup, PositionError};

use super::{CastlingSide, EnPassantMode, Move, Position, SetupError};

/// shakmaty rejects a position where the side that is not to move is in check, and a few other positions that games
/// never reach. It accepts positions with too many pieces, and with checks that no move could have given.
///
/// ```
/// use chessdb::board::Position;
/// use shakmaty::{Chess, Position as _};
///
/// let chess = Chess::try_from(&Position::initial())?;
/// assert_eq!(chess.legal_moves().len(), 20);
/// assert_eq!(Position::try_from(&chess)?, Position::initial());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl TryFrom<&Position> for Chess {
    type Error = PositionError<Chess>;

    fn try_from(position: &Position) -> Result<Chess, PositionError<Chess>> {
        let mode = if position.is_chess960() {
            CastlingMode::Chess960
        } else {
            CastlingMode::Standard
        };
        Chess::from_setup(position.setup(), mode)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
    }
}

impl TryFrom<&Chess> for Position {
    type Error = SetupError;

    fn try_from(chess: &Chess) -> Result<Position, SetupError> {
        Position::from_setup(&shakmaty::Position::to_setup(chess, EnPassantMode::Always))
    }
}

impl Move {
    /// The move in shakmaty's form. `before` is the position before it. `None` for a null move, and if the piece to
    /// move is missing.
    ///
    /// ```
    /// use chessdb::board::{Move, Position, Square};
    /// use shakmaty::{Chess, Position as _};
    ///
    /// let (mut chess, start) = (Chess::default(), Position::initial());
    /// let mv = Move::normal(Square::G1, Square::F3);
    /// let theirs = mv.to_shakmaty(&start).unwrap();
    /// assert_eq!(Move::from_shakmaty(theirs), Some(mv));
    /// chess.play_unchecked(theirs);
    /// assert_eq!(chess.board().piece_at(Square::F3), start.piece_at(Square::G1));
    /// ```
    pub fn to_shakmaty(self, before: &Position) -> Option<shakmaty::Move> {
        match self {
            Move::Normal { from, to, promotion } => {
                let role = before.role_at(from)?;
                let captured = before.capture_square(from, to);
                Some(if captured == to {
                    shakmaty::Move::Normal {
                        role,
                        from,
                        capture: before.role_at(to),
                        to,
                        promotion,
                    }
                } else {
                    shakmaty::Move::EnPassant { from, to }
                })
            }
            Move::Castle(side) => Some(shakmaty::Move::Castle {
                king: before.king(before.turn())?,
                rook: before.castling_rook(side)?,
            }),
            Move::Null => None,
        }
    }

    /// Converts a move of shakmaty; `None` for a move that puts a piece on the board, as in Crazyhouse.
    pub fn from_shakmaty(mv: shakmaty::Move) -> Option<Move> {
        match mv {
            shakmaty::Move::Normal {
                from, to, promotion, ..
            } => Some(Move::Normal { from, to, promotion }),
            shakmaty::Move::EnPassant { from, to } => Some(Move::normal(from, to)),
            shakmaty::Move::Castle { king, rook } => Some(Move::Castle(if rook.file() > king.file() {
                CastlingSide::KingSide
            } else {
                CastlingSide::QueenSide
            })),
            shakmaty::Move::Put { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Fen, Role, Square, Undo};
    use shakmaty::Position as _;

    /// Positions with castling, en passant, promotions, pins and evasions, Chess960 among them.
    const POSITIONS: &[&str] = &[
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "1rk3r1/8/8/8/8/8/8/1RK3R1 w GBgb - 0 1",
        "4k3/8/8/8/7b/8/5P2/4K3 w - - 0 1",
    ];

    #[test]
    fn all_moves_of_a_position_are_the_same_in_both_directions() {
        for fen in POSITIONS {
            let position = Fen::parse(fen).unwrap().position;
            let chess = Chess::try_from(&position).unwrap();
            assert_eq!(Position::try_from(&chess), Ok(position), "{fen}");
            for theirs in chess.legal_moves() {
                let mv = Move::from_shakmaty(theirs).unwrap();
                assert_eq!(mv.to_shakmaty(&position), Some(theirs), "{fen}");
                let mut after = position;
                after.advance(mv, &mut Undo::default()).unwrap();
                let expected = chess.clone().play(theirs).unwrap();
                assert_eq!(Position::try_from(&expected), Ok(after), "{fen} {theirs}");
            }
        }
    }

    #[test]
    fn what_shakmaty_lacks_is_none() {
        let start = Position::initial();
        assert_eq!(Move::Null.to_shakmaty(&start), None);
        let put = shakmaty::Move::Put {
            role: Role::Pawn,
            to: Square::E4,
        };
        assert_eq!(Move::from_shakmaty(put), None);
    }

    #[test]
    fn many_queens_are_accepted() {
        let position = Fen::parse("5bk1/4pppp/8/8/8/8/QQQQQQQQ/Q3K2Q w - - 0 1");
        assert!(Chess::try_from(&position.unwrap().position).is_ok());
    }
}
