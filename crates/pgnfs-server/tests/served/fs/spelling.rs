//! `--spelling`: spellings of players that share a directory.

use std::sync::Arc;

use chessdb_library::spelling::{Spelling, SpellingFile};
use pgnfs_server::inside::{Layout, ServeOptions};

use super::mounted::{Mounted, mount_with};
use super::tables::{bytes_of, read_csv, read_ndjson, read_parquet};
use testkit::fake::{Fake, game};

fn spelled(databases: Vec<(&str, Fake)>, spelling: Spelling) -> Mounted {
    with_views(databases, spelling, &[])
}

fn with_views(databases: Vec<(&str, Fake)>, spelling: Spelling, views: &[&str]) -> Mounted {
    let mut layout = Layout::default();
    views.iter().for_each(|view| layout.add_view(view).unwrap());
    layout.spell(spelling);
    let entries = databases.into_iter().map(|(path, fake)| fake.at(path));
    let options = ServeOptions {
        layout: layout.into(),
        unique: true,
        ..ServeOptions::default()
    };
    mount_with(entries.collect(), options)
}

/// The directories of the players who played these games against `x`, with their numbers of games.
fn players(names: &[&str], spelling: Spelling) -> Vec<(String, usize)> {
    let games = names.iter().map(|name| game(name, "x"));
    players_of(&spelled(vec![("", Fake::of(games))], spelling), "")
}

fn players_of(tree: &Mounted, path: &str) -> Vec<(String, usize)> {
    let names = tree
        .ls(&format!("{path}players"))
        .into_iter()
        .filter(|name| name != "x");
    names
        .map(|name| {
            let games = tree.ls(&format!("{path}players/{name}")).len();
            (name, games)
        })
        .collect()
}

#[track_caller]
fn assert_joined(names: &[&str], expected: &[(&str, usize)]) {
    let expected: Vec<(String, usize)> = expected.iter().map(|&(name, n)| (name.to_owned(), n)).collect();
    assert_eq!(players(names, Spelling::Fold), expected);
}

#[test]
fn spellings_of_one_player_share_a_directory() {
    let kasparov = [
        "Kasparov, Garry",
        "Kasparov,G",
        "Kasparov, Gary",
        "Garry Kasparov",
        "Kasparov, Garry",
        "KASPAROV, G.K.",
        "Kasparov GK",
    ];
    assert_joined(&kasparov, &[("Kasparov, Garry", 7)]);
    assert_eq!(players(&kasparov, Spelling::Stored).len(), 6);
    assert_joined(
        &[
            "Fischer, Robert James",
            "Fischer, R",
            "Fischer,RJ",
            "Fischer, Robert J.",
            "Fischer, Robert James",
        ],
        &[("Fischer, Robert James", 5)],
    );
    assert_joined(
        &["Müller, Karsten", "MULLER, Karsten", "Müller, K", "Müller, K"],
        &[("Müller, K", 4)],
    );
    assert_joined(
        &["Korchnoi, Yuri", "Korchnoi, Juri", "Korchnoi, Y"],
        &[("Korchnoi, Juri", 2), ("Korchnoi, Y", 1)],
    );
}

#[test]
fn other_players_have_their_own() {
    for names in [
        ["Polgar, Judit", "Polgar, Zsuzsa"],
        ["Kasparov, Garry", "Kasparov"],
        ["Byrne, Robert", "Byrne, Robert jr"],
        ["Smith, John A", "Smith, John B"],
        ["Deep Blue", "Deep Thought"],
        ["Fritz 1.1", "Fritz 11"],
        ["?", "!"],
        ["Karpova, Anna", "Karpov, Anna"],
        ["Kasparov, Garry", "Kasparov, Garry:Crumiller, Jon"],
        ["Kasparov, Garry", "Kasparov, Garry / Short"],
        ["Kasparov, Garry", "Garry Kasparov & x"],
    ] {
        assert_eq!(players(&names, Spelling::Fold).len(), 2, "{names:?}");
    }
    // An initial that two players have belongs to neither, however it is written.
    assert_joined(
        &["Ivanov, Alexander", "Ivanov, Alexei", "Ivanov, A", "Ivanov,A."],
        &[("Ivanov, A", 2), ("Ivanov, Alexander", 1), ("Ivanov, Alexei", 1)],
    );
}

