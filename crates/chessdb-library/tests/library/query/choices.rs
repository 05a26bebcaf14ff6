//! `( QUERY | QUERY )`: one of them must hold.

use chessdb_library::positions::{BuildOptions, Index, Selection};
use chessdb_library::query::{Query, SearchedGames};

use super::rules::six;
use super::{answer, searched};

#[test]
fn a_game_is_found_if_a_side_holds() {
    let database = six();
    let whole = searched(&*database, "club/a.pgn");
    let index = Index::in_memory(&database, BuildOptions::default(), &|_| ()).unwrap();
    let some = Selection::of([0, 2, 5]);
    // The games, each with its ply.
    for (query, expected) in [
        ("( eco:B | year:1958 )", &[(0, 0), (2, 0), (5, 0)][..]),
        ("( eco:B )", &[(0, 0), (5, 0)]),
        ("( played:c5 | played:O-O )", &[(0, 1), (1, 6), (5, 1)]),
        // The least ply of the sides that hold, which is 0 without a position.
        (
            "( played:c5 | played:O-O | played:e4 )",
            &[(0, 0), (1, 0), (4, 0), (5, 0)],
        ),
        ("( played:c5 | result:1-0 )", &[(0, 0), (1, 0), (5, 1)]),
        ("year:2013 ( played:c5 | played:O-O )", &[(0, 1), (1, 6), (5, 1)]),
        // Positions outside give the ply.
        ("played:Nf3 ( played:c5 | played:e4 )", &[(0, 2), (1, 2)]),
        ("( played:c5 ) ( played:e4 )", &[(0, 0), (5, 0)]),
        ("( played:c5 ) ( played:e4 then played:c5 )", &[(0, 1), (5, 1)]),
        ("( played:c5 ) ( result:1-0 )", &[(0, 1)]),
        (
            "( result:1-0 | result:* ) ( played:e4 | ply:0 )",
            &[(0, 0), (1, 0), (3, 0)],
        ),
        ("-( played:c5 | result:* )", &[(1, 0), (2, 0), (4, 0)]),
        ("-( tata played:c5 )", &[(1, 0), (2, 0), (3, 0), (4, 0)]),
        ("-( played:c5 | -result:0-1 )", &[(4, 0)]),
        (
            "-( played:O-O ) ( played:c5 | played:d4 )",
            &[(0, 1), (2, 0), (5, 1)],
        ),
        (
            "( played:O-O then played:O-O | played:Nf3 by:white next played:d6 )",
            &[(0, 3)],
        ),
        (
            "( played:c5 | ( year:1958 | eco:C ) -result:1-0 )",
            &[(0, 1), (2, 0), (5, 1)],
        ),
        // Each side has its own player, or that outside.
        (
            "player:carlsen ( result:win | white:caruana )",
            &[(0, 0), (1, 0), (4, 0)],
        ),
        ("player:carlsen -( result:loss )", &[(0, 0)]),
        ("player:carlsen ( ( result:loss | x ) )", &[(1, 0), (4, 0)]),
        (
            "( player:tal result:win | player:carlsen result:loss )",
            &[(1, 0), (4, 0), (5, 0)],
        ),
        ("player:tal ( player:giri result:loss )", &[(5, 0)]),
        ("player:tal ( played:c5 by:player | x )", &[(5, 1)]),
        // A mirror image is meant inside, too.
        ("( played:e5 )", &[(1, 1), (4, 2)]),
        ("( played:e5 ) mirror:colour", &[(0, 0), (1, 0), (4, 0), (5, 0)]),
        (
            "-( played:d3 ) player:carlsen played:e4 mirror:colour",
            &[(1, 0), (4, 0)],
        ),
        ("( db:club/* eco:B | db:other year:1958 )", &[(0, 0), (5, 0)]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
        let with_index = SearchedGames {
            index: Some(&index),
            ..whole
        };
        assert_eq!(answer(query, &with_index), expected, "{query}");
        let among = SearchedGames {
            among: Some(&some),
            ..whole
        };
        let expected: Vec<_> = expected
            .iter()
            .filter(|(game, _)| some.has(*game))
            .copied()
            .collect();
        assert_eq!(answer(query, &among), expected, "{query}");
    }
}

/// A side that asks for no position counts as the start of the game, so its move is the first one.
#[test]
fn the_start_of_a_game_has_its_first_move() {
    let database = six();
    let searched = searched(&*database, "club/a.pgn");
    let first = |query: &str| {
        let read = Query::parse(query).unwrap();
        let found = read.answer(&searched, 2, &|_| ()).unwrap();
        let moves = found
            .iter()
            .map(|found| (found.game, found.next.map(|mv| format!("{mv:?}"))));
        moves.collect::<Vec<_>>()
    };
    let of_all = first("ply:0");
    assert!(of_all.iter().any(|(_, next)| next.is_some()), "{of_all:?}");
    assert_eq!(first("( played:h5 then played:h5 | ply:0 )"), of_all);
    assert_eq!(
        first("( played:h5 then played:h5 | result:1-0 | -result:1-0 )"),
        of_all
    );
    assert_eq!(first("( result:1-0 | -result:1-0 | played:c5 )"), of_all);
}
