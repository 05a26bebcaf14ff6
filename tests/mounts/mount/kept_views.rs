//! Views that are kept from one mount to the next, of PGN files, whose index may be made again in between.

use std::fmt::Write;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::scratch::{Scratch, wait_for};
use testkit::needs;

/// A source with a PGN file whose index is kept, and many players.
pub fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let mut text = String::new();
    for n in 0..20_000 {
        let (white, black) = (n * 7 % 501, n * 11 % 307);
        write!(
            text,
            "[Event \"E{}\"]\n[Date \"{}.01.01\"]\n[White \"W{white}\"]\n[Black \"B{black}\"]\n[Result \"*\"]\n\n*\n\n",
            n % 13,
            1900 + n % 90
        )
        .unwrap();
    }
    let path = scratch.source.join("many.pgn");
    fs::write(&path, text).unwrap();
    let time = SystemTime::now() - Duration::from_secs(100 * 3600);
    File::open(&path).unwrap().set_modified(time).unwrap();
    scratch
}

/// The files with an extension in the cache folder.
pub fn kept(scratch: &Scratch, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(scratch.path("cache/pgnfs")).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|own| own == extension))
        .collect()
}

/// The names in the directories of a view, in the order of the listing.
fn listing(view: &Path) -> Vec<String> {
    wait_for("the database", || view.exists());
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect()
    };
    let folders = names(view).into_iter();
    folders
        .flat_map(|folder| {
            let games = names(&view.join(&folder));
            std::iter::once(folder).chain(games).collect::<Vec<_>>()
        })
        .collect()
}

pub fn unmount(scratch: &Scratch) {
    scratch.unmount();
    wait_for("the end of the program", || scratch.processes().is_empty());
}

#[test]
fn the_next_mount_shows_kept_views_whatever_became_of_the_index() {
    needs!(mount);
    let scratch = scratch();
    let players = scratch.mount.join("many.pgn/players");
    scratch.mount(&["--cache-dir=none"]);
    let right = listing(&players);
    assert_eq!(right.len(), 501 + 307 + 2 * 20_000);
    unmount(&scratch);
    assert_eq!(kept(&scratch, "views").len(), 0);
    scratch.mount(&[]);
    assert_eq!(listing(&players), right, "while it is kept");
    assert_eq!(kept(&scratch, "views").len(), 1);
    unmount(&scratch);
    for has_index in [true, false] {
        if !has_index {
            // The file is scanned again. Threads that scan meet names in another order.
            kept(&scratch, "scan")
                .iter()
                .for_each(|path| fs::remove_file(path).unwrap());
        }
        let foreground = scratch.mount_in_foreground(&[], "pgnfs=debug");
        assert_eq!(listing(&players), right, "has an index: {has_index}");
        let log = scratch.log();
        assert!(log.contains("many.pgn: a view from "), "{log}");
        fs::remove_file(scratch.path("log")).unwrap();
        unmount(&scratch);
        drop(foreground);
    }
}

/// What other programs may do to the files in the cache folder, a bad disk among them.
#[test]
fn kept_files_that_change_while_they_are_mapped_change_nothing() {
    needs!(mount);
    let overwritten = |path: &PathBuf| {
        let zeros = vec![0; fs::metadata(path).unwrap().len() as usize];
        let file = File::options().write(true).open(path).unwrap();
        file.write_all_at(&zeros, 0).unwrap();
    };
    let cut = |path: &PathBuf| {
        let file = File::options().write(true).open(path).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2 + 10).unwrap();
    };
    let emptied = |path: &PathBuf| {
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_len(0)
            .unwrap();
    };
    let changes: [&dyn Fn(&PathBuf); 3] = [&overwritten, &cut, &emptied];
    let scratch = scratch();
    let shown = || {
        let top = scratch.mount.join("many.pgn");
        let game = fs::read(top.join("games/019001-020000/019500.pgn")).unwrap();
        (listing(&top.join("players")), listing(&top.join("years")), game)
    };
    scratch.mount(&["--cache-dir=none"]);
    let right = shown();
    unmount(&scratch);
    for change in changes {
        scratch.mount(&[]);
        let players = listing(&scratch.mount.join("many.pgn/players"));
        assert_eq!(players, right.0);
        let kept = [kept(&scratch, "scan"), kept(&scratch, "views")].concat();
        assert!(kept.len() >= 2, "{kept:?}");
        kept.iter().for_each(change);
        // So long is a change unnoticed.
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(shown(), right);
        unmount(&scratch);
    }
}
