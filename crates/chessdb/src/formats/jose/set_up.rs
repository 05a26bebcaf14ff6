//! Start positions (section 5).

use crate::board::{Color, Fen, Position, SetupError};

/// A start position other than the normal one.
#[derive(Clone, Debug)]
pub(super) struct SetUp {
    /// FEN for the tag.
    pub(super) fen: String,
    /// The position, even if no game can be played from it.
    pub(super) position: Position,
    /// The reason if no game can be played from it.
    pub(super) flaw: Option<SetupError>,
    /// Number of the first move.
    pub(super) first_move: u32,
    /// True if there is a castling right with a king or a rook that is not on its usual square.
    pub(super) is_chess960: bool,
}

impl SetUp {
    /// Parses a stored text; `None` if it does not have eight rows of eight squares with one king of each
    /// side (section 5.5).
    pub(super) fn parse(text: &str) -> Option<SetUp> {
        let is_blank = |c: char| matches!(c, ' ' | '_' | '\t' | '\r' | '\n');
        let mut fields = text.split(is_blank).filter(|field| !field.is_empty());
        let board = Board::parse(fields.next()?)?;
        let turn = match fields.next() {
            Some(field) if field.starts_with(['b', 'B']) => Color::Black,
            _ => Color::White,
        };
        let letters = fields.next().unwrap_or("-");
        let is_rights = letters == "-" || letters.bytes().all(|c| c.is_ascii_alphabetic());
        let letters = if is_rights { letters } else { "-" };
        let en_passant = match fields.next().and_then(|field| field.chars().next()) {
            Some(file @ 'a'..='h') => format!("{file}{}", turn.fold_wb(6, 3)),
            _ => "-".to_owned(),
        };
        let mut number = || fields.next().and_then(|field| field.parse::<u32>().ok());
        let (halfmoves, first_move) = (number().unwrap_or(0), number().unwrap_or(1).max(1));
        let rows = board.rows.join("/");
        let turn_letter = turn.fold_wb('w', 'b');
        let (rights, is_chess960) = board.rights(letters);
        // The counters do not affect the position.
        let setup = Fen::setup(&format!("{rows} {turn_letter} {rights} {en_passant} 0 1")).ok()?;
        let (position, flaw) = match Position::from_setup(&setup) {
            Ok(position) => (position, None),
            Err(SetupError::Kings) => return None,
            Err(flaw) => (Position::unplayable(&setup), Some(flaw)),
        };
        Some(SetUp {
            fen: format!("{rows} {turn_letter} {letters} {en_passant} {halfmoves} {first_move}"),
            position,
            flaw,
            first_move,
            is_chess960,
        })
    }
}

/// The pieces of a text, row by row.
struct Board<'a> {
    rows: Vec<&'a str>,
    /// The pieces on ranks 8 and 1, by file.
    back_ranks: [[u8; 8]; 2],
}

impl<'a> Board<'a> {
    fn parse(text: &'a str) -> Option<Board<'a>> {
        let rows: Vec<&str> = text.split(['/', ':']).collect();
        let mut back_ranks = [[b' '; 8]; 2];
        if rows.len() != 8 {
            return None;
        }
        for (number, row) in rows.iter().enumerate() {
            let mut file = 0;
            for c in row.bytes() {
                match c {
                    b'1'..=b'8' => file += usize::from(c - b'0'),
                    _ if b"pnbrqkPNBRQK".contains(&c) => {
                        let rank = match number {
                            0 => back_ranks.first_mut(),
                            7 => back_ranks.last_mut(),
                            _ => None,
                        };
                        if let Some(square) = rank.and_then(|rank| rank.get_mut(file)) {
                            *square = c;
                        }
                        file += 1;
                    }
                    _ => return None,
                }
            }
            if file != 8 {
                return None;
            }
        }
        Some(Board { rows, back_ranks })
    }

    /// Castling rights by the files of their rooks, and whether any of them is not classical (section 5.3).
    fn rights(&self, letters: &str) -> (String, bool) {
        let mut rights = String::new();
        let mut is_chess960 = false;
        for letter in letters.bytes() {
            let [black, white] = &self.back_ranks;
            let (rank, king, rook) = if letter.is_ascii_uppercase() {
                (white, b'K', b'R')
            } else {
                (black, b'k', b'r')
            };
            let Some(king) = rank.iter().position(|&piece| piece == king) else {
                continue;
            };
            let is_rook = |&file: &usize| rank.get(file) == Some(&rook);
            let file = match letter.to_ascii_lowercase() {
                b'k' => (king + 1..8).rev().find(is_rook),
                b'q' => (0..king).find(is_rook),
                file @ b'a'..=b'h' => Some(usize::from(file - b'a')).filter(is_rook),
                _ => None,
            };
            let Some(file) = file else { continue };
            let name = b"abcdefgh".get(file).copied().unwrap_or(b'a');
            let name = if letter.is_ascii_uppercase() {
                name.to_ascii_uppercase()
            } else {
                name
            };
            if !rights.as_bytes().contains(&name) {
                rights.push(char::from(name));
            }
            is_chess960 |= king != 4 || !matches!(file, 0 | 7);
        }
        if rights.is_empty() {
            rights.push('-');
        }
        (rights, is_chess960)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{CastlingSide, Square};

    #[test]
    fn texts_are_completed() {
        let set_up = SetUp::parse("r3k2r:8:8:8:8:8:8:R3K2R_b_KQkq_e_5_20").unwrap();
        assert_eq!(set_up.fen, "r3k2r/8/8/8/8/8/8/R3K2R b KQkq e3 5 20");
        assert!(!set_up.is_chess960);
        assert_eq!(set_up.first_move, 20);
        // A field that is not a castling field counts as missing.
        let odd = SetUp::parse("r3k2r:8:8:8:8:8:8:R3K2R w K1? - 0 1").unwrap();
        assert_eq!(odd.fen, "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1");
        let bare = SetUp::parse("8/8/8/8/8/8/k7/4K2R").unwrap();
        assert_eq!(bare.fen, "8/8/8/8/8/8/k7/4K2R w - - 0 1");
    }

    #[test]
    fn the_outermost_rook_has_the_right() {
        let set_up = SetUp::parse("6k1/8/8/8/8/8/8/1RKRR3 w KQ - 0 7").unwrap();
        let rook = |side| set_up.position.castling_rook(side);
        assert_eq!(rook(CastlingSide::KingSide), Some(Square::E1));
        assert_eq!(rook(CastlingSide::QueenSide), Some(Square::B1));
        assert!(set_up.is_chess960);
        let wrong_side = SetUp::parse("4k3/8/8/8/8/8/8/R3K3 w K - 0 1").unwrap();
        assert_eq!(wrong_side.position.castling_rook(CastlingSide::QueenSide), None);
    }

    #[test]
    fn texts_that_are_not_positions_are_refused() {
        for text in [
            "",
            "abc",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "9/8/8/8/8/8/8/K6k",
            "k7/8/8/8/8/8/K7",
        ] {
            assert!(SetUp::parse(text).is_none(), "{text}");
        }
        let adjacent = SetUp::parse("8/8/8/8/3kK3/8/8/8 w - - 0 1").unwrap();
        assert_eq!(adjacent.flaw, Some(SetupError::OpponentInCheck));
    }
}
