//! Searching a source again.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, symlink};
use std::sync::Arc;
use std::time::Duration;

use chessdb_library::library::{DatabaseSelection, Library, LibraryOptions};

use super::archive::archive;
use super::source::{Source, open, paths};

/// Searches a source again whose databases are all open.
fn again(library: &Library) -> Library {
    library.reopen(library.databases(), Duration::ZERO)
}

#[test]
fn what_did_not_change_is_not_opened_again() {
    let source = Source::new();
    source.database("a");
    source.database("club/b");
    let first = source.open().unwrap();
    let second = again(&first);
    assert!(second.is_same(&first));
    source.database("c");
    source.file("notes.dci", b"no database");
    let third = again(&second);
    assert_eq!(paths(&third), ["a.dci", "c.dci", "club/b.dci"]);
    assert!(!third.is_same(&second));
    let kept = [0, 2].map(|n| &third.databases()[n]);
    assert!(
        kept.iter()
            .zip(first.databases())
            .all(|(now, then)| Arc::ptr_eq(now, then))
    );
    assert_eq!(third.left_out().len(), 1);
}

#[test]
fn a_database_that_a_link_leads_to_stays_open_at_both_paths() {
    let source = Source::new();
    source.database("folder/a");
    source.file("folder/b.cbv", &archive(&["one.cbh", "two.cbh"]));
    symlink("folder", source.path("link")).unwrap();
    for (flat, expected) in [
        (
            false,
            [
                "folder/a.dci",
                "folder/b.cbv/one.cbh",
                "folder/b.cbv/two.cbh",
                "link/a.dci",
                "link/b.cbv/one.cbh",
                "link/b.cbv/two.cbh",
            ],
        ),
        (
            true,
            [
                "a.dci",
                "a.dci (2)",
                "one.cbh",
                "one.cbh (2)",
                "two.cbh",
                "two.cbh (2)",
            ],
        ),
    ] {
        let mut selection = DatabaseSelection::default();
        selection.flat = flat;
        let options = LibraryOptions {
            selection,
            ..LibraryOptions::default()
        };
        let first = options.open(&source.path("")).unwrap();
        assert_eq!(paths(&first), expected);
        assert!(again(&first).is_same(&first), "flat: {flat}");
        // While the source is gone, only the caller has the databases.
        fs::rename(source.path("folder"), source.path("elsewhere")).unwrap();
        let gone = first.reopen(&[], Duration::ZERO);
        fs::rename(source.path("elsewhere"), source.path("folder")).unwrap();
        let back = gone.reopen(first.databases(), Duration::ZERO);
        assert!(back.is_same(&first), "flat: {flat}");
    }
}

#[test]
fn every_change_of_a_file_opens_its_database_again() {
    let source = Source::new();
    source.database("a");
    let replace = || {
        fs::copy(source.path("a.dcg"), source.path("new")).unwrap();
        fs::rename(source.path("new"), source.path("a.dcg")).unwrap();
    };
    let rewrite = || {
        let file = File::options().write(true).open(source.path("a.dcg")).unwrap();
        file.write_at(b"SimpleCDbg", 0).unwrap();
    };
    let put_time_back = || {
        let file = File::options().write(true).open(source.path("a.dci")).unwrap();
        let time = file.metadata().unwrap().modified().unwrap();
        file.write_at(b"S", 0).unwrap();
        file.set_modified(time).unwrap();
    };
    let lose = || fs::remove_file(source.path("a.dcg")).unwrap();
    let gain = || source.database("a");
    let gain_another = || drop(source.file("a.dcn", b"SimpleCDbn"));
    let changes: [&dyn Fn(); 6] = [&replace, &rewrite, &put_time_back, &gain_another, &lose, &gain];
    for (n, change) in changes.into_iter().enumerate() {
        let before = source.open().unwrap();
        change();
        let after = again(&before);
        assert_eq!(paths(&after), ["a.dci"]);
        assert!(!after.is_same(&before), "change {n}");
        assert!(again(&after).is_same(&after), "change {n}");
    }
}

