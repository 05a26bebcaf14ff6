//! Opening databases by path.

use std::fs;
use std::io::Write;
use std::path::Path;

use chessdb::{OpenErrorKind, open, open_all};

use super::{own, write};

/// A zip of PGN files with one game each.
fn write_zip(path: &Path, names: &[&str]) {
    let mut archive = rawzip::ZipArchiveWriter::new(fs::File::create(path).unwrap());
    for name in names {
        let (mut entry, config) = archive.new_file(name).start().unwrap();
        let mut writer = config.wrap(&mut entry);
        write!(writer, "[Event \"{name}\"]\n\n1. e4 e5 *\n").unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
}

/// Names and numbers of games of all databases at a path.
fn all(path: &Path) -> Vec<(String, u32)> {
    let found = open_all(path).unwrap().into_iter().map(|found| {
        let name = found.path.strip_prefix(path).unwrap_or(&found.path);
        (name.display().to_string(), found.database.unwrap().len())
    });
    found.collect()
}

#[test]
fn an_archive_of_several_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.zip");
    write_zip(&path, &["one.pgn", "other.pgn"]);
    let error = open(&path).err().unwrap();
    assert!(matches!(&error.kind, OpenErrorKind::Several(names) if names == &["one.pgn", "other.pgn"]));
    let expected = format!("{}: 2 databases: one.pgn, other.pgn", path.display());
    assert_eq!(error.to_string(), expected);
    assert_eq!(
        all(&path),
        [("one.pgn".to_owned(), 1), ("other.pgn".to_owned(), 1)]
    );
}

#[test]
fn an_archive_of_one_is_that_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.zip");
    write_zip(&path, &["one.pgn"]);
    assert_eq!(open(&path).unwrap().len(), 1);
    assert_eq!(open_all(&path).unwrap().len(), 1);
}

#[test]
fn a_folder_of_several_names_them() {
    let folder = tempfile::tempdir().unwrap();
    write("simplecdb", &folder.path().join("a"));
    assert_eq!(open(folder.path()).unwrap().len(), 63);
    write("scid", &folder.path().join("b"));
    let error = open(folder.path()).err().unwrap().to_string();
    assert!(error.ends_with(": 2 databases: a.dci, b.si4"), "{error}");
    let below = folder.path().join("below");
    fs::create_dir(&below).unwrap();
    fs::copy(own("annotated.pgn"), below.join("c.pgn")).unwrap();
    let expected = [("a.dci", 63), ("b.si4", 63), ("below/c.pgn", 16)];
    assert_eq!(
        all(folder.path()),
        expected.map(|(name, len)| (name.to_owned(), len))
    );
}

#[test]
fn a_message_lists_ten_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.zip");
    let names: Vec<String> = (10..30).map(|number| format!("{number}.pgn")).collect();
    write_zip(&path, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let error = open(&path).err().unwrap().to_string();
    assert!(error.contains(": 20 databases: 10.pgn, 11.pgn"), "{error}");
    assert!(error.ends_with("19.pgn, ..."), "{error}");
}

#[test]
fn what_is_no_database_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.cbh");
    fs::write(&path, "").unwrap();
    for path in [path.as_path(), folder.path()] {
        let error = open(path).err().unwrap();
        assert!(matches!(error.kind, OpenErrorKind::NotADatabase(_)), "{error}");
    }
    assert!(open_all(&path).is_err());
    // The reason is in the list.
    let found = open_all(folder.path()).unwrap();
    assert!(found.len() == 1 && found[0].database.is_err());
    let missing = open_all(folder.path().join("missing")).err().unwrap();
    assert!(matches!(missing.kind, OpenErrorKind::Io(_)));
}
