//! Parsing the text of a move, in SAN and other common notations.
//!
//! Attack tables give the pieces that could make the move, and each is tested.

use super::geometry::reach;
use super::legality::castling_targets;
use super::packed::PackedPiece;
use super::{Bitboard, CastlingSide, File, Illegal, Move, Position, Rank, ReadError, Role, Square};

impl Position {
    /// Reads a move of the side to move. The move is legal.
    ///
    /// Besides SAN this reads:
    /// - long notation and UCI: `e2-e4`, `Ng1xf3`, `e7e8q`; castling as the king's move of two squares or more
    ///   (`e1g1`) or onto its own rook (`e1h1`);
    /// - castling with zeros or small letters, null moves as `--`, `Z0`, `0000` or `null`, but without `+` and `#`;
    /// - promotions as `e8=Q`, `e8Q`, `e8q`, `e8/Q`, `e8(Q)`, `e8=(Q)`, `e8(=Q)` or `e8[Q]`;
    /// - figurines (`♘f3`), `P` for pawns, and `n`, `r`, `q`, `k` for pieces; `b` is a bishop only where no pawn of
    ///   the b-file can make the move.
    ///
    /// The capture sign may be missing or wrong, and the departure square may be given in more detail than necessary.
    /// Any `+`, `#`, `!`, `?` and `e.p.` after the move is skipped without a test: to read `!` and `?` as annotations,
    /// remove them first.
    ///
    /// ```
    /// use chessdb::board::{Fen, Move, Position, ReadError, Role, Square};
    ///
    /// let start = Position::initial();
    /// let knight = Move::normal(Square::G1, Square::F3);
    /// for text in ["Nf3", "Ng1-f3", "g1f3", "♘f3", "Nf3!?"] {
    ///     assert_eq!(start.read_move(text), Ok(knight));
    /// }
    ///
    /// let rooks = Fen::parse("4k3/8/8/8/8/8/8/R4RK1 w - - 0 1").unwrap().position;
    /// let error = rooks.read_move("Rd1").unwrap_err();
    /// assert_eq!(
    ///     error,
    ///     ReadError::Ambiguous { role: Role::Rook, from: [Square::A1, Square::F1], to: Square::D1 }
    /// );
    /// assert_eq!(error.to_string(), "the rook on a1 and the rook on f1 can both go to d1");
    /// ```
    ///
    /// # Errors
    /// If the text is not a move or does not identify one legal move: see [`ReadError`].
    pub fn read_move(&self, text: impl AsRef<[u8]>) -> Result<Move, ReadError> {
        self.read_bytes(text.as_ref())
    }

    fn read_bytes(&self, text: &[u8]) -> Result<Move, ReadError> {
        let whole = text.trim_ascii_start();
        let text = without_suffixes(whole);
        match MoveText::parse(text) {
            Some(wanted) => match self.find_move(&wanted) {
                Ok(found) => Ok(found),
                Err(error) => self.read_small_letter(text).map_err(|_| error),
            },
            None => match special_move(text) {
                // A null move gives no check: `--+` is a sign, "Black wins".
                Some(Move::Null) if whole[text.len()..].iter().any(|sign| b"+#".contains(sign)) => {
                    Err(ReadError::NotAMove)
                }
                Some(mv) => self.legal_special(mv),
                None => self.read_small_letter(text),
            },
        }
    }

    /// Reads a move that starts with a piece in a small letter.
    fn read_small_letter(&self, text: &[u8]) -> Result<Move, ReadError> {
        let (letter, squares) = text.split_first().ok_or(ReadError::NotAMove)?;
        let role = Role::from_char(char::from(*letter)).filter(|_| b"nbrqk".contains(letter));
        match (role, MoveText::parse_squares(squares)) {
            (Some(role), Some((wanted, []))) => self.find_move(&MoveText {
                role: Some(role),
                ..wanted
            }),
            _ => Err(ReadError::NotAMove),
        }
    }

