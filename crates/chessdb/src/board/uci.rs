//! Moves in the notation of UCI.

use std::fmt;

use super::{CastlingSide, Color, File, Move, Position, Role, Square};

/// A move in the notation of UCI: `e2e4`, `e7e8q`, and `0000` for a null move.
///
/// Castling is the king's move, `e1g1`. In Chess960 the king takes its own rook instead, `e1h1`, because there the king
/// may stay on its square when it castles, or may be able to go to the same square without castling.
///
/// ```
/// use chessdb::board::{CastlingSide, Fen, Move, Uci};
///
/// let position = Fen::parse("4k3/8/8/8/8/8/8/5K1R w H - 0 1").unwrap().position;
/// let mv = Move::Castle(CastlingSide::KingSide);
/// let is_chess960 = position.is_chess960();
/// let uci = Uci { position: &position, mv, is_chess960 };
/// assert_eq!(uci.to_string(), "f1h1");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Uci<'a> {
    /// The position before the move.
    pub position: &'a Position,
    /// The move.
    pub mv: Move,
    /// True for a game of Chess960. Castling with a king or a rook on an unusual square is always written as in
    /// Chess960.
    pub is_chess960: bool,
}

impl fmt::Display for Uci<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to, promotion) = match self.mv {
            Move::Normal { from, to, promotion } => (from, to, promotion),
            Move::Castle(side) => {
                let color = self.position.turn();
                let (from, to) = self.position.castling_squares(color, side, self.is_chess960);
                (from, to, None)
            }
            Move::Null => return f.write_str("0000"),
        };
        // Written in one piece for speed, because tables have many moves.
        let [a, b, c, d] = [
            from.file().char(),
            from.rank().char(),
            to.file().char(),
            to.rank().char(),
        ]
        .map(|c| c as u8);
        let promotion = promotion.map_or(b' ', |role| role.char() as u8);
        let text = [a, b, c, d, promotion];
        f.write_str(std::str::from_utf8(&text).unwrap_or_default().trim_end())
    }
}

impl Position {
    /// True if a right to castle belongs to a king or a rook on an unusual square, as in most positions of Chess960.
    pub fn is_chess960(&self) -> bool {
        let is_usual = |rook: Square| {
            let king = self.color_at(rook).and_then(|color| self.king(color));
            king.is_some_and(|king| are_usual(king, rook))
        };
        !self.castling_rooks().into_iter().all(is_usual)
    }

    /// Origin and target of castling as [`Uci`] writes it: the king's move, or the squares of king and rook. Without
    /// the right to castle, the usual rook is assumed.
    pub fn castling_squares(&self, color: Color, side: CastlingSide, is_chess960: bool) -> (Square, Square) {
        let usual = |file| Square::from_coords(file, color.backrank());
        let king = self.king(color).unwrap_or(usual(File::E));
        let rook = self.castling_rook_of(color, side).unwrap_or(match side {
            CastlingSide::KingSide => usual(File::H),
            CastlingSide::QueenSide => usual(File::A),
        });
        if !is_chess960 && are_usual(king, rook) {
            (king, Square::from_coords(side.king_to_file(), king.rank()))
        } else {
            (king, rook)
        }
    }
}

/// Reading moves.
impl Position {
    /// The legal move with this text in the notation of UCI. Castling is the king's move, or the king takes its own
    /// rook. `None` if no legal move has this text, and for a null move.
    ///
    /// ```
    /// use chessdb::board::{CastlingSide, Fen, Move};
    ///
    /// let position = Fen::parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap().position;
    /// let castling = Some(Move::Castle(CastlingSide::KingSide));
    /// assert_eq!((position.read_uci("e1g1"), position.read_uci("e1h1")), (castling, castling));
    /// assert_eq!(position.read_uci("e1c1"), None);
    /// ```
    pub fn read_uci(&self, text: &str) -> Option<Move> {
        let square = |text: Option<&str>| Square::from_ascii(text?.as_bytes()).ok();
        let (from, to) = (square(text.get(..2))?, square(text.get(2..4))?);
        let promotion = match text.get(4..)?.as_bytes() {
            [] => None,
            &[role] => Some(Role::from_char(char::from(role))?),
            _ => return None,
        };
        if promotion.is_none() && self.king(self.turn()) == Some(from) {
            let castles = |side| {
                // The usual target is two squares away, or the square of the rook.
                let mut targets = [false, true]
                    .map(|how| self.castling_squares(self.turn(), side, how).1)
                    .into_iter();
                targets.any(|target| to == target) && self.test(Move::Castle(side)).is_ok()
            };
            if let Some(side) = CastlingSide::ALL.into_iter().find(|&side| castles(side)) {
                return Some(Move::Castle(side));
            }
        }
        let mv = Move::Normal { from, to, promotion };
        self.test(mv).is_ok().then_some(mv)
    }
}

