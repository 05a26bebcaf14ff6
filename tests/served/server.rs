//! A front end without FUSE: it lists and reads by path, in several threads, and its callers leave.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use chessdb_library::library::Library;
use pgnfs_server::watch::Means;
use pgnfs_server::{Detail, Entry, OpenFile, Reply, Requests, Server, Unanswered, Visitor};
use pgnfs_server::{Failure, FsError, Inode, Kind, Outdated, PassOptions, ServeOptions};
use testkit::patience::wait_for;

/// A front end. It waits for each answer, or leaves at once.
#[derive(Clone)]
struct FrontEnd {
    requests: Requests,
    leaves: bool,
}

/// Collects what is in a directory.
struct Listing(Vec<(String, Kind)>, Sender<Result<Vec<(String, Kind)>, FsError>>);

impl Visitor for Listing {
    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()> {
        self.0.push((entry.name.to_string(), entry.kind));
        ControlFlow::Continue(())
    }
}

impl Reply<Vec<Inode>> for Listing {
    fn send(self, end: Result<Vec<Inode>, FsError>) {
        self.1.send(end.map(|_| self.0)).unwrap();
    }
}

impl FrontEnd {
    fn ask<A>(
        &self,
        ask: impl FnOnce(Sender<Result<A, FsError>>) -> Option<Unanswered>,
    ) -> Result<A, FsError> {
        let (sender, answer) = channel();
        let unanswered = ask(sender);
        unanswered.filter(|_| self.leaves).inspect(Unanswered::leave);
        let answered = answer.recv().unwrap();
        assert!(answer.recv().is_err(), "there are two answers");
        answered
    }

    fn open(&self, path: &str) -> Result<OpenFile, FsError> {
        self.ask(|to| self.requests.open(7, path, move |file| to.send(file).unwrap()))
    }

    fn list(&self, path: &str) -> Result<Vec<(String, Kind)>, FsError> {
        let found = self.ask(|to| self.requests.find(7, path, move |found| to.send(found).unwrap()))?;
        self.ask(|to| {
            self.requests
                .list(7, found.inode, 2, Detail::Bare, Listing(Vec::new(), to))
        })
    }

