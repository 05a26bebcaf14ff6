//! Databases that are opened while nothing waits for them.

use std::fs;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use chessdb_library::library::{Endings, Library, LibraryError, LibraryOptions};
use parking_lot::Mutex;

use super::archive::archive;
use super::source::{Source, paths};

/// Opens a source without waiting.
fn open_at_once(source: &Source, prepare: fn() -> io::Result<()>) -> Result<Library, LibraryError> {
    let options = LibraryOptions {
        patience: Some(Duration::ZERO),
        prepare: Some(prepare),
        ..LibraryOptions::default()
    };
    options.open(&source.path(""))
}

/// Adds all databases that are being opened.
fn all_open(mut library: Library, mut endings: Endings) -> Library {
    while !library.opening().is_empty() {
        endings.wait();
        library = library.go_on();
    }
    library
}

/// A source with 300 databases, and their paths in order.
fn many() -> (Source, Vec<String>) {
    let source = Source::new();
    (0..300).for_each(|n| source.database(&format!("{n:03}")));
    (source, (0..300).map(|n| format!("{n:03}.dci")).collect())
}

#[test]
fn databases_that_open_late_are_added() {
    let (source, all) = many();
    let mut library = open_at_once(&source, || Ok(())).unwrap();
    let mut endings = library.endings();
    let known = |library: &Library| {
        let opening = library.opening().iter().map(|one| one.path.clone());
        let mut known: Vec<String> = paths(library).into_iter().chain(opening).collect();
        known.sort();
        known
    };
    assert_eq!(known(&library), all);
    while !library.opening().is_empty() {
        endings.wait();
        library = library.go_on();
        assert_eq!(known(&library), all);
    }
    assert_eq!(paths(&library), all);
    assert!(library.go_on().is_same(&library));
    // Later libraries share the open databases.
    let again = library.reopen(library.databases(), Duration::ZERO);
    assert!(again.is_same(&library));
}

#[test]
fn a_new_search_finds_running_openings() {
    let (source, all) = many();
    let mut library = open_at_once(&source, || Ok(())).unwrap();
    let mut endings = library.endings();
    fs::remove_file(source.path("000.dci")).unwrap();
    fs::remove_file(source.path("000.dcg")).unwrap();
    fs::remove_file(source.path("001.dcg")).unwrap();
    library = library.reopen(library.databases(), Duration::ZERO);
    while !library.opening().is_empty() {
        endings.wait();
        library = library.reopen(library.databases(), Duration::ZERO);
    }
    assert_eq!(paths(&library), all[1..]);
    let names: Vec<&str> = library.databases()[0]
        .files
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["001.dci"]);
}

#[test]
fn a_database_with_two_ways_to_it_is_opened_once() {
    let source = Source::new();
    source.database("folder/a");
    std::os::unix::fs::symlink("folder", source.path("link")).unwrap();
    let library = source.open().unwrap();
    assert_eq!(paths(&library), ["folder/a.dci", "link/a.dci"]);
    let [one, other] = library.databases() else {
        panic!("two databases")
    };
    assert!(Arc::ptr_eq(&one.maps[0], &other.maps[0]));
}

#[test]
fn a_database_that_opens_late_is_added_at_each_of_its_paths() {
    // Of this test alone: openings wait while it is locked.
    static GATE: Mutex<()> = Mutex::new(());
    let wait_for_gate = || {
        drop(GATE.lock());
        Ok(())
    };
    let source = Source::new();
    source.database("folder/a");
    source.file("folder/b.cbv", &archive(&["one.cbh", "sub\\two.cbh"]));
    std::os::unix::fs::symlink("folder", source.path("link")).unwrap();
    let whole = source.open().unwrap();
    assert_eq!(whole.databases().len(), 6);
    let closed = GATE.lock();
    let library = open_at_once(&source, wait_for_gate).unwrap();
    let endings = library.endings();
    let opening: Vec<&str> = library.opening().iter().map(|one| &*one.path).collect();
    assert_eq!(
        opening,
        ["folder/a.dci", "folder/b.cbv", "link/a.dci", "link/b.cbv"]
    );
    drop(closed);
    let library = all_open(library, endings);
    assert_eq!(paths(&library), paths(&whole));
    let again = library.reopen(library.databases(), Duration::ZERO);
    assert!(again.is_same(&library));
}

#[test]
fn a_replaced_database_is_shown_until_its_new_state_is_open() {
    // Of this test alone: openings wait while it is locked.
    static GATE: Mutex<()> = Mutex::new(());
    let wait_for_gate = || {
        drop(GATE.lock());
        Ok(())
    };
    let source = Source::new();
    let (pgn, two) = (
        |event| format!("[Event \"{event}\"]\n\n1. e4 *\n"),
        archive(&["a.cbh", "b.cbh"]),
    );
    let replace = |name: &str, bytes: &[u8]| {
        source.file("new", bytes);
        fs::rename(source.path("new"), source.path(name)).unwrap();
    };
    source.file("x.pgn", pgn("old").as_bytes());
    source.file("y.cbv", &two);
    source.database("z");
    let library = open_at_once(&source, wait_for_gate).unwrap();
    let endings = library.endings();
    let library = all_open(library, endings.clone());
    let all = ["x.pgn", "y.cbv/a.cbh", "y.cbv/b.cbh", "z.dci"];
    assert_eq!(paths(&library), all);
    let closed = GATE.lock();
    replace("x.pgn", pgn("new").as_bytes());
    replace("y.cbv", &archive(&["b.cbh"]));
    // Parts that were not read before are lost.
    source.file("z.dcg", b"SimpleCDbg ");
    let changing = library.reopen(library.databases(), Duration::ZERO);
    let again = changing.reopen(changing.databases(), Duration::ZERO);
    for library in [&changing, &again] {
        assert_eq!(paths(library), all[..3]);
        assert_eq!(library.opening().len(), 3);
    }
    let event = |library: &Library| {
        let tags = library.databases()[0].database.tags(0);
        tags.get("Event").map(str::to_owned)
    };
    assert_eq!(event(&again).as_deref(), Some("old"));
    drop(closed);
    let changed = all_open(again, endings);
    assert_eq!(paths(&changed), ["x.pgn", "y.cbv", "z.dci"]);
    assert_eq!(event(&changed).as_deref(), Some("new"));
    assert!(changed.left_out().is_empty());
}

#[test]
fn nothing_is_opened_where_a_thread_cannot_be_prepared() {
    let source = Source::new();
    source.database("a");
    // It may be known at once, or later.
    match open_at_once(&source, || Err(io::Error::other("as expected"))) {
        Ok(library) => {
            let endings = library.endings();
            let library = all_open(library, endings);
            assert!(library.databases().is_empty());
            assert!(library.left_out()[0].reason.contains("as expected"));
        }
        Err(error) => assert!(error.to_string().contains("as expected"), "{error}"),
    }
}
