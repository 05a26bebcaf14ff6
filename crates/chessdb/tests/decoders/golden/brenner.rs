use std::path::Path;

use serde_json::Value;

use super::*;
use chessdb::Options;
use chessdb::formats::by_content;
use chessdb_library::mapped::Mapped;
use testkit::samples::{candidates, files_below, open};

#[test]
fn every_game_equals_its_expected_pgn() {
    needs!(samples);
    for sample in samples("brenner") {
        let database = open_base(&sample.base).unwrap_or_else(|| panic!("{} is no database", sample.name));
        check_games(&*database, &escaped(&sample.expected), &sample.name, |_| {});
    }
}

/// Escapes quotes and backslashes in tags, which the expected files do not.
fn escaped(pgn: &str) -> String {
    let lines = pgn.lines().map(|line| {
        let pair = line.strip_prefix('[').and_then(|tag| tag.strip_suffix("\"]"));
        match pair.and_then(|pair| pair.split_once(" \"")) {
            Some((name, value)) => {
                let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                format!("[{name} \"{value}\"]\n")
            }
            None => format!("{line}\n"),
        }
    });
    lines.collect()
}

fn rows(file: &Path) -> Vec<Value> {
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(!rows.is_empty());
    rows
}

fn open_with(base: &Path, reading: Option<&str>) -> Box<dyn Database> {
    let (format, candidate) = candidates(base).pop().unwrap();
    let mut options = Options::default();
    options.reading = reading.map(str::to_owned);
    open(format, &candidate, &options).unwrap()
}

fn info_of(database: &dyn Database, name: &str) -> String {
    let rows = database.info().rows;
    rows.iter().find(|(row, _)| *row == name).unwrap().1.clone()
}

/// The offsets in the remarks of a text, sorted.
fn remarked(text: &str) -> Vec<u64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let remarks = words.windows(3).filter(|words| words[0].ends_with("pgnfs:"));
    let mut offsets: Vec<u64> = remarks
        .map(|words| {
            assert_eq!(words[1], "byte");
            words[2].parse().unwrap()
        })
        .collect();
    offsets.sort_unstable();
    offsets
}

