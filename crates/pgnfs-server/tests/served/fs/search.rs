//! `search/`: the games that a query finds, as a directory whose name is the query.

use std::ffi::OsStr;
use std::sync::Arc;

use chessdb::Folder;
use chessdb::game::Outcome;
use chessdb_library::library::{Library, LibraryEntry};
use chessdb_library::query::Query;
use pgnfs_server::inside::{
    ChessFs, CurrentState, FsError, Inode, Kind, Layout, SearchRefusal, ServeOptions,
};

use super::mounted::{Mounted, mount, mount_with};
use super::tables::read_csv;
use testkit::fake::{Fake, FakeGame, game};

const SPANISH: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7";
const SICILIAN: &str = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6";

fn games() -> Vec<FakeGame> {
    let played = |white: &str, black: &str, year, line, outcome| {
        game(white, black)
            .date(year, 5, 1)
            .line(line)
            .outcome(outcome)
            .event("Linares")
            .eco(b"B90")
    };
    vec![
        played("Kasparov, Garry", "Anand, V", 1993, SICILIAN, Outcome::WhiteWins),
        played("Anand, V", "Kasparov, Garry", 1994, SPANISH, Outcome::Draw),
        played("Tal, M", "Keres, P", 1961, SPANISH, Outcome::WhiteWins),
        played("Kasparov, Sergey", "Tal, M", 1990, SICILIAN, Outcome::BlackWins).deleted(),
        played("Kasparov, Garry", "Tal, M", 1992, SPANISH, Outcome::WhiteWins),
    ]
}

fn one() -> Mounted {
    mount(Fake::of(games()))
}

fn players(tree: &Mounted, query: &str) -> Vec<String> {
    tree.ls(&format!("search/{query}/players"))
}

#[test]
fn a_query_is_a_directory_of_the_games_that_it_finds() {
    let tree = one();
    assert_eq!(tree.ls("search"), ["syntax.txt"]);
    assert!(tree.cat("search/syntax.txt").contains("opponent"));
    let query = "player:kasparov result:1-0";
    assert_eq!(players(&tree, query), ["Anand, V", "Kasparov, Garry", "Tal, M"]);
    let own = format!("search/{query}");
    assert_eq!(
        tree.ls(&format!("{own}/games/000001-001000")),
        ["000001.pgn", "000005.pgn"]
    );
    assert_eq!(
        tree.cat(&format!("{own}/all.pgn")),
        tree.cat("games/000001-001000/000001.pgn") + &tree.cat("games/000001-001000/000005.pgn")
    );
    assert_eq!(
        tree.inode(&format!("{own}/games/000001-001000/000005.pgn")),
        tree.inode("games/000001-001000/000005.pgn")
    );
    let (_, rows) = read_csv(&tree.cat(&format!("{own}/moves/e4/moves.csv")));
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (row["move"].as_str(), row["games"].as_str()))
        .collect();
    assert_eq!(rows, [("c5", "1"), ("e5", "1")]);
    assert!(tree.exists(&format!("{own}/moves/e4/c5")));
    assert!(!tree.exists("search/player:tal result:1-0/moves/e4/c5"));
    let info = tree.cat(&format!("{own}/info.txt"));
    assert!(info.contains(&format!("Query:          {query}\n")), "{info}");
    assert!(info.contains("Games:          2\n"), "{info}");
    // It is no further place to search in, and leads back.
    assert!(!tree.exists(&format!("{own}/search")));
    assert_eq!(tree.inode(&format!("{own}/..")), tree.inode("search"));
    assert_eq!(tree.inode("search/.."), Inode::ROOT);
    tree.walk_from(&format!("{own}/"));
}

#[test]
fn a_query_that_finds_nothing_is_like_an_empty_database() {
    let tree = one();
    let empty = mount(Fake::of([]));
    let own = "search/player:fischer";
    assert_eq!(tree.cat(&format!("{own}/all.pgn")), "");
    for table in ["tables/games.csv", "tables/games.ndjson", "tables/duplicates.csv"] {
        assert_eq!(tree.cat(&format!("{own}/{table}")), empty.cat(table), "{table}");
    }
    assert_eq!(tree.ls(&format!("{own}/moves")), empty.ls("moves"));
    assert_eq!(players(&tree, "player:fischer"), [""; 0]);
    assert_eq!(tree.ls(&format!("{own}/games")), [""; 0]);
}

