use std::ffi::OsStr;
use std::sync::atomic::Ordering;

use chessdb_library::library::{Library, LibraryEntry};
use pgnfs_server::inside::{ChessFs, FsError, Kind, ServeOptions};

use super::mounted::{mount, mount_all, mount_with};
use testkit::fake::{Fake, MODIFIED, game};

#[test]
fn times_are_those_of_the_games() {
    let games = || {
        Fake::of([
            game("a", "b").date(1985, 11, 9),
            game("a", "b").date(1851, 6, 0),
            game("a", "b").date(1985, 2, 31),
            game("a", "b").date(0, 7, 1),
        ])
    };
    let tree = mount(games());
    let own = (1_000_000_000, 500_000_000);
    let noon = [(500_385_600, 0), (-3_742_200_000, 0), (478_440_000, 0), own];
    for (number, expected) in (1..).zip(noon) {
        let stat = tree.stat(&format!("games/000001-001000/{number:06}.pgn"));
        assert_eq!((stat.modified, stat.changed), (expected, own), "game {number}");
    }
    for path in [
        "",
        "players",
        "all.pgn",
        "merged/years/1985.pgn",
        "info.txt",
        "years/1985",
    ] {
        let stat = tree.stat(path);
        assert_eq!((stat.modified, stat.changed), (own, own), "{path}");
    }
    let options = ServeOptions {
        mtime_from_source: true,
        ..ServeOptions::default()
    };
    let tree = mount_with(vec![games().at("")], options);
    assert_eq!(tree.stat("games/000001-001000/000001.pgn").modified, own);
}

#[test]
fn a_folder_has_the_newest_time_below_it() {
    let mut newer = Fake::many(3).at("a/b/x.fake");
    newer.files[0].1.modified = MODIFIED + 1_000_000_000;
    let tree = mount_all(vec![
        Fake::many(3).at("a/y.fake"),
        newer,
        Fake::many(3).at("c.fake"),
    ]);
    assert_eq!(tree.stat("a/y.fake").modified.0, 1_000_000_000);
    for path in ["", "a", "a/b", "a/b/x.fake", "info.txt"] {
        assert_eq!(tree.stat(path).modified.0, 1_000_000_001, "{path}");
    }
}

#[test]
fn tags_are_extended_attributes_of_games() {
    let fake = Fake::of([game("Réti, Richard", "b").date(1924, 3, 22).comment("unread")]);
    let decoded = fake.decoded.clone();
    let tree = mount(fake);
    let inode = tree.inode("games/000001-001000/000001.pgn");
    let value = |inode, name| {
        tree.0
            .resolve(inode)
            .unwrap()
            .open()
            .unwrap()
            .attribute_value(OsStr::new(name))
    };
    let names = tree
        .0
        .resolve(inode)
        .unwrap()
        .open()
        .unwrap()
        .attribute_names()
        .unwrap();
    assert!(names.contains(&"user.pgn.White".to_owned()) && names.contains(&"user.pgn.Result".to_owned()));
    assert_eq!(
        value(inode, "user.pgn.White"),
        Ok("Réti, Richard".as_bytes().to_vec())
    );
    assert_eq!(value(inode, "user.pgn.Date"), Ok(b"1924.03.22".to_vec()));
    for name in ["user.pgn.Nothing", "user.White", "security.selinux", "user.pgn."] {
        assert_eq!(value(inode, name), Err(FsError::NoAttribute), "{name}");
    }
    let directory = tree.inode("players");
    assert_eq!(
        tree.0
            .resolve(directory)
            .unwrap()
            .open()
            .unwrap()
            .attribute_names(),
        Ok(Vec::new())
    );
    assert_eq!(value(directory, "user.pgn.White"), Err(FsError::NoAttribute));
    assert_eq!(decoded.load(Ordering::Relaxed), 0);
}

/// The kernel answers E2BIG or ERANGE where a name has more than 255 bytes, or a value or the list more than 64 KiB.
#[test]
fn attributes_that_the_kernel_would_not_pass_on_are_left_out() {
    fn name(len: usize) -> &'static str {
        Box::leak("N".repeat(len).into_boxed_str())
    }
    // With the prefix of nine bytes.
    let (longest, longer) = (name(246), name(247));
    let fake = Fake::of([
        game("a", "b")
            .tag(longest, "x")
            .tag(longer, "x")
            .tag("Most", &"x".repeat(65_536))
            .tag("More", &"x".repeat(65_537))
            .tag("Control", "a\u{1}b\u{85}\nc"),
        // With their prefix and a zero, 600 names of 101 bytes are 66,600 bytes.
        (0..600).fold(game("a", "b"), |game, number| {
            let name = format!("{number:03}{}", "N".repeat(98));
            game.tag(Box::leak(name.into_boxed_str()), "x")
        }),
    ]);
    let tree = mount(fake);
    let names = |game: u32| {
        let node = tree
            .0
            .resolve(tree.inode(&format!("games/000001-001000/{game:06}.pgn")));
        node.unwrap().open().unwrap().attribute_names().unwrap()
    };
    let value = |game: u32, name: &str| {
        let node = tree
            .0
            .resolve(tree.inode(&format!("games/000001-001000/{game:06}.pgn")));
        let name = format!("user.pgn.{name}");
        node.unwrap().open().unwrap().attribute_value(OsStr::new(&name))
    };
    for (tag, is_there) in [(longest, true), (longer, false), ("Most", true), ("More", false)] {
        assert_eq!(value(1, tag).is_ok(), is_there, "{tag}");
        assert_eq!(names(1).contains(&format!("user.pgn.{tag}")), is_there, "{tag}");
    }
    assert_eq!(value(1, "Control"), Ok(b"abc".to_vec()));
    let names = names(2);
    let len: usize = names.iter().map(|name| name.len() + 1).sum();
    assert!((65_536 - 111 + 1..=65_536).contains(&len), "{len}");
    assert!(
        names
            .iter()
            .all(|name| value(2, name.strip_prefix("user.pgn.").unwrap()).is_ok())
    );
}

#[test]
fn blocks_are_those_of_512_bytes() {
    let tree = mount(Fake::of([game("a", "b").comment("word ".repeat(200))]));
    let stat = tree.stat("all.pgn");
    assert!(stat.size > 1000);
    assert_eq!(stat.blocks, stat.size.div_ceil(512));
    assert_eq!(tree.stat("").kind, Kind::Directory);
    let statistics = tree.0.statistics();
    assert_eq!(
        (statistics.databases, statistics.games, statistics.source_bytes),
        (1, 1, 12_345)
    );
}

#[test]
fn files_of_several_databases_count_once() {
    let part = |name: &str| LibraryEntry {
        part: Some(name.to_owned()),
        ..Fake::of([game("a", "b")]).at(&format!("x.cbv/{name}"))
    };
    let mut other = Fake::of([game("a", "b")]).at("y");
    other.files[0].1.inode += 1;
    let databases = vec![part("a.cbh"), part("b.cbh"), other];
    let fs = ChessFs::new(Library::from_databases(databases), ServeOptions::default());
    let statistics = fs.statistics();
    assert_eq!(
        (statistics.databases, statistics.games, statistics.source_bytes),
        (3, 3, 2 * 12_345)
    );
}
