//! Files that are far longer than their data on disk.

use std::fmt::Debug;
use std::fs::{self, File};
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use chessdb::Options;
use chessdb::files::{Bytes, Files, SourceFile};
use chessdb::formats::FORMATS;
use chessdb_library::library::{Library, text_of};
use chessdb_library::mapped::Mapped;

use super::source::{Source, open};
use testkit::needs;
use testkit::samples::{all_samples, files_below};

/// Reading this many bytes would take hours.
const FAR: u64 = 1 << 42;

/// Maximum number of games that a hole may seem to contain: those in the last block of the data and in the
/// first megabyte of the hole.
const MOST_OF_A_HOLE: u32 = 1 << 20;

/// The texts of the first games in a database, with the numbers of their problems.
fn texts(library: &Library, most: u32) -> Vec<(usize, Vec<u8>)> {
    let entry = &library.databases()[0];
    let games = (0..entry.database.len().min(most)).map(|game| text_of(entry, game));
    games.map(|text| (text.problems.len(), text.pgn)).collect()
}

/// Copies the files next to a file, and for a database of several files those with the same stem.
fn copy(from: &Path, to: &Path) {
    for file in files_below(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&file, target).unwrap();
    }
}

/// Small samples, at least one of each format.
fn small_samples() -> Vec<(String, std::path::PathBuf)> {
    let samples = all_samples().into_iter();
    let small = samples.filter(|sample| sample.name.contains("small") && !sample.name.contains("variants"));
    small
        .flat_map(|sample| sample.bases())
        .map(|base| (base.file_name().unwrap().to_str().unwrap().to_owned(), base))
        .collect()
}

/// A format, and the first bytes of each of its files.
type Head = (&'static str, &'static [(&'static str, &'static [u8])]);

#[test]
fn a_hole_behind_each_file_changes_no_game() {
    needs!(samples);
    let mut seen = Vec::new();
    for (stem, base) in small_samples() {
        let folder = base.parent().unwrap();
        let scratch = tempfile::tempdir().unwrap();
        copy(folder, scratch.path());
        let mut files = files_below(scratch.path());
        // The contents of an archive are a single stream.
        files.retain(|file| file.extension().is_some_and(|extension| extension != "jose"));
        let find = |library: &Library| {
            let names = |path: &str| path.is_empty() || Path::new(path).file_stem().unwrap() == &*stem;
            let found = library
                .databases()
                .iter()
                .find(|entry| names(&entry.path))
                .cloned();
            found.map(|entry| Library::from_shared(vec![entry]))
        };
        let Some(before) = open(scratch.path()).ok().as_ref().and_then(find) else {
            continue;
        };
        let format = before.databases()[0].format.name;
        let games = before.databases()[0].database.len();
        let whole = texts(&before, games);
        for file in files {
            File::options()
                .write(true)
                .open(file)
                .unwrap()
                .set_len(FAR)
                .unwrap();
        }
        let library = open(scratch.path()).unwrap();
        let library = find(&library).unwrap();
        let entry = &library.databases()[0];
        let more = entry.database.len() - games;
        assert!(more < MOST_OF_A_HOLE, "{format}: {more} games more");
        let others = whole.iter().zip(texts(&library, games));
        // Games with damage may now be in the hole.
        let others = others.filter(|(before, now)| before.0 == 0 && *before != now);
        let others: Vec<_> = others
            .map(|(_, (_, now))| String::from_utf8_lossy(&now).into_owned())
            .collect();
        assert_eq!(others, [""; 0], "{}", base.display());
        let problems = entry.database.problems().iter();
        let holes = problems.filter(|problem| problem.what.contains("hole")).count();
        assert_eq!(holes, entry.files.len(), "{format}");
        seen.push(format);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, ["brenner", "chess-assistant", "chessbase", "simplecdb"]);
}

#[test]
fn games_behind_a_hole_are_there() {
    let source = Source::new();
    // Entries of 39 bytes: status, offset of the record, and unknown values.
    let entry = |offset: u8| [&[0; 8][..], &[offset], &[0; 30]].concat();
    let rows = FAR / 39;
    let index = File::create(source.path("a.dci")).unwrap();
    index.write_at(b"SimpleCDbi\0\0\0\0\0\0\0\0\0", 0).unwrap();
    index.write_at(&entry(10), 19).unwrap();
    index.write_at(&entry(12), 19 + 39 * rows).unwrap();
    source.file("a.dcg", b"SimpleCDbg\x01\0\x01\0");
    let library = source.open().unwrap();
    let database = &library.databases()[0].database;
    // The rest of the blocks at both ends of the hole also counts as rows.
    assert!((2..1000).contains(&database.len()), "{}", database.len());
    let last = text_of(&library.databases()[0], database.len() - 1);
    assert_eq!(last.problems, []);
}

/// Bytes that are lost when `is_lost` is called for the third time.
#[derive(Debug)]
struct Lost {
    bytes: Mapped,
    asked: AtomicU32,
}

impl Deref for Lost {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Bytes for Lost {
    fn is_lost(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) > 2
    }
}

#[test]
fn opening_a_lost_file_ends() {
    let heads: &[Head] = &[
        ("simplecdb", &[("dci", b"SimpleCDbi"), ("dcg", b"SimpleCDbg")]),
        ("simplecdb", &[("dcg", b"SimpleCDbg")]),
        ("chessbase", &[("cbf", b""), ("cbi", b"\x7f\xff\xff\xff")]),
        ("chessbase-cbh", &[("cbh", b"\0\0\x2c\0\x2e"), ("cbg", b"")]),
        ("chessbase-cbh", &[("cbv", b"\x08\0\x01\0\xad\0\x03\0")]),
        ("chessbase-book", &[("fbk", b"")]),
        (
            "chess-assistant",
            &[("d00", b""), ("d02", b""), ("a02", b""), ("emb", b"")],
        ),
        ("jose", &[("game.myd", b"\x01"), ("moregame.myd", b"\x01")]),
        ("brenner", &[("brn", b"\x2c")]),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, kinds) in heads {
        let mut files = Files::default();
        for (kind, head) in *kinds {
            let path = folder.path().join(kind);
            let file = File::create(&path).unwrap();
            file.write_at(head, 0).unwrap();
            file.write_at(&[1], FAR).unwrap();
            let bytes = Lost {
                bytes: Mapped::open(&path).unwrap(),
                asked: AtomicU32::new(0),
            };
            let file = SourceFile {
                name: (*kind).to_owned(),
                bytes: Arc::new(bytes),
            };
            files.files.push(((*kind).to_owned(), file));
        }
        let format = FORMATS.iter().find(|format| format.name == *name).unwrap();
        // The result does not matter.
        let _ = (format.open)(files, &Options::default());
    }
}