    /// The only legal move that a text describes.
    fn find_move(&self, wanted: &MoveText) -> Result<Move, ReadError> {
        let (to, promotion) = (wanted.to, wanted.promotion);
        let from = wanted.from();
        let role = match (wanted.role, from) {
            (Some(role), _) => Some(role),
            (None, Some(from)) => self
                .role_at(from)
                .filter(|_| self.packed_at(from).is_of(self.turn)),
            (None, None) => Some(Role::Pawn),
        };
        let mut error = ReadError::NoPiece { role, from, to };
        let Some(role) = role else { return Err(error) };
        if role == Role::King
            && let Some(side) = from.and_then(|from| self.castling_side(from, to))
        {
            return self.legal_special(Move::Castle(side));
        }
        let mut found = None;
        for from in self.candidates_of(role, wanted) {
            match self.test(Move::Normal { from, to, promotion }) {
                Ok(()) => match found {
                    Some(first) => {
                        let from = [first, from];
                        return Err(ReadError::Ambiguous { role, from, to });
                    }
                    None => found = Some(from),
                },
                Err(Illegal::KingInCheck) => error = ReadError::KingInCheck { from, to },
                Err(Illegal::Promotion) => error = ReadError::Promotion,
                Err(_) => {}
            }
        }
        found.map_or(Err(error), |from| Ok(Move::Normal { from, to, promotion }))
    }

    /// The pieces that a text may refer to: they match its departure square and could reach the target on an
    /// empty board.
    #[inline]
    fn candidates_of(&self, role: Role, wanted: &MoveText) -> Bitboard {
        let piece = PackedPiece::new(self.turn, role);
        let (reached, file) = match role {
            // A pawn without a file in the text stays on its file.
            Role::Pawn => (Bitboard::FULL, Some(wanted.file.unwrap_or(wanted.to.file()))),
            _ => (reach(piece, wanted.to), wanted.file),
        };
        let file = file.map_or(Bitboard::FULL, Bitboard::from_file);
        let rank = wanted.rank.map_or(Bitboard::FULL, Bitboard::from_rank);
        self.of_kind(self.turn, role) & reached & file & rank
    }

    /// The side that the king castles to if it goes from `from` to `to`: onto the rook's square, or farther than one
    /// square.
    fn castling_side(&self, from: Square, to: Square) -> Option<CastlingSide> {
        let us = self.turn;
        if self.king(us) != Some(from) || from.rank() != us.backrank() {
            return None;
        }
        let king = PackedPiece::new(us, Role::King);
        let is_far = from != to && !reach(king, from).contains(to);
        CastlingSide::ALL.into_iter().find(|&side| {
            self.castling_rook(side) == Some(to) || (is_far && castling_targets(side, us).0 == to)
        })
    }

    /// Castling or a null move, if it is legal.
    fn legal_special(&self, mv: Move) -> Result<Move, ReadError> {
        let error = match mv {
            Move::Castle(side) => ReadError::Castling(side),
            _ => ReadError::NullInCheck,
        };
        self.test(mv).map(|()| mv).map_err(|_| error)
    }
}

/// The parts of the text of a move, except castling and null moves.
struct MoveText {
    role: Option<Role>,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
    promotion: Option<Role>,
}

impl MoveText {
    fn parse(text: &[u8]) -> Option<MoveText> {
        let (wanted, piece) = MoveText::parse_squares(text)?;
        match piece {
            // A departure square begins with its file.
            [] => matches!(text.first(), Some(b'a'..=b'h')).then_some(wanted),
            piece => {
                let (role, before) = split_piece(piece)?;
                before.is_empty().then_some(MoveText {
                    role: Some(role),
                    ..wanted
                })
            }
        }
    }

    /// Parses everything except the name of the piece, which is returned unparsed.
    #[inline]
    fn parse_squares(text: &[u8]) -> Option<(MoveText, &[u8])> {
        let (text, promotion) = split_promotion(text)?;
        let [text @ .., file, rank] = text else {
            return None;
        };
        let to = Square::from_coords(file_of(*file)?, rank_of(*rank)?);
        let text = match text {
            [before @ .., b'x' | b'-' | b':'] => before,
            _ => text,
        };
        let (text, rank) = split_last(text, rank_of);
        let (text, file) = split_last(text, file_of);
        let wanted = MoveText {
            role: None,
            file,
            rank,
            to,
            promotion,
        };
        Some((wanted, text))
    }

    /// The square of departure, if the text names it in full.
    fn from(&self) -> Option<Square> {
        let (file, rank) = self.file.zip(self.rank)?;
        Some(Square::from_coords(file, rank))
    }
}

fn file_of(character: u8) -> Option<File> {
    File::from_char(char::from(character))
}

fn rank_of(character: u8) -> Option<Rank> {
    Rank::from_char(char::from(character))
}

/// Splits off the last character if `meaning` recognizes it.
#[inline]
fn split_last<T>(text: &[u8], meaning: fn(u8) -> Option<T>) -> (&[u8], Option<T>) {
    if let Some((&last, before)) = text.split_last()
        && let Some(found) = meaning(last)
    {
        return (before, Some(found));
    }
    (text, None)
}

