//! Reads a whole database and compares the cost with bounds.
//!
//! | work | memory | time of a processor |
//! |---|---|---|
//! | opening | 64 bytes a byte, and 128 KiB | 1 µs a byte, and 5 ms |
//! | listing | the same | the same |
//! | one game, one document | 256 bytes a byte, and 128 KiB | 5 µs a byte, and 2 ms |
//! | all games together | the same, and 8 KiB a game | the same, and 100 µs a game |
//!
//! Memory is the maximum in use at a time; for all games it is the sum of these maxima. A byte is one of the
//! files', or for a game one of its record. The database does not report the length of a record. But no
//! record is longer than the files, which gives the bound for one game. All records together are hardly
//! longer than the files and the texts of the games, even if games share them, which gives the bound for all
//! games.
//!
//! For a packed archive the unpacked bytes count, because these are read; the format limits how many there
//! may be.
//!
//! Games are read until their texts are sixteen times as long as the files.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use chessdb::Database;
use chessdb::files::{Bytes, Candidate};
use chessdb::formats::{FORMATS, Format};
use chessdb::game::Game;
use chessdb::packed::{Allowance, Packed, is_packed, is_zip, zip_entries};
use chessdb::replay::main_line;
use chessdb_library::library::to_pgn;

use super::frame::Input;
use super::meter::{Cost, measure};
use crate::pgn;

/// A bound for the cost of some work.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    name: &'static str,
    memory_a_byte: usize,
    memory: usize,
    nanoseconds_a_byte: u64,
    time: Duration,
}

pub const OPENING: Bound = Bound {
    name: "opening",
    memory_a_byte: 64,
    memory: 1 << 17,
    nanoseconds_a_byte: 1_000,
    time: Duration::from_millis(5),
};

pub const LISTING: Bound = Bound {
    name: "listing",
    ..OPENING
};

pub const GAME: Bound = Bound {
    name: "a game",
    memory_a_byte: 256,
    memory: 1 << 17,
    nanoseconds_a_byte: 5_000,
    time: Duration::from_millis(2),
};

/// What each game of a sweep adds to the bound for all games.
const EACH_MEMORY: usize = 8 << 10;
const EACH_TIME: Duration = Duration::from_micros(100);

/// Reading stops when the texts of the games are this many times as long as the files.
const TIMES: usize = 16;

/// What is compared with bounds in addition to memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strictness {
    /// How many times its bound something may take; `None` if time is not checked.
    pub slowness: Option<u32>,
    /// The games that are read; `None` for all.
    pub games: Option<Games>,
}

/// A sample of the games.
#[derive(Clone, Copy, Debug)]
pub struct Games {
    /// Number of games. Half of them are adjacent, the others are spread over the database.
    pub most: u32,
    /// Position of the adjacent games: 0 for the beginning, 1 for the end.
    pub near: f64,
}

impl Games {
    fn of(self, len: u32) -> Vec<u32> {
        if len <= self.most {
            return (0..len).collect();
        }
        let half = self.most / 2;
        let first = (f64::from(len - half) * self.near) as u32;
        let spread = (0..half).map(|n| (u64::from(n) * u64::from(len - 1) / u64::from(half)) as u32);
        let mut games: Vec<u32> = spread.chain(first..first + half).chain([len - 1]).collect();
        games.sort_unstable();
        games.dedup();
        games
    }
}

/// The greatest ratio between cost and bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    pub memory: f64,
    pub time: f64,
}

/// Results of a sweep.
#[derive(Clone, Copy, Debug, Default)]
pub struct Swept {
    pub databases: u32,
    pub games: u64,
    pub opening: Share,
    pub listing: Share,
    pub game: Share,
    pub all_games: Share,
}

impl Swept {
    /// Adds counts, and keeps the greater of each ratio.
    pub fn add(&mut self, other: Swept) {
        self.databases += other.databases;
        self.games += other.games;
        for (share, other) in [
            (&mut self.opening, other.opening),
            (&mut self.listing, other.listing),
            (&mut self.game, other.game),
            (&mut self.all_games, other.all_games),
        ] {
            share.memory = share.memory.max(other.memory);
            share.time = share.time.max(other.time);
        }
    }
}

/// Opens and reads every database of a format among the files.
///
/// # Panics
/// If a bound is exceeded, a decoder panics, or a text differs from its game.
pub fn sweep(format: &str, input: &Input, strictness: Strictness) -> Swept {
    let format = FORMATS.iter().find(|known| known.name == format);
    let format = format.expect("a format of that name");
    let mut swept = Swept::default();
    for candidate in (format.find)(&input.directory()) {
        swept.add(sweep_candidate(format, &candidate, input, strictness));
    }
    swept
}

