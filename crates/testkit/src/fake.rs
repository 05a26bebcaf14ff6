//! A database in memory.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use chessdb::board::{Fen, Position, Undo};
use chessdb::formats::Format;
use chessdb::game::{Date, Eco, Game, Outcome, Tags};
use chessdb::replay::{Limits, MainLine, Origin, Ply, Replay};
use chessdb::{AsFiles, Database, Decoded, Folder, Info, Keys, Member, NotADatabase, Problem, TextId};
use chessdb_library::library::{GuardedDatabase, LibraryEntry};
use chessdb_library::mapped::Identity;
use chessdb_library::task::Cancel;

/// The format of databases in memory. It finds no files.
pub static FAKE: Format = Format::new(
    "fake",
    "Fake",
    |_| Vec::new(),
    |_, _| Err(NotADatabase::new("it is made up")),
);

/// Time of the files of every database: 2001-09-09 01:46:40.5 UTC.
pub const MODIFIED: i128 = 1_000_000_000_500_000_000;

/// A game of a database in memory.
#[derive(Clone, Debug)]
pub struct FakeGame {
    pub white: String,
    pub black: String,
    pub event: String,
    pub event_year: u16,
    pub date: Date,
    pub eco: Option<Eco>,
    pub outcome: Outcome,
    pub deleted: bool,
    /// The only comment of the movetext.
    pub comment: String,
    /// The moves in SAN, from the usual start or from [`FakeGame::fen`].
    pub line: &'static str,
    pub fen: Option<&'static str>,
    pub problems: Vec<String>,
    pub panics: bool,
    /// Further tags, besides the tags that follow from the other fields.
    pub tags: Vec<(&'static str, String)>,
    /// True if reading its tags panics as well.
    pub tags_panic: bool,
}

/// A database as an entry with this path, as if it were read from one file with this inode.
pub fn entry(database: Arc<dyn Database>, path: &str, inode: u64) -> LibraryEntry {
    LibraryEntry {
        path: path.to_owned(),
        format: &FAKE,
        files: vec![(
            "games.fake".to_owned(),
            Identity {
                device: 1,
                inode,
                size: 12_345,
                modified: MODIFIED,
            },
        )],
        database: GuardedDatabase::new(database),
        maps: Vec::new(),
        copies: None,
        part: None,
        found: None,
        is_local: true,
    }
}

/// A game with only the players; everything else is unknown.
pub fn game(white: &str, black: &str) -> FakeGame {
    FakeGame {
        white: white.to_owned(),
        black: black.to_owned(),
        event: "?".to_owned(),
        event_year: 0,
        date: Date::default(),
        eco: None,
        outcome: Outcome::Unknown,
        deleted: false,
        comment: String::new(),
        line: "",
        fen: None,
        problems: Vec::new(),
        panics: false,
        tags: Vec::new(),
        tags_panic: false,
    }
}

impl FakeGame {
    pub fn event(mut self, event: &str) -> Self {
        self.event = event.to_owned();
        self
    }

    pub fn date(mut self, year: u16, month: u8, day: u8) -> Self {
        self.date = Date::new(year, month, day);
        self
    }

    pub fn eco(mut self, code: &[u8; 3]) -> Self {
        self.eco = Eco::new(*code);
        self
    }

    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    pub fn comment(mut self, comment: impl Into<String>) -> Self {
        self.comment = comment.into();
        self
    }

    pub fn line(mut self, line: &'static str) -> Self {
        self.line = line;
        self
    }

    pub fn fen(mut self, fen: &'static str) -> Self {
        self.fen = Some(fen);
        self
    }

    pub fn problem(mut self, what: &str) -> Self {
        self.problems.push(what.to_owned());
        self
    }

    pub fn tag(mut self, name: &'static str, value: &str) -> Self {
        self.tags.push((name, value.to_owned()));
        self
    }

    pub fn deleted(mut self) -> Self {
        self.deleted = true;
        self
    }

