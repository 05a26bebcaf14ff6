//! Views that are kept for the next mount.

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::LibraryEntry;
use chessdb_library::mapped::Mapped;
use chessdb_library::spelling::{Spelling, SpellingFile};
use pgnfs_server::inside::{Entry, Failure, FsError, Kind, Layout, ServeOptions};
use tempfile::TempDir;

use super::mounted::{Mounted, mount_with};
use testkit::fake::{Fake, FakeGame, game};

/// The views of these tests, the user's own among them.
const VIEWS: [&str; 6] = ["players", "events", "years", "eco", "material", "own"];

/// A database whose views are large enough to be kept. Some players have two spellings, some texts are no names of
/// directories.
fn fake() -> Fake {
    fake_of(17_000)
}

fn fake_of(games: u32) -> Fake {
    let player = |n: u32| match n % 9 {
        0 => "Short, Nigel".to_owned(),
        1 => "Short, N".to_owned(),
        2 => "a/b".to_owned(),
        3 => "a\\b".to_owned(),
        n => format!("Player {n}, Ä"),
    };
    let one = |n: u32| -> FakeGame {
        let eco = [b'A' + (n % 5) as u8, b'0' + (n % 7) as u8, b'7'];
        let one = game(&player(n), &player(n / 9 + 4))
            .event(&format!("Event {}", n % 50))
            .date(1900 + (n % 100) as u16, 1, 1)
            .eco(&eco);
        match n % 1000 {
            0 => one.deleted(),
            1..4 => one.line("e4 d5 exd5"),
            _ => one,
        }
    };
    Fake::of((0..games).map(one))
}

fn options(spelling: Spelling, template: &str) -> ServeOptions {
    let mut layout = Layout::default();
    layout.add_view(&format!("own={template}")).unwrap();
    layout.spell(spelling);
    ServeOptions {
        layout: layout.into(),
        threads: 2,
        ..ServeOptions::default()
    }
}

fn usual() -> ServeOptions {
    options(Spelling::Stored, "%{year}/%{player}")
}

fn mount(entry: LibraryEntry, options: ServeOptions, files: Option<KeptFiles>) -> Mounted {
    let tree = mount_with(vec![entry], options);
    if let Some(files) = files {
        tree.0.keep_in(&files);
    }
    tree
}

fn open(folder: &TempDir) -> KeptFiles {
    KeptFiles::open(&folder.path().join("cache"), "options", Space::default()).unwrap()
}

/// The files of views, with their inodes.
fn kept(folder: &TempDir) -> Vec<(PathBuf, u64)> {
    let entries = fs::read_dir(folder.path().join("cache")).unwrap();
    let mut kept: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        // The view of material keeps lines, too.
        .filter(|path| path.extension().is_some_and(|kind| kind != "lines"))
        .map(|path| (path.clone(), path.metadata().unwrap().ino()))
        .collect();
    kept.sort();
    kept
}

/// Every path below a directory with its inode, in the order in which directories list them.
fn list(tree: &Mounted, directory: &str) -> Vec<(String, u64)> {
    let mut listed = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut each = |entry: Entry<'_>| {
            let path = format!("{folder}/{}", entry.name);
            if !entry.is_dots() {
                if entry.kind == Kind::Directory {
                    folders.push(path.clone());
                }
                listed.push((path, entry.inode.0));
            }
            ControlFlow::Continue(())
        };
        tree.read_dir(tree.inode(&folder), 0, &mut each).unwrap();
    }
    listed
}

/// Everything in some views: directories, games, and merged files.
fn look_at(tree: &Mounted, views: &[&str]) -> Vec<(String, u64)> {
    let places = |view: &&str| [view.to_string(), format!("merged/{view}")];
    let places = views.iter().flat_map(places);
    places.flat_map(|place| list(tree, &place)).collect()
}

/// What views show that were never in a file.
fn truth(options: ServeOptions, views: &[&str]) -> Vec<(String, u64)> {
    look_at(&mount(fake().at(""), options, None), views)
}

