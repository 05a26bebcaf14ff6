//! Sources with a part that does not answer.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use super::scratch::{Foreground, PATIENCE, Scratch, pgnfs, run, signal, wait_for};
use super::simplecdb::{self, OPERA};
use testkit::hanging::{Hanging, Operation};
use testkit::needs;
use testkit::patience::Waiting;

#[test]
fn the_file_system_of_these_tests_hangs_and_recovers() {
    needs!(mount);
    let scratch = tempfile::tempdir().unwrap();
    let (folder, point) = (scratch.path().join("folder"), scratch.path().join("point"));
    fs::create_dir_all(folder.join("sub")).unwrap();
    fs::create_dir(&point).unwrap();
    fs::write(folder.join("sub/file"), "contents").unwrap();
    let hanging = Hanging::mount(&folder, &point);
    let file = point.join("sub/file");
    assert_eq!(fs::read(&file).unwrap(), b"contents");
    let names: Vec<_> = fs::read_dir(&point)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["sub"]);

    for operation in [
        Operation::LookUp,
        Operation::Attributes,
        Operation::Open,
        Operation::Read,
    ] {
        hanging.hang(&[operation]);
        thread::scope(|scope| {
            let reader = scope.spawn(|| fs::read(&file).unwrap());
            wait_for("a request that hangs", || hanging.waiting(operation) > 0);
            assert!(!reader.is_finished());
            hanging.recover();
            assert_eq!(reader.join().unwrap(), b"contents");
        });
    }
    hanging.fail(&[Operation::Open]);
    assert_eq!(fs::read(&file).unwrap_err().raw_os_error(), Some(libc::EIO));
    hanging.recover();
    hanging.pretend_size(Some(1 << 45));
    assert_eq!(fs::metadata(&file).unwrap().len(), 1 << 45);
    let open = fs::File::open(&file).unwrap();
    drop(hanging);
    assert_eq!(fs::read_dir(&point).unwrap().count(), 0);
    drop(open);
}

/// A mount of `a.dci` and `sub/b.dci`, which are local, and of `far/c.dci` on a file system that may hang.
struct Far {
    // Dropped first, because the mount must close its files before.
    hanging: Hanging,
    scratch: Scratch,
}

/// Number of games in the database that may hang.
const GAMES: usize = 100;

/// Number of simultaneous readers.
const READERS: usize = 64;

impl Far {
    fn new() -> Far {
        let scratch = Scratch::new();
        let (folder, point) = (scratch.path("far"), scratch.source.join("far"));
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&point).unwrap();
        simplecdb::write(&folder.join("c"), &[OPERA; GAMES]);
        let hanging = Hanging::mount(&folder, &point);
        Far { hanging, scratch }
    }

    /// Mounts and waits until all sizes are known, so that nothing is read in the background any more.
    fn mount(&self) -> Foreground {
        self.mount_with("--source-timeout=2")
    }

    fn mount_with(&self, option: &str) -> Foreground {
        // Cached games would be served even if the source does not answer.
        let options = ["--cache-size=1", option];
        let mount = self.scratch.mount_in_foreground(&options, "info");
        // The mount answers shortly before its socket does.
        wait_for("all sizes", || {
            let ended = run(pgnfs().args(["status", "--wait"]).arg(&self.scratch.mount));
            ended.code == Some(0)
        });
        mount
    }

    /// A game in the database that may hang.
    fn game(&self, number: usize) -> PathBuf {
        let path = format!("far/c.dci/games/000001-001000/{number:06}.pgn");
        self.scratch.mount.join(path)
    }

    /// The output of `pgnfs export` for a database.
    fn exported(&self, database: &str) -> String {
        let ended = run(pgnfs().arg("export").arg(&self.scratch.source).arg(database));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.out
    }

    fn silence(&self) -> Option<u64> {
        let ended = run(pgnfs().args(["status", "--json"]).arg(&self.scratch.mount));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let status: Value = serde_json::from_str(&ended.out).unwrap();
        let databases = status["databases"].as_array().unwrap();
        let mut silent = databases.iter().filter(|database| !database["silence"].is_null());
        let first = silent.next()?;
        assert_eq!((first["path"].as_str(), silent.next()), (Some("far/c.dci"), None));
        first["silence"].as_u64()
    }
}

/// Ends all hanging on drop, so that a failing test does not hang.
struct Recovery<'a>(&'a Hanging);

impl Drop for Recovery<'_> {
    fn drop(&mut self) {
        self.0.recover();
    }
}

/// Ends the readers as well.
struct End<'a> {
    is_over: &'a AtomicBool,
    _recovery: Recovery<'a>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

