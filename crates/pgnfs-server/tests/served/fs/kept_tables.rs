//! `games.parquet` and `duplicates.csv`, which are made once and kept for the next mount.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::LibraryEntry;
use chessdb_library::positions::IndexUse;
use chessdb_library::spelling::Spelling;
use chessdb_library::task::Cancel;
use pgnfs_server::inside::{Failure, FsError, Layout, ServeOptions};
use tempfile::TempDir;
use testkit::kept::Layout as FileLayout;

use super::mounted::{Mounted, mount_with};
use super::tables::{read_csv, read_parquet};
use testkit::fake::{CancelAfter, Fake, FakeGame, game};

const TABLES: [&str; 2] = ["tables/games.parquet", "tables/duplicates.csv"];

/// Enough games for tables in files, each twice.
fn fake() -> Fake {
    let one = |n: u32| -> FakeGame {
        let n = n % 1500;
        game(&format!("White {n}"), &format!("Black {}", n % 7))
            .event(&format!("Event {}", n % 50))
            .date(1900 + (n % 100) as u16, 1, 1)
            .line("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7")
    };
    Fake::of((0..3000).map(one))
}

/// As many other games.
fn others() -> Fake {
    Fake::of((0..3000).map(|n| game(&format!("Somebody {n}"), "x")))
}

fn open(folder: &TempDir) -> KeptFiles {
    KeptFiles::open(&folder.path().join("cache"), "options", Space::default()).unwrap()
}

fn mount(entries: Vec<LibraryEntry>, options: ServeOptions, folder: &TempDir) -> Mounted {
    let tree = mount_with(entries, options);
    tree.0.keep_in(&open(folder));
    tree
}

fn mount_one(fake: &Fake, folder: &TempDir) -> Mounted {
    mount(vec![fake.clone().at("")], ServeOptions::default(), folder)
}

/// A file in pieces, whose length is the one that is reported first.
fn bytes_of(tree: &Mounted, path: &str) -> Vec<u8> {
    let (size, inode) = (tree.stat(path).size, tree.inode(path));
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < size {
        let piece = tree.read(inode, bytes.len() as u64, 7000).unwrap();
        assert!(!piece.is_empty());
        bytes.extend_from_slice(&piece);
    }
    assert!(tree.read(inode, size, 10).unwrap().is_empty());
    bytes
}

/// The kept files of a kind.
fn kept(folder: &TempDir, kind: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path().join("cache")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == kind));
    paths.sort();
    paths
}

/// The kept file with these bytes in its first section.
fn kept_with(folder: &TempDir, kind: &str, section: &[u8]) -> PathBuf {
    let has = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap();
        bytes[FileLayout::of(&bytes).sections[0].clone()] == *section
    };
    kept(folder, kind).into_iter().find(has).unwrap()
}

fn kind_of(table: &str) -> &str {
    match table {
        "tables/games.parquet" => "parquet",
        _ => "duplicates",
    }
}

#[test]
fn the_next_mount_reads_what_the_first_one_made() {
    let folder = TempDir::new().unwrap();
    let fake = fake();
    let first = mount_one(&fake, &folder);
    let right = TABLES.map(|table| bytes_of(&first, table));
    let without = mount_with(vec![fake.clone().at("")], ServeOptions::default());
    assert_eq!(
        TABLES.map(|table| bytes_of(&without, table)),
        right,
        "without a folder"
    );
    assert_eq!(read_parquet(right[0].clone()).1.len(), 3000);
    let duplicates = read_csv(str::from_utf8(&right[1]).unwrap()).1;
    assert_eq!(duplicates.len(), 3000);
    let files = TABLES.map(|table| kept(&folder, kind_of(table)));
    // Which games are the same is kept, too.
    assert_eq!(files.each_ref().map(Vec::len), [1, 2]);
    drop(first);
    // The files of other games could not be told from the files of the first.
    let others = others();
    let second = mount_one(&others, &folder);
    assert_eq!(TABLES.map(|table| bytes_of(&second, table)), right);
    assert_eq!(others.replayed.load(Ordering::Relaxed), 0, "no game was compared");
    assert_eq!(TABLES.map(|table| kept(&folder, kind_of(table))), files);
    // Another state of the database has tables of its own, in place of these.
    let mut entry = others.clone().at("");
    entry.files[0].1.modified += 1;
    let changed = mount(vec![entry], ServeOptions::default(), &folder);
    let rows = read_parquet(bytes_of(&changed, TABLES[0])).1;
    assert_eq!(rows[7]["White"], "Somebody 7");
    assert_eq!(kept(&folder, "parquet"), files[0]);
}

