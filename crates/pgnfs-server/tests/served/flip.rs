//! Databases whose bytes another process changes while they are read. Everything read is text or an error,
//! and the file system serves only the previous state.

use testkit::writers::brenner;
use testkit::writers::chess_assistant;
use testkit::writers::chessbase;
use testkit::writers::chessbase_2cbh;
use testkit::writers::chessbase_book;
use testkit::writers::chessbase_cbh;
use testkit::writers::jose;
use testkit::writers::parquet;
use testkit::writers::scid;
use testkit::writers::simplecdb;
use testkit::writers::source;

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use chessdb::files::{Candidate, Files, SourceFile};
use chessdb::formats::{FORMATS, Format};
use chessdb::{Database, Options};

use chessdb_library::library::{GuardedDatabase, Library, LibraryEntry, to_pgn};
use chessdb_library::mapped::Mapped;
use pgnfs_server::inside::{ChessFs, FsError, Inode, Kind, Layout, ServeOptions};
use source::SourceGame;
use tempfile::TempDir;
use testkit::needs;
use testkit::samples::{all_samples, candidates, files_below};

/// Total time for which the databases of a format are read.
const TIME: Duration = Duration::from_millis(700);

/// Databases with more bytes are left out.
const MOST_BYTES: u64 = 60 << 10;

/// Maximum number of databases of each format.
const DATABASES: usize = 6;

/// Number of games read in each round.
const GAMES: u32 = 20;

/// Number of bytes changed at once.
const CHANGED: usize = 64;

type Write = fn(&[SourceGame], &Path) -> Result<(), Box<dyn Error>>;

const WRITERS: [(&str, Write); 11] = [
    ("brenner", brenner::write),
    ("chess-assistant", chess_assistant::write),
    ("chessbase", chessbase::write),
    ("book", chessbase_book::write),
    ("cbh", chessbase_cbh::write),
    ("2cbh", chessbase_2cbh::write),
    ("2cbv", chessbase_2cbh::write_archive),
    ("jose", jose::write),
    ("parquet", parquet::write),
    ("scid", scid::write),
    ("simplecdb", simplecdb::write),
];

#[test]
fn bytes_that_change_while_they_are_read() {
    needs!(samples);
    let made = TempDir::new().unwrap();
    let text = include_bytes!("../../../../examples/games/classics.pgn");
    let games = source::read(text).unwrap();
    let mut bases: Vec<_> = all_samples()
        .into_iter()
        .flat_map(|sample| sample.bases())
        .collect();
    for (name, write) in WRITERS {
        let base = made.path().join(name);
        write(&games, &base).unwrap();
        bases.push(base);
    }
    let base = made.path().join("pgn");
    fs::write(base.with_extension("pgn"), text).unwrap();
    bases.push(base);
    let mut formats: BTreeMap<&str, Vec<(&Format, Candidate)>> = BTreeMap::new();
    for (format, candidate) in bases.iter().flat_map(|base| candidates(base)) {
        let sizes = candidate
            .files
            .iter()
            .map(|(_, path)| fs::metadata(path).unwrap().len());
        if sizes.sum::<u64>() <= MOST_BYTES {
            formats.entry(format.name).or_default().push((format, candidate));
        }
    }
    assert_eq!(formats.len(), FORMATS.len(), "{:?}", formats.keys());
    for found in formats.values() {
        let step = found.len().div_ceil(DATABASES);
        let time = TIME / found.len().div_ceil(step) as u32;
        let chosen = found.iter().rev().step_by(step);
        let games = chosen.map(|(format, candidate)| Changing::new(format, candidate).read_for(time));
        assert!(games.sum::<u32>() > 0, "no game of {}", found[0].0.name);
    }
}

/// Two games that stay legal if half of one is replaced by the same half of the other, so that only the checksum of a
/// frame tells.
const KNIGHTS: [&str; 2] = ["Nf3 Nf6 Ng1 Ng8 ", "Nc3 Nc6 Nb1 Nb8 "];

/// The place of the first game's moves is here in a `.2cbh`.
const PLACE: u64 = 192 + 8;

