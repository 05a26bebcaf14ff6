use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::ops::ControlFlow;

use chessdb::Folder;
use pgnfs_server::inside::{FsError, Inode};

use super::contents;
use super::mounted::{Mounted, mount, mount_all};
use testkit::fake::{Fake, MODIFIED};

fn rich() -> Fake {
    let mut fake = Fake::many(40);
    fake.members = vec![("note.txt".to_owned(), b"text".to_vec())];
    fake.folders = vec![Folder {
        parent: None,
        name: "Best".to_owned(),
        games: vec![3, 1],
    }];
    fake
}

fn inodes(tree: &Mounted) -> HashMap<String, Inode> {
    let paths = tree.walk();
    paths
        .into_iter()
        .map(|path| (path.clone(), tree.inode(&path)))
        .collect()
}

#[test]
fn a_game_is_one_inode_in_all_views_and_nothing_else_shares_one() {
    let tree = mount_all(vec![rich().at("a/x.fake"), rich().at("b.fake")]);
    let mut by_inode: HashMap<Inode, Vec<String>> = HashMap::new();
    // Links of a game are counted in its database.
    for (path, inode) in inodes(&tree) {
        if path.starts_with("all/") && inode.is_game() {
            continue;
        }
        by_inode.entry(inode).or_default().push(path);
    }
    let (mut games, mut others) = (0, 0);
    for (inode, paths) in by_inode {
        let attributes = tree.attributes(inode).unwrap();
        let is_game =
            paths[0].ends_with(".pgn") && !paths[0].contains("merged/") && !paths[0].ends_with("all.pgn");
        if is_game {
            let views = paths.iter().filter(|path| !path.contains("/moves/"));
            assert_eq!(attributes.links as usize, views.count(), "{paths:?}");
            games += 1;
        } else {
            assert_eq!(paths.len(), 1, "{paths:?}");
            others += 1;
        }
    }
    assert!(games > 1 && others > 50, "{games} {others}");
}

#[test]
fn inodes_are_the_same_in_every_mount_and_need_no_look_up_first() {
    let first = mount_all(vec![rich().at("a/x.fake"), rich().at("b.fake")]);
    let inodes = inodes(&first);
    let second = mount_all(vec![rich().at("a/x.fake"), rich().at("b.fake")]);
    for (path, inode) in &inodes {
        assert_eq!(second.attributes(*inode), first.attributes(*inode), "{path}");
        assert_eq!(second.inode(path), *inode, "{path}");
    }
}

#[test]
fn a_database_that_changed_has_new_inodes_and_its_neighbours_keep_theirs() {
    let first = mount_all(vec![rich().at("a/x.fake"), rich().at("b.fake")]);
    let mut changed = rich().at("b.fake");
    changed.files[0].1.modified = MODIFIED + 1;
    let second = mount_all(vec![rich().at("a/x.fake"), changed]);
    let shared = inodes(&first);
    for (path, inode) in inodes(&second) {
        let is_same = shared[&path] == inode;
        let is_kept = match path.strip_prefix("all/") {
            Some(_) => inode.is_game() && parent_of_game(&second, inode) == second.inode("a/x.fake"),
            None => !path.starts_with("b.fake"),
        };
        assert_eq!(is_same, is_kept, "{path}");
    }
}

/// The directory of a game's database.
fn parent_of_game(tree: &Mounted, game: Inode) -> Inode {
    let to_database = 0..3;
    to_database.fold(game, |inode, _| tree.parent(inode).unwrap())
}

#[test]
fn links_do_not_change_when_views_are_built() {
    let tree = mount(rich());
    let before = tree.stat("games/000001-001000/000002.pgn");
    // And collections.
    assert_eq!(before.links, contents::directories_of_game() + 1);
    tree.walk();
    assert_eq!(tree.stat("games/000001-001000/000002.pgn"), before);
}

#[test]
fn directories_count_their_subdirectories() {
    let tree = mount(rich());
    // Its own are games, emb and collections.
    assert_eq!(tree.stat("").links, contents::links(3));
    assert_eq!(tree.stat("games").links, 2 + 1);
    assert_eq!(tree.stat("games/000001-001000").links, 2);
    assert_eq!(tree.stat("merged").links, 2 + contents::views());
    assert_eq!(tree.stat("merged/players").links, 2);
    assert_eq!(tree.stat("collections").links, 2 + 1);
    assert_eq!(tree.stat("collections/Best").links, 2);
    assert_eq!(tree.stat("years/1900").links, 2);
    // 1 means not counted, whether the view is built or not.
    assert_eq!(mount(rich()).stat("players").links, 1);
    assert_eq!(tree.stat("players").links, 1);
    let folders = mount_all(vec![rich().at("a/x.fake"), rich().at("b.fake")]);
    assert_eq!(folders.stat("").links, 2 + 3);
    assert_eq!(folders.stat("a").links, 2 + 1);
}

