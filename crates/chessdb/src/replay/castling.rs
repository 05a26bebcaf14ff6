//! Castling without a right that the start position has: some programs play it, and readers of PGN refuse it.

use crate::board::{Bitboard, CastlingSide, Color, File, Move, Position, Role, Square};
use crate::game::{Movetext, Token};

/// The rooks that are on their home squares, like their king, but have no right to castle.
pub(crate) fn rooks_without_right(position: &Position) -> Bitboard {
    let of = |color: Color| {
        let home = Square::from_coords(File::E, color.backrank());
        let corners = Bitboard::CORNERS & Bitboard::from_rank(color.backrank());
        if position.king(color) == Some(home) {
            corners & position.of_kind(color, Role::Rook)
        } else {
            Bitboard::EMPTY
        }
    };
    (of(Color::White) | of(Color::Black)) & !position.castling_rooks()
}

/// Finds the rooks among these that castle in some line of a game although they have no right to. `replay` plays the
/// game as if all of them had the right. It is called only if there are such rooks.
pub(crate) fn castling_without_right(
    rooks: Bitboard,
    turn: Color,
    replay: impl FnOnce() -> Option<Movetext>,
) -> Bitboard {
    let movetext = if rooks.any() { replay() } else { None };
    movetext.map_or(Bitboard::EMPTY, |movetext| rooks & castled(&movetext, turn))
}

/// The corners of rooks that castle in some line of a game.
fn castled(movetext: &Movetext, first: Color) -> Bitboard {
    let mut corners = Bitboard::EMPTY;
    let mut turn = first;
    // The side to move in each outer line when its variation began.
    let mut outer = Vec::new();
    for token in movetext.tokens() {
        match *token {
            Token::Move(_, mv) => {
                if let Move::Castle(side) = mv.unpack() {
                    let file = match side {
                        CastlingSide::KingSide => File::H,
                        CastlingSide::QueenSide => File::A,
                    };
                    corners = corners.with(Square::from_coords(file, turn.backrank()));
                }
                turn = !turn;
            }
            Token::VariationStart => {
                outer.push(turn);
                turn = !turn;
            }
            Token::VariationEnd => turn = outer.pop().unwrap_or(first),
            _ => {}
        }
    }
    corners
}
