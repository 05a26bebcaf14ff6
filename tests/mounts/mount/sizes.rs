//! Sizes that are kept from one mount to the next.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::scratch::{CACHE, Scratch, pgnfs, run, wait_for};
use super::simplecdb::{self, IMMORTAL, OPERA};
use testkit::kept::Layout;
use testkit::needs;

/// A source whose files are old, because sizes of files that were just written are not kept.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    for folder in ["", "sub"] {
        for file in fs::read_dir(scratch.source.join(folder)).unwrap() {
            age(&file.unwrap().path(), 100);
        }
    }
    scratch
}

fn age(path: &Path, hours: u64) {
    let time = SystemTime::now() - Duration::from_secs(hours * 3600);
    File::open(path).unwrap().set_modified(time).unwrap();
}

/// The size files in a folder.
fn kept(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "sizes"))
        .collect()
}

fn usual(scratch: &Scratch) -> PathBuf {
    scratch.path("cache/pgnfs")
}

/// The size file of `a.dci`, which has two games.
fn size_file(scratch: &Scratch) -> PathBuf {
    let of_two = |path: &PathBuf| fs::read(path).unwrap()[16] == 2;
    kept(&usual(scratch)).into_iter().find(of_two).unwrap()
}

/// Mounts, waits for the size files of both databases, and unmounts.
fn keep(scratch: &Scratch, options: &[&str], folder: &Path) {
    scratch.mount(options);
    wait_for("the size files", || kept(folder).len() == 2);
    unmount(scratch);
}

fn unmount(scratch: &Scratch) {
    scratch.unmount();
    wait_for("the end of the program", || scratch.processes().is_empty());
}

fn size(scratch: &Scratch) -> u64 {
    fs::metadata(scratch.mount.join("a.dci/all.pgn")).unwrap().len()
}

#[test]
fn the_next_mount_knows_all_sizes() {
    needs!(mount);
    let scratch = scratch();
    keep(&scratch, &[], &usual(&scratch));
    let mode = fs::metadata(usual(&scratch)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let foreground = scratch.mount_in_foreground(&[], "pgnfs=debug");
    let wanted: u64 = scratch
        .games()
        .iter()
        .map(|game| fs::metadata(game).unwrap().len())
        .sum();
    assert_eq!(size(&scratch), wanted);
    wait_for("what was read", || {
        scratch.log().contains("sub/b.dci: the table of sizes from ")
    });
    let log = scratch.log();
    assert!(log.contains("a.dci: the table of sizes from "), "{log}");
    assert!(!log.contains("sizes known after"), "nothing was decoded: {log}");
    drop(foreground);
}

#[test]
fn a_size_file_with_a_wrong_size_is_removed() {
    needs!(mount);
    let scratch = scratch();
    scratch.mount(&[]);
    let text = fs::read(scratch.mount.join("a.dci/all.pgn")).unwrap();
    unmount(&scratch);
    keep(&scratch, &[], &usual(&scratch));
    let file = size_file(&scratch);
    let mut bytes = fs::read(&file).unwrap();
    let layout = Layout::of(&bytes);
    bytes[layout.sections[0].start] += 1;
    layout.seal(&mut bytes);
    fs::write(&file, bytes).unwrap();

    let foreground = scratch.mount_in_foreground(&[], "off");
    assert_eq!(size(&scratch), text.len() as u64 + 1);
    let error = fs::read(&scratch.games()[0]).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(5), "{error}");
    assert!(!file.exists());
    foreground.signal("TERM");
    foreground.end();

    keep(&scratch, &[], &usual(&scratch));
    scratch.mount(&[]);
    assert_eq!(fs::read(scratch.mount.join("a.dci/all.pgn")).unwrap(), text);
}

#[test]
fn a_file_that_is_damaged_or_stale_is_replaced() {
    needs!(mount);
    let scratch = scratch();
    keep(&scratch, &[], &usual(&scratch));
    let file = size_file(&scratch);
    let good = fs::read(&file).unwrap();
    let replaced = |what: &str| {
        let before = fs::read(&file).unwrap();
        let foreground = scratch.mount_in_foreground(&[], "pgnfs=debug");
        let wanted: u64 = scratch
            .games()
            .iter()
            .map(|game| fs::read(game).unwrap().len() as u64)
            .sum();
        assert_eq!(size(&scratch), wanted, "{what}");
        wait_for(what, || fs::read(&file).unwrap() != before);
        foreground.signal("TERM");
        foreground.end();
        let log = scratch.log();
        assert!(
            log.contains("a.dci: ") && log.contains(".sizes: not used: "),
            "{log}"
        );
    };
    fs::write(&file, &good[..good.len() / 2]).unwrap();
    replaced("the cut file");
    assert_eq!(fs::read(&file).unwrap(), good);
    age(&scratch.source.join("a.dcg"), 50);
    replaced("the stale file");
    assert_ne!(fs::read(&file).unwrap(), good);
}

#[test]
fn where_sizes_are_kept_is_an_option() {
    needs!(mount);
    let scratch = scratch();
    let other = scratch.path("other/place");
    keep(&scratch, &[&format!("--cache-dir={}", other.display())], &other);
    assert!(!scratch.path("cache").exists());

    let foreground = scratch.mount_in_foreground(&["-o", "cache-dir=none"], "pgnfs=debug");
    wait_for("the pass", || {
        scratch.log().contains("sub/b.dci: 1 of 1 sizes known")
    });
    foreground.signal("TERM");
    foreground.end();
    assert!(!scratch.path("cache").exists());

    // A folder that cannot be created only causes a warning.
    let mounted = run(scratch
        .mount_command(&["-o", "cache-dir=/proc/none"])
        .env(CACHE, "/proc"));
    assert_eq!(mounted.code, Some(0));
    assert!(
        mounted.err.starts_with("pgnfs: nothing is kept: /proc/none: "),
        "{mounted:?}"
    );
    assert!(size(&scratch) > 0);
}

#[test]
fn the_usual_folder_is_the_users_own() {
    needs!(mount);
    let scratch = scratch();
    let home = scratch.path("home");
    fs::create_dir(&home).unwrap();
    let ended = run(pgnfs()
        .args([
            "mount".as_ref(),
            scratch.source.as_os_str(),
            scratch.mount.as_os_str(),
        ])
        // A relative path is ignored.
        .env(CACHE, "relative")
        .env("HOME", &home));
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    wait_for("the size files", || kept(&home.join(".cache/pgnfs")).len() == 2);
    unmount(&scratch);
}

#[test]
fn a_file_with_its_old_length_and_time_is_another_one() {
    needs!(mount);
    let scratch = scratch();
    keep(&scratch, &[], &usual(&scratch));
    let files: Vec<_> = fs::read_dir(&scratch.source)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    let state = |path: &PathBuf| {
        let meta = path.metadata().unwrap();
        (meta.ino(), meta.len(), meta.modified().unwrap())
    };
    let before: Vec<_> = files.iter().map(state).collect();
    // Like cp -p: the inodes stay, the bytes change, and the old times are restored.
    simplecdb::write(&scratch.source.join("a"), &[IMMORTAL, OPERA]);
    for (path, (_, _, time)) in files.iter().zip(&before) {
        File::open(path).unwrap().set_modified(*time).unwrap();
    }
    assert_eq!(files.iter().map(state).collect::<Vec<_>>(), before);
    scratch.mount(&[]);
    for game in scratch.games() {
        let size = fs::metadata(&game).unwrap().len();
        assert_eq!(fs::read(&game).unwrap().len() as u64, size);
    }
}
