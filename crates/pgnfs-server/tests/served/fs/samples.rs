//! Trees of real databases, whole and damaged.

use std::collections::BTreeMap;
use std::fs;

use chessdb::formats::FORMATS;
use chessdb::{Options, PgnForm};
use chessdb_library::library::Library;
use pgnfs_server::inside::{ChessFs, ServeOptions};

use super::mounted::Mounted;
use super::tables;
use testkit::needs;

/// Databases with more games are not walked completely.
fn most_walked() -> u32 {
    testkit::cases(60, 3000)
}

#[test]
fn every_sample_is_a_sound_tree() {
    let shared = needs!(samples);
    // Samples of a format without a folder of its own are next to samples of another format.
    let folders = FORMATS.iter().map(|format| shared.join("data").join(format.name));
    let mut walked = 0;
    for folder in folders.filter(|folder| folder.is_dir()) {
        // The tables have the tags as they are read, so games of PGN files have to be shown in that form as well.
        let mut options = Options::default();
        options.pgn = PgnForm::Export;
        let library = Library::open(&folder, &options);
        let library = library.unwrap_or_else(|error| panic!("{error}"));
        let paths: Vec<(String, u32)> = library
            .databases()
            .iter()
            .map(|entry| (entry.path.clone(), entry.database.len()))
            .collect();
        let tree = Mounted(ChessFs::new(library, ServeOptions::default()));
        for (path, games) in paths.into_iter().filter(|&(_, games)| games <= most_walked()) {
            check_database(&tree, &path, games);
            walked += 1;
        }
    }
    assert!(walked > 50, "{walked}");
}

/// Checks that every name can be looked up, every size is correct, `all.pgn` consists of the games in order,
/// and the tables agree with what a reader finds in it.
fn check_database(tree: &Mounted, path: &str, games: u32) {
    let below = tree.walk_from(&format!("{path}/"));
    let mut links: BTreeMap<_, u32> = BTreeMap::new();
    let in_moves = format!("{path}/moves/");
    let is_counted = |file: &&String| !file.ends_with('/') && !file.starts_with(&in_moves);
    for file in below.iter().filter(is_counted) {
        *links.entry(tree.inode(file)).or_default() += 1;
    }
    for (inode, links) in links {
        assert_eq!(tree.attributes(inode).unwrap().links, links, "{path}: {inode:?}");
    }
    let in_games = format!("{path}/games/");
    let numbered: Vec<&String> = below
        .iter()
        .filter(|path| path.starts_with(&in_games) && path.ends_with(".pgn"))
        .collect();
    assert_eq!(numbered.len(), games as usize, "{path}");
    let together: String = numbered.iter().map(|path| tree.cat(path)).collect();
    assert!(tree.cat(&format!("{path}/all.pgn")) == together, "{path}");
    let rows = tables::expected(&together, 6);
    assert_eq!(
        tables::read_csv(&tree.cat(&format!("{path}/tables/games.csv"))).1,
        rows,
        "{path}"
    );
    assert_eq!(
        tables::read_ndjson(&tree.cat(&format!("{path}/tables/games.ndjson"))),
        rows,
        "{path}"
    );
    for file in below
        .iter()
        .filter(|path| path.contains("/merged/") && path.ends_with(".pgn"))
    {
        tree.cat(file);
    }
    tree.cat(&format!("{path}/tables/problems.txt"));
    tree.cat(&format!("{path}/info.txt"));
}

#[test]
fn a_sample_alone_is_the_root() {
    let shared = needs!(samples);
    let small = shared.join("data/simplecdb/small/small.dcg");
    let library = Library::open(&small, &Options::default()).unwrap();
    assert!(library.is_single());
    let tree = Mounted(ChessFs::new(library, ServeOptions::default()));
    let expected = fs::read_to_string(small.with_file_name("small.expected.pgn")).unwrap();
    assert_eq!(
        tree.cat("all.pgn").matches("[Event ").count(),
        expected.matches("[Event ").count()
    );
    let info = tree.cat("info.txt");
    let rows: Vec<&str> = info
        .lines()
        .take(2)
        .filter_map(|row| row.split_whitespace().last())
        .collect();
    assert_eq!(rows, ["small.dci", "SimpleCDb"], "{info}");
}