fn errno(error: &io::Error) -> Option<i32> {
    error.raw_os_error()
}

/// Runs a command on folders of the mount and returns its output.
fn listed(program: &str, arguments: &[&str], folders: &[PathBuf]) -> String {
    let ended = run(Command::new(program).args(arguments).args(folders));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.out
}

fn others_are_served_while_one_hangs(operations: &[Operation]) {
    needs!(mount);
    let far = Far::new();
    let texts = ["a.dci", "sub/b.dci", "far/c.dci"].map(|database| far.exported(database));
    let mount = far.mount();
    let point = &far.scratch.mount;
    // The kernel knows half of the games; the others must be looked up.
    for number in 1..=GAMES / 2 {
        assert!(fs::metadata(far.game(number)).unwrap().len() > 0);
    }
    far.hanging.hang(operations);
    let is_over = AtomicBool::new(false);
    let refused: Vec<AtomicUsize> = (0..READERS).map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|number| {
                let game = far.game((number + 1) * GAMES / READERS);
                let (is_over, refused) = (&is_over, &refused[number]);
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        match fs::read(&game) {
                            Ok(text) => assert!(is_over.load(Ordering::Relaxed), "{} bytes", text.len()),
                            Err(error) => assert_eq!(errno(&error), Some(libc::EIO)),
                        }
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let end = End {
            is_over: &is_over,
            _recovery: Recovery(&far.hanging),
        };
        wait_for("requests that hang", || {
            operations
                .iter()
                .any(|&operation| far.hanging.waiting(operation) > 0)
        });
        for (folder, text) in ["a.dci", "sub/b.dci"].into_iter().zip(&texts) {
            let folder = point.join(folder);
            assert_eq!(&fs::read_to_string(folder.join("all.pgn")).unwrap(), text);
            let mut games: Vec<_> = fs::read_dir(folder.join("games/000001-001000"))
                .unwrap()
                .map(|game| game.unwrap().path())
                .collect();
            games.sort();
            let games: String = games
                .iter()
                .map(|game| fs::read_to_string(game).unwrap())
                .collect();
            assert_eq!(&games, text);
        }
        let healthy = [point.join("a.dci"), point.join("sub")];
        assert!(listed("ls", &["-lR"], &healthy).contains("000002.pgn"));
        assert!(listed("find", &[], &healthy).contains("sub/b.dci/players"));
        assert!(listed("ls", &["-l"], &[point.clone(), point.join("far")]).contains("c.dci"));
        assert!(listed("ls", &[], &[point.join("far/c.dci")]).contains("all.pgn"));
        wait_for("status to name it", || far.silence().is_some());
        wait_for("the log to name it", || {
            far.scratch
                .log()
                .contains("far/c.dci: the source has not answered for")
        });
        // Every reader gets two errors.
        wait_for("errors", || {
            refused.iter().all(|times| times.load(Ordering::Relaxed) >= 2)
        });
        drop(end);
        for reader in readers {
            reader.join().unwrap();
        }
    });
    wait_for("an end of silence", || far.silence().is_none());
    let games: String = (1..=GAMES)
        .map(|number| fs::read_to_string(far.game(number)).unwrap())
        .collect();
    assert_eq!(games, texts[2]);
    far.scratch.unmount();
    assert_eq!(mount.end().code(), Some(0));
}

#[test]
fn others_are_served_while_a_file_system_hangs() {
    others_are_served_while_one_hangs(&Operation::ALL);
}

#[test]
fn others_are_served_while_attributes_hang() {
    others_are_served_while_one_hangs(&[Operation::Attributes]);
}

#[test]
fn others_are_served_while_reading_hangs() {
    others_are_served_while_one_hangs(&[Operation::Read]);
}

#[test]
fn a_listing_of_a_database_that_hangs_waits_but_once() {
    needs!(mount);
    let far = Far::new();
    let mount = far.mount();
    far.hanging.hang(&Operation::ALL);
    let recovery = Recovery(&far.hanging);
    let mut waiting = Waiting::begin();
    let folder = far.scratch.mount.join("far/c.dci/games/000001-001000");
    let games = (1..=GAMES).map(|number| folder.join(format!("{number:06}.pgn")));
    let ended = run(Command::new("ls").arg("-l").args(games));
    assert_eq!(ended.err.lines().count(), GAMES, "{ended:?}");
    assert!(waiting.spent() < PATIENCE, "{:?}", waiting.spent());
    drop(recovery);
    wait_for("an end of silence", || far.silence().is_none());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), GAMES);
    far.scratch.unmount();
    assert_eq!(mount.end().code(), Some(0));
}

