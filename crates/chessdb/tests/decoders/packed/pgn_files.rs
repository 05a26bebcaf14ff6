//! Compressed PGN files are databases like the plain ones.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use chessdb::files::{Bytes, Files, Kept, SourceFile};
use chessdb::formats::FORMATS;
use chessdb::{Database, Options, PgnForm};
use chessdb_library::library::{Library, LibraryError};

use super::ways::{bgzf, bzip2, gzip, run, seekable, stored_zip, zip};
use testkit::needs;

/// Games of several kinds, one of them in windows-1252.
fn games(number: usize) -> Vec<u8> {
    let game = |n: usize| {
        let player: &[u8] = if n.is_multiple_of(3) {
            b"R\xe9ti"
        } else {
            "Ståhlberg".as_bytes()
        };
        let head = format!(
            "[Event \"Open {n}\"]\r\n[Date \"19{:02}.??.??\"]\r\n[White \"",
            n % 100
        );
        let moves =
            b"\"]\r\n[Result \"1-0\"]\r\n\r\n1. e4 {a ; comment} e5 2. Nf3 (2. f4) 2... Nc6 1-0\r\n\r\n";
        [head.as_bytes(), player, moves].concat()
    };
    (0..number).flat_map(game).collect()
}

fn open(source: &Path, form: PgnForm) -> Result<Library, LibraryError> {
    let mut options = Options::default();
    options.pgn = form;
    Library::open(source, &options)
}

/// All information that a database gives about its games.
fn contents(database: &dyn Database) -> Vec<String> {
    let game = |game| {
        let (mut stored, keys) = (Vec::new(), database.keys(game));
        database.as_files().append_stored(game, &mut stored);
        let names = [keys.white, keys.black, keys.event].map(|id| database.text(id));
        let len = database.as_files().stored_len(game);
        format!(
            "{names:?} {:?} {len:?} {stored:?}\n{}",
            keys.date,
            database.game(game).game
        )
    };
    (0..database.len()).map(game).collect()
}

fn paths(library: &Library) -> Vec<&str> {
    library
        .databases()
        .iter()
        .map(|entry| entry.path.as_str())
        .collect()
}

#[test]
fn packed_files_show_the_same_games_as_plain_ones() {
    needs!(program "pzstd", in "zstd");
    let folder = tempfile::tempdir().unwrap();
    let plain = games(1_000);
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("plain.pgn", &plain);
    write("a.pgn.zst", &run("pzstd", &["-q", "-c"], &plain));
    write("b.PGN.ZST", &seekable(&plain, 10_000));
    write("c.pgn.gz", &gzip(&plain, 6));
    write("d.pgn.gz", &bgzf(&plain));
    write("e.pgn.bz2", &bzip2(&plain, 1));
    write("f.zip", &zip(&[("readme.txt", b"x"), ("games/f.pgn", &plain)]));
    // None of these is PGN by its name.
    write("other.zst", &seekable(&plain, 10_000));
    write("other.txt.gz", &gzip(&plain, 6));
    let names = [
        "a.pgn.zst",
        "b.PGN.ZST",
        "c.pgn.gz",
        "d.pgn.gz",
        "e.pgn.bz2",
        "f.zip",
        "plain.pgn",
    ];
    for form in [PgnForm::Cleaned, PgnForm::Export, PgnForm::Verbatim] {
        let library = open(folder.path(), form).unwrap();
        assert_eq!(paths(&library), names);
        assert!(library.left_out().is_empty());
        let databases = library.databases();
        let wanted = contents(&*databases[6].database);
        assert_eq!(wanted.len(), 1_000);
        for entry in databases {
            assert!(contents(&*entry.database) == wanted, "{}, {form:?}", entry.path);
            assert_eq!(entry.database.info().warnings, [""; 0], "{}", entry.path);
        }
    }
}

#[test]
fn the_container_is_recognised_whatever_the_extension_says() {
    let folder = tempfile::tempdir().unwrap();
    let plain = games(100);
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a.pgn", &seekable(&plain, 10_000));
    write("b.PGN", &gzip(&plain, 6));
    write("c.pgn", &bzip2(&plain, 1));
    write("d.pgn", &zip(&[("games.pgn", &plain)]));
    write("e.pgn.gz", &bzip2(&plain, 1));
    write("f.pgn", &zip(&[("one.pgn", &plain), ("two.pgn", &plain)]));
    // Text that starts like one of them.
    write("g.pgn", &[b"BZh9\n", plain.as_slice()].concat());
    let library = open(folder.path(), PgnForm::Cleaned).unwrap();
    let names = [
        "a.pgn",
        "b.PGN",
        "c.pgn",
        "d.pgn",
        "e.pgn.gz",
        "f.pgn/one.pgn",
        "f.pgn/two.pgn",
        "g.pgn",
    ];
    assert_eq!(paths(&library), names);
    let wanted = contents(&*library.databases()[7].database);
    assert_eq!(wanted.len(), 100);
    for entry in library.databases() {
        assert!(contents(&*entry.database) == wanted, "{}", entry.path);
    }
}

