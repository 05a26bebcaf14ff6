//! Directories with chosen games of one database or of several, compared with the directories of databases that have
//! only these games: everything is the same but numbers of games, what is named after them, and paths.

use std::collections::{BTreeMap, BTreeSet};

use chessdb::Folder;
use chessdb_library::library::LibraryEntry;
use chessdb_library::spelling::Spelling;
use pgnfs_server::inside::{Inode, Kind, Layout, ServeOptions};
use proptest::prelude::*;

use super::mounted::{Mounted, mount_with};
use super::tables::{bytes_of, read_csv, read_ndjson, read_parquet};
use testkit::fake::{Fake, FakeGame, game};

const LINES: [&str; 6] = [
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Nxe4",
    "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O",
    "Nf3 d5 d4 Nf6 c4 e6 Nc3 Be7 Bg5 O-O",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
    "",
];

const POSITIONS: [&str; 5] = [
    "rnbqkbnr-pppppppp-8-8-8-8-PPPPPPPP-RNBQKBNR_w_KQkq_-",
    "rnbqkbnr-pppppppp-8-8-8-8-PPPPPPPP-RNBQKBNR_w",
    "rnbqkb1r-ppp2ppp-4pn2-3p4-2PP4-2N5-PP2PPPP-R1BQKBNR_w_KQkq_-",
    "r1bqkb1r-1ppp1ppp-p1n5-4p3-B3n3-5N2-PPPP1PPP-RNBQ1RK1_w_kq_-",
    "8-8-8-8-8-8-8-k1K5_w_-_-",
];

/// Three databases. The second one has many games of the first.
fn databases() -> Vec<Vec<FakeGame>> {
    let games = |numbers: std::ops::Range<usize>| {
        let own = |n: usize| {
            let own = game(&format!("White{}, A", n % 9), &format!("Black{}, Bo", n % 4))
                .event(["Linares", "Hastings", "a/b", ""][n % 4])
                .date(1900 + (n % 30) as u16, 1 + (n % 12) as u8, 1)
                .line(LINES[n % LINES.len()])
                .tag("WhiteElo", &(2000 + n).to_string());
            match n % 17 {
                3 => own.deleted(),
                5 => own.problem("the clock is wrong"),
                7 => own.tag("Round", "3").comment("well played"),
                _ => own,
            }
        };
        numbers.map(own).collect::<Vec<_>>()
    };
    vec![games(0..150), games(70..160), games(300..340)]
}

/// The games with a tag that says whether they are chosen.
fn marked(databases: Vec<Vec<FakeGame>>, is_chosen: impl Fn(usize, usize) -> bool) -> Vec<Vec<FakeGame>> {
    let mark = |(number, games): (usize, Vec<FakeGame>)| {
        let mark = |(game, own): (usize, FakeGame)| {
            own.tag("Chosen", if is_chosen(number, game) { "yes" } else { "no" })
        };
        games.into_iter().enumerate().map(mark).collect()
    };
    databases.into_iter().enumerate().map(mark).collect()
}

/// For each database, the numbers of the games of a set.
fn chosen(databases: &[Vec<FakeGame>], is_chosen: impl Fn(usize, usize) -> bool) -> Vec<Box<[u32]>> {
    let numbers = databases.iter().enumerate().map(|(number, games)| {
        let chosen = (0..games.len()).filter(|&game| is_chosen(number, game));
        chosen.map(|game| game as u32).collect()
    });
    numbers.collect()
}

fn options(spelling: Spelling) -> ServeOptions {
    let mut layout = Layout::default();
    layout.spell(spelling);
    layout.add_view("own=%{player}/%{event}").unwrap();
    layout.add_search("chosen=tag:Chosen==yes deleted:any").unwrap();
    ServeOptions {
        layout: layout.into(),
        threads: 2,
        ..ServeOptions::default()
    }
}

fn entries(databases: Vec<Vec<FakeGame>>) -> Vec<LibraryEntry> {
    let paths = ["a.dci", "club/b.dci", "zero.dci"];
    let entries = databases.into_iter().zip(paths);
    entries.map(|(games, path)| Fake::of(games).at(path)).collect()
}

/// A database with its folders, as the root.
fn root(games: Vec<FakeGame>, folders: &[Vec<u32>]) -> Vec<LibraryEntry> {
    let folders = folders.iter().zip(["best", "worst"]).map(|(games, name)| Folder {
        name: name.to_owned(),
        parent: None,
        games: games.clone(),
    });
    let fake = Fake {
        folders: folders.collect(),
        ..Fake::of(games)
    };
    vec![fake.at("")]
}