/// Opens and reads one database.
///
/// # Panics
/// As [`sweep`].
pub fn sweep_candidate(
    format: &Format,
    candidate: &Candidate,
    input: &Input,
    strictness: Strictness,
) -> Swept {
    let mut swept = Swept::default();
    let bytes = input
        .open(candidate)
        .files
        .iter()
        .map(|(_, file)| unpacked_len(&file.bytes))
        .sum();
    let check = Check { bytes, strictness };
    let (opened, _) = check.costs(OPENING, &mut swept.opening, || {
        (format.open)(input.open(candidate), &input.options)
    });
    for part in opened.into_iter().flatten() {
        swept.add(check.sweep(&*part.database));
    }
    swept
}

/// A part of the database with a text.
enum Piece {
    Game(u32),
    Document(usize),
}

impl Piece {
    fn read(&self, database: &dyn Database) -> (Vec<u8>, Game) {
        let game = match *self {
            Piece::Game(game) => {
                let decoded = database.game(game).game;
                assert_eq!(decoded.tags, database.tags(game), "tags of game {game}");
                decoded
            }
            Piece::Document(document) => database.as_files().document(document),
        };
        (to_pgn(&game), game)
    }
}

/// Checks that reading only the main line gives the same moves as reading the whole game, whatever is damaged.
fn assert_main_line(database: &dyn Database, number: u32, game: &Game) {
    let (mut alone, mut whole) = (Vec::new(), Vec::new());
    database.main_line(number, &mut |ply| {
        alone.push(ply.mv);
        ControlFlow::Continue(())
    });
    main_line(game, &mut |ply| {
        whole.push(ply.mv);
        ControlFlow::Continue(())
    });
    assert_eq!(alone, whole, "main line of game {number}");
}

/// Reads everything that directories show before a game is decoded.
fn list(database: &dyn Database) {
    let len = database.len();
    for folder in database.folders() {
        assert!(folder.games.iter().all(|&game| game < len), "a game of a folder");
    }
    for game in 0..len {
        let keys = database.keys(game);
        for id in [keys.white, keys.black, keys.event] {
            assert!(!database.text(id).is_empty(), "an unknown text is ?");
        }
    }
    // Numbers beyond the end must not panic.
    database.keys(len);
    let mut buffer = [0; 4096];
    for (number, member) in database.as_files().members().iter().enumerate() {
        let mut offset = 0;
        while let Ok(read @ 1..) = database.as_files().read_member(number, offset, &mut buffer) {
            offset += read as u64;
        }
        assert_eq!(offset, member.size, "{}", member.name);
    }
    let info = database.info();
    let problems = database.problems().iter().map(ToString::to_string);
    let lines = info.warnings.into_iter().chain(problems);
    assert!(lines.map(|line| line.len()).sum::<usize>() < usize::MAX);
}

/// True for the same items of movetext. Long comments may be broken anywhere.
pub fn is_same(read: &str, written: &str) -> bool {
    let is_black = |c: &char| !c.is_whitespace();
    let without_blanks = |text: &str| text.chars().filter(is_black).collect::<String>();
    read == written || (read.len() >= 247 && without_blanks(read) == without_blanks(written))
}

/// Checks that an independent reader finds exactly the game in its text.
pub fn assert_written(text: &[u8], game: &Game) {
    let read = pgn::read(text);
    assert_eq!(read.len(), 1, "games in the text of one");
    let written = pgn::of_game(game);
    assert_eq!(read[0].tags, written.tags);
    assert_eq!(read[0].outcome, written.outcome);
    let mut pairs = read[0].movetext.iter().zip(&written.movetext);
    let differing = pairs.find(|(read, written)| !is_same(read, written));
    assert_eq!(differing, None, "what is read differs from what was written");
    assert_eq!(read[0].movetext.len(), written.movetext.len());
}

struct Check {
    bytes: usize,
    strictness: Strictness,
}

impl Check {
    /// Reads a database.
    fn sweep(&self, database: &dyn Database) -> Swept {
        let mut swept = Swept {
            databases: 1,
            ..Swept::default()
        };
        self.costs(LISTING, &mut swept.listing, || list(database));
        let games = match self.strictness.games {
            Some(games) => games.of(database.len()),
            None => (0..database.len()).collect(),
        };
        let games = games.into_iter().map(Piece::Game);
        let documents = (0..database.as_files().documents().len()).map(Piece::Document);
        let mut read = 0;
        let mut all = Cost::default();
        for piece in games.chain(documents) {
            let ((text, game), cost) = self.costs(GAME, &mut swept.game, || piece.read(database));
            assert_written(&text, &game);
            if let Piece::Game(number) = piece {
                assert_main_line(database, number, &game);
            }
            swept.games += 1;
            all.memory += cost.memory;
            all.time += cost.time;
            read += text.len();
            if read > TIMES * self.bytes {
                break;
            }
        }
        let count = u32::try_from(swept.games).unwrap_or(u32::MAX);
        let bound = Bound {
            name: "all games",
            memory: GAME.memory + EACH_MEMORY * count as usize,
            time: GAME.time + EACH_TIME * count,
            ..GAME
        };
        self.hold(bound, self.bytes + read, all, &mut swept.all_games);
        swept
    }

