//! A database whose games have to be counted is shown before they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pgnfs::fs::{Attributes, PassState, SizeFiles, Where};

use crate::fake::Fake;
use crate::mounted::{Mounted, mount, mount_all};

/// A database of 3 games, and whether they are counted.
fn uncounted() -> (Fake, Arc<AtomicBool>) {
    let counted = Arc::new(AtomicBool::new(false));
    let fake = Fake {
        counted: Some(Arc::clone(&counted)),
        ..Fake::many(3)
    };
    (fake, counted)
}

/// Lists a directory, looks up all entries, and asks which thread answers requests for them. Returns the names, and the
/// attributes that are known.
fn look_at(tree: &Mounted, path: &str) -> (Vec<String>, Vec<Attributes>) {
    let mut names = Vec::new();
    let mut known = Vec::new();
    for (name, inode, _, attributes) in tree.entries(path) {
        let child = tree.inode(&format!("{path}/{name}"));
        assert_eq!(child, inode, "{name}");
        if attributes.is_none() {
            assert!(tree.may_wait(inode), "{name}");
            let node = tree.0.resolve(inode).unwrap();
            assert!(matches!(node.where_to_answer(), Where::Aside), "{name}");
        }
        names.push(name);
        known.extend(attributes);
    }
    (names, known)
}

#[test]
fn names_in_its_directory_are_shown_before_its_games_are_counted() {
    let (fake, counted) = uncounted();
    let tree = mount(fake);
    let folder = tempfile::tempdir().unwrap();
    tree.0
        .keep_sizes(SizeFiles::open(folder.path(), "options").unwrap());
    let (names, known) = look_at(&tree, "");
    assert_eq!((tree.0.statistics().games, known.len()), (4, 0));
    let status = tree.0.status();
    let database = &status.databases[0];
    assert_eq!((database.games, database.sizes_known), (4, 0));
    assert_eq!(database.pass, PassState::Waiting);
    assert!(!counted.load(Ordering::Relaxed));

    assert!(
        tree.cat("info.txt")
            .lines()
            .any(|line| line.split_whitespace().eq(["Games:", "3"]))
    );
    assert!(counted.load(Ordering::Relaxed));
    assert_eq!(tree.ls(""), names);
    assert_eq!(tree.ls("games/000001-001000").len(), 3);
    assert_eq!(tree.ls("emb"), [""; 0]);
    assert_eq!(tree.stat("emb").links, 2);
    assert_eq!(
        (tree.0.statistics().games, tree.0.status().databases[0].games),
        (3, 3)
    );
}

#[test]
fn it_is_not_counted_for_others() {
    let (fake, counted) = uncounted();
    let tree = mount_all(vec![fake.at("a.dci"), Fake::many(2).at("b.dci")]);
    let (names, known) = look_at(&tree, "");
    assert_eq!(names, ["info.txt", "a.dci", "all", "b.dci"]);
    assert_eq!(known.len(), 3);
    look_at(&tree, "a.dci");
    look_at(&tree, "all");
    assert_eq!(tree.ls("b.dci/games/000001-001000").len(), 2);
    assert!(!counted.load(Ordering::Relaxed));

    let text = tree.cat("info.txt");
    assert!(text.contains("a.dci: Fake, 3 games") && text.contains("b.dci: Fake, 2 games"));
    assert!(counted.load(Ordering::Relaxed));
    assert_eq!(tree.ls("all/players").len(), 6);
}