#[test]
fn other_ways_to_write_a_query_are_links() {
    let tree = one();
    let canonical = "player:kasparov year:1993.. result:1-0";
    for name in [
        "result:1-0 player:Kasparov year:1993..",
        "player:KASPAROV  year:1993..  result:1-0",
        " player:kasparov year:1993.. result:1-0 ",
        "player:\"Kasparov\" year:1993.. result:1-0",
    ] {
        let link = tree.inode(&format!("search/{name}"));
        assert_eq!(tree.stat(&format!("search/{name}")).kind, Kind::Link, "{name}");
        assert_eq!(tree.target(link).unwrap(), canonical, "{name}");
        assert_eq!(tree.parent(link), Ok(tree.inode("search")));
    }
    let directory = tree.stat(&format!("search/{canonical}"));
    assert_eq!(directory.kind, Kind::Directory);
    // Slashes are underscores.
    let target = tree.target(tree.inode("search/result:1_2-1_2")).unwrap();
    assert_eq!(target, "result:draw");
    assert_eq!(players(&tree, &target), ["Anand, V", "Kasparov, Garry"]);
}

#[test]
fn what_is_no_query_is_not_found() {
    let tree = one();
    for name in [
        ".git",
        ".hidden",
        "desktop.ini",
        "kasparov",
        "year:",
        "elo:abc",
        "colour:white",
        "player:\"kasparov",
        "year:1990..1980",
        "board:8_8_8_8_8_8_8",
        "",
    ] {
        let found = tree.lookup(tree.inode("search"), OsStr::new(name));
        let is_refused = matches!(found, Err(FsError::NotFound | FsError::Refused(_)));
        assert!(is_refused, "{name}: {found:?}");
    }
}

#[test]
fn a_query_is_the_search_of_its_name() {
    let tree = one();
    let query = Query::parse("player:kasparov").unwrap();
    let found = || {
        let parts = tree
            .0
            .with_answers(Some(&query), None, |answers| Ok(Arc::clone(answers.parts())));
        parts.unwrap()
    };
    let first = found();
    assert_eq!(first.iter().map(|part| part.len()).sum::<u32>(), 3);
    assert!(Arc::ptr_eq(&first, &found()), "it was searched for again");
    // The games of the path are those that were found.
    let games = tree.inode("search/player:kasparov/games");
    assert!(!tree.may_wait(games));
    assert_eq!(tree.ls("search/player:kasparov/games/000001-001000").len(), 3);
    assert!(Arc::ptr_eq(&first, &found()));
}

#[test]
fn a_query_is_refused_for_the_reason_of_its_name() {
    let tree = one();
    let refused = |name: &str| {
        let by_name = tree.find(&format!("search/{name}")).unwrap_err();
        let query = Query::parse(name).unwrap();
        let by_value = tree.0.with_answers(Some(&query), None, |_| Ok(())).unwrap_err();
        assert_eq!(by_name, by_value, "{name}");
        by_value
    };
    assert_eq!(refused("kasparov"), SearchRefusal::NoField.into());
    let none = refused("repertoire:none by:white");
    assert_eq!(
        none,
        SearchRefusal::NoRepertoire("repertoire:none".to_owned()).into()
    );
    assert!(none.to_string().starts_with("repertoire:none: no database here"));
    // A name that is too long for `search/` is checked as well.
    let long = format!("repertoire:none by:white player:{}", "x".repeat(255));
    let long = tree
        .0
        .with_answers(Some(&Query::parse(&long).unwrap()), None, |_| Ok(()));
    assert_eq!(long, Err(none));
    let Err(FsError::Refused(wrong)) = tree.find("search/playr:x") else {
        panic!("a wrong query is refused")
    };
    assert!(matches!(&*wrong, SearchRefusal::Query(error) if error.term == "playr:x"));
}

