use std::process::Command;

use serde_json::Value;

use super::*;
use chessdb::Options;
use testkit::samples::{candidates, open, shared};

#[test]
fn every_game_equals_its_expected_pgn() {
    needs!(samples);
    // PGN has no glyph $0; the samples contain it if the database does.
    check_samples("simplecdb", |game| game.movetext.retain(|item| item != "$0"));
}

/// The rows of a JSON file in the samples.
fn rows(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(shared().join("data/simplecdb").join(file)).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(!rows.is_empty());
    rows
}

fn database_of(row: &Value) -> Option<Box<dyn Database>> {
    let path = row["path"].as_str().unwrap();
    open_base(&shared().join("data/simplecdb").join(path))
}

#[test]
fn damaged_sets_have_the_remarks_they_should_and_no_others() {
    needs!(samples);
    for row in rows("corrupt/corrupt.json") {
        let path = row["path"].as_str().unwrap();
        let Some(games) = row["games"].as_u64() else {
            let listed = database_of(&row).map(|database| export(&*database));
            // Noise must only do no harm; the other two sets are not databases.
            assert!(listed.is_none() || path.contains("noise"), "{path} is listed");
            continue;
        };
        let database = database_of(&row).unwrap_or_else(|| panic!("{path} is not listed"));
        assert_eq!(u64::from(database.len()), games, "{path}");
        let mut expected: Vec<(u64, u64)> = row["remarks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|remark| {
                (
                    remark["game"].as_u64().unwrap(),
                    remark["offset"].as_u64().unwrap(),
                )
            })
            .collect();
        expected.sort_unstable();
        let mut given = Vec::new();
        for number in 0..database.len() {
            let decoded = database.game(number);
            let in_game_file = |file: &str| file.to_lowercase().ends_with("dcg") || file.contains("missing");
            let problems = decoded
                .problems
                .iter()
                .filter(|problem| in_game_file(&problem.file));
            let rows: Vec<_> = problems
                .map(|problem| (u64::from(number) + 1, problem.offset.unwrap()))
                .collect();
            let text = String::from_utf8(to_pgn(&decoded.game)).unwrap();
            let remarks = text
                .split_whitespace()
                .filter(|word| word.ends_with("pgnfs:"))
                .count();
            assert_eq!(
                remarks,
                rows.len(),
                "remarks and problems of {path}, game {}",
                number + 1
            );
            given.extend(rows);
        }
        given.sort_unstable();
        assert_eq!(given, expected, "remarks of {path}");
    }
}

#[test]
fn the_layout_of_every_variant_is_recognised() {
    needs!(samples);
    for row in rows("variants/variants.json") {
        let path = row["path"].as_str().unwrap();
        let database = database_of(&row).unwrap();
        let info = database.info();
        let value = |name: &str| &info.rows.iter().find(|(row, _)| *row == name).unwrap().1;
        let layout = format!(
            "header of {} bytes, entries of {} bytes",
            row["header"], row["entry"]
        );
        assert_eq!(*value("index"), layout, "{path}");
        let reversed = row["reversed_game_length"].as_bool() == Some(true);
        assert_eq!(value("record lengths") == "reversed", reversed, "{path}");
        let promotion = match row["promotion"].as_str() {
            Some("reference") => "reference",
            _ => "text",
        };
        assert!(
            value("promotion codes").starts_with(promotion),
            "{path}: {}",
            value("promotion codes")
        );
    }
}

#[test]
fn a_reading_can_be_forced() {
    let shared = needs!(samples);
    let base = shared.join("data/simplecdb/small/small");
    let (format, candidate) = candidates(&base).pop().unwrap();
    let mut forced = Options::default();
    forced.reading = Some("text".to_owned());
    let right = open(format, &candidate, &Options::default()).unwrap();
    let wrong = open(format, &candidate, &forced).unwrap();
    let damaged = |database: &dyn Database| {
        (0..database.len())
            .filter(|&game| !database.game(game).problems.is_empty())
            .count()
    };
    assert_eq!(damaged(&*right), 0);
    assert!(damaged(&*wrong) > 0, "queens are illegal under the other reading");

    // A reading of another format is ignored.
    let mut other = Options::default();
    other.reading = Some("main/order/own".to_owned());
    let other = open(format, &candidate, &other).unwrap();
    assert_eq!(other.info(), right.info());
    assert_eq!(damaged(&*other), 0);
}

/// Only the moves tell the readings apart. An unknown status, which every game of a file may have, does not.
#[test]
fn problems_of_tags_do_not_count_for_the_reading() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("x");
    let square = |name: &[u8]| u16::from(name[0] - b'a') | u16::from(name[1] - b'1') << 3;
    let mv = |from: &[u8], to: &[u8], promotion: u16| {
        (promotion << 12 | square(from) << 6 | square(to)).to_be_bytes()
    };
    // The pawn becomes what code 3 means, and moves on like a rook.
    let moves = [mv(b"a7", b"a8", 3), mv(b"h3", b"g3", 0), mv(b"a8", b"d8", 0)].concat();
    let fen = b"8/P7/8/8/8/7k/8/4K3 w - - 0 1";
    let body = [&[1, fen.len() as u8][..], fen, &moves].concat();
    let record = [&[body.len() as u8][..], &body].concat();
    for status in [0, 1] {
        let mut entry = vec![0; 39];
        (entry[0], entry[8]) = (status, 10);
        let index = [&b"SimpleCDbi"[..], &[0; 9], &entry].concat();
        std::fs::write(base.with_extension("dci"), index).unwrap();
        std::fs::write(base.with_extension("dcg"), [b"SimpleCDbg", &record[..]].concat()).unwrap();
        let database = open_base(&base).unwrap();
        let text = String::from_utf8(to_pgn(&database.game(0).game)).unwrap();
        assert!(text.contains("1. a8=R Kg3 2. Rd8"), "status {status}: {text}");
    }
}

