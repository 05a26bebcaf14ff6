//! The repository's own games, written by every writer of `examples/make_database` and read by the decoders.
//!
//! They are compared with the original PGN as read by pgn-reader.

use std::collections::BTreeSet;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::Database;
use chessdb::game::ROSTER;
use shakmaty::{Chess, Color, Position};

use super::source::{Item, SourceGame};
use super::*;

/// Writes games to files whose path is given without extension.
type Write = fn(&[SourceGame], &Path) -> Result<(), Box<dyn Error>>;

/// What a format can store.
struct Held {
    write: Write,
    tags: &'static [&'static str],
    /// Converts a tag's value to the stored one; `None` if it cannot be stored.
    value: fn(&Read, &str, &str) -> Option<String>,
    nags: fn(u8) -> bool,
    set_ups: bool,
    variations: bool,
    /// True if a variation may have comments before its first move.
    openings: bool,
}

const ALL_TAGS: &[&str] = &[
    "White", "Black", "Event", "Site", "Date", "Round", "Result", "ECO", "WhiteElo", "BlackElo", "FEN",
    "SetUp",
];

/// SimpleCDb: texts of 36 bytes, integer rounds, and no date of the event.
const SIMPLECDB: Held = Held {
    write: encode_simplecdb::write,
    tags: ALL_TAGS,
    value: |_, name, value| match name {
        "White" | "Black" | "Event" | "Site" => {
            Some(value[..value.floor_char_boundary(36)].trim_end().to_owned())
        }
        "Round" => value.parse::<u16>().ok().map(|_| value.to_owned()),
        _ => Some(value.to_owned()),
    },
    nags: |_| true,
    set_ups: true,
    variations: true,
    openings: true,
};

/// Chess Assistant: six glyphs, no A00, rounds in halves, and no clock in a set-up position.
const CHESS_ASSISTANT: Held = Held {
    write: encode_chess_assistant::write,
    value: |_, name, value| match name {
        "Round" => value
            .parse()
            .ok()
            .filter(|round: &f64| (2.0 * round).fract() == 0.0)
            .map(|_| value.to_owned()),
        "ECO" => (value != "A00").then(|| value.to_owned()),
        _ => Some(without_clock(name, value)),
    },
    nags: |nag| nag <= 6,
    ..SIMPLECDB
};

/// jose: everything, and the number of plies in addition.
const JOSE: Held = Held {
    write: encode_jose::write,
    tags: &[
        "White",
        "Black",
        "Event",
        "Site",
        "Date",
        "Round",
        "Result",
        "ECO",
        "WhiteElo",
        "BlackElo",
        "FEN",
        "SetUp",
        "EventDate",
        "PlyCount",
    ],
    value: |_, _, value| Some(value.to_owned()),
    ..SIMPLECDB
};

/// ChessBase: years from 1773 to 2026, an opening code or a set-up position, ratings in steps of five.
const CHESSBASE: Held = Held {
    write: encode_chessbase::write,
    tags: &[
        "White", "Black", "Event", "Date", "Round", "Result", "ECO", "WhiteElo", "BlackElo", "FEN", "SetUp",
    ],
    value: |game, name, value| match name {
        "Date" => {
            let year = value[..4]
                .parse()
                .ok()
                .filter(|year| (1773..=2026).contains(year));
            year.map(|year: u16| format!("{year}.??.??"))
        }
        "ECO" => (!game.tags.contains_key("FEN")).then(|| value.to_owned()),
        "WhiteElo" | "BlackElo" => value.ends_with(['0', '5']).then(|| value.to_owned()),
        _ => Some(without_clock(name, value)),
    },
    nags: |nag| !matches!(nag, 11 | 12),
    openings: false,
    ..SIMPLECDB
};

