//! A source that changes: new databases, unchanged ones, and earlier states.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chessdb_library::library::{Library, LibraryEntry};
use pgnfs_server::inside::{ChessFs, CurrentState, Entry, FsError, Inode, Layout, Outdated, ServeOptions};

use testkit::fake::{Fake, MODIFIED, game};

const GAME: &str = "games/000001-001000/000001.pgn";

/// A database at a path, with one game that has a comment.
fn database(path: &str, comment: &str) -> Arc<LibraryEntry> {
    Arc::new(Fake::of([game("a", "b").comment(comment)]).at(path))
}

fn library(entries: &[&Arc<LibraryEntry>]) -> Library {
    Library::from_shared(entries.iter().map(|&entry| Arc::clone(entry)).collect())
}

fn live(entries: &[&Arc<LibraryEntry>]) -> CurrentState {
    CurrentState::new(ChessFs::new(library(entries), ServeOptions::default()))
}

fn lookup(live: &CurrentState, directory: Inode, name: &str) -> Result<Inode, FsError> {
    let found = live.child(&live.resolve(directory)?.open()?, OsStr::new(name))?;
    Ok(found.inode())
}

fn parent(live: &CurrentState, inode: Inode) -> Result<Inode, FsError> {
    Ok(live.resolve(inode)?.open()?.parent()?.inode())
}

fn read_dir(
    live: &CurrentState,
    directory: Inode,
    offset: u64,
    each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
) -> Result<(), FsError> {
    live.resolve(directory)?.open()?.read_dir(offset, each)
}

/// Walks a path like the kernel, which counts a look-up for every component.
fn walk(live: &CurrentState, path: &str) -> Result<Inode, FsError> {
    path.split('/').try_fold(Inode::ROOT, |inode, name| {
        let inode = lookup(live, inode, name)?;
        assert!(live.hold(&[inode]).is_empty(), "{path}");
        Ok(inode)
    })
}

/// Forgets the look-ups of such a walk.
fn forget(live: &CurrentState, path: &str, from: Inode) {
    let mut inode = from;
    for _ in path.split('/') {
        let parent = parent(live, inode);
        live.release(inode, 1);
        let Ok(parent) = parent else { return };
        inode = parent;
    }
}

fn text(live: &CurrentState, inode: Inode) -> Result<String, FsError> {
    live.resolve(inode)?
        .open()?
        .read(0, 1000)
        .map(|chunk| String::from_utf8(chunk.to_vec()).unwrap())
}

fn names(outdated: &[Outdated], inode: Inode) -> Vec<&str> {
    let here = outdated.iter().find(|here| here.inode == inode);
    let names = here.map(|here| &here.names[..]).unwrap_or_default();
    names.iter().map(String::as_str).collect()
}

#[test]
fn a_name_that_vanishes_during_its_lookup_does_not_exist() {
    let [gone, other] = ["a.dci", "b.dci"].map(|path| database(path, "x"));
    let live = live(&[&gone, &other]);
    let root = live.resolve(Inode::ROOT).unwrap();
    // No name in the first state was looked up, so it is not kept.
    live.replace(library(&[&other]));
    assert_eq!(
        live.child(&root.open().unwrap(), OsStr::new("a.dci")).err(),
        Some(FsError::NotFound)
    );
    let there = live
        .child(&root.open().unwrap(), OsStr::new("b.dci"))
        .unwrap()
        .inode();
    assert_eq!(there, lookup(&live, Inode::ROOT, "b.dci").unwrap());
}

#[test]
fn a_state_that_is_dropped_during_a_lookup_is_not_given_to_the_kernel() {
    let (old, new) = (database("a.dci", "old"), database("a.dci", "new"));
    let live = live(&[&old]);
    let root = live.resolve(Inode::ROOT).unwrap();
    let found = live.child(&root.open().unwrap(), OsStr::new("a.dci")).unwrap();
    // Its attributes may take a while to find.
    live.replace(library(&[&new]));
    assert!(found.open().unwrap().attributes().is_ok());
    assert_eq!(live.hold(&[Inode::ROOT, found.inode()]), [found.inode()]);
    let found = live.child(&root.open().unwrap(), OsStr::new("a.dci")).unwrap();
    assert!(live.hold(&[found.inode()]).is_empty());
    // A name that is known is kept, and so are further names in it.
    live.replace(library(&[&old]));
    let inside = live
        .child(&found.open().unwrap(), OsStr::new("info.txt"))
        .unwrap();
    assert!(live.hold(&[inside.inode()]).is_empty());
    assert!(live.hold(&[Inode::ROOT]).is_empty(), "folders are always there");
}

