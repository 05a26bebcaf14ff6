//! Sizes that are determined in the background and kept for the next mount.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::LibraryEntry;
use pgnfs_server::inside::{Failure, FsError, PassOptions, PassState, ServeOptions};
use tempfile::TempDir;
use testkit::kept::Layout;

use super::mounted::{Mounted, mount, mount_all, mount_with};
use testkit::fake::{Fake, game};
use testkit::patience::wait_for;

const THREADS: usize = 2;

/// Number of games that each thread may decode twice where the pass and requests overlap.
const SLACK: usize = 2 * THREADS * 32;

fn start(tree: &mut Mounted, files: Option<KeptFiles>) {
    if let Some(files) = files {
        tree.0.keep_in(&files);
    }
    tree.0.start_pass(PassOptions {
        threads: THREADS,
        lower_priority: || {},
    });
}

/// Waits until the pass has finished.
fn wait(tree: &Mounted) {
    let is_through = |state| matches!(state, PassState::Done | PassState::GivenUp);
    wait_for("the end of the pass", || {
        let databases = tree.0.status().databases;
        databases.iter().all(|database| is_through(database.pass))
    });
}

fn open(folder: &TempDir) -> KeptFiles {
    KeptFiles::open(&folder.path().join("cache"), "options", Space::default()).unwrap()
}

/// Mounts, waits for the pass and unmounts.
fn keep(folder: &TempDir, entries: Vec<LibraryEntry>) {
    let mut tree = mount_all(entries);
    start(&mut tree, Some(open(folder)));
    wait(&tree);
}

/// The size files.
fn kept(folder: &TempDir) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path().join("cache")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn only(mut paths: Vec<PathBuf>) -> PathBuf {
    assert_eq!(paths.len(), 1, "{paths:?}");
    paths.remove(0)
}

/// A small database with long and short games, damage, and a decoder that panics.
fn fake() -> Fake {
    let mut fake = Fake::many(300);
    fake.games[7].comment = "word ".repeat(20_000);
    fake.games[9] = game("a", "b").problem("the record\nends early");
    fake.games[250] = game("a", "b").panics();
    fake.games[299].comment = "word ".repeat(30_000);
    fake
}

/// Mounts with the size files in the folder. Returns what a user sees, and how many games were decoded for
/// it.
fn look(folder: &TempDir, entry: LibraryEntry, fake: &Fake) -> (u64, String, usize) {
    fake.decoded.store(0, Ordering::Relaxed);
    let mut tree = mount_all(vec![entry]);
    start(&mut tree, Some(open(folder)));
    let size = tree.stat("all.pgn").size;
    let decoded = fake.decoded.load(Ordering::Relaxed);
    (size, tree.cat("tables/problems.txt"), decoded)
}

/// Whatever a user should see.
fn truth() -> (u64, String) {
    let tree = mount(fake());
    (tree.stat("all.pgn").size, tree.cat("tables/problems.txt"))
}

#[test]
fn the_pass_makes_all_sizes_known_and_leaves_the_cache_alone() {
    let fakes = [Fake::many(1000), Fake::many(70), Fake::of([])];
    let decoded: Vec<_> = fakes.iter().map(|fake| fake.decoded.clone()).collect();
    let paths = ["a.fake", "b.fake", "c.fake"];
    let mut tree = mount_all(
        fakes
            .into_iter()
            .zip(paths)
            .map(|(fake, path)| fake.at(path))
            .collect(),
    );
    assert!(
        tree.0
            .status()
            .databases
            .iter()
            .all(|database| database.sizes_known == 0)
    );
    start(&mut tree, None);
    wait(&tree);
    let counts = || decoded.iter().map(|count| count.load(Ordering::Relaxed));
    assert_eq!(counts().collect::<Vec<_>>(), [1000, 70, 0], "each game once");
    let progress = tree.0.status().databases;
    assert_eq!(progress[0].name, "a.fake");
    assert_eq!((progress[0].games, progress[0].sizes_known), (1000, 1000));
    // Listings have all attributes now, and no request has to wait.
    let entries = tree.entries("a.fake/games/000001-001000");
    assert!(entries.iter().all(|(.., attributes)| attributes.is_some()));
    assert!(!tree.may_wait(tree.inode("a.fake/all.pgn")));
    tree.cat("a.fake/games/000001-001000/000001.pgn");
    assert_eq!(counts().sum::<usize>(), 1071, "no text was kept");
}

#[test]
fn requests_share_the_work_of_the_pass() {
    let fake = Fake::many(20_000);
    let decoded = fake.decoded.clone();
    let mut tree = mount(fake);
    start(&mut tree, None);
    let size = tree.stat("all.pgn").size;
    assert!(decoded.load(Ordering::Relaxed) <= 20_000 + SLACK, "{decoded:?}");
    wait(&tree);
    assert_eq!(tree.stat("all.pgn").size, size);
    assert_eq!(size, mount(Fake::many(20_000)).stat("all.pgn").size);
}

