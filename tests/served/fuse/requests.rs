//! Requests that a real kernel does not send on demand.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;

use chessdb::game::Tags;
use chessdb::{Database, Decoded, Info, Keys, TextId};
use chessdb_library::library::{GuardedDatabase, Library};
use pgnfs_server::inside::{Attributes, ChessFs, CurrentState, Failure, FsError, ServeOptions};
use pgnfs_server::{OpenFile, Requests};

use super::kernel::{
    GETATTR, Kernel, LOOKUP, NO_OPEN, OPEN, OPENDIR, READ, READDIRPLUS, ROOT, entries, terminated, u32_at,
    u64_at,
};
use testkit::fake::{Fake, game};

const ENOENT: i32 = 2;
const EIO: i32 = 5;
const ENAMETOOLONG: i32 = 36;
const ENOSYS: i32 = 38;

fn two_games() -> Fake {
    Fake::of([game("White", "Black"), game("Grey", "Brown").comment("longer")])
}

#[test]
fn what_is_missing_is_remembered() {
    let mut kernel = Kernel::mount(vec![two_games().at("")], NO_OPEN);
    let missing = kernel.look_up("nothing");
    assert_eq!((missing.error, u64_at(&missing.bytes, 0)), (0, 0));
    assert!(
        u64_at(&missing.bytes, 16) > 3600,
        "seconds for which the entry is valid"
    );
    let long = kernel.ask(LOOKUP, ROOT, &terminated(&"x".repeat(256)));
    assert_eq!(long.error, ENAMETOOLONG);
    let stale = kernel.ask(GETATTR, 0xdead_beef, &[0; 16]);
    assert_ne!(stale.error, 0);
    assert_ne!(stale.error, ENOENT);
}

#[test]
fn dots_are_looked_up_for_file_handles() {
    let mut kernel = Kernel::mount(vec![two_games().at("")], NO_OPEN);
    let games = u64_at(&kernel.look_up("games").bytes, 0);
    let file = u64_at(&kernel.look_up("games/000001-001000/000002.pgn").bytes, 0);
    for (node, name, wanted) in [(games, ".", games), (games, "..", ROOT), (file, ".", file)] {
        let found = kernel.ask(LOOKUP, node, &terminated(name));
        assert_eq!((found.error, u64_at(&found.bytes, 0)), (0, wanted), "{name}");
    }
}

#[test]
fn open_is_not_needed_if_the_kernel_supports_that() {
    let mut kernel = Kernel::mount(vec![two_games().at("")], NO_OPEN);
    let info = u64_at(&kernel.look_up("info.txt").bytes, 0);
    assert_eq!(kernel.ask(OPEN, info, &[0; 8]).error, ENOSYS);
    assert_eq!(kernel.ask(OPENDIR, ROOT, &[0; 8]).error, ENOSYS);

    let mut old_kernel = Kernel::mount(vec![two_games().at("")], 0);
    let opened = old_kernel.ask(OPEN, info, &[0; 8]);
    let (keep_cache, cache_directory, no_flush) = (1 << 1, 1 << 3, 1 << 5);
    assert_eq!(
        (opened.error, u32_at(&opened.bytes, 8)),
        (0, keep_cache | no_flush)
    );
    let opened = old_kernel.ask(OPENDIR, ROOT, &[0; 8]);
    assert_eq!(
        (opened.error, u32_at(&opened.bytes, 8)),
        (0, keep_cache | cache_directory)
    );
}

#[test]
fn entries_without_attributes_keep_their_inode() {
    let mut kernel = Kernel::mount(vec![Fake::many(100).at("")], NO_OPEN);
    let folder = u64_at(&kernel.look_up("merged/years").bytes, 0);
    // The size of the second file becomes known, but of no other.
    let known = u64_at(&kernel.look_up("merged/years/1901.pgn").bytes, 0);
    let mut all = Vec::new();
    let mut offset = 0;
    loop {
        let answer = kernel.read(READDIRPLUS, folder, offset, 4096);
        assert!(answer.bytes.len() <= 4096);
        let some = entries(&answer);
        let Some(last) = some.last() else { break };
        offset = last.next;
        all.extend(some);
    }
    let names: Vec<_> = all.iter().map(|entry| entry.name.as_str()).collect();
    let wanted: Vec<_> = (1900..2000).map(|year| format!("{year}.pgn")).collect();
    assert_eq!(names[..2], [".", ".."]);
    assert_eq!(names[2..], wanted);
    for entry in &all[2..] {
        assert!(entry.is_file && entry.inode != 0);
        let node = if entry.inode == known { known } else { 0 };
        assert_eq!(entry.node, node, "{}", entry.name);
    }
    let found = kernel.look_up("merged/years/1901.pgn");
    let own = all.iter().find(|entry| entry.inode == known).unwrap();
    assert_eq!(own.attributes, found.bytes[40..128]);
}

