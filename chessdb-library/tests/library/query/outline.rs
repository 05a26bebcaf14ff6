//! Games that are passed over because their stored moves show that they have nowhere what is asked for.

use chessdb_library::library::to_pgn;
use testkit::needs;
use testkit::samples::open_base;
use testkit::samples_folder;

use super::rules::database;
use super::{answer, searched};

/// SimpleCDb stores moves as squares. PGN does not, so that all of its games are followed.
#[test]
fn games_are_passed_over_only_if_they_have_nowhere_what_is_asked_for() {
    needs!(samples);
    let stored = open_base(&samples_folder().join("data/simplecdb/medium/plain")).unwrap();
    let texts = (0..stored.len()).map(|game| to_pgn(&stored.game(game).game));
    let text = String::from_utf8(texts.collect::<Vec<_>>().concat()).unwrap();
    let written = database(&text);
    assert_eq!(stored.len(), written.len());
    let mut most = 0;
    for query in [
        "is:mate",
        "is:mate by:white",
        "is:mate mirror:colour played:null",
        "-is:mate result:1-0",
        "played:*#",
        "played:Q*#",
        "played:N*#|B*#",
        "played:Rxg7#|Qxf2#",
        "played:O-O*#",
        "played:O-O then is:mate",
        "is:mate|stalemate",
        "bishops:same",
        "bishops:opposite for:10",
        "bishops:opposite by:black then bishops:same",
        "-bishops:opposite bishops:same",
        "white_passed:3..",
        "black_passed:2 mirror:colour",
        "white_isolated:4..",
        "black_isolated:5..6",
        "white_doubled:2.. black_doubled:2..",
        "white_pawns:..1",
        "black_pawns:9..",
        "white_pawns:8 black_pawns:8 ply:40..",
        "-white_passed:1..",
    ] {
        let found = answer(query, &searched(&*stored, "a"));
        most = most.max(found.len());
        assert_eq!(found, answer(query, &searched(&*written, "a")), "{query}");
    }
    assert!(most > 1000, "{most}");
}
