use std::path::Path;

use chessdb_library::library::LibraryError;

use super::source::{Source, open};

fn message(path: &Path) -> String {
    match open(path) {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_source_that_is_not_there() {
    let source = Source::new();
    let path = source.path("nothing");
    assert_eq!(
        message(&path),
        format!("{}: no such file or folder; check the path", path.display())
    );
}

#[test]
fn a_folder_without_databases() {
    let source = Source::new();
    source.file("notes.dci", b"my notes");
    source.file("readme.txt", b"text");
    let text = message(&source.path(""));
    assert!(
        text.starts_with(&format!(
            "no chess databases found in {}; supported: .pgn ",
            source.path("").display()
        )),
        "{text}"
    );
    assert!(
        text.contains("\nleft out: notes.dci: cannot be read as a SimpleCDb database: "),
        "{text}"
    );
    assert!(!text.contains("readme.txt"), "{text}");
    assert!(
        matches!(Source::new().open(), Err(LibraryError::NoDatabases { left_out, .. }) if left_out.is_empty())
    );
}

#[test]
fn what_is_supported_is_found() {
    let empty = Source::new();
    empty.file("readme.txt", b"text");
    let text = message(&empty.path(""));
    let kinds = text
        .split([' ', ',', '(', ')'])
        .filter(|word| word.starts_with('.'));
    let kinds: Vec<&str> = kinds.collect();
    assert!(kinds.len() >= 17, "{kinds:?}");
    for kind in kinds {
        let source = Source::new();
        source.file(&format!("x{kind}"), b"no database");
        match source.open() {
            Ok(library) => assert_eq!(library.databases().len(), 1, "{kind}"),
            Err(error) => assert!(
                error.to_string().contains(&format!("x{kind}: ")),
                "{kind}: {error}"
            ),
        }
    }
}

#[test]
fn what_is_left_out_does_not_fill_the_screen() {
    let source = Source::new();
    for n in 0..100 {
        source.file(&format!("{n}.dci"), b"");
    }
    let text = message(&source.path(""));
    assert_eq!(text.lines().count(), 12, "{text}");
    assert!(text.ends_with("\nand 90 more"), "{text}");
}

#[test]
fn a_file_of_another_kind() {
    let source = Source::new();
    let path = source.file("readme.txt", b"text");
    let text = message(&path);
    assert!(text.contains(
        "readme.txt: not a chess database: no supported format has such a file; supported: .pgn .cbh "
    ));
    assert!(
        text.ends_with("If it has games in PGN, rename it to .pgn"),
        "{text}"
    );
    let path = source.file("notes.dci", b"my notes");
    let text = message(&path);
    assert!(
        text.contains("notes.dci: cannot be read as a SimpleCDb database: neither the .dci"),
        "{text}"
    );
}

#[test]
fn a_pipe_is_not_waited_for() {
    let source = Source::new();
    let path = source.path("x.dci");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o644.into()).unwrap();
    assert!(message(&path).ends_with("x.dci: neither a file nor a folder"));
}
