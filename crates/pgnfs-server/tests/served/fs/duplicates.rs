//! `duplicates.csv`: the games that a database, or several, have more than once.

use std::collections::{BTreeMap, BTreeSet};

use chessdb::game::Outcome;
use pgnfs_server::inside::ServeOptions;

use super::contents;
use super::mounted::{Mounted, mount, mount_all, mount_with};
use super::tables::{Row, bytes_of, read_csv, read_ndjson, read_parquet};
use testkit::fake::{Fake, FakeGame, game};

const SPANISH: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7";
const SICILIAN: &str = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6";
/// 40 plies.
const LONG: &str = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 \
                    Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8";
const SHORTER: &str = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 \
                       Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1";
const SHORT: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O";

fn spanish(white: &str, black: &str, year: u16, month: u8, day: u8) -> FakeGame {
    game(white, black).date(year, month, day).line(SPANISH)
}

/// The groups of a table: the games of each as database (if there is such a column) and number.
fn groups(tree: &Mounted, path: &str) -> BTreeSet<Vec<String>> {
    let (_, rows) = read_csv(&tree.cat(path));
    let mut groups: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for row in &rows {
        let name = row.get("database").cloned().unwrap_or_default() + &row["number"];
        groups
            .entry(row["group"].parse().unwrap())
            .or_default()
            .push(name);
    }
    assert!(groups.keys().copied().eq(1..=groups.len() as u32));
    groups
        .into_values()
        .map(|mut games| {
            games.sort();
            games
        })
        .collect()
}

/// The groups of one database with these games.
fn found(games: &[FakeGame]) -> Vec<Vec<String>> {
    let tree = mount(Fake::of(games.to_vec()));
    groups(&tree, "tables/duplicates.csv").into_iter().collect()
}

#[track_caller]
fn assert_found(games: &[FakeGame], expected: &[&[&str]]) {
    assert_eq!(found(games), expected);
}

#[test]
fn the_same_game_is_found_however_its_players_are_written() {
    let games = [
        spanish("Karpov, Anatoly", "Kasparov, Garry", 1985, 11, 9),
        spanish("Karpov,A", "Kasparov", 1985, 0, 0),
        spanish("Anatoly Karpov", "?", 0, 0, 0),
        spanish("KARPOV, A.", "Kasparov, Gary", 1985, 11, 0),
    ];
    assert_found(&games, &[&["1", "2", "3", "4"]]);
}

#[test]
fn games_that_contradict_each_other_are_no_duplicates() {
    let first = spanish("Karpov, Anatoly", "Kasparov, Garry", 1985, 11, 9);
    for other in [
        spanish("Karpov, Anatoly", "Kasparov, Garry", 1985, 11, 10),
        spanish("Karpov, Anatoly", "Kasparov, Garry", 1986, 0, 0),
        spanish("Karpov, Boris", "Kasparov, Garry", 1985, 11, 9),
        spanish("Karpov, Anatoly", "Korchnoi, Viktor", 1985, 11, 9),
        spanish("Kasparov, Garry", "Karpov, Anatoly", 1985, 11, 9),
        spanish("Karpov, Anatoly", "Kasparov, Garry", 1985, 11, 9).line(SICILIAN),
        // No player is known in both games.
        spanish("?", "?", 1985, 11, 9),
        spanish("Karpov, Anatoly", "Kasparov, Garry", 1985, 11, 9).deleted(),
    ] {
        assert_found(&[first.clone(), other.clone()], &[]);
        assert_found(&[other, first.clone()], &[]);
    }
    let mut fen = first.clone();
    fen.fen = Some("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1");
    assert_found(&[first, fen], &[]);
}

/// A game of 40 plies in Linares in 1993.
fn long(year: u16, month: u8, day: u8) -> FakeGame {
    let game = spanish("Karpov, Anatoly", "Kasparov, Garry", year, month, day);
    game.line(LONG).event("Linares").tag("Round", "3")
}