#[test]
fn compressed_files_in_an_archive_are_named_where_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("club.zip");
    std::fs::write(&path, zip(&[("a.pgn.gz", b"x"), ("b/inner.zip", b"y")])).unwrap();
    let error = open(&path, PgnForm::Cleaned).err().unwrap().to_string();
    for name in ["a.pgn.gz is left out", "b/inner.zip is left out"] {
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn names_in_an_archive_are_utf_8_or_of_code_page_437() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("club.zip");
    let names = ["a/Mu_ller.pgn", "a/Mo_ller.pgn", "Čap.pgn"];
    let mut bytes = zip(&names.map(|name| (name, b"1. e4 *\n".as_slice())));
    // In the header of the member and in the directory.
    for (written, name) in [(b"Mu_ller", b"M\x81\xffller"), (b"Mo_ller", b"M\x94\xf8ller")] {
        let places: Vec<usize> = (0..bytes.len() - name.len())
            .filter(|&at| bytes[at..].starts_with(written))
            .collect();
        assert_eq!(places.len(), 2);
        places
            .into_iter()
            .for_each(|at| bytes[at..at + name.len()].copy_from_slice(name));
    }
    std::fs::write(&path, &bytes).unwrap();
    let wanted = ["a/Mö°ller.pgn", "a/Mü\u{a0}ller.pgn", "Čap.pgn"];
    assert_eq!(paths(&open(&path, PgnForm::Cleaned).unwrap()), wanted);
    // Without the directory the names are in the headers.
    bytes.truncate(bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap());
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(paths(&open(&path, PgnForm::Cleaned).unwrap()), wanted);
}

#[test]
fn an_archive_of_several_files_is_a_folder_of_databases() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Twic.ZIP");
    std::fs::write(&path, zip(&[("x/one.pgn", &games(3)), ("two.PGN", &games(5))])).unwrap();
    let library = open(folder.path(), PgnForm::Cleaned).unwrap();
    assert_eq!(paths(&library), ["Twic.ZIP/two.PGN", "Twic.ZIP/x/one.pgn"]);
    let numbers: Vec<u32> = library
        .databases()
        .iter()
        .map(|entry| entry.database.len())
        .collect();
    assert_eq!(numbers, [5, 3]);
    assert_eq!(
        paths(&open(&path, PgnForm::Cleaned).unwrap()),
        ["two.PGN", "x/one.pgn"]
    );
    // The second is not packed as any program does.
    let mut bytes = zip(&[("one.pgn", &games(3)), ("two.pgn", &games(5))]);
    let at = bytes
        .windows(4)
        .rposition(|bytes| bytes == b"PK\x01\x02")
        .unwrap();
    bytes[at + 10] = 99;
    std::fs::write(&path, bytes).unwrap();
    let library = open(folder.path(), PgnForm::Cleaned).unwrap();
    assert_eq!(paths(&library), ["Twic.ZIP/one.pgn"]);
    let warnings = library.databases()[0].database.info().warnings;
    let reason = "its compression method 99 (AES) is not supported";
    assert_eq!(warnings, [format!("two.pgn is left out: {reason}")]);
    let problems = library.databases()[0].problems();
    assert_eq!(
        problems[0].to_string(),
        format!("Twic.ZIP: two.pgn is left out: {reason}: unpack it and mount the folder")
    );
}

#[test]
fn every_member_of_an_archive_is_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.zip");
    let game = games(1);
    let names: Vec<String> = (0..10_020).map(|n| format!("{n}.pgn")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &game[..])).collect();
    std::fs::write(&path, zip(&members)).unwrap();
    let library = open(&path, PgnForm::Cleaned).unwrap();
    assert_eq!(library.databases().len(), 10_020);
    let found = library.databases().iter();
    assert!(found.clone().all(|entry| entry.database.len() == 1));
    assert!(found.clone().all(|entry| entry.database.problems().is_empty()));
}