#[test]
fn a_source_that_is_gone_has_no_databases_until_it_is_back() {
    let source = Source::new();
    source.database("folder/a");
    let folder = source.path("folder");
    let library = open(&folder).unwrap();
    fs::rename(&folder, source.path("elsewhere")).unwrap();
    let gone = again(&library);
    assert!(gone.databases().is_empty());
    assert!(
        gone.left_out()[0].reason.contains("no such file or folder"),
        "{:?}",
        gone.left_out()
    );
    fs::rename(source.path("elsewhere"), &folder).unwrap();
    let back = gone.reopen(library.databases(), Duration::ZERO);
    assert!(back.is_same(&library));
    fs::remove_file(source.path("folder/a.dci")).unwrap();
    fs::remove_file(source.path("folder/a.dcg")).unwrap();
    assert!(again(&back).databases().is_empty());
    // The same for a single database.
    source.database("b");
    let single = open(&source.path("b.dci")).unwrap();
    fs::remove_file(source.path("b.dci")).unwrap();
    let gone = again(&single);
    assert!(gone.databases().is_empty() && !gone.left_out().is_empty());
    source.database("b");
    assert!(again(&gone).is_single());
}

#[test]
fn a_changing_database_stays_as_it_was() {
    let source = Source::new();
    source.database("a");
    let first = source.open().unwrap();
    assert!(!first.is_unsettled(), "the first check takes what is there");
    source.database("a");
    source.database("b");
    let hour = Duration::from_secs(3600);
    let second = first.reopen(first.databases(), hour);
    assert!(second.is_unsettled());
    assert_eq!(paths(&second), ["a.dci"]);
    assert!(Arc::ptr_eq(&second.databases()[0], &first.databases()[0]));
    assert!(second.left_out()[0].reason.contains("being changed"));
    fs::remove_file(source.path("a.dcg")).unwrap();
    let third = second.reopen(second.databases(), hour);
    assert!(Arc::ptr_eq(&third.databases()[0], &first.databases()[0]));
    let settled = third.reopen(third.databases(), Duration::ZERO);
    assert!(!settled.is_unsettled());
    assert_eq!(paths(&settled), ["a.dci", "b.dci"]);
    assert!(!Arc::ptr_eq(&settled.databases()[0], &first.databases()[0]));
    // For unchanged files the time does not matter.
    assert!(!settled.reopen(settled.databases(), hour).is_unsettled());
}

#[test]
fn a_deleted_database_does_not_come_back_while_another_one_is_copied() {
    let source = Source::new();
    source.database("a");
    source.database("b");
    let first = source.open().unwrap();
    for name in ["a.dci", "a.dcg"] {
        fs::remove_file(source.path(name)).unwrap();
    }
    let gone = again(&first);
    assert_eq!(paths(&gone), ["b.dci"]);
    source.database("a");
    // Its first state may still be in use, so it is among the open databases.
    let copied = gone.reopen(first.databases(), Duration::from_secs(3600));
    assert_eq!(paths(&copied), ["b.dci"]);
    assert!(copied.is_unsettled());
    assert!(copied.left_out()[0].reason.contains("being changed"));
}

#[test]
fn a_source_that_is_gone_is_called_as_the_user_named_it() {
    let source = Source::new();
    source.database("disk/a");
    let link = source.path("link");
    symlink(source.path("disk"), &link).unwrap();
    let real = source.path("disk").canonicalize().unwrap();
    let first = open(&link).unwrap();
    assert_eq!(first.source(), real);
    fs::remove_file(&link).unwrap();
    let gone = again(&first);
    assert_eq!((gone.source(), paths(&gone).len()), (link.as_path(), 0));
    // The link leads to another disk now.
    source.database("other/b");
    symlink(source.path("other"), &link).unwrap();
    let back = again(&gone);
    assert_eq!(back.source(), source.path("other").canonicalize().unwrap());
    assert_eq!(paths(&back), ["b.dci"]);
}