#[test]
fn games_that_were_found_for_a_query_take_from_the_memory_of_searches() {
    let options = ServeOptions {
        search_memory: 100_000,
        ..ServeOptions::default()
    };
    let tree = mount_with(vec![Fake::many(10_000).at("")], options);
    let found = |year: u32| {
        let query = Query::parse(&format!("year:{}..", 1000 + year)).unwrap();
        let parts = tree
            .0
            .with_answers(Some(&query), None, |answers| Ok(Arc::clone(answers.parts())));
        parts.unwrap()
    };
    // The list of games of each takes 40 kB.
    let first = found(0);
    assert!(Arc::ptr_eq(&first, &found(0)));
    (1..5).for_each(|year| drop(found(year)));
    assert!(!Arc::ptr_eq(&first, &found(0)), "it was dropped");
}

#[test]
fn a_query_is_answered_when_its_games_are_first_asked_for() {
    let folder = Folder {
        name: "Best".to_owned(),
        games: vec![0, 4],
        parent: None,
    };
    let mut with_folders = Fake::of(games());
    with_folders.folders = vec![folder];
    let tree = mount(with_folders);
    let own = "search/player:kasparov";
    assert!(tree.ls(own).contains(&"players".to_owned()));
    for name in ["all.pgn", "info.txt", "players", "games", "moves"] {
        assert!(tree.may_wait(tree.inode(&format!("{own}/{name}"))), "{name}");
    }
    let blocks = tree.ls(&format!("{own}/games"));
    assert_eq!(blocks.len(), 1);
    assert_eq!(tree.ls(&format!("{own}/games/{}", blocks[0])).len(), 3);
    assert!(!tree.may_wait(tree.inode(&format!("{own}/games"))));
}

#[test]
fn every_directory_has_searches_of_its_own_games() {
    let entries = || {
        vec![
            Fake::of(games()).at("a.dci"),
            Fake::of(games().into_iter().take(2)).at("club/b.dci"),
        ]
    };
    let options = ServeOptions {
        unique: true,
        ..ServeOptions::default()
    };
    let tree = mount_with(entries(), options);
    for (directory, games) in [("a.dci", 3), ("club/b.dci", 2), ("all", 5), ("all/unique", 3)] {
        let all = tree.cat(&format!("{directory}/search/player:\"kasparov garry\"/all.pgn"));
        assert_eq!(all.matches("[Event ").count(), games, "{directory}");
    }
    assert!(tree.exists("all/search/player:tal/tables/duplicates.csv"));
    assert!(!tree.exists("all/unique/search/player:tal/tables/duplicates.csv"));
    let info = tree.cat("all/search/player:kasparov db:b.dci/info.txt");
    assert!(
        info.contains("\n  a.dci, 0 games\n  club/b.dci, 2 games\n"),
        "{info}"
    );
    assert!(!info.contains("Warnings"), "{info}");
    let of_folder = tree.cat("all/search/player:kasparov db:club/info.txt");
    let counts = |info: &str| info.split_once("\nGames of each database:").unwrap().1.to_owned();
    assert_eq!(counts(&of_folder), counts(&info));
    let info = tree.cat("all/search/player:kasparov db:clubs/info.txt");
    let warning = "\nWarnings:\n  db:clubs: no database or folder that is searched has this name\n";
    assert!(info.contains(warning), "{info}");
}

#[test]
fn the_only_database_has_the_name_of_its_file() {
    let tree = one();
    let all = players(&tree, "player:tal");
    assert_eq!(players(&tree, "player:tal db:games.fake"), all);
    assert!(!all.is_empty() && players(&tree, "player:tal db:other.fake").is_empty());
}

