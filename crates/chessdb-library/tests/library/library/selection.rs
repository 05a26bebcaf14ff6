use chessdb_library::library::{DatabaseSelection, Library, LibraryError, LibraryOptions};

use super::source::{Source, paths};

fn only(patterns: &[&str]) -> DatabaseSelection {
    let mut selection = DatabaseSelection::default();
    for pattern in patterns {
        selection.add_only(pattern).unwrap();
    }
    selection
}

fn source() -> Source {
    let source = Source::new();
    source.database("a");
    source.database("club/a");
    source.database("club/old/B");
    source.file("club/bad.dci", b"no database");
    source
}

fn open(source: &Source, selection: &DatabaseSelection) -> Result<Library, LibraryError> {
    open_at(source, "", selection)
}

fn open_at(source: &Source, path: &str, selection: &DatabaseSelection) -> Result<Library, LibraryError> {
    let options = LibraryOptions {
        selection: selection.clone(),
        ..LibraryOptions::default()
    };
    options.open(&source.path(path))
}

#[test]
fn only_matching_databases_are_served_or_mentioned() {
    let source = source();
    for (patterns, expected) in [
        (&["a.dci"][..], &["a.dci", "club/a.dci"][..]),
        (&["b.*"], &["club/old/B.dci"]),
        (&["club/a*"], &["club/a.dci"]),
        (&["b.*", "club/a*"], &["club/a.dci", "club/old/B.dci"]),
    ] {
        let library = open(&source, &only(patterns)).unwrap();
        assert_eq!(paths(&library), expected, "{patterns:?}");
        assert_eq!(library.left_out(), [], "{patterns:?}");
    }
    let library = open(&source, &only(&["club/*"])).unwrap();
    assert_eq!(library.left_out().len(), 1, "it matches, and is no database");
}

#[test]
fn where_nothing_matches_the_error_says_why() {
    let error = open(&source(), &only(&["*.cbf"])).err().unwrap();
    assert!(matches!(error, LibraryError::NoneWanted(_)));
    assert!(
        error
            .to_string()
            .contains("'only' and 'kinds' select no chess database"),
        "{error}"
    );
}

#[test]
fn a_database_that_is_the_source_is_always_selected() {
    let source = source();
    let library = open_at(&source, "a.dci", &only(&["b*"]));
    assert!(library.unwrap().is_single());
}

#[test]
fn flat_databases_stand_beside_each_other() {
    let source = source();
    source.database("club/a.dci (2)");
    let mut flat = only(&[]);
    flat.flat = true;
    let library = open(&source, &flat).unwrap();
    assert_eq!(paths(&library), ["B.dci", "a.dci", "a.dci (2)", "a.dci (2).dci"]);
    let place = |path: &str| {
        let mut entries = library.databases().iter();
        let entry = entries.find(|entry| entry.path == path).unwrap();
        entry.files[0].1
    };
    let nested = open(&source, &DatabaseSelection::default()).unwrap();
    let first = nested
        .databases()
        .iter()
        .find(|entry| entry.path == "a.dci")
        .unwrap();
    assert_eq!(
        place("a.dci"),
        first.files[0].1,
        "the one that comes first keeps its name"
    );
}