#[test]
fn a_changed_database_is_new_and_the_old_one_stays_as_it_was() {
    let (same, old, new) = (database("same", "1"), database("b", "old"), database("b", "new"));
    let live = live(&[&same, &old]);
    let before = [format!("same/{GAME}"), format!("b/{GAME}")].map(|path| walk(&live, &path).unwrap());
    let outdated = live.replace(library(&[&same, &new]));
    assert_eq!(names(&outdated, Inode::ROOT), ["all", "b"]);
    let after = [format!("same/{GAME}"), format!("b/{GAME}")].map(|path| walk(&live, &path).unwrap());
    assert_eq!(before[0], after[0]);
    assert_ne!(before[1], after[1]);
    assert!(text(&live, before[1]).unwrap().contains("{old}"));
    assert!(text(&live, after[1]).unwrap().contains("{new}"));
    // The neighbours of an old inode are old, too.
    let folder = parent(&live, before[1]).unwrap();
    assert_eq!(lookup(&live, folder, "000001.pgn"), Ok(before[1]));
}

#[test]
fn what_did_not_change_is_not_decoded_again() {
    let decoded = Arc::new(AtomicUsize::new(0));
    let mut fake = Fake::of([game("a", "b")]);
    fake.decoded = Arc::clone(&decoded);
    let (same, other) = (Arc::new(fake.at("same")), database("other", "1"));
    let live = live(&[&same]);
    let inode = walk(&live, &format!("same/{GAME}")).unwrap();
    text(&live, inode).unwrap();
    let outdated = live.replace(library(&[&same, &other]));
    assert_eq!(names(&outdated, Inode::ROOT), ["all", "other"]);
    text(&live, inode).unwrap();
    assert_eq!(decoded.load(Ordering::Relaxed), 1);
    // A replacement without changes retires nothing.
    assert!(live.replace(library(&[&same, &other])).is_empty());
}

#[test]
fn a_state_is_kept_as_long_as_it_has_references() {
    let (old, new) = (database("b", "old"), database("b", "new"));
    let path = format!("b/{GAME}");
    let live = live(&[&old]);
    let inode = walk(&live, &path).unwrap();
    let other = walk(&live, "b/info.txt").unwrap();
    live.replace(library(&[&new]));
    assert_eq!(live.retired(), 1);
    forget(&live, &path, inode);
    assert_eq!(live.retired(), 1, "info.txt is known");
    forget(&live, "b/info.txt", other);
    assert_eq!(live.retired(), 0);
    assert_eq!(text(&live, inode), Err(FsError::Stale));
    assert_eq!(
        live.resolve(Inode(inode.0 ^ (1 << 50))).err(),
        Some(FsError::Stale)
    );
    // The old database is freed.
    assert_eq!(Arc::strong_count(&old), 1);
    // A state without look-ups is not kept.
    let newest = database("b", "newest");
    live.replace(library(&[&newest]));
    assert_eq!(live.retired(), 0);
}

#[test]
fn a_listing_of_an_old_state_leaves_out_no_search() {
    let (old, new) = (database("b", "old"), database("b", "new"));
    let mut layout = Layout::default();
    layout.add_search("tal=player:tal").unwrap();
    let options = ServeOptions {
        layout: layout.into(),
        ..ServeOptions::default()
    };
    let live = CurrentState::new(ChessFs::new(library(&[&old]), options));
    let list = |directory: Inode| {
        let mut names = Vec::new();
        let listed = read_dir(&live, directory, 0, &mut |entry| {
            names.push(entry.name.to_string());
            ControlFlow::Continue(())
        });
        listed.map(|()| names)
    };
    let before = walk(&live, "b/search").unwrap();
    live.replace(library(&[&new]));
    assert_eq!(list(before), Err(FsError::Stale));
    let after = walk(&live, "b/search").unwrap();
    assert!(list(after).unwrap().contains(&"tal".to_owned()));
}

