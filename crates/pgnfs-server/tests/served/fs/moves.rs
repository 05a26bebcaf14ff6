//! `moves/`: the opening tree.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::{fs, thread};

use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::positions::IndexUse;
use pgnfs_server::inside::{Failure, FsError, IndexState, Kind, PassOptions, ServeOptions};

use super::mounted::{Mounted, mount, mount_all, mount_with};
use testkit::fake::{Fake, FakeGame, game};

const LONDON: &str = "d4 d5 Bf4 Nf6 e3 e6 Nf3 c5";
const BERLIN: &str = "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4 d4 Nd6 Bxc6 dxc6 dxe5 Nf5 Qxd8+ Kxd8";

/// `count` games with the same moves.
fn copies(line: &'static str, count: usize) -> Vec<FakeGame> {
    vec![game("A", "B").line(line); count]
}

/// Forty games with the Berlin endgame, one of them shorter and one with a null move, and a London system.
fn openings() -> Vec<FakeGame> {
    let mut games = copies(LONDON, 1);
    games.extend(copies(BERLIN, 38));
    games.extend(copies("e4 e5", 1));
    games.extend(copies("e4 -- e5", 1));
    games
}

fn names(tree: &Mounted, path: &str) -> Vec<String> {
    let entries = tree.entries(path).into_iter();
    let directories = entries.filter(|(.., kind, _)| *kind == Kind::Directory);
    directories.map(|(name, ..)| name).collect()
}

/// How often each game is listed below a directory, by its number.
fn games_below(tree: &Mounted, directory: &str) -> BTreeMap<u32, usize> {
    let mut games = BTreeMap::new();
    for path in tree.walk_from(directory) {
        if let Some((_, number)) = path.strip_suffix(".pgn").and_then(|path| path.rsplit_once('_')) {
            *games.entry(number.parse().unwrap()).or_default() += 1;
        }
    }
    games
}

fn target(tree: &Mounted, path: &str) -> Result<String, FsError> {
    tree.target(tree.find(path)?)
}

#[test]
fn a_directory_lists_moves_or_at_most_32_games() {
    let tree = mount(Fake::of(openings()));
    assert_eq!(names(&tree, "moves"), ["d4", "e4"]);
    assert_eq!(names(&tree, "moves/e4"), ["e5", "null"]);
    // One game ends here; the others continue.
    assert_eq!(names(&tree, "moves/e4/e5"), ["Nf3"]);
    assert_eq!(games_below(&tree, "moves/e4/e5/").len(), 39);
    let ended = tree
        .ls("moves/e4/e5")
        .into_iter()
        .filter(|name| name.ends_with(".pgn"));
    assert_eq!(ended.count(), 1);
    // A game without others in its line is listed immediately.
    assert_eq!(names(&tree, "moves/d4"), Vec::<String>::new());
    assert_eq!(tree.ls("moves/d4"), ["xxxx.xx.xx_A-B_open_000001.pgn"]);
    // More than 32 games with the same moves are listed where they end.
    let end = format!("moves/{}", BERLIN.replace(' ', "/"));
    let names = tree.ls(&end);
    assert_eq!(names.iter().filter(|name| name.ends_with(".pgn")).count(), 38);
    let game = tree.inode("games/000001-001000/000001.pgn");
    assert_eq!(tree.inode("moves/d4/xxxx.xx.xx_A-B_open_000001.pgn"), game);
    let directory = tree.0.resolve(tree.inode("moves/d4")).unwrap();
    assert_eq!(directory.open().unwrap().next_games(None, 9), Some(vec![game]));
}

