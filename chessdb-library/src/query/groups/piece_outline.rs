//! What terms of pawns, of bishops and of mate ask of a plain board.

use super::outline::OpenTerms;
use super::piece_board::PieceBoard;
use super::term::Condition;
use chessdb::board::PackedMove;

/// Such terms, each with its alternatives.
#[derive(Debug)]
pub(super) struct PieceOutline<'a> {
    terms: Vec<&'a [Condition]>,
    /// The kinds of pieces on which they depend: a bit for each place in a tally.
    kinds: u16,
    /// True if some are about mate.
    asks_for_mate: bool,
}

impl<'a> PieceOutline<'a> {
    pub(super) fn new(terms: Vec<&'a [Condition]>) -> PieceOutline<'a> {
        let conditions = || terms.iter().copied().flatten();
        PieceOutline {
            kinds: conditions().fold(0, |kinds, condition| kinds | condition.kinds_of_pieces()),
            asks_for_mate: conditions().any(|condition| condition.kinds_of_pieces() == 0),
            terms,
        }
    }

    /// False if some term holds nowhere.
    pub(super) fn admits(&self, moves: &[PackedMove]) -> bool {
        if self.terms.is_empty() {
            return true;
        }
        let mut board = PieceBoard::initial().clone();
        let mut open = OpenTerms::of(self.terms.len());
        open.close(&self.terms, |condition| condition.may_hold_on(&board, false));
        for (n, &mv) in moves.iter().enumerate() {
            if open.is_empty() {
                return true;
            }
            let step = board.play(mv);
            // A move that is not legal ends a game.
            let answer = || moves.get(n + 1).is_some_and(|&next| board.answers(next));
            let may_be_mate = self.asks_for_mate && board.is_check_after(step) && !answer();
            if may_be_mate || step.kinds & self.kinds != 0 {
                open.close(&self.terms, |condition| {
                    condition.may_hold_on(&board, may_be_mate)
                });
            }
        }
        open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::PositionTerm;
    use chessdb::board::{Move, Square};

    fn moves(text: &str) -> Vec<PackedMove> {
        let square = |text: &str| text.parse::<Square>().unwrap();
        let moves = text.split_whitespace();
        moves
            .map(|text| PackedMove::new(Move::normal(square(&text[..2]), square(&text[2..4]))))
            .collect()
    }

    #[test]
    fn a_mate_may_be_followed_by_what_is_not_legal() {
        let fools_mate = "f2f3 e7e5 g2g4 d8h4";
        for (text, admits) in [
            ("", false),
            ("f2f3 e7e5 g2g4", false),
            (fools_mate, true),
            // No answer to it is legal: not the king's, not one of another piece, not one to anywhere.
            ("f2f3 e7e5 g2g4 d8h4 e1f2", true),
            ("f2f3 e7e5 g2g4 d8h4 a2a3 a7a6", true),
            ("f2f3 e7e5 g2g4 d8h4 d1h4 a7a6", true),
            // A check that is answered, one at the end, and one that is answered badly.
            ("e2e4 f7f6 d1h5 g7g6 a2a3", false),
            ("e2e4 f7f6 d1h5", true),
            ("e2e4 f7f6 d1h5 a7a6 a2a3", true),
        ] {
            for mate in [PositionTerm::state("mate"), PositionTerm::played("*#")] {
                let conditions = [mate.unwrap().condition];
                let outline = PieceOutline::new(vec![&conditions]);
                assert_eq!(outline.admits(&moves(text)), admits, "{text}");
            }
        }
    }

    #[test]
    fn pawns_and_bishops_show_without_a_test_of_moves() {
        let doubled = PositionTerm::pawn_count(
            crate::query::PawnKind::Doubled,
            chessdb::board::Color::White,
            "1".parse().unwrap(),
        );
        let opposite = PositionTerm::bishops("opposite").unwrap();
        let takes = "e2e4 d7d5 b2b3 d5d4 c2c4 d4c3 b1c3 c7c5 g1f3 c5c4 b3c4";
        let bishops = "b2b3 g7g6 c1b2 f8g7 b2g7 g8f6 g7f8 e8f8 e2e4 d7d6 f1c4 c8e6 c4e6 f7e6";
        for (term, text, admits) in [
            // En passant, and a pawn that takes where another one was.
            (&doubled, takes, false),
            (&doubled, "e2e4 d7d5 e4d5", true),
            (&opposite, bishops, false),
            (&opposite, "e2e4 e7e6 f1a6 b7a6 d2d4 f8a3", false),
            (&opposite, "e2e4 e7e6 f1a6 b7a6 d2d4 f8a3 b2a3", true),
        ] {
            let conditions = [term.condition.clone()];
            let outline = PieceOutline::new(vec![&conditions]);
            assert_eq!(outline.admits(&moves(text)), admits, "{text}");
        }
    }
}
