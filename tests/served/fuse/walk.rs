//! Read-ahead without a kernel: what is decoded and stored for a reader of a directory.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb_library::library::{Library, LibraryEntry};
use pgnfs::fuse::walk::{Task, Walks, read_ahead};
use pgnfs_server::Requests;
use pgnfs_server::inside::{ChessFs, CurrentState, Entry, Inode, ServeOptions};

use testkit::fake::{Fake, game};
use testkit::stuck::behind_gate;

fn live(entries: Vec<LibraryEntry>) -> Arc<CurrentState> {
    let options = ServeOptions::default();
    Arc::new(CurrentState::new(ChessFs::new(
        Library::from_databases(entries),
        options,
    )))
}

fn requests(live: &Arc<CurrentState>) -> Requests {
    Requests::new(Arc::clone(live))
}

fn find(live: &CurrentState, path: &str) -> Inode {
    let parts = path.split('/');
    parts.fold(Inode::ROOT, |parent, name| {
        let parent = live.resolve(parent).unwrap();
        live.child(&parent.open().unwrap(), OsStr::new(name))
            .unwrap()
            .inode()
    })
}

/// The entries of a directory without `.` and `..`.
fn list(live: &CurrentState, directory: Inode) -> Vec<Inode> {
    let mut entries = Vec::new();
    let directory = live.resolve(directory).unwrap();
    let mut each = |entry: Entry<'_>| {
        entries.push(entry.inode);
        ControlFlow::Continue(())
    };
    directory.open().unwrap().read_dir(2, &mut each).unwrap();
    entries
}

/// A reader, its page cache, and the thread that stores games, which runs whenever possible.
struct Reader {
    source: Requests,
    walks: Walks<Inode>,
    stored: BTreeMap<Inode, Vec<u8>>,
    requests: usize,
}

impl Reader {
    fn new(live: &Arc<CurrentState>) -> Reader {
        Reader {
            source: requests(live),
            walks: Walks::default(),
            stored: BTreeMap::new(),
            requests: 0,
        }
    }

    fn read(&mut self, game: Inode) {
        if self.stored.contains_key(&game) {
            return;
        }
        self.requests += 1;
        let back = self.walks.requested(&self.source, game, game);
        assert!(back.is_none_or(|back| back == game));
        while let Some(task) = self.walks.next_task() {
            self.work(task);
        }
    }

    fn work(&mut self, mut task: Task<Inode>) {
        let first = self.walks.begin_first(&mut task);
        self.store(&first);
        let request = self.walks.take_request(&mut task);
        assert!(request.is_none_or(|game| !first.contains(&game)));
        let rest = self.walks.begin_rest(&mut task);
        self.store(&rest);
        self.walks.finish(task, true);
    }

    fn store(&mut self, games: &[Inode]) {
        let is_stored = read_ahead(&self.source, games, &mut |game, text| {
            self.stored.insert(game, text.to_vec()).is_none()
        });
        assert!(is_stored, "no game is stored twice");
    }
}

#[test]
fn a_walk_requests_every_64th_game_and_the_rest_is_stored() {
    let live = live(vec![Fake::many(1000).at("")]);
    let directory = find(&live, "games/000001-001000");
    let games = list(&live, directory);
    assert_eq!(games.len(), 1000);
    let mut reader = Reader::new(&live);
    reader.walks.listed(&requests(&live), directory);
    games.iter().for_each(|&game| reader.read(game));
    assert_eq!(reader.requests, 1000_usize.div_ceil(64));
    for (&game, text) in &reader.stored {
        let read = live
            .resolve(game)
            .unwrap()
            .open()
            .unwrap()
            .read(0, u32::MAX)
            .unwrap();
        assert_eq!(text[..], read[..]);
    }
}

#[test]
fn games_read_in_no_order_bring_no_others_along() {
    let live = live(vec![Fake::many(1000).at("")]);
    let directory = find(&live, "games/000001-001000");
    let games = list(&live, directory);
    let mut reader = Reader::new(&live);
    reader.walks.listed(&requests(&live), directory);
    for n in [500, 100, 900, 300] {
        reader.read(games[n]);
    }
    assert!(reader.stored.is_empty());
}

