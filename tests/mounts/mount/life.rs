//! Mounts under load, many mounts, and mounts on other mounts.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use super::refusals::refused;
use super::scratch::{CACHE, PATIENT, Scratch, pgnfs, run, wait_for};
use super::simplecdb::{self, OPERA};
use testkit::needs;

/// Threads that read all files of a mount repeatedly until one cannot be read.
struct Readers {
    threads: Vec<JoinHandle<std::io::Error>>,
    read: Arc<AtomicUsize>,
}

impl Readers {
    fn start(scratch: &Scratch) -> Readers {
        let files = scratch.files();
        let read = Arc::new(AtomicUsize::new(0));
        let reader = |n: usize| {
            let (files, read) = (files.clone(), Arc::clone(&read));
            thread::spawn(move || {
                loop {
                    // Reads without the page cache.
                    for path in files.iter().cycle().skip(n * 3).take(files.len()) {
                        if let Err(error) = read_uncached(path) {
                            return error;
                        }
                        read.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        };
        let readers = Readers {
            threads: (0..4).map(reader).collect(),
            read: Arc::clone(&read),
        };
        wait_for("readers", || readers.read.load(Ordering::Relaxed) > 200);
        readers
    }

    /// The errors that they ended with.
    fn end(self) -> Vec<Option<i32>> {
        let errors = self.threads.into_iter().map(|thread| thread.join().unwrap());
        errors.map(|error| error.raw_os_error()).collect()
    }
}

fn read_uncached(path: &Path) -> std::io::Result<()> {
    let mut file = File::open(path)?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    file.read_to_end(&mut Vec::new())?;
    Ok(())
}

#[test]
fn a_daemon_that_is_killed_while_it_is_read() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground_as_usual(&["-o", "cache-size=0"]);
    let open = File::open(scratch.games().remove(0)).unwrap();
    let readers = Readers::start(&scratch);
    foreground.signal("KILL");
    foreground.end();
    for error in readers.end() {
        let known = [libc::ENOTCONN, libc::ECONNABORTED, libc::EIO, libc::ENOENT];
        assert!(error.is_some_and(|error| known.contains(&error)), "{error:?}");
    }
    // Nothing has to be done by hand, even while a file of the dead mount is open.
    wait_for("the guardian to clean up", || !scratch.is_mounted());
    scratch.mount(&[]);
    assert_eq!(scratch.games().len(), 2);
    drop(open);
}

#[test]
fn readers_that_are_killed_leave_nothing() {
    needs!(mount);
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("a"), &vec![OPERA; 20_000]);
    let ended = run(&mut scratch.mount_command(&["-o", "cache-size=0,cache-dir=none"]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let [daemon, _] = scratch.daemon_and_guardian();
    let count = |what: &str| fs::read_dir(format!("/proc/{daemon}/{what}")).unwrap().count();
    let all = scratch.mount.join("a.dci/all.pgn");
    let read = || {
        let mut text = Vec::new();
        let mut file = File::open(&all).unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        file.read_to_end(&mut text).unwrap();
        text
    };
    let before = (read(), count("task"), count("fd"));
    for _ in 0..100 {
        rustix::fs::fadvise(File::open(&all).unwrap(), 0, None, rustix::fs::Advice::DontNeed).unwrap();
        let mut cat = Command::new("cat")
            .arg(&all)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The reader waits for this pipe in the middle of the file.
        let mut pipe = cat.stdout.take().unwrap();
        pipe.read_exact(&mut [0; 1000]).unwrap();
        cat.kill().unwrap();
        cat.wait().unwrap();
    }
    wait_for("threads and files to be as before", || {
        count("task") <= before.1 && count("fd") <= before.2
    });
    assert!(read() == before.0);
    scratch.unmount();
}

#[test]
fn a_daemon_that_is_ended_while_it_is_read() {
    needs!(mount);
    for name in ["TERM", "umount"] {
        let scratch = Scratch::new();
        let foreground = scratch.mount_in_foreground_as_usual(&["-o", "cache-size=0"]);
        let readers = Readers::start(&scratch);
        match name {
            "umount" => scratch.unmount(),
            signal => foreground.signal(signal),
        }
        // Each file is read to its end, and the next one does not exist any more.
        assert_eq!(readers.end(), [Some(libc::ENOENT); 4], "{name}");
        assert_eq!(foreground.end().code(), Some(0), "{name}");
        assert_eq!(scratch.log(), "", "{name}");
        wait_for("the end of the guardian", || scratch.processes().is_empty());
    }
}

#[test]
fn open_files_of_a_mount_that_is_unmounted() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground_as_usual(&["-o", "cache-size=0"]);
    let games = scratch.games();
    let (first, second) = (File::open(&games[0]).unwrap(), File::open(&games[1]).unwrap());
    scratch.unmount();
    // The folder can be mounted again immediately, and both mounts work.
    scratch.mount(&[]);
    let mut text = vec![0; 6];
    for file in [&first, &second] {
        file.read_exact_at(&mut text, 0).unwrap();
        assert_eq!(text, b"[Event");
    }
    assert_eq!(scratch.games().len(), 2);
    drop((first, second));
    assert_eq!(foreground.end().code(), Some(0));
    assert_eq!(scratch.games().len(), 2, "the other mount stays");
}

#[test]
fn a_source_on_another_mount() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    let above = scratch.path("above");
    fs::create_dir(&above).unwrap();
    // Every game of the mount is a PGN file and would be a database.
    let source = scratch.mount.join("");
    refused(&scratch, &source, &above, "no chess database", &source);
    // A folder with databases next to such a mount.
    let outer = scratch.path("outer");
    fs::create_dir_all(outer.join("mount")).unwrap();
    fs::copy(scratch.source.join("a.dci"), outer.join("a.dci")).unwrap();
    fs::copy(scratch.source.join("a.dcg"), outer.join("a.dcg")).unwrap();
    let mount =
        |source: &Path, point: &Path| run(pgnfs().args(["mount", "-o", PATIENT]).args([source, point]));
    let ended = mount(&scratch.source, &outer.join("mount"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let ended = mount(&outer, &above);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(above.join("a.dci/all.pgn").exists());
    assert_eq!(fs::read_dir(&above).unwrap().count(), 2, "a.dci and info.txt");
    for point in [above, outer.join("mount")] {
        let ended = run(pgnfs().arg("unmount").arg(&point));
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
}

#[test]
fn mounts_that_come_and_go_leave_nothing() {
    needs!(mount);
    let scratch = Scratch::new();
    let run_folder = scratch.path("run");
    fs::create_dir(&run_folder).unwrap();
    for cycle in 0..25 {
        let ended = run(scratch.mount_command(&[]).env("XDG_RUNTIME_DIR", &run_folder));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{cycle}");
        assert_eq!(scratch.games().len(), 2);
        scratch.unmount();
    }
    wait_for("the end of all", || scratch.processes().is_empty());
    assert_eq!(scratch.mounts(), Vec::<String>::new());
    let left = |folder: PathBuf| fs::read_dir(folder).map_or(0, Iterator::count);
    assert_eq!(left(run_folder.join("pgnfs")), 0, "sockets");
    assert_eq!(left(scratch.mount.clone()), 0);
    assert!(
        left(scratch.path("cache/pgnfs")) <= 2,
        "a size file for each database"
    );
}

#[test]
fn two_mounts_with_one_cache() {
    needs!(mount);
    let scratch = Scratch::new();
    let second = scratch.path("second");
    fs::create_dir(&second).unwrap();
    let [mut first, mut other] = [&scratch.mount, &second].map(|point| {
        let mut command = pgnfs();
        command
            .args(["mount", "-o", PATIENT])
            .args([&scratch.source, point]);
        command.env(CACHE, scratch.path("cache"));
        command
    });
    thread::scope(|scope| {
        let mounts = [&mut first, &mut other].map(|command| scope.spawn(|| run(command)));
        for ended in mounts.map(|mount| mount.join().unwrap()) {
            assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
        }
    });
    let look = |point: &Path| {
        let all = point.join("a.dci/all.pgn");
        let (size, inode) = fs::metadata(&all).map(|meta| (meta.len(), meta.ino())).unwrap();
        let text = fs::read(&all).unwrap();
        assert_eq!(size, text.len() as u64);
        (text, inode)
    };
    assert!(look(&scratch.mount) == look(&second), "the same files in both");
    let ended = run(pgnfs().arg("unmount").arg(&second));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    scratch.unmount();
}
