//! Start positions other than the usual one (section 5.3).

use crate::board::{Bitboard, Fen, Position, SetupError};

/// A stored start position.
#[derive(Clone, Debug)]
pub(super) struct SetUp {
    /// The FEN for the tag: the stored text if it is complete, otherwise with the missing fields added.
    pub(super) fen: String,
    /// The position; `None` if the text cannot be read.
    pub(super) position: Option<Position>,
    /// Set if no game can be played from it.
    pub(super) flaw: Option<SetupError>,
    pub(super) first_move: u32,
    /// True if it has castling rights that are not stored.
    pub(super) has_added_rights: bool,
}

impl SetUp {
    /// Parses a stored text. A text that cannot be read is kept, with its flaw.
    pub(super) fn parse(text: &str) -> SetUp {
        let text = text.trim();
        if text.split_ascii_whitespace().count() == 6
            && let Some(whole) = SetUp::read_fen(text)
        {
            return whole;
        }
        let completed = completed(text).and_then(|fen| SetUp::read_fen(&fen));
        completed.unwrap_or_else(|| SetUp {
            fen: text.to_owned(),
            position: None,
            flaw: Some(SetupError::NotFen),
            first_move: 1,
            has_added_rights: false,
        })
    }

    /// The same position with the rights of further rooks to castle.
    pub(super) fn with_rights(&self, rooks: Bitboard) -> Option<SetUp> {
        let mut setup = self.position?.setup();
        setup.castling_rights |= rooks;
        let with_rights = Fen::text(&setup);
        let rights = with_rights.split(' ').nth(2)?;
        let mut fields: Vec<&str> = self.fen.split_ascii_whitespace().collect();
        *fields.get_mut(2)? = rights;
        Some(SetUp {
            has_added_rights: true,
            ..SetUp::read_fen(&fields.join(" "))?
        })
    }

    fn read_fen(fen: &str) -> Option<SetUp> {
        let setup = Fen::setup(fen).ok()?;
        let (position, flaw) = match Position::from_setup(&setup) {
            Ok(position) => (position, None),
            Err(flaw) => (Position::unplayable(&setup), Some(flaw)),
        };
        Some(SetUp {
            fen: fen.to_owned(),
            position: Some(position),
            flaw,
            first_move: setup.fullmoves.get(),
            has_added_rights: false,
        })
    }
}

/// Completes a FEN in which fields, or the slashes between its rows, are missing.
fn completed(text: &str) -> Option<String> {
    let mut fields = text.split_ascii_whitespace();
    let rows = Rows::parse(fields.next()?)?;
    let turn = match fields.next() {
        Some(field) if field.starts_with(['b', 'B']) => 'b',
        _ => 'w',
    };
    let rights = fields.next().map_or_else(|| rows.rights(), str::to_owned);
    let en_passant = fields.next().unwrap_or("-");
    let mut number = |least: u32| {
        let number = fields.next().and_then(|field| field.parse().ok());
        number.unwrap_or(least).max(least)
    };
    let (halfmoves, first_move) = (number(0), number(1));
    let board = rows.text();
    Some(format!(
        "{board} {turn} {rights} {en_passant} {halfmoves} {first_move}"
    ))
}

/// The letters of a board, square by square from a8 on; a blank is an empty square.
struct Rows(Vec<u8>);

impl Rows {
    fn parse(text: &str) -> Option<Rows> {
        let mut squares = Vec::with_capacity(64);
        for letter in text.bytes() {
            match letter {
                b'/' => {}
                b'1'..=b'8' => squares.resize(squares.len() + usize::from(letter - b'0'), b' '),
                _ if b"pnbrqkPNBRQK".contains(&letter) => squares.push(letter),
                _ => return None,
            }
            if squares.len() > 64 {
                return None;
            }
        }
        (squares.len() == 64).then_some(Rows(squares))
    }

    /// The rights to castle for every king and rook on their home squares, as a field of FEN.
    fn rights(&self) -> String {
        let has = |square: usize, letter| self.0.get(square) == Some(&letter);
        let rights = [
            ('K', 60, b'K', 63, b'R'),
            ('Q', 60, b'K', 56, b'R'),
            ('k', 4, b'k', 7, b'r'),
            ('q', 4, b'k', 0, b'r'),
        ];
        let rights = rights
            .into_iter()
            .filter(|&(_, king, king_letter, rook, rook_letter)| {
                has(king, king_letter) && has(rook, rook_letter)
            });
        let rights: String = rights.map(|(right, ..)| right).collect();
        if rights.is_empty() { "-".to_owned() } else { rights }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in self.0.chunks(8) {
            if !text.is_empty() {
                text.push('/');
            }
            for run in row.chunk_by(|a, b| a == b) {
                match run {
                    [b' ', ..] => text.push_str(&run.len().to_string()),
                    _ => text.extend(run.iter().map(|&letter| char::from(letter))),
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_texts_stay_as_they_are() {
        let fen = "4k3/8/8/8/8/8/8/4K2R b K - 3 20";
        let set_up = SetUp::parse(fen);
        assert_eq!((set_up.fen.as_str(), set_up.first_move), (fen, 20));
        assert!(set_up.flaw.is_none());
    }

    #[test]
    fn what_is_missing_is_completed() {
        let fen = |text| SetUp::parse(text).fen;
        assert_eq!(fen("r3k3/8/8/8/8/8/8/4K2R b"), "r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1");
        assert_eq!(
            fen("4k3/8/8/8/8/8/8/4K2R/ w - -"),
            "4k3/8/8/8/8/8/8/4K2R w - - 0 1"
        );
        assert_eq!(fen("4k38888884K2R w K - 1 2"), "4k3/8/8/8/8/8/8/4K2R w K - 1 2");
    }

    #[test]
    fn what_no_game_can_be_played_from_is_kept() {
        let flaw = |text| SetUp::parse(text).flaw;
        assert_eq!(flaw("8/8/8/8/8/8/8/4K3 w - - 0 1"), Some(SetupError::Kings));
        assert_eq!(flaw("hello"), Some(SetupError::NotFen));
        assert_eq!(SetUp::parse(" hello ").fen, "hello");
        assert_eq!(flaw(""), Some(SetupError::NotFen));
    }
}