#[test]
fn named_searches_are_listed_everywhere() {
    let mut layout = Layout::default();
    layout.add_search("tal=player:Tal").unwrap();
    layout.add_search("draws=result:draw player:kasparov").unwrap();
    let options = || ServeOptions {
        layout: layout.clone().into(),
        ..ServeOptions::default()
    };
    let entries = || vec![Fake::of(games()).at("a"), Fake::of(games()).at("b")];
    let tree = mount_with(entries(), options());
    for directory in ["a", "b", "all"] {
        let search = format!("{directory}/search");
        assert_eq!(tree.ls(&search), ["syntax.txt", "tal", "draws"]);
        assert_eq!(tree.stat(&search).links, 2 + 2);
        let info = tree.cat(&format!("{search}/tal/info.txt"));
        assert!(
            info.contains("Query:          player:Tal\nCanonical form: player:tal\n"),
            "{info}"
        );
        assert_eq!(
            tree.ls(&format!("{search}/draws/players")),
            ["Anand, V", "Kasparov, Garry"]
        );
    }
    assert_eq!(tree.inode("b/search/tal"), tree.inode("b/search/tal"));
    assert_ne!(tree.inode("b/search/tal"), tree.inode("a/search/tal"));
    for (text, error) in [
        ("x", "write it as NAME=QUERY"),
        ("x= ", "write it as NAME=QUERY"),
        ("a:b=player:x", "its name must be a valid name of a directory"),
        ("tal=player:x", "its name is already used"),
        ("syntax.txt=player:x", "its name is already used"),
        ("x=elo:abc", "query, byte 1: elo:abc: "),
    ] {
        let found = layout.add_search(text).unwrap_err().to_string();
        assert!(found.starts_with(error), "{text}: {found}");
    }
    let error = Layout::default().add_view("search=%{white}").unwrap_err();
    assert_eq!(error.to_string(), "its name is already used; choose another");
    for number in 2..27 {
        layout.add_search(&format!("s{number}=moves:{number}")).unwrap();
    }
    assert!(layout.add_search("more=moves:1").is_err());
}

/// True if the games of a search are known, by the inode of its `games/`.
fn is_kept(tree: &Mounted, games: Inode) -> bool {
    !tree.may_wait(games)
}

#[test]
fn of_many_searches_those_used_last_are_kept() {
    let tree = one();
    let games = |year: u32| {
        tree.ls(&format!("search/year:{year}/games"));
        tree.inode(&format!("search/year:{year}/games"))
    };
    let (first, used) = (games(1000), games(1001));
    for year in 1100..1162 {
        tree.stat(&format!("search/year:{year}"));
    }
    assert!(is_kept(&tree, used));
    for year in 1162..1164 {
        tree.stat(&format!("search/year:{year}"));
    }
    assert!(is_kept(&tree, used) && !is_kept(&tree, first));
    for number in 0..10_000 {
        assert!(tree.exists(&format!("search/moves:{number}")));
        assert!(tree.exists(&format!("search/ moves:{number}")));
    }
    // No front end has them.
    assert_eq!(tree.attributes(first), Err(FsError::Stale));
    assert_ne!(games(1000), first);
    assert!(tree.exists("search/year:1993/players/Anand, V"));
}

#[test]
fn a_search_is_not_dropped_while_it_is_read() {
    let tree = one();
    tree.ls("search/year:1000/games");
    let games = tree.inode("search/year:1000/games");
    let reading = tree.0.resolve(games).unwrap();
    for year in 1100..1200 {
        tree.stat(&format!("search/year:{year}"));
    }
    // The request that reads it is not the last one.
    drop(reading);
    assert!(is_kept(&tree, games));
    for year in 1100..1165 {
        tree.stat(&format!("search/year:{year}"));
    }
    assert!(!is_kept(&tree, games));
}

#[test]
fn views_and_tables_of_searches_take_from_their_memory() {
    let mount = |search_memory| {
        let options = ServeOptions {
            search_memory,
            ..ServeOptions::default()
        };
        mount_with(vec![Fake::many(10_000).at("")], options)
    };
    let searched = |tree: &Mounted, year: u32, look: &[&str]| {
        let own = format!("search/year:{}..", 1000 + year);
        tree.ls(&format!("{own}/games"));
        for name in look {
            tree.stat(&format!("{own}/{name}"));
            tree.entries(&format!("{own}/{name}"));
        }
        tree.inode(&format!("{own}/games"))
    };
    // The lists of games take 40 kB each, a view of players at least 80 kB.
    let tree = mount(400_000);
    let plain: Vec<Inode> = (0..5).map(|year| searched(&tree, year, &[])).collect();
    assert!(plain.iter().all(|&games| is_kept(&tree, games)));
    let tree = mount(400_000);
    let seen: Vec<Inode> = (0..5).map(|year| searched(&tree, year, &["players"])).collect();
    let kept: Vec<bool> = seen.iter().map(|&games| is_kept(&tree, games)).collect();
    assert!(!kept[0] && kept[4], "{kept:?}");
    // A search that is too large alone exists as long as it is used.
    let tree = mount(100_000);
    let large = searched(&tree, 0, &["players", "events"]);
    assert!(is_kept(&tree, large));
    searched(&tree, 1, &[]);
    assert!(!is_kept(&tree, large));
    assert!(tree.exists("search/year:1000../players"));
}

