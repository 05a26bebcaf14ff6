//! Passes over all games read them in the order in which a compressed file has them, however the games are sorted.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use chessdb::formats::{Database, Decoded, FORMATS, Files, Info, Keys, Options, SourceFile, TextId};
use chessdb::game::Tags;
use chessdb::replay::Ply;
use pgnfs::duplicates::Duplicates;
use pgnfs::positions::{BuildOptions, Index};

/// A database that records which games are read.
struct Recorded {
    inner: Box<dyn Database>,
    read: Mutex<Vec<u32>>,
}

impl Recorded {
    /// This number of games. Each line is played by several, far from each other, some of them from set-up positions.
    fn of(games: usize) -> Recorded {
        let moves = ["e4", "d4", "c4", "Nf3", "b3", "g3", "f4", "Nc3", "e3", "d3"];
        let game = |n: usize| {
            let (first, second) = (moves[n * 7 % 10], ["e5", "d5", "c5", "Nf6", "b6"][n * 3 % 5]);
            let rights = ["K", "Q", "k", "q", "Kk", "Qq", "KQ", "kq", "Kq", "Qk"][n * 7 / 4 % 10];
            let fen = match n.is_multiple_of(4) {
                true => format!("[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w {rights} - 0 1\"]\n"),
                false => String::new(),
            };
            let rest = "2. a3 a6 3. h3 h6 4. a4 a5 5. h4 h5 6. Ra3 Ra6 1-0";
            format!(
                "[Event \"E{n}\"]\n[Date \"1990.01.02\"]\n[White \"Player, A\"]\n[Black \"Other, B\"]\n{fen}\n1. {first} {second} {rest}\n\n"
            )
        };
        let text: String = (0..games).map(game).collect();
        let file = SourceFile {
            name: "x.pgn".to_owned(),
            bytes: Arc::new(text.into_bytes()),
        };
        let files = Files {
            files: vec![("pgn".to_owned(), file)],
            ..Files::default()
        };
        let format = FORMATS.iter().find(|format| format.name == "pgn").unwrap();
        Recorded {
            inner: (format.open)(files, &Options::default()).unwrap(),
            read: Mutex::default(),
        }
    }

    fn note(&self, game: u32) {
        self.read.lock().unwrap().push(game);
    }

    /// How often a game was read that precedes the one read before.
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
    build(&database);
    assert_eq!(database.steps_back(), 0);
}

#[test]
fn tables_of_popular_positions_are_made_in_order() {
    let database = Arc::new(Recorded::of(30_000));
    let index = build(&database);
    let made = database.steps_back();
    let root = index.root().unwrap().unwrap();
    let popular = index.children(&root).unwrap().0;
    assert!(popular.iter().filter(|child| child.node.games() >= 2048).count() >= 5);
    // One pass for the lines, one for the positions, and one for what their tables ask.
    assert!(made <= 3, "{made}");
}

fn build(database: &Arc<Recorded>) -> Index {
    let shared: Arc<dyn Database> = Arc::clone(database) as Arc<dyn Database>;
    let options = BuildOptions {
        threads: 1,
        memory: 256 << 20,
        ..BuildOptions::default()
    };
    Index::in_memory(&shared, options, &|_| ()).unwrap()
}
