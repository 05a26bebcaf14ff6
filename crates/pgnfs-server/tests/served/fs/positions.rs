//! `positions/`: positions by their FEN, and the tables of moves.

use pgnfs_server::inside::{FsError, Kind};

use super::mounted::{Mounted, mount};
use chessdb::game::Outcome;
use testkit::fake::{Fake, FakeGame, game};

/// The position after 1. d4 d5 2. c4 e6, reached in any order.
const GAMBIT: &str = "rnbqkbnr-ppp2ppp-4p3-3p4-2PP4-8-PP2PPPP-RNBQKBNR_w_KQkq_-";

fn games() -> Vec<FakeGame> {
    vec![
        game("A", "B")
            .line("d4 d5 c4 e6 Nc3")
            .outcome(Outcome::WhiteWins)
            .date(1990, 1, 1),
        game("C", "D")
            .line("c4 e6 d4 d5 Nf3")
            .outcome(Outcome::Draw)
            .date(1985, 1, 1),
        game("E", "F").line("d4 d5 c4 e6"),
        game("G", "H").line("d4 d5 c4 e6 Nc3").deleted(),
        game("I", "J")
            .line("Kd2 Kd7")
            .fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
        game("K", "L").line("e4 a6 e5 d5"),
    ]
}

fn target(tree: &Mounted, path: &str) -> Result<String, FsError> {
    tree.target(tree.find(path)?)
}

#[test]
fn a_position_has_its_games_however_it_came_about() {
    let tree = mount(Fake::of(games()));
    assert_eq!(tree.ls("positions"), ["info.txt", "novelties.csv", "start"]);
    let directory = format!("positions/{GAMBIT}");
    assert_eq!(
        tree.ls(&directory),
        [
            "games",
            "games.csv",
            "games.pgn",
            "info.txt",
            "moves",
            "moves.csv"
        ]
    );
    let listed = [
        "1990.01.01_A-B_1-0_000001.pgn",
        "1985.01.01_C-D_draw_000002.pgn",
        "xxxx.xx.xx_E-F_open_000003.pgn",
    ];
    assert_eq!(tree.ls(&format!("{directory}/games")), listed);
    let game = tree.inode("games/000001-001000/000002.pgn");
    assert_eq!(tree.inode(&format!("{directory}/games/{}", listed[1])), game);
    assert_eq!(
        tree.find(&format!("{directory}/games/xxxx.xx.xx_K-L_open_000006.pgn")),
        Err(FsError::NotFound)
    );
    let texts = (1..=3).map(|game| tree.cat(&format!("games/000001-001000/00000{game}.pgn")));
    assert_eq!(
        tree.cat(&format!("{directory}/games.pgn")),
        texts.collect::<String>()
    );
    let csv = tree.cat(&format!("{directory}/games.csv"));
    let all = tree.cat("tables/games.csv");
    let columns = all.lines().next().unwrap().replace(",Deleted,FEN", "");
    assert_eq!(csv.lines().next(), Some(columns.as_str()));
    assert_eq!(csv.lines().count(), 4);
    let info = tree.cat(&format!("{directory}/info.txt"));
    assert!(
        info.contains("Games:    3\n") && info.contains("4  . . P P . . . .\n"),
        "{info}"
    );
    // By date, not in the order of the database; a game without a year is neither.
    for row in [
        "First:    1985.01.01, games/000001-001000/000002.pgn\n",
        "Last:     1990.01.01, games/000001-001000/000001.pgn\n",
    ] {
        assert!(info.contains(row), "{info}");
    }
    assert_eq!(tree.stat(&directory).links, 4);
    assert_eq!(
        tree.inode(&format!("{directory}/moves/../..")),
        tree.inode("positions")
    );
}

