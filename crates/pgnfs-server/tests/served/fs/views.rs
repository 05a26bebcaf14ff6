use std::sync::Arc;
use std::sync::atomic::Ordering;

use chessdb::game::Outcome;
use pgnfs_server::inside::{Inode, Kind, Layout, ServeOptions};

use super::mounted::{Mounted, mount, mount_with};
use testkit::fake::{Fake, game};

fn match_of_1985() -> Mounted {
    mount(Fake::of([
        game("Karpov, Anatoly", "Kasparov, Garry")
            .event("World Championship")
            .date(1985, 11, 9)
            .eco(b"B85")
            .outcome(Outcome::BlackWins),
        game("Kasparov, Garry", "Karpov, Anatoly")
            .event("World Championship")
            .date(1985, 11, 5)
            .eco(b"C92")
            .outcome(Outcome::Draw),
        game("Morphy, Paul", "?")
            .date(1858, 0, 0)
            .outcome(Outcome::WhiteWins),
        game("Erased, One", "Erased, Two")
            .event("Erased")
            .date(1999, 1, 1)
            .eco(b"A00")
            .deleted(),
    ]))
}

#[test]
fn the_whole_tree_of_a_small_database() {
    let karpov_kasparov = "1985.11.09_Karpov-Kasparov_0-1_000001.pgn";
    let kasparov_karpov = "1985.11.05_Kasparov-Karpov_draw_000002.pgn";
    let morphy = "1858.xx.xx_Morphy-unknown_1-0_000003.pgn";
    let mut expected = [
        "all.pgn",
        "tables/",
        "tables/duplicates.csv",
        "tables/games.csv",
        "tables/games.ndjson",
        "tables/games.parquet",
        "info.txt",
        "tables/overview.html",
        "tables/problems.txt",
        "games/",
        "games/000001-001000/",
        "games/000001-001000/000001.pgn",
        "games/000001-001000/000002.pgn",
        "games/000001-001000/000003.pgn",
        "games/000001-001000/000004.pgn",
        "players/",
        "players/Karpov, Anatoly/",
        &format!("players/Karpov, Anatoly/{karpov_kasparov}"),
        &format!("players/Karpov, Anatoly/{kasparov_karpov}"),
        "players/Kasparov, Garry/",
        &format!("players/Kasparov, Garry/{karpov_kasparov}"),
        &format!("players/Kasparov, Garry/{kasparov_karpov}"),
        "players/Morphy, Paul/",
        &format!("players/Morphy, Paul/{morphy}"),
        "players/unknown/",
        &format!("players/unknown/{morphy}"),
        "events/",
        "events/World Championship 1985/",
        &format!("events/World Championship 1985/{karpov_kasparov}"),
        &format!("events/World Championship 1985/{kasparov_karpov}"),
        "events/unknown 1858/",
        &format!("events/unknown 1858/{morphy}"),
        "years/",
        "years/1858/",
        &format!("years/1858/{morphy}"),
        "years/1985/",
        &format!("years/1985/{karpov_kasparov}"),
        &format!("years/1985/{kasparov_karpov}"),
        "eco/",
        "eco/B/",
        "eco/B/B85/",
        &format!("eco/B/B85/{karpov_kasparov}"),
        "eco/C/",
        "eco/C/C92/",
        &format!("eco/C/C92/{kasparov_karpov}"),
        "eco/unknown/",
        &format!("eco/unknown/{morphy}"),
        "moves/",
        &format!("moves/{karpov_kasparov}"),
        &format!("moves/{kasparov_karpov}"),
        &format!("moves/{morphy}"),
        "material/",
        "material/KQRRBBNNPPPPPPPPkqrrbbnnpppppppp/",
        &format!("material/KQRRBBNNPPPPPPPPkqrrbbnnpppppppp/{karpov_kasparov}"),
        &format!("material/KQRRBBNNPPPPPPPPkqrrbbnnpppppppp/{kasparov_karpov}"),
        &format!("material/KQRRBBNNPPPPPPPPkqrrbbnnpppppppp/{morphy}"),
        "merged/material/",
        "merged/material/KQRRBBNNPPPPPPPPkqrrbbnnpppppppp.pgn",
        "positions/",
        "positions/info.txt",
        "positions/novelties.csv",
        "positions/start",
        "search/",
        "search/syntax.txt",
        "merged/",
        "merged/players/",
        "merged/players/Karpov, Anatoly.pgn",
        "merged/players/Kasparov, Garry.pgn",
        "merged/players/Morphy, Paul.pgn",
        "merged/players/unknown.pgn",
        "merged/events/",
        "merged/events/World Championship 1985.pgn",
        "merged/events/unknown 1858.pgn",
        "merged/years/",
        "merged/years/1858.pgn",
        "merged/years/1985.pgn",
        "merged/eco/",
        "merged/eco/B85.pgn",
        "merged/eco/C92.pgn",
        "merged/eco/unknown.pgn",
    ];
    expected.sort_unstable();
    assert_eq!(match_of_1985().walk(), expected);
}