#[test]
fn listed_searches_are_made_when_they_are_looked_into() {
    let mut layout = Layout::default();
    layout.add_search("tal=player:tal").unwrap();
    let options = ServeOptions {
        layout: layout.into(),
        ..ServeOptions::default()
    };
    let tree = mount_with(vec![Fake::of(games()).at("")], options);
    let listed = |tree: &Mounted| {
        let mut entries = tree.entries("search").into_iter();
        entries.find(|entry| entry.0 == "tal").unwrap()
    };
    let (_, inode, kind, attributes) = listed(&tree);
    assert_eq!(
        (kind, attributes),
        (Kind::Directory, None),
        "nothing is made for a listing"
    );
    assert_eq!(tree.attributes(inode).unwrap().inode, inode);
    assert_eq!(tree.stat("search/tal").inode, inode);
    assert_eq!(listed(&tree).3.map(|attributes| attributes.inode), Some(inode));
    // Other searches do not drive it out.
    tree.ls("search/tal/games");
    let games = tree.inode("search/tal/games");
    for number in 0..1000 {
        tree.stat(&format!("search/moves:{number}"));
    }
    assert!(is_kept(&tree, games));
    assert_eq!(tree.inode("search/tal"), inode);
}

/// Looks up a path like the kernel, which keeps every name, and returns all inodes.
fn walk(live: &CurrentState, path: &str) -> Result<Vec<Inode>, FsError> {
    let mut inodes = vec![Inode::ROOT];
    for name in path.split('/') {
        let directory = *inodes.last().unwrap();
        let found = live.child(&live.resolve(directory)?.open()?, OsStr::new(name))?;
        assert!(live.hold(&[found.inode()]).is_empty(), "{path}");
        inodes.push(found.inode());
    }
    Ok(inodes)
}

fn text_of(live: &CurrentState, file: Inode) -> Result<String, FsError> {
    let text = live.resolve(file)?.open()?.read(0, 100_000)?;
    Ok(String::from_utf8(text.to_vec()).unwrap())
}

#[test]
fn what_the_kernel_has_of_a_search_goes_on() {
    let library = Library::from_databases(vec![Fake::of(games()).at("")]);
    let live = CurrentState::new(ChessFs::new(library, ServeOptions::default()));
    let path = "search/player:kasparov/all.pgn";
    let inodes = walk(&live, path).unwrap();
    let [_, _, directory, file] = inodes[..] else {
        panic!()
    };
    let before = text_of(&live, file).unwrap();
    assert_eq!(before.matches("[Event ").count(), 3);
    let others = |number: usize| {
        for number in number..number + 200 {
            walk(&live, &format!("search/moves:{number}/all.pgn"))
                .unwrap()
                .into_iter()
                .skip(2)
                .for_each(|inode| live.release(inode, 1));
        }
    };
    others(0);
    assert!(
        live.resolve(file)
            .and_then(|file| file.open_here(false))
            .is_ok_and(|file| file.run_on(false).is_some()),
        "it was dropped"
    );
    assert_eq!(text_of(&live, file), Ok(before));
    others(200);
    assert_eq!(walk(&live, path).unwrap(), inodes, "it has the same inodes");
    for inode in [directory, file] {
        live.release(inode, 2);
    }
    others(400);
    assert_eq!(text_of(&live, file), Err(FsError::Stale));
    assert_eq!(live.hold(&[file]), [file]);
    let again = walk(&live, path).unwrap();
    assert_ne!(again[2], directory, "counted on");
}

