//! A database whose games have to be counted is shown before they are.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chessdb::Options;
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::Library;
use pgnfs_server::inside::{Attributes, ChessFs, Failure, FsError, PassState, ServeOptions};
use tempfile::TempDir;

use super::mounted::{Mounted, mount, mount_all};
use testkit::fake::Fake;
use testkit::needs;

/// A database of 3 games, and whether they are counted.
fn uncounted() -> (Fake, Arc<AtomicBool>) {
    let counted = Arc::new(AtomicBool::new(false));
    let fake = Fake {
        counted: Some(Arc::clone(&counted)),
        ..Fake::many(3)
    };
    (fake, counted)
}

/// Lists a directory, looks up all entries, and asks which thread answers requests for them. Returns the names, and the
/// attributes that are known.
fn look_at(tree: &Mounted, path: &str) -> (Vec<String>, Vec<Attributes>) {
    let mut names = Vec::new();
    let mut known = Vec::new();
    for (name, inode, _, attributes) in tree.entries(path) {
        let child = tree.inode(&format!("{path}/{name}"));
        assert_eq!(child, inode, "{name}");
        if attributes.is_none() {
            assert!(tree.may_wait(inode), "{name}");
            let node = tree.0.resolve(inode).unwrap();
            assert!(node.open_here(false).unwrap().run_on(false).is_some(), "{name}");
        }
        names.push(name);
        known.extend(attributes);
    }
    (names, known)
}

#[test]
fn names_in_its_directory_are_shown_before_its_games_are_counted() {
    let (fake, counted) = uncounted();
    let tree = mount(fake);
    let folder = tempfile::tempdir().unwrap();
    tree.0
        .keep_in(&KeptFiles::open(folder.path(), "options", Space::default()).unwrap());
    let (names, known) = look_at(&tree, "");
    assert_eq!((tree.0.statistics().games, known.len()), (4, 0));
    let status = tree.0.status();
    let database = &status.databases[0];
    assert_eq!((database.games, database.sizes_known), (4, 0));
    assert_eq!(database.pass, PassState::Waiting);
    assert!(!counted.load(Ordering::Relaxed));

    assert!(
        tree.cat("info.txt")
            .lines()
            .any(|line| line.split_whitespace().eq(["Games:", "3"]))
    );
    assert!(counted.load(Ordering::Relaxed));
    assert_eq!(tree.ls(""), names);
    assert_eq!(tree.ls("games/000001-001000").len(), 3);
    assert_eq!(tree.ls("emb"), [""; 0]);
    assert_eq!(tree.stat("emb").links, 2);
    assert_eq!(
        (tree.0.statistics().games, tree.0.status().databases[0].games),
        (3, 3)
    );
}

#[test]
fn it_is_not_counted_for_others() {
    let (fake, counted) = uncounted();
    let tree = mount_all(vec![fake.at("a.dci"), Fake::many(2).at("b.dci")]);
    let (mut names, known) = look_at(&tree, "");
    names.sort();
    assert_eq!(names, ["a.dci", "all", "b.dci", "info.txt"]);
    assert_eq!(known.len(), 3);
    look_at(&tree, "a.dci");
    look_at(&tree, "all");
    assert_eq!(tree.ls("b.dci/games/000001-001000").len(), 2);
    assert!(!counted.load(Ordering::Relaxed));

    let text = tree.cat("info.txt");
    assert!(text.contains("a.dci: Fake, 3 games") && text.contains("b.dci: Fake, 2 games"));
    assert!(counted.load(Ordering::Relaxed));
    assert_eq!(tree.ls("all/players").len(), 6);
}

/// A folder with a database whose games are not counted when it is opened, its file, and its number of records.
fn large() -> (TempDir, PathBuf, u64) {
    let records = 70_000;
    let mut bytes = vec![1; 46 * (records + 1)];
    bytes[..6].copy_from_slice(&[0, 0, 0x2c, 0, 46, 1]);
    bytes[6..10].copy_from_slice(&(records as u32 + 1).to_be_bytes());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.cbh");
    fs::write(&path, bytes).unwrap();
    (folder, path, records as u64)
}

#[test]
fn no_number_is_shown_of_a_file_that_was_changed_before_its_games_were_counted() {
    for source in ["", "large.cbh"] {
        let (folder, path, records) = large();
        let library = Library::open(&folder.path().join(source), &Options::default()).unwrap();
        let info = match source {
            "" => "large.cbh/info.txt",
            _ => "info.txt",
        };
        let tree = Mounted(ChessFs::new(library, ServeOptions::default()));
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(46 * 30_000)
            .unwrap();

        let inode = tree.inode(info);
        for _ in 0..2 {
            assert_eq!(
                tree.read(inode, 0, 1000).err(),
                Some(FsError::Io(Failure::Changed))
            );
            assert_eq!(tree.attributes(inode).err(), Some(FsError::Io(Failure::Changed)));
            // The most that there can be, in the state that was opened.
            assert_eq!(tree.0.statistics().games, records);
            let database = &tree.0.status().databases[0];
            assert_eq!((u64::from(database.games), database.is_counted), (records, false));
        }
        if source.is_empty() {
            let text = tree.cat("info.txt");
            assert!(text.contains("ChessBase (CBH), at most 70000 games\n"), "{text}");
        }
        for file in [
            "tables/problems.txt",
            "all.pgn",
            "tables/games.csv",
            "tables/overview.html",
        ] {
            let inode = tree.inode(&info.replace("info.txt", file));
            assert_eq!(
                tree.read(inode, 0, 1000).err(),
                Some(FsError::Io(Failure::Changed)),
                "{file}"
            );
        }
        assert_eq!(tree.0.status().databases[0].pass, PassState::GivenUp);
    }
}

/// A `.cbf` has no list of names. Nothing else waits: one game is answered by the thread that reads requests, which
/// starts no other one.
#[test]
fn threads_that_read_requests_wait_for_no_records_and_answer_all_else() {
    let shared = needs!(samples);
    let all = ["info.txt", "tables/games.csv", "games/000001-001000/000007.pgn"];
    let first = [
        ("chessbase/medium.cbf", [true, false, false]),
        ("simplecdb/large/large.dci", [true, false, true]),
        ("brenner/medium.main.brn", [true, false, true]),
    ];
    for (name, at_first) in first {
        let library = Library::open(&shared.join("data").join(name), &Options::default()).unwrap();
        let tree = Mounted(ChessFs::new(library, ServeOptions::default()));
        let answered_here = || {
            all.map(|file| {
                let node = tree.0.resolve(tree.inode(file)).unwrap();
                node.open_here(false).unwrap().run_on(false).is_none()
            })
        };
        assert_eq!(answered_here(), at_first, "{name}");
        tree.cat("info.txt");
        tree.ls("players");
        assert_eq!(answered_here(), [true, false, true], "{name}");
    }
}
