//! What terms mean together: groups, their order, plies, mirror images and excluded positions.

use chessdb_library::lines::{move_name, position_after};
use chessdb_library::query::{Bounds, Mirror, PositionGroup, PositionQuery, PositionTerm, SearchedGames};
use chessdb_library::task::{Cancel, Cancelled};

use super::asking::{ENDING, asking, board, found, game, games, group, line, played, set_up};

#[test]
fn the_terms_of_a_group_hold_at_one_position() {
    let pgn = game("1. e4 e5 2. Nf3 Nc6 3. Bb5");
    let after_e4 = || board("8/8/8/8/4P3/8/8/8");
    for (terms, ply) in [
        (vec![after_e4(), played("Nf3")], Some(2)),
        (vec![line("e4"), played("Nf3")], None),
        (vec![line("e4"), played("e5")], Some(1)),
        (vec![after_e4(), board("8/8/8/4p3/8/8/8/8")], Some(2)),
        (vec![played("e4"), played("e5")], None),
    ] {
        let expected: Vec<_> = ply.map(|ply| (0, ply)).into_iter().collect();
        assert_eq!(found(&asking([group(terms)]), &pgn), expected);
    }
    let alternatives = PositionGroup {
        terms: vec![
            vec![played("Bc4"), played("Bb5")],
            vec![line("e4,e5,Nf3,Nc6"), line("d4")],
        ],
        ..PositionGroup::default()
    };
    assert_eq!(found(&asking([alternatives]), &pgn), [(0, 4)]);
}

