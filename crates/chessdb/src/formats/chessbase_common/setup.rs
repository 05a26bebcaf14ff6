//! Castling rights of start positions.

use crate::board::{Bitboard, CastlingSide, Color, File, Move, Position, Role, Square};
use crate::game::{Movetext, Token};

/// The rooks that are on their home squares, if their king is on its home square, too.
pub(in crate::formats) fn rooks_at_home(position: &Position) -> Bitboard {
    let of = |color: Color| {
        let home = Square::from_coords(File::E, color.backrank());
        let corners = Bitboard::CORNERS & Bitboard::from_rank(color.backrank());
        if position.king(color) == Some(home) {
            corners & position.of_kind(color, Role::Rook)
        } else {
            Bitboard::EMPTY
        }
    };
    of(Color::White) | of(Color::Black)
}

/// The corners of rooks that castle in some line of a game.
pub(in crate::formats) fn castled(movetext: &Movetext, first: Color) -> Bitboard {
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

/// FEN with the files of the rooks as castling rights, as ChessBase writes it in Chess960: `GAga`.
pub(in crate::formats) fn with_files_of_rooks(fen: &str, rooks: Bitboard) -> String {
    let mut rights = String::new();
    for color in Color::ALL {
        let home = rooks & Bitboard::from_rank(color.backrank());
        for rook in home.into_iter().rev() {
            let file = rook.file().char();
            rights.push(color.fold_wb(file.to_ascii_uppercase(), file));
        }
    }
    if rights.is_empty() {
        rights.push('-');
    }
    let mut fields: Vec<&str> = fen.split(' ').collect();
    if let Some(field) = fields.get_mut(2) {
        *field = &rights;
    }
    fields.join(" ")
}
