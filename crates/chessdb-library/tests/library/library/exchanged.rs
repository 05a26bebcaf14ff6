//! Folders that are replaced by links while the source is searched.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use chessdb_library::library::Library;

use super::source::{Source, open, paths};

#[test]
fn no_database_from_outside_is_ever_served() {
    let scratch = Source::new();
    scratch.database("source/top");
    scratch.database("source/folder/a");
    scratch.database("source/other/deep/b");
    for name in ["a", "secret", "deep/b", "deep/secret"] {
        scratch.database(&format!("outside/{name}"));
    }
    let outside: HashSet<u64> = ["a", "secret", "deep/b", "deep/secret"]
        .iter()
        .flat_map(|name| ["dci", "dcg"].map(|kind| scratch.path(&format!("outside/{name}.{kind}"))))
        .map(|path| fs::metadata(path).unwrap().ino())
        .collect();
    symlink(scratch.path("outside"), scratch.path("link")).unwrap();
    symlink("../../outside/deep", scratch.path("deep_link")).unwrap();
    let exchanges = [
        (scratch.path("source/folder"), scratch.path("link")),
        (scratch.path("source/other/deep"), scratch.path("deep_link")),
    ];
    // Opening a new file waits until its times would reveal the next change.
    thread::sleep(Duration::from_millis(50));
    let is_over = &AtomicBool::new(false);
    let is_inside = |library: &Library| {
        let entries = library.databases().iter();
        entries
            .flat_map(|entry| &entry.files)
            .all(|(_, identity)| !outside.contains(&identity.inode))
    };
    let mut seen: HashSet<Vec<String>> = HashSet::new();
    thread::scope(|scope| {
        for (one, other) in &exchanges {
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
                    thread::yield_now();
                }
            });
        }
        let source = scratch.path("source");
        let mut before = open(&source).unwrap();
        let mut is_good = is_inside(&before);
        for _ in 0..1000 {
            let opened = open(&source).unwrap();
            before = before.reopen(before.databases(), Duration::ZERO);
            is_good &= is_inside(&opened) && is_inside(&before);
            seen.insert(paths(&opened));
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(is_good, "a database of the folder outside was opened");
    });
    for path in ["folder/a.dci", "other/deep/b.dci"] {
        let is_there = |paths: &Vec<String>| paths.iter().any(|there| there == path);
        assert!(seen.iter().any(is_there) && !seen.iter().all(is_there), "{path}");
    }
}
