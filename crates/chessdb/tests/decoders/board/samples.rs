use chessdb::Options;
use chessdb::board::{Fen, Position, Undo};
use chessdb::game::Token;
use shakmaty::san::{San, SanPlus};
use shakmaty::{CastlingMode, Chess, Position as _};

use testkit::needs;
use testkit::samples::{all_samples, candidates, open, open_base, samples};

/// Replays every line of every sample game with shakmaty. Each SAN must be the same as shakmaty's.
#[test]
fn every_san_of_every_sample_is_shakmatys() {
    needs!(samples);
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
                    Token::Nag(_) | Token::Comment(_) | Token::Remark(_) => {}
                }
            }
            assert!(outer.is_empty(), "an open variation in {place}");
        }
    }
    assert!(moves > 1_000_000, "{moves} moves");
}

/// Reads every SAN in every sample of every format. The move must be written in the same way.
#[test]
fn every_san_of_every_sample_is_read_back() {
    needs!(samples);
    let mut moves = 0u64;
    let bases = all_samples().into_iter().flat_map(|sample| sample.bases());
    let found = bases.flat_map(|base| {
        candidates(&base)
            .into_iter()
            .map(move |found| (base.clone(), found))
    });
    for (base, (format, candidate)) in found {
        let Some(database) = open(format, &candidate, &Options::default()) else {
            continue;
        };
        for number in 0..database.len() {
            let game = database.game(number).game;
            let place = format!("{}, game {}", base.display(), number + 1);
            let start = game.tags.get("FEN").map(Fen::parse).transpose();
            let Ok(start) = start else {
                let moves = game
                    .movetext
                    .tokens()
                    .iter()
                    .any(|token| matches!(token, Token::Move(..)));
                assert!(!moves, "moves from a position that cannot be read in {place}");
                continue;
            };
            let mut now = start.map_or_else(Position::initial, |fen| fen.position);
            let mut before = now;
            let mut outer = Vec::new();
            for token in game.movetext.tokens() {
                match *token {
                    Token::Move(san, expected) => {
                        let text = san.to_string();
                        let mv = now.read_move(&text);
                        let mv = mv.unwrap_or_else(|error| panic!("{text} in {place}: {error}"));
                        assert_eq!(mv, expected.unpack(), "{text} in {place}");
                        before = now;
                        assert_eq!(now.play_legal(mv, &mut Undo::default()), Ok(san), "in {place}");
                        moves += 1;
                    }
                    Token::VariationStart => {
                        outer.push((now, before));
                        now = before;
                    }
                    Token::VariationEnd => (now, before) = outer.pop().unwrap(),
                    Token::Nag(_) | Token::Comment(_) | Token::Remark(_) => {}
                }
            }
        }
    }
    assert!(moves > 5_000_000, "{moves} moves");
}

/// The position of a FEN in shakmaty; `None` if shakmaty rejects it although pgnfs accepts it (too many
/// pieces).
fn set_up(fen: &str) -> Option<Chess> {
    let fen: shakmaty::fen::Fen = fen.parse().ok()?;
    fen.into_position(CastlingMode::Standard).ok()
}
