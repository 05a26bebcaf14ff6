//! `by:`, whose move it is, and other terms of positions that look at a side.

use std::sync::Arc;

use chessdb::Database;
use chessdb_library::positions::{BuildOptions, Index};
use chessdb_library::query::Query;

use super::rules::{database, game};
use super::{answer, searched};

/// After these moves both sides may castle to both sides; White's is the move of ply 14.
const DEVELOPED: &str = "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. e3 e6 6. Bd3 Bd6 7. Nf3 Nf6";

fn five() -> Arc<dyn Database> {
    let games = [
        ("Carlsen, M", "Nepo, I", "", "8. O-O-O O-O", "1-0"),
        ("Nepo, I", "Carlsen, M", "", "8. O-O-O O-O", "1-0"),
        ("Carlsen, M", "Tal, M", "", "8. O-O O-O-O", "1/2-1/2"),
        (
            "Polgar, Judit",
            "Polgar, Sofia",
            "WhiteElo=2700; BlackElo=2500; ",
            "8. O-O-O O-O",
            "0-1",
        ),
        ("Tal, M", "Carlsen, M", "", "", "*"),
    ];
    let games = games.map(|(white, black, elo, castling, result)| {
        let tags = format!("White={white}; Black={black}; {elo}Result={result}");
        let moves = if castling.is_empty() { "1. e4" } else { DEVELOPED };
        game(&tags, &format!("{moves} {castling} {result}"))
    });
    database(&games.concat())
}

#[test]
fn a_group_holds_where_that_side_is_to_move() {
    let database = five();
    let searched = searched(&*database, "a.pgn");
    let index = Index::in_memory(&database, BuildOptions::default(), &|_| ()).unwrap();
    let mut indexed = searched;
    indexed.index = Some(&index);
    for (query, expected) in [
        ("played:O-O-O", &[(0, 14), (1, 14), (2, 15), (3, 14)][..]),
        ("played:O-O-O by:white", &[(0, 14), (1, 14), (3, 14)]),
        ("played:O-O-O by:black", &[(2, 15)]),
        // Each of both sides, and one after the other.
        ("played:O-O by:black then played:O-O by:white", &[]),
        ("played:O-O by:white then played:O-O-O by:black", &[(2, 15)]),
        (
            "played:O-O-O by:white then played:O-O by:black",
            &[(0, 15), (1, 15), (3, 15)],
        ),
        // It limits what is left out, as ply: does.
        ("-played:O-O-O by:white", &[(2, 0), (4, 0)]),
        ("-played:O-O-O by:black", &[(0, 0), (1, 0), (3, 0), (4, 0)]),
        ("ply:15.. -played:O-O by:black", &[(2, 15)]),
        // A colour is exchanged in a mirror.
        (
            "played:O-O-O by:white mirror:colour",
            &[(0, 14), (1, 14), (2, 15), (3, 14)],
        ),
        (
            "played:O-O by:white then played:O-O-O by:black mirror:colour",
            &[(2, 15)],
        ),
        ("played:Bd3 by:white", &[(0, 10), (1, 10), (2, 10), (3, 10)]),
        ("played:Bd3 by:black mirror:colour", &[]),
        ("played:Bd6 by:white mirror:colour", &[]),
        // What does not depend on a move.
        ("diff:0 by:white", &[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]),
        ("diff:0 by:black", &[(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)]),
        (
            "material:\"K * k *\" ply:14.. by:black",
            &[(0, 15), (1, 15), (2, 15), (3, 15)],
        ),
        ("line:e4 by:white", &[]),
        ("line:e4 by:black", &[(4, 1)]),
        ("pawns:8/pppppppp/8/8/4P3/8/PPPP1PPP/8 by:black", &[(4, 1)]),
        // One player.
        ("player:carlsen played:O-O-O by:player", &[(0, 14)]),
        ("player:carlsen played:O-O-O by:opponent", &[(1, 14), (2, 15)]),
        (
            "player:carlsen -played:O-O-O by:player",
            &[(1, 0), (2, 0), (4, 0)],
        ),
        ("player:carlsen -played:O-O-O by:opponent", &[(0, 0), (4, 0)]),
        ("player:carlsen black:carlsen played:O-O by:player", &[(1, 15)]),
        (
            "player:carlsen played:O-O -played:O-O-O by:player",
            &[(1, 15), (2, 14)],
        ),
        (
            "player:carlsen played:O-O by:player then played:O-O-O by:opponent",
            &[(2, 15)],
        ),
        // A mirror exchanges colours, and not players.
        ("player:carlsen played:O-O-O by:player mirror:colour", &[(0, 14)]),
        ("player:carlsen played:Bd3 by:player", &[(0, 10), (2, 10)]),
        (
            "player:carlsen played:Bd3 by:player mirror:colour",
            &[(0, 10), (1, 11), (2, 10)],
        ),
        (
            "player:carlsen played:Bd3 by:opponent mirror:colour",
            &[(0, 11), (1, 10), (2, 11)],
        ),
        ("player:carlsen -played:Bd3 by:player mirror:colour", &[(4, 0)]),
        // Where both names match, one side must have all of it.
        ("player:polgar played:O-O-O by:player", &[(3, 14)]),
        ("player:polgar played:O-O by:player", &[(3, 15)]),
        ("player:polgar played:O-O by:opponent", &[(3, 15)]),
        ("player:polgar elo:2600.. played:O-O-O by:player", &[(3, 14)]),
        ("player:polgar elo:2600.. played:O-O by:player", &[]),
        ("player:polgar elo:2600.. played:O-O by:opponent", &[(3, 15)]),
        ("player:polgar result:win played:O-O by:player", &[(3, 15)]),
        ("player:polgar result:win played:O-O-O by:player", &[]),
        (
            "player:polgar played:O-O-O by:player then played:O-O by:opponent",
            &[(3, 15)],
        ),
        (
            "player:polgar played:O-O-O by:player then played:O-O by:player",
            &[],
        ),
        // A query with a hyphen leaves out exactly what the query without it finds.
        ("player:polgar -played:O-O by:player", &[]),
        ("player:polgar result:win -played:O-O-O by:player", &[]),
        ("player:polgar -played:e4 by:player", &[(3, 0)]),
    ] {
        assert_eq!(answer(query, &searched), expected, "{query}");
        assert_eq!(answer(query, &indexed), expected, "{query}, with an index");
    }
    // A position alone is answered by the index, and one with a side is not.
    let asks_one = |query: &str| Query::parse(query).unwrap().only_position().is_some();
    assert!(asks_one("line:e4") && !asks_one("line:e4 by:black"));
}