#[test]
fn damaged_files_give_what_their_table_says() {
    let folder = needs!(samples).join("data/brenner");
    let small = pgn::read(&std::fs::read(folder.join("small.expected.pgn")).unwrap());
    for row in rows(&folder.join("bad/bad.json")) {
        let path = row["path"].as_str().unwrap();
        let database = open_base(&folder.join(path.strip_suffix(".brn").unwrap()))
            .unwrap_or_else(|| panic!("{path} is no database"));
        let read = pgn::read(&export(&*database));
        assert_eq!(read.len(), database.len() as usize, "{path}");
        let strays: Vec<u64> = database.problems().iter().filter_map(|row| row.offset).collect();
        let Some(games) = row["games"].as_u64() else {
            continue;
        };
        assert_eq!(u64::from(database.len()), games, "games of {path}");
        assert_eq!(
            strays,
            row["stray_byte"].as_u64().into_iter().collect::<Vec<_>>(),
            "{path}"
        );
        for run in row["as_in_small"].as_array().into_iter().flatten() {
            let bounds = |name: &str| {
                let bound = |n: usize| run[name][n].as_u64().unwrap() as usize;
                bound(0) - 1..bound(1)
            };
            for (given, expected) in read[bounds("games")].iter().zip(&small[bounds("are")]) {
                assert_same(given, expected, path);
            }
        }
        let damaged = row["damaged"].as_array().unwrap();
        for number in 1..=database.len() {
            let decoded = database.game(number - 1);
            let text = String::from_utf8(to_pgn(&decoded.game)).unwrap();
            let place = format!("{path}, game {number}");
            let mut rows: Vec<u64> = decoded.problems.iter().filter_map(|row| row.offset).collect();
            rows.sort_unstable();
            assert_eq!(remarked(&text), rows, "remarks and rows of {place}");
            let Some(truth) = damaged
                .iter()
                .find(|row| row["game"].as_u64() == Some(number.into()))
            else {
                assert!(rows.is_empty(), "{place} is whole");
                continue;
            };
            let mut offsets: Vec<u64> = truth["bytes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|offset| offset.as_u64().unwrap())
                .collect();
            offsets.sort_unstable();
            assert_eq!(rows, offsets, "{place}");
            let tags = &decoded.game.tags;
            assert_eq!(tags.get("White"), truth["white"].as_str(), "{place}");
            assert_eq!(tags.get("Result"), truth["result"].as_str(), "{place}");
            let tokens = decoded.game.movetext.tokens().iter();
            let plies = tokens
                .filter(|token| matches!(token, chessdb::game::Token::Move(..)))
                .count();
            assert_eq!(Some(plies as u64), truth["plies"].as_u64(), "{place}");
        }
    }
}

#[test]
fn remarks_name_byte_file_and_reason() {
    let folder = needs!(samples).join("data/brenner");
    let remark = |name: &str, game: u32| {
        let database = open_base(&folder.join("bad").join(name)).unwrap();
        let text = String::from_utf8(to_pgn(&database.game(game).game)).unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(
        remark("small-unassigned", 9)
            .contains("pgnfs: byte 2228 of small-unassigned.brn: unassigned byte C4}")
    );
    for (name, reason) in [
        ("number-in-use", "promotion to queen 0, but that number is in use"),
        (
            "prefix-then-king",
            "prefix of queen 1 before a byte of another piece",
        ),
        ("prefix-at-end", "before the end of the game"),
        ("promotion-without-prefix", "no promotion piece is stored"),
        ("king-left-in-check", "the own king is left in check"),
    ] {
        let text = remark(name, 0);
        assert!(text.contains(reason), "{name}: {text}");
    }
}

#[test]
fn each_of_the_eight_readings_is_found() {
    let folder = needs!(samples).join("data/brenner");
    let folder = folder.join("readings");
    let expected = &pgn::read(&std::fs::read(folder.join("expected.pgn")).unwrap())[0];
    let mut found = 0;
    for path in files_below(&folder) {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        if path.extension() != Some("brn".as_ref()) || stem == "undecidable" {
            continue;
        }
        let database = open_with(&folder.join(stem), None);
        let name = stem.replace('_', "/");
        assert_eq!(
            info_of(&*database, "reading"),
            format!("{name} (1 of 1 sampled games replay)")
        );
        assert_same(&pgn::read(&export(&*database))[0], expected, stem);
        // Forcing the same reading changes only its description; forcing another one breaks the game.
        let forced = open_with(&folder.join(stem), Some(&name));
        assert_eq!(info_of(&*forced, "reading"), format!("{name} (forced)"));
        assert_eq!(export(&*forced), export(&*database));
        let other = if name.starts_with("main") {
            "alternate/identity/own"
        } else {
            "main/identity/own"
        };
        assert!(
            !open_with(&folder.join(stem), Some(other))
                .game(0)
                .problems
                .is_empty()
        );
        found += 1;
    }
    assert_eq!(found, 8);
    let undecidable = open_with(&folder.join("undecidable"), None);
    assert!(info_of(&*undecidable, "reading").starts_with("main/identity/own"));
    // The name of a reading of another format is ignored.
    let unknown = open_with(&folder.join("undecidable"), Some("text"));
    assert_eq!(info_of(&*unknown, "reading"), info_of(&*undecidable, "reading"));
}

#[test]
fn keys_tell_what_tags_tell() {
    let folder = needs!(samples).join("data/brenner");
    for name in ["small.main", "odd.main", "random.alternate", "bad/noise"] {
        let database = open_base(&folder.join(name)).unwrap();
        for number in 0..database.len() {
            let (keys, tags) = (database.keys(number), database.tags(number));
            assert_eq!(tags, database.game(number).game.tags, "{name}, game {number}");
            for (id, tag) in [
                (keys.white, "White"),
                (keys.black, "Black"),
                (keys.event, "Event"),
            ] {
                assert_eq!(
                    Some(database.text(id).as_str()),
                    tags.get(tag),
                    "{name}, game {number}"
                );
            }
            assert_eq!(Some(&*keys.date.to_string()), tags.get("Date"));
            assert_eq!(keys.outcome, tags.outcome());
        }
    }
}

#[test]
fn files_without_the_extension_are_recognised_by_content() {
    let folder = needs!(samples).join("data/brenner");
    for row in rows(&folder.join("probe/probe.json")) {
        let path = folder.join(row["path"].as_str().unwrap());
        let found = by_content(&path, &Mapped::open(&path).unwrap());
        let names: Vec<&str> = found.iter().map(|(format, _)| format.name).collect();
        let expected: &[&str] = if row["recognised"].as_bool().unwrap() {
            &["brenner"]
        } else {
            &[]
        };
        assert_eq!(names, expected, "{}", path.display());
        for (format, candidate) in found {
            assert!(!open(format, &candidate, &Options::default()).unwrap().is_empty());
        }
    }
}
