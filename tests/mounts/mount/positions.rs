//! Tables of positions that `export` writes.

use std::collections::BTreeMap;
use std::fs;

use super::scratch::{Scratch, pgnfs, run};

/// White wins, a position comes back, a game without a result, another order of moves, and a game that ends at once.
const GAMES: &str = "\
[White \"a\"]
[Date \"1999.01.??\"]
[Result \"1-0\"]
[WhiteElo \"2600 \"]

1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5 1-0

[White \"b\"]
[Result \"*\"]

1. e4 e5 2. Nf3 *

[White \"c\"]
[Result \"0-1\"]
[BlackElo \"strong\"]

1. Nf3 Nf6 2. e4 -- 3. O-O 0-1

[White \"d\"]
[Result \"1/2-1/2\"]

1/2-1/2
";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("games.pgn"), GAMES).unwrap();
    scratch
}

#[test]
fn export_writes_a_row_for_each_position_of_a_game() {
    let scratch = scratch();
    let export = |options: &[&str]| {
        let command = ["export", "--rows", "positions", "--to"];
        let source = scratch.source.join("games.pgn");
        let ended = run(pgnfs().args(command).args(options).arg(source));
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        ended.out
    };
    // The keys of the start position and that after 1. e4 are as in the description of Polyglot's books. The first game has
    // the start position again after four moves, where another move is played.
    let all = export(&["csv"]);
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!(lines[0], "number,ply,key,move,Result,WhiteElo,BlackElo,Date");
    assert_eq!(lines[1], "1,0,5060803636482931868,Nf3,1-0,2600,,1999.01.??");
    let places: Vec<&str> = lines[1..].iter().map(|line| &line[..3]).collect();
    assert_eq!(
        places,
        [
            "1,0", "1,1", "1,2", "1,3", "1,5", "1,6", "2,0", "2,1", "2,2", "2,3", "3,0", "3,1", "3,2", "3,3",
            "3,4", "4,0"
        ]
    );
    assert_eq!(lines[5], "1,5,-9062197578030825066,e5,1-0,2600,,1999.01.??");
    assert_eq!(lines[7], "2,0,5060803636482931868,e4,*,,,");
    assert_eq!(lines[8], "2,1,-9062197578030825066,e5,*,,,");
    assert_eq!(lines[16], "4,0,5060803636482931868,,1/2-1/2,,,");
    // Castling is not possible yet, so the third game ends with a null move.
    let moves: Vec<&str> = lines[11..16]
        .iter()
        .map(|line| line.split(',').nth(3).unwrap())
        .collect();
    assert_eq!(moves, ["Nf3", "Nf6", "e4", "null", ""]);
    let json = export(&["ndjson", "--columns", "key,move,White,ply"]);
    assert_eq!(
        json.lines().last(),
        Some(r#"{"key":5060803636482931868,"move":null,"White":"d","ply":0}"#)
    );
    // Parts follow one another, and filtered games are whole.
    let parts = ["1/3", "2/3", "3/3"].map(|part| export(&["ndjson", "--part", part]));
    assert_eq!(parts.concat(), export(&["ndjson"]));
    let chosen = export(&["csv", "--where", "white:b"]);
    assert_eq!(chosen.lines().count(), 5);
}

#[test]
fn positions_have_the_moves_of_their_tables() {
    let scratch = scratch();
    let source = scratch.source.as_path();
    let ended = run(pgnfs()
        .args(["export", "--rows=positions", "--to=csv"])
        .arg(source));
    let mut counts: BTreeMap<(&str, &str), [u32; 4]> = BTreeMap::new();
    let header = "database,number,ply,key,move,Result,WhiteElo,BlackElo,Date";
    assert_eq!(ended.out.lines().next(), Some(header));
    for line in ended.out.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let count = counts.entry((fields[3], fields[4])).or_default();
        count[0] += 1;
        match fields[5] {
            "1-0" => count[1] += 1,
            "1/2-1/2" => count[2] += 1,
            "0-1" => count[3] += 1,
            _ => {}
        }
    }
    let mut compared = 0;
    for (key, fen) in [
        (
            "5060803636482931868",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        (
            "-9062197578030825066",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        ),
    ] {
        let query = format!("fen:\"{fen}\"");
        let table = run(pgnfs().args(["find", "--show", "moves", &query]).arg(source));
        for row in table.out.lines().skip(1) {
            let fields: Vec<&str> = row.split(',').collect();
            let number = |n: usize| fields[n].parse::<u32>().unwrap();
            let played = [2, 3, 4, 5].map(number);
            assert_eq!(counts.get(&(key, fields[0])), Some(&played), "{row}");
            compared += 1;
        }
        let games: u32 = counts
            .iter()
            .filter(|((of, _), _)| *of == key)
            .map(|(_, count)| count[0])
            .sum();
        let found = run(pgnfs().args(["find", "--show", "count", &query]).arg(source));
        assert_eq!(found.out.trim(), games.to_string());
    }
    assert!(compared >= 4, "{compared}");
}

#[test]
fn rows_of_positions_are_for_tables_of_any_columns() {
    let scratch = Scratch::new();
    for (wrong, said) in [
        (
            &["--rows", "positions"][..],
            "--rows is for tables: give --to csv",
        ),
        (
            &["--to", "polyglot", "--rows", "positions"],
            "--rows is for tables: give --to csv",
        ),
        (
            &["--to", "csv", "--rows", "moves"],
            "[possible values: games, positions]",
        ),
        (
            &["--to", "csv", "--rows", "positions", "--columns", "keys"],
            "no table has a column 'keys'; similar are key",
        ),
        (
            &["--to", "csv", "--rows", "games", "--columns", "move"],
            "the column 'move' is for rows that are positions, not games: give --rows positions",
        ),
        (
            &["--to", "csv", "--rows", "positions", "--columns", "key,Whit"],
            "no game has the tag 'Whit'; similar are White",
        ),
        (
            &[
                "--to",
                "parquet",
                "--rows",
                "positions",
                "--schema",
                "lichess",
                "--output",
                "/tmp/",
            ],
            "--schema is only for rows of games: leave out --rows",
        ),
    ] {
        let refused = run(pgnfs().arg("export").args(wrong).arg(&scratch.source));
        assert_eq!(refused.code, Some(2), "{wrong:?}");
        assert!(refused.err.contains(said), "{}", refused.err);
    }
}