#[test]
fn long_games_are_the_same_whatever_their_dates() {
    let first = long(1993, 3, 1);
    let round = |round| first.clone().date(1994, 3, 1).tag("Round", round);
    for other in [
        long(1993, 3, 2),
        long(1994, 3, 1),
        long(1994, 0, 0).event("Linares 10th"),
        long(1994, 3, 1).event("LINARES, 1993"),
        long(1994, 3, 1).event("?"),
        round("3.5"),
        round("?"),
    ] {
        assert_found(&[first.clone(), other.clone()], &[&["1", "2"]]);
        assert_found(&[other, first.clone()], &[&["1", "2"]]);
    }
    let mut unknown = long(1993, 3, 2);
    unknown.black = "?".to_owned();
    for other in [unknown, round("4"), long(1994, 3, 1).event("Wijk aan Zee")] {
        assert_found(&[first.clone(), other.clone()], &[]);
        assert_found(&[other, first.clone()], &[]);
    }
    assert_found(&[1993, 1994].map(|year| long(year, 3, 1).line(SHORTER)), &[]);
    // Of two drawn games in different events, each has its copies, also from other years and without events.
    let games = [
        long(1993, 3, 1),
        long(1994, 1, 5).event("Wijk aan Zee"),
        long(1994, 1, 5).event("?"),
        long(1992, 3, 1),
        long(1994, 1, 6).event("Wijk aan Zee 1994"),
        long(0, 0, 0).event("?"),
    ];
    let events = found(&games);
    assert_eq!(events, [["1", "4", "6"], ["2", "3", "5"]]);
    // A game that a group cannot take starts another group, however many groups there are.
    let events = (0..100u16).map(|n| long(1900 + n, 1, 1).event(&format!("Town {n}")));
    let events: Vec<FakeGame> = events.collect();
    assert_eq!(found(&events), Vec::<Vec<String>>::new());
    let twice: Vec<FakeGame> = events.iter().chain(&events).cloned().collect();
    assert_eq!(found(&twice).len(), 100);
}