#[test]
fn inodes_that_do_not_exist_are_stale() {
    let tree = mount(rich());
    let known: HashSet<Inode> = inodes(&tree).into_values().collect();
    let game = tree.inode("games/000001-001000/000001.pgn").0;
    let strangers = (0..64).map(|bit| game ^ (1 << bit));
    for stranger in strangers.chain([0, 2, 3, 99, u64::MAX]).map(Inode) {
        if known.contains(&stranger) || stranger == Inode::ROOT {
            continue;
        }
        assert_eq!(tree.attributes(stranger), Err(FsError::Stale), "{stranger:x?}");
        assert_eq!(tree.attributes_if_known(stranger), Err(FsError::Stale));
        assert_eq!(tree.lookup(stranger, OsStr::new("x")), Err(FsError::Stale));
        assert_eq!(tree.parent(stranger), Err(FsError::Stale));
        assert!(matches!(tree.read(stranger, 0, 1), Err(FsError::Stale)));
        assert!(
            tree.read_dir(stranger, 0, &mut |_| ControlFlow::Continue(()))
                .is_err()
        );
        tree.may_wait(stranger);
    }
}

#[test]
fn a_file_is_no_directory_and_a_directory_no_file() {
    let tree = mount(rich());
    for file in [
        "all.pgn",
        "games/000001-001000/000001.pgn",
        "emb/note.txt",
        "merged/years/1900.pgn",
    ] {
        let inode = tree.inode(file);
        assert_eq!(tree.lookup(inode, OsStr::new("x")), Err(FsError::NotADirectory));
        let listed = tree.read_dir(inode, 0, &mut |_| ControlFlow::Continue(()));
        assert_eq!(listed, Err(FsError::NotADirectory));
    }
    for directory in ["", "games", "players", "merged/years", "emb", "collections/Best"] {
        let inode = tree.inode(directory);
        assert!(
            matches!(tree.read(inode, 0, 10), Err(FsError::IsADirectory)),
            "{directory}"
        );
    }
    assert_eq!(tree.find("nothing"), Err(FsError::NotFound));
}

#[test]
fn a_listing_goes_on_from_any_offset() {
    let tree = mount_all(vec![rich().at("a/x.fake"), rich().at("b.fake")]);
    for directory in [
        "",
        "a/x.fake",
        "a/x.fake/games/000001-001000",
        "a/x.fake/players",
        "b.fake/years/1901",
        "a",
        "all",
        "all/players",
        "all/players/White1, A",
        "all/merged/years",
    ] {
        let inode = tree.inode(directory);
        let mut whole = Vec::new();
        tree.read_dir(inode, 0, &mut |entry| {
            whole.push((entry.name.to_string(), entry.next));
            ControlFlow::Continue(())
        })
        .unwrap();
        let mut pieces = Vec::new();
        let mut offset = 0;
        loop {
            let before = pieces.len();
            tree.read_dir(inode, offset, &mut |entry| {
                pieces.push((entry.name.to_string(), entry.next));
                offset = entry.next;
                if pieces.len() % 3 == 0 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .unwrap();
            if pieces.len() == before {
                break;
            }
        }
        assert_eq!(pieces, whole, "{directory}");
        let mut beyond = 0;
        let end = whole.last().map_or(2, |(_, next)| *next);
        for offset in [end, end + 1, u64::MAX] {
            let mut each = |_: pgnfs_server::inside::Entry<'_>| {
                beyond += 1;
                ControlFlow::Continue(())
            };
            tree.read_dir(inode, offset, &mut each).unwrap();
        }
        assert_eq!(beyond, 0);
    }
}

#[test]
fn a_listing_has_attributes_as_far_as_they_are_known() {
    let tree = mount(rich());
    let known = |tree: &Mounted, directory| {
        let entries = tree.entries(directory);
        for (name, inode, kind, attributes) in &entries {
            if let Some(attributes) = attributes {
                assert_eq!((attributes.inode, attributes.kind), (*inode, *kind), "{name}");
            }
        }
        entries.iter().filter(|entry| entry.3.is_some()).count()
    };
    assert_eq!(known(&tree, "merged/years"), 0);
    // All except all.pgn.
    assert_eq!(known(&tree, ""), tree.ls("").len() - 1);
    assert_eq!(known(&tree, "tables"), 0);
    assert_eq!(known(&tree, "games/000001-001000"), 40);
    for table in tree.ls("tables") {
        tree.stat(&format!("tables/{table}"));
    }
    assert_eq!(known(&tree, ""), tree.ls("").len());
    assert_eq!(known(&tree, "tables"), tree.ls("tables").len());
    assert_eq!(known(&tree, "merged/years"), 40);
}