/// ChessBase since version 17: rounds are numbers, and no clock in a set-up position.
const CHESSBASE_2CBH: Held = Held {
    write: encode_chessbase_2cbh::write,
    tags: JOSE.tags,
    value: |_, name, value| match name {
        "Round" => {
            let is_number = |part: &str| part.parse::<i16>().is_ok_and(|part| part > 0);
            value.split('.').all(is_number).then(|| value.to_owned())
        }
        _ => Some(without_clock(name, value)),
    },
    ..SIMPLECDB
};

/// Brenner: main lines with six glyphs.
const BRENNER: Held = Held {
    write: encode_brenner::write,
    tags: &["White", "Black", "Event", "Site", "Date", "Result"],
    value: |_, _, value| Some(value.to_owned()),
    nags: |nag| nag <= 6,
    set_ups: false,
    variations: false,
    openings: true,
};

const BRENNER_ALTERNATE: Held = Held {
    write: encode_brenner::write_alternate,
    ..BRENNER
};

fn without_clock(name: &str, value: &str) -> String {
    let mut fields: Vec<&str> = value.split(' ').collect();
    if name == "FEN" {
        fields[4] = "0";
    }
    fields.join(" ")
}

impl Held {
    /// Removes what the format cannot store.
    fn shorten(&self, game: &mut SourceGame) {
        let (mut depth, mut begins) = (0, false);
        game.items.retain(|item| {
            let is_first = std::mem::replace(&mut begins, *item == Item::VariationStart);
            depth += i32::from(*item == Item::VariationStart);
            let is_inside = depth > 0;
            depth -= i32::from(*item == Item::VariationEnd);
            match item {
                _ if is_inside && !self.variations => false,
                Item::Nag(nag) => (self.nags)(*nag),
                Item::Comment(_) => self.openings || !is_first,
                _ => true,
            }
        });
    }

    /// The game as it should be read back.
    fn expect(&self, game: &mut Read) {
        let (mut depth, mut begins) = (0, false);
        game.movetext.retain(|item| {
            let is_first = std::mem::replace(&mut begins, item == "(");
            depth += i32::from(item == "(");
            let is_inside = depth > 0;
            depth -= i32::from(item == ")");
            match item.strip_prefix('$') {
                _ if is_inside && !self.variations => false,
                Some(nag) => (self.nags)(nag.parse().unwrap()),
                None => self.openings || !is_first || !item.starts_with('{'),
            }
        });
        let value = |name: &str| match name {
            "PlyCount" => Some(game.main_line().len().to_string()),
            _ => (self.value)(game, name, game.tags.get(name)?),
        };
        let held = self.tags.iter().filter_map(|name| Some((*name, value(name)?)));
        let unknown = ROSTER.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let tags = unknown.chain(held);
        game.tags = tags.map(|(name, value)| (name.to_owned(), value)).collect();
    }
}

/// A file with games of the repository.
fn own(file: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games");
    std::fs::read(folder.join(file)).unwrap()
}

/// Writes both files of games as databases of a format, and compares everything that it can store.
fn check(held: &Held) {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for file in ["classics.pgn", "annotated.pgn"] {
        let text = own(file);
        let (mut expected, mut games) = (pgn::read(&text), source::read(&text).unwrap());
        if !held.set_ups {
            expected.retain(|game| !game.tags.contains_key("FEN"));
            games.retain(|game| game.tag("FEN").is_none());
        }
        games.iter_mut().for_each(|game| held.shorten(game));
        let lines: Vec<Vec<Chess>> = expected.iter().map(positions).collect();
        expected.iter_mut().for_each(|game| held.expect(game));
        let base = folder.path().join(Path::new(file).file_stem().unwrap());
        (held.write)(&games, &base).unwrap();
        let database = open_base(&base).unwrap();
        assert_eq!(database.problems(), []);
        let given = pgn::read(&export(&*database));
        assert_eq!(given.len(), expected.len(), "games of {file}");
        for (number, (given, expected)) in given.iter().zip(&expected).enumerate() {
            assert_same(given, expected, &format!("{file}, game {}", number + 1));
        }
        check_main_lines(&*database, &lines);
        compared += given.len();
    }
    assert_eq!(compared, if held.set_ups { 79 } else { 76 });
}