#[test]
fn listings_are_sorted_by_name() {
    let tree = match_of_1985();
    for directory in [
        "",
        "players",
        "events",
        "years",
        "eco",
        "merged/players",
        "merged/eco",
    ] {
        let names = tree.ls(directory);
        assert!(names.is_sorted(), "{directory}: {names:?}");
    }
}

#[test]
fn an_event_is_shown_with_the_year_of_the_event() {
    let mut second_day = game("a", "b").event("Hastings").date(1896, 1, 2);
    second_day.event_year = 1895;
    let tree = mount(Fake::of([
        game("a", "b").event("Hastings").date(1895, 12, 28),
        second_day,
        game("a", "b").event("Hastings").date(1922, 0, 0),
        game("a", "b").event("Hastings 1922").date(1922, 0, 0),
        game("a", "b").event("Hastings"),
        game("a", "b"),
    ]));
    assert_eq!(
        tree.ls("events"),
        ["Hastings", "Hastings 1895", "Hastings 1922", "unknown"]
    );
    assert_eq!(tree.ls("events/Hastings 1895").len(), 2);
    assert_eq!(tree.ls("events/Hastings 1922").len(), 2);
}

#[test]
fn deleted_games_are_in_no_view_but_in_games_and_all() {
    let tree = match_of_1985();
    assert!(
        tree.cat("games/000001-001000/000004.pgn")
            .contains("[Deleted \"1\"]")
    );
    assert!(tree.cat("all.pgn").contains("[White \"Erased, One\"]"));
    assert!(!tree.exists("players/Erased, One"));
    assert!(!tree.exists("years/1999"));
    assert!(!tree.exists("merged/eco/A00.pgn"));
}

#[test]
fn a_view_of_an_empty_database_is_empty() {
    let tree = mount(Fake::default());
    for directory in ["games", "players", "merged/players", "eco", "merged/eco"] {
        assert!(tree.ls(directory).is_empty(), "{directory}");
    }
    assert_eq!(tree.cat("all.pgn"), "");
    assert_eq!(tree.cat("tables/problems.txt"), "");
    assert_eq!(tree.stat("players").kind, Kind::Directory);
}

#[test]
fn a_name_is_found_only_where_it_is_listed() {
    let tree = match_of_1985();
    let game = "1985.11.09_Karpov-Kasparov_0-1_000001.pgn";
    assert!(tree.exists(&format!("years/1985/{game}")));
    for wrong in [
        format!("years/1858/{game}"),
        format!("games/000001-001000/{game}"),
        "years/1985/000001.pgn".to_owned(),
        "years/1985/1985.11.09_Karpov-Kasparov_0-1_1.pgn".to_owned(),
        "years/1985/1985.11.09_Karpov-Kasparov_0-1_000000.pgn".to_owned(),
        "years/1985/1985.11.09_Karpov-Kasparov_1-0_000001.pgn".to_owned(),
        "years/1985/1985.11.09_Karpov-Kasparov_0-1_000099.pgn".to_owned(),
        "years/985".to_owned(),
        "games/000001-002000".to_owned(),
        "games/1-1000".to_owned(),
        "games/001001-002000".to_owned(),
        "games/000001-001000/000005.pgn".to_owned(),
        "games/000001-001000/1.pgn".to_owned(),
        "merged/players/Karpov, Anatoly".to_owned(),
        "merged/players/.pgn".to_owned(),
        "eco/B85".to_owned(),
        "emb".to_owned(),
        "collections".to_owned(),
    ] {
        assert!(!tree.exists(&wrong), "{wrong}");
    }
}

#[test]
fn games_stand_in_blocks_of_a_thousand() {
    let tree = mount(Fake::of((0..2001).map(|_| game("a", "b"))));
    assert_eq!(
        tree.ls("games"),
        ["000001-001000", "001001-002000", "002001-003000"]
    );
    let second = tree.ls("games/001001-002000");
    assert_eq!((second.len(), second[0].as_str()), (1000, "001001.pgn"));
    assert_eq!(tree.ls("games/002001-003000"), ["002001.pgn"]);
    assert!(!tree.exists("games/000001-001000/001001.pgn"));
}

#[test]
fn dot_is_the_directory_and_dot_dot_its_parent() {
    let tree = match_of_1985();
    for (path, parent) in [
        ("", ""),
        ("players", ""),
        ("players/Karpov, Anatoly", "players"),
        ("eco/B/B85", "eco/B"),
        ("merged/eco", "merged"),
        ("merged", ""),
        ("games/000001-001000", "games"),
    ] {
        let inode = tree.inode(path);
        assert_eq!(tree.inode(&format!("{path}/..")), tree.inode(parent), "{path}");
        assert_eq!(tree.inode(&format!("{path}/.")), inode, "{path}");
        assert_eq!(tree.parent(inode), Ok(tree.inode(parent)), "{path}");
    }
    let game = tree.inode("years/1858/1858.xx.xx_Morphy-unknown_1-0_000003.pgn");
    assert_eq!(tree.parent(game), Ok(tree.inode("games/000001-001000")));
    assert_eq!(tree.parent(Inode::ROOT), Ok(Inode::ROOT));
}