/// The values in a row of a table, apart from the number and the path of its game.
fn without_places(row: BTreeMap<String, String>) -> String {
    let is_kept = |name: &String| !["number", "path", "game"].contains(&name.as_str());
    let kept = row.into_iter().filter(|(name, _)| is_kept(name));
    format!("{:?}", kept.collect::<Vec<_>>())
}

/// Everything below a directory by its path, with the texts of the games of each directory.
fn contents(tree: &Mounted, top: &str) -> BTreeMap<String, Vec<String>> {
    let mut paths = tree.walk_from(top);
    for position in POSITIONS {
        let directory = format!("{top}positions/{position}/");
        if tree.exists(&directory) {
            paths.extend(tree.walk_from(&directory));
        }
    }
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // A search has no directory of searches.
    let searches = format!("{top}search");
    paths.retain(|path| !path.starts_with(&searches));
    for path in paths {
        let own = &path[top.len()..];
        // The blocks of games are named after numbers.
        let (folder, name) = own.rsplit_once('/').unwrap_or(("", own));
        let (folder, name) = match folder.split_once('/') {
            Some(("games", _)) => ("games", name),
            _ => (folder, name),
        };
        let is_game = name.ends_with(".pgn")
            && !own.starts_with("merged/")
            && !["all.pgn", "games.pgn"].contains(&name);
        let said = match name {
            _ if is_game => vec![tree.cat(&path)],
            // The heading names the search.
            "overview.html" => {
                let page = text(tree, &path, name);
                let (_, sections) = page.split_once("<h2").unwrap();
                vec![sections.to_owned()]
            }
            "info.txt" | "" => vec![text(tree, &path, name)],
            "games.parquet" => {
                let (columns, rows) = read_parquet(bytes_of(tree, &path));
                let rows = rows.into_iter().map(without_places);
                [format!("{columns:?}")].into_iter().chain(rows).collect()
            }
            "games.ndjson" => read_ndjson(&tree.cat(&path))
                .into_iter()
                .map(without_places)
                .collect(),
            "problems.txt" => {
                let text = tree.cat(&path);
                let lines = text.lines().filter_map(|line| line.split_once('\t'));
                lines.map(|(_, rest)| rest.to_owned()).collect()
            }
            name if name.ends_with(".csv") => {
                let (columns, rows) = read_csv(&tree.cat(&path));
                let rows = rows.into_iter().map(without_places);
                [format!("{columns:?}")].into_iter().chain(rows).collect()
            }
            _ if tree.stat(&path).kind == Kind::Link => {
                vec![tree.target(tree.inode(&path)).unwrap()]
            }
            _ => vec![tree.cat(&path)],
        };
        let key = if is_game {
            format!("{folder}/*.pgn")
        } else {
            format!("{folder}/{name}")
        };
        found.entry(key).or_default().extend(said);
    }
    found.values_mut().for_each(|texts| texts.sort());
    found
}

