use chessdb::game::Token;
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanPlus};
use shakmaty::{CastlingMode, Chess, Position as _};

use crate::common::samples::{open_base, samples};

/// Replays every line of every sample game with shakmaty: each SAN must be the one that shakmaty writes.
#[test]
fn every_san_of_every_sample_is_shakmatys() {
    let mut moves = 0u64;
    for sample in samples("simplecdb") {
        let database = open_base(&sample.base).unwrap();
        for number in 0..database.len() {
            let game = database.game(number).game;
            let place = format!("{}, game {}", sample.name, number + 1);
            let fen = game.tags.get("FEN").map(str::to_owned);
            let Some(mut position) = fen.map_or(Some(Chess::default()), |fen| set_up(&fen)) else {
                continue;
            };
            let mut before = position.clone();
            let mut outer = Vec::new();
            for token in game.movetext.tokens() {
                match token {
                    Token::Move(ours, _) => {
                        moves += 1;
                        let ours = ours.to_string();
                        let san: San = ours.trim_end_matches(['+', '#']).parse().unwrap();
                        before = position.clone();
                        if san == San::Null {
                            position = position.swap_turn().unwrap();
                            continue;
                        }
                        let mv = san
                            .to_move(&position)
                            .unwrap_or_else(|error| panic!("{ours} in {place}: {error}"));
                        let theirs = SanPlus::from_move_and_play_unchecked(&mut position, mv);
                        assert_eq!(ours, theirs.to_string(), "in {place}");
                    }
                    Token::VariationStart => {
                        outer.push((position.clone(), before.clone()));
                        position = before.clone();
                    }
                    Token::VariationEnd => (position, before) = outer.pop().unwrap(),
                    Token::Nag(_) | Token::Comment(_) => {}
                }
            }
            assert!(outer.is_empty(), "an open variation in {place}");
        }
    }
    eprintln!("{moves} moves replayed");
}

/// The position of a stored FEN, by shakmaty; none where shakmaty refuses what pgnfs accepts (too many pieces).
fn set_up(fen: &str) -> Option<Chess> {
    let fen: Fen = fen.parse().ok()?;
    fen.into_position(CastlingMode::Standard).ok()
}
