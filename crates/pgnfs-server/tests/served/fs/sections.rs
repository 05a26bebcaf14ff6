//! A new kind of directory needs no change elsewhere.

use pgnfs_server::inside::{FsError, Inode, Kind};

use super::contents;
use super::mounted::{Mounted, mount_with};
use super::steps;
use testkit::fake::{Fake, game};

fn tree() -> Mounted {
    let fake = Fake::of([game("A", "B"), game("C", "D"), game("E", "F")]);
    mount_with(vec![fake.at("x"), Fake::many(1).at("")], steps::options())
}

fn target(tree: &Mounted, path: &str) -> Result<String, FsError> {
    tree.target(tree.inode(path))
}

#[test]
fn it_is_listed_with_games_beside_directories() {
    let tree = tree();
    assert!(tree.ls("x").contains(&"steps".to_owned()));
    assert!(tree.ls("").contains(&"steps".to_owned()));
    let listed = tree.ls("x/steps/right");
    assert_eq!(listed[..2], ["left", "right"]);
    let game = tree.inode("x/games/000001-001000/000003.pgn");
    assert_eq!(tree.inode(&format!("x/steps/right/{}", listed[2])), game);
    assert_eq!(tree.ls("x/steps/right/left"), ["left", "right"]);
    assert_eq!(tree.find("x/steps/middle"), Err(FsError::NotFound));
    // And steps.
    assert_eq!(
        tree.stat("x/games/000001-001000/000003.pgn").links,
        contents::directories_of_game() + 1
    );
    let root = tree.0.resolve(tree.inode("x/steps/right")).unwrap();
    assert_eq!(root.open().unwrap().next_games(None, 9), Some(vec![game]));
}

#[test]
fn it_may_be_too_large_to_be_built() {
    let tree = tree();
    let deep = format!("x/steps/{}", ["left"; 31].join("/"));
    assert_eq!(tree.ls(&deep), Vec::<String>::new());
    let above = tree.parent(tree.inode(&deep)).unwrap();
    assert_eq!(tree.lookup(above, "left".as_ref()), Ok(tree.inode(&deep)));
    assert_eq!(
        tree.parent(tree.inode("x/steps")),
        Ok(tree.inode("x")),
        "and its top is in the database's directory"
    );
    assert_eq!(tree.parent(tree.inode("steps")), Ok(Inode::ROOT));
    // Number 0 is not a directory.
    let none = Inode(tree.inode("x/steps").0 - 1);
    assert_eq!(tree.attributes(none), Err(FsError::Stale));
}

#[test]
fn a_link_has_a_target_and_need_not_be_listed() {
    let tree = tree();
    assert_eq!(target(&tree, "x/steps/home"), Ok(".".to_owned()));
    assert_eq!(target(&tree, "x/steps/left/right/home"), Ok("../..".to_owned()));
    let link = tree.stat("x/steps/left/right/home");
    assert_eq!((link.kind, link.size, link.links), (Kind::Link, 5, 1));
    assert_eq!(tree.parent(link.inode), Ok(tree.inode("x/steps/left/right")));
    assert!(!tree.ls("x/steps/left/right").contains(&"home".to_owned()));
}

#[test]
fn a_link_is_no_file_and_no_directory_and_they_are_no_links() {
    let tree = tree();
    let link = tree.inode("x/steps/home");
    assert_eq!(tree.read(link, 0, 9).err(), Some(FsError::WrongKind));
    assert_eq!(tree.lookup(link, "x".as_ref()), Err(FsError::NotADirectory));
    for path in ["", "x/steps", "x/all.pgn", "info.txt"] {
        assert_eq!(target(&tree, path), Err(FsError::WrongKind), "{path}");
    }
}
