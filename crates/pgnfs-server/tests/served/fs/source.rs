//! The folders of the source between the root and the databases.

use std::ffi::OsStr;

use pgnfs_server::inside::Inode;

use super::contents;
use super::mounted::mount_all;
use testkit::fake::{Fake, game};

fn small() -> Fake {
    Fake::of([game("a", "b")])
}

#[test]
fn databases_stand_at_their_paths() {
    let tree = mount_all(vec![
        small().at("club/kasparov.fake"),
        small().at("club/old/x.fake"),
        small().at("y.fake"),
    ]);
    assert!(!tree.0.library().is_single());
    assert_eq!(tree.names(""), ["all", "club", "info.txt", "y.fake"]);
    assert_eq!(tree.names("club"), ["kasparov.fake", "old"]);
    assert_eq!(tree.ls("club/old"), ["x.fake"]);
    assert!(tree.exists("club/old/x.fake/games/000001-001000/000001.pgn"));
    assert_eq!(tree.inode("club/old/x.fake/.."), tree.inode("club/old"));
    assert_eq!(
        tree.inode("club/old/x.fake/players/.."),
        tree.inode("club/old/x.fake")
    );
    assert_eq!(tree.inode("club/.."), Inode::ROOT);
    tree.walk();
}

#[test]
fn info_at_the_root_lists_the_databases() {
    let tree = mount_all(vec![small().at("b/x.fake"), Fake::many(2).at("a.fake")]);
    assert_eq!(
        tree.cat("info.txt"),
        "Source:    \nDatabases: 2\nGames:     3\n\nDatabases:\n  a.fake: Fake, 2 games\n  b/x.fake: Fake, 1 game\n"
    );
}

#[test]
fn a_folder_named_info_txt_makes_way() {
    let tree = mount_all(vec![
        small().at("info.txt/x.fake"),
        small().at("a/info.txt/y.fake"),
    ]);
    assert_eq!(tree.names(""), ["a", "all", "info.txt", "info.txt (2)"]);
    assert!(tree.cat("info.txt").contains("info.txt/x.fake"));
    assert!(tree.exists("info.txt (2)/x.fake/all.pgn"));
    assert!(tree.exists("a/info.txt/y.fake/all.pgn"));
}

#[test]
fn a_database_may_hold_others_beside_its_views() {
    let tree = mount_all(vec![
        small().at("jose"),
        small().at("jose/players/x.fake"),
        small().at("jose/IO_Game"),
    ]);
    let names = tree.ls("jose");
    assert!(names.contains(&"players".to_owned()) && names.contains(&"IO_Game".to_owned()));
    assert!(tree.exists("jose/players/a") && tree.exists("jose/players (2)/x.fake/all.pgn"));
    assert_eq!(tree.inode("jose/IO_Game/.."), tree.inode("jose"));
    // Its own are games and two databases.
    assert_eq!(tree.stat("jose").links, contents::links(3));
    tree.walk();
}

#[test]
fn a_database_at_the_root_lists_the_others() {
    let tree = mount_all(vec![small().at(""), small().at("x.fake")]);
    assert!(tree.0.library().is_single());
    let info = tree.cat("info.txt");
    assert!(info.contains("File:     games.fake, 12345 bytes\n"), "{info}");
    assert!(
        info.contains("\nDatabases:\n  games.fake: Fake, 1 game\n  x.fake: Fake, 1 game\n"),
        "{info}"
    );
    assert!(tree.exists("x.fake/all.pgn"));
    let alone = mount_all(vec![small().at("")]);
    assert!(!alone.cat("info.txt").contains("Databases"));
}

#[test]
fn many_databases_have_inodes_of_their_own() {
    let entries = (0..6000)
        .map(|n| small().at(&format!("folder{}/db{n}.fake", n % 60)))
        .collect();
    let tree = mount_all(entries);
    let mut inodes: Vec<Inode> = (0..6000)
        .map(|n| {
            tree.inode(&format!(
                "folder{}/db{n}.fake/games/000001-001000/000001.pgn",
                n % 60
            ))
        })
        .collect();
    inodes.sort_unstable();
    inodes.dedup();
    assert_eq!(inodes.len(), 6000);
    assert!(tree.lookup(Inode::ROOT, OsStr::new("folder59")).is_ok());
}