    fn read(&self, path: &str) -> Result<String, FsError> {
        let file = self.open(path)?;
        let mut text = Vec::new();
        while (text.len() as u64) < file.size() {
            let at = text.len() as u64;
            let more = self.ask(|to| file.read(7, at, 100, move |more| to.send(more).unwrap()))?;
            assert!((1..=100).contains(&more.len()));
            text.extend_from_slice(&more);
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// The paths and texts of all files below a directory.
fn read_all(front_end: &FrontEnd, directory: &str, files: &mut Vec<(String, String)>) -> Result<(), FsError> {
    for (name, kind) in front_end.list(directory)? {
        let path = format!("{directory}/{name}");
        match kind {
            Kind::Directory => read_all(front_end, &path, files)?,
            Kind::File => files.push((path.clone(), front_end.read(&path)?)),
            Kind::Link => assert!(matches!(front_end.open(&path), Err(FsError::WrongKind))),
        }
    }
    Ok(())
}

fn write(path: &Path, players: &[&str]) {
    let games = players.iter().map(|player| {
        format!("[White \"{player}\"]\n[Date \"1851.06.21\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. f4 1-0\n\n")
    });
    let aside = path.with_extension("new");
    fs::write(&aside, games.collect::<String>()).unwrap();
    fs::rename(aside, path).unwrap();
}

fn serve(source: &Path, outdated: impl Fn(&[Outdated]) + Send + Sync + 'static) -> Server {
    let open = |source: &Path| Library::open(source, &Default::default()).map_err(std::io::Error::other);
    let (quiet, options) = (Duration::from_millis(50), ServeOptions::default());
    let mut server = Server::open(source, Means::Auto, quiet, open, options).unwrap();
    let pass = PassOptions {
        threads: 1,
        lower_priority: || (),
    };
    server.start(pass, outdated).unwrap();
    server
}

#[test]
fn a_front_end_reads_a_source_by_path_and_is_told_of_changes() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path();
    fs::create_dir(source.join("club")).unwrap();
    write(&source.join("a.pgn"), &["Anderssen", "Kieseritzky"]);
    write(&source.join("club/b.pgn"), &["Dufresne"]);
    let (sender, outdated) = channel();
    let server = serve(source, move |outdated| sender.send(outdated.to_vec()).unwrap());
    let front_end = FrontEnd {
        requests: server.requests().clone(),
        leaves: false,
    };

    let mut files = Vec::new();
    read_all(&front_end, "", &mut files).unwrap();
    for database in ["a.pgn", "club/b.pgn"] {
        let mut export = Command::new(env!("CARGO_BIN_EXE_pgnfs"));
        let exported = export.arg("export").arg(source.join(database)).output().unwrap();
        let exported = String::from_utf8(exported.stdout).unwrap();
        let below = format!("/{database}/games/");
        let games = files.iter().filter(|(path, _)| path.starts_with(&below));
        assert_eq!(games.map(|(_, text)| text.as_str()).collect::<String>(), exported);
        assert!(files.contains(&(format!("/{database}/all.pgn"), exported)));
    }
    assert!(matches!(
        front_end.open("/club/b.pgn"),
        Err(FsError::IsADirectory)
    ));
    assert!(matches!(front_end.open("/club/c.pgn"), Err(FsError::NotFound)));
    assert!(matches!(
        front_end.open("/club/b.pgn/all.pgn/x"),
        Err(FsError::NotADirectory)
    ));
    assert!(matches!(
        front_end.open(&"x".repeat(256)),
        Err(FsError::NameTooLong)
    ));
    for path in ["club/../a.pgn/all.pgn", "./a.pgn/all.pgn", &"../".repeat(100_000)] {
        assert!(matches!(front_end.open(path), Err(FsError::NotFound)), "{path}");
    }
    assert!(matches!(
        front_end.open(&"/".repeat(100_000)),
        Err(FsError::IsADirectory)
    ));
    let open = front_end.open("club/b.pgn/all.pgn").unwrap();
    let before = front_end.read("club/b.pgn/all.pgn").unwrap();
    assert_eq!(open.key(), front_end.open("club/b.pgn/all.pgn").unwrap().key());
    assert_ne!(
        open.key(),
        front_end.open("club/b.pgn/tables/games.csv").unwrap().key()
    );

    write(&source.join("club/b.pgn"), &["Dufresne", "Staunton"]);
    // Directories that the present state does not have are reported by another thread, in any order.
    wait_for("the report of b.pgn", || {
        let mut reported = outdated.try_iter().flatten();
        reported.any(|here| here.names.contains(&"b.pgn".to_owned()))
    });
    assert_eq!(front_end.list("club/b.pgn/games/000001-001000").unwrap().len(), 2);
    assert_ne!(open.key(), front_end.open("club/b.pgn/all.pgn").unwrap().key());
    // What is open stays as it was.
    let again = front_end.ask(|to| open.read(7, 0, u32::MAX, move |text| to.send(text).unwrap()));
    assert_eq!(String::from_utf8_lossy(&again.unwrap()), before);
}

/// How many reads succeed at least.
const READS: usize = 400;

/// How many reads succeed at least before the next change. Until its source is opened again, a file cannot be read.
const READS_OF_STATE: usize = 20;

#[test]
fn eight_threads_read_one_state_or_another_while_the_source_changes_and_callers_leave() {
    let folder = tempfile::tempdir().unwrap();
    let (path, states) = (
        folder.path().join("a.pgn"),
        [&["Anderssen"][..], &["Bird", "Bird"]],
    );
    write(&path, states[0]);
    let server = serve(folder.path(), |_| ());
    let (read, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // On a busy machine, all callers may have their answers before they leave.
    let begin = Instant::now();
    let is_over = || {
        let has_left = left.load(Ordering::Relaxed) > 0 || begin.elapsed() > Duration::from_secs(30);
        has_left && read.load(Ordering::Relaxed) >= READS
    };
    let paths = [
        "all.pgn",
        "tables/games.csv",
        "players",
        "moves/e4/games",
        "search/player:bird/all.pgn",
    ];
    thread::scope(|scope| {
        for thread in 0..8 {
            let front_end = FrontEnd {
                requests: server.requests().clone(),
                leaves: thread % 4 == 0,
            };
            let (read, left) = (&read, &left);
            scope.spawn(move || {
                let paths = paths.map(|path| format!("a.pgn/{path}"));
                for path in paths.iter().cycle().take_while(|_| !is_over()) {
                    match look(&front_end, path, &states) {
                        Ok(()) => _ = read.fetch_add(1, Ordering::Relaxed),
                        Err(FsError::Interrupted) => {
                            assert!(front_end.leaves);
                            left.fetch_add(1, Ordering::Relaxed);
                        }
                        // The file was replaced before it was read.
                        Err(FsError::Stale | FsError::NotFound | FsError::Io(Failure::Changed)) => {}
                        Err(error) => panic!("{path}: {error:?}"),
                    }
                }
            });
        }
        for state in states.iter().cycle() {
            let before = read.load(Ordering::Relaxed);
            while !is_over() && read.load(Ordering::Relaxed) < before + READS_OF_STATE {
                thread::sleep(Duration::from_millis(5));
            }
            if is_over() {
                break;
            }
            write(&path, state);
        }
    });
    assert!(left.into_inner() > 0);
}

/// Reads a file or lists a directory. All players that it finds must be of one state.
fn look(front_end: &FrontEnd, path: &str, states: &[&[&str]]) -> Result<(), FsError> {
    if !path.ends_with(".pgn") && !path.ends_with(".csv") {
        return front_end.list(path).map(drop);
    }
    let text = front_end.read(path)?;
    if path.ends_with("all.pgn") {
        let players: Vec<&str> = text.lines().filter(|line| line.starts_with("[White ")).collect();
        let is_state = |state: &&[&str]| {
            let all = state.iter().map(|player| format!("[White \"{player}\"]"));
            all.eq(players.iter().map(|&tag| tag.to_owned()))
        };
        assert!(
            players.is_empty() || states.iter().any(is_state),
            "{path}: {players:?}"
        );
    }
    Ok(())
}