#[test]
fn two_letters_are_one_if_a_name_has_the_letter() {
    assert_joined(
        &[
            "Müller, Karl",
            "Mueller, Karl",
            "Muller,K",
            "Karl Mueller",
            "MUELLER, K",
            "Müller, Karl",
        ],
        &[("Müller, Karl", 6)],
    );
    assert_joined(
        &["Joergensen, Kåre", "Jørgensen,K", "Kaare Jørgensen"],
        &[("Joergensen, Kåre", 3)],
    );
    // Without the letter these are two.
    assert_joined(
        &["Mueller, Karl", "Muller, Karl"],
        &[("Mueller, Karl", 1), ("Muller, Karl", 1)],
    );
    // They meet.
    let games = [game("Müller, Karl", "Mueller, Karl")];
    let tree = spelled(vec![("", Fake::of(games))], Spelling::Fold);
    assert_eq!(players_of(&tree, "").len(), 2);
}

#[test]
fn cut_given_names_are_joined_if_there_is_one_way() {
    assert_joined(
        &[
            "Karpov, An",
            "Karpov,Ana",
            "Karpov, Anatoly",
            "Karpov, Anatoly",
            "Karpov, A",
        ],
        &[("Karpov, Anatoly", 5)],
    );
    assert_joined(
        &["Karpov, An", "Karpov,Ana", "Karpov, Anatoly", "Karpov, Andrei"],
        &[("Karpov, An", 1), ("Karpov, Anatoly", 2), ("Karpov, Andrei", 1)],
    );
    assert_joined(
        &["Popov, Martin", "Popov, Martina"],
        &[("Popov, Martin", 1), ("Popov, Martina", 1)],
    );
    // They meet.
    let games = [game("Karpov, An", "Karpov, Anatoly")];
    let tree = spelled(vec![("", Fake::of(games))], Spelling::Fold);
    assert_eq!(players_of(&tree, "").len(), 2);
}

#[test]
fn views_of_ones_own_show_the_same_players() {
    let a = || {
        Fake::of([
            game("Short, Nigel", "Tal, M").date(1990, 1, 1),
            game("Short, N", "x").date(1990, 1, 1),
        ])
    };
    let b = || {
        Fake::of([
            game("x", "SHORT,N").date(1990, 1, 1),
            game("Tal, Mikhail", "x").date(1990, 1, 1),
            game("Tal, Mikhail", "?").date(1990, 1, 1),
        ])
    };
    let views = [
        "by-year=%{year}/%{player}/against %{opponent}",
        "pairs=%{white}-%{black}",
        "letters=%{player:3}",
        "events2=%{event}",
    ];
    let tree = with_views(vec![("a", a()), ("b", b())], Spelling::Fold, &views);
    assert_eq!(tree.ls("a/by-year/1990"), ["Short, Nigel", "Tal, M", "x"]);
    assert_eq!(
        tree.ls("b/by-year/1990"),
        ["SHORT,N", "Tal, Mikhail", "unknown", "x"]
    );
    for all in ["all", "all/unique"] {
        let players = tree.ls(&format!("{all}/by-year/1990"));
        assert_eq!(players, ["Short, Nigel", "Tal, Mikhail", "unknown", "x"], "{all}");
        let against = tree.ls(&format!("{all}/by-year/1990/Short, Nigel"));
        assert_eq!(against, ["against Tal, Mikhail", "against x"], "{all}");
        let games = tree.ls(&format!("{all}/by-year/1990/Short, Nigel/against x"));
        assert_eq!(games.len(), 2, "{all}");
        assert!(
            games[0].contains("Short-x") && games[1].contains("x-SHORT"),
            "{games:?}"
        );
        let pairs = [
            "Short, Nigel-Tal, Mikhail",
            "Short, Nigel-x",
            "Tal, Mikhail-unknown",
            "Tal, Mikhail-x",
            "x-Short, Nigel",
        ];
        assert_eq!(tree.ls(&format!("{all}/pairs")), pairs, "{all}");
        assert_eq!(
            tree.ls(&format!("{all}/letters")),
            ["Sho", "Tal", "unknown", "x"],
            "{all}"
        );
        let merged = tree.cat(&format!("{all}/merged/pairs/x-Short, Nigel.pgn"));
        assert_eq!(merged, tree.cat("b/games/000001-001000/000001.pgn"), "{all}");
        let merged = tree.cat(&format!("{all}/merged/letters/Sho.pgn"));
        assert_eq!(
            merged,
            tree.cat("a/all.pgn") + &tree.cat("b/games/000001-001000/000001.pgn")
        );
        tree.walk_from(&format!("{all}/"));
    }
    let stored = with_views(vec![("a", a()), ("b", b())], Spelling::Stored, &views);
    assert_eq!(stored.ls("all/by-year/1990").len(), 7);
}

