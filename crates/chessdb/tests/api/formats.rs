//! Every format, with the main lines of the repository's games.

use std::fs;

use chessdb::open;
use testkit::pgn;
use testkit::writers::source::{self, Item};
use testkit::writers::{WRITERS, Write};

use super::own;

fn signless(san: &str) -> String {
    san.trim_end_matches(['+', '#']).to_owned()
}

/// Writes the main lines of the classic games, and compares what is read from the database.
fn check(format: &str, write: Write) {
    let text = fs::read(own("classics.pgn")).unwrap();
    let (expected, mut games) = (pgn::read(&text), source::read(&text).unwrap());
    for game in &mut games {
        let mut depth = 0;
        game.items.retain(|item| {
            depth += i32::from(*item == Item::VariationStart);
            let is_main_line = depth == 0 && matches!(item, Item::Move(_) | Item::Null);
            depth -= i32::from(*item == Item::VariationEnd);
            is_main_line
        });
    }
    let folder = tempfile::tempdir().unwrap();
    write(&games, &folder.path().join("own")).unwrap_or_else(|error| panic!("{format}: {error}"));
    let database = open(folder.path()).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(database.problems(), [], "{format}");
    assert_eq!(database.games().len(), expected.len(), "{format}");
    for (number, (decoded, expected)) in database.games().zip(&expected).enumerate() {
        assert_eq!(decoded.problems, [], "{format}, game {number}");
        let sans = decoded.game.main_line().map(|played| played.san.to_string());
        let given: Vec<String> = sans.map(|san| signless(&san)).collect();
        let line: Vec<String> = expected.main_line().into_iter().map(signless).collect();
        assert_eq!(given, line, "{format}, game {number}");
        for tag in ["White", "Black", "Result"] {
            let given = decoded.game.tags.get(tag);
            assert_eq!(
                given,
                expected.tags.get(tag).map(String::as_str),
                "{format}, game {number}"
            );
        }
    }
}

#[test]
fn own_games_are_read_from_every_format() {
    // A book joins the games in a tree.
    let formats = WRITERS.iter().filter(|(name, _)| !name.contains("book"));
    for (format, write) in formats {
        check(format, *write);
    }
}

#[test]
fn own_games_are_read_from_pgn() {
    check("pgn", |_, base| {
        Ok(fs::copy(own("classics.pgn"), base.with_extension("pgn")).map(drop)?)
    });
}
