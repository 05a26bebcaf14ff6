use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use chessdb::board::{Fen, Undo};
use chessdb::game::Game;
use chessdb::{Options, Passwords, Problem};
use testkit::samples::{candidates, shared, try_open};

/// Databases whose PGN was exported by ChessBase, so that all tags can be compared.
const EXPORTED: [&str; 5] = [
    "Annotation/TestBase",
    "Chess960Corrupt/Corrupt",
    "Chess960NonStandard/Chess960NonStandard",
    "NormalNoPop/StandardMissingPop",
    "UnusualStart/UnusualStartBytes",
];

/// Databases that were created from their PGN.
const IMPORTED: [&str; 3] = [
    "NonStandard/NonStandardStart",
    "NormalGames/BielMTO",
    "WithVariations/WithVariations",
];

fn folder() -> PathBuf {
    shared().join("data/chessbase-cbh")
}

/// Opens a file of the samples with its companions.
fn open(path: &Path, options: &Options) -> Result<Box<dyn Database>, String> {
    let found = candidates(&path.with_extension(""));
    let name = path.file_name().unwrap().to_str().unwrap();
    let (format, candidate) = found
        .iter()
        .find(|(_, candidate)| candidate.name == name)
        .ok_or("it is not found")?;
    try_open(format, candidate, options)
}

fn sample(name: &str) -> Box<dyn Database> {
    open(&folder().join(name), &Options::default()).unwrap()
}

/// The games of a sample, and the games of its PGN.
fn both(name: &str) -> (Vec<Read>, Vec<Read>) {
    let folder = folder();
    let database = sample(&format!("{name}.cbh"));
    let expected = fs::read(folder.join(format!("{name}.expected.pgn"))).unwrap();
    let expected = read_expected(&expected);
    assert_eq!(database.len() as usize, expected.len(), "{name}");
    (pgn::read(&export(&*database)), expected)
}

/// Removes differences that do not matter: clocks, which are not imported, remarks, and parts of a comment on
/// the start position that the PGN lacks.
fn normalize(game: &mut Read) {
    for item in &mut game.movetext {
        if item.starts_with('{') {
            let comment = match item.find("pgnfs") {
                Some(at) => &item[..at],
                None => item.trim_end_matches('}'),
            };
            let words: Vec<&str> = comment[1..].split_whitespace().collect();
            let mut text = words.join(" ");
            if text.starts_with("[%clk ") {
                text.clear();
            }
            *item = format!("{{{text}}}");
        }
    }
    game.movetext.retain(|item| item != "{}");
}

#[test]
fn games_that_chessbase_exported_are_the_same_with_all_tags() {
    needs!(samples);
    for name in EXPORTED {
        let (given, expected) = both(name);
        for (number, (mut given, mut expected)) in (1..).zip(given.into_iter().zip(expected)) {
            normalize(&mut given);
            normalize(&mut expected);
            // ChessBase's PGN has no sub-code.
            given.tags.remove("ECOSub");
            assert_same(&given, &expected, &format!("{name}, game {number}"));
        }
    }
}

/// Rewrites the moves of a game as SAN, because some PGN lacks check signs or over-disambiguates.
fn rewrite_moves(game: &mut Read) {
    let start = game.tags.get("FEN").map(|fen| Fen::parse(fen).unwrap().position);
    let mut now = start.unwrap_or_default();
    let mut before = now;
    let mut outer = Vec::new();
    for item in &mut game.movetext {
        match item.as_str() {
            "(" => {
                outer.push((now, before));
                now = before;
            }
            ")" => (now, before) = outer.pop().unwrap(),
            annotation if annotation.starts_with(['{', '$']) => {}
            san => {
                let mv = now.read_move(san).unwrap();
                before = now;
                *item = now.play_legal(mv, &mut Undo::default()).unwrap().to_string();
            }
        }
    }
}

#[test]
fn games_that_were_imported_have_the_same_movetext() {
    needs!(samples);
    for name in IMPORTED {
        let (given, expected) = both(name);
        for (number, (mut given, mut expected)) in (1..).zip(given.into_iter().zip(expected)) {
            // The imported PGN lacks the initial diagram.
            given.movetext.retain(|item| item != "{[#]}");
            normalize(&mut given);
            normalize(&mut expected);
            rewrite_moves(&mut expected);
            let place = format!("{name}, game {number}");
            assert_eq!(given.movetext, expected.movetext, "{place}");
            for tag in ["Date", "FEN", "ECO", "WhiteElo", "BlackElo"] {
                assert_eq!(given.tags.get(tag), expected.tags.get(tag), "{tag} of {place}");
            }
            for tag in ["WhiteClock", "BlackClock"] {
                if let Some(clock) = given.tags.get(tag) {
                    assert_eq!(Some(clock), expected.tags.get(tag), "{tag} of {place}");
                }
            }
        }
    }
}