#[test]
fn the_next_mount_knows_the_sizes_of_tables() {
    let folder = TempDir::new().unwrap();
    let tables = [
        "tables/games.csv",
        "tables/games.ndjson",
        "tables/games.parquet",
        "tables/duplicates.csv",
        "tables/overview.html",
    ];
    let sizes = |tree: &Mounted| tables.map(|table| tree.stat(table).size);
    let first = sizes(&mount_one(&fake(), &folder));
    // Other games would have other sizes.
    let calls = Arc::new(CancelAfter::new(usize::MAX, Cancel::default()));
    let others = Fake {
        cancel: Some(Arc::clone(&calls)),
        ..others()
    };
    let second = mount_one(&others, &folder);
    let before = calls.calls();
    assert_eq!(sizes(&second), first);
    assert_eq!(calls.calls(), before, "no game was read");
    // A table of another size is refused, and its size is found anew in the next mount.
    assert!(second.read(second.inode(tables[0]), 0, 10).is_err());
    drop(second);
    let third = mount_one(&others, &folder);
    let own = third.cat(tables[0]);
    assert!(own.contains("Somebody 7") && own.len() as u64 != first[0]);
}

/// The page of a database has its path as title.
#[test]
fn sizes_are_those_of_the_database_at_its_path() {
    let folder = TempDir::new().unwrap();
    for path in ["a", "club/old/a", "a"] {
        let entries = vec![fake().at(path), others().at("b")];
        let tree = mount(entries, ServeOptions::default(), &folder);
        let page = format!("{path}/tables/overview.html");
        let size = tree.stat(&page).size;
        assert_eq!(tree.cat(&page).len() as u64, size, "{path}");
    }
}

#[test]
fn a_long_listing_of_a_database_makes_no_table() {
    let calls = Arc::new(CancelAfter::new(usize::MAX, Cancel::default()));
    let fake = Fake {
        cancel: Some(Arc::clone(&calls)),
        ..fake()
    };
    let tree = mount_with(
        vec![fake.clone().at("a"), others().at("b")],
        ServeOptions::default(),
    );
    // Its size is the size of all games.
    tree.stat("a/all.pgn");
    tree.stat("all/all.pgn");
    for directory in ["a", "all"] {
        let before = calls.calls();
        for name in tree.ls(directory) {
            tree.stat(&format!("{directory}/{name}"));
        }
        assert_eq!(calls.calls(), before, "{directory}");
        let tables = tree.entries(&format!("{directory}/tables"));
        // Problems are known with the sizes of all games.
        let mut made = tables.iter().filter(|(name, ..)| name != "problems.txt");
        assert!(made.clone().count() >= 5);
        assert!(made.all(|(.., attributes)| attributes.is_none()), "{directory}");
    }
}

#[test]
fn which_games_are_the_same_is_known_to_the_next_mount() {
    let folder = TempDir::new().unwrap();
    let unique = |fake: &Fake| {
        let options = ServeOptions {
            unique: true,
            ..ServeOptions::default()
        };
        let tree = mount(vec![fake.clone().at("a"), others().at("b")], options, &folder);
        tree.cat("all/unique/all.pgn").matches("[Event ").count()
    };
    assert_eq!(unique(&fake()), 4500);
    let others = others();
    assert_eq!(unique(&others), 4500);
    assert_eq!(others.replayed.load(Ordering::Relaxed), 0, "no game was compared");
}

#[test]
fn a_damaged_table_is_made_again() {
    let folder = TempDir::new().unwrap();
    let fake = fake();
    let right = TABLES.map(|table| bytes_of(&mount_one(&fake, &folder), table));
    for (table, right) in TABLES.into_iter().zip(&right) {
        let path = &kept_with(&folder, kind_of(table), right);
        let sound = fs::read(path).unwrap();
        let section = FileLayout::of(&sound).sections[0].clone();
        assert_eq!(&sound[section.clone()], right);
        let mut damaged = sound.clone();
        damaged[section.start + section.len() / 2] ^= 1;
        for bytes in [&damaged[..], &sound[..section.start + 10], &[]] {
            fs::remove_file(path).unwrap();
            fs::write(path, bytes).unwrap();
            let tree = mount_one(&fake, &folder);
            assert_eq!(&bytes_of(&tree, table), right, "{table}");
            assert_eq!(fs::read(path).unwrap(), sound, "{table}");
        }
        // While it is mapped.
        let tree = mount_one(&fake, &folder);
        let (size, inode) = (tree.stat(table).size, tree.inode(table));
        fs::write(path, &damaged).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let read = tree.read(inode, 0, u32::MAX).unwrap();
        assert_eq!((&*read, read.len() as u64), (&right[..], size), "{table}");
        assert_eq!(fs::read(path).unwrap(), sound, "{table}");
    }
}