#[test]
fn a_frame_that_is_moved_is_never_a_torn_game() {
    let made = TempDir::new().unwrap();
    let text = KNIGHTS.map(|moves| format!("[White \"W\"]\n\n{} *\n\n", moves.repeat(40)));
    let games = source::read(text.concat().as_bytes()).unwrap();
    let base = made.path().join("moved");
    chessbase_2cbh::write(&games, &base).unwrap();
    let found = candidates(&base);
    let mut changing = Changing::new(found[0].0, &found[0].1);
    let file = |kind: &str| {
        let path = changing.folder.path().join(format!("moved.{kind}"));
        File::options().read(true).write(true).open(path).unwrap()
    };
    let (cbh, cbg) = (file("2cbh"), file("2cbg"));
    let place_of = |record: u64| {
        let mut place = [0; 8];
        cbh.read_exact_at(&mut place, PLACE + 192 * record).unwrap();
        u64::from_le_bytes(place)
    };
    let places = [0, 1].map(place_of);
    let frames = places.map(|place| {
        let mut frame = vec![0; (places[1] - places[0]) as usize];
        cbg.read_exact_at(&mut frame, place).unwrap();
        frame
    });
    // The first game with either moves, while nothing changes.
    let whole = places.map(|place| {
        cbh.write_all_at(&place.to_le_bytes(), PLACE).unwrap();
        assert!(changing.map_again());
        first_game(&changing.entry(changing.open().unwrap())).unwrap()
    });
    assert_ne!(whole[0], whole[1]);
    let is_over = AtomicBool::new(false);
    // Held while the files are opened, which waits until nothing changes them.
    let pause = Mutex::new(());
    let seen = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            // The rests get longer until a game could be read between two changes.
            let mut rest = Duration::from_millis(1);
            while !is_over.load(Ordering::Relaxed) {
                for (number, place) in places.into_iter().enumerate() {
                    // Half by half over both places, and the record leads from one to the other.
                    for half in [0, 1] {
                        let middle = frames[number].len() / 2;
                        let (start, end) = [(0, middle), (middle, frames[number].len())][half];
                        let _writes = pause.lock().unwrap();
                        for (at, frame) in [(place, &frames[number]), (places[1 - number], &frames[number])] {
                            cbg.write_all_at(&frame[start..end], at + start as u64).unwrap();
                            thread::yield_now();
                        }
                        cbh.write_all_at(&place.to_le_bytes(), PLACE).unwrap();
                    }
                    thread::sleep(rest);
                    if seen.load(Ordering::Relaxed) == 0 {
                        rest += Duration::from_millis(1);
                    }
                }
            }
        });
        let _over = SetAtEnd(&is_over);
        let mut rounds = 0;
        while rounds < 40 || seen.load(Ordering::Relaxed) == 0 {
            rounds += 1;
            let opening = pause.lock().unwrap();
            assert!(changing.map_again());
            drop(opening);
            let Some(database) = changing.open() else { continue };
            if let Some(text) = first_game(&changing.entry(database)) {
                let is_remark = String::from_utf8_lossy(&text).contains("pgnfs:");
                assert!(
                    whole.contains(&text) || is_remark,
                    "{}",
                    String::from_utf8_lossy(&text)
                );
                seen.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
}

/// The file of the first game, if it can be read.
fn first_game(entry: &LibraryEntry) -> Option<Vec<u8>> {
    let mut files = served_if(entry, |path| {
        path.matches('/').count() < 2 || path.contains("/games")
    });
    files.retain(|path, _| path.ends_with("000001.pgn"));
    files.pop_first().map(|(_, bytes)| bytes)
}

/// A copy of a database, mapped before it is changed.
struct Changing {
    format: &'static Format,
    name: String,
    warnings: Vec<String>,
    /// The kind of each file, its name, and its map.
    maps: Vec<(String, String, Arc<Mapped>)>,
    folder: TempDir,
}

impl Changing {
    fn new(format: &'static Format, candidate: &Candidate) -> Changing {
        let folder = TempDir::new().unwrap();
        let map = |(kind, path): &(String, std::path::PathBuf)| {
            let name = path.file_name().unwrap();
            let copy = folder.path().join(name);
            fs::copy(path, &copy).unwrap();
            let map = Arc::new(Mapped::open(&copy).unwrap());
            (kind.clone(), name.to_string_lossy().into_owned(), map)
        };
        Changing {
            format,
            name: candidate.name.clone(),
            warnings: candidate.warnings.clone(),
            maps: candidate.files.iter().map(map).collect(),
            folder,
        }
    }

    /// Maps the files as they are now. False if one of them is being changed.
    fn map_again(&mut self) -> bool {
        let folder = self.folder.path();
        self.maps.iter_mut().all(|(_, name, map)| {
            let opened = Mapped::open(&folder.join(name));
            opened.map(|opened| *map = Arc::new(opened)).is_ok()
        })
    }

    fn open(&self) -> Option<Arc<dyn Database>> {
        let file = |(kind, name, map): &(String, String, Arc<Mapped>)| {
            let file = SourceFile {
                name: name.clone(),
                bytes: Arc::<Mapped>::clone(map),
            };
            (kind.clone(), file)
        };
        let mut files = Files::new(self.maps.iter().map(file).collect());
        files.warnings.clone_from(&self.warnings);
        let parts = (self.format.open)(files, &Options::default()).ok()?;
        parts.into_iter().next().map(|part| part.database.into())
    }

    fn entry(&self, database: Arc<dyn Database>) -> LibraryEntry {
        let files = self.maps.iter();
        LibraryEntry {
            path: String::new(),
            format: self.format,
            database: GuardedDatabase::new(database),
            files: files
                .clone()
                .map(|(_, name, map)| (name.clone(), map.identity()))
                .collect(),
            maps: files.map(|(.., map)| Arc::clone(map)).collect(),
            copies: None,
            part: None,
            found: None,
            is_local: true,
        }
    }

    /// Reads the database repeatedly while its bytes change, at least once. Returns the number of its games.
    fn read_for(&self, time: Duration) -> u32 {
        let Some(database) = self.open() else { return 0 };
        let games = database.len();
        let entry = self.entry(database);
        let before = served(&entry);
        eprintln!("{} ({})", self.name, self.format.name);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| change(self.folder.path(), &is_over));
            let _over = SetAtEnd(&is_over);
            let end = Instant::now() + time;
            loop {
                if let Some(database) = self.open() {
                    read(&*database);
                    build_views(&self.entry(database));
                }
                for (path, now) in served(&entry) {
                    assert!(before.get(&path) == Some(&now), "{path} is not what it was");
                }
                if Instant::now() >= end {
                    break;
                }
            }
        });
        games
    }
}

