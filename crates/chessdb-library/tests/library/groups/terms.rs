//! What single terms mean.

use chessdb_library::query::{Bounds, PositionTerm, SearchedGames, TermError};
use testkit::samples::open_base;
use testkit::writers::{simplecdb, source};

use super::asking::{ENDING, asking, board, found, game, group, holds, line, material, played, set_up};

/// One side takes two pieces, as the side that moves first and as the other one.
#[test]
fn taken_pieces_are_missing_on_the_other_side() {
    let (black_takes, white_takes) = ("3qk3/8/8/8/8/2N5/3R4/4K3", "4k3/3r4/2n5/8/8/8/8/3QK3");
    let games = [
        (black_takes, "b", "1... Qxd2+ 2. Kf1 Qxc3"),
        (white_takes, "w", "1. Qxd7+ Kf8 2. Qxc6"),
        (black_takes, "w", "1. Kf1 Qxd2 2. Kg1 Qxc3"),
        (white_takes, "b", "1... Kf8 2. Qxd7 Kg8 3. Qxc6"),
    ];
    let pgn = games
        .map(|(board, turn, moves)| set_up(&format!("{board} {turn} - - 0 1"), moves))
        .concat();
    for (pieces, expected) in [
        ("Kkq", [(0, 3), (2, 4)]),
        ("KQk", [(1, 3), (3, 4)]),
        ("KNkq", [(0, 1), (2, 2)]),
        ("KQkn", [(1, 1), (3, 2)]),
        ("KRNkq", [(0, 0), (2, 0)]),
        ("KQkrn", [(1, 0), (3, 0)]),
    ] {
        assert_eq!(
            found(&asking([group([material(pieces)])]), &pgn),
            expected,
            "{pieces}"
        );
    }
}

#[test]
fn a_board_asks_for_what_its_signs_say() {
    for (text, expected) in [
        ("8/5k2/8/3R4/1p6/4P3/8/2K4r", true),
        ("8/8/8/8/8/8/8/8", true),
        ("????????/8/8/3R4/8/8/8/8", true),
        ("8/8/8/3r4/8/8/8/8", false),
        ("8/5!2/8/3!4/8/8/8/8", true),
        ("8/8/8/4!3/8/8/8/8", false),
        ("8/5a2/8/3A4/8/8/8/8", true),
        ("8/5A2/8/8/8/8/8/8", false),
        ("8/8/8/3a4/8/8/8/8", false),
        ("8/8/8/---R----/8/8/8/8", true),
        ("8/8/8/8/-------?/8/8/8", false),
        ("8/8/8/3[QR]4/8/8/8/2K4[rq]", true),
        ("8/8/8/3[QB]4/8/8/8/8", false),
        ("8/8/8/2[-P][Ra]4/1[-a]6/8/8/8", true),
        ("8/8/8/3[-a]4/8/8/8/8", false),
        ("8/8/8/3R4/8/8/8/8 b KQkq e3 0 1", true),
    ] {
        assert_eq!(holds(board(text), ENDING), expected, "{text}");
    }
}

#[test]
fn a_board_of_another_shape_or_with_other_signs_is_an_error() {
    for (text, error) in [
        (
            "8/8/8/8/8/8/8",
            "expected a FEN board of 8 ranks with 8 squares each; this one has 7",
        ),
        (
            "8/8/8/8/8/8/8/8/8",
            "expected a FEN board of 8 ranks with 8 squares each; this one has 9",
        ),
        (
            "8/8/8/ppp/8/8/8/8",
            "expected a FEN board of 8 ranks with 8 squares each; rank 5 has 3",
        ),
        (
            "8/8/8/8/8/8/8/8P",
            "expected a FEN board of 8 ranks with 8 squares each; rank 1 has 9",
        ),
    ] {
        assert_eq!(PositionTerm::board(text).unwrap_err().to_string(), error);
    }
    for (text, error) in [
        ("8/8/8/9/8/8/8/8", TermError::Sign('9')),
        ("8/8/8/x7/8/8/8/8", TermError::Sign('x')),
        ("8/8/8/[]7/8/8/8/8", TermError::Brackets),
        ("8/8/8/[QR7/8/8/8/8", TermError::Brackets),
        ("8/8/8/[[Q]]7/8/8/8/8", TermError::Brackets),
        ("8/8/8/[Q2]7/8/8/8/8", TermError::Brackets),
    ] {
        assert_eq!(PositionTerm::board(text).unwrap_err(), error, "{text}");
    }
    assert!(PositionTerm::board(&"8/".repeat(30_000)).is_err());
    assert!(PositionTerm::board(&format!("8/8/8/8/8/8/8/{}", "8".repeat(60_000))).is_err());
}