#[test]
fn training_games_have_the_same_moves() {
    needs!(samples);
    let (given, expected) = both("test/test");
    let moves = |game: &Read| {
        let is_move = |item: &&String| !item.starts_with(['{', '$']);
        game.movetext.iter().filter(is_move).cloned().collect::<Vec<_>>()
    };
    assert_eq!(given.len(), expected.len());
    let mut compared = 0;
    for (given, expected) in given.iter().zip(&expected) {
        assert_eq!(moves(given), moves(expected));
        compared += moves(given).len();
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn every_game_is_legal_to_its_end() {
    needs!(samples);
    for (name, games) in [
        ("twic1134/twic1134.cbh", 6117),
        ("Capa/Capa.cbh", 113),
        ("Hedgehog/Hedgehog.cbh", 204),
        ("old/Mate2.cbh", 7),
        ("text/text.cbh", 1),
    ] {
        let database = sample(name);
        assert_eq!(database.len(), games, "{name}");
        assert_eq!(database.problems(), [], "{name}");
        for game in 0..games {
            let decoded = database.game(game);
            let is_damage = |problem: &&chessdb::Problem| problem.kind != chessdb::ProblemKind::Unsupported;
            let damage = decoded.problems.iter().find(is_damage);
            assert_eq!(damage, None, "game {game} of {name}");
            assert_eq!(decoded.game.tags, database.tags(game));
            let mut plies = 0;
            database.main_line(game, &mut |_| {
                plies += 1;
                std::ops::ControlFlow::Continue(())
            });
            assert_eq!(decoded.game.tags.get("PlyCount"), Some(&*plies.to_string()));
        }
    }
}

#[test]
fn archives_hold_the_same_games() {
    needs!(samples);
    for (archive, database) in [
        ("archives/twic1134.cbv", "twic1134/twic1134.cbh"),
        ("test/test.cbv", "test/test.cbh"),
        ("archives/small.cbv", "archives/small-unpacked/small.cbh"),
    ] {
        let (packed, plain) = (sample(archive), sample(database));
        assert_eq!(packed.len(), plain.len());
        assert_eq!(packed.info().warnings, plain.info().warnings);
        assert!(export(&*packed) == export(&*plain), "{archive}");
    }
}

#[test]
fn encrypted_archives_need_their_password() {
    needs!(samples);
    let folder = folder();
    let with = |lines: &str| {
        let mut options = Options::default();
        options.passwords = Passwords::of_lines(lines);
        options
    };
    for (archive, password) in [
        ("small", "password"),
        ("small2", "pass"),
        ("small3", "my long password"),
    ] {
        let path = folder.join(format!("archives/{archive}.cbz"));
        let refused = |options: &Options| open(&path, options).err().unwrap();
        let without = refused(&Options::default());
        assert!(without.contains("no password is known") && without.contains("password-file"));
        assert!(refused(&with("wrong\nother")).contains("no password that is known opens it"));
        let database = open(&path, &with(&format!("wrong\n{password}\n"))).unwrap();
        assert_eq!(database.len(), 0);
        assert_eq!(database.info().warnings, [""; 0]);
    }
}

#[test]
fn guiding_texts_are_files() {
    needs!(samples);
    let database = sample("text/text.cbh");
    let members = database.as_files().members();
    assert!(members.iter().all(|member| member.directory == "texts"));
    let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    assert_eq!(members.len(), 72);
    assert!(names.contains(&"000007 German title.de.html"), "{names:?}");
    let mut bytes = [0; 5];
    assert_eq!(database.as_files().read_member(0, 0, &mut bytes).unwrap(), 5);
    assert!(
        bytes.eq_ignore_ascii_case(b"<html") || bytes.starts_with(b"<"),
        "{bytes:?}"
    );
    let guiding = database
        .info()
        .rows
        .into_iter()
        .find(|(name, _)| *name == "guiding texts");
    assert_eq!(guiding.unwrap().1, "9");
}

#[test]
fn russian_texts_are_noticed_and_read() {
    needs!(samples);
    let folder = folder();
    let path = folder.join("Hedgehog/Hedgehog.cbh");
    let database = open(&path, &Options::default()).unwrap();
    let warnings = database.info().warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains("windows-1251")),
        "{warnings:?}"
    );
    let mut options = Options::default();
    options.encoding = Some("windows-1251".to_owned());
    let database = open(&path, &options).unwrap();
    let names: Vec<String> = database
        .as_files()
        .members()
        .into_iter()
        .map(|member| member.name)
        .collect();
    assert!(names.contains(&"000003 От автора.en.txt".to_owned()), "{names:?}");
    let warnings = database.info().warnings;
    assert!(!warnings.iter().any(|warning| warning.contains("windows-1251")));
}