#[test]
fn the_next_mount_continues_the_pass() {
    let folder = TempDir::new().unwrap();
    let fake = Fake::many(20_000);
    let decoded = fake.decoded.clone();
    let mut tree = mount(fake.clone());
    start(&mut tree, Some(open(&folder)));
    while decoded.load(Ordering::Relaxed) < 1000 {
        std::thread::yield_now();
    }
    drop(tree);
    let begun = decoded.load(Ordering::Relaxed);
    keep(&folder, vec![fake.at("")]);
    let all = decoded.load(Ordering::Relaxed);
    assert!((20_000..=20_000 + SLACK).contains(&all), "{begun}, then {all}");
}

#[test]
fn a_mount_that_ends_early_takes_nothing_from_what_another_kept() {
    let folder = TempDir::new().unwrap();
    let fake = Fake::many(20_000);
    let mut tree = mount(fake.clone());
    start(&mut tree, Some(open(&folder)));
    while fake.decoded.load(Ordering::Relaxed) < 100 {
        std::thread::yield_now();
    }
    keep(&folder, vec![fake.clone().at("")]);
    drop(tree);
    assert_eq!(look(&folder, fake.clone().at(""), &fake).2, 0);
}

#[test]
fn the_next_mount_knows_everything_at_once() {
    let folder = TempDir::new().unwrap();
    keep(&folder, vec![fake().at("")]);
    let fake = fake();
    let (size, problems, decoded) = look(&folder, fake.clone().at(""), &fake);
    assert_eq!((size, problems), truth());
    assert_eq!(decoded, 0);
    assert!(fs::metadata(only(kept(&folder))).unwrap().len() < 3 * 4096);

    let mut tree = mount(fake.clone());
    start(&mut tree, Some(open(&folder)));
    let piece = tree.read(tree.inode("all.pgn"), size / 4, 1000).unwrap();
    assert_eq!(piece.len(), 1000);
    let decoded = fake.decoded.load(Ordering::Relaxed);
    assert!((1..10).contains(&decoded), "only the games that it touches");
}

#[test]
fn a_file_is_for_one_state_of_one_database() {
    let folder = TempDir::new().unwrap();
    keep(&folder, vec![fake().at("")]);
    let changes: [fn(&mut LibraryEntry); 7] = [
        |entry| entry.files[0].1.size += 1,
        |entry| entry.files[0].1.modified += 1,
        |entry| entry.files[0].1.inode += 1,
        |entry| entry.files[0].1.device += 1,
        |entry| entry.files[0].0 = "other.fake".to_owned(),
        |entry| entry.files.push(entry.files[0].clone()),
        // Databases in one archive have the same files.
        |entry| entry.part = Some("another.cbh".to_owned()),
    ];
    for change in changes {
        let fake = fake();
        let mut entry = fake.clone().at("");
        change(&mut entry);
        let (size, _, decoded) = look(&folder, entry, &fake);
        assert_eq!(size, truth().0);
        assert!(decoded >= 300, "{decoded}");
    }
    let fake = fake();
    let other = KeptFiles::open(&folder.path().join("cache"), "other options", Space::default()).unwrap();
    let mut tree = mount(fake.clone());
    start(&mut tree, Some(other));
    tree.stat("all.pgn");
    assert!(fake.decoded.load(Ordering::Relaxed) >= 300);
}

#[test]
fn a_changed_database_takes_the_place_of_its_old_sizes() {
    let folder = TempDir::new().unwrap();
    keep(&folder, vec![fake().at("")]);
    let old = fs::read(only(kept(&folder))).unwrap();
    let mut entry = fake().at("");
    entry.files[0].1.modified += 1;
    keep(&folder, vec![entry]);
    assert_ne!(fs::read(only(kept(&folder))).unwrap(), old);
}

#[test]
fn damaged_files_are_ignored() {
    let folder = TempDir::new().unwrap();
    keep(&folder, vec![fake().at("")]);
    let path = only(kept(&folder));
    let good = fs::read(&path).unwrap();
    let (size, problems) = truth();
    let check = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).unwrap();
        let fake = fake();
        let (size_now, problems_now, decoded) = look(&folder, fake.clone().at(""), &fake);
        assert_eq!((size_now, &problems_now), (size, &problems), "{what}");
        assert!(decoded >= 300, "{what}: it was believed");
    };
    for len in [0, 1, 7, 8, 271, 272, 300, 5000, good.len() - 8, good.len() - 1] {
        check(&good[..len], &format!("cut to {len}"));
    }
    let layout = Layout::of(&good);
    // The rest of the first page is empty.
    let used = (0..layout.key.end).chain(layout.data.start..good.len());
    for at in used.step_by(41) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        check(&bytes, &format!("byte {at}"));
    }
    // Files with valid checksums but impossible numbers in the header, or invalid problems.
    let mut hostile = Vec::new();
    for at in [8, 12, 16, 32, 40, 48, 56, 64, 256] {
        for number in [0, 1, 301, 1 << 16, u32::MAX / 2, u32::MAX - 23, u32::MAX] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            if bytes != good {
                hostile.push((format!("{number} at {at}"), bytes));
            }
        }
    }
    let end = layout.sections[2].end;
    for rows in [
        &[1][..],
        &[0; 7],
        &[0, 0, 0, 0, 255, 255, 255, 255],
        &[44, 1, 0, 0, 0, 0, 0, 0],
    ] {
        let mut bytes = good.clone();
        bytes[end..end + rows.len()].copy_from_slice(rows);
        bytes[72] += rows.len() as u8;
        hostile.push((format!("problems {rows:?}"), bytes));
    }
    for (what, mut bytes) in hostile {
        layout.seal(&mut bytes);
        check(&bytes, &what);
    }
}

