//! Polyglot's books against a count of the positions that shakmaty reaches.

use std::sync::Arc;

use chessdb::Database;
use chessdb::board::Color;
use chessdb::game::{Game, Outcome};
use chessdb_library::polyglot::{BookMoves, BookOptions, BookWritten};
use shakmaty::san::SanPlus;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, Position, Role, Square};
use testkit::needs;
use testkit::pgn::of_game;

use super::groups::asking::games;
use super::positions::counted::databases;

/// A book of these games of a database.
fn book(
    database: &dyn Database,
    games: &[u32],
    options: BookOptions,
    threads: usize,
) -> (Vec<u8>, BookWritten) {
    let mut moves = BookMoves::new(options).unwrap();
    let some = |places: std::ops::Range<u32>| places.map(|place| games[place as usize]);
    moves
        .add(database, games.len() as u32, some, threads, &|_| ())
        .unwrap();
    let mut out = Vec::new();
    let written = moves.write(&mut out, threads).unwrap();
    assert_eq!(written.entries * 16, out.len() as u64);
    (out, written)
}

fn book_of_all(database: &dyn Database, options: BookOptions) -> (Vec<u8>, BookWritten) {
    let all: Vec<u32> = (0..database.len()).collect();
    book(database, &all, options, 2)
}

/// The normal start position.
const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// All entries as the book should have them.
fn expected(games: &[Game], options: BookOptions) -> Vec<u8> {
    // Key, move, games, points, and whether it is White's, in the order in which they were first played.
    let mut counted: Vec<(u64, u16, u32, u32, bool)> = Vec::new();
    let is_set_up = |game: &&Game| game.tags.get("FEN").is_some_and(|fen| !fen.starts_with(INITIAL));
    for game in games.iter().filter(|game| !is_set_up(game)) {
        let mut position = Chess::default();
        for san in of_game(game)
            .main_line()
            .into_iter()
            .take(options.max_ply as usize)
        {
            let Ok(mv) = san
                .split(' ')
                .next()
                .unwrap()
                .parse::<SanPlus>()
                .unwrap()
                .san
                .to_move(&position)
            else {
                break;
            };
            let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0;
            let points = match (game.tags.outcome(), position.turn()) {
                (Outcome::WhiteWins, Color::White) | (Outcome::BlackWins, Color::Black) => 2,
                (Outcome::WhiteWins | Outcome::BlackWins, _) => 0,
                (Outcome::Draw | Outcome::Unknown, _) => 1,
            };
            let code = code(mv);
            let place = counted.iter().position(|entry| (entry.0, entry.1) == (key, code));
            let place = place.unwrap_or_else(|| {
                counted.push((key, code, 0, 0, position.turn() == Color::White));
                counted.len() - 1
            });
            counted[place].2 += 1;
            counted[place].3 += points;
            position.play_unchecked(mv);
        }
    }
    counted.retain(|&(_, _, games, points, is_white)| {
        let is_side = options.side.is_none_or(|side| is_white == (side == Color::White));
        let percent = f64::from(points) / f64::from(games) * 50.0;
        is_side && points > 0 && games >= options.min_games && percent >= options.min_score
    });
    let mut entries: Vec<(u64, u16, u16)> = counted
        .into_iter()
        .map(|(key, mv, _, points, _)| (key, mv, if options.uniform { 1 } else { points as u16 }))
        .collect();
    entries.sort_by(|one, other| one.0.cmp(&other.0).then(other.2.cmp(&one.2)));
    let bytes = entries.into_iter().flat_map(|(key, mv, weight)| {
        let numbers = [mv.to_be_bytes(), weight.to_be_bytes(), [0; 2], [0; 2]];
        [&key.to_be_bytes()[..], &numbers.concat()].concat()
    });
    bytes.collect()
}

/// A move as in the description of the format: the target in the lowest bits, then the square of departure and the piece
/// of a promotion; castling ends on the square of the rook.
fn code(mv: Move) -> u16 {
    let square = |square: Square| u16::from(square.rank()) * 8 + u16::from(square.file());
    let from = square(mv.from().unwrap());
    let promotion = match mv.promotion() {
        None => 0,
        Some(role) => role as u16 - Role::Pawn as u16,
    };
    square(mv.to()) + from * 64 + promotion * 4096
}

