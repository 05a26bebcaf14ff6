//! Writes small SimpleCDb databases.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A game to write.
#[derive(Clone, Copy)]
pub struct Game {
    pub white: &'static str,
    pub black: &'static str,
    pub event: &'static str,
    /// Year, month, day.
    pub date: (u16, u8, u8),
    /// 0 open, 1 White wins, 2 Black wins, 3 draw.
    pub result: u8,
    /// Moves such as `e2e4`, separated by spaces.
    pub moves: &'static str,
}

pub const OPERA: Game = Game {
    white: "Morphy, Paul",
    black: "Duke of Brunswick",
    event: "Paris opera",
    date: (1858, 11, 2),
    result: 1,
    moves: "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5",
};

pub const IMMORTAL: Game = Game {
    white: "Anderssen, Adolf",
    black: "Kieseritzky, Lionel",
    event: "London",
    date: (1851, 6, 21),
    result: 1,
    moves: "e2e4 e7e5 f2f4 e5f4 f1c4 d8h4 e1f1 b7b5",
};

/// A game whose second move is illegal: a rook jumps over a pawn.
pub const ILLEGAL: Game = Game {
    moves: "e2e4 a8a5",
    ..OPERA
};

/// Writes the five files of a database whose path without extension is `base`.
pub fn write(base: &Path, games: &[Game]) {
    let (mut names, mut sites, mut events) = (Texts::new(b"n"), Texts::new(b"s"), Texts::new(b"e"));
    let mut index = b"SimpleCDbi\0\0\0\0\0\0\0\0\0".to_vec();
    let mut bodies = b"SimpleCDbg".to_vec();
    for game in games {
        index.push(0);
        index.extend((bodies.len() as u64).to_be_bytes());
        index.extend(names.reference(game.white).to_be_bytes());
        index.extend(names.reference(game.black).to_be_bytes());
        index.extend(1u16.to_be_bytes());
        index.extend(sites.reference("?").to_be_bytes());
        index.extend(events.reference(game.event).to_be_bytes());
        index.extend([0; 4]);
        index.push(game.result);
        index.extend([0; 3]);
        index.extend(game.date.0.to_be_bytes());
        index.extend([game.date.1, game.date.2]);
        let moves: Vec<u8> = game.moves.split(' ').flat_map(code).collect();
        let len = u16::try_from(moves.len() + 1).unwrap();
        bodies.push(0x82);
        bodies.extend(len.to_be_bytes());
        bodies.push(0);
        bodies.extend(moves);
    }
    for (extension, bytes) in [
        ("dci", index),
        ("dcg", bodies),
        ("dcn", names.bytes),
        ("dcs", sites.bytes),
        ("dce", events.bytes),
    ] {
        fs::write(base.with_extension(extension), bytes).unwrap();
    }
}

/// `e2e4` as 16 bits: from and to in six bits each.
fn code(text: &str) -> [u8; 2] {
    let digits: Vec<u16> = text.bytes().map(|c| u16::from((c - 1) % 8)).collect();
    let [file, rank, to_file, to_rank] = digits[..] else {
        panic!("not a move: {text}");
    };
    (((rank * 8 + file) << 6) | (to_rank * 8 + to_file)).to_be_bytes()
}

/// A file of texts with 36 bytes each.
struct Texts {
    bytes: Vec<u8>,
    known: HashMap<String, u32>,
}

impl Texts {
    fn new(kind: &[u8]) -> Texts {
        Texts {
            bytes: [b"SimpleCDb", kind].concat(),
            known: HashMap::new(),
        }
    }

    fn reference(&mut self, text: &str) -> u32 {
        let offset = u32::try_from(self.bytes.len()).unwrap();
        *self.known.entry(text.to_owned()).or_insert_with(|| {
            assert!(text.len() <= 36);
            self.bytes.extend(text.bytes());
            self.bytes.extend(vec![b' '; 36 - text.len()]);
            offset
        })
    }
}
