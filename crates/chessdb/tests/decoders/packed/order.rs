//! Passes over all games read them in the order in which a compressed file has them, however the games are sorted.

use std::ops::{ControlFlow, Deref};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use chessdb::files::{Bytes, Files, SourceFile};
use chessdb::formats::FORMATS;
use chessdb::game::Tags;
use chessdb::replay::Ply;
use chessdb::{Database, Decoded, Info, Keys, Options, TextId};
use chessdb_library::duplicates::Duplicates;
use chessdb_library::positions::{BuildOptions, Index};

use super::ways::{MIB, seekable};

/// A database that records which games are read.
struct Recorded {
    inner: Box<dyn Database>,
    read: Mutex<Vec<u32>>,
}

/// This number of games, each with a comment. Each line is played by several, far from each other, some of them from
/// set-up positions.
fn games(number: usize, comment: impl Fn(usize) -> String) -> Vec<u8> {
    let moves = ["e4", "d4", "c4", "Nf3", "b3", "g3", "f4", "Nc3", "e3", "d3"];
    let game = |n: usize| {
        let (first, second) = (moves[n * 7 % 10], ["e5", "d5", "c5", "Nf6", "b6"][n * 3 % 5]);
        let rights = ["K", "Q", "k", "q", "Kk", "Qq", "KQ", "kq", "Kq", "Qk"][n * 7 / 4 % 10];
        let fen = if n.is_multiple_of(4) {
            format!("[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w {rights} - 0 1\"]\n")
        } else {
            String::new()
        };
        let rest = "2. a3 a6 3. h3 h6 4. a4 a5 5. h4 h5 6. Ra3 Ra6 1-0";
        let comment = comment(n);
        format!(
            "[Event \"E{n}\"]\n[Date \"1990.01.02\"]\n[White \"Player, A\"]\n[Black \"Other, B\"]\n{fen}\n1. {first} {comment}{second} {rest}\n\n"
        )
    };
    (0..number).map(game).collect::<String>().into_bytes()
}

fn open(name: &str, bytes: Arc<dyn Bytes>) -> Box<dyn Database> {
    let name = name.to_owned();
    let files = Files::new(vec![("pgn".to_owned(), SourceFile { name, bytes })]);
    let format = FORMATS.iter().find(|format| format.name == "pgn").unwrap();
    let mut parts = (format.open)(files, &Options::default()).unwrap();
    parts.swap_remove(0).database
}

impl Recorded {
    fn of(number: usize) -> Recorded {
        let text = games(number, |_| String::new());
        Recorded {
            inner: open("x.pgn", Arc::new(text)),
            read: Mutex::default(),
        }
    }

    fn note(&self, game: u32) {
        self.read.lock().unwrap().push(game);
    }

    /// How often a game was read that comes before the previously read game.
    fn steps_back(&self) -> usize {
        let read = self.read.lock().unwrap();
        assert!(read.len() > 400);
        read.windows(2).filter(|pair| pair[1] < pair[0]).count()
    }
}

impl Database for Recorded {
    fn len(&self) -> u32 {
        self.inner.len()
    }

    fn keys(&self, game: u32) -> Keys {
        self.inner.keys(game)
    }

    fn text(&self, id: TextId) -> String {
        self.inner.text(id)
    }

    fn tags(&self, game: u32) -> Tags {
        self.note(game);
        self.inner.tags(game)
    }

    fn game(&self, game: u32) -> Decoded {
        self.note(game);
        self.inner.game(game)
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        self.note(game);
        self.inner.main_line(game, each);
    }

    fn info(&self) -> Info {
        self.inner.info()
    }
}

#[test]
fn duplicates_are_looked_up_in_order() {
    let database = Recorded::of(400);
    let found = Duplicates::find(&[&database], 1);
    assert_eq!(found.len(), 400);
    // One pass for the hashes and one for what is compared.
    assert_eq!(database.steps_back(), 1);
}

#[test]
fn an_index_is_built_in_order() {
    let database = Arc::new(Recorded::of(400));
    build(database.clone());
    assert_eq!(database.steps_back(), 0);
}

#[test]
fn tables_of_popular_positions_are_made_in_order() {
    let database = Arc::new(Recorded::of(30_000));
    let index = build(database.clone());
    let made = database.steps_back();
    let root = index.root().unwrap().unwrap();
    let popular = index.children(&root).unwrap().0;
    assert!(popular.iter().filter(|(_, child)| child.games() >= 2048).count() >= 5);
    // One pass for the lines, one for the positions, and one for what their tables ask.
    assert!(made <= 3, "{made}");
}

/// A compressed file that counts how often its bytes are asked for, which is the same for each block.
#[derive(Debug)]
struct Counted {
    bytes: Vec<u8>,
    times: AtomicUsize,
}

impl Deref for Counted {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.times.fetch_add(1, Ordering::Relaxed);
        &self.bytes
    }
}

impl Bytes for Counted {}

#[test]
fn a_pass_unpacks_each_block_once() {
    // More than is kept of what was unpacked.
    let (number, len) = (2_000, 48 << 10);
    let mut seed = 1u64;
    let words: String = (0..MIB / 8)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("{:07x} ", seed >> 36)
        })
        .collect();
    let comment = |n: usize| {
        let from = n * 100_000 % (words.len() - len);
        format!("{{{}}} ", &words[from..from + len])
    };
    let file = Arc::new(Counted {
        bytes: seekable(&games(number, comment), MIB as u32),
        times: AtomicUsize::new(0),
    });
    let database: Arc<dyn Database> = open("x.pgn.zst", file.clone()).into();
    assert_eq!(database.len(), number as u32);
    let times = |pass: &dyn Fn()| {
        let before = file.times.load(Ordering::Relaxed);
        pass();
        file.times.load(Ordering::Relaxed) - before
    };
    let read = |game: u32| drop(database.game(game));
    let once = times(&|| (0..number as u32).for_each(read));
    let in_leaps = times(&|| (0..200).for_each(|n| read(n * 1_009 % number as u32)));
    assert!(once > 100 && in_leaps > once, "{once}, {in_leaps}");
    let duplicates = times(&|| drop(Duplicates::find(&[&*database], 1)));
    let index = times(&|| drop(build(Arc::clone(&database))));
    // One pass for the hashes and one for what is compared; one for the lines and one for the positions.
    let most = once * 2 + once / 2;
    assert!(
        duplicates <= most && index <= most,
        "{once}, {duplicates}, {index}"
    );
}

fn build(database: Arc<dyn Database>) -> Index {
    let options = BuildOptions {
        threads: 1,
        memory: 256 << 20,
        ..BuildOptions::default()
    };
    Index::in_memory(&database, options, &|_| ()).unwrap()
}