#[test]
fn a_row_says_what_makes_its_game_the_same() {
    let short = || long(1993, 3, 1).line(SHORT);
    let tree = mount(Fake::of([
        long(1993, 3, 1),
        long(1993, 3, 0),
        long(1994, 3, 1).comment("good"),
        long(1994, 0, 0),
        short(),
        short(),
    ]));
    let (_, rows) = read_csv(&tree.cat("tables/duplicates.csv"));
    let reason = |row: &Row| {
        (
            row["number"].clone(),
            row.get("reason").cloned().unwrap_or_default(),
        )
    };
    let reasons: Vec<(String, String)> = rows.iter().map(reason).collect();
    let expected = [
        ("3", ""),
        ("1", "moves"),
        ("2", "moves"),
        ("4", "date"),
        ("5", ""),
        ("6", "tags"),
    ];
    assert_eq!(reasons, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn no_group_has_games_that_contradict_each_other() {
    let dated = |day| spanish("Karpov, Anatoly", "Kasparov, Garry", 1985, 11, day);
    // The game without a day belongs to the first of the games that it can be.
    for order in [[9, 10, 0], [9, 0, 10], [0, 9, 10]] {
        let games = order.map(dated);
        let number = |day| (order.iter().position(|&own| own == day).unwrap() + 1).to_string();
        let mut together = [number(9), number(0)];
        together.sort();
        assert_eq!(found(&games), [together], "{order:?}");
    }
    // Without an initial, the same.
    let games =
        ["Ivanov", "Ivanov, Alexander", "Ivanov, Sergey"].map(|name| spanish(name, "Tal, M", 1990, 1, 1));
    assert_found(&games, &[&["1", "2"]]);
    // One with no known player goes with its like alone.
    let unknown = || spanish("?", "NN", 0, 0, 0);
    assert_found(
        &[dated(9), unknown(), unknown(), dated(9)],
        &[&["1", "4"], &["2", "3"]],
    );
}

#[test]
fn a_group_does_not_grow_by_ever_new_names() {
    let games: Vec<FakeGame> = (0..100)
        .map(|n| spanish(&format!("Smith A{n:02}"), "Jones", 2001, 1, 1))
        .collect();
    let groups = found(&games);
    assert!(groups.iter().all(|group| group.len() <= 16), "{groups:?}");
    let twice: Vec<FakeGame> = games.iter().chain(&games).cloned().collect();
    let of = |n: usize| {
        found(&twice)
            .iter()
            .position(|group| group.contains(&n.to_string()))
    };
    for n in [1, 50, 100] {
        assert!(of(n).is_some() && of(n) == of(n + 100), "{n}");
    }
}

#[test]
fn a_group_has_at_most_32_occasions() {
    for (years, largest) in [(31, 31), (32, 32), (33, 32)] {
        let games: Vec<FakeGame> = (0..years).map(|year| long(1900 + year, 1, 1)).collect();
        let sizes: Vec<usize> = found(&games).iter().map(Vec::len).collect();
        assert_eq!(sizes, [largest], "{years}");
    }
}

#[test]
fn short_games_need_the_same_tags() {
    let short = |event: &str, day| {
        spanish("Tal, M", "Petrosian, T", 1970, 1, day)
            .event(event)
            .line(SHORT)
    };
    let unplayed = |white: &str| game(white, "Petrosian, T").date(1970, 1, 1);
    assert_found(
        &[
            short("Moscow", 1),
            short("Riga", 1),
            short("Moscow", 1),
            short("Moscow", 0),
            short("Moscow", 0),
            unplayed("Tal, M"),
            unplayed("?"),
            unplayed("?"),
            unplayed("Tal, M").outcome(Outcome::WhiteWins),
            unplayed("Tal, M"),
        ],
        &[&["1", "3"], &["10", "6"]],
    );
}

#[test]
fn the_best_game_comes_first_and_rows_say_what_differs() {
    let dated = |day| spanish("Karpov, Anatoly", "Kasparov, Garry", 1985, 11, day);
    let tree = mount(Fake::of([
        dated(0),
        dated(9).event("Moscow, \"m\"").tag("WhiteElo", "2700"),
        dated(9).comment("[%clk 1:00]").tag("WhiteElo", "2720"),
        dated(9).comment("good"),
        dated(9).line(SICILIAN),
        dated(9).line(SICILIAN).tag("Annotator", "Tal"),
    ]));
    let (columns, rows) = read_csv(&tree.cat("tables/duplicates.csv"));
    let expected = "group number White Black Date plies annotations unique differs path reason";
    assert_eq!(columns.join(" "), expected);
    let line = |row: &Row| {
        let of = |column: &str| row.get(column).map_or("", String::as_str);
        [
            "group",
            "number",
            "plies",
            "annotations",
            "unique",
            "differs",
            "reason",
        ]
        .map(of)
        .join("|")
    };
    assert_eq!(
        rows.iter().map(line).collect::<Vec<_>>(),
        [
            "1|4|10|1|true||",
            "1|1|10|0|false|Date|date",
            "1|2|10|0|false|Event WhiteElo|date",
            "1|3|10|0|false|WhiteElo|date",
            "2|6|10|0|true||",
            "2|5|10|0|false|Annotator|date",
        ]
    );
    assert_eq!(
        (&*rows[1]["Date"], &*rows[1]["White"]),
        ("1985.11.??", "Karpov, Anatoly")
    );
    for row in &rows {
        assert!(tree.cat(&row["path"]).contains(&row["White"]), "{row:?}");
    }
}

#[test]
fn planted_duplicates_are_found_exactly() {
    // Games of 10 lines; each game is in both databases or only in one, and some of the second have less known.
    let lines = [SPANISH, SICILIAN, "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O"];
    let own = |n: usize| {
        spanish(
            &format!("White{}, A", n % 13),
            &format!("Black{}, B", n % 7),
            1900 + (n % 91) as u16,
            1,
            1,
        )
        .line(lines[n % 3])
    };
    let copy = |n: usize| {
        let mut copy = own(n);
        if n.is_multiple_of(4) {
            copy.date = chessdb::game::Date::new(copy.date.year, 0, 0);
        }
        if n.is_multiple_of(5) {
            copy.white = copy.white.replace(", A", "");
        }
        copy
    };
    // 7 * 13 = 91 and 3 make each of these games a different game.
    let games = 7 * 13 * 3;
    let first = Fake::of((0..games).map(own));
    let second = Fake::of((0..games).rev().filter(|n| n.is_multiple_of(2)).map(copy));
    let number = |n: usize| (games - 1 - n) / 2 + 1;
    let expected: BTreeSet<Vec<String>> = (0..games)
        .step_by(2)
        .map(|n| vec![format!("a{}", n + 1), format!("b{}", number(n))])
        .collect();
    let tree = mount_all(vec![first.at("a"), second.at("b")]);
    assert_eq!(groups(&tree, "all/tables/duplicates.csv"), expected);
    assert!(groups(&tree, "a/tables/duplicates.csv").is_empty());
    let (columns, rows) = read_csv(&tree.cat("all/tables/duplicates.csv"));
    assert_eq!(columns[0], "database");
    for row in &rows {
        assert!(
            row["path"].starts_with(&format!("{}/games/", row["database"])),
            "{row:?}"
        );
        assert!(tree.cat(&row["path"]).contains(&row["White"]), "{row:?}");
    }
    // Any piece is the piece of the whole.
    let inode = tree.inode("all/tables/duplicates.csv");
    let whole = tree.cat("all/tables/duplicates.csv").into_bytes();
    for offset in (0..whole.len() + 10).step_by(997) {
        let piece = tree.read(inode, offset as u64, 100).unwrap();
        let start = offset.min(whole.len());
        assert_eq!(*piece, whole[start..(start + 100).min(whole.len())]);
    }
}

#[test]
fn a_database_without_duplicates_has_a_table_without_rows() {
    let tree = mount(Fake::many(30));
    assert_eq!(tree.cat("tables/duplicates.csv").lines().count(), 1);
    assert_eq!(
        mount(Fake::default())
            .cat("tables/duplicates.csv")
            .lines()
            .count(),
        1
    );
}

/// Three databases, mounted with `--unique`.
fn unique() -> Mounted {
    let game = |white: &str, day| spanish(white, "Tal, M", 1970, 1, day).event("Riga");
    let first = Fake::of([
        game("Keres, P", 1),
        game("Keres, P", 2),
        game("Keres, P", 3),
        game("Keres, P", 4),
    ]);
    let second = Fake::of([
        game("Keres, Paul", 1).comment("good"),
        game("Keres, Paul", 2).deleted(),
        game("Keres", 3),
        game("Bronstein, D", 3),
    ]);
    let third = Fake::of([game("Keres, P", 4), game("Keres, Paul", 1)]);
    let options = ServeOptions {
        unique: true,
        ..ServeOptions::default()
    };
    mount_with(vec![first.at("a"), second.at("b"), third.at("c")], options)
}

/// The dates and the numbers of the games of a directory.
fn days(tree: &Mounted, directory: &str) -> Vec<String> {
    let names = tree.ls(directory).into_iter();
    names
        .map(|name| format!("{} {}", &name[8..10], &name[name.len() - 5..name.len() - 4]))
        .collect()
}

#[test]
fn unique_shows_the_best_game_of_each_group_once() {
    let tree = unique();
    assert_eq!(tree.ls("all/unique"), contents::names(&[]));
    assert_eq!(
        tree.ls("all/unique/players"),
        ["Bronstein, D", "Keres, P", "Keres, Paul", "Tal, M"]
    );
    assert_eq!(
        days(&tree, "all/unique/players/Keres, P"),
        ["02 2", "03 3", "04 4"]
    );
    assert_eq!(days(&tree, "all/unique/players/Keres, Paul"), ["01 1"]);
    assert_eq!(
        days(&tree, "all/unique/players/Tal, M"),
        ["02 2", "03 3", "04 4", "01 1", "03 4"]
    );
    assert_eq!(tree.ls("all/players/Tal, M").len(), 9);
    let of = |database: &str, games: &[u32]| -> String {
        let path = |game: &u32| format!("{database}/games/000001-001000/{game:06}.pgn");
        games.iter().map(|game| tree.cat(&path(game))).collect()
    };
    let expected = of("a", &[2, 3, 4]) + &of("b", &[1, 4]);
    for file in ["all.pgn", "merged/years/1970.pgn", "merged/players/Tal, M.pgn"] {
        assert_eq!(tree.cat(&format!("all/unique/{file}")), expected, "{file}");
    }
    // The files of all games have the same nodes in their databases.
    let all = of("a", &[1, 2, 3, 4]) + &of("b", &[1, 3, 4]) + &of("c", &[1, 2]);
    assert_eq!(tree.cat("all/merged/years/1970.pgn"), all);
}

#[test]
fn a_unique_game_is_the_one_of_its_database_under_the_name_it_has_in_all() {
    let tree = unique();
    let of_tal = tree.entries("all/unique/players/Tal, M");
    assert!(of_tal.len() > 2, "{}", of_tal.len());
    for (name, inode, ..) in of_tal {
        assert_eq!(tree.inode(&format!("all/players/Tal, M/{name}")), inode);
        assert!(!tree.exists(&format!("all/unique/players/Missing/{name}")));
    }
    let shown = tree.ls("all/unique/years/1970");
    let mut hidden = tree.ls("all/years/1970");
    hidden.retain(|name| !shown.contains(name));
    assert!(!shown.is_empty() && !hidden.is_empty(), "{shown:?} {hidden:?}");
    for name in hidden {
        assert!(!tree.exists(&format!("all/unique/years/1970/{name}")), "{name}");
    }
    assert_eq!(tree.parent(tree.inode("all/unique")), Ok(tree.inode("all")));
    let players = tree.inode("all/unique/players");
    assert_eq!(tree.parent(players), Ok(tree.inode("all/unique")));
    assert_ne!(players, tree.inode("all/players"));
    tree.walk_from("all/unique/");
}

#[test]
fn the_tables_of_unique_have_the_rows_of_its_games() {
    let tree = unique();
    let is_shown = |row: &&Row| {
        [("a", "2"), ("a", "3"), ("a", "4"), ("b", "1"), ("b", "4")]
            .contains(&(row["database"].as_str(), row["number"].as_str()))
    };
    let (columns, rows) = read_csv(&tree.cat("all/tables/games.csv"));
    let expected: Vec<Row> = rows.iter().filter(is_shown).cloned().collect();
    assert_eq!(expected.len(), 5);
    // Only a deleted game has the tag that is a column of all games.
    let columns = columns.into_iter().filter(|column| column != "Deleted");
    let table = tree.cat("all/unique/tables/games.csv");
    assert_eq!(read_csv(&table), (columns.collect(), expected.clone()));
    assert_eq!(read_ndjson(&tree.cat("all/unique/tables/games.ndjson")), expected);
    let (_, typed) = read_parquet(bytes_of(&tree, "all/unique/tables/games.parquet"));
    let of_row = |row: &Row| ["database", "number", "White", "path"].map(|column| row[column].clone());
    let all = |rows: &[Row]| rows.iter().map(of_row).collect::<Vec<_>>();
    assert_eq!(all(&typed), all(&expected));
    let inode = tree.inode("all/unique/tables/games.csv");
    for offset in 0..table.len() {
        let piece = tree.read(inode, offset as u64, 10).unwrap();
        assert_eq!(*piece, table.as_bytes()[offset..(offset + 10).min(table.len())]);
    }
}

#[test]
fn info_of_unique_counts_what_it_shows() {
    let tree = unique();
    assert!(tree.may_wait(tree.inode("all/unique/info.txt")));
    let info = tree.cat("all/unique/info.txt");
    let lines: Vec<&str> = info.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "Databases: 3",
            "Games:     5",
            "Left out:  duplicates: 4, games marked as deleted: 1"
        ]
    );
    for (line, games) in lines[5..].iter().zip(["a, 3 games", "b, 2 games", "c, 0 games"]) {
        assert!(line.ends_with(games), "{info}");
    }
    assert_eq!(lines.len(), 8);
    // The codes are the same as in `all/`.
    for line in tree.cat("all/info.txt").lines().skip(4) {
        let code = line.split_whitespace().next().unwrap();
        assert!(info.contains(&format!("  {code}  ")), "{info}");
    }
    assert!(!tree.may_wait(tree.inode("all/unique/info.txt")));
}

#[test]
fn other_directories_do_not_wait_for_duplicates() {
    let tree = unique();
    assert_eq!(tree.entries("all/unique").len(), 12);
    assert!(tree.may_wait(tree.inode("all/unique/all.pgn")));
    assert!(tree.may_wait(tree.inode("all/unique/players")));
    tree.ls("all/unique/players");
    assert!(!tree.may_wait(tree.inode("all/unique/players")));
    // Without the option, and with one database, it does not exist.
    let without = mount_all(vec![Fake::many(1).at("a"), Fake::many(2).at("b")]);
    assert!(!without.exists("all/unique"));
}
