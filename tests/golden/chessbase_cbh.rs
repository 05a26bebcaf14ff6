use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::common::samples::{candidates, shared, try_open};
use chessdb::board::{Fen, Undo};
use chessdb::formats::{Options, Passwords};
use chessdb::game::Game;

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

fn sample(name: &str) -> Option<Box<dyn Database>> {
    Some(open(&folder().join(name), &Options::default()).unwrap())
}

/// The games of a sample, and those of its PGN.
fn both(name: &str) -> Option<(Vec<Read>, Vec<Read>)> {
    let folder = folder();
    let database = sample(&format!("{name}.cbh"))?;
    let expected = fs::read(folder.join(format!("{name}.expected.pgn"))).unwrap();
    let expected = pgn::read(&expected);
    assert_eq!(database.len() as usize, expected.len(), "{name}");
    Some((pgn::read(&export(&*database)), expected))
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
        let Some((given, expected)) = both(name) else {
            return;
        };
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
        let Some((given, expected)) = both(name) else {
            return;
        };
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
    let Some((given, expected)) = both("test/test") else {
        return;
    };
    let moves = |game: &Read| {
        let is_move = |item: &&String| !item.starts_with(['{', '$']);
        game.movetext.iter().filter(is_move).cloned().collect::<Vec<_>>()
    };
    for (given, expected) in given.iter().zip(&expected) {
        assert_eq!(moves(given), moves(expected));
    }
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
        let Some(database) = sample(name) else { return };
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
        let Some((packed, plain)) = sample(archive).zip(sample(database)) else {
            return;
        };
        assert_eq!(packed.len(), plain.len());
        assert_eq!(packed.info().warnings, plain.info().warnings);
        assert!(export(&*packed) == export(&*plain), "{archive}");
    }
}

#[test]
fn encrypted_archives_need_their_password() {
    needs!(samples);
    let folder = folder();
    let with = |lines: &str| Options {
        passwords: Passwords::of_lines(lines),
        ..Options::default()
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
    let Some(database) = sample("text/text.cbh") else {
        return;
    };
    let members = database.members();
    assert!(members.iter().all(|member| member.directory == "texts"));
    let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    assert_eq!(members.len(), 72);
    assert!(names.contains(&"000007 German title.de.html"), "{names:?}");
    let mut bytes = [0; 5];
    assert_eq!(database.read_member(0, 0, &mut bytes).unwrap(), 5);
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
    let options = Options {
        encoding: Some("windows-1251".to_owned()),
        ..Options::default()
    };
    let database = open(&path, &options).unwrap();
    let names: Vec<String> = database.members().into_iter().map(|member| member.name).collect();
    assert!(names.contains(&"000003 От автора.en.txt".to_owned()), "{names:?}");
    let warnings = database.info().warnings;
    assert!(!warnings.iter().any(|warning| warning.contains("windows-1251")));
}

/// A copy of a sample that can be changed.
fn copy(name: &str) -> Option<(tempfile::TempDir, PathBuf)> {
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
    Some((copy, base))
}

fn game_of(path: &Path, number: u32) -> Game {
    open(path, &Options::default()).unwrap().game(number).game
}

#[test]
fn what_is_missing_costs_its_content_and_nothing_else() {
    needs!(samples);
    for (missing, warning) in [
        ("cba", "annotations"),
        ("cbp", "players"),
        ("cbt", "events"),
        ("cbc", "annotators"),
        ("cbs", "sources"),
        ("cbj", "teams"),
    ] {
        let Some((_folder, path)) = copy("UnusualStart/UnusualStartBytes.cbh") else {
            return;
        };
        let whole = game_of(&path, 0);
        let file = path.with_extension(missing);
        fs::remove_file(&file).unwrap();
        let database = open(&path, &Options::default()).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let is_told = |told: &String| told.contains(name) && told.contains(warning);
        assert!(database.info().warnings.iter().any(is_told), "{missing}");
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

#[test]
fn games_without_their_moves_have_tags_and_name_the_file() {
    needs!(samples);
    let Some((_folder, path)) = copy("twic1134/twic1134.cbh") else {
        return;
    };
    let whole = game_of(&path, 0);
    fs::remove_file(path.with_extension("cbg")).unwrap();
    let game = game_of(&path, 0);
    assert_eq!(game.tags.get("White"), whole.tags.get("White"));
    assert!(
        game.to_string()
            .contains("pgnfs: the moves are missing: they are in")
    );
    assert!(game.to_string().contains("twic1134.cbg"));
}

#[test]
fn deleted_games_stay_and_are_marked() {
    needs!(samples);
    let Some((_folder, path)) = copy("Annotation/TestBase.cbh") else {
        return;
    };
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
    let Some((_folder, path)) = copy("Annotation/TestBase.cbh") else {
        return;
    };
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
