//! Text that is hardly ever a move: reading it never panics, and every move that is read is legal.

use chessdb::board::{CastlingSide, Fen, Move, Position, ReadError, Square};
use proptest::prelude::*;

use super::oracle::DIFFICULT;
use testkit::Random;

/// Random text that looks like moves.
fn chance_text(random: &mut Random) -> Vec<u8> {
    const PARTS: &[&str] = &[
        "a", "b", "c", "d", "e", "f", "g", "h", "1", "2", "3", "4", "5", "6", "7", "8", "N", "B", "R", "Q",
        "K", "P", "n", "q", "k", "x", "-", ":", "=", "(", ")", "/", "+", "#", "!", "?", "O", "0", "o", "O-O",
        "e.p.", "ep", "♘", "♚", "\u{fe0f}", " ", "\u{e2}", "Z", "null", "e4", "d5", "c8", "g1",
    ];
    let mut text = Vec::new();
    for _ in 0..random.below(7) {
        match random.below(20) {
            0 => text.push(random.below(256) as u8),
            _ => text.extend(random.pick(PARTS).bytes()),
        }
    }
    text
}

#[test]
fn nothing_but_legal_moves_is_read_from_nonsense() {
    let mut random = Random(7);
    let mut read = 0;
    for fen in DIFFICULT {
        let position = Fen::parse(fen).unwrap().position;
        for _ in 0..20_000 {
            let text = chance_text(&mut random);
            if let Ok(mv) = position.read_move(&text) {
                assert_eq!(position.test(mv), Ok(()), "{}", String::from_utf8_lossy(&text));
                read += 1;
            }
        }
    }
    assert!(read > 500, "only {read} texts were moves");
    let long = "e".repeat(1 << 20) + &"+".repeat(1 << 20);
    assert_eq!(Position::initial().read_move(long), Err(ReadError::NotAMove));
}

/// Positions reached by illegal moves, with missing kings and impossible castling rights.
#[test]
fn nothing_panics_where_the_rules_are_broken() {
    let mut random = Random(11);
    for _ in 0..200 {
        let mut position = Position::initial();
        for _ in 0..60 {
            let mv = match random.below(12) {
                0 => Move::Castle(random.pick(&CastlingSide::ALL)),
                1 => Move::Null,
                _ => Move::normal(random.pick(&Square::ALL), random.pick(&Square::ALL)),
            };
            position.play(mv);
            for _ in 0..20 {
                let text = chance_text(&mut random);
                if let Ok(mv) = position.read_move(&text) {
                    assert_eq!(position.test(mv), Ok(()));
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_may_come(text in proptest::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(mv) = Position::initial().read_move(&text) {
            prop_assert_eq!(Position::initial().test(mv), Ok(()));
        }
    }
}
