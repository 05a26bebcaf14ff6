use std::sync::atomic::Ordering;

use proptest::prelude::*;

use super::mounted::{Mounted, mount, mount_all};
use testkit::fake::{Fake, game};

/// The texts of a directory's games one after another, sorted by number.
fn together(tree: &Mounted, directory: &str) -> String {
    let mut names = tree.ls(directory);
    names.sort_by_key(|name| name[name.len() - "000001.pgn".len()..].to_owned());
    names
        .iter()
        .map(|name| tree.cat(&format!("{directory}/{name}")))
        .collect()
}

#[test]
fn all_pgn_is_every_game_in_database_order() {
    let tree = mount(Fake::many(1500));
    let expected: String = tree
        .ls("games")
        .iter()
        .map(|block| together(&tree, &format!("games/{block}")))
        .collect();
    assert_eq!(tree.cat("all.pgn"), expected);
    assert_eq!(mount(Fake::many(1500)).cat("all.pgn"), expected);
}

#[test]
fn a_merged_file_is_its_directorys_games_in_database_order() {
    let tree = mount(Fake::many(1500));
    for (view, directories) in [("players", 18), ("events", 100), ("years", 100), ("eco", 1)] {
        let names = tree.ls(&format!("merged/{view}"));
        assert_eq!(names.len(), directories);
        for name in names {
            let stem = name.strip_suffix(".pgn").unwrap();
            let expected = together(&tree, &format!("{view}/{stem}"));
            assert_eq!(
                tree.cat(&format!("merged/{view}/{name}")),
                expected,
                "{view}/{name}"
            );
        }
    }
}

#[test]
fn a_merged_file_of_codes_stands_beside_those_of_other_letters() {
    let tree = mount(Fake::of([
        game("a", "b").eco(b"E60"),
        game("a", "b"),
        game("a", "b").eco(b"A00"),
        game("a", "b").eco(b"b07"),
    ]));
    assert_eq!(
        tree.ls("merged/eco"),
        ["A00.pgn", "E60.pgn", "b07.pgn", "unknown.pgn"]
    );
    assert_eq!(
        tree.cat("merged/eco/E60.pgn"),
        tree.cat("games/000001-001000/000001.pgn")
    );
    assert_eq!(
        tree.cat("merged/eco/unknown.pgn"),
        tree.cat("games/000001-001000/000002.pgn")
    );
}

#[test]
fn reading_in_the_middle_decodes_only_what_is_read() {
    let fake = Fake::many(2000);
    let decoded = fake.decoded.clone();
    let tree = mount(fake);
    let size = tree.stat("all.pgn").size;
    assert_eq!(decoded.swap(0, Ordering::Relaxed), 2000);
    let inode = tree.inode("all.pgn");
    let piece = tree.read(inode, size / 2, 1000).unwrap();
    assert_eq!(piece.len(), 1000);
    assert!(decoded.load(Ordering::Relaxed) <= 10, "{decoded:?}");
}

#[test]
fn a_merged_file_needs_its_own_games_only() {
    let fake = Fake::many(2000);
    let decoded = fake.decoded.clone();
    let tree = mount(fake);
    assert!(tree.may_wait(tree.inode("merged/years/1905.pgn")));
    tree.stat("merged/years/1905.pgn");
    assert_eq!(decoded.load(Ordering::Relaxed), 20);
    assert!(!tree.may_wait(tree.inode("merged/years/1905.pgn")));
    assert!(tree.may_wait(tree.inode("merged/years/1906.pgn")));
    assert!(tree.may_wait(tree.inode("all.pgn")) && tree.may_wait(tree.inode("tables/problems.txt")));
    // The twenty texts were cached.
    tree.cat("merged/years/1905.pgn");
    assert_eq!(decoded.load(Ordering::Relaxed), 20);
}

#[test]
fn a_listing_builds_only_its_own_view() {
    let tree = mount(Fake::many(10));
    let players = tree.inode("players");
    assert!(tree.may_wait(players) && tree.may_wait(tree.inode("merged/players")));
    tree.ls("players");
    assert!(!tree.may_wait(players) && !tree.may_wait(tree.inode("merged/players")));
    assert!(tree.may_wait(tree.inode("events")));
}

#[test]
fn simultaneous_requests_decode_every_game_once() {
    let fake = Fake::many(5000);
    let decoded = fake.decoded.clone();
    let tree = mount_all(vec![fake.at("x.fake")]);
    let all = tree.inode("x.fake/all.pgn");
    let problems = tree.inode("x.fake/tables/problems.txt");
    let sizes: Vec<u64> = std::thread::scope(|scope| {
        let stat = |inode| {
            scope.spawn({
                let fs = &tree.0;
                move || {
                    fs.resolve(inode)
                        .unwrap()
                        .open()
                        .unwrap()
                        .attributes()
                        .unwrap()
                        .size
                }
            })
        };
        let threads: Vec<_> = [all, problems, all, all].map(stat).into_iter().collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(sizes[0], sizes[2]);
    assert_eq!(decoded.load(Ordering::Relaxed), 5000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_piece_is_the_piece_of_the_whole(offset in 0u64..400_000, size in 0u32..200_000) {
        static TREE: std::sync::OnceLock<(Mounted, String, String)> = std::sync::OnceLock::new();
        let (tree, all, merged) = TREE.get_or_init(|| {
            let tree = mount(Fake::many(1200));
            let all = tree.cat("all.pgn");
            let merged = tree.cat("merged/players/White3, A.pgn");
            (tree, all, merged)
        });
        for (path, whole) in [("all.pgn", all), ("merged/players/White3, A.pgn", merged)] {
            let piece = tree.read(tree.inode(path), offset, size).unwrap();
            let start = (offset as usize).min(whole.len());
            let end = (start + size as usize).min(whole.len());
            prop_assert!(*piece == whole.as_bytes()[start..end]);
        }
    }
}
