use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position};

use super::*;
use testkit::samples::candidates;

/// The form of a remark after normalization.
const REMARK: &str = "pgnfs offset 0x";

#[test]
fn every_game_equals_its_expected_pgn() {
    needs!(samples);
    let mut games = 0;
    for sample in samples("chessbase") {
        // The same book in both readings has one expected PGN.
        for base in sample.bases() {
            let database = open_base(&base).unwrap();
            // The samples have remarks in a list, not in the PGN.
            games += check_games(&*database, &sample.expected, &sample.name, |game| {
                game.movetext
                    .retain(|item| !item.starts_with(&format!("{{{REMARK}")));
            });
        }
    }
    eprintln!("chessbase: {games} games compared");
}

#[test]
fn remarks_stand_where_the_list_of_the_small_set_has_them() {
    let shared = needs!(samples);
    let folder = shared.join("data/chessbase");
    let database = open_base(&folder.join("small")).unwrap();
    for (game, listed) in (0..).zip(rows(&folder.join("small.json"))) {
        let expected: Vec<u64> = list(&listed, "remarks")
            .iter()
            .filter_map(|row| row["offset"].as_u64())
            .collect();
        let given = database.game(game).problems;
        let offsets: Vec<u64> = given.iter().filter_map(|problem| problem.offset).collect();
        assert_eq!(offsets, expected, "game {}", game + 1);
    }
}

#[test]
fn damaged_games_give_what_is_left_of_them() {
    let shared = needs!(samples);
    let root = shared.join("data/chessbase");
    for row in rows(&root.join("corrupt.json")) {
        let path = root.join(row["path"].as_str().unwrap());
        let base = path.with_extension("");
        if path.extension().is_some_and(|extension| extension == "cbi") {
            assert!(candidates(&base).is_empty(), "{}", path.display());
            continue;
        }
        let database = open_base(&base).unwrap();
        assert_eq!(
            !database.problems().is_empty(),
            row["index_problem"].as_bool().unwrap(),
            "rows of {}: {:?}",
            path.display(),
            database.problems()
        );
        if row["lines"].is_u64() {
            check_book(&*database, &row, &path);
            continue;
        }
        let games = list(&row, "games");
        assert_eq!(
            database.len() as usize,
            games.len(),
            "games of {}",
            path.display()
        );
        for (game, expected) in (0..).zip(&games) {
            check_game(
                &*database,
                game,
                expected,
                &format!("{}, game {}", path.display(), game + 1),
            );
        }
    }
}

#[test]
fn games_without_an_index_are_those_with_a_good_checksum_in_the_order_of_the_file() {
    let shared = needs!(samples);
    let folder = tempfile::tempdir().unwrap();
    // The small set has 32 gaps, and the record with a bad checksum is one more.
    for (set, with_bad_checksum, behind_gaps) in [("small", 1, 33), ("medium", 0, 0), ("cbascii", 0, 0)] {
        let base = shared.join("data/chessbase").join(set);
        let indexed = open_base(&base).unwrap();
        let copy = folder.path().join(set);
        fs::copy(base.with_extension("cbf"), copy.with_extension("cbf")).unwrap();
        let walked = open_base(&copy).unwrap();
        let index = fs::read(base.with_extension("cbi")).unwrap();
        let words: Vec<u32> = index
            .chunks_exact(4)
            .map(|word| u32::from_be_bytes(word.try_into().unwrap()))
            .collect();
        let mut order: Vec<u32> = (0..indexed.len()).collect();
        order.sort_by_key(|&game| words[game as usize + 1] - game);
        order.retain(|&game| {
            let rows = indexed.game(game).problems;
            !rows
                .iter()
                .any(|row| row.to_string().contains("the checksum is wrong"))
        });
        assert_eq!(order.len() + with_bad_checksum, indexed.len() as usize);
        let texts = |database: &dyn Database, games: Vec<u32>| -> Vec<String> {
            let text = |game| String::from_utf8(to_pgn(&database.game(game).game)).unwrap();
            games.into_iter().map(text).collect()
        };
        let games = (0..walked.len()).collect();
        let given = texts(&*walked, games);
        let expected = texts(&*indexed, order);
        let missing: Vec<_> = expected.iter().filter(|text| !given.contains(text)).collect();
        assert_eq!(missing, [&""; 0], "{set}");
        assert!(given == expected, "order of {set}");
        let rows = walked.info().rows;
        let (_, row) = rows.iter().find(|(name, _)| *name == "index").unwrap();
        let searched = format!("{behind_gaps} of them found after");
        assert_eq!(row.contains(&searched), behind_gaps > 0, "{row}");
    }
}

#[test]
fn a_variation_that_begins_before_any_move_of_its_line_is_skipped_to_its_end() {
    let text = "[White \"a\"]\n\n1. e4 (1. d4 d5) 1... e5 2. Nf3 *\n";
    let mut games = source::read(text.as_bytes()).unwrap();
    let items = &mut games[0].items;
    // 1. e4 ( ( 1. d4 ) 1. c4 ) 1... e5 2. Nf3, where 1. c4 is what the game has as 1. d4 again.
    let (start, end) = (items[1].clone(), items[4].clone());
    let d4 = items[2].clone();
    items.splice(1..5, [start.clone(), start, d4.clone(), end.clone(), d4, end]);
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("nested");
    encode_chessbase::write(&games, &base).unwrap();
    let decoded = open_base(&base).unwrap().game(0);
    assert_eq!(decoded.problems.len(), 1, "{:?}", decoded.problems);
    let [read] = &pgn::read(&to_pgn(&decoded.game))[..] else {
        panic!("not one game")
    };
    assert_eq!(coordinates(read), ["e2e4", "e7e5", "g1f3"]);
    assert!(
        !read.movetext.iter().any(|item| item == "d4"),
        "{:?}",
        read.movetext
    );
}