#[test]
fn material_is_counted_for_both_sides() {
    for (text, expected) in [
        ("KRPkrp", true),
        ("PRKprk", true),
        ("K R P k r p", true),
        ("KRPkr", false),
        ("KRPkrpp", false),
        ("KRP+kr+p*", true),
        ("KRP2kr+p*", false),
        ("KRPQ*kr+p*", true),
        ("KRPQ+kr+p*", false),
        ("KR1-2P0-1krp", true),
        ("KR2-3Pkrp", false),
        ("KR0Pkrp", false),
        ("K*k*", true),
        ("K * k *", true),
        ("KR+ * k r+ *", true),
        ("K R * krp", true),
        ("K*kr", false),
        ("KP0*k*", false),
        ("KQ0*kq0*", true),
        ("KR2*k*", false),
        ("KRkrp", false),
    ] {
        assert_eq!(holds(material(text), ENDING), expected, "{text}");
    }
}

#[test]
fn a_list_of_pieces_that_cannot_be_is_an_error() {
    for (text, error) in [
        ("", TermError::Kings),
        ("KR", TermError::Kings),
        ("Rkr", TermError::Kings),
        ("KKk", TermError::Kings),
        ("kK", TermError::WhiteFirst),
        ("KkR", TermError::WhiteFirst),
        ("KXk", TermError::Piece('X')),
        ("K2k", TermError::Piece('2')),
        ("K-k", TermError::Piece('-')),
        ("KP3-2k", TermError::Count),
        ("KP3-k", TermError::Count),
        ("KP65k", TermError::Count),
        ("KP99999999999999999999k", TermError::Count),
    ] {
        assert_eq!(PositionTerm::material(text), Err(error), "{text}");
    }
}

#[test]
fn the_difference_is_that_of_white() {
    for (fen, difference) in [
        (ENDING, 0),
        ("4k3/8/8/8/8/8/8/QRBN1K2 w - - 0 1", 20),
        ("4k3/qrbnp3/8/8/8/8/8/4K3 w - - 0 1", -21),
    ] {
        let exactly = |number| PositionTerm::diff(Bounds::exactly(number));
        assert!(holds(exactly(difference), fen), "{fen}");
        assert!(!holds(exactly(difference + 1), fen), "{fen}");
    }
}

#[test]
fn pawns_are_exactly_these() {
    let pawns = |text| PositionTerm::pawns(text).unwrap();
    assert!(holds(pawns("8/8/8/8/1p6/4P3/8/8"), ENDING));
    assert!(holds(pawns("nbrq4/8/8/8/1p6/4P3/8/8 b - - 0 1"), ENDING));
    assert!(!holds(pawns("8/8/8/8/1p6/8/8/8"), ENDING));
    assert!(!holds(pawns("8/8/8/8/1p6/4P3/4P3/8"), ENDING));
}

#[test]
fn a_position_is_found_by_its_moves_its_fen_and_its_name() {
    let pgn = game("1. e4 c5 2. Nf3 d6") + &game("1. Nf3 c5 2. e4") + &game("1. d4");
    let fen = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    let name = "rnbqkbnr-pp1ppppp-8-2p5-4P3-5N2-PPPP1PPP-RNBQKB1R_b_KQkq_-";
    for term in [
        line("1. e4 c5 2. Nf3"),
        line("e4,c5,g1f3"),
        line("e4_c5_Nf3"),
        PositionTerm::fen(fen).unwrap(),
        PositionTerm::fen(name).unwrap(),
        PositionTerm::fen(&fen[..fen.len() - 11]).unwrap(),
    ] {
        assert_eq!(found(&asking([group([term])]), &pgn), [(0, 3), (1, 3)]);
    }
    assert_eq!(PositionTerm::fen(fen).unwrap().to_string(), name);
    for (error, text) in [
        (
            PositionTerm::line("e4 e4"),
            "'e4' is not a legal move after 1. e4: no pawn can go to e4",
        ),
        (
            PositionTerm::line(" "),
            "expected moves from the usual start position, such as e4,c5,Nf3",
        ),
        (
            PositionTerm::fen("8/8/8/8/8/8/8/8"),
            "the side to move is missing: add w or b after the board",
        ),
    ] {
        assert_eq!(error.unwrap_err().to_string(), text);
    }
}

