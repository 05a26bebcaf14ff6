//! Games that cannot be played from their set-up position do not count as games from the usual one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use chessdb::Options;
use chessdb::board::{Fen, Position};
use testkit::needs;
use testkit::samples::{all_bases, candidates, open, open_base};

#[test]
fn a_pgn_game_with_an_unusable_fen_has_no_start() {
    let usual = Some(Position::initial());
    let set_up = "4k3/8/8/8/8/8/8/4K2R w K - 0 9";
    for (fen, start) in [
        ("", usual),
        (
            "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n",
            usual,
        ),
        (
            &*format!("[FEN \"{set_up}\"]\n"),
            Some(Fen::parse(set_up).unwrap().position),
        ),
        ("[FEN \"rnbqkbnr/ppp\"]\n", None),
        ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n", None),
        // Unknown, as in any other tag.
        ("[FEN \"\"]\n", usual),
        ("[FEN \"?\"]\n", usual),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("[White \"W\"]\n{fen}\n*\n");
        std::fs::write(folder.path().join("a.pgn"), text).unwrap();
        let database = open_base(&folder.path().join("a")).unwrap();
        let game = database.game(0).game;
        assert_eq!(game.start(), start, "{fen}");
        assert_eq!(database.tags(0), game.tags, "{fen}");
    }
}

/// Formats whose samples have games with a set-up position that cannot be played and is not shown as `FEN`, and the
/// number of the games.
const WITHOUT_START: [(&str, usize); 4] = [
    ("chess-assistant", 2),
    ("chessbase-2cbh", 20),
    ("jose", 1),
    ("simplecdb", 8),
];

#[test]
fn a_game_whose_set_up_cannot_be_played_has_no_start() {
    needs!(samples);
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for base in all_bases() {
        for (format, candidate) in candidates(&base) {
            let Some(database) = open(format, &candidate, &Options::default()) else {
                continue;
            };
            for number in 0..database.len() {
                let place = format!("{}, game {}", base.display(), number + 1);
                let decoded = database.game(number);
                let start = decoded.game.tags.start().map(|start| start.position);
                assert_eq!(
                    database.tags(number).start().map(|start| start.position),
                    start,
                    "{place}"
                );
                if start.is_some() {
                    continue;
                }
                assert!(!decoded.problems.is_empty(), "{place}");
                let mut moves = 0;
                database.main_line(number, &mut |_| {
                    moves += 1;
                    ControlFlow::Continue(())
                });
                assert_eq!(moves, 0, "{place}");
                if decoded.game.tags.get("FEN").is_none() {
                    *found.entry(format.name).or_default() += 1;
                }
            }
        }
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), WITHOUT_START);
}