#[track_caller]
fn assert_same(shown: &[(String, u64)], right: &[(String, u64)], what: &str) {
    let differs = shown.iter().zip(right).find(|(shown, right)| shown != right);
    assert_eq!((differs, shown.len()), (None, right.len()), "{what}");
}

#[test]
fn the_next_mount_shows_the_same_and_sorts_nothing() {
    let folder = TempDir::new().unwrap();
    let spellings = "@PLAYER\nSomeone, Else\n= a/b\n";
    let file = Arc::new(SpellingFile::read(spellings).unwrap());
    for spelling in [Spelling::Stored, Spelling::Fold, Spelling::File(file)] {
        let options = || options(spelling.clone(), "%{year}/%{player}");
        let right = truth(options(), &VIEWS);
        assert_eq!(
            right.iter().any(|(path, _)| path == "players/Someone, Else"),
            matches!(spelling, Spelling::File(_))
        );
        let first = mount(fake().at(""), options(), Some(open(&folder)));
        assert_same(
            &look_at(&first, &VIEWS),
            &right,
            &format!("{spelling:?}, new files"),
        );
        let files = kept(&folder);
        drop(first);
        let again = fake();
        let second = mount(again.clone().at(""), options(), Some(open(&folder)));
        assert_same(
            &look_at(&second, &VIEWS),
            &right,
            &format!("{spelling:?}, kept files"),
        );
        assert_eq!(kept(&folder), files, "none was written again");
        assert_eq!(
            again.replayed.load(Ordering::Relaxed),
            0,
            "material/ needs no moves"
        );
        for (path, inode) in right.iter().step_by(1000) {
            assert_eq!(second.inode(path).0, *inode, "{path} is found by its name");
        }
    }
    // One for each view, and two with other spellings for players/ and for the view of the user.
    assert_eq!(kept(&folder).len(), VIEWS.len() + 4);
}

#[test]
fn a_file_is_for_one_state_of_one_database_and_one_view() {
    let folder = TempDir::new().unwrap();
    let keep = |entry: LibraryEntry, options: ServeOptions, files: KeptFiles| {
        let mut wanted = truth(options.clone(), &["years"]);
        let mut shown = look_at(&mount(entry, options, Some(files)), &["years"]);
        // Inodes belong to another database.
        wanted
            .iter_mut()
            .chain(&mut shown)
            .for_each(|(_, inode)| *inode = 0);
        assert_same(&shown, &wanted, "of another state");
        kept(&folder)
    };
    let first = keep(fake().at(""), usual(), open(&folder));
    assert_eq!(first.len(), 1);
    assert_eq!(keep(fake().at(""), usual(), open(&folder)), first, "it was used");
    // Another state of the same files takes the place of the first one.
    let changes: [fn(&mut LibraryEntry); 2] = [
        |entry| entry.files[0].1.size += 1,
        |entry| entry.files[0].1.modified += 1,
    ];
    let mut last = first;
    for change in changes {
        let mut entry = fake().at("");
        change(&mut entry);
        let now = keep(entry, usual(), open(&folder));
        assert_eq!(now[0].0, last[0].0);
        assert_ne!(now[0].1, last[0].1, "it was written again");
        last = now;
    }
    // Other files, options and templates have other names.
    let others: [fn(&mut LibraryEntry); 4] = [
        |entry| entry.files[0].1.inode += 1,
        |entry| entry.files[0].1.device += 1,
        |entry| entry.files[0].0 = "other.fake".to_owned(),
        |entry| entry.part = Some("a part of an archive".to_owned()),
    ];
    for (n, change) in others.into_iter().enumerate() {
        let mut entry = fake().at("");
        change(&mut entry);
        assert_eq!(keep(entry, usual(), open(&folder)).len(), 2 + n);
    }
    let other = KeptFiles::open(&folder.path().join("cache"), "other options", Space::default()).unwrap();
    assert_eq!(keep(fake().at(""), usual(), other).len(), 6);
    // Views with one name and other templates.
    for (n, template) in ["%{player}/%{year}", "%{year}/%{player}"].into_iter().enumerate() {
        let options = || options(Spelling::Stored, template);
        let tree = mount(fake().at(""), options(), Some(open(&folder)));
        assert_same(&look_at(&tree, &["own"]), &truth(options(), &["own"]), template);
        assert_eq!(kept(&folder).len(), 7 + n);
    }
    // eco/ by the tag alone, and by the moves of games without it.
    let games = (0..17_000).map(|n| {
        let one = game("a", "b").line("e4 c5").date(1900 + n % 100, 1, 1);
        if n % 3 == 0 { one } else { one.eco(b"C42") }
    });
    let fake = Fake::of(games);
    for by_moves in [false, true, false, true] {
        let options = || {
            let mut layout = Layout::default();
            layout.sort_eco_by_moves(by_moves);
            ServeOptions {
                layout: layout.into(),
                ..ServeOptions::default()
            }
        };
        let right = look_at(&mount(fake.clone().at(""), options(), None), &["eco"]);
        let tree = mount(fake.clone().at(""), options(), Some(open(&folder)));
        assert_same(&look_at(&tree, &["eco"]), &right, "codes by the moves or not");
        assert_eq!(tree.exists("eco/B/B20"), by_moves);
    }
    assert_eq!(kept(&folder).len(), 10);
}