/// A text without the parts that differ: paths of games, and the problems of whole databases.
fn text(tree: &Mounted, path: &str, name: &str) -> String {
    if name.is_empty() {
        return String::new();
    }
    let mut text = tree.cat(path);
    if let Some(problems) = text.find("<h2 id=\"problems\">") {
        let end = text.find("</body>").unwrap();
        text.replace_range(problems..end, "");
    }
    let is_path = |line: &&str| {
        ["Only:", "First:", "Last:"]
            .iter()
            .any(|row| line.starts_with(row))
    };
    let kept = text.lines().filter(|line| !is_path(line));
    kept.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn assert_same(found: &BTreeMap<String, Vec<String>>, expected: &BTreeMap<String, Vec<String>>) {
    let (paths, expected_paths): (Vec<_>, Vec<_>) = (found.keys().collect(), expected.keys().collect());
    assert_eq!(paths, expected_paths);
    for (path, texts) in expected {
        assert_eq!(found[path].len(), texts.len(), "{path}");
        let mut pairs = found[path].iter().zip(texts);
        if let Some((found, expected)) = pairs.find(|(found, expected)| found != expected) {
            let differing = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
            panic!("{path}: {differing:?}");
        }
    }
}

fn inodes_of_games(tree: &Mounted, directory: &str) -> BTreeSet<Inode> {
    let paths = tree.walk_from(directory).into_iter();
    let inodes = paths.map(|path| tree.inode(&path));
    inodes.filter(|inode| inode.is_game()).collect()
}

/// Compares chosen games of several databases with databases that have them alone.
fn compare_several(is_chosen: impl Fn(usize, usize) -> bool, spelling: Spelling) {
    let all = marked(databases(), &is_chosen);
    let numbers = chosen(&all, &is_chosen);
    let alone: Vec<Vec<FakeGame>> = all
        .iter()
        .zip(&numbers)
        .map(|(games, numbers)| numbers.iter().map(|&game| games[game as usize].clone()).collect())
        .collect();
    let tree = mount_with(entries(all), options(spelling.clone()));
    let alone = mount_with(entries(alone), options(spelling));
    let (mut found, mut expected) = (contents(&tree, "all/search/chosen/"), contents(&alone, "all/"));
    // It names the search.
    for info in [&mut found, &mut expected] {
        info.remove("/info.txt");
    }
    assert_same(&found, &expected);
    let games: usize = numbers.iter().map(|games| games.len()).sum();
    let mut own = BTreeSet::new();
    for (path, numbers) in ["a.dci", "club/b.dci", "zero.dci"].iter().zip(&numbers) {
        let digits = tree.ls(&format!("{path}/games/000001-001000"))[0].len() - ".pgn".len();
        own.extend(numbers.iter().map(|game| {
            let name = format!("{:0digits$}.pgn", game + 1);
            tree.inode(&format!("{path}/games/000001-001000/{name}"))
        }));
    }
    assert_eq!(own.len(), games);
    // Deleted games and those without a player or a move are not in every view.
    assert!(inodes_of_games(&tree, "all/search/chosen/").is_subset(&own));
}

/// Compares chosen games of one database with a database that has them alone.
fn compare_one(is_chosen: impl Fn(usize, usize) -> bool, spelling: Spelling) {
    let all = marked(databases(), &is_chosen).swap_remove(0);
    let numbers = chosen(std::slice::from_ref(&all), &is_chosen);
    let folders = [vec![30, 5, 12, 99, 7], (0..150).rev().step_by(7).collect()];
    let own_number = |game: &u32| numbers[0].iter().position(|other| other == game);
    let own_folders = folders.each_ref().map(|games| {
        let games = games.iter().filter_map(|game| Some(own_number(game)? as u32));
        games.collect::<Vec<u32>>()
    });
    let alone = numbers[0]
        .iter()
        .map(|&game| all[game as usize].clone())
        .collect();
    let tree = mount_with(root(all, &folders), options(spelling.clone()));
    let alone = mount_with(root(alone, &own_folders), options(spelling));
    let (mut found, mut expected) = (contents(&tree, "search/chosen/"), contents(&alone, ""));
    // It names the search.
    for info in [&mut found, &mut expected] {
        info.remove("/info.txt");
    }
    assert_same(&found, &expected);
    assert_eq!(found.get("games/*.pgn").map_or(0, Vec::len), numbers[0].len());
    assert_eq!(inodes_of_games(&tree, "search/chosen/").len(), numbers[0].len());
    assert!(inodes_of_games(&tree, "search/chosen/").is_subset(&inodes_of_games(&tree, "games/")));
}

#[test]
fn chosen_games_are_shown_as_databases_with_these_games_alone() {
    compare_several(|database, game| (game + database) % 3 != 0, Spelling::Stored);
    compare_one(|_, game| game % 3 != 0, Spelling::Stored);
}

#[test]
fn players_have_the_names_that_they_have_among_all_games() {
    compare_several(|_, game| game % 2 == 0, Spelling::Fold);
    compare_one(|_, game| game % 2 == 0, Spelling::Fold);
}

#[test]
fn a_database_without_a_chosen_game_shows_nothing() {
    compare_several(|database, _| database == 1, Spelling::Stored);
    compare_several(|_, _| false, Spelling::Stored);
    compare_one(|_, _| false, Spelling::Stored);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testkit::cases(2, 6)))]

    #[test]
    fn any_set_of_games_is_shown_as_databases_with_these_games_alone(seed in any::<u64>(), part in 1u64..100) {
        let is_chosen = |database: usize, game: usize| {
            let place = (database * 1000 + game) as u64;
            (place.wrapping_add(1).wrapping_mul(seed | 1) >> 32) % 100 < part
        };
        compare_several(is_chosen, Spelling::Stored);
        compare_one(is_chosen, Spelling::Stored);
    }
}