#[test]
fn members_that_are_left_out_are_named() {
    // A directory with very many entries for the same member.
    let one = zip(&[("one.pgn", &games(1))]);
    let at = one.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    let end = one.windows(4).position(|bytes| bytes == b"PK\x05\x06").unwrap();
    let entry = &one[at..end];
    let mut bytes = [&one[..at], &entry.repeat(100_010), &one[end..]].concat();
    let end = bytes.len() - 22;
    // The real number does not fit.
    bytes[end + 8..end + 12].copy_from_slice(&[0xff; 4]);
    let len = (100_010 * entry.len()) as u32;
    bytes[end + 12..end + 16].copy_from_slice(&len.to_le_bytes());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.zip"), bytes).unwrap();
    let library = open(folder.path(), PgnForm::Cleaned).unwrap();
    let [entry] = library.databases() else {
        panic!("{:?}", paths(&library));
    };
    let beyond = "10 members of the archive, after the first 100000, are left out";
    let advice = "unpack it and mount the folder";
    assert_eq!(entry.problems()[0].what, format!("{beyond}: {advice}"));
    let problems = entry.database.problems();
    assert_eq!(problems[0].what, beyond);
    assert!(
        problems[1]
            .what
            .starts_with("one.pgn is left out: nothing can be unpacked")
    );
    let more = &problems[problems.len() - 1].what;
    assert_eq!(more, "99900 more members are left out for such reasons");
    let warnings = entry.database.info().warnings;
    assert!(warnings.iter().eq(problems.iter().map(|problem| &problem.what)));
}

/// Beside one PGN file and beside several.
#[test]
fn archives_in_an_archive_are_named() {
    let inner = zip(&[("a.pgn", &games(1))]);
    let others: [(&str, &[u8]); 3] = [("sub/inner.ZIP", &inner), ("b.pgn.gz", b"x"), ("notes.txt", b"y")];
    for number in [1, 2] {
        let own = [("one.pgn", games(1)), ("two.pgn", games(2))];
        let own = own[..number].iter().map(|(name, text)| (*name, &text[..]));
        let members: Vec<(&str, &[u8])> = own.chain(others).collect();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.zip"), zip(&members)).unwrap();
        let library = open(folder.path(), PgnForm::Cleaned).unwrap();
        assert_eq!(library.databases().len(), number);
        let warnings = library.databases()[0].database.info().warnings;
        let left_out: Vec<&str> = warnings
            .iter()
            .filter_map(|warning| Some(warning.split_once(" is left out: ")?.0))
            .collect();
        assert_eq!(left_out, ["sub/inner.ZIP", "b.pgn.gz"], "{number}");
    }
}

#[test]
fn an_archive_without_pgn_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one.pgn"), games(1)).unwrap();
    std::fs::write(folder.path().join("photos.zip"), zip(&[("a.jpg", b"x")])).unwrap();
    std::fs::write(folder.path().join("x.pgn.gz"), games(1)).unwrap();
    std::fs::write(folder.path().join("empty.zip"), zip(&[])).unwrap();
    let library = open(folder.path(), PgnForm::Cleaned).unwrap();
    assert_eq!(paths(&library), ["one.pgn"]);
    let left: Vec<String> = library
        .left_out()
        .iter()
        .map(|left| format!("{}: {}", left.path, left.reason))
        .collect();
    assert_eq!(
        left,
        [
            "empty.zip: cannot be read as a PGN database: there is no PGN file in the archive",
            "photos.zip: cannot be read as a PGN database: there is no PGN file in the archive",
            "x.pgn.gz: cannot be read as a PGN database: the file is neither zst, gz, bz2 nor zip"
        ]
    );
}

#[test]
fn a_cut_archive_shows_its_games_up_to_there() {
    let folder = tempfile::tempdir().unwrap();
    let plain = games(2_000);
    for (name, packed) in [
        ("a.pgn.zst", seekable(&plain, 5_000)),
        ("b.pgn.gz", gzip(&plain, 6)),
        (
            "c.pgn.bz2",
            [bzip2(&plain[..90_000], 1), bzip2(&plain[90_000..], 1)].concat(),
        ),
        ("d.zip", zip(&[("d.pgn", &plain)])),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, &packed[..packed.len() * 4 / 5]).unwrap();
        let library = open(&path, PgnForm::Cleaned).unwrap();
        let database = &library.databases()[0].database;
        assert!(
            (700..2_000).contains(&database.len()),
            "{name}: {}",
            database.len()
        );
        assert_eq!(database.text(database.keys(600).event), "Open 600");
        // Damaged parts are problems, and nothing else is.
        assert_eq!(database.info().warnings, [""; 0], "{name}");
        let [problem] = database.problems() else {
            panic!("{name}: {:?}", database.problems());
        };
        assert_eq!(problem.file, name);
        let offset = problem.offset.unwrap();
        assert!(offset <= packed.len() as u64 * 4 / 5, "{name}: {offset}");
    }
}