    pub fn panics(mut self) -> Self {
        self.panics = true;
        self
    }
}

/// A database in memory.
#[derive(Clone, Default)]
pub struct Fake {
    pub games: Vec<FakeGame>,
    pub members: Vec<(String, Vec<u8>)>,
    pub folders: Vec<Folder>,
    pub problems: Vec<Problem>,
    pub warnings: Vec<String>,
    /// Names of documents; each is a game with its name as a comment.
    pub documents: Vec<&'static str>,
    /// If true, every decoding of a game returns a longer text, as if its files were being changed.
    pub grows: bool,
    /// If set, the games are counted when their number is first asked for, and this becomes true.
    pub counted: Option<Arc<AtomicBool>>,
    /// How often its games were counted, which opening one of them requires.
    pub lens: Arc<AtomicUsize>,
    /// How often the keys of a game were read.
    pub keys_read: Arc<AtomicUsize>,
    /// Number of decoded games.
    pub decoded: Arc<AtomicUsize>,
    /// Number of moves of main lines that were replayed.
    pub replayed: Arc<AtomicUsize>,
    /// If set, work is cancelled while games are read.
    pub cancel: Option<Arc<CancelAfter>>,
    /// The same, for games whose keys alone are read.
    pub cancel_keys: Option<Arc<CancelAfter>>,
}

/// Cancels work when some games have been read.
pub struct CancelAfter {
    calls: AtomicUsize,
    most: AtomicUsize,
    cancel: Cancel,
}

impl CancelAfter {
    pub fn new(most: usize, cancel: Cancel) -> CancelAfter {
        CancelAfter {
            calls: AtomicUsize::new(0),
            most: AtomicUsize::new(most),
            cancel,
        }
    }

    /// Cancels only after this number of games has been read from now on.
    pub fn restart(&self, most: usize) {
        self.calls.store(0, Ordering::Relaxed);
        self.most.store(most, Ordering::Relaxed);
    }

    /// Number of times that the tags or the moves of a game were read.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    fn count(&self) {
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.most.load(Ordering::Relaxed) {
            self.cancel.cancel();
        }
    }
}

impl Fake {
    pub fn of(games: impl IntoIterator<Item = FakeGame>) -> Fake {
        Fake {
            games: games.into_iter().collect(),
            ..Fake::default()
        }
    }

    /// `games` games with different lengths.
    pub fn many(games: usize) -> Fake {
        Fake::of((0..games).map(|n| {
            game(&format!("White{}, A", n % 7), &format!("Black{}, B", n % 11))
                .event(&format!("Event {}", n % 5))
                .date(1900 + (n % 100) as u16, 1, 1)
                .comment("x ".repeat(n % 200) + &n.to_string())
        }))
    }

    /// The database as an entry with this path.
    pub fn at(self, path: &str) -> LibraryEntry {
        let inode = self.games.len() as u64;
        entry(Arc::new(self), path, inode)
    }

    fn game_at(&self, game: u32) -> &FakeGame {
        &self.games[game as usize]
    }

    /// Counts the decoding of a game, and returns its start position and the number of games decoded before.
    fn decode(&self, game: u32) -> (Position, usize) {
        let before = self.decoded.fetch_add(1, Ordering::Relaxed);
        self.cancel.iter().for_each(|cancel| cancel.count());
        let fake = self.game_at(game);
        assert!(!fake.panics, "a bug in the decoder");
        let start = fake.fen.map(|fen| Fen::parse(fen).unwrap().position);
        (start.unwrap_or_default(), before)
    }
}

/// A problem of a game.
pub fn problem(what: &str) -> Problem {
    Problem::damage("games.fake", 255, what)
}

impl Database for Fake {
    fn len(&self) -> u32 {
        self.lens.fetch_add(1, Ordering::Relaxed);
        if let Some(counted) = &self.counted {
            counted.store(true, Ordering::Relaxed);
        }
        self.games.len() as u32
    }