#[test]
fn of_very_many_searches_the_kernel_keeps_the_names_of_some() {
    let library = Library::from_databases(vec![Fake::of(games()).at("")]);
    let live = CurrentState::new(ChessFs::new(library, ServeOptions::default()));
    let path = |number: usize| format!("search/moves:{number}");
    let directories: Vec<Inode> = (0..1064).map(|n| walk(&live, &path(n)).unwrap()[2]).collect();
    let files: Vec<Inode> = [0, 1063]
        .map(|n| walk(&live, &(path(n) + "/all.pgn")).unwrap()[3])
        .into();
    // 0 was made again.
    let more: Vec<Inode> = (1064..1095).map(|n| walk(&live, &path(n)).unwrap()[2]).collect();
    let unused = live.unused_searches().unwrap();
    let [unused] = &unused[..] else {
        panic!("{unused:?}")
    };
    assert_eq!(unused.inode, walk(&live, "search").unwrap()[1]);
    assert!(unused.names.contains(&"moves:1".to_owned()), "{unused:?}");
    assert!(!unused.names.contains(&"moves:0".to_owned()), "{unused:?}");
    assert!(!unused.names.contains(&"moves:1063".to_owned()), "{unused:?}");
    assert!(
        (500..1000).contains(&unused.names.len()),
        "{}",
        unused.names.len()
    );
    // A search that is used meanwhile stays the same, whenever the kernel drops its name.
    assert_eq!(walk(&live, &path(1)).unwrap()[2], directories[1]);
    assert!(text_of(&live, files[0]).is_ok());
    // What the kernel forgets is dropped.
    for (number, &directory) in directories.iter().enumerate().take(1000).skip(1) {
        live.release(directory, if number == 1 { 2 } else { 1 });
    }
    for number in 2000..2200 {
        let directory = walk(&live, &path(number)).unwrap()[2];
        live.release(directory, 1);
    }
    assert!(live.resolve(directories[500]).is_err() && live.resolve(directories[1]).is_err());
    for inode in files.iter().chain(&more).chain(&directories[1000..]) {
        assert!(live.resolve(*inode).is_ok());
    }
    live.current().end_work();
    assert_eq!(live.unused_searches(), None);
}

#[test]
fn searches_change_with_their_database() {
    let entry = |path: &str, games: usize| -> Arc<LibraryEntry> {
        Arc::new(Fake::of(self::games().into_iter().take(games)).at(path))
    };
    let (a, b) = (entry("a", 5), entry("b", 5));
    let library = |entries: &[&Arc<LibraryEntry>]| {
        Library::from_shared(entries.iter().map(|&entry| Arc::clone(entry)).collect())
    };
    let live = CurrentState::new(ChessFs::new(library(&[&a, &b]), ServeOptions::default()));
    let walk = |path: &str| Ok::<_, FsError>(*walk(&live, path)?.last().unwrap());
    let games_of = |file| text_of(&live, file).map(|text| text.matches("[Event ").count());
    let query = "player:kasparov year:1990..";
    let before = ["a", "b", "all"].map(|directory| {
        let file = walk(&format!("{directory}/search/{query}/all.pgn")).unwrap();
        assert_eq!(games_of(file), Ok(if directory == "all" { 6 } else { 3 }));
        file
    });
    live.replace(library(&[&entry("a", 2), &b]));
    for (directory, games) in [("a", 2), ("b", 3), ("all", 5)] {
        let file = walk(&format!("{directory}/search/{query}/all.pgn")).unwrap();
        assert_eq!(games_of(file), Ok(games), "{directory}");
        assert_eq!(before.contains(&file), directory == "b");
    }
    // Open files of an earlier state still have their bytes.
    assert_eq!(before.map(games_of), [Ok(3), Ok(3), Ok(6)]);
    live.replace(library(&[&b]));
    assert_eq!(games_of(before[0]), Ok(3));
    assert_eq!(walk(&format!("a/search/{query}")), Err(FsError::NotFound));
}