/// Changes the only size file so that it states a greater size for the first game.
fn lie(folder: &TempDir, options: &str) -> u64 {
    let path = only(kept(folder));
    let mut bytes = fs::read(&path).unwrap();
    let layout = Layout::of(&bytes);
    assert!(String::from_utf8_lossy(&bytes[layout.key.clone()]).contains(options));
    bytes[layout.sections[0].start + 1] += 1;
    layout.seal(&mut bytes);
    fs::write(&path, bytes).unwrap();
    256
}

#[test]
fn a_wrong_size_is_never_served_and_not_believed_twice() {
    let folder = TempDir::new().unwrap();
    keep(&folder, vec![fake().at("")]);
    let more = lie(&folder, "options");
    let fake = fake();
    let first = "games/000001-001000/000001.pgn";
    let mut tree = mount(fake.clone());
    start(&mut tree, Some(open(&folder)));
    assert_eq!(tree.stat("all.pgn").size, truth().0 + more, "it was believed");
    let read = tree.read(tree.inode(first), 0, 1000);
    assert_eq!(read.err(), Some(FsError::Io(Failure::Length(0))));
    assert_eq!(kept(&folder).len(), 0);
    drop(tree);
    let (size, problems, _) = look(&folder, fake.clone().at(""), &fake);
    assert_eq!((size, problems), truth());
}

#[test]
fn a_reported_size_takes_precedence_over_a_file() {
    let folder = TempDir::new().unwrap();
    keep(&folder, vec![fake().at("")]);
    lie(&folder, "options");
    let mut tree = mount(fake());
    tree.stat("games/000001-001000/000001.pgn");
    start(&mut tree, Some(open(&folder)));
    assert_eq!(tree.stat("all.pgn").size, truth().0);
}

#[test]
fn a_database_whose_sizes_change_is_given_up_and_not_kept() {
    let folder = TempDir::new().unwrap();
    let mut fake = Fake::many(5);
    fake.grows = true;
    let mut tree = mount_with(
        vec![fake.at("")],
        ServeOptions {
            cache_size: 0,
            ..ServeOptions::default()
        },
    );
    let first = tree.inode("games/000001-001000/000001.pgn");
    tree.attributes(first).unwrap();
    assert!(tree.read(first, 0, 1000).is_err());
    start(&mut tree, Some(open(&folder)));
    wait(&tree);
    assert_eq!(tree.0.status().databases[0].pass, PassState::GivenUp);
    drop(tree);
    assert_eq!(kept(&folder).len(), 0);
}

#[test]
fn two_mounts_at_once_keep_one_good_file() {
    let folder = TempDir::new().unwrap();
    let mut trees = [(); 4].map(|()| mount(fake()));
    for tree in &mut trees {
        start(tree, Some(open(&folder)));
    }
    trees.iter().for_each(wait);
    drop(trees);
    only(kept(&folder));
    let fake = fake();
    assert_eq!(look(&folder, fake.clone().at(""), &fake).2, 0);
}

#[test]
fn sizes_are_kept_after_the_folder_was_deleted() {
    let folder = TempDir::new().unwrap();
    let files = open(&folder);
    fs::remove_dir_all(folder.path().join("cache")).unwrap();
    let mut tree = mount(fake());
    start(&mut tree, Some(files));
    wait(&tree);
    drop(tree);
    only(kept(&folder));
}

#[test]
fn without_a_folder_everything_works_but_keeping() {
    let folder = TempDir::new().unwrap();
    let files = open(&folder);
    let cache = folder.path().join("cache");
    fs::remove_dir_all(&cache).unwrap();
    fs::write(&cache, "a file").unwrap();
    let mut tree = mount(fake());
    start(&mut tree, Some(files));
    wait(&tree);
    assert_eq!(
        (tree.stat("all.pgn").size, tree.cat("tables/problems.txt")),
        truth()
    );
    drop(tree);
    assert_eq!(fs::read(&cache).unwrap(), b"a file");
    assert!(KeptFiles::open(Path::new("/proc/cache"), "", Space::default()).is_err());
}