/// Ends the other thread on drop, also after a panic.
struct SetAtEnd<'a>(&'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Repeatedly replaces bytes in the files of a folder and restores them.
fn change(folder: &Path, is_over: &AtomicBool) {
    let files: Vec<(File, Vec<u8>)> = files_below(folder)
        .iter()
        .map(|path| {
            // Samples, and copies of them, are read-only.
            fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
            (
                File::options().write(true).open(path).unwrap(),
                fs::read(path).unwrap(),
            )
        })
        .filter(|(_, bytes)| !bytes.is_empty())
        .collect();
    let mut random = 1u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % below
    };
    while !is_over.load(Ordering::Relaxed) {
        for (file, bytes) in &files {
            // The first byte of a sequence of four, a byte that UTF-8 does not contain, zero, and others.
            let odd = [0xf0, 0xff, 0, next(256) as u8][next(4)];
            let places: Vec<usize> = (0..CHANGED).map(|_| next(bytes.len())).collect();
            for &place in &places {
                file.write_all_at(&[odd], place as u64).unwrap();
            }
            for &place in &places {
                file.write_all_at(&bytes[place..=place], place as u64).unwrap();
            }
        }
    }
}

/// Reads everything of some games, and checks every text.
fn read(database: &dyn Database) {
    let step = (database.len() / GAMES).max(1) as usize;
    for game in (0..database.len()).step_by(step) {
        let keys = database.keys(game);
        for id in [keys.white, keys.black, keys.event] {
            let text = database.text(id);
            for _ in 0..100 {
                assert_text(&text);
            }
        }
        database
            .tags(game)
            .iter()
            .for_each(|(_, value)| assert_text(value));
        let decoded = database.game(game);
        assert!(std::str::from_utf8(&to_pgn(&decoded.game)).is_ok());
        let mut stored = Vec::new();
        database.as_files().append_stored(game, &mut stored);
        assert!(std::str::from_utf8(&stored).is_ok());
        decoded
            .problems
            .iter()
            .for_each(|problem| assert_text(&problem.what));
    }
    for document in 0..database.as_files().documents().len() {
        assert!(std::str::from_utf8(&to_pgn(&database.as_files().document(document))).is_ok());
    }
    database
        .as_files()
        .members()
        .iter()
        .for_each(|member| assert_text(&member.name));
    database
        .folders()
        .iter()
        .for_each(|folder| assert_text(&folder.name));
    let info = database.info();
    info.rows.iter().for_each(|(_, value)| assert_text(value));
    info.warnings.iter().for_each(|warning| assert_text(warning));
}