#[test]
fn canonical_texts_are_read_as_the_same() {
    type Read = fn(&str) -> Result<PositionTerm, TermError>;
    let texts: [(Read, &str, &str); 24] = [
        (PositionTerm::line, "1.e4 1...e5 2.Nf3 --", "e4,e5,Nf3,null"),
        (
            PositionTerm::board,
            "????????/1?2?3/--------/!A!aaKk?/[kK][rk]6/8/8/8",
            "8/8/--------/!A!aaKk1/[Kk][kr]6/8/8/8",
        ),
        (
            PositionTerm::board,
            "8/8/8/8/8/8/8/[KQRBNP][!-]6",
            "8/8/8/8/8/8/8/A7",
        ),
        (
            PositionTerm::pawns,
            "8/pppppppp/8/n7/8/8/PPPP4/RNBQKBNR w KQkq -",
            "8/pppppppp/8/8/8/8/PPPP4/8",
        ),
        (PositionTerm::material, "PRKrk", "KRPkr"),
        (PositionTerm::material, "K P P k P3", "error"),
        (PositionTerm::material, "KPPkp3p", "KP2kp4"),
        (PositionTerm::material, "K R+ * k r+ *", "K*R+k*r+"),
        (PositionTerm::material, "KRR+k", "KRR+k"),
        (PositionTerm::material, "KR3R+k", "KR3R+k"),
        (PositionTerm::material, "KR0k*q0", "Kk*q0"),
        (PositionTerm::material, "KQ*R*B*N*P*k", "K*k"),
        (PositionTerm::material, "KQ*k", "KQ*k"),
        (PositionTerm::material, "KP3-5P0-1k", "KP3-6k"),
        (PositionTerm::played, "0-0-0+", "O-O-O+"),
        (PositionTerm::played, "--", "null"),
        (PositionTerm::played, "N*f7", "N*f7"),
        (PositionTerm::played, "R1a3", "R1a3"),
        (PositionTerm::played, "Qa1xb2#", "Qa1xb2#"),
        (PositionTerm::played, "exd8=Q+", "exd8=Q+"),
        (PositionTerm::played, "*d5", "*d5"),
        (PositionTerm::played, "N**f7**", "N*f7*"),
        (PositionTerm::played, "n*f7", "error"),
        (PositionTerm::played, "e8=N", "e8=N"),
    ];
    for (read, text, canonical) in texts {
        match read(text) {
            Ok(term) => {
                assert_eq!(term.to_string(), canonical, "{text}");
                assert_eq!(read(canonical).unwrap(), term, "{text}");
            }
            Err(_) => assert_eq!(canonical, "error", "{text}"),
        }
    }
}

#[test]
fn a_move_is_found_where_it_is_played() {
    let pgn =
        game("1. e4 d5 2. exd5 Nf6 3. Nc3 Nxd5 4. Nxd5 Qxd5 5. Nf3 Bg4 6. Be2 Nc6 7. O-O O-O-O 8. h3 Qxf3");
    for (text, ply) in [
        ("e4", Some(0)),
        ("*d5", Some(1)),
        ("xd5", Some(2)),
        ("exd5", Some(2)),
        ("Pe*d5", Some(2)),
        ("cxd5", None),
        ("Nf6", Some(3)),
        ("Nd5", None),
        ("Nxd5", Some(5)),
        ("N*d5", Some(5)),
        ("Ncxd5", Some(6)),
        ("Nc3xd5", Some(6)),
        ("N?3*d5", Some(6)),
        ("Nfxd5", Some(5)),
        ("Nf3", Some(8)),
        ("N1f3", Some(8)),
        ("O-O", Some(12)),
        ("O-O-O", Some(13)),
        ("h3", Some(14)),
        ("h3+", None),
        ("Qxf3", Some(15)),
        ("Qf3", None),
        ("null", None),
    ] {
        let expected: Vec<_> = ply.map(|ply| (0, ply)).into_iter().collect();
        assert_eq!(found(&asking([group([played(text)])]), &pgn), expected, "{text}");
    }
    for wrong in [
        "", "e", "e9", "Nf", "e2e4", "e4e5", "ed5", "Xf3", "Nf3=Q", "e4=Q", "e8=K", "Nff3x", "Nxxf3", "f3!",
    ] {
        assert_eq!(PositionTerm::played(wrong), Err(TermError::Played), "{wrong}");
    }
}