#[test]
fn what_was_made_to_do_harm_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let zeros = vec![0; 70 << 20];
    std::fs::write(folder.path().join("a.pgn.gz"), gzip(&zeros, 6)).unwrap();
    // Each member alone keeps to the bounds.
    let part = &zeros[..40 << 20];
    std::fs::write(
        folder.path().join("b.zip"),
        zip(&[("a.pgn", part), ("b.pgn", part)]),
    )
    .unwrap();
    let library = open(folder.path(), PgnForm::Cleaned).unwrap();
    assert_eq!(paths(&library), ["b.zip/a.pgn"]);
    let reason = &library.left_out()[0].reason;
    assert!(reason.contains("far more than its size"), "{reason}");
}

#[test]
fn members_inside_another_one_are_left_out_however_many() {
    let plain = games(3);
    let inner = stored_zip(&[("b.pgn", &plain), ("c.pgn", &plain)]);
    let outer = stored_zip(&[("a.pgn", &inner)]);
    let place = |bytes: &[u8], mark: &[u8]| bytes.windows(4).rposition(|bytes| bytes == mark).unwrap();
    let begin = outer
        .windows(inner.len())
        .position(|bytes| bytes == inner)
        .unwrap();
    // The directory of the archive lists what is in its member, too.
    let first = inner.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    let mut entries = inner[first..place(&inner, b"PK\x05\x06")].to_vec();
    for at in [0, place(&entries, b"PK\x01\x02")] {
        let field = &mut entries[at + 42..at + 46];
        let offset = u32::from_le_bytes(field.try_into().unwrap()) + begin as u32;
        field.copy_from_slice(&offset.to_le_bytes());
    }
    let end = place(&outer, b"PK\x05\x06");
    let mut bytes = [&outer[..end], &entries, &outer[end..]].concat();
    let end = bytes.len() - 22;
    bytes[end + 8..end + 12].copy_from_slice(&[3, 0, 3, 0]);
    let len = u32::from_le_bytes(bytes[end + 12..end + 16].try_into().unwrap()) + entries.len() as u32;
    bytes[end + 12..end + 16].copy_from_slice(&len.to_le_bytes());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.zip"), bytes).unwrap();
    let library = open(folder.path(), PgnForm::Cleaned).unwrap();
    let databases = library.databases();
    let named: Vec<String> = databases
        .iter()
        .flat_map(|entry| entry.problems())
        .map(|problem| problem.what)
        .chain(library.left_out().iter().map(|left| left.reason.to_string()))
        .collect();
    for name in ["b.pgn", "c.pgn"] {
        assert!(
            databases.iter().all(|entry| !entry.path.ends_with(name)),
            "{:?}",
            paths(&library)
        );
    }
    let inside = named
        .iter()
        .filter(|what| what.contains("overlaps another member"));
    assert!(inside.count() >= 2, "{named:?}");
}

/// The kept data, in memory.
#[derive(Debug, Default)]
struct InMemory(Mutex<HashMap<String, Vec<u8>>>);

impl Kept for InMemory {
    fn get(&self, name: &str) -> Option<Arc<dyn Bytes>> {
        let bytes = self.0.lock().unwrap().get(name).cloned()?;
        Some(Arc::new(bytes))
    }

    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Option<Arc<dyn Bytes>> {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        self.0.lock().unwrap().insert(name.to_owned(), bytes);
        self.get(name)
    }
}

/// Keeps nothing: writing fails, as on a full disk.
#[derive(Debug, Default)]
struct Full(AtomicUsize);

impl Kept for Full {
    fn get(&self, _: &str) -> Option<Arc<dyn Bytes>> {
        None
    }

    fn put(
        &self,
        _: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Option<Arc<dyn Bytes>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        write(&mut &mut [0; 64][..]).unwrap_err();
        None
    }
}

#[test]
fn an_index_that_cannot_be_kept_is_written_once() {
    let bytes = games(2_000);
    let full = Arc::new(Full::default());
    let file = SourceFile {
        name: "x.pgn".to_owned(),
        bytes: Arc::new(bytes),
    };
    let mut files = Files::new(vec![("pgn".to_owned(), file)]);
    files.kept = Some(Arc::clone(&full) as Arc<dyn Kept>);
    let format = FORMATS.iter().find(|format| format.name == "pgn").unwrap();
    let parts = (format.open)(files, &Options::default()).unwrap();
    assert_eq!(parts[0].database.len(), 2_000);
    assert_eq!(full.0.load(Ordering::Relaxed), 1);
}