/// Splits off the promotion; `None` if it is invalid.
#[inline]
fn split_promotion(text: &[u8]) -> Option<(&[u8], Option<Role>)> {
    let (inner, is_open) = match text {
        [.., b'1'..=b'8'] => return Some((text, None)),
        [inner @ .., b')' | b']'] => (inner, true),
        _ => (text, false),
    };
    let (role, before) = match inner {
        [before @ .., small @ (b'n' | b'b' | b'r' | b'q')] => (Role::from_char(char::from(*small))?, before),
        _ => split_piece(inner)?,
    };
    let before = match (before, is_open) {
        (
            [before @ .., b'=', b'(' | b'['] | [before @ .., b'(' | b'[', b'='] | [before @ .., b'(' | b'['],
            true,
        )
        | ([before @ .., b'=' | b'/'], false) => before,
        (_, true) => return None,
        (_, false) => before,
    };
    Some((before, Some(role)))
}

/// Splits off the name of a piece at the end: a capital letter or a figurine of either colour.
fn split_piece(text: &[u8]) -> Option<(Role, &[u8])> {
    const FIGURINES: [Role; 6] = [
        Role::King,
        Role::Queen,
        Role::Rook,
        Role::Bishop,
        Role::Knight,
        Role::Pawn,
    ];
    // U+2654 to U+265F, which a variation selector (U+FE0E or U+FE0F) may follow.
    let text = match text {
        [before @ .., 0xef, 0xb8, 0x8e | 0x8f] => before,
        _ => text,
    };
    match text {
        [before @ .., 0xe2, 0x99, last @ 0x94..=0x9f] => {
            let place = usize::from(last - 0x94) % FIGURINES.len();
            Some((*FIGURINES.get(place)?, before))
        }
        [before @ .., letter @ b'A'..=b'Z'] => Some((Role::from_char(char::from(*letter))?, before)),
        _ => None,
    }
}

/// The text without the white space and signs that may follow any move.
#[inline]
fn without_suffixes(mut text: &[u8]) -> &[u8] {
    loop {
        text = match text {
            [
                before @ ..,
                b'+' | b'#' | b'!' | b'?' | b' ' | b'\t' | b'\r' | b'\n',
            ] => before,
            [before @ .., b'e', b'.', b'p', b'.'] | [before @ .., b'e', b'p'] => before,
            _ => return text,
        }
    }
}

/// Castling and null moves.
fn special_move(text: &[u8]) -> Option<Move> {
    match text {
        b"O-O" | b"0-0" | b"o-o" => Some(Move::Castle(CastlingSide::KingSide)),
        b"O-O-O" | b"0-0-0" | b"o-o-o" => Some(Move::Castle(CastlingSide::QueenSide)),
        b"--" | b"Z0" | b"0000" => Some(Move::Null),
        text if text.eq_ignore_ascii_case(b"null") => Some(Move::Null),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fen;
    use super::*;

    #[test]
    fn moves_are_read_in_many_forms() {
        let fen = "r3k2r/1P6/8/3pP3/8/2N5/8/R3K1N1 w Qkq d6 0 1";
        let position = Fen::parse(fen).unwrap().position;
        let promotion = Move::Normal {
            from: Square::B7,
            to: Square::A8,
            promotion: Some(Role::Queen),
        };
        for (texts, mv) in [
            (
                ["Nge2", "Ng1e2", "ng1-e2", "♘ge2!"],
                Move::normal(Square::G1, Square::E2),
            ),
            (
                ["exd6", "ed6 e.p.", "e5d6", "e5:d6"],
                Move::normal(Square::E5, Square::D6),
            ),
            (["bxa8=Q+", "ba8Q", "b7a8q", "bxa8(♕)"], promotion),
            (
                ["O-O-O", "0-0-0+", "e1c1", "e1a1"],
                Move::Castle(CastlingSide::QueenSide),
            ),
        ] {
            for text in texts {
                assert_eq!(position.read_move(text), Ok(mv), "{text}");
            }
        }
        for text in ["bxa8=(Q)+", "ba8(=Q)", "b7a8[q]", "bxa8=[♕]"] {
            assert_eq!(position.read_move(text), Ok(promotion), "{text}");
        }
        for text in ["bxa8Q)", "bxa8=)", "bxa8(/Q)"] {
            assert_eq!(position.read_move(text), Err(ReadError::NotAMove), "{text}");
        }
        for text in ["--", " --!? ", "Z0", "null"] {
            assert_eq!(position.read_move(text), Ok(Move::Null), "{text}");
        }
        for text in ["--+", "-- +", "Z0#", "--+!"] {
            assert_eq!(position.read_move(text), Err(ReadError::NotAMove), "{text}");
        }
    }
}