#[test]
fn material_is_that_at_the_end_of_a_game() {
    let tree = mount(Fake::of([
        game("a", "b")
            .line("Kd2 Kd7")
            .fen("4k2r/8/8/8/8/8/4P3/R3K3 w - - 0 1"),
        game("c", "d")
            .line("e8=Q+ Kg7")
            .fen("6k1/4P3/8/8/8/8/8/R3K3 w - - 0 1"),
        game("e", "f").fen("6k1/4P3/8/8/8/8/8/R3K3 w - - 0 1").deleted(),
    ]));
    assert_eq!(tree.ls("material"), ["KQRk", "KRPkr"]);
    assert_eq!(tree.ls("material/KQRk"), ["xxxx.xx.xx_c-d_open_000002.pgn"]);
    assert_eq!(
        tree.cat("merged/material/KQRk.pgn"),
        tree.cat("games/000001-001000/000002.pgn")
    );
}

/// A second thread helps from 100,000 games on.
#[test]
fn a_view_that_several_threads_make_has_each_game_in_its_directory() {
    for games in [99_999, 100_000, 200_001] {
        let year = |number: usize| 1900 + number as u16 % 13;
        let tree = mount(Fake::of(
            (1..=games).map(|number| game("a", "b").date(year(number), 0, 0)),
        ));
        let mut found = 0;
        for directory in tree.ls("years") {
            let names = tree.ls(&format!("years/{directory}"));
            for name in &names {
                let (_, number) = name.trim_end_matches(".pgn").rsplit_once('_').unwrap();
                assert_eq!(
                    year(number.parse().unwrap()).to_string(),
                    directory.trim_end_matches('/')
                );
            }
            assert!(names.is_sorted_by(|a, b| a < b), "{directory}");
            found += names.len();
        }
        assert_eq!(found, games);
    }
}

/// Games with and without the tag ECO: of the first, the moves say something else.
fn with_and_without_eco() -> Fake {
    Fake::of([
        game("a", "b").line("e4 c5").eco(b"C42").tag("ECO", "C42"),
        game("c", "d").line("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"),
        game("e", "f").line("d4 Nf6 c4 e6 Nf3 d5 Nc3"),
        game("g", "h"),
        game("i", "j").line("e4 e6").deleted(),
    ])
}

fn by_moves(is_wanted: bool) -> ServeOptions {
    let mut layout = Layout::default();
    layout.sort_eco_by_moves(is_wanted);
    ServeOptions {
        layout: layout.into(),
        ..ServeOptions::default()
    }
}

#[test]
fn eco_has_games_without_the_tag_by_their_moves_if_that_is_wanted() {
    let codes = |tree: &Mounted, folder: &str| -> Vec<String> {
        let letters = tree.ls(&format!("{folder}eco")).into_iter();
        let codes = letters.flat_map(|letter| {
            let below = tree.ls(&format!("{folder}eco/{letter}")).into_iter();
            below
                .map(move |name| format!("{letter}/{name}"))
                .collect::<Vec<_>>()
        });
        codes.collect()
    };
    let fake = with_and_without_eco();
    let replayed = Arc::clone(&fake.replayed);
    let tree = mount_with(vec![fake.at("")], by_moves(false));
    assert_eq!(
        codes(&tree, ""),
        [
            "C/C42",
            "unknown/xxxx.xx.xx_c-d_open_000002.pgn",
            "unknown/xxxx.xx.xx_e-f_open_000003.pgn",
            "unknown/xxxx.xx.xx_g-h_open_000004.pgn"
        ]
    );
    assert_eq!(replayed.load(Ordering::Relaxed), 0, "no moves are needed");
    let tree = mount_with(vec![with_and_without_eco().at("")], by_moves(true));
    let expected = [
        "B/B90",
        "C/C42",
        "D/D37",
        "unknown/xxxx.xx.xx_g-h_open_000004.pgn",
    ];
    assert_eq!(codes(&tree, ""), expected);
    assert_eq!(tree.ls("eco/B/B90"), ["xxxx.xx.xx_c-d_open_000002.pgn"]);
    assert_eq!(
        tree.stat("eco/B/B90/xxxx.xx.xx_c-d_open_000002.pgn").links,
        tree.stat("eco/C/C42/xxxx.xx.xx_a-b_open_000001.pgn").links
    );
    assert_eq!(
        tree.cat("merged/eco/B90.pgn"),
        tree.cat("games/000001-001000/000002.pgn")
    );
    // A search for a code finds the games below `eco/`.
    assert_eq!(codes(&tree, "search/eco:B90/"), ["B/B90"]);
    let databases = ["a", "b"].map(|path| with_and_without_eco().at(path));
    let tree = mount_with(databases.into(), by_moves(true));
    assert_eq!(tree.ls("all/eco/D/D37").len(), 2);
}