    /// Does work bounded by the bytes of all files. If it took too long, it is repeated, because other work
    /// may have delayed it.
    fn costs<T>(&self, bound: Bound, share: &mut Share, work: impl Fn() -> T) -> (T, Cost) {
        let (mut done, mut cost) = measure(&work);
        for _ in 0..3 {
            if self.time_share(bound, self.bytes, cost) <= 1.0 {
                break;
            }
            let again;
            (done, again) = measure(&work);
            cost.time = cost.time.min(again.time);
        }
        self.hold(bound, self.bytes, cost, share);
        (done, cost)
    }

    fn time_share(&self, bound: Bound, bytes: usize, cost: Cost) -> f64 {
        let Some(slowness) = self.strictness.slowness else {
            return 0.0;
        };
        let time = Duration::from_nanos(bound.nanoseconds_a_byte * bytes as u64) + bound.time;
        cost.time.as_secs_f64() / (time * slowness).as_secs_f64()
    }

    fn hold(&self, bound: Bound, bytes: usize, cost: Cost, share: &mut Share) {
        let Cost { memory, time } = cost;
        let allowed = bound.memory_a_byte * bytes + bound.memory;
        let slow = self.time_share(bound, bytes, cost);
        share.memory = share.memory.max(memory as f64 / allowed as f64);
        share.time = share.time.max(slow);
        let name = bound.name;
        assert!(
            memory <= allowed,
            "{name} takes {memory} bytes of memory for {bytes} bytes: {allowed} are allowed"
        );
        assert!(
            slow <= 1.0,
            "{name} takes {time:?} for {bytes} bytes: {slow} times what is allowed"
        );
    }
}

/// Length of a file, or of its unpacked contents up to the limit of unpacking.
fn unpacked_len(bytes: &[u8]) -> usize {
    const MOST: u64 = 64 << 20;
    // Memory that any decoder of compressed PGN needs in addition to the unpacked bytes, even if it can unpack
    // nothing.
    const DECODER: usize = (6 << 20) / OPENING.memory_a_byte;
    let file: Arc<dyn Bytes> = Arc::new(bytes.to_vec());
    let found = zip_entries(&file);
    // The directory of a zip archive is read even if its first member is damaged.
    if is_packed(&file) || found.has_directory {
        let allowance = Allowance::of(bytes.len() as u64);
        let members = found
            .members
            .iter()
            .map(|member| Packed::open_member(Arc::clone(&file), member, None, &allowance));
        let first = (!is_zip(&file)).then(|| Packed::open(Arc::clone(&file), None));
        let opened = members.chain(first).flatten();
        let unpacked: u64 = opened.map(|packed| packed.len()).sum();
        // An archive that unpacks to too much is not opened, but unpacked up to the limit.
        let whole = flate2::read::MultiGzDecoder::new(bytes).take(MOST);
        return bytes.len() + len_of(whole).max(usize::try_from(unpacked).unwrap()) + DECODER;
    }
    if bytes.starts_with(&[8, 0]) {
        return bytes
            .len()
            .max(usize::try_from(stated_len(bytes).min(MOST)).unwrap());
    }
    bytes.len()
}

/// Number of bytes before the first error.
fn len_of(mut reader: impl Read) -> usize {
    let mut buffer = vec![0; 1 << 16];
    let mut len = 0;
    while let Ok(read @ 1..) = reader.read(&mut buffer) {
        len += read;
    }
    len
}

/// The unpacked length that a `.cbv` archive states for its files.
fn stated_len(bytes: &[u8]) -> u64 {
    let [_, _, low, high, len, ..] = *bytes else {
        return 0;
    };
    let entries = bytes[5..]
        .get(3..)
        .unwrap_or_default()
        .chunks_exact(usize::from(len).max(1));
    let count = usize::from(u16::from_le_bytes([low, high]));
    let len = |entry: &[u8]| {
        let bytes = entry.get(136..)?.first_chunk()?;
        Some(u64::from(u32::from_le_bytes(*bytes)))
    };
    entries.take(count).filter_map(len).sum()
}