#[test]
fn its_table_has_what_was_played() {
    let tree = mount(Fake::of(games()));
    let directory = format!("positions/{GAMBIT}");
    let table = "move,uci,games,white,draws,black,score,elo,performance,first,last,reached,eco,path
Nc3,b1c3,1,1,0,0,100.0,,,1990,1990,1,,games/000001-001000/000001.pgn
Nf3,g1f3,1,0,1,0,50.0,,,1985,1985,1,,games/000001-001000/000002.pgn
,,1,0,0,0,,,,,,1,,games/000001-001000/000003.pgn
";
    assert_eq!(tree.cat(&format!("{directory}/moves.csv")), table);
    // In another order of moves, and in the directory that lists its games.
    assert_eq!(tree.cat("moves/d4/d5/c4/e6/moves.csv"), table);
    assert!(!tree.ls("moves").contains(&"moves.csv".to_owned()));
    for (name, after) in [
        (
            "Nc3",
            "rnbqkbnr-ppp2ppp-4p3-3p4-2PP4-2N5-PP2PPPP-R1BQKBNR_b_KQkq_-",
        ),
        (
            "Nf3",
            "rnbqkbnr-ppp2ppp-4p3-3p4-2PP4-5N2-PP2PPPP-RNBQKB1R_b_KQkq_-",
        ),
    ] {
        let link = format!("{directory}/moves/{name}");
        assert_eq!(target(&tree, &link), Ok(format!("../../{after}")));
        assert!(tree.exists(&format!("{directory}/moves/../../{after}")));
    }
    assert_eq!(tree.ls(&format!("{directory}/moves")), ["Nc3", "Nf3"]);
}

#[test]
fn other_spellings_of_a_position_are_links_to_it() {
    let tree = mount(Fake::of(games()));
    let board = "rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR";
    for name in [
        format!("{} w KQkq - 0 3", board.replace('/', "-")),
        format!("{}_w_KQkq_-_0_3", board.replace('/', ".")),
        format!("{} w KQkq -", board.replace('/', "\u{2215}")),
        format!("{} w KQkq e6", board.replace('/', "%2F")),
        format!("{} w KQkq -", board.replace('/', "%2f").replacen("%2f", "%2F", 3)),
    ] {
        let link = format!("positions/{name}");
        assert_eq!(target(&tree, &link), Ok(GAMBIT.to_owned()), "{name}");
    }
    assert_eq!(tree.stat("positions/start").kind, Kind::Link);
    let start = target(&tree, "positions/start").unwrap();
    assert_eq!(tree.ls(&format!("positions/{start}/games")).len(), 4);
    assert_eq!(
        target(&tree, "moves/d4/d5/c4/e6/position"),
        Ok(format!("../../../../../positions/{GAMBIT}"))
    );
    for unknown in [
        "x",
        "8-8-8-8-8-8-8-8_w_-_-",
        &GAMBIT.replace("_w_", "_b_"),
        &GAMBIT.replace("KQkq", "KQ"),
    ] {
        assert_eq!(
            tree.find(&format!("positions/{unknown}")),
            Err(FsError::NotFound),
            "{unknown}"
        );
    }
}

#[test]
fn a_fen_with_its_slashes_is_a_path() {
    let tree = mount(Fake::of(games()));
    let fen = "rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3";
    let link = format!("positions/{fen}");
    assert_eq!(target(&tree, &link), Ok(format!("../../../../../../../{GAMBIT}")));
    let (directory, _) = link.rsplit_once('/').unwrap();
    assert_eq!(tree.ls(directory), Vec::<String>::new());
    assert_eq!(tree.parent(tree.inode(&link)), Ok(tree.inode(directory)));
    assert_eq!(
        tree.inode(&format!("{directory}/../../../../../../..")),
        tree.inode("positions")
    );
    for wrong in [
        fen.replace(" w ", " b "),
        fen.replace("/8/", "/9/"),
        fen.replace("PP2PPPP/", "PP2PPPP."),
    ] {
        assert_eq!(
            tree.find(&format!("positions/{wrong}")),
            Err(FsError::NotFound),
            "{wrong}"
        );
    }
    // A directory that was not looked up is unknown.
    let other = mount(Fake::of(games()));
    assert_eq!(other.attributes(tree.inode(directory)), Err(FsError::Stale));
}