fn assert_text(text: &str) {
    assert!(std::str::from_utf8(black_box(text.as_bytes())).is_ok());
}

/// Lists every directory, whether or not the files have changed.
fn build_views(entry: &LibraryEntry) {
    let mut layout = Layout::default();
    layout.add_view("own=%{player}/%{event} %{tag:Site}").unwrap();
    let options = ServeOptions {
        layout: layout.into(),
        ..ServeOptions::default()
    };
    let fs = ChessFs::new(Library::from_databases(vec![entry.clone()]), options);
    let mut directories = vec![Inode::ROOT];
    while let Some(directory) = directories.pop() {
        let Ok(directory) = fs.resolve(directory).and_then(|directory| directory.open()) else {
            continue;
        };
        let mut names = Vec::new();
        // The error of files that have changed comes after the entries.
        let _ = directory.read_dir(2, &mut |entry| {
            assert_text(&entry.name);
            names.push(entry.name.to_string());
            directories.extend((entry.kind == Kind::Directory).then_some(entry.inode));
            ControlFlow::Continue(())
        });
        for name in names {
            let _ = directory.child(OsStr::new(&name));
        }
    }
}

/// The readable files below the root, by path, without times and texts about them.
fn served(entry: &LibraryEntry) -> BTreeMap<String, Vec<u8>> {
    served_if(entry, |_| true)
}

/// The files whose paths, and the paths of their directories, are wanted.
fn served_if(entry: &LibraryEntry, is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, Vec<u8>> {
    let library = Library::from_databases(vec![entry.clone()]);
    let fs = ChessFs::new(library, ServeOptions::default());
    let mut files = BTreeMap::new();
    let mut directories = vec![(String::new(), Inode::ROOT)];
    while let Some((path, directory)) = directories.pop() {
        let mut names = Vec::new();
        let directory = fs.resolve(directory).unwrap();
        let Ok(directory) = directory.open() else { continue };
        let listed = directory.read_dir(0, &mut |entry| {
            if !entry.is_dots() {
                names.push((entry.name.to_string(), entry.kind));
            }
            ControlFlow::Continue(())
        });
        if listed.is_err() {
            continue;
        }
        for (name, kind) in names {
            let path = format!("{path}/{name}");
            if !is_wanted(&path) {
                continue;
            }
            let Ok(found) = directory.child(OsStr::new(&name)) else {
                continue;
            };
            match kind {
                Kind::Directory => directories.push((path, found.inode())),
                Kind::File if name == "info.txt" => {}
                Kind::Link => {}
                Kind::File => {
                    if let Ok(bytes) = read_file(&found) {
                        files.insert(path, bytes);
                    }
                }
            }
        }
    }
    files
}

fn read_file(file: &pgnfs_server::inside::ResolvedInode) -> Result<Vec<u8>, FsError> {
    let mut bytes = Vec::new();
    let file = file.open()?;
    loop {
        let piece = file.read(bytes.len() as u64, 1 << 16)?;
        if piece.is_empty() {
            return Ok(bytes);
        }
        bytes.extend_from_slice(&piece);
    }
}