#[test]
fn a_later_group_holds_at_a_later_position() {
    let pgn = game("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 d5");
    let start =
        || group([PositionTerm::fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -").unwrap()]);
    let knight = || group([played("Nf3")]);
    for (groups, ply) in [
        (vec![start()], Some(0)),
        (vec![start(), start()], Some(4)),
        (vec![start(), start(), start()], None),
        (vec![start(), knight()], Some(4)),
        (vec![knight(), start()], Some(4)),
        (vec![knight(), knight()], Some(4)),
        (vec![knight(), start(), knight()], None),
        (vec![knight(), group([played("Nf6")])], Some(1)),
        (vec![group([played("d5")])], Some(5)),
        (vec![group([played("d5")]), group([])], Some(6)),
        (vec![group([]), group([]), group([])], Some(2)),
    ] {
        let expected: Vec<_> = ply.map(|ply| (0, ply)).into_iter().collect();
        assert_eq!(found(&asking(groups.clone()), &pgn), expected, "{groups:?}");
    }
}

#[test]
fn a_group_holds_for_so_many_plies_in_succession() {
    let pgn = game("1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 4. Nf3 Nf6");
    let ahead = |plies| PositionGroup {
        for_plies: plies,
        ..group([PositionTerm::diff(Bounds::exactly(1))])
    };
    let level = |plies| PositionGroup {
        for_plies: plies,
        ..group([PositionTerm::diff(Bounds::exactly(0))])
    };
    for (groups, ply) in [
        (vec![ahead(1)], Some(3)),
        (vec![ahead(2)], None),
        (vec![level(3)], Some(0)),
        (vec![level(4)], Some(4)),
        (vec![level(5)], Some(4)),
        (vec![level(6)], None),
        // The second begins after all plies of the first.
        (vec![level(2), level(2)], Some(4)),
        (vec![level(2), level(1)], Some(2)),
    ] {
        let expected: Vec<_> = ply.map(|ply| (0, ply)).into_iter().collect();
        assert_eq!(found(&asking(groups.clone()), &pgn), expected, "{groups:?}");
    }
}

#[test]
fn plies_are_counted_from_the_start_of_the_game() {
    let pgn = game("1. e4 e5 2. Nf3") + &set_up(ENDING, "1. Kd2 Rg1 2. Kd3 Rf1 3. Kd4");
    let at = |ply: &[&str]| PositionGroup {
        ply: vec![ply.iter().map(|text| text.parse().unwrap()).collect()],
        ..PositionGroup::default()
    };
    assert_eq!(found(&asking([at(&["3"])]), &pgn), [(0, 3), (1, 3)]);
    assert_eq!(found(&asking([at(&["4.."])]), &pgn), [(1, 4)]);
    assert_eq!(found(&asking([at(&["7", "5"])]), &pgn), [(1, 5)]);
    let rook = PositionGroup {
        terms: vec![vec![played("Rg1"), played("Rf1")]],
        ..at(&["2.."])
    };
    assert_eq!(found(&asking([rook]), &pgn), [(1, 3)]);
    let both = PositionGroup {
        ply: vec![vec!["1..".parse().unwrap()], vec!["..2".parse().unwrap()]],
        ..PositionGroup::default()
    };
    assert_eq!(found(&asking([both]), &pgn), [(0, 1), (1, 1)]);
}

#[test]
fn the_square_of_departure_has_a_mirror_image_too() {
    let pgn = [
        game("1. Nf3 Nf6"),
        game("1. e4 Nh6 2. d4 Ng4 3. Nc3 Nf6"),
        game("1. e4 Nc6 2. d4 Ne5 3. Nc3 Nc6"),
    ];
    let pgn = pgn.concat();
    for (text, mirror, expected) in [
        ("N1f3", Mirror::None, &[(0, 0)][..]),
        ("N1f3", Mirror::Colour, &[(0, 0)]),
        ("N8f6", Mirror::None, &[(0, 1)]),
        ("N8f6", Mirror::Colour, &[(0, 0)]),
        ("N5f3", Mirror::Colour, &[(1, 5)]),
        ("Ngf3", Mirror::Colour, &[(0, 0), (1, 5)]),
        ("Ng5f3", Mirror::Colour, &[(1, 5)]),
        ("Nec6", Mirror::None, &[(2, 5)]),
        ("Ndf6", Mirror::Side, &[(2, 5)]),
        ("Ndf3", Mirror::Both, &[(2, 5)]),
        ("N4f3", Mirror::Both, &[(2, 5)]),
        ("Ndf3", Mirror::Colour, &[]),
    ] {
        let query = PositionQuery {
            mirror,
            ..asking([group([played(text)])])
        };
        assert_eq!(found(&query, &pgn), expected, "{text} {mirror:?}");
    }
}

#[test]
fn mirror_images_count_if_they_are_asked_for() {
    let pgn = game("1. e4 c5 2. Bc4 Nc6 3. Bxf7+")
        + &game("1. Nc3 e5 2. Ne4 Bc5 3. g3 Bxf2+")
        + &game("1. d4 d5 2. Bf4 Nc6 3. Bxc7")
        + &game("1. e3 d5 2. a3 Bf5 3. h3 Bxc2");
    let captures = asking([group([played("Bxf7")])]);
    for (mirror, games) in [
        (Mirror::None, vec![(0, 4)]),
        (Mirror::Colour, vec![(0, 4), (1, 5)]),
        (Mirror::Side, vec![(0, 4), (2, 4)]),
        (Mirror::Both, vec![(0, 4), (1, 5), (2, 4), (3, 5)]),
    ] {
        let query = PositionQuery {
            mirror,
            ..captures.clone()
        };
        assert_eq!(found(&query, &pgn), games, "{mirror:?}");
    }
}

#[test]
fn castling_rights_do_not_count_where_files_are_exchanged() {
    let with = |term, mirror| PositionQuery {
        mirror,
        ..asking([group([term])])
    };
    let fen = |text| PositionTerm::fen(text).unwrap();
    let pgn = set_up("3k3r/8/8/8/8/8/8/R2K4 b - - 0 1", "")
        + &set_up("r2k4/8/8/8/8/8/8/3K3R b - - 0 1", "")
        + &set_up("r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1", "");
    let found = |query: PositionQuery| {
        found(&query, &pgn)
            .into_iter()
            .map(|(game, _)| game)
            .collect::<Vec<_>>()
    };
    let own = "3k3r/8/8/8/8/8/8/R2K4 b - -";
    assert_eq!(found(with(fen(own), Mirror::None)), [0]);
    assert_eq!(found(with(fen(own), Mirror::Side)), [0, 2]);
    assert_eq!(found(with(fen("r2k4/8/8/8/8/8/8/3K3R b - -"), Mirror::None)), [1]);
    let colours = "r2k4/8/8/8/8/8/8/3K3R w - -";
    assert_eq!(found(with(fen(colours), Mirror::None)), [0u32; 0]);
    assert_eq!(found(with(fen(colours), Mirror::Colour)), [0]);
    assert_eq!(found(with(fen(colours), Mirror::Both)), [0, 2]);
    // Nobody castles in an image without castling rights.
    let castling = game("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O");
    for mirror in [Mirror::None, Mirror::Colour, Mirror::Side, Mirror::Both] {
        let long = with(played("O-O-O"), mirror);
        assert!(
            long.find(&SearchedGames::all(&*games(&castling)), 1, &|_| ())
                .unwrap()
                .is_empty()
        );
    }
}

#[test]
fn the_right_to_take_en_passant_counts_where_files_are_exchanged() {
    let pgn = set_up("3k4/4p3/8/3P4/8/8/8/3K4 b - - 0 1", "1... e5")
        + &set_up("3k4/8/4p3/3P4/8/8/8/3K4 b - - 0 1", "1... e5");
    for (right, games) in [
        (" - d6", vec![(0, 1)]),
        (" - -", vec![(1, 1)]),
        ("", vec![(0, 1), (1, 1)]),
    ] {
        let position = PositionTerm::fen(&format!("4k3/8/8/3pP3/8/8/8/4K3 w{right}")).unwrap();
        let query = PositionQuery {
            mirror: Mirror::Side,
            ..asking([group([position])])
        };
        assert_eq!(found(&query, &pgn), games, "{right}");
    }
}

#[test]
fn excluded_positions_leave_games_out() {
    let pgn = game("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O")
        + &game("1. e4 e5 2. Nf3")
        + &game("1. d4 d5")
        + &game("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. d3 O-O");
    let without = |groups: Vec<PositionGroup>, excluded: Vec<PositionGroup>| PositionQuery {
        groups,
        excluded,
        ..PositionQuery::default()
    };
    let castling = || group([played("O-O")]);
    let e4 = || group([line("e4,e5")]);
    assert_eq!(found(&without(vec![], vec![castling()]), &pgn), [(1, 0), (2, 0)]);
    assert_eq!(found(&without(vec![e4()], vec![castling()]), &pgn), [(1, 2)]);
    let early = PositionGroup {
        ply: vec![vec!["..6".parse().unwrap()]],
        ..castling()
    };
    assert_eq!(found(&without(vec![e4()], vec![early]), &pgn), [(1, 2), (3, 2)]);
    assert_eq!(
        found(&without(vec![], vec![group([board("8/8/8/8/3P4/8/8/8")])]), &pgn),
        [(0, 0), (1, 0), (3, 0)]
    );
    assert_eq!(found(&without(vec![], vec![castling(), e4()]), &pgn), [(2, 0)]);
    assert_eq!(
        found(&PositionQuery::default(), &pgn),
        [(0, 0), (1, 0), (2, 0), (3, 0)]
    );
}

#[test]
fn the_move_of_an_answer_is_that_of_its_position() {
    let database = games(&(game("1. e4 e5 2. Nf3 Nc6") + &game("1. e4 e5")));
    let moves = |query: PositionQuery| {
        let found = query.find(&SearchedGames::all(&*database), 1, &|_| ()).unwrap();
        let next = found.into_iter().map(|found| {
            found.next.map(|mv| {
                let position = position_after(&*database, found.game, found.ply).unwrap();
                move_name(&position, mv).unwrap()
            })
        });
        next.collect::<Vec<_>>()
    };
    let some = |name: &str| Some(name.to_owned());
    assert_eq!(moves(asking([group([line("e4,e5")])])), [some("Nf3"), None]);
    assert_eq!(moves(asking([group([played("e5")])])), [some("e5"), some("e5")]);
    let run = PositionGroup {
        for_plies: 3,
        ..group([])
    };
    assert_eq!(moves(asking([run.clone()])), [some("e4"), some("e4")]);
    assert_eq!(moves(asking([group([line("e4")]), run])), [some("Nf3")]);
    assert_eq!(moves(PositionQuery::default()), [None, None]);
}

#[test]
fn a_search_ends_when_it_is_cancelled() {
    let database = games(&game("1. e4 e5").repeat(5000));
    let query = asking([group([played("e5")])]);
    let cancel = Cancel::default();
    let find = || query.find(&SearchedGames::all(&*database), 2, &|_| cancel.cancel());
    assert_eq!(cancel.run(find).map(|found| found.is_ok()), Err(Cancelled));
}

#[test]
fn some_choice_of_positions_has_all_distances() {
    // Nf3 at plies 0, 4 and 8, Ng1 at 2 and 6, d5 at 9, e4 at 10.
    let pgn = game("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 d5 6. e4");
    let move_within = |name: &str, within: u32| PositionGroup {
        within: Some(within),
        ..group([played(name)])
    };
    let first = |name: &str| group([played(name)]);
    for (groups, ply) in [
        // The first Nf3 is too early for all of these.
        (vec![first("Nf3"), move_within("d5", 1)], Some(9)),
        (vec![first("Nf3"), move_within("e4", 2)], Some(10)),
        (vec![first("Nf3"), move_within("e4", 1)], None),
        (vec![first("Ng1"), move_within("d5", 3)], Some(9)),
        (vec![first("Ng1"), move_within("d5", 2)], None),
        (
            vec![first("Ng1"), move_within("Nf3", 2), move_within("d5", 1)],
            Some(9),
        ),
        (vec![first("Nf3"), move_within("Ng1", 2), first("e4")], Some(10)),
        (
            vec![
                first("Nf6"),
                move_within("Ng1", 1),
                move_within("Ng8", 1),
                move_within("Nf3", 1),
            ],
            Some(4),
        ),
        (vec![first("d5"), move_within("Nf3", 9)], None),
    ] {
        let expected: Vec<_> = ply.map(|ply| (0, ply)).into_iter().collect();
        assert_eq!(found(&asking(groups.clone()), &pgn), expected, "{groups:?}");
    }
    // A knight is on f3 at plies 1 and 2, 5 and 6, and from 9 on.
    let knight = |for_plies, within| PositionGroup {
        for_plies,
        within,
        ..group([board("8/8/8/8/8/5N2/8/8")])
    };
    // Only the last position.
    let both_pawns = PositionGroup {
        within: Some(1),
        ..group([board("8/8/8/3p4/4P3/5N2/8/8")])
    };
    for (groups, ply) in [
        (vec![knight(2, None), move_within("Ng1", 1)], None),
        (vec![knight(1, None), move_within("Ng1", 1)], Some(2)),
        (vec![knight(2, None), move_within("e4", 1)], None),
        (vec![knight(1, None), move_within("e4", 1)], Some(10)),
        (vec![first("Ng8"), knight(3, Some(2))], Some(9)),
        (vec![first("Ng8"), knight(3, Some(1))], None),
        (vec![first("Ng8"), knight(1, Some(2))], Some(5)),
        // Without for:, a group in the middle holds at one position, not at all that follow.
        (vec![first("Nf3"), knight(1, Some(1)), both_pawns.clone()], None),
        (
            vec![first("Nf3"), knight(1, Some(2)), both_pawns.clone()],
            Some(11),
        ),
        (
            vec![first("Nf3"), knight(2, Some(1)), both_pawns.clone()],
            Some(11),
        ),
    ] {
        let expected: Vec<_> = ply.map(|ply| (0, ply)).into_iter().collect();
        assert_eq!(found(&asking(groups.clone()), &pgn), expected, "{groups:?}");
    }
}