#[test]
fn a_fen_without_rights_is_a_position_with_any() {
    let games = || {
        Fake::of([
            game("A", "B").line("e4 e5 Nf3"),
            game("C", "D").line("e4 e5 d4"),
            game("E", "F").line("Nf3 Nf6 Rg1 Rg8 Rh1 Rh8 Ng1 Ng8 e4 e5 d4"),
        ])
    };
    let tree = mount(games());
    let board = "rnbqkbnr-pppp1ppp-8-4p3-4P3-8-PPPP1PPP-RNBQKBNR";
    for (rights, numbers) in [
        ("w", &["1", "2", "3"][..]),
        ("w_KQkq", &["1", "2"]),
        ("w_KQkq_-", &["1", "2"]),
        ("w_Qq", &["3"]),
    ] {
        let names = tree.ls(&format!("positions/{board}_{rights}/games"));
        let is_expected = |(name, number): (&String, &&str)| name.ends_with(&format!("{number}.pgn"));
        assert!(names.len() == numbers.len(), "{rights}: {names:?}");
        assert!(names.iter().zip(numbers).all(is_expected), "{rights}: {names:?}");
    }
    let directory = format!("positions/{board}_w");
    let table = tree.cat(&format!("{directory}/moves.csv"));
    assert!(
        table.contains("\nd4,d2d4,2,") && table.contains("\nNf3,g1f3,1,"),
        "{table}"
    );
    assert_eq!(tree.ls(&format!("{directory}/moves")), ["Nf3", "d4"]);
    let info = tree.cat(&format!("{directory}/info.txt"));
    let fen = board.replace('-', "/") + " w";
    assert!(
        info.starts_with(&format!("EPD:      {fen}\nGames:    3\n")),
        "{info}"
    );

    let dotted = format!("positions/{}", fen.replace('/', "."));
    assert_eq!(target(&tree, &dotted), Ok(format!("{board}_w")));
    assert_eq!(
        target(&tree, &format!("positions/{fen}")),
        Ok(format!("../../../../../../../{board}_w"))
    );
    for path in [
        "",
        "/games",
        "/moves",
        "/info.txt",
        "/moves.csv",
        "/games.pgn",
        "/games.csv",
    ] {
        let inode = tree.inode(&format!("{directory}{path}"));
        let second = mount(games());
        assert_eq!(second.attributes(inode), tree.attributes(inode), "{path}");
        assert_eq!(second.parent(inode), tree.parent(inode), "{path}");
    }
}

#[test]
fn there_is_no_link_to_a_start_that_no_game_has() {
    let ending = || game("A", "B").fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").line("Kd2");
    for games in [
        vec![ending()],
        vec![ending(), game("C", "D").line("e4").deleted()],
    ] {
        let tree = mount(Fake::of(games));
        assert_eq!(tree.ls("positions"), ["info.txt", "novelties.csv"]);
        assert_eq!(tree.find("positions/start"), Err(FsError::NotFound));
    }
}

#[test]
fn novelties_are_moves_that_no_earlier_game_has() {
    let tree = mount(Fake::of([
        game("A", "B").line("e4 e5 Nf3").date(1990, 1, 1),
        game("C", "D").line("e4 c5").date(1991, 1, 1),
        game("E", "F").line("e4 c5").date(1992, 1, 1),
    ]));
    let table = tree.cat("positions/novelties.csv");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 3, "{table}");
    assert!(
        rows[1].starts_with("1,0,e4,") && rows[2].starts_with("2,1,c5,1,"),
        "{table}"
    );
}

#[test]
fn set_up_games_and_en_passant_are_found() {
    let tree = mount(Fake::of(games()));
    let king = tree.ls("positions/8-3k4-8-8-8-8-3KP3-8_w_-_-/games");
    assert_eq!(king, ["xxxx.xx.xx_I-J_open_000005.pgn"]);
    let passant = "positions/rnbqkbnr-1pp1pppp-p7-3pP3-8-8-PPPP1PPP-RNBQKBNR_w_KQkq_";
    assert!(tree.exists(&format!("{passant}d6")) && !tree.exists(&format!("{passant}-")));
}

#[test]
fn a_position_is_the_same_in_every_mount() {
    let directory = format!("positions/{GAMBIT}");
    let first = mount(Fake::of(games()));
    for path in [
        "",
        "/games",
        "/moves",
        "/moves/Nc3",
        "/info.txt",
        "/moves.csv",
        "/games.pgn",
        "/games.csv",
    ] {
        let inode = first.inode(&format!("{directory}{path}"));
        // An inode works without a previous look-up.
        let second = mount(Fake::of(games()));
        assert_eq!(second.attributes(inode), first.attributes(inode), "{path}");
        let parent = second.parent(inode).unwrap();
        assert_eq!(Ok(parent), first.parent(inode), "{path}");
    }
    // The second game with the position has no directory.
    let tree = mount(Fake::of(games()));
    let other = pgnfs_server::inside::Inode(first.inode(&directory).0 + 1);
    assert_eq!(tree.attributes(other), Err(FsError::Stale));
}
