use shakmaty::fen::Fen;
use shakmaty::{Chess, Position};

use super::random::{Kinds, game};
use super::*;
use testkit::samples::open_base;

/// The position as stored: without the clock of the fifty-move rule; `None` for the normal start.
fn stored_fen(fen: &str) -> Option<String> {
    let mut setup = fen.parse::<Fen>().unwrap().into_setup();
    setup.halfmoves = 0;
    (setup != shakmaty::Setup::initial()).then(|| Fen::try_from(setup).unwrap().to_string())
}

#[test]
fn random_games_come_back_exactly() {
    let kinds = Kinds {
        variations: true,
        comments: true,
        nags: true,
        set_ups: true,
        null_moves: true,
    };
    let mut games: Vec<SourceGame> = (0..most_games()).map(|number| game(number, kinds)).collect();
    for game in &mut games {
        // The format has no known code for other glyphs.
        game.items.retain(|item| !matches!(item, Item::Nag(7..)));
    }
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("random");
    encode_chess_assistant::write(&games, &base).unwrap();
    let database = open_base(&base).unwrap();
    assert_eq!(database.info().warnings, [] as [&str; 0]);
    for game in &mut games {
        let fen = game.tag("FEN").and_then(stored_fen);
        game.tags
            .retain(|(name, _)| !matches!(name.as_str(), "FEN" | "SetUp"));
        if let Some(fen) = fen {
            game.set_tag("FEN", &fen);
        }
    }
    assert_comes_back(&*database, &games);
}

#[test]
fn variations_that_are_nested_too_deep_are_refused() {
    let start = Chess::default();
    let mv = Item::Move(start.legal_moves()[0]);
    let nested = |depth| {
        let begins = [Item::VariationStart, mv.clone()]
            .into_iter()
            .cycle()
            .take(2 * depth);
        let ends = std::iter::repeat_n(Item::VariationEnd, depth);
        SourceGame {
            tags: Vec::new(),
            start: start.clone(),
            items: [mv.clone()].into_iter().chain(begins).chain(ends).collect(),
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("nested");
    // The decoder's limit is lower.
    let game = nested(256);
    encode_chess_assistant::write(std::slice::from_ref(&game), &base).unwrap();
    let decoded = open_base(&base).unwrap().game(0);
    assert_eq!(decoded.problems, []);
    assert_eq!(items_of_game(&decoded.game), game.texts());
    let refused = encode_chess_assistant::write(&[nested(100_000)], &base).unwrap_err();
    assert!(refused.to_string().contains("more than 32767 bytes"), "{refused}");
}