/// The databases of a file, opened with what is kept for it.
fn open_kept(kind: &str, bytes: &[u8], kept: &Arc<InMemory>) -> Vec<Box<dyn Database>> {
    let format = FORMATS.iter().find(|format| format.name == "pgn").unwrap();
    let file = SourceFile {
        name: format!("x.pgn.{kind}"),
        bytes: Arc::new(bytes.to_vec()),
    };
    let mut files = Files::new(vec![(kind.to_owned(), file)]);
    files.kept = Some(Arc::clone(kept) as Arc<dyn Kept>);
    let parts = (format.open)(files, &Options::default()).unwrap();
    parts.into_iter().map(|part| part.database).collect()
}

#[test]
fn hardly_anything_is_unpacked_with_what_was_kept() {
    // Longer than what is read to open it: a mebibyte at its beginning.
    let plain = games(40_000);
    for (kind, packed) in [
        ("zst", seekable(&plain, 5_000)),
        ("gz", gzip(&plain, 1)),
        ("bz2", bzip2(&plain, 1)),
        ("zip", zip(&[("a.pgn", &plain), ("b.pgn", &games(20_000))])),
    ] {
        let kept = Arc::new(InMemory::default());
        let first = open_kept(kind, &packed, &kept);
        let names: Vec<String> = first
            .iter()
            .map(|database| database.text(database.keys(900).event))
            .collect();
        // Unpacking this shows the damage.
        let mut changed = packed.clone();
        let place = changed.len() * 3 / 4;
        changed[place..place + 40].fill(0x55);
        let second = open_kept(kind, &changed, &kept);
        assert_eq!(second.len(), first.len(), "{kind}");
        for (database, (before, name)) in second.iter().zip(first.iter().zip(names)) {
            assert_eq!(database.len(), before.len(), "{kind}");
            assert_eq!(database.text(database.keys(900).event), name, "{kind}");
            assert_eq!(database.info().warnings, [""; 0], "{kind}");
        }
    }
}

#[test]
fn damage_that_the_scan_finds_is_kept() {
    let plain = games(2_000);
    let mut packed = seekable(&plain, 20_000);
    let middle = packed.len() / 2;
    packed[middle..middle + 20].fill(0x55);
    let kept = Arc::new(InMemory::default());
    let first = open_kept("zst", &packed, &kept).remove(0);
    let [problem] = first.problems() else {
        panic!("{:?}", first.problems());
    };
    assert_eq!(problem.file, "x.pgn.zst");
    let second = open_kept("zst", &packed, &kept).remove(0);
    assert_eq!(second.problems(), first.problems());
    assert_eq!(second.len(), first.len());
}

#[test]
fn an_archive_without_its_directory_says_that_members_may_be_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.zip");
    let members: [(&str, &[u8]); 2] = [("one.pgn", &games(3)), ("two.pgn", &games(5))];
    for number in 1..=2 {
        let whole = zip(&members[..number]);
        let directory = whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        for (bytes, is_whole) in [(&whole[..], true), (&whole[..directory], false)] {
            std::fs::write(&path, bytes).unwrap();
            let library = open(&path, PgnForm::Cleaned).unwrap();
            let problems = library
                .databases()
                .iter()
                .flat_map(|entry| entry.database.problems());
            let named = problems.filter(|problem| problem.what.contains("members may be missing"));
            assert_eq!(named.count(), usize::from(!is_whole), "{number} members");
        }
    }
}

/// A shorter file is scanned in less time than its index is read.
#[test]
fn the_index_of_a_file_is_kept_from_256_kibibytes_on() {
    const LEAST: usize = 256 << 10;
    for (len, is_kept) in [(LEAST - 1, false), (LEAST, true), (LEAST + 1, true)] {
        let mut plain = games(1_000);
        plain.resize(len, b'\n');
        for (kind, bytes) in [
            ("pgn", plain.clone()),
            ("gz", gzip(&plain, 1)),
            ("zip", zip(&[("a.pgn", &plain)])),
        ] {
            let kept = Arc::new(InMemory::default());
            assert_eq!(open_kept(kind, &bytes, &kept)[0].len(), 1_000);
            let names = kept.0.lock().unwrap();
            assert_eq!(
                names.keys().any(|name| name.ends_with("index")),
                is_kept,
                "{kind}: {len}"
            );
        }
    }
}
