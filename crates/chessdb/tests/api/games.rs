//! Games of a database, and moves of their main lines.

use std::ops::ControlFlow;

use chessdb::board::{Fen, Position};
use chessdb::open;
use testkit::pgn;

use super::own;

#[test]
fn games_come_in_order_from_both_ends() {
    let database = open(own("classics.pgn")).unwrap();
    assert_eq!(database.games().len(), 63);
    let white = |decoded: chessdb::Decoded| decoded.game.tags.get("White").unwrap().to_owned();
    let forwards: Vec<String> = database.games().map(white).collect();
    let mut backwards: Vec<String> = database.games().rev().map(white).collect();
    backwards.reverse();
    assert_eq!(forwards, backwards);
    assert_eq!(
        forwards.last(),
        database.tags(62).get("White").map(str::to_owned).as_ref()
    );
}

#[test]
fn main_lines_are_those_that_a_reader_of_pgn_finds() {
    for file in ["classics.pgn", "annotated.pgn"] {
        let database = open(own(file)).unwrap();
        let expected = pgn::read(&std::fs::read(own(file)).unwrap());
        assert_eq!(database.games().len(), expected.len());
        for (decoded, expected) in database.games().zip(&expected) {
            let sans: Vec<String> = decoded
                .game
                .main_line()
                .map(|played| played.san.to_string())
                .collect();
            let signless = |san: &str| san.trim_end_matches(['+', '#']).to_owned();
            let given: Vec<String> = sans.iter().map(|san| signless(san)).collect();
            let expected: Vec<String> = expected.main_line().into_iter().map(signless).collect();
            assert_eq!(given, expected);
        }
    }
}

#[test]
fn iterators_agree_with_what_a_database_passes_on() {
    let database = open(own("annotated.pgn")).unwrap();
    for (number, decoded) in (0..).zip(database.games()) {
        let mut moves = decoded.game.main_line();
        let mut before = decoded.game.start().unwrap();
        database.main_line(number, &mut |ply| {
            let played = moves.next().expect("no more moves");
            assert_eq!(played.number, ply.number);
            assert_eq!((played.mv, played.san), (ply.mv, ply.san()));
            assert_eq!(&played.position, ply.position);
            assert_eq!(played.before(), before);
            before = played.position;
            ControlFlow::Continue(())
        });
        assert!(moves.next().is_none(), "game {number}");
    }
}

#[test]
fn a_game_starts_where_its_fen_says() {
    let database = open(own("annotated.pgn")).unwrap();
    let (mut usual, mut set_up) = (0, 0);
    for decoded in database.games() {
        let game = decoded.game;
        match game.tags.get("FEN") {
            Some(fen) => {
                assert_eq!(game.start(), Some(Fen::parse(fen).unwrap().position));
                set_up += 1;
            }
            None => {
                assert_eq!(game.start(), Some(Position::initial()));
                usual += 1;
            }
        }
    }
    assert!(usual > 0 && set_up > 0, "{usual} {set_up}");
}

/// By it, programs decide which thread decodes a game.
#[test]
fn the_length_of_a_record_is_known_without_reading_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    let games = [1, 100_000, 2].map(|len| format!("[White \"x\"]\n\n1. e4 {{{}}} *\n\n", "x".repeat(len)));
    std::fs::write(&path, games.concat()).unwrap();
    let database = chessdb::open(&path).unwrap();
    let lens = (0..3).map(|game| database.as_files().record_len(game));
    let texts = games.iter().map(|text| Some(text.len() as u64));
    assert!(lens.eq(texts));
    assert_eq!(database.as_files().record_len(3), None);
    super::write("scid", &folder.path().join("b"));
    let database = chessdb::open(folder.path().join("b.si4")).unwrap();
    let lens = (0..database.len()).map(|game| database.as_files().record_len(game).unwrap());
    let lens: Vec<u64> = lens.collect();
    let file = std::fs::metadata(folder.path().join("b.sg4")).unwrap().len();
    assert!(lens.len() == 63 && lens.iter().all(|&len| len > 0) && lens.iter().sum::<u64>() <= file);
}
