//! Random games, written by the example writers and read back: the results are exactly the original games.

use testkit::writers::brenner as encode_brenner;
use testkit::writers::chess_assistant as encode_chess_assistant;
use testkit::writers::chessbase as encode_chessbase;
use testkit::writers::chessbase_2cbh as encode_chessbase_2cbh;
use testkit::writers::chessbase_book as encode_chessbase_book;
use testkit::writers::chessbase_cbh as encode_chessbase_cbh;
use testkit::writers::jose as encode_jose;
use testkit::writers::parquet as encode_parquet;
use testkit::writers::scid as encode_scid;
use testkit::writers::simplecdb as encode_simplecdb;
use testkit::writers::source;

mod brenner;
mod chess_assistant;
mod chessbase;
mod chessbase_2cbh;
mod chessbase_cbh;
mod jose;
mod nesting;
mod parquet;
mod random;
mod scid;
mod simplecdb;

use chessdb::Database;
use chessdb::game::{Game, Token};

use source::{Item, SourceGame};

/// Number of games in each round trip.
fn most_games() -> u64 {
    testkit::cases(300, 2_000)
}

/// The movetext of a decoded game, in the form of [`SourceGame::texts`].
fn items_of_game(game: &Game) -> Vec<String> {
    let items = game.movetext.tokens().iter().map(|token| match *token {
        Token::Move(san, _) => san.to_string(),
        Token::Nag(nag) => format!("${nag}"),
        Token::Comment(range) | Token::Remark(range) => format!("{{{}}}", game.movetext.text(range)),
        Token::VariationStart => "(".to_owned(),
        Token::VariationEnd => ")".to_owned(),
    });
    items.collect()
}

/// Asserts that a database has exactly these games and no problems: movetext, all written tags, and the texts that
/// views sort by.
fn assert_comes_back(database: &dyn Database, games: &[SourceGame]) {
    assert_eq!(database.len() as usize, games.len());
    assert_eq!(database.problems(), []);
    for (number, game) in (0..).zip(games) {
        let decoded = database.game(number);
        assert_eq!(decoded.problems, [], "game {number}");
        assert_eq!(items_of_game(&decoded.game), game.texts(), "game {number}");
        let tags = decoded.game.tags;
        assert_eq!(tags, database.tags(number), "game {number}");
        assert_eq!(tags.get("FEN"), game.tag("FEN"), "game {number}");
        for (name, value) in &game.tags {
            assert_eq!(tags.get(name), Some(value.as_str()), "{name} of game {number}");
        }
        let keys = database.keys(number);
        for (id, name) in [
            (keys.white, "White"),
            (keys.black, "Black"),
            (keys.event, "Event"),
        ] {
            assert_eq!(
                database.text(id),
                game.tag(name).unwrap(),
                "{name} of game {number}"
            );
        }
    }
}