#[test]
fn signs_of_check_may_be_left_out_but_not_be_wrong() {
    let pgn = game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#")
        + &game("1. e4 d5 2. Bb5+ Bd7")
        + &set_up("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "1. a8=Q+ Kd7");
    for (text, games) in [
        ("Qxf7", vec![(0, 6)]),
        ("Qxf7#", vec![(0, 6)]),
        ("Qxf7+", vec![(0, 6)]),
        ("Bb5", vec![(1, 2)]),
        ("Bb5+", vec![(1, 2)]),
        ("Bb5#", vec![]),
        ("a8=Q", vec![(2, 0)]),
        ("a8", vec![(2, 0)]),
        ("a8=Q+", vec![(2, 0)]),
        ("a8=N", vec![]),
        ("Qa8", vec![]),
    ] {
        assert_eq!(found(&asking([group([played(text)])]), &pgn), games, "{text}");
    }
}

#[test]
fn en_passant_is_a_capture() {
    let pgn = game("1. e4 a6 2. e5 d5 3. exd6");
    for (text, is_found) in [("exd6", true), ("xd6", true), ("*d6", true), ("d6", false)] {
        let found = found(&asking([group([played(text)])]), &pgn);
        assert_eq!(!found.is_empty(), is_found, "{text}");
    }
}

/// The moves of SimpleCDb are stored as squares, which exclude games.
#[test]
fn a_board_comes_up_after_the_last_capture() {
    let text = b"1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 *\n\n1. e4 d5 2. exd5 Qxd5 3. d3 Qd8 *\n";
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("games");
    simplecdb::write(&source::read(text).unwrap(), &base).unwrap();
    let database = open_base(&base).unwrap();
    assert_eq!(database.len(), 2);
    for (text, games) in [
        // All pieces of White, and none more.
        ("3q4/8/8/8/8/2N5/PPPP1PPP/R1BQKBNR", vec![(0, 6)]),
        ("rnbqkbnr/ppp1pppp/8/8/8/3P4/PPP2PPP/RNBQKBNR", vec![(1, 6)]),
        ("rnbqkbnr/pppppppp/8/8/8/8/8/8", vec![(0, 0), (1, 0)]),
    ] {
        let query = asking([group([board(text)])]);
        let found = query.find(&SearchedGames::all(&*database), 1, &|_| ()).unwrap();
        let found: Vec<_> = found.into_iter().map(|found| (found.game, found.ply)).collect();
        assert_eq!(found, games, "{text}");
    }
}

/// An index of what a game has in outline looks at 64 terms of a kind.
#[test]
fn terms_beyond_the_64th_count_as_well() {
    let pgn = game("1. e4 d5 2. exd5");
    for number in [63, 64, 65, 66] {
        let within = |least: i64| {
            PositionTerm::diff(Bounds {
                least: Some(least),
                most: None,
            })
        };
        let all = (1..number).map(|n| within(-n));
        // White is ahead by a pawn at the end.
        let with_last = |last: i64| found(&asking([group(all.clone().chain([within(last)]))]), &pgn);
        assert_eq!(with_last(1), [(0, 3)], "{number}");
        assert_eq!(with_last(2), [], "{number}");
    }
}

#[test]
fn pawns_are_counted_as_players_count_them() {
    use chessdb::board::Color::{Black, White};
    use chessdb_library::query::PawnKind::{Any, Doubled, Isolated, Passed};
    let fen = "4k3/p1p4p/2p5/4p3/1P2P1P1/8/P5PP/4K3 w - - 0 1";
    for (kind, color, number) in [
        (Any, White, 6),
        (Any, Black, 5),
        // g4 is stopped by h7 alone, b4 by a7 and c6.
        (Passed, White, 0),
        (Passed, Black, 0),
        (Isolated, White, 1),
        (Isolated, Black, 5),
        (Doubled, White, 1),
        (Doubled, Black, 1),
    ] {
        for (bounds, is_same) in [
            (number.to_string(), true),
            ((number + 1).to_string(), false),
            (format!("..{number}"), true),
            (format!("{}..", number + 1), false),
        ] {
            let term = PositionTerm::pawn_count(kind, color, bounds.parse().unwrap());
            assert_eq!(holds(term, fen), is_same, "{kind:?} {color:?} {bounds}");
        }
    }
    let passed = |color| PositionTerm::pawn_count(Passed, color, "1".parse().unwrap());
    for (fen, white, black) in [
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", true, false),
        ("4k3/1p6/8/8/8/8/P7/4K3 w - - 0 1", false, false),
        ("4k3/2p5/8/8/8/8/P7/4K3 w - - 0 1", true, true),
        ("4k3/8/8/P7/p7/8/8/4K3 w - - 0 1", true, true),
        // Files a and h are not neighbours.
        ("4k3/8/7p/8/P7/8/8/4K3 w - - 0 1", true, true),
    ] {
        assert_eq!(
            (holds(passed(White), fen), holds(passed(Black), fen)),
            (white, black),
            "{fen}"
        );
    }
}

#[test]
fn the_side_to_move_is_in_check_mate_or_stalemate() {
    let state = |name| PositionTerm::state(name).unwrap();
    for (fen, check, mate, stalemate) in [
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", false, false, false),
        ("4k3/8/8/8/8/8/8/4K2r w - - 0 1", true, false, false),
        ("6k1/5ppp/8/8/8/8/8/4R1K1 b - - 0 1", false, false, false),
        ("4R1k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", true, true, false),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", false, false, true),
        ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", false, false, false),
        // A pawn that can step, one that is blocked, and a knight that is pinned.
        ("7k/5Q2/6K1/8/p7/8/8/8 b - - 0 1", false, false, false),
        ("7k/5Q2/6K1/8/p7/P7/8/8 b - - 0 1", false, false, true),
        ("R5nk/8/6K1/8/8/8/8/8 b - - 0 1", false, false, true),
        ("6nk/8/6K1/8/8/8/8/R7 b - - 0 1", false, false, false),
    ] {
        let held = ["check", "mate", "stalemate"].map(|name| holds(state(name), fen));
        assert_eq!(held, [check, mate, stalemate], "{fen}");
    }
}

#[test]
fn bishops_stand_on_squares_of_the_same_colour_or_not() {
    let bishops = |name| PositionTerm::bishops(name).unwrap();
    for (fen, same, opposite) in [
        ("4k3/8/8/2b5/2B5/8/8/4K3 w - - 0 1", false, true),
        ("4k3/8/8/1b6/2B5/8/8/4K3 w - - 0 1", true, false),
        ("4k3/8/8/1b6/8/8/8/4K3 w - - 0 1", false, false),
        ("4k3/8/8/1bb5/2B5/8/8/4K3 w - - 0 1", false, false),
    ] {
        assert_eq!(
            (holds(bishops("same"), fen), holds(bishops("opposite"), fen)),
            (same, opposite),
            "{fen}"
        );
    }
}

#[test]
fn moves_are_found_by_patterns_of_their_full_form() {
    let pgn = game(
        "1. e4 d5 2. exd5 Nf6 3. Bb5+ c6 4. dxc6 a6 5. cxb7+ axb5 6. bxa8=N b4 7. a4 bxa3 8. Nf3 g6 9. O-O Bg7 10. Re1 O-O",
    );
    for (pattern, ply) in [
        ("*", Some(0)),
        ("N*", Some(3)),
        ("Pe4xpd5*", Some(2)),
        ("*+", Some(4)),
        ("*-*+", Some(4)),
        ("*xp*+", Some(8)),
        ("*xb*", Some(9)),
        ("*=N*", Some(10)),
        ("*=N", Some(10)),
        ("*xr*", Some(10)),
        ("*=Q*", None),
        ("*#", None),
        // En passant.
        ("Pb4xpa?", Some(13)),
        ("N?1-f3", Some(14)),
        ("O-*", Some(16)),
        ("Ke1-?1", Some(16)),
        ("K*8", Some(19)),
        ("?-O", Some(16)),
        ("R*-e1*", Some(18)),
        ("*xq*", None),
    ] {
        let expected: Vec<_> = ply.map(|ply| (0, ply)).into_iter().collect();
        assert_eq!(
            found(&asking([group([played(pattern)])]), &pgn),
            expected,
            "{pattern}"
        );
    }
    let mated = game("1. f3 e5 2. g4 Qh4#");
    for (pattern, is_same) in [("*#", true), ("Q*+", true), ("Q*h4", true), ("*xp*#", false)] {
        assert_eq!(
            !found(&asking([group([played(pattern)])]), &mated).is_empty(),
            is_same,
            "{pattern}"
        );
    }
    assert_eq!(
        found(&asking([group([played("null")])]), &game("1. e4 -- 2. d4")),
        [(0, 1)]
    );
    assert_eq!(found(&asking([group([played("*")])]), &game("1. -- --")), []);
}