    fn keys(&self, game: u32) -> Keys {
        self.keys_read.fetch_add(1, Ordering::Relaxed);
        self.cancel_keys.iter().for_each(|cancel| cancel.count());
        let fake = self.game_at(game);
        // Every text of every game has its own id, even if texts are the same.
        Keys {
            white: TextId(3 * game),
            black: TextId(3 * game + 1),
            event: TextId(3 * game + 2),
            date: fake.date,
            event_year: fake.event_year,
            eco: fake.eco,
            outcome: fake.outcome,
            deleted: fake.deleted,
        }
    }

    fn text(&self, id: TextId) -> String {
        let game = self.game_at(id.0 / 3);
        let text = [&game.white, &game.black, &game.event][id.0 as usize % 3];
        text.clone()
    }

    fn tags(&self, game: u32) -> Tags {
        let fake = self.game_at(game);
        assert!(!fake.tags_panic, "a bug in the decoder");
        self.cancel.iter().for_each(|cancel| cancel.count());
        let mut tags = Tags::new(fake.outcome);
        tags.set_str("White", &fake.white);
        tags.set_str("Black", &fake.black);
        tags.set_str("Event", &fake.event);
        tags.set_date("Date", fake.date);
        if fake.deleted {
            tags.set_str("Deleted", "1");
        }
        if let Some(fen) = fake.fen {
            tags.set_str("FEN", fen);
        }
        for (name, value) in &fake.tags {
            tags.set_str(*name, value);
        }
        tags
    }

    fn game(&self, game: u32) -> Decoded {
        let (mut position, before) = self.decode(game);
        let fake = self.game_at(game);
        let mut movetext = Replay::builder(position, 1);
        movetext.comment(&fake.comment);
        if self.grows {
            movetext.comment(&"x".repeat(before));
        }
        for san in fake.line.split_whitespace() {
            let mv = position.read_move(san).unwrap();
            position.advance(mv, &mut Undo::default()).unwrap();
            movetext.play(mv).unwrap();
        }
        Decoded {
            game: Game {
                tags: self.tags(game),
                movetext: movetext.finish().0,
            },
            problems: fake.problems.iter().map(|what| problem(what)).collect(),
        }
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        let (start, _) = self.decode(game);
        let mut counted = |ply: &Ply<'_>| {
            self.replayed.fetch_add(1, Ordering::Relaxed);
            each(ply)
        };
        let sink = MainLine(&mut counted);
        let mut replay = Replay::new(sink, start, (), Limits::NONE, Origin::default());
        for san in self.game_at(game).line.split_whitespace() {
            if replay.is_done() {
                break;
            }
            let mv = replay.position().read_move(san).unwrap();
            replay.play(mv).unwrap();
        }
    }

    fn info(&self) -> Info {
        Info {
            rows: vec![("reading", "made up".to_owned())],
            warnings: self.warnings.clone(),
        }
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn folders(&self) -> Vec<Folder> {
        self.folders.clone()
    }

    fn as_files(&self) -> &dyn AsFiles {
        self
    }
}

impl AsFiles for Fake {
    fn record_len(&self, game: u32) -> Option<u64> {
        Some(self.game_at(game).comment.len() as u64)
    }

    fn uncounted(&self) -> Option<u32> {
        let counted = self.counted.as_ref()?;
        let most = self.games.len() as u32 + 1;
        (!counted.load(Ordering::Relaxed)).then_some(most)
    }

    fn member_directory(&self) -> Option<&'static str> {
        self.counted.as_ref().map(|_| "emb")
    }

    fn documents(&self) -> &[&'static str] {
        &self.documents
    }

    fn document(&self, document: usize) -> Game {
        let mut movetext = Replay::builder(Position::initial(), 1);
        movetext.comment(self.documents[document]);
        Game {
            tags: Tags::default(),
            movetext: movetext.finish().0,
        }
    }

    fn members(&self) -> Vec<Member> {
        let member = |(name, bytes): &(String, Vec<u8>)| Member {
            directory: "emb",
            name: name.clone(),
            size: bytes.len() as u64,
        };
        self.members.iter().map(member).collect()
    }

    fn read_member(&self, member: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let (_, bytes) = self.members.get(member).ok_or(io::ErrorKind::NotFound)?;
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        // Short reads must not matter.
        let len = rest.len().min(buffer.len()).min(3);
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}