#[test]
fn every_directory_has_tables_of_its_own() {
    let folder = TempDir::new().unwrap();
    let mount = |spelling: Spelling, files: Option<&TempDir>| {
        let mut layout = Layout::default();
        layout.spell(spelling);
        let options = ServeOptions {
            layout: layout.into(),
            unique: true,
            ..ServeOptions::default()
        };
        let mut other = others().at("b");
        other.files[0].1.inode += 1;
        let tree = mount_with(vec![fake().at("a"), other], options);
        files.iter().for_each(|files| tree.0.keep_in(&open(files)));
        tree
    };
    let paths = [
        "a/tables/games.parquet",
        "b/tables/games.parquet",
        "all/tables/games.parquet",
        "all/unique/tables/games.parquet",
        "a/tables/duplicates.csv",
        "all/tables/duplicates.csv",
    ];
    for (spelling, files) in [(Spelling::Stored, [4, 4]), (Spelling::Fold, [6, 5])] {
        let without = mount(spelling.clone(), None);
        let right = paths.map(|path| bytes_of(&without, path));
        for _ in 0..2 {
            let tree = mount(spelling.clone(), Some(&folder));
            for (path, right) in paths.iter().zip(&right) {
                assert_eq!(&bytes_of(&tree, path), right, "{path}");
            }
        }
        let kept = ["parquet", "duplicates"].map(|kind| kept(&folder, kind).len());
        assert_eq!(kept, files, "{spelling:?}");
    }
}

#[test]
fn a_table_that_does_not_fit_is_shown_and_not_kept() {
    let folder = TempDir::new().unwrap();
    let mount = |bytes| {
        let mut other = others().at("b");
        other.files[0].1.inode += 1;
        let tree = mount_with(vec![fake().at("a"), other], ServeOptions::default());
        let space = Space {
            bytes,
            ..Space::default()
        };
        let files = KeptFiles::open(&folder.path().join("cache"), "options", space).unwrap();
        tree.0.keep_in(&files);
        tree
    };
    let tree = mount(60_000);
    let info = tree.cat("all/info.txt");
    let refusal = "Warnings:\n  games.parquet is not kept if it has more than the 34290 bytes that cache-space \
                   allows: raise cache-space\n";
    assert!(info.contains(refusal), "{info}");
    let bytes = bytes_of(&tree, "all/tables/games.parquet");
    assert_eq!(kept(&folder, "parquet").len(), 0);
    let tree = mount(1 << 30);
    assert!(!tree.cat("all/info.txt").contains("not kept"));
    assert_eq!(bytes_of(&tree, "all/tables/games.parquet"), bytes);
    assert_eq!(kept(&folder, "parquet").len(), 1);
}

#[test]
fn an_index_that_does_not_fit_is_named_where_one_is_made() {
    let folder = TempDir::new().unwrap();
    for (index, is_named) in [(IndexUse::No, false), (IndexUse::Yes, true)] {
        let options = ServeOptions {
            index,
            ..ServeOptions::default()
        };
        let tree = mount_with(vec![fake().at("a")], options);
        let space = Space {
            bytes: 1_000,
            ..Space::default()
        };
        let cache = folder.path().join(format!("{is_named}"));
        tree.0
            .keep_in(&KeptFiles::open(&cache, "options", space).unwrap());
        let info = tree.cat("a/info.txt");
        let refusal = "  the index of positions is not kept if it has more than the ";
        assert_eq!(info.contains(refusal), is_named, "{info}");
    }
}

#[test]
fn a_table_that_cannot_be_kept_is_in_a_file_without_a_name() {
    let nowhere = || ServeOptions {
        index_folders: &[],
        ..ServeOptions::default()
    };
    let right = bytes_of(
        &mount_with(vec![fake().at("")], ServeOptions::default()),
        TABLES[0],
    );
    // The folder for kept files is gone.
    let folder = TempDir::new().unwrap();
    let cache = folder.path().join("cache");
    let tree = mount_one(&fake(), &folder);
    fs::remove_dir_all(&cache).unwrap();
    fs::write(&cache, "a file").unwrap();
    assert_eq!(bytes_of(&tree, TABLES[0]), right);
    // Neither is there a folder for temporary files.
    let tree = mount_with(vec![fake().at("")], nowhere());
    let read = tree.read(tree.inode(TABLES[0]), 0, 10);
    assert_eq!(read.err(), Some(FsError::Io(Failure::NoRoom)));
    // Small tables need no file.
    let small = mount_with(vec![Fake::many(20).at("")], nowhere());
    assert_eq!(read_parquet(bytes_of(&small, TABLES[0])).1.len(), 20);
    let folder = TempDir::new().unwrap();
    bytes_of(&mount_one(&Fake::many(20), &folder), TABLES[0]);
    assert_eq!(kept(&folder, "parquet").len(), 0);
}

#[test]
fn a_table_of_games_whose_texts_differ_is_not_kept() {
    let folder = TempDir::new().unwrap();
    let mut fake = fake();
    fake.grows = true;
    let options = || ServeOptions {
        cache_size: 0,
        ..ServeOptions::default()
    };
    let tree = mount(vec![fake.clone().at("")], options(), &folder);
    bytes_of(&tree, TABLES[0]);
    assert_eq!(kept(&folder, "parquet").len(), 1);
    let game = tree.inode("games/000001-001000/000001.pgn");
    tree.attributes(game).unwrap();
    assert!(tree.read(game, 0, 1000).is_err());
    assert_eq!(kept(&folder, "parquet").len(), 0, "a text has another length");
    bytes_of(&tree, TABLES[1]);
    assert_eq!(kept(&folder, "duplicates").len(), 0);
}