/// True if the main thread has ended, even if another thread hangs in the kernel.
fn is_over(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|fields| fields.chars().next());
    matches!(state, None | Some('Z' | 'X'))
}

fn a_mount_ends_while_its_source_hangs(unmount: impl FnOnce(&Far, &Foreground)) {
    needs!(mount);
    let far = Far::new();
    let mount = far.mount();
    far.hanging.hang(&Operation::ALL);
    thread::scope(|scope| {
        let recovery = Recovery(&far.hanging);
        let readers: Vec<_> = (1..=8)
            .map(|number| {
                let game = far.game(number);
                scope.spawn(move || fs::read(game).map_err(|error| errno(&error)))
            })
            .collect();
        wait_for("requests that hang", || far.hanging.waiting(Operation::Read) > 0);
        unmount(&far, &mount);
        wait_for("a mount point that is free", || !far.scratch.is_mounted());
        for reader in readers {
            let read = reader.join().unwrap();
            let expected = [libc::EIO, libc::ENOTCONN, libc::ECONNABORTED];
            assert!(
                read.as_ref()
                    .is_err_and(|error| error.is_some_and(|error| expected.contains(&error))),
                "{read:?}"
            );
        }
        wait_for("the end of the program", || is_over(mount.id()));
        assert!(far.hanging.waiting(Operation::Read) > 0);
        drop(recovery);
        assert_eq!(mount.end().code(), Some(0));
    });
}

#[test]
fn unmount_does_not_wait_for_a_source_that_hangs() {
    a_mount_ends_while_its_source_hangs(|far, _| far.scratch.unmount());
}

#[test]
fn a_signal_does_not_wait_for_a_source_that_hangs() {
    a_mount_ends_while_its_source_hangs(|_, mount| mount.signal("TERM"));
}

/// A timeout that no test waits for.
const NO_TIMEOUT: &str = "--source-timeout=3600";

#[test]
fn a_killed_reader_ends_and_others_wait_on() {
    needs!(mount);
    let far = Far::new();
    let mount = far.mount_with(NO_TIMEOUT);
    let contents = fs::read(far.game(1)).unwrap();
    far.hanging.hang(&Operation::ALL);
    thread::scope(|scope| {
        let recovery = Recovery(&far.hanging);
        let other = scope.spawn(|| fs::read(far.game(2)).map_err(|error| errno(&error)));
        let mut killed = Command::new("cat").arg(far.game(4)).spawn().unwrap();
        // The request of a program that handles the signal goes on.
        let script = "trap : TERM; read -r line < \"$1\"";
        let mut handles = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(far.game(3))
            .spawn()
            .unwrap();
        let waits = |process: u32| {
            let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
            state.contains(") S ") || state.contains(") D ")
        };
        wait_for("requests that hang", || far.hanging.waiting(Operation::Read) > 0);
        wait_for("readers that wait", || waits(killed.id()) && waits(handles.id()));
        signal(handles.id(), "TERM");
        killed.kill().unwrap();
        wait_for("the end of the reader", || killed.try_wait().unwrap().is_some());
        assert!(!other.is_finished());
        assert_eq!(handles.try_wait().unwrap(), None);
        drop(recovery);
        assert!(other.join().unwrap().is_ok());
        assert!(handles.wait().unwrap().success());
    });
    assert_eq!(fs::read(far.game(4)).unwrap(), contents);
    far.scratch.unmount();
    assert_eq!(mount.end().code(), Some(0));
}

#[test]
fn what_waits_when_a_mount_ends_is_refused() {
    needs!(mount);
    for by_signal in [false, true] {
        let far = Far::new();
        let mount = far.mount_with(NO_TIMEOUT);
        // An open file keeps the program.
        let open = fs::File::open(far.scratch.mount.join("a.dci/games/000001-001000")).unwrap();
        far.hanging.hang(&Operation::ALL);
        thread::scope(|scope| {
            let recovery = Recovery(&far.hanging);
            let waiting =
                scope.spawn(|| fs::metadata(far.scratch.mount.join("far/c.dci/tables/duplicates.csv")));
            let is_waited_for = |operation| far.hanging.waiting(operation) > 0;
            wait_for("requests that hang", || {
                Operation::ALL.into_iter().any(is_waited_for)
            });
            if by_signal {
                mount.signal("TERM");
            } else {
                far.scratch.unmount();
            }
            let refused = waiting.join().unwrap();
            assert!(refused.is_err(), "{refused:?}");
            assert!(!is_over(mount.id()));
            drop(recovery);
        });
        drop(open);
        assert_eq!(mount.end().code(), Some(0));
    }
}
