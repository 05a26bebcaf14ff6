use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;

use chessdb_library::library::{DatabaseSelection, LibraryOptions};

use super::source::{Source, left, open, paths};

#[test]
fn databases_are_found_at_any_depth_and_nothing_else_is_listed() {
    let source = Source::new();
    source.database("b");
    source.database("club/a");
    source.database("club/old/x");
    source.file("club/readme.txt", b"text");
    source.file("noextension", b"text");
    source.folder("empty/emptier");
    assert_eq!(
        source.found(),
        (
            vec!["b.dci".into(), "club/a.dci".into(), "club/old/x.dci".into()],
            vec![]
        )
    );
    let library = source.open().unwrap();
    assert!(!library.is_single());
    assert_eq!(library.source(), fs::canonicalize(source.path("")).unwrap());
    let files = &library.databases()[0].files;
    let names: Vec<_> = files
        .iter()
        .map(|(name, identity)| (name.as_str(), identity.size))
        .collect();
    assert_eq!(names, [("b.dci", 20), ("b.dcg", 10)]);
}

#[test]
fn files_of_other_chess_programs_are_named() {
    let source = Source::new();
    source.database("good");
    for name in ["Book.ABK", "games.rar", "club/polyglot.bin", "readme.txt"] {
        source.file(name, b"bytes");
    }
    let (found, left_out) = source.found();
    assert_eq!(found, ["good.dci"]);
    let mut names: Vec<(&str, &str)> = left_out
        .iter()
        .map(|(name, reason)| (name.as_str(), reason.split(':').next().unwrap()))
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            ("Book.ABK", "an opening book of Arena"),
            ("club/polyglot.bin", "perhaps an opening book of Polyglot"),
            ("games.rar", "an archive, which is not read"),
        ]
    );
    let alone = open(&source.path("Book.ABK")).err().unwrap().to_string();
    assert!(alone.contains("an opening book of Arena"), "{alone}");
    assert!(!alone.contains("not a chess database"), "{alone}");
}

#[test]
fn what_is_no_database_is_left_out_with_the_reason() {
    let source = Source::new();
    source.database("good");
    source.file("notes.dci", b"my notes");
    let (found, left_out) = source.found();
    assert_eq!(found, ["good.dci"]);
    assert_eq!(left_out.len(), 1);
    assert_eq!(left_out[0].0, "notes.dci");
    assert!(
        left_out[0]
            .1
            .starts_with("cannot be read as a SimpleCDb database: "),
        "{left_out:?}"
    );
}

#[test]
fn pipes_and_sockets_are_never_opened() {
    let source = Source::new();
    source.database("good");
    source.database("half");
    fs::remove_file(source.path("half.dcg")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, source.path("half.dcg"), 0o644.into()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, source.path("pipe.dci"), 0o644.into()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, source.path("pipe"), 0o644.into()).unwrap();
    let _socket = UnixListener::bind(source.path("socket.dci")).unwrap();
    let reason = "not a regular file";
    assert_eq!(
        source.found(),
        (
            vec!["good.dci".into(), "half.dci".into()],
            vec![left("pipe.dci", reason), left("socket.dci", reason)]
        )
    );
    let info = source.open().unwrap().databases()[1].database.info();
    assert!(
        info.warnings
            .contains(&"half.dcg is left out: not a regular file".to_owned()),
        "{:?}",
        info.warnings
    );
}

#[test]
fn names_that_are_not_utf8_are_shown_as_windows_1252() {
    let source = Source::new();
    let raw = |name: &[u8]| source.path("").join(OsStr::from_bytes(name));
    let database = |stem: &[u8], extensions: [&str; 2]| {
        for (extension, bytes) in extensions
            .into_iter()
            .zip([&b"SimpleCDbi\0\0\0\0\0\0\0\0\0\0"[..], b"SimpleCDbg"])
        {
            fs::write(raw(&[stem, b".", extension.as_bytes()].concat()), bytes).unwrap();
        }
    };
    source.database("Müller");
    database(b"M\xfcller", ["dci", "DCG"]);
    fs::create_dir(raw(b"K\xf6ln")).unwrap();
    database(b"K\xf6ln/\x93x\x94", ["dci", "dcg"]);
    let long = [0xfc; 240];
    database(&long, ["dci", "dcg"]);
    fs::write(raw(b"\x94.abk"), "a book").unwrap();
    fs::write(raw(b"\x94.txt"), "text").unwrap();
    let expected = ["Köln/“x”.dci", "Müller.dci", "Müller.dci (2)", &"ü".repeat(120)];
    let (found, left_out) = source.found();
    assert_eq!(found, expected);
    assert_eq!(
        left_out.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
        ["”.abk"]
    );
    // Each has its own files.
    let library = source.open().unwrap();
    for (path, names) in [
        ("Müller.dci", ["Müller.dci".as_bytes(), "Müller.dcg".as_bytes()]),
        ("Müller.dci (2)", [&b"M\xfcller.dci"[..], b"M\xfcller.DCG"]),
        (
            "Köln/“x”.dci",
            [&b"K\xf6ln/\x93x\x94.dci"[..], b"K\xf6ln/\x93x\x94.dcg"],
        ),
    ] {
        let mut entries = library.databases().iter();
        let entry = entries.find(|entry| entry.path == path).unwrap();
        let inodes = entry.files.iter().map(|(_, identity)| identity.inode);
        let expected = names.map(|name| fs::metadata(raw(name)).unwrap().ino());
        assert_eq!(inodes.collect::<Vec<_>>(), expected, "{path}");
    }
    // As a source by itself, and selected by the name that is shown.
    let single = open(&raw(b"M\xfcller.dci")).unwrap();
    let [entry] = single.databases() else {
        panic!("{:?}", paths(&single));
    };
    assert_eq!((entry.name(), entry.files.len()), ("Müller.dci", 2));
    let mut selection = DatabaseSelection::default();
    selection.add_only("Köln/*").unwrap();
    let selected = LibraryOptions {
        selection,
        ..LibraryOptions::default()
    }
    .open(&source.path(""))
    .unwrap();
    assert_eq!(paths(&selected), ["Köln/“x”.dci"]);
}