#[test]
fn the_last_16_directories_that_were_listed_are_followed() {
    let live = live(vec![Fake::many(17_000).at("")]);
    let blocks = list(&live, find(&live, "games"));
    assert_eq!(blocks.len(), 17);
    let mut reader = Reader::new(&live);
    for &block in &blocks {
        reader.walks.listed(&requests(&live), block);
    }
    for (n, &block) in blocks.iter().enumerate() {
        let first = live
            .resolve(block)
            .unwrap()
            .open()
            .unwrap()
            .next_games(None, 1)
            .unwrap()[0];
        reader.stored.clear();
        reader.read(first);
        assert_eq!(!reader.stored.is_empty(), n > 0, "directory {n}");
    }
}

#[test]
fn tasks_are_bounded_and_no_request_is_lost() {
    let live = live(vec![Fake::many(40_000).at("")]);
    let blocks = list(&live, find(&live, "games"));
    let mut walks = Walks::default();
    let mut answered = Vec::new();
    for &block in &blocks {
        walks.listed(&requests(&live), block);
        let first = live
            .resolve(block)
            .unwrap()
            .open()
            .unwrap()
            .next_games(None, 1)
            .unwrap()[0];
        answered.extend(walks.requested(&requests(&live), first, first));
    }
    assert_eq!(answered.len(), blocks.len() - 16, "16 tasks have the others");
    let mut held = Vec::new();
    while let Some(mut task) = walks.next_task() {
        walks.begin_first(&mut task);
        held.extend(walks.take_request(&mut task));
        walks.finish(task, true);
    }
    answered.extend(held);
    answered.sort();
    answered.dedup();
    assert_eq!(answered.len(), blocks.len());
}

#[test]
fn no_store_waits_for_a_request_that_waits_for_a_store() {
    // Two directories with the same games.
    let games = (0..100).map(|_| game("White", "Black"));
    let live = live(vec![Fake::of(games).at("")]);
    let block = find(&live, "games/000001-001000");
    let player = find(&live, "players/White");
    let games = live
        .resolve(block)
        .unwrap()
        .open()
        .unwrap()
        .next_games(None, 100)
        .unwrap();
    let mut walks = Walks::default();
    walks.listed(&requests(&live), block);
    walks.listed(&requests(&live), player);
    // The reader of the second one continues with another game.
    assert_eq!(walks.requested(&requests(&live), games[10], 10), Some(10));
    assert_eq!(walks.requested(&requests(&live), games[0], 0), None);
    assert_eq!(walks.requested(&requests(&live), games[11], 11), None);
    let mut task = walks.next_task().unwrap();
    let first = walks.begin_first(&mut task);
    assert!(first.contains(&games[10]) && first.contains(&games[12]));
    assert!(!first.contains(&games[11]), "its request waits in a task");

    walks.listed(&requests(&live), player);
    assert_eq!(walks.requested(&requests(&live), games[19], 19), Some(19));
    assert!(first.contains(&games[20]));
    assert_eq!(
        walks.requested(&requests(&live), games[20], 20),
        Some(20),
        "it is being stored"
    );
}

#[test]
fn long_games_are_left_to_their_readers() {
    let long = game("White", "Black").comment("long ".repeat(20_000));
    let live = live(vec![Fake::of([game("a", "b"), long, game("c", "d")]).at("")]);
    let directory = find(&live, "games/000001-001000");
    let games = list(&live, directory);
    let mut stored = Vec::new();
    assert!(read_ahead(&requests(&live), &games, &mut |game, _| {
        stored.push(game);
        true
    }));
    assert_eq!(stored, [games[0], games[2]]);
    let is_stored = read_ahead(&requests(&live), &games, &mut |_, _| false);
    assert!(!is_stored, "the kernel does not know a game");
}

#[test]
fn a_source_that_may_not_answer_is_not_read_ahead() {
    let (far, _gate) = behind_gate(Fake::many(100), "far");
    let live = live(vec![far, Fake::many(100).at("near")]);
    for (database, follows) in [("near", true), ("far", false)] {
        let directory = find(&live, &format!("{database}/games/000001-001000"));
        let game = live
            .resolve(directory)
            .unwrap()
            .open()
            .unwrap()
            .next_games(None, 1)
            .unwrap()[0];
        let requests = requests(&live);
        for inode in [directory, game] {
            assert_eq!(requests.is_local(inode), follows, "{database}");
        }
        assert_eq!(
            requests.next_games(directory, None, 1),
            follows.then(|| vec![game])
        );
        assert_eq!(
            read_ahead(&requests, &[game], &mut |_, _| true),
            follows,
            "{database}"
        );
    }
}
