//! Searches in a real mount: the kernel keeps their names, and opens files by them without asking.

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::path::Path;

use super::scratch::{Scratch, wait_for};
use testkit::needs;

/// The names in a directory, looked up one by one as by `ls -l`.
fn list(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: Vec<String> = names.collect();
    for name in &names {
        fs::symlink_metadata(directory.join(name)).unwrap();
    }
    names
}

/// Reads all files of a directory by their paths.
fn read(directory: &Path, names: &[String]) -> Vec<Vec<u8>> {
    let files = names.iter().map(|name| directory.join(name));
    let files = files.filter(|file| file.is_file());
    files.map(|file| fs::read(&file).unwrap()).collect()
}

#[test]
fn paths_and_open_files_of_a_search_work_whatever_else_is_searched_for() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&[], "pgnfs=trace");
    let search = scratch.mount.join("a.dci/search");
    let query = search.join("player:morphy");
    let games = query.join("games/000001-001000");
    let names = list(&query);
    list(&games);
    let (texts, inode) = (read(&query, &names), inode(&query));
    let (mut open, directory) = (
        File::open(query.join("all.pgn")).unwrap(),
        File::open(&query).unwrap(),
    );

    for number in 0..100 {
        list(&search.join(format!("moves:{number}..")).join("games"));
    }
    for _ in 0..3 {
        assert_eq!(read(&query, &names), texts);
        assert!(!list(&games).is_empty());
    }

    // More than the kernel may keep the names of: it is told to drop those used least.
    list(&query);
    for number in 100..1400 {
        fs::metadata(search.join(format!("moves:{number}.."))).unwrap();
    }
    wait_for("names that are taken back", || scratch.log().contains("FORGET"));
    let mut text = Vec::new();
    open.read_to_end(&mut text).unwrap();
    assert_eq!(text, fs::read(query.join("all.pgn")).unwrap());
    let by_descriptor = format!("/proc/self/fd/{}", directory.as_raw_fd());
    assert_eq!(list(Path::new(&by_descriptor)), names);
    assert_eq!((read(&query, &names), self::inode(&query)), (texts, inode));
    for number in [0, 100, 700, 1399] {
        let other = search.join(format!("moves:{number}.."));
        let info = fs::read_to_string(other.join("info.txt")).unwrap();
        assert!(info.contains(&format!("moves:{number}..")), "{info}");
    }
    drop((open, directory));
    scratch.unmount();
    assert!(foreground.end().success());
}

fn inode(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).unwrap().ino()
}