#[test]
fn names_are_made_safe_and_stay_apart() {
    let source = Source::new();
    source.database("a\nb/x");
    source.database("a_b/x");
    source.database("c\td");
    source.database("c_d");
    let long = "é".repeat(125);
    source.database(&long);
    let (found, left_out) = source.found();
    assert_eq!(
        found,
        [
            "a_b (2)/x.dci",
            "a_b/x.dci",
            "c_d.dci",
            "c_d.dci (2)",
            &format!("{long}.dci")
        ]
    );
    assert_eq!(left_out, []);
}

#[test]
fn databases_that_differ_by_letter_case_are_two() {
    let source = Source::new();
    source.database("Club/Games");
    source.database("Club/games");
    source.database("club/GAMES");
    let (found, left_out) = source.found();
    assert_eq!(found, ["Club/Games.dci", "Club/games.dci", "club/GAMES.dci"]);
    assert_eq!(left_out, []);
    for entry in source.open().unwrap().databases() {
        let stem = entry.path.rsplit('/').next().unwrap().trim_end_matches(".dci");
        let names: Vec<_> = entry.files.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(names, [format!("{stem}.dci"), format!("{stem}.dcg")]);
    }
}

#[test]
fn unreadable_folders_and_files_are_left_out() {
    let source = Source::new();
    source.database("good");
    source.database("locked/x");
    source.database("y");
    let lock =
        |path: &str, mode| fs::set_permissions(source.path(path), fs::Permissions::from_mode(mode)).unwrap();
    lock("locked", 0);
    lock("y.dci", 0);
    // Root can read locked folders.
    let may_all = fs::read_dir(source.path("locked")).is_ok();
    let (found, left_out) = source.found();
    lock("locked", 0o755);
    if may_all {
        assert_eq!(found, ["good.dci", "locked/x.dci", "y.dci"]);
    } else {
        assert_eq!(found, ["good.dci"]);
        assert_eq!(left_out[0].0, "locked");
        assert!(left_out[0].1.starts_with("cannot be read: "), "{left_out:?}");
        assert!(left_out[1].1.starts_with("cannot be opened: "), "{left_out:?}");
    }
}

#[test]
fn deep_folders_are_searched() {
    let source = Source::new();
    let deep = "d/".repeat(1000);
    source.database(&format!("{deep}x"));
    assert_eq!(source.found().0, [format!("{deep}x.dci")]);
}

#[test]
fn a_database_is_found_among_many_files_of_none() {
    let source = Source::new();
    for n in 0..20_000 {
        source.file(&format!("file{n}.dcn"), b"");
    }
    source.database("x");
    assert_eq!(source.found(), (vec!["x.dci".to_owned()], Vec::new()));
}

#[test]
fn a_file_stands_for_its_database() {
    let source = Source::new();
    source.database("club/a");
    source.database("club/b");
    for name in ["a.dci", "a.dcg"] {
        let library = open(&source.path("club").join(name)).unwrap();
        assert!(library.is_single());
        assert_eq!(paths(&library), [""]);
        assert_eq!(library.databases()[0].name(), "a.dci");
        assert_eq!(library.databases()[0].files.len(), 2);
    }
    std::os::unix::fs::symlink(source.path("club/b.dci"), source.path("link")).unwrap();
    let library = open(&source.path("link")).unwrap();
    assert_eq!(library.databases()[0].name(), "b.dci");
}