#[test]
fn huge_directories_are_listed_without_attributes() {
    for players in [10_000, 10_001] {
        let games = (0..players).map(|n| [format!("White {n:05}"), format!("White {n:05}")]);
        let games = games.map(|[white, black]| game(&white, &black));
        let mut kernel = Kernel::mount(vec![Fake::of(games).at("")], NO_OPEN);
        for (path, with_attributes) in [("players", players == 10_000), ("games", true)] {
            let folder = u64_at(&kernel.look_up(path).bytes, 0);
            let some = entries(&kernel.read(READDIRPLUS, folder, 2, 1 << 16));
            assert!(some.len() >= 10, "{path}");
            for entry in some {
                assert_eq!(entry.node != 0, with_attributes, "{path}/{}", entry.name);
                assert_ne!(entry.inode, 0);
            }
        }
    }
}

#[test]
fn a_listing_decodes_some_games_and_does_not_wait_for_all() {
    let mut kernel = Kernel::mount(vec![Fake::many(1000).at("")], NO_OPEN);
    let folder = u64_at(&kernel.look_up("games/000001-001000").bytes, 0);
    let some = entries(&kernel.read(READDIRPLUS, folder, 2, 1 << 16));
    assert!(some.len() > 300);
    let described = some.iter().filter(|entry| entry.node == entry.inode).count();
    // How many depends on time.
    assert!((1..=256).contains(&described), "{described}");
    assert!(
        some.iter()
            .all(|entry| entry.node == 0 || entry.node == entry.inode)
    );
}

#[test]
fn a_request_opens_its_node_once() {
    let fake = Fake::many(100);
    let (lens, keys) = (Arc::clone(&fake.lens), Arc::clone(&fake.keys_read));
    let mut kernel = Kernel::mount(vec![fake.at("")], NO_OPEN);
    let game = u64_at(&kernel.look_up("games/000001-001000/000007.pgn").bytes, 0);
    let player = u64_at(&kernel.look_up("players/White1, A").bytes, 0);
    kernel.look_up("all.pgn");
    let mut calls = |operation, node| {
        let before = [&lens, &keys].map(|count| count.load(Ordering::Relaxed));
        assert_eq!(kernel.read(operation, node, 0, 1 << 16).error, 0);
        let after = [&lens, &keys].map(|count| count.load(Ordering::Relaxed));
        [after[0] - before[0], after[1] - before[1]]
    };
    // The text is cached then.
    calls(READ, game);
    assert_eq!(calls(READ, game), [1, 0]);
    // The name and the attributes of each of 15 games.
    assert_eq!(calls(READDIRPLUS, player), [30, 30]);
}

#[test]
fn a_failing_request_is_answered_and_the_next_one_too() {
    let mut entry = two_games().at("bad");
    entry.database = GuardedDatabase::of(Failing);
    let mut kernel = Kernel::mount(vec![entry, two_games().at("good")], NO_OPEN);
    let players = kernel.look_up("bad/players");
    assert_eq!(players.error, 0);
    let listed = kernel.read(READDIRPLUS, u64_at(&players.bytes, 0), 0, 4096);
    assert_eq!(listed.error, EIO);
    let all = kernel.look_up("good/all.pgn");
    let (node, size) = (u64_at(&all.bytes, 0), u64_at(&all.bytes, 48));
    let text = kernel.read(READ, node, 0, 4096).bytes;
    assert_eq!(text.len() as u64, size);
    assert!(text.starts_with(b"[Event "));
}

/// A request by path is answered as well, and its caller goes on.
#[test]
fn a_request_by_path_that_fails_is_answered() {
    let mut entry = two_games().at("bad");
    entry.database = GuardedDatabase::of(Failing);
    let library = Library::from_databases(vec![entry, two_games().at("good")]);
    let fs = ChessFs::new(library, ServeOptions::default());
    let requests = Requests::new(Arc::new(CurrentState::new(fs)));
    for (path, expected) in [
        (
            "bad/games/000001-001000/000001.pgn",
            Err(FsError::Io(Failure::Unexpected)),
        ),
        ("good/games/000001-001000/000001.pgn", Ok(())),
    ] {
        let (sender, answers) = channel();
        let to = sender.clone();
        requests.find(0, path, move |found: Result<Attributes, _>| {
            to.send(found.map(drop)).unwrap()
        });
        requests.open(0, path, move |file: Result<OpenFile, _>| {
            sender.send(file.map(drop)).unwrap()
        });
        let answers: Vec<_> = answers.iter().collect();
        assert_eq!(answers, [expected.clone(), expected], "{path}");
    }
}

/// A database with a game for which everything fails.
struct Failing;

impl Database for Failing {
    fn len(&self) -> u32 {
        1
    }

    fn keys(&self, _: u32) -> Keys {
        panic!("no keys")
    }

    fn text(&self, _: TextId) -> String {
        panic!("no text")
    }

    fn tags(&self, _: u32) -> Tags {
        panic!("no tags")
    }

    fn game(&self, _: u32) -> Decoded {
        panic!("no game")
    }

    fn info(&self) -> Info {
        Info::default()
    }
}