fn are_usual(king: Square, rook: Square) -> bool {
    king.file() == File::E && matches!(rook.file(), File::A | File::H)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Bitboard, Fen};

    /// Castling on both sides in a position.
    fn castling(fen: &str, is_chess960: Option<bool>) -> [String; 2] {
        let position = Fen::parse(fen).unwrap().position;
        let is_chess960 = is_chess960.unwrap_or(position.is_chess960());
        [CastlingSide::KingSide, CastlingSide::QueenSide].map(|side| {
            let (position, mv) = (&position, Move::Castle(side));
            Uci {
                position,
                mv,
                is_chess960,
            }
            .to_string()
        })
    }

    #[test]
    fn castling_is_the_kings_move_except_in_chess960() {
        let usual = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(castling(usual, None), ["e1g1", "e1c1"]);
        assert_eq!(castling(usual, Some(true)), ["e1h1", "e1a1"]);
        assert_eq!(castling(&usual.replace(" w ", " b "), None), ["e8g8", "e8c8"]);
        // White castles as usual, and Black does not.
        let mixed = "1r2k2r/8/8/8/8/8/8/R3K2R w KQkb - 0 1";
        assert_eq!(castling(mixed, None), ["e1h1", "e1a1"]);
        // Castling that leaves the king or the rook where it is.
        assert_eq!(
            castling("1rk3r1/8/8/8/8/8/8/1RK3R1 w GBgb - 0 1", None),
            ["c1g1", "c1b1"]
        );
        assert_eq!(
            castling("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", None),
            ["f1g1", "f1b1"]
        );
    }

    #[test]
    fn moves_are_read_as_they_are_written() {
        for fen in [
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1",
            "1rk3r1/8/8/8/8/8/8/1RK3R1 w GBgb - 0 1",
            "4k3/8/8/8/8/8/8/RK3R2 w FA - 0 1",
            "r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        ] {
            let position = &Fen::parse(fen).unwrap().position;
            let squares = || Bitboard::FULL.into_iter();
            let normal = squares().flat_map(|from| squares().map(move |to| (from, to)));
            let promotions = [None, Some(Role::Queen), Some(Role::Knight)];
            let normal = normal
                .flat_map(|(from, to)| promotions.map(|promotion| Move::Normal { from, to, promotion }));
            let all = normal.chain(CastlingSide::ALL.map(Move::Castle));
            let mut legal = 0;
            for mv in all.filter(|&mv| position.test(mv).is_ok()) {
                legal += 1;
                for is_chess960 in [position.is_chess960(), true] {
                    let text = Uci {
                        position,
                        mv,
                        is_chess960,
                    }
                    .to_string();
                    assert_eq!(position.read_uci(&text), Some(mv), "{fen} {text}");
                }
            }
            assert!(legal > 5, "{fen}");
        }
        let initial = Position::initial();
        for text in [
            "", "e2", "e2e5", "e2e4q", "e7e5", "e1g1", "0000", "e9e4", "e2e4 ", "é2e4", "e2e",
        ] {
            assert_eq!(initial.read_uci(text), None, "{text}");
        }
    }

    #[test]
    fn no_two_moves_are_written_alike() {
        for fen in [
            "4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1",
            "4k3/8/8/8/8/8/8/1RK4R w HB - 0 1",
            "4k3/8/8/8/8/8/8/RK3R2 w FA - 0 1",
        ] {
            let position = &Fen::parse(fen).unwrap().position;
            let mut moves = vec![];
            let is_chess960 = position.is_chess960();
            let normal = Bitboard::FULL
                .into_iter()
                .flat_map(|from| Bitboard::FULL.into_iter().map(move |to| Move::normal(from, to)));
            let castles = CastlingSide::ALL.map(Move::Castle);
            for mv in normal.chain(castles).filter(|&mv| position.test(mv).is_ok()) {
                let text = Uci {
                    position,
                    mv,
                    is_chess960,
                }
                .to_string();
                assert_eq!(position.read_move(&text), Ok(mv), "{fen}: {text}");
                moves.push(text);
            }
            let all = moves.len();
            moves.sort_unstable();
            moves.dedup();
            assert_eq!(moves.len(), all, "{fen}");
        }
    }
}