#[test]
fn noise_has_no_games() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("noise");
    let mut random = 88_172_645_463_325_252u64;
    let noise: Vec<u8> = (0..1 << 20)
        .map(|_| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random.to_le_bytes()[3]
        })
        .collect();
    let same = (0..=255).flat_map(|byte| vec![byte; 2_000]).collect();
    for bytes in [noise, same] {
        fs::write(base.with_extension("cbf"), bytes).unwrap();
        assert_eq!(open_base(&base).unwrap().len(), 0);
    }
}

fn check_game(database: &dyn Database, game: u32, expected: &Value, place: &str) {
    let decoded = database.game(game);
    let [read] = &pgn::read(&to_pgn(&decoded.game))[..] else {
        panic!("{place}: not one game")
    };
    assert_eq!(Value::from(coordinates(read)), expected["main"], "{place}");
    let variations = read.movetext.iter().filter(|item| *item == "(").count();
    assert_eq!(Value::from(variations), expected["variations"], "{place}");
    assert_eq!(read.tags["White"], expected["white"].as_str().unwrap(), "{place}");
    assert_eq!(
        read.tags.get("FEN").map(String::as_str),
        expected["fen"].as_str(),
        "{place}"
    );
    let remark = read.movetext.iter().find_map(|item| {
        let (_, rest) = item.split_once(REMARK)?;
        let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next().unwrap();
        Some(u64::from_str_radix(digits, 16).unwrap())
    });
    assert_eq!(
        remark.is_some(),
        expected["remark"].as_bool().unwrap(),
        "remark of {place}"
    );
    assert_eq!(decoded.problems.is_empty(), remark.is_none(), "rows of {place}");
    if let Some(offset) = expected["offset"].as_u64() {
        assert_eq!(remark, Some(offset), "offset of {place}");
        assert!(
            decoded
                .problems
                .iter()
                .any(|problem| problem.offset == Some(offset)),
            "{place}"
        );
    }
}

fn check_book(database: &dyn Database, expected: &Value, path: &Path) {
    assert_eq!(
        Value::from(database.len()),
        expected["lines"],
        "{}",
        path.display()
    );
    let damaged = list(expected, "damaged_lines");
    for line in 0..database.len() {
        let decoded = database.game(line);
        match damaged.iter().find(|row| row["line"] == line + 1) {
            Some(row) => {
                assert_eq!(
                    Value::from(decoded.game.movetext.tokens().len() - 1),
                    row["plies"],
                    "line {line}"
                );
                assert_eq!(decoded.problems[0].offset, row["offset"].as_u64(), "line {line}");
            }
            None => assert_eq!(decoded.problems, [], "line {line} of {}", path.display()),
        }
    }
}

#[test]
fn a_book_as_one_game_has_exactly_the_ways_of_its_lines() {
    let shared = needs!(samples);
    let mut texts = Vec::new();
    for name in ["tree", "flat"] {
        let database = open_base(&shared.join("data/chessbase/fbk").join(name)).unwrap();
        assert_eq!(database.as_files().documents(), ["book.pgn"]);
        let [book] = &pgn::read(&to_pgn(&database.as_files().document(0)))[..] else {
            panic!("not one game")
        };
        let lines: BTreeSet<Vec<String>> = pgn::read(&export(&*database)).iter().flat_map(ways).collect();
        assert_eq!(ways(book).into_iter().collect::<BTreeSet<_>>(), lines, "{name}");
        texts.push(to_pgn(&database.as_files().document(0)));
    }
    assert_eq!(texts[0], texts[1]);
}

/// Every initial sequence of moves of a game, including those through its variations.
fn ways(game: &Read) -> Vec<Vec<String>> {
    let mut ways = Vec::new();
    let mut way: Vec<String> = Vec::new();
    let mut outer = Vec::new();
    for item in &game.movetext {
        match item.as_str() {
            "(" => {
                outer.push(way.clone());
                way.pop();
            }
            ")" => way = outer.pop().unwrap(),
            annotation if annotation.starts_with(['$', '{']) => {}
            san => {
                way.push(san.to_owned());
                ways.push(way.clone());
            }
        }
    }
    ways
}

/// The moves of the main line as pairs of squares.
fn coordinates(game: &Read) -> Vec<String> {
    let mut position = match game.tags.get("FEN") {
        None => Chess::default(),
        Some(fen) => fen
            .parse::<Fen>()
            .unwrap()
            .into_position(CastlingMode::Standard)
            .unwrap_or_else(|error| error.ignore_too_much_material().unwrap()),
    };
    let mut depth = 0;
    let mut moves = Vec::new();
    for item in &game.movetext {
        match item.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            san if depth == 0 && !san.starts_with(['$', '{']) => {
                let mv = san.parse::<SanPlus>().unwrap().san.to_move(&position).unwrap();
                position.play_unchecked(mv);
                moves.push(mv.to_uci(CastlingMode::Standard).to_string());
            }
            _ => {}
        }
    }
    moves
}

fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(!rows.is_empty());
    rows
}

fn list(row: &Value, name: &str) -> Vec<Value> {
    row[name].as_array().unwrap().clone()
}
