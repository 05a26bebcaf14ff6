//! Answers about a few games, word by word.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::Database;
use chessdb::board::Position;
use chessdb_library::lines::{Occurrence, PieceTally};
use chessdb_library::positions::{
    BuildOptions, IndexError, LineEnd, MovesTable, Pattern, san_of, scan, scan_moves,
};

use super::index::built;
use crate::groups::asking::games;

const GAMES: &str = r#"
[Date "1958.11.09"]
[Result "1-0"]
[WhiteElo "2600"]
[BlackElo "2500"]
[ECO "B00"]

1. e4 e5 1-0

[Date "1960.??.??"]
[Result "1/2-1/2"]
[ECO "B00"]

1. e4 c5 1/2-1/2

[Result "0-1"]

1. d4 0-1

[Result "*"]

*
"#;

#[test]
fn a_table_of_moves_is_written_as_csv() {
    let database = games(GAMES);
    let table = scan_moves(
        &*database,
        None,
        &Pattern::new(Position::initial()),
        None,
        1,
        &|_| (),
    );
    let path = |game: u32| format!("{}.pgn", game + 1);
    let csv = table.csv(|row| row.game.map(path));
    let expected = "\
move,uci,games,white,draws,black,score,elo,performance,first,last,reached,eco,path
e4,e2e4,2,1,1,0,75.0,2600,3300,1958,1960,2,B00,1.pgn
d4,d2d4,1,0,0,1,0.0,,,,,1,,3.pgn
,,1,0,0,0,,,,,,1,,4.pgn
";
    assert_eq!(csv.replace("\r\n", "\n"), expected);
    let without_reached = table.csv_of_found(|_| None).replace("\r\n", "\n");
    assert!(
        without_reached.contains("\nd4,d2d4,1,0,0,1,0.0,,,,,,,\n"),
        "{without_reached}"
    );
}

#[test]
fn the_move_after_an_occurrence_has_its_san() {
    let database = games(GAMES);
    let after_e4 = Pattern::parse("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -").unwrap();
    let sans = |pattern| {
        let found = scan(&*database, None, &pattern, None, 1, &|_| ());
        let sans = found.iter().map(|found| san_of(&*database, found));
        sans.collect::<Vec<_>>()
    };
    assert_eq!(sans(Pattern::new(Position::initial())), ["e4", "e4", "d4", ""]);
    assert_eq!(sans(after_e4), ["e5", "c5"]);
}

#[test]
fn equal_moves_from_other_positions_do_not_end_in_the_same() {
    let game = |fen: &str| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 *\n\n");
    let starts = [
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "3qk3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    ];
    let database = games(&format!(
        "{}{}[Result \"*\"]\n\n1. e4 *\n",
        game(starts[0]),
        game(starts[1])
    ));
    assert_eq!(database.len(), 3);
    let ends: Vec<LineEnd> = (0..3).map(|game| LineEnd::of(&*database, game)).collect();
    let [one, two, three] = [0, 1, 2].map(|n: usize| ends[n].line.hash);
    assert!(one != two && two != three && three != one);
    for (end, fen) in ends.iter().zip(starts) {
        let material = PieceTally::of(Pattern::parse(fen).unwrap().position()).bits();
        assert!(end.material == material, "{fen}");
    }
}

#[test]
fn an_index_for_which_there_is_no_room_is_refused_before_it_is_built() {
    let options = BuildOptions {
        memory: 1 << 20,
        folders: &[],
        ..BuildOptions::default()
    };
    assert!(options.obstacle(1).is_none());
    assert!(matches!(options.obstacle(1_000_000), Some(IndexError::Memory)));
}

#[test]
fn an_index_finds_positions_after_65000_moves_as_a_scan() {
    let shuffles = "Nf3 Nf6 Ng1 Ng8 ".repeat(16_249);
    let database: Arc<dyn Database> = Arc::from(games(&format!(
        "[Result \"*\"]\n\n{shuffles} a3 a6 b3 b6 c3 c6 *\n"
    )));
    let index = built(&database);
    let mut compared = 0;
    database.main_line(0, &mut |ply| {
        if (64_997..=65_001).contains(&ply.number) {
            let pattern = Pattern::new(*ply.position);
            let wanted = pattern;
            let scanned = scan(&*database, None, &wanted, None, 1, &|_| ());
            assert_eq!(scanned.len(), 1);
            assert_eq!(index.find(&wanted).unwrap(), scanned, "{}", ply.number);
            assert_eq!(
                index.moves(&pattern).unwrap(),
                scan_moves(&*database, None, &pattern, None, 1, &|_| ())
            );
            compared += 1;
        }
        ControlFlow::Continue(())
    });
    assert_eq!(compared, 5);
}

/// The moves of all pieces between the same squares, and two kinds of promotion and castling: their UCI is often the same.
const SAME_SQUARES: [(&str, &str); 14] = [
    ("7k/8/8/8/8/8/4Q3/K7 w - - 0 1", "Qf3"),
    ("k7/8/8/8/8/8/4Q3/K7 w - - 0 1", "Qf3+"),
    ("4k3/8/8/8/8/8/4B3/K7 w - - 0 1", "Bf3"),
    ("4k3/8/8/8/8/5n2/4P3/K7 w - - 0 1", "exf3"),
    ("4k3/8/8/8/8/8/4K3/8 w - - 0 1", "Kf3"),
    ("7k/8/8/8/8/5n2/4Q3/K7 w - - 0 1", "Qxf3"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O"),
    ("k7/8/8/8/8/8/8/K3R3 w - - 0 1", "Rg1"),
    ("k7/8/8/8/8/8/8/K3Q3 w - - 0 1", "Qg1"),
    ("8/4P3/8/8/8/8/k7/2K5 w - - 0 1", "e8=Q"),
    ("8/4P3/8/8/8/8/k7/2K5 w - - 0 1", "e8=N"),
    ("8/4R3/8/8/8/8/k7/2K5 w - - 0 1", "Re8"),
    ("8/4R3/8/8/8/8/k7/2K5 w - - 0 1", "--"),
    ("8/4R3/8/8/8/8/k7/2K5 w - - 0 1", ""),
];

/// Games of several positions: each pair of moves has its own rows, unless it is one move of one piece.
#[test]
fn moves_of_other_pieces_between_the_same_squares_are_other_rows() {
    let name = |san: &str| san.trim_end_matches('+').replace("--", "null");
    for (one, first) in SAME_SQUARES {
        for (other, second) in SAME_SQUARES {
            let game = |fen: &str, san: &str| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{san} *\n\n");
            let database = games(&[game(one, first), game(other, second), game(one, first)].concat());
            let found = (0..3).map(|number| {
                let mut next = None;
                database.main_line(number, &mut |ply| {
                    next = Some(ply.mv);
                    ControlFlow::Break(())
                });
                Occurrence {
                    game: number,
                    ply: 0,
                    next,
                    variation: 0,
                }
            });
            let found: Vec<Occurrence> = found.collect();
            let rows: Vec<(String, u32)> = MovesTable::of_found(&*database, &found, 1)
                .rows
                .iter()
                .map(|row| (name(&row.san), row.tally.games))
                .collect();
            let wanted = if name(first) == name(second) {
                vec![(name(first), 3)]
            } else {
                vec![(name(first), 2), (name(second), 1)]
            };
            // Games that end are the last row.
            let mut wanted = wanted;
            wanted.sort_by_key(|(san, _)| san.is_empty());
            assert_eq!(rows, wanted, "{first} {second}");
        }
    }
}