/// The positions after every move of a game's main line, computed by shakmaty.
fn positions(game: &Read) -> Vec<Chess> {
    let fen = game.tags.get("FEN");
    let mut position = fen.map_or_else(Chess::default, |fen| source::set_up(fen).unwrap());
    let moves = game.main_line().into_iter().map(|san| {
        let san: shakmaty::san::SanPlus = san.parse().unwrap();
        position = position
            .clone()
            .play(san.san.to_move(&position).unwrap())
            .unwrap();
        position.clone()
    });
    moves.collect()
}

/// Checks that the main lines lead to these positions.
fn check_main_lines(database: &dyn Database, games: &[Vec<Chess>]) {
    for (number, expected) in (0..).zip(games) {
        let mut positions = expected.iter();
        database.main_line(number, &mut |ply| {
            let (given, expected) = (ply.position.setup(), positions.next().expect("no more moves"));
            assert_eq!(
                &given.board,
                expected.board(),
                "game {number}, ply {}",
                ply.number
            );
            assert_eq!(given.turn, expected.turn());
            assert_eq!(ply.before().turn() == Color::White, expected.turn().is_black());
            ControlFlow::Continue(())
        });
        assert_eq!(positions.len(), 0, "game {number}: the line is too short");
        for plies in [1, expected.len() / 2, expected.len()]
            .into_iter()
            .filter(|&plies| plies > 0)
        {
            main_lines::check_break(database, number, plies);
        }
    }
}

#[test]
fn own_games_in_simplecdb() {
    check(&SIMPLECDB);
}

#[test]
fn own_games_in_chess_assistant() {
    check(&CHESS_ASSISTANT);
}

#[test]
fn own_games_in_jose() {
    check(&JOSE);
}

#[test]
fn own_games_in_chessbase() {
    check(&CHESSBASE);
}

#[test]
fn own_games_in_chessbase_2cbh() {
    check(&CHESSBASE_2CBH);
    check(&Held {
        write: encode_chessbase_2cbh::write_archive,
        ..CHESSBASE_2CBH
    });
}

#[test]
fn own_games_in_brenner() {
    check(&BRENNER);
    check(&BRENNER_ALTERNATE);
}

/// Every game is a line of the book or the beginning of one, and the book has no other lines.
#[test]
fn own_games_in_books() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("book");
    let text = [own("classics.pgn"), own("annotated.pgn")].concat();
    let (mut expected, mut games) = (pgn::read(&text), source::read(&text).unwrap());
    // In a book, every promotion is to a queen.
    let becomes_other = |item: &&str| item.contains('=') && !item.contains("=Q");
    let is_in_books =
        |game: &Read| !game.tags.contains_key("FEN") && !game.main_line().iter().any(becomes_other);
    let mut held = expected.iter().map(is_in_books).collect::<Vec<_>>().into_iter();
    games.retain(|_| held.next().unwrap());
    expected.retain(is_in_books);
    assert!(expected.len() > 60, "{} games", expected.len());
    let moves = |game: &Read| {
        game.main_line()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let main_lines: BTreeSet<Vec<String>> = expected.iter().map(moves).collect();
    for write in [encode_chessbase_book::write, encode_chessbase_book::write_flat] {
        write(&games, &base).unwrap();
        let book = open_base(&base).unwrap();
        assert_eq!(book.problems(), []);
        let lines = pgn::read(&export(&*book));
        let found: BTreeSet<Vec<String>> = lines.iter().map(moves).collect();
        assert!(found.is_subset(&main_lines));
        for line in &main_lines {
            let next = found.range(line.clone()..).next();
            assert!(next.is_some_and(|next| next.starts_with(line)), "{line:?}");
        }
        check_main_lines(&*book, &lines.iter().map(positions).collect::<Vec<_>>());
    }
}
