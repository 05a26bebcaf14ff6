//! The file of an index is used as long as it matches the database; a damaged one never leads to wrong answers.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use chessdb::Options;
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::Library;
use chessdb_library::positions::{BuildOptions, Index, Pattern, scan, scan_moves};

use super::index::positions;
use testkit::needs;

/// A copy of a sample with a few thousand games.
fn source(folder: &Path) -> PathBuf {
    let sample = testkit::samples::shared().join("data/simplecdb/small");
    let source = folder.join("source");
    fs::create_dir(&source).unwrap();
    for file in fs::read_dir(sample).unwrap().map(Result::unwrap) {
        if file
            .path()
            .extension()
            .is_some_and(|extension| extension != "pgn")
        {
            fs::copy(file.path(), source.join(file.file_name())).unwrap();
        }
    }
    source
}

fn options() -> BuildOptions {
    BuildOptions {
        threads: 2,
        // So little that the positions of the games are written to a file.
        memory: 1 << 10,
        ..BuildOptions::default()
    }
}

/// Moves to common and to rare positions.
const LINES: [&str; 5] = ["", "e4", "d4 Nf6 c4 e6", "e4 c5 Nf3 d6 d4", "h4 a5 h5 a4"];

/// The answers for all [`LINES`]; `None` if the index reports damage.
fn answers(index: &Index) -> Option<Vec<String>> {
    let patterns = LINES.map(|line| Pattern::of_moves(line).unwrap());
    let mut answers = Vec::new();
    for pattern in patterns {
        answers.push(format!("{:?}", index.find(&pattern).ok()?));
        answers.push(format!("{:?}", index.moves(&pattern).ok()?));
        if let Some(root) = index.root().unwrap() {
            answers.push(format!("{:?}", index.children(&root).ok()?));
        }
    }
    Some(answers)
}

#[test]
fn a_damaged_index_is_never_believed() {
    needs!(samples);
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(&source(folder.path()), &Options::default()).unwrap();
    let cache = folder.path().join("cache");
    let files = KeptFiles::open(&cache, "", Space::default()).unwrap();
    for entry in library.databases() {
        assert!(Index::load(&files, entry).is_none());
        let index = Index::build(&files, entry, options(), &|_| ()).unwrap();
        let right = answers(&index).unwrap();
        for line in LINES {
            let pattern = Pattern::of_moves(line).unwrap();
            let found = scan(&*entry.database, None, &pattern, None, 1, &|_| ());
            assert_eq!(index.find(&pattern).unwrap(), found);
            let table = scan_moves(&*entry.database, None, &pattern, None, 1, &|_| ());
            assert_eq!(index.moves(&pattern).unwrap(), table);
        }
        let path = fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read(&path).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        for place in (0..whole.len()).step_by(whole.len() / 150) {
            file.write_all_at(&[whole[place] ^ 0x21], place as u64).unwrap();
            if let Some(index) = Index::load(&files, entry)
                && let Some(answers) = answers(&index)
            {
                assert_eq!(answers, right, "byte {place}");
            }
            file.write_all_at(&whole[place..=place], place as u64).unwrap();
        }
        for len in [0, 5, 300, whole.len() / 2, whole.len() - 1] {
            file.set_len(len as u64).unwrap();
            assert!(Index::load(&files, entry).is_none(), "{len} bytes");
            fs::write(&path, &whole).unwrap();
        }
        assert_eq!(answers(&Index::load(&files, entry).unwrap()).unwrap(), right);
        Index::remove(&files, entry);
        assert!(Index::load(&files, entry).is_none());
    }
}

#[test]
fn an_index_is_the_same_whatever_threads_and_memory_build_it() {
    needs!(samples);
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(&source(folder.path()), &Options::default()).unwrap();
    for entry in library.databases() {
        let mut first: Option<Vec<u8>> = None;
        for (threads, memory) in [(1, 64 << 20), (1, 1 << 10), (2, 1 << 10), (5, 1 << 12)] {
            let cache = folder.path().join(format!("{threads} {memory} {}", entry.name()));
            let files = KeptFiles::open(&cache, "", Space::default()).unwrap();
            let options = BuildOptions {
                threads,
                memory,
                ..BuildOptions::default()
            };
            let index = Index::build(&files, entry, options, &|_| ()).unwrap();
            for position in positions(&*entry.database) {
                let wanted = Pattern::new(position);
                let found = scan(&*entry.database, None, &wanted, None, 1, &|_| ());
                assert_eq!(index.find(&wanted).unwrap(), found, "{position:?}");
            }
            let path = fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
            let bytes = fs::read(&path).unwrap();
            assert!(
                first.get_or_insert_with(|| bytes.clone()) == &bytes,
                "{threads} {memory}"
            );
        }
    }
}

#[test]
fn an_index_of_another_state_is_not_used() {
    needs!(samples);
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path());
    let files =
        |options: &str| KeptFiles::open(&folder.path().join("cache"), options, Space::default()).unwrap();
    let open = || Library::open(&source, &Options::default()).unwrap();
    let library = open();
    let entry = &library.databases()[0];
    Index::build(&files(""), entry, options(), &|_| ()).unwrap();
    assert!(Index::load(&files(""), entry).is_some());
    assert!(Index::load(&files("other"), entry).is_none());
    for file in fs::read_dir(&source).unwrap().map(Result::unwrap) {
        let bytes = fs::read(file.path()).unwrap();
        fs::write(file.path(), bytes).unwrap();
    }
    let library = open();
    assert!(Index::load(&files(""), &library.databases()[0]).is_none());
}