#[test]
fn the_fifth_state_before_is_gone() {
    let states: Vec<_> = (0..7).map(|n| database("b", &format!("state {n}"))).collect();
    let live = live(&[&states[0]]);
    let mut known = Vec::new();
    for state in &states[1..] {
        known.push(walk(&live, &format!("b/{GAME}")).unwrap());
        live.replace(library(&[state]));
    }
    assert_eq!(live.retired(), 4);
    let texts = known.iter().map(|&inode| text(&live, inode));
    for (n, text) in texts.enumerate() {
        match n {
            0 | 1 => assert_eq!(text, Err(FsError::Stale)),
            _ => assert!(text.unwrap().contains(&format!("{{state {n}}}"))),
        }
    }
    // Forgetting an inode of a dropped state must not bring it back.
    live.release(known[0], 1);
    assert_eq!(live.retired(), 4);
}

#[test]
fn no_inode_ever_means_something_else() {
    // The same identities would result in the same inodes.
    let states: Vec<_> = (0..4).map(|n| database("b", &format!("state {n}"))).collect();
    let live = live(&[&states[0]]);
    let path = format!("b/{GAME}");
    let mut seen = Vec::new();
    for state in &states[1..] {
        let inode = walk(&live, &path).unwrap();
        forget(&live, &path, inode);
        assert!(!seen.contains(&inode));
        seen.push(inode);
        live.replace(library(&[state]));
        assert_eq!(live.retired(), 0);
    }
}

#[test]
fn a_database_that_comes_back_unchanged_is_the_same() {
    let (b, other) = (database("b", "1"), database("other", "1"));
    let live = live(&[&b, &other]);
    let inode = walk(&live, &format!("b/{GAME}")).unwrap();
    live.replace(library(&[&other]));
    assert!(live.open_databases().iter().any(|entry| Arc::ptr_eq(entry, &b)));
    assert_eq!(walk(&live, "b"), Err(FsError::NotFound));
    live.replace(library(&[&b, &other]));
    assert_eq!(walk(&live, &format!("b/{GAME}")), Ok(inode));
    // The sizes of all games are still found.
    for file in ["b/all.pgn", "b/tables/problems.txt", "b/tables/overview.html"] {
        assert!(text(&live, walk(&live, file).unwrap()).is_ok(), "{file}");
    }
}

#[test]
fn folders_that_come_and_go() {
    let (a, b, c) = (
        database("club/a", "1"),
        database("club/old/b", "1"),
        database("club/c", "1"),
    );
    let live = live(&[&a, &c]);
    let club = walk(&live, "club").unwrap();
    let outdated = live.replace(library(&[&a, &b, &c]));
    assert_eq!(names(&outdated, club), ["old"]);
    assert!(
        outdated.iter().any(|here| here.inode == Inode::LIBRARY_INFO),
        "info.txt tells of it"
    );
    assert_eq!(names(&outdated, Inode::ROOT), ["all"], "its inode is another");
    let old = walk(&live, "club/old").unwrap();
    let outdated = live.replace(library(&[&a, &c]));
    assert_eq!(names(&outdated, club), ["old"]);
    // A process in the folder may have cached negative entries.
    let outdated = live.replace(library(&[&a, &b, &c]));
    assert_eq!(walk(&live, "club/old"), Ok(old));
    assert_eq!(names(&outdated, old), ["b"]);
}

#[test]
fn info_at_the_root_gets_new_times_even_if_its_text_is_the_same() {
    let before = database("a", "1");
    let mut newer = Fake::of([game("a", "b").comment("2")]).at("a");
    newer.files[0].1.modified = MODIFIED + 1_000_000_000;
    let live = live(&[&before]);
    let info = walk(&live, "info.txt").unwrap();
    let (told, said) = (
        live.resolve(info).unwrap().open().unwrap().attributes().unwrap(),
        text(&live, info).unwrap(),
    );
    let outdated = live.replace(library(&[&Arc::new(newer)]));
    assert_eq!(text(&live, info).unwrap(), said);
    assert_ne!(
        live.resolve(info).unwrap().open().unwrap().attributes().unwrap(),
        told
    );
    assert!(outdated.iter().any(|here| here.inode == info), "{outdated:?}");
}

