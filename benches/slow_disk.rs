//! What is read of a source on a slow disk: `slow_disk FOLDER [MILLISECONDS]`.
//!
//! Mounts a file system that takes so long for each request (10 ms by default) and shows `FOLDER`, and pgnfs on it.
//! Prints how long the first steps of a user take, and how many requests and bytes they cost the disk. Needs
//! `/dev/fuse`. Without arguments the program does nothing.

#![allow(missing_docs)]

use testkit::hanging;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use hanging::Hanging;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let Some(folder) = arguments.first() else {
        println!("usage: slow_disk FOLDER [MILLISECONDS]");
        return;
    };
    let delay = arguments
        .get(1)
        .map_or(10, |text| text.parse().expect("a number"));
    let points = tempfile::tempdir().expect("a folder");
    let point = |name| {
        let point = points.path().join(name);
        fs::create_dir(&point).expect("a folder");
        point
    };
    let (disk_point, mount) = (point("disk"), point("mount"));
    let folder = Path::new(folder).canonicalize().expect("a folder");
    let disk = Hanging::mount_slow(&folder, &disk_point, Duration::from_millis(delay));

    println!(
        "{:<28} {:>10} {:>10} {:>12}",
        "step", "seconds", "requests", "bytes"
    );
    let measured = |step: &str, run: &mut dyn FnMut()| {
        let (requests, bytes, begin) = (disk.requests(), disk.bytes(), Instant::now());
        run();
        let seconds = begin.elapsed().as_secs_f64();
        let (requests, bytes) = (disk.requests() - requests, disk.bytes() - bytes);
        println!("{step:<28} {seconds:>10.2} {requests:>10} {bytes:>12}");
    };
    let pgnfs = |arguments: &[&str]| {
        let status = Command::new(env!("CARGO_BIN_EXE_pgnfs")).args(arguments).status();
        assert!(status.is_ok_and(|status| status.success()), "pgnfs {arguments:?}");
    };
    let text = |path: &Path| path.to_str().expect("a name in UTF-8").to_owned();
    let mounting = ["mount", "--cache-dir=none", &text(&disk_point), &text(&mount)];
    measured("mount and ls", &mut || {
        pgnfs(&mounting);
        list(&mount);
    });
    let mut database = mount.clone();
    for name in list(&mount) {
        if name.join("games").is_dir() {
            database = name;
        }
    }
    measured("ls games/", &mut || drop(list(&database.join("games"))));
    let block = list(&database.join("games"))
        .into_iter()
        .find(|entry| entry.is_dir());
    let block = block.expect("a database with games");
    measured("ls of 1,000 games", &mut || drop(list(&block)));
    measured("a game", &mut || {
        drop(fs::read(&list(&block)[0]).expect("a game"))
    });
    measured("ls players/", &mut || drop(list(&database.join("players"))));
    measured("games.csv", &mut || {
        drop(fs::read(database.join("tables/games.csv")).expect("a table"))
    });
    measured("all.pgn", &mut || {
        drop(fs::read(database.join("all.pgn")).expect("all games"))
    });
    pgnfs(&["unmount", &text(&mount)]);
}

/// The entries of a directory.
fn list(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}
