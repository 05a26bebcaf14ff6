//! Archives that hold several databases.

use std::time::Duration;

use chessdb_library::library::{DatabaseSelection, LibraryOptions};

use super::source::{Source, open, paths};

/// A `.cbv` of databases without games.
pub fn archive(names: &[&str]) -> Vec<u8> {
    const ENTRY: u8 = 140;
    let header = [&[0, 0, 0x2c, 0, 46, 1][..], &[0; 40]].concat();
    let stream = [&[47, 0, 0, 0, 0][..], &header].concat();
    let mut bytes = vec![8, 0, names.len() as u8, 0, ENTRY, 0, 3, 0];
    let at = bytes.len() + usize::from(ENTRY) * names.len();
    for name in names {
        let mut entry = name.as_bytes().to_vec();
        entry.resize(128, 0);
        for number in [at, stream.len(), header.len()] {
            entry.extend((number as u32).to_le_bytes());
        }
        bytes.extend(entry);
    }
    bytes.extend(stream);
    bytes
}

#[test]
fn each_database_of_an_archive_has_a_directory() {
    let source = Source::new();
    source.file("one.cbv", &archive(&["inside.cbh"]));
    source.file("club/two.cbv", &archive(&["b.cbh", "old\\a.cbh", "new\\A.CBH"]));
    let library = source.open().unwrap();
    assert_eq!(
        paths(&library),
        [
            "club/two.cbv/A.CBH",
            "club/two.cbv/a.cbh",
            "club/two.cbv/b.cbh",
            "one.cbv"
        ]
    );
    let alone = open(&source.path("club/two.cbv")).unwrap();
    assert_eq!(paths(&alone), ["A.CBH", "a.cbh", "b.cbh"]);
    assert!(!alone.is_single());
    assert!(open(&source.path("one.cbv")).unwrap().is_single());
}

#[test]
fn an_archive_stays_open_until_it_changes() {
    let source = Source::new();
    let path = source.file("x.cbv", &archive(&["a.cbh", "b.cbh"]));
    for first in [source.open().unwrap(), open(&path).unwrap()] {
        let again = first.reopen(first.databases(), Duration::ZERO);
        assert!(again.is_same(&first));
    }
    let first = source.open().unwrap();
    source.file("new", &archive(&["a.cbh"]));
    std::fs::rename(source.path("new"), &path).unwrap();
    let changing = first.reopen(first.databases(), Duration::from_secs(3600));
    assert_eq!(paths(&changing), ["x.cbv/a.cbh", "x.cbv/b.cbh"]);
    let changed = first.reopen(first.databases(), Duration::ZERO);
    assert_eq!(paths(&changed), ["x.cbv"]);
}

#[test]
fn archives_are_chosen_by_their_own_names() {
    let source = Source::new();
    source.file("club/x.cbv", &archive(&["a.cbh", "b.cbh"]));
    source.file("y.cbv", &archive(&["a.cbh", "b.cbh"]));
    let mut selection = DatabaseSelection::default();
    selection.add_only("x.*").unwrap();
    selection.flat = true;
    let library = LibraryOptions {
        selection,
        ..LibraryOptions::default()
    }
    .open(&source.path(""))
    .unwrap();
    assert_eq!(paths(&library), ["a.cbh", "b.cbh"]);
}