#[test]
fn a_damaged_file_costs_time_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let options = || options(Spelling::Fold, "%{year}/%{player}");
    // The second one has directories below directories.
    for (view, games, steps) in [("players", 9000, 12), ("eco", 17_000, 5)] {
        let fake = fake_of(games);
        let mount = |files| mount(fake.clone().at(""), options(), files);
        let right = look_at(&mount(None), &[view]);
        let look = || look_at(&mount(Some(open(&folder))), &[view]);
        assert_same(&look(), &right, view);
        let (path, _) = kept(&folder).remove(0);
        let whole = fs::read(&path).unwrap();
        let check = |bytes: &[u8], what: &str| {
            // Another file, so that the map of an earlier mount does not change.
            fs::remove_file(&path).unwrap_or_default();
            fs::write(&path, bytes).unwrap();
            assert_same(&look(), &right, &format!("{view}/, {what}"));
        };
        let mut places: Vec<usize> = (0..whole.len()).step_by(whole.len() / steps).collect();
        // The header with the places of sections, and the checksums.
        places.extend([9, 13, 17, 40, 100, 256, 264, 280, whole.len() - 3]);
        for place in places {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x21;
            check(&bytes, &format!("byte {place}"));
        }
        for len in [0, 7, 300, 5000, whole.len() / 2, whole.len() - 1] {
            check(&whole[..len], &format!("{len} bytes"));
        }
        check(&[whole.as_slice(), &[0; 8]].concat(), "longer");
        // Whatever was damaged, the next mount has a good file or builds one.
        assert_same(&look(), &right, view);
        fs::remove_dir_all(folder.path().join("cache")).unwrap();
    }
}

#[test]
fn a_damaged_file_is_removed() {
    let folder = TempDir::new().unwrap();
    look_at(&mount(fake().at(""), usual(), Some(open(&folder))), &["players"]);
    let (path, _) = kept(&folder).remove(0);
    let file = fs::File::options().write(true).open(&path).unwrap();
    // The games come first.
    file.write_all_at(&[255; 100], 8192).unwrap();
    let tree = mount(fake().at(""), usual(), Some(open(&folder)));
    let names = tree.ls("players");
    assert!(path.exists(), "no game was read");
    assert_same(
        &look_at(&tree, &["players"]),
        &truth(usual(), &["players"]),
        "damaged",
    );
    assert!(!path.exists() && !names.is_empty());
}

#[test]
fn a_file_that_is_cut_while_it_is_used_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let right = truth(usual(), &["players"]);
    for len in [0, 4096, 20_000] {
        let tree = mount(fake().at(""), usual(), Some(open(&folder)));
        assert_same(&look_at(&tree, &["players"]), &right, "whole");
        let (path, _) = kept(&folder).remove(0);
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_len(len).unwrap();
        assert_same(&look_at(&tree, &["players"]), &right, "cut");
        assert_eq!(kept(&folder).len(), 0);
    }
}