/// A copy of a sample that can be changed.
fn copy(name: &str) -> (tempfile::TempDir, PathBuf) {
    let source = folder().join(name);
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(source.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_stem() == source.file_stem() {
            fs::write(
                copy.path().join(path.file_name().unwrap()),
                fs::read(&path).unwrap(),
            )
            .unwrap();
        }
    }
    let base = copy.path().join(source.file_name().unwrap());
    (copy, base)
}

fn game_of(path: &Path, number: u32) -> Game {
    open(path, &Options::default()).unwrap().game(number).game
}

#[test]
fn what_is_missing_costs_its_content_and_nothing_else() {
    needs!(samples);
    for (missing, lost) in [
        ("cba", "annotations"),
        ("cbp", "players"),
        ("cbt", "events"),
        ("cbc", "annotators"),
        ("cbs", "sources"),
        ("cbj", "teams"),
    ] {
        let (_folder, path) = copy("UnusualStart/UnusualStartBytes.cbh");
        let whole = game_of(&path, 0);
        let file = path.with_extension(missing);
        fs::remove_file(&file).unwrap();
        let database = open(&path, &Options::default()).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let is_reported = |problem: &Problem| problem.file == name && problem.what.contains(lost);
        assert!(database.problems().iter().any(is_reported), "{missing}");
        let game = database.game(0).game;
        assert_eq!(game.movetext.tokens(), whole.movetext.tokens(), "{missing}");
        assert_eq!(game.tags.get("Date"), whole.tags.get("Date"));
        assert_eq!(
            game.tags.get("White") == whole.tags.get("White"),
            missing != "cbp"
        );
        assert_eq!(
            game.tags.get("Event") == whole.tags.get("Event"),
            missing != "cbt"
        );
    }
}

