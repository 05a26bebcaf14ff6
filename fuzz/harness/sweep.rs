//! Reads all of a database and holds what that costs against bounds.
//!
//! | work | memory | time of a processor |
//! |---|---|---|
//! | opening | 64 bytes a byte, and 128 KiB | 1 µs a byte, and 5 ms |
//! | listing | the same | the same |
//! | one game, one document | 256 bytes a byte, and 128 KiB | 5 µs a byte, and 2 ms |
//! | all games together | the same, and 8 KiB a game | the same, and 100 µs a game |
//!
//! Memory is the most that is in use at a time; that of all games is the sum. A byte is one of the files, and for a
//! game one of its record. The database does not tell how long that is. But no record is longer than the files, which
//! bounds one game; and all records together are hardly longer than the files and the texts that they give, even
//! where games share them, which bounds all.
//!
//! What a packed archive unpacks to counts as bytes of files, for that is what is read: the format says how far it
//! may unpack.
//!
//! Games are read until their texts are sixteen times as long as the files.

use std::io::Read;
use std::ops::ControlFlow;
use std::time::Duration;

use chessdb::formats::{Candidate, Database, FORMATS, Format};
use chessdb::game::Game;
use chessdb::pgn::to_text;
use chessdb::replay::main_line;

use super::super::pgn;
use super::frame::Input;
use super::meter::{Cost, measure};

/// What work on some bytes may cost.
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

/// What each game of a sweep adds to the bound of all.
const EACH_MEMORY: usize = 8 << 10;
const EACH_TIME: Duration = Duration::from_micros(100);

/// Times the files that the texts of games are read.
const TIMES: usize = 16;

/// What is held against bounds, beside memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strictness {
    /// Times the bound that time may take; none where time is not looked at.
    pub slowness: Option<u32>,
    /// The games that are read; none for all.
    pub games: Option<Games>,
}

/// Some games of many.
#[derive(Clone, Copy, Debug)]
pub struct Games {
    /// Half of them stand together, the others are spread over the database.
    pub most: u32,
    /// Where they stand: 0 for the beginning, 1 for the end.
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

/// The most that something took of what its bounds allow: 1 is all of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    pub memory: f64,
    pub time: f64,
}

/// What a sweep found.
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
    /// Takes the larger of each.
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
/// Where a bound is broken, a decoder panics, or a text is not exactly its game.
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
/// As [`sweep`] does.
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
    let Ok(database) = opened else { return swept };
    swept.databases = 1;
    check.costs(LISTING, &mut swept.listing, || list(&*database));
    let games = match strictness.games {
        Some(games) => games.of(database.len()),
        None => (0..database.len()).collect(),
    };
    let games = games.into_iter().map(Piece::Game);
    let documents = (0..database.documents().len()).map(Piece::Document);
    let mut read = 0;
    let mut all = Cost::default();
    for piece in games.chain(documents) {
        let ((text, game), cost) = check.costs(GAME, &mut swept.game, || piece.read(&*database));
        assert_written(&text, &game);
        if let Piece::Game(number) = piece {
            assert_main_line(&*database, number, &game);
        }
        swept.games += 1;
        all.memory += cost.memory;
        all.time += cost.time;
        read += text.len();
        if read > TIMES * bytes {
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
    check.hold(bound, bytes + read, all, &mut swept.all_games);
    swept
}

/// What has a text.
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
            Piece::Document(document) => database.document(document),
        };
        (to_text(&game), game)
    }
}

/// The main line by itself is that of the whole game, whatever is damaged.
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

/// Everything that a directory shows before a game is decoded.
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
    // Past the end there is nothing, and nobody panics.
    database.keys(len);
    let mut buffer = [0; 4096];
    for (number, member) in database.members().iter().enumerate() {
        let mut offset = 0;
        while let Ok(read @ 1..) = database.read_member(number, offset, &mut buffer) {
            offset += read as u64;
        }
        assert_eq!(offset, member.size, "{}", member.name);
    }
    let info = database.info();
    let problems = database.problems().iter().map(ToString::to_string);
    let lines = info.warnings.into_iter().chain(problems);
    assert!(lines.map(|line| line.len()).sum::<usize>() < usize::MAX);
}

/// True for items of movetext that are the same, but that a long comment may be broken anywhere.
pub fn is_same(read: &str, written: &str) -> bool {
    let is_black = |c: &char| !c.is_whitespace();
    let without_blanks = |text: &str| text.chars().filter(is_black).collect::<String>();
    read == written || (read.len() >= 247 && without_blanks(read) == without_blanks(written))
}

/// An independent reader finds exactly the game in its text.
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
    /// Does work that the bytes of all files bound. It is done again where it took too long: something else may have
    /// held the machine up.
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

/// Length of a file, or of what is packed in it as far as it may be unpacked.
fn unpacked_len(bytes: &[u8]) -> usize {
    const MOST: u64 = 64 << 20;
    if bytes.starts_with(&[8, 0]) {
        return bytes
            .len()
            .max(usize::try_from(told_len(bytes).min(MOST)).unwrap());
    }
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes.len();
    }
    let mut unpacked = flate2::read::GzDecoder::new(bytes).take(MOST);
    let mut buffer = vec![0; 1 << 16];
    let mut len = 0;
    while let Ok(read @ 1..) = unpacked.read(&mut buffer) {
        len += read;
    }
    len.max(bytes.len())
}

/// What a `.cbv` archive says that its files unpack to.
fn told_len(bytes: &[u8]) -> u64 {
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