#[test]
fn views_of_few_games_are_not_kept() {
    let folder = TempDir::new().unwrap();
    let tree = mount(Fake::many(500).at(""), usual(), Some(open(&folder)));
    let without = mount(Fake::many(500).at(""), usual(), None);
    assert_same(&look_at(&tree, &VIEWS), &look_at(&without, &VIEWS), "few games");
    assert_eq!(kept(&folder).len(), 0);
}

#[test]
fn nothing_is_kept_of_files_that_change_or_of_texts_that_differ() {
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("games.fake");
    fs::write(&source, "old").unwrap();
    let mut entry = fake().at("");
    entry.maps.push(Arc::new(Mapped::open(&source).unwrap()));
    let tree = mount(entry, usual(), Some(open(&folder)));
    let players = tree.inode("players");
    fs::write(&source, "new, longer").unwrap();
    let listed = tree.read_dir(players, 0, &mut |_| ControlFlow::Continue(()));
    assert_eq!(listed, Err(FsError::Io(Failure::Changed)));
    assert_eq!(kept(&folder).len(), 0, "the file was changed");
    let mut fake = fake();
    fake.grows = true;
    let options = ServeOptions {
        cache_size: 0,
        ..usual()
    };
    let tree = mount(fake.at(""), options, Some(open(&folder)));
    list(&tree, "players");
    assert_eq!(kept(&folder).len(), 1);
    let first = tree.inode("games/000001-001000/000001.pgn");
    tree.attributes(first).unwrap();
    assert!(tree.read(first, 0, 1000).is_err());
    assert_eq!(kept(&folder).len(), 0, "a text has another length");
    list(&tree, "events");
    assert_eq!(kept(&folder).len(), 0, "nothing more is kept");
}

#[test]
fn mounts_at_once_keep_good_files() {
    let folder = TempDir::new().unwrap();
    let right = truth(usual(), &["players", "own"]);
    let trees = [(); 4].map(|()| mount(fake().at(""), usual(), Some(open(&folder))));
    std::thread::scope(|scope| {
        for tree in &trees {
            scope.spawn(|| assert_same(&look_at(tree, &["players", "own"]), &right, "at once"));
        }
    });
    let files = kept(&folder);
    assert_eq!(files.len(), 2);
    let next = mount(fake().at(""), usual(), Some(open(&folder)));
    assert_same(&look_at(&next, &["players", "own"]), &right, "the next mount");
    assert_eq!(kept(&folder), files);
}

#[test]
fn without_a_folder_views_are_in_memory() {
    let folder = TempDir::new().unwrap();
    let files = open(&folder);
    let cache = folder.path().join("cache");
    fs::remove_dir_all(&cache).unwrap();
    fs::write(&cache, "a file").unwrap();
    let tree = mount(fake().at(""), usual(), Some(files));
    assert_same(&look_at(&tree, &VIEWS), &truth(usual(), &VIEWS), "no folder");
    assert_eq!(fs::read(&cache).unwrap(), b"a file");
}

#[test]
fn all_databases_show_the_same_from_files() {
    let folder = TempDir::new().unwrap();
    let mount = |files: Option<KeptFiles>| {
        let other = Fake::many(9000).at("other");
        let options = ServeOptions {
            unique: true,
            ..options(Spelling::Fold, "%{year}/%{player}")
        };
        let tree = mount_with(vec![fake().at("one"), other], options);
        files.into_iter().for_each(|files| tree.0.keep_in(&files));
        tree
    };
    let places = ["all/players", "all/merged/eco", "all/own", "all/unique/players"];
    let look = |tree: &Mounted| -> Vec<_> { places.iter().flat_map(|place| list(tree, place)).collect() };
    let right = look(&mount(None));
    assert_same(&look(&mount(Some(open(&folder)))), &right, "new files");
    let files = kept(&folder);
    assert!(files.len() >= 3, "{files:?}");
    let tree = mount(Some(open(&folder)));
    assert_same(&look(&tree), &right, "kept files");
    assert_eq!(kept(&folder), files);
    let text = |tree: &Mounted| tree.cat("all/merged/players/Short, Nigel.pgn");
    assert_eq!(text(&tree), text(&mount(None)));
}