#[test]
fn players_who_meet_each_other_are_two() {
    let games = [
        game("Short, Nigel", "Short, N"),
        game("Short, Nigel", "x"),
        game("Short,N", "x"),
        game("SHORT, Nigel", "Short, N"),
    ];
    let tree = spelled(vec![("", Fake::of(games))], Spelling::Fold);
    let expected = [("Short, N", 3), ("Short, Nigel", 3)].map(|(name, n)| (name.to_owned(), n));
    assert_eq!(players_of(&tree, ""), expected);
}

#[test]
fn all_databases_have_a_spelling_of_their_own() {
    let a = Fake::of([game("Short, Nigel", "x"), game("Short, N", "x")]);
    let b = Fake::of([game("Short, N", "Short, Nigel"), game("Tal, M", "x")]);
    let c = Fake::of([game("Tal, Mikhail", "x"), game("Tal, Mikhail", "x")]);
    let tree = spelled(vec![("a", a), ("b", b), ("c", c)], Spelling::Fold);
    let named = |rows: &[(&str, usize)]| -> Vec<(String, usize)> {
        rows.iter().map(|&(name, n)| (name.to_owned(), n)).collect()
    };
    // In b they meet, so they are joined in a alone.
    assert_eq!(players_of(&tree, "a/"), named(&[("Short, Nigel", 2)]));
    for all in ["all/", "all/unique/"] {
        let expected = named(&[("Short, N", 2), ("Short, Nigel", 2), ("Tal, Mikhail", 3)]);
        assert_eq!(players_of(&tree, all), expected, "{all}");
    }
    tree.walk_from("all/players/");
    let (_, rows) = read_csv(&tree.cat("all/tables/games.csv"));
    let shown: Vec<&str> = rows.iter().map(|row| &*row["White"]).collect();
    assert_eq!(
        shown,
        [
            "Short, Nigel",
            "Short, N",
            "Short, N",
            "Tal, Mikhail",
            "Tal, Mikhail",
            "Tal, Mikhail"
        ]
    );
    assert_eq!(read_ndjson(&tree.cat("all/tables/games.ndjson")), rows);
    let (_, typed) = read_parquet(bytes_of(&tree, "all/tables/games.parquet"));
    assert!(typed.iter().map(|row| &*row["White"]).eq(shown));
    let (_, own) = read_csv(&tree.cat("b/tables/games.csv"));
    assert_eq!(own[1]["White"], "Tal, M");
    // Merged files follow, here and there.
    let game = |path: &str| tree.cat(&format!("{path}.pgn"));
    let first = game("a/games/000001-001000/000001");
    assert_eq!(
        tree.cat("a/merged/players/Short, Nigel.pgn"),
        first.clone() + &game("a/games/000001-001000/000002")
    );
    assert_eq!(
        tree.cat("all/merged/players/Short, Nigel.pgn"),
        first + &game("b/games/000001-001000/000001")
    );
}

#[test]
fn texts_and_names_of_games_stay_as_they_are() {
    let fake = || {
        Fake::of([
            game("Kasparov,G", "x"),
            game("Kasparov, Garry", "x"),
            game("Kasparov, Garry", "x"),
        ])
    };
    let folded = spelled(vec![("", fake())], Spelling::Fold);
    let stored = spelled(vec![("", fake())], Spelling::Stored);
    assert_eq!(folded.ls("years/unknown"), stored.ls("years/unknown"));
    assert_eq!(folded.cat("all.pgn"), stored.cat("all.pgn"));
    assert_eq!(folded.cat("tables/games.csv"), stored.cat("tables/games.csv"));
    let (_, rows) = read_csv(&folded.cat("tables/games.csv"));
    assert_eq!(rows[0]["White"], "Kasparov,G");
}