#[test]
fn a_source_without_databases_has_a_root() {
    let (single, folder) = (database("", "1"), database("x", "2"));
    let live = live(&[&single]);
    let game = walk(&live, GAME).unwrap();
    let outdated = live.replace(library(&[]));
    let gone = names(&outdated, Inode::ROOT);
    assert!(
        gone.contains(&"all.pgn") && gone.contains(&"info.txt"),
        "{gone:?}"
    );
    let info = walk(&live, "info.txt").unwrap();
    assert_eq!(info, Inode::LIBRARY_INFO);
    assert!(text(&live, info).unwrap().contains("Databases: 0"));
    assert!(text(&live, game).unwrap().contains("{1}"));
    live.replace(library(&[&folder]));
    assert!(walk(&live, &format!("x/{GAME}")).is_ok());
    live.replace(library(&[&single]));
    assert_eq!(walk(&live, GAME), Ok(game));
    assert!(
        text(&live, walk(&live, "info.txt").unwrap())
            .unwrap()
            .contains("Format:")
    );
}

#[test]
fn an_error_is_reported() {
    let mut fake = Fake::of([game("a", "b")]);
    fake.grows = true;
    let options = ServeOptions {
        cache_size: 0,
        ..ServeOptions::default()
    };
    let live = CurrentState::new(ChessFs::new(
        Library::from_shared(vec![Arc::new(fake.at("x"))]),
        options,
    ));
    let told = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&told);
    live.on_error(move || {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let inode = walk(&live, &format!("x/{GAME}")).unwrap();
    text(&live, inode).unwrap();
    assert_eq!(told.load(Ordering::Relaxed), 0);
    assert_eq!(live.open_databases().len(), 1);
    text(&live, inode).unwrap_err();
    assert_eq!(told.load(Ordering::Relaxed), 1);
    // It must be opened again, whatever the identities of its files are.
    assert_eq!(live.open_databases().len(), 0);
}

#[test]
fn a_listing_goes_on_while_folders_come_and_go() {
    let entries: Vec<_> = (0..10).map(|n| database(&format!("{n}"), "x")).collect();
    let all: Vec<&Arc<LibraryEntry>> = entries.iter().collect();
    let live = live(&all);
    let list = |mut offset: u64, most: usize| -> Result<(Vec<String>, u64), FsError> {
        let mut names = Vec::new();
        read_dir(&live, Inode::ROOT, offset, &mut |entry| {
            names.push(entry.name.to_string());
            offset = entry.next;
            if names.len() == most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        Ok((names, offset))
    };
    let (first, offset) = list(0, 6).unwrap();
    assert_eq!(first[..3], [".", "..", "info.txt"]);
    // Whatever was listed or not, and whatever is removed or added, the rest of what stays is listed once.
    for present in [2..10, 1..10, 0..10, 5..10, 0..10] {
        live.replace(library(&all[present.clone()]));
        let rest = list(offset, 99).unwrap().0;
        let stay = present.map(|n| n.to_string()).chain(["all".to_owned()]);
        let expected: BTreeSet<String> = stay.filter(|name| !first.contains(name)).collect();
        assert_eq!(rest.len(), expected.len());
        assert_eq!(rest.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}

/// A state with many databases, each with a comment.
fn many(databases: usize, comment: &str) -> Vec<Arc<LibraryEntry>> {
    let entries = (0..databases).map(|n| database(&format!("d{n:06}"), comment));
    entries.collect()
}

#[test]
fn one_more_of_many_databases_costs_little() {
    // Comparing every pair would take more than a thousand million comparisons.
    let mut entries = many(50_000, "x");
    let before = CurrentState::new(ChessFs::new(
        Library::from_shared(entries.clone()),
        ServeOptions::default(),
    ));
    let kept = walk(&before, &format!("d049999/{GAME}")).unwrap();
    entries.push(database("one more", "x"));
    let outdated = before.replace(Library::from_shared(entries));
    assert_eq!(names(&outdated, Inode::ROOT), ["all", "one more"]);
    assert_eq!(walk(&before, &format!("d049999/{GAME}")), Ok(kept));
}

#[test]
fn many_databases_are_forgotten_one_by_one() {
    // Examining all databases for every forgotten one would take 400 million steps.
    let databases = 20_000;
    let live = CurrentState::new(ChessFs::new(
        Library::from_shared(many(databases, "old")),
        ServeOptions::default(),
    ));
    let known: Vec<Inode> = (0..databases)
        .map(|n| walk(&live, &format!("d{n:06}")).unwrap())
        .collect();
    let all = walk(&live, "d000000/all.pgn").unwrap();
    live.replace(Library::from_shared(many(databases, "new")));
    assert_eq!(live.retired(), databases);
    for &inode in &known {
        live.release(inode, 1);
    }
    assert_eq!(live.retired(), 1, "a file is known");
    assert_eq!(lookup(&live, known[1], "info.txt"), Err(FsError::Stale));
    // A look-up in an old directory is counted again.
    let info = lookup(&live, known[0], "info.txt").unwrap();
    assert!(live.hold(&[info]).is_empty());
    for inode in [all, known[0]] {
        live.release(inode, 1);
    }
    assert_eq!(live.retired(), 1, "another file is known");
    live.release(info, 1);
    assert_eq!(live.retired(), 0);
}

#[test]
fn each_database_has_four_earlier_states_of_its_own() {
    let states: Vec<_> = (0..6).map(|n| database("b", &format!("state {n}"))).collect();
    let others: Vec<_> = (0..2).map(|n| database("other", &format!("state {n}"))).collect();
    let live = live(&[&states[0], &others[0]]);
    let other = walk(&live, &format!("other/{GAME}")).unwrap();
    live.replace(library(&[&states[0], &others[1]]));
    for state in &states[1..] {
        walk(&live, &format!("b/{GAME}")).unwrap();
        live.replace(library(&[state, &others[1]]));
    }
    assert_eq!(live.retired(), 5);
    assert!(text(&live, other).unwrap().contains("{state 0}"));
}

#[test]
fn games_of_an_earlier_all_stay_with_it() {
    let (old, new, other) = (database("b", "old"), database("b", "new"), database("other", "1"));
    let live = live(&[&old, &other]);
    let all = walk(&live, "all").unwrap();
    live.replace(library(&[&new, &other]));
    // No inode of the old database itself was given away.
    let mut inode = all;
    for name in ["players", "b"] {
        inode = lookup(&live, inode, name).unwrap();
    }
    let mut games = Vec::new();
    read_dir(&live, inode, 2, &mut |entry| {
        games.push(entry.inode);
        ControlFlow::Continue(())
    })
    .unwrap();
    let texts: Vec<String> = games.iter().map(|&game| text(&live, game).unwrap()).collect();
    assert!(texts.iter().any(|text| text.contains("{old}")), "{texts:?}");
    live.release(all, 1);
    assert_eq!(live.retired(), 0);
    assert_eq!(text(&live, games[0]), Err(FsError::Stale));
}

#[test]
fn all_databases_follow_each_of_them() {
    let (same, old, new) = (database("same", "1"), database("b", "old"), database("b", "new"));
    let live = live(&[&same, &old]);
    let before = walk(&live, "all/all.pgn").unwrap();
    let games = walk(&live, "all/players/a").unwrap();
    assert_eq!(text(&live, before).map(|text| text.contains("{old}")), Ok(true));
    live.replace(library(&[&same, &new]));
    let after = walk(&live, "all/all.pgn").unwrap();
    assert_eq!(text(&live, after).map(|text| text.contains("{new}")), Ok(true));
    // Old inodes show the old state as long as the kernel knows them.
    assert_eq!(text(&live, before).map(|text| text.contains("{old}")), Ok(true));
    assert_eq!(live.resolve(games).unwrap().open().unwrap().entries(), Ok(2));
    forget(&live, "all/all.pgn", before);
    forget(&live, "all/players/a", games);
    assert_eq!(live.retired(), 0);
    // A single database is not shown twice.
    live.replace(library(&[&same]));
    assert_eq!(walk(&live, "all"), Err(FsError::NotFound));
    live.replace(library(&[&same, &new]));
    assert_ne!(
        walk(&live, "all/all.pgn"),
        Ok(after),
        "its numbers are not used again"
    );
}