#[test]
fn every_game_from_the_usual_start_stands_in_moves_once() {
    let mut games = openings();
    games.extend(copies("", 2));
    games.push(game("C", "D").line("e4 e5").deleted());
    games.push(game("E", "F").line("e4").fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    games.push(game("G", "H").fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    games.push(game("I", "J").panics());
    let tree = mount(Fake::of(games));
    // A game that cannot be decoded has no moves.
    let expected = (1..=43).chain([47]).map(|game| (game, 1)).collect();
    assert_eq!(games_below(&tree, "moves/"), expected);
}

#[test]
fn deeper_lines_are_found_though_they_are_not_listed() {
    let tree = mount(Fake::of(openings()));
    let end = format!("moves/{}", LONDON.replace(' ', "/"));
    assert_eq!(tree.ls(&end), ["xxxx.xx.xx_A-B_open_000001.pgn"]);
    for (path, is_there) in [("d4/d5/Bf4", true), ("d4/d5/Nf3", false), ("d4/Nf6", false)] {
        assert_eq!(tree.exists(&format!("moves/{path}")), is_there, "{path}");
    }
    assert_eq!(tree.find(&format!("{end}/O-O")), Err(FsError::NotFound));
}

#[test]
fn other_spellings_are_links_that_are_not_listed() {
    let tree = mount(Fake::of(openings()));
    let castled = "moves/e4/e5/Nf3/Nc6/Bb5/Nf6";
    for (link, leads_to) in [
        ("moves/e2e4", "e4"),
        ("moves/1.e4", "e4"),
        ("moves/e4!?", "e4"),
        ("moves/e4/--", "null"),
        ("moves/e4/1...e5", "e5"),
        (&format!("{castled}/0-0"), "O-O"),
        (&format!("{castled}/e1g1"), "O-O"),
        ("moves/1. e4 e5 2. Nf3", "e4/e5/Nf3"),
        ("moves/e4,e5,g1f3", "e4/e5/Nf3"),
    ] {
        assert_eq!(target(&tree, link), Ok(leads_to.to_owned()), "{link}");
        let link = tree.stat(link);
        assert_eq!(
            (link.kind, link.size, link.links),
            (Kind::Link, leads_to.len() as u64, 1)
        );
    }
    // Without the check sign, and in the directory that contains it.
    let before_check = format!("moves/{}", BERLIN.replace(' ', "/").replace("/Qxd8+/Kxd8", ""));
    assert_eq!(
        target(&tree, &format!("{before_check}/Qxd8")),
        Ok("Qxd8+".to_owned())
    );
    let link = tree.inode(&format!("{before_check}/Qd8"));
    assert_eq!(tree.parent(link), Ok(tree.inode(&before_check)));
    for wrong in [
        "moves/2.e4",
        "moves/e4/1. e4 e5",
        "moves/e5",
        "moves/1. e4 e5 2. Nc3",
        "moves/e4 e5 x",
        "moves/ ",
    ] {
        assert_eq!(tree.find(wrong), Err(FsError::NotFound), "{wrong}");
    }
    assert!(tree.walk_from("moves/").iter().all(|path| !path.contains("e2e4")));
}

/// The number of moves that are replayed while a program goes through all directories of forty equal games of
/// `plies` moves.
fn replayed_by_a_walk(plies: usize) -> usize {
    let line: &str = Box::leak("Nf3 Nf6 Ng1 Ng8 ".repeat(plies / 4).into_boxed_str());
    let fake = Fake::of(copies(line, 40));
    let replayed = fake.replayed.clone();
    let tree = mount(fake);
    let mut directory = tree.inode("moves");
    assert_eq!(names(&tree, "moves"), ["Nf3"]);
    let built = replayed.load(Ordering::Relaxed);
    for san in line.split_whitespace() {
        let child = tree.lookup(directory, san.as_ref()).unwrap();
        assert_eq!(tree.parent(child), Ok(directory));
        directory = child;
        for name in ["moves.csv", "position"] {
            let entry = tree.lookup(directory, name.as_ref()).unwrap();
            tree.attributes(entry).unwrap();
        }
        let listed = tree.read_dir(directory, 0, &mut |_| ControlFlow::Continue(()));
        listed.unwrap();
    }
    replayed.load(Ordering::Relaxed) - built
}

#[test]
fn the_work_of_a_walk_grows_with_the_length_of_the_games() {
    let (once, twice) = (replayed_by_a_walk(512), replayed_by_a_walk(1024));
    // Each directory replays at most a bounded number of moves.
    assert!(twice < 2 * once, "{once} and {twice}");
}

#[test]
fn its_directories_are_the_same_in_every_mount() {
    let of = |games: Vec<FakeGame>| mount_all(vec![Fake::of(games).at("x.fake")]);
    let (first, second) = (of(openings()), of(openings()));
    let deep = format!("x.fake/moves/{}", LONDON.replace(' ', "/"));
    for path in ["x.fake/moves", "x.fake/moves/e4/e5", &deep, "x.fake/moves/e2e4"] {
        let inode = first.inode(path);
        // An inode works without a previous look-up.
        assert_eq!(second.attributes(inode), first.attributes(inode), "{path}");
    }
    let above = second.parent(first.inode(&deep)).unwrap();
    assert_eq!(second.lookup(above, "c5".as_ref()), Ok(first.inode(&deep)));
    assert_eq!(
        second.parent(second.inode("x.fake/moves")),
        Ok(second.inode("x.fake"))
    );
    // The second game of a node has no directory.
    let other = pgnfs_server::inside::Inode(second.inode("x.fake/moves/e4/e5").0 + 1);
    assert_eq!(second.attributes(other), Err(FsError::Stale));
}

#[test]
fn without_an_index_there_are_no_moves_and_positions() {
    let options = ServeOptions {
        index: IndexUse::No,
        ..ServeOptions::default()
    };
    let tree = mount_with(vec![Fake::of(openings()).at("")], options);
    for path in ["moves", "positions"] {
        assert_eq!(tree.find(path), Err(FsError::NotFound));
    }
    assert!(tree.exists("material/KQRRBBNNPPPPPPPPkqrrbbnnpppppppp"));
}

#[test]
fn what_needs_an_index_that_cannot_be_built_gives_an_error() {
    let options = ServeOptions {
        index_memory: 0,
        index_folders: &[],
        ..ServeOptions::default()
    };
    let tree = mount_with(vec![Fake::of(openings()).at("")], options);
    let moves = tree.inode("moves");
    let listed = tree.read_dir(moves, 0, &mut |_| ControlFlow::Continue(()));
    assert_eq!(listed, Err(FsError::Io(Failure::Index)));
    assert_eq!(tree.0.status().databases[0].index, IndexState::Failed);
    assert_eq!(tree.find("moves/e4"), Err(FsError::Io(Failure::Index)));
    assert_eq!(
        tree.find("positions/8-3k4-8-8-8-8-3KP3-8_w_-_-"),
        Err(FsError::Io(Failure::Index))
    );
    assert!(tree.exists("players"));
    let remedy = "moves/ and positions/ cannot be shown: the index of positions needs a folder for its files, or more \
                  memory: set cache-dir or index-memory";
    assert!(
        tree.cat("info.txt")
            .ends_with(&format!("\nWarnings:\n  {remedy}\n"))
    );
    let obstacles: Vec<_> = tree.0.obstacles().map(|(_, obstacle)| obstacle).collect();
    assert_eq!(obstacles, [remedy]);
}

#[test]
fn an_index_that_is_neither_kept_nor_fits_into_memory_is_in_a_file_without_a_name() {
    let below = |options: ServeOptions| {
        let tree = mount_with(vec![Fake::of(openings()).at("")], options);
        let shown = (tree.cat("moves/moves.csv"), tree.cat("positions/info.txt"));
        assert_eq!(tree.0.status().databases[0].index, IndexState::Ready);
        shown
    };
    let little = ServeOptions {
        index_memory: 0,
        ..ServeOptions::default()
    };
    assert_eq!(below(little), below(ServeOptions::default()));
}

#[test]
fn the_index_is_built_in_the_background_or_taken_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let decoded_by_a_look = |index, has_pass| {
        // Without lines, whatever is not in the index is decoded.
        for file in fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().path())
        {
            if file.extension().is_some_and(|kind| kind == "lines") {
                fs::remove_file(file).unwrap();
            }
        }
        let fake = Fake::of(openings());
        let decoded = fake.decoded.clone();
        let options = ServeOptions {
            index,
            ..ServeOptions::default()
        };
        let tree = mount_with(vec![fake.at("")], options);
        tree.0
            .keep_in(&KeptFiles::open(folder.path(), "", Space::default()).unwrap());
        if has_pass {
            tree.0.start_pass(PassOptions {
                threads: 1,
                lower_priority: || (),
            });
            let moves = tree.inode("moves");
            while tree.may_wait(moves) {
                thread::sleep(Duration::from_millis(1));
            }
            tree.0.end_pass();
        }
        let before = decoded.load(Ordering::Relaxed);
        assert_eq!(names(&tree, "moves"), ["d4", "e4"]);
        decoded.load(Ordering::Relaxed) - before
    };
    let built = decoded_by_a_look(IndexUse::Auto, false);
    assert!(built >= 41, "{built}");
    assert!(decoded_by_a_look(IndexUse::Auto, false) < 41);
    assert!(decoded_by_a_look(IndexUse::Yes, true) < 41);
    // Nothing is kept for a damaged file.
    let mut files = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let file = files
        .find(|path| path.extension().unwrap() == "positions")
        .unwrap();
    fs::write(&file, "no index").unwrap();
    assert!(decoded_by_a_look(IndexUse::Auto, false) >= 41);
    fs::remove_file(&file).unwrap();
    assert!(decoded_by_a_look(IndexUse::Yes, true) < 41);
}

#[test]
fn the_first_look_waits_in_a_thread_of_its_own() {
    let tree = mount(Fake::of(openings()));
    let moves = tree.inode("moves");
    assert!(tree.may_wait(moves));
    assert_eq!(tree.0.status().databases[0].index, IndexState::Unused);
    tree.ls("moves");
    assert!(!tree.may_wait(moves));
    assert_eq!(tree.0.status().databases[0].index, IndexState::Ready);
}

#[test]
fn without_a_game_from_the_usual_position_there_is_no_table() {
    let chess960 = "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1";
    let games = || [game("A", "B").fen(chess960).line("e4")];
    let tree = mount_all(vec![Fake::of(games()).at("a"), Fake::of(games()).at("b")]);
    for directory in ["a/moves", "all/moves"] {
        assert_eq!(tree.ls(directory), [""; 0]);
        for name in ["moves.csv", "position"] {
            let path = format!("{directory}/{name}");
            assert_eq!(tree.find(&path), Err(FsError::NotFound), "{path}");
        }
    }
}