#[test]
fn a_line_without_letters_in_a_spelling_file_says_nothing() {
    let file = SpellingFile::read("@PLAYER\nFirst, Player\n= \n= ?!\n").unwrap();
    let found = players(&["&", ";", "First, Player"], Spelling::File(Arc::new(file)));
    assert!(
        found.len() == 3 && found.iter().all(|(_, games)| *games == 1),
        "{found:?}"
    );
}

#[test]
fn a_hostile_spelling_file_does_no_harm() {
    let long = "Long ".repeat(60);
    let text = format!(
        "\u{feff}@PLAYER\n{long}\n= Long, A\nCar\rriage,\u{0} \u{85}Return\u{1b}[2J\n= Carriage\n\
         ../../Slash/, <b>\"&\n= Slash\nSame, A\n= Same\nSAME, A\n= Other\n\
         Circle, A\n= Circle, B\nCircle, B\n= Circle, A\n=\n= = =\n# only\n@EVENT"
    );
    let file = || Spelling::File(Arc::new(SpellingFile::read(&text).unwrap()));
    let names = [
        "Long, A",
        "Carriage",
        "Slash",
        "Same",
        "SAME, A",
        "Other",
        "Circle, A",
        "Circle, B",
        "=",
    ];
    let games = || Fake::of(names.map(|name| game(name, "x")));
    let views = ["own=%{player}/%{white}"];
    let tree = with_views(vec![("a", games()), ("b", games())], file(), &views);
    for path in tree.walk() {
        let parts = path.split('/').filter(|part| !part.is_empty());
        for name in parts {
            assert!(
                !name.contains(char::is_control) && !matches!(name, "." | ".."),
                "{path:?}"
            );
        }
    }
    assert!(tree.exists("all/players/Long, A"));
    let (_, rows) = read_csv(&tree.cat("all/tables/games.csv"));
    assert_eq!(rows.len(), 2 * names.len());
    assert!(rows.iter().any(|row| row["White"] == "Carriage, Return[2J"));
    assert_eq!(read_ndjson(&tree.cat("all/tables/games.ndjson")), rows);
    let page = tree.cat("all/tables/overview.html");
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"));
}

#[test]
fn a_spelling_file_joins_what_it_says() {
    let text = "# comment\n@SITE\nMoscow\n= Kasparov, Harry\n@PLAYER \". _\"\n\
                Kasparov, Garry #GM RUS [2812] 1963.04.13\n   %Bio World Champion\n   = Weinstein, Garry\n=Kasparow,G\n\n\
                Tal, Mihail\n=Tal, Mikhail\n Twice\n=Ambiguous\nTimman, Jan\n=Ambiguous\n@EVENT\nx\n= Timman, J\n";
    let file = || Spelling::File(Arc::new(SpellingFile::read(text).unwrap()));
    let names = [
        "Weinstein, Garry",
        "Kasparow, G.",
        "KASPAROV, G",
        "Tal, Mikhail",
        "Tal, Mikhail",
        "Ambiguous",
        "Kasparov, Harry",
    ];
    let expected = [
        ("Ambiguous", 1),
        ("Kasparov, Garry", 3),
        ("Kasparov, Harry", 1),
        ("Tal, Mihail", 2),
    ];
    assert_eq!(
        players(&names, file()),
        expected.map(|(name, n)| (name.to_owned(), n))
    );
    // They play each other, so the file has no effect.
    let meeting = Fake::of([game("Weinstein, Garry", "Kasparov, Garry")]);
    assert_eq!(players_of(&spelled(vec![("", meeting)], file()), "").len(), 2);
    for text in ["", "Kasparov, Garry\n", "@PLAYER\n# no one\n@SITE\nMoscow"] {
        assert!(SpellingFile::read(text).is_err(), "{text}");
    }
}