/// Opens a copy of a sample in which a file was changed, and gives the problems of the database itself.
fn problems_with(name: &str, extension: &str, change: impl FnOnce(&mut Vec<u8>)) -> Vec<String> {
    let (_folder, path) = copy(name);
    let file = path.with_extension(extension);
    let mut bytes = fs::read(&file).unwrap();
    change(&mut bytes);
    fs::write(&file, bytes).unwrap();
    let database = open(&path, &Options::default()).unwrap();
    database.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_that_is_cut_is_a_problem_of_the_database() {
    needs!(samples);
    const SAMPLE: &str = "UnusualStart/UnusualStartBytes.cbh";
    for (extension, records, size) in [
        ("cbp", 17, 67),
        ("cbt", 6, 99),
        ("cbc", 1, 62),
        ("cbs", 1, 68),
        ("cbe", 2, 72),
        ("cbj", 9, 120),
        ("cbh", 9, 46),
    ] {
        let name = format!("UnusualStartBytes.{extension}");
        assert_eq!(problems_with(SAMPLE, extension, |_| ()), [""; 0]);
        // Whole records are missing, so that only the number in the header shows it.
        let cut = problems_with(SAMPLE, extension, |bytes| bytes.truncate(bytes.len() - size));
        let left = records - 1;
        let what = format!("the file has {left} of the {records} records that its header gives");
        assert_eq!(cut.len(), 1, "{cut:?}");
        assert!(cut[0].starts_with(&name) && cut[0].ends_with(&what), "{cut:?}");
        let longer = problems_with(SAMPLE, extension, |bytes| bytes.extend([0; 500]));
        assert!(
            longer[0].ends_with("the file is 500 bytes longer than its header says"),
            "{longer:?}"
        );
        if extension != "cbh" {
            let empty = problems_with(SAMPLE, extension, Vec::clear);
            assert_eq!(empty.len(), 1, "{empty:?}");
            let what = format!("{name}: byte 0 (0x0): the file is empty: ");
            assert!(empty[0].starts_with(&what), "{empty:?}");
        }
    }
}

#[test]
fn a_guiding_text_that_cannot_be_read_is_a_problem_of_the_database() {
    needs!(samples);
    // The first record is a text, which begins after the header of the .cbg with 4 bytes, its version and the number
    // of its titles.
    let reported = problems_with("text/text.cbh", "cbg", |bytes| bytes[26 + 6..26 + 8].fill(0xff));
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(
        reported[0].ends_with("the guiding text of record 1 cannot be read from here on"),
        "{reported:?}"
    );
    let (_folder, path) = copy("text/text.cbh");
    fs::remove_file(path.with_extension("cbg")).unwrap();
    let database = open(&path, &Options::default()).unwrap();
    let reported: Vec<String> = database.problems().iter().map(ToString::to_string).collect();
    assert!(
        reported
            .iter()
            .any(|reported| reported.starts_with("text.cbg: 9 guiding texts are missing")),
        "{reported:?}"
    );
}

#[test]
fn names_and_values_that_a_record_cannot_have_are_problems_of_its_game() {
    needs!(samples);
    for (at, bytes, what) in [
        (
            9,
            &[0, 1, 0][..],
            "White is number 256 of TestBase.cbp, which has no such record",
        ),
        (
            15,
            &[9, 0, 0],
            "the tournament is number 589824 of TestBase.cbt, which has no such record",
        ),
        (25, &[0x0f, 0xff], "the date is impossible"),
        (27, &[77], "the result is impossible"),
        (35, &[0xfb, 0], "the opening is impossible"),
        (45, &[200], "but its record counts 200"),
    ] {
        let (_folder, path) = copy("Annotation/TestBase.cbh");
        let mut cbh = fs::read(&path).unwrap();
        let place = 46 * 2 + at;
        cbh[place..place + bytes.len()].copy_from_slice(bytes);
        fs::write(&path, cbh).unwrap();
        let database = open(&path, &Options::default()).unwrap();
        for game in 0..4 {
            let reported: Vec<String> = database
                .game(game)
                .problems
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(reported.len(), usize::from(game == 1), "{what}: {reported:?}");
            assert!(
                reported.iter().all(|reported| reported.ends_with(what)),
                "{reported:?}"
            );
        }
    }
}

#[test]
fn an_archive_that_is_cut_says_what_it_lacks() {
    needs!(samples);
    let (_folder, path) = copy("test/test.cbv");
    let whole = fs::read(&path).unwrap();
    let all = open(&path, &Options::default()).unwrap().len();
    let mut opened = 0;
    for len in (0..whole.len()).rev().step_by(whole.len() / 97) {
        fs::write(&path, &whole[..len]).unwrap();
        let reported = match open(&path, &Options::default()) {
            Ok(database) => {
                opened += 1;
                assert!(database.len() <= all);
                database.problems().iter().map(ToString::to_string).collect()
            }
            Err(reason) => vec![reason],
        };
        let is_reported = |reported: &String| reported.contains("test.cbv: byte ") || len < 8;
        assert!(reported.iter().any(is_reported), "{len}: {reported:?}");
    }
    assert!(opened > 10, "{opened}");
}

#[test]
fn games_without_their_moves_have_tags_and_name_the_file() {
    needs!(samples);
    let (_folder, path) = copy("twic1134/twic1134.cbh");
    let whole = game_of(&path, 0);
    fs::remove_file(path.with_extension("cbg")).unwrap();
    let game = game_of(&path, 0);
    assert_eq!(game.tags.get("White"), whole.tags.get("White"));
    assert!(
        game.to_string()
            .contains("chessdb: the moves are missing: they are in")
    );
    assert!(game.to_string().contains("twic1134.cbg"));
}

#[test]
fn deleted_games_stay_and_are_marked() {
    needs!(samples);
    let (_folder, path) = copy("Annotation/TestBase.cbh");
    let mut bytes = fs::read(&path).unwrap();
    bytes[46 * 2] |= 0x80;
    fs::write(&path, bytes).unwrap();
    let database = open(&path, &Options::default()).unwrap();
    assert_eq!(database.len(), 4);
    let deleted: Vec<bool> = (0..4).map(|game| database.keys(game).deleted).collect();
    assert_eq!(deleted, [false, true, false, false]);
    assert_eq!(database.tags(1).get("Deleted"), Some("1"));
    assert_eq!(database.tags(0).get("Deleted"), None);
}

#[test]
fn modes_that_are_not_read_leave_the_tags() {
    needs!(samples);
    let (_folder, path) = copy("Annotation/TestBase.cbh");
    let cbg = path.with_extension("cbg");
    let mut bytes = fs::read(&cbg).unwrap();
    bytes[26] = 12;
    fs::write(&cbg, bytes).unwrap();
    let decoded = open(&path, &Options::default()).unwrap().game(0);
    assert_eq!(decoded.problems.len(), 1);
    assert_eq!(decoded.problems[0].kind, chessdb::ProblemKind::Unsupported);
    assert_eq!(decoded.game.tags.get("Black"), Some("Symbol"));
    assert!(decoded.game.to_string().contains("moves of mode 12 are not read"));
}
