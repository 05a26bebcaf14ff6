//! Castling rights of start positions.

use crate::board::{Bitboard, Color};

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