const ALL: BookOptions = BookOptions {
    max_ply: 1024,
    min_games: 1,
    min_score: 0.0,
    side: None,
    uniform: false,
};

/// Options that each leave out something else.
const SETS: [BookOptions; 6] = [
    ALL,
    BookOptions { min_games: 3, ..ALL },
    BookOptions { max_ply: 7, ..ALL },
    BookOptions {
        min_score: 50.0,
        ..ALL
    },
    BookOptions {
        side: Some(Color::White),
        min_games: 2,
        ..ALL
    },
    BookOptions {
        side: Some(Color::Black),
        uniform: true,
        ..ALL
    },
];

#[test]
fn a_book_has_the_moves_of_all_samples() {
    needs!(samples);
    for (name, database) in databases(testkit::cases(40, 200)) {
        let games: Vec<Game> = database.games().map(|decoded| decoded.game).collect();
        for options in SETS {
            let (bytes, _) = book_of_all(&*database, options);
            assert!(bytes == expected(&games, options), "{name} {options:?}");
        }
    }
}

const PGN: &str = r#"
[Event "Castling, en passant, a promotion"]
[Result "1-0"]

1. e4 d5 2. e5 f5 3. exf6 Nc6 4. fxg7 Bg4 5. Nf3 Qd6 6. Be2 O-O-O 7. O-O Nf6 8. gxh8=N 1-0

[Event "No result counts as a draw"]
[Result "*"]

1. e4 d5 2. e5 f5 3. Ke2 Kf7 *

[Event "Black wins"]
[Result "0-1"]

1. e4 d5 2. -- d4 0-1

[Event "From a set-up position"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[Result "1-0"]

1. e4 Kd7 1-0

[Event "From a position that cannot be read"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K4 w - - 0 1"]
[Result "1-0"]

1. e4 Kd7 1-0
"#;

#[test]
fn entries_are_those_of_the_description_of_the_format() {
    let (bytes, written) = book_of_all(&*games(PGN), ALL);
    assert_eq!(written.set_up, 2);
    let weight = |key: u64, mv: u16| {
        let begin = [&key.to_be_bytes()[..], &mv.to_be_bytes()].concat();
        let entry = bytes.chunks(16).find(|entry| entry.starts_with(&begin))?;
        Some(u16::from_be_bytes([entry[10], entry[11]]))
    };
    // Keys and moves as in http://hgm.nubati.net/book_format.html.
    let [e4, e5, ke2, kf7] = [(12, 28), (28, 36), (4, 12), (60, 53)].map(|(from, to)| from * 64 + to);
    assert_eq!(weight(0x463b_9618_1691_fc9c, e4), Some(3));
    assert_eq!(weight(0x0756_b944_61c5_0fb0, e5), Some(3));
    assert_eq!(weight(0x22a4_8b5a_8e47_ff78, ke2), Some(1));
    assert_eq!(weight(0x652a_607c_a3f2_42c1, kf7), Some(1));
    let moves: Vec<u16> = bytes
        .chunks(16)
        .map(|entry| u16::from_be_bytes([entry[8], entry[9]]))
        .collect();
    let castling = 4 * 64 + 7;
    let promotion = 4096 + 54 * 64 + 63;
    assert!(moves.contains(&castling) && moves.contains(&promotion));
    // No move after the null move, and no move with which Black only lost.
    let black_castles = 60 * 64 + 56;
    assert!(!moves.contains(&black_castles));
    assert_eq!(
        bytes,
        expected(
            &games(PGN).games().map(|decoded| decoded.game).collect::<Vec<_>>(),
            ALL
        )
    );
}

#[test]
fn a_book_is_the_same_with_any_number_of_threads() {
    let many = Arc::<dyn Database>::from(games(&PGN.repeat(300)));
    let all: Vec<u32> = (0..many.len()).collect();
    let (one, _) = book(&*many, &all, ALL, 1);
    for threads in [2, 7] {
        assert!(book(&*many, &all, ALL, threads).0 == one, "{threads}");
    }
}

#[test]
fn a_book_of_some_games_is_that_of_a_database_with_these_games_alone() {
    let many = games(&PGN.repeat(3));
    let games: Vec<Game> = [0, 4, 9].map(|game| many.game(game).game).into();
    assert_eq!(book(&*many, &[0, 4, 9], ALL, 2).0, expected(&games, ALL));
    assert!(book(&*many, &[], ALL, 2).0.is_empty());
}