/// Each illegal variation takes a few bytes, but its remark and problem take many times as many.
#[test]
fn a_game_has_few_remarks_however_much_is_wrong_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("x");
    let bodies = [30, 1000, 1001, 100_000].map(|illegal| {
        let e2e4 = [0x03, 0x1c];
        let variations = [0x84, 0, 0, 0x85].repeat(illegal);
        [&[0][..], &e2e4, &variations, &[0x0d, 0x24]].concat()
    });
    let records: Vec<u8> = bodies
        .iter()
        .flat_map(|body| {
            [
                &[0x84],
                &u32::try_from(body.len()).unwrap().to_be_bytes()[..],
                body,
            ]
            .concat()
        })
        .collect();
    std::fs::write(base.with_extension("dcg"), [b"SimpleCDbg", &records[..]].concat()).unwrap();
    let database = open_base(&base).unwrap();
    let read = |game| {
        let decoded = database.game(game);
        let text = String::from_utf8(to_pgn(&decoded.game)).unwrap();
        (decoded.problems.len(), text)
    };
    for (game, remarks) in [(0, 30), (1, 1000), (2, 1001), (3, 1001)] {
        let (problems, text) = read(game);
        assert_eq!(problems, remarks);
        assert_eq!(text.matches("pgnfs:").count(), remarks);
        assert!(text.contains("1... e5"), "game {game}");
    }
    assert!(
        read(3)
            .1
            .replace('\n', " ")
            .contains("99000 more faults in this game are not listed")
    );
}

/// The moves after an illegal one are in its remark; the line in problems.txt remains short.
#[test]
fn problems_do_not_hold_the_rest_of_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("x");
    let body = [&[0, 0, 0][..], &[0x03, 0x1c].repeat(40_000)].concat();
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    std::fs::write(
        base.with_extension("dcg"),
        [b"SimpleCDbg\x84", &length[..], &body].concat(),
    )
    .unwrap();
    let decoded = open_base(&base).unwrap().game(0);
    let [problem] = &decoded.problems[..] else {
        panic!("{:?}", decoded.problems)
    };
    assert_eq!(
        problem.what,
        "illegal move: a piece of the own side stands on the target"
    );
    let text = String::from_utf8(to_pgn(&decoded.game)).unwrap();
    assert_eq!(text.matches("e2e4").count(), 40_000);
}

#[test]
fn deleted_games_say_so_in_tags_and_keys() {
    let shared = needs!(samples);
    let database = open_base(&shared.join("data/simplecdb/variants/deleted_reversed/small")).unwrap();
    let mut deleted = 0;
    for game in 0..database.len() {
        let tagged = database.tags(game).get("Deleted") == Some("1");
        assert_eq!(database.keys(game).deleted, tagged);
        deleted += u32::from(tagged);
    }
    assert!(deleted > 0);
}

/// Movetext is wrapped as by pgn-extract, which reads our export and writes it unchanged.
#[test]
fn pgn_extract_leaves_unannotated_exports_as_they_are() {
    let shared = needs!(samples);
    needs!(program "pgn-extract", in "pgn-extract");
    let mut compared = 0;
    for base in ["medium/plain", "variants/twice/a", "small/small"] {
        let database = open_base(&shared.join("data/simplecdb").join(base)).unwrap();
        let unannotated = |game: &u32| {
            let text = to_pgn(&database.game(*game).game);
            let movetext = text.split(|&c| c == b'\n').filter(|line| !line.starts_with(b"["));
            let mut bytes = movetext.flatten();
            // pgn-extract does not support null moves.
            !bytes.any(|c| b"{($-".contains(c) && *c != b'-') && !text.windows(2).any(|pair| pair == b"--")
        };
        let games: Vec<u32> = (0..database.len()).filter(unannotated).collect();
        let text: Vec<u8> = games
            .iter()
            .flat_map(|&game| to_pgn(&database.game(game).game))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("export.pgn");
        std::fs::write(&file, &text).unwrap();
        let output = Command::new("sh")
            .args([
                "-c",
                "PATH=$PATH:/usr/games; exec pgn-extract -s -w79 \"$1\"",
                "sh",
            ])
            .arg(&file)
            .output()
            .unwrap();
        assert!(output.status.success());
        // pgn-extract has another order of tags after the roster.
        let movetext = |text: &[u8]| -> Vec<Vec<u8>> {
            let lines = text.split(|&c| c == b'\n').filter(|line| !line.starts_with(b"["));
            lines.map(<[u8]>::to_vec).collect()
        };
        let (given, kept) = (movetext(&text), movetext(&output.stdout));
        assert_eq!(given.len(), kept.len(), "lines of {base}");
        for (line, (given, kept)) in given.iter().zip(&kept).enumerate() {
            let (given, kept) = (String::from_utf8_lossy(given), String::from_utf8_lossy(kept));
            assert_eq!(given, kept, "line {} of {base}", line + 1);
        }
        compared += games.len();
    }
    assert!(compared > 9000, "{compared} games compared");
}