/// The same board is reached with either side to move.
#[test]
fn a_board_alone_is_a_position_of_either_side() {
    let games = ["1. e4 e5 2. Nf3 *", "1. e3 e5 2. e4 Nc6 *", "1. e4 e6 *"];
    let database = database(
        &games
            .map(|moves| game("White=A; Black=B; Result=*", moves))
            .concat(),
    );
    let searched = searched(&*database, "a.pgn");
    let index = Index::in_memory(&database, BuildOptions::default(), &|_| ()).unwrap();
    let board = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
    let mut indexed = searched;
    indexed.index = Some(&index);
    for searched in [searched, indexed] {
        assert_eq!(answer(&format!("fen:{board}"), &searched), [(0, 2), (1, 3)]);
        assert_eq!(answer(&format!("fen:\"{board} w\""), &searched), [(0, 2)]);
        assert_eq!(answer(&format!("fen:\"{board} b\""), &searched), [(1, 3)]);
        assert_eq!(answer(&format!("fen:{board} by:black"), &searched), [(1, 3)]);
        assert_eq!(answer(&format!("-fen:{board}"), &searched), [(2, 0)]);
    }
    let name = format!("fen:{}", board.replace('/', "_"));
    let query = Query::parse(&format!("fen:{board}")).unwrap();
    assert_eq!(Query::parse_name(&name).unwrap(), query);
    assert_eq!(Query::parse_name(&query.name()).unwrap(), query);
}

#[test]
fn a_square_on_which_no_pawn_can_capture_makes_no_other_position() {
    let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq";
    let [idle, none] = ["e3", "-"].map(|square| Query::parse(&format!("fen:{board} {square} 0 1")).unwrap());
    assert_eq!(idle, none);
    assert_eq!(idle.name(), none.name());
    assert_eq!(Query::parse_name(&idle.name()).unwrap(), idle);
    // Here a pawn can capture.
    let board = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq";
    let [capture, none] =
        ["e3", "-"].map(|square| Query::parse(&format!("fen:{board} {square} 0 1")).unwrap());
    assert_ne!(capture, none);
}

#[test]
fn a_sign_of_check_finds_mates_too() {
    let games = [
        "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0",
        "1. e4 e5 2. Qh5 Nc6 3. Qxf7+ Kxf7 *",
    ];
    let database = database(&games.map(|moves| game("White=A; Black=B", moves)).concat());
    let searched = searched(&*database, "a.pgn");
    for (query, expected) in [
        ("played:Qxf7", &[(0, 6), (1, 4)][..]),
        ("played:Qxf7+", &[(0, 6), (1, 4)]),
        ("played:Qxf7#", &[(0, 6)]),
        ("played:Q*f7+ -played:Qxf7#", &[(1, 4)]),
    ] {
        assert_eq!(answer(query, &searched), expected, "{query}");
    }
}
