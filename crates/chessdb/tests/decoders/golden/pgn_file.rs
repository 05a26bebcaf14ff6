//! PGN files: every tolerance case is read as expected, and the keys for views agree with the tags.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use chessdb::files::{Candidate, Files, SourceFile};
use chessdb::formats::FORMATS;
use chessdb::{Options, PgnForm};
use serde_json::Value;

use super::*;
use testkit::samples::{files_below, open};

/// The expected reading of a case, as PGN.
fn wanted_text(game: &Value) -> String {
    let mut text = String::new();
    for (name, value) in game["tags"].as_object().unwrap() {
        let value = value.as_str().unwrap().replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    }
    text + "\n" + game["movetext"].as_str().unwrap() + "\n\n"
}

/// Removes remarks from the comments, and the spaces with which the writer breaks long words.
fn without_remarks(game: &mut Read) {
    for item in &mut game.movetext {
        if let Some(text) = item.strip_prefix('{') {
            let text = text.strip_suffix('}').unwrap_or(text);
            let own = text.split("pgnfs: ").next().unwrap_or_default();
            *item = format!("{{{}}}", own.replace(' ', ""));
        }
    }
    game.movetext.retain(|item| item != "{}");
}

#[test]
fn every_case_has_the_wanted_reading() {
    let folder = needs!(samples).join("data/pgn-cases");
    let cases: Value = serde_json::from_slice(&fs::read(folder.join("wanted.json")).unwrap()).unwrap();
    assert!(cases.as_array().unwrap().len() > 10);
    for case in cases.as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let database = open_base(&folder.join(name)).unwrap();
        let expected = case["games"].as_array().unwrap();
        assert_eq!(database.len() as usize, expected.len(), "games of {name}");
        for (number, wanted) in (0..).zip(expected) {
            check_case(
                &*database,
                number,
                wanted,
                &format!("{name}, game {}", number + 1),
            );
        }
    }
}

fn check_case(database: &dyn Database, number: u32, wanted: &Value, place: &str) {
    let decoded = database.game(number);
    let mut given = pgn::read(&to_pgn(&decoded.game)).remove(0);
    let mut expected = pgn::read(wanted_text(wanted).as_bytes()).remove(0);
    without_remarks(&mut given);
    without_remarks(&mut expected);
    assert_same(&given, &expected, place);
    assert_eq!(
        wanted.get("remark").is_some_and(|remark| !remark.is_null()),
        !decoded.problems.is_empty(),
        "problems of {place}: {:?}",
        decoded.problems
    );
    check_keys(database, number, place);
}

/// Checks that the keys for views agree with the tags.
fn check_keys(database: &dyn Database, number: u32, place: &str) {
    let (keys, tags) = (database.keys(number), database.tags(number));
    let tag = |name| tags.get(name).unwrap_or("?");
    assert_eq!(database.text(keys.white), tag("White"), "{place}");
    assert_eq!(database.text(keys.black), tag("Black"), "{place}");
    assert_eq!(database.text(keys.event), tag("Event"), "{place}");
    assert_eq!(keys.date.to_string(), tag("Date"), "{place}");
    assert_eq!(keys.outcome.token(), tag("Result"), "{place}");
    assert_eq!(tags, database.game(number).game.tags, "{place}");
    let plies = of_main_line(database, number);
    let read = pgn::read(&to_pgn(&database.game(number).game)).remove(0);
    assert_eq!(plies, read.main_line().len(), "{place}");
}

fn of_main_line(database: &dyn Database, number: u32) -> usize {
    let mut plies = 0;
    database.main_line(number, &mut |_| {
        plies += 1;
        std::ops::ControlFlow::Continue(())
    });
    plies
}

/// Expected PGN that cannot be compared directly: it has illegal or incomplete set-up positions, quotation
/// marks without escapes, which pgn-reader reads differently, or more of departure squares than necessary.
const OTHERWISE: [&str; 4] = [
    "data/jose/",
    "c23_odd_games/db",
    "brenner/random",
    "chessbase-cbh",
];

/// The expected PGN of other formats is read in the same way as by pgn-reader.
#[test]
fn expected_pgn_of_samples_is_read_as_it_is_written() {
    let folder = needs!(samples).join("data");
    let mut games = 0;
    for path in files_below(&folder) {
        let name = path.to_string_lossy().into_owned();
        let base = name.strip_suffix(".expected.pgn").unwrap_or_default();
        let is_small = fs::metadata(&path).unwrap().len() < 4 << 20;
        if !base.is_empty() && is_small && !OTHERWISE.iter().any(|other| base.contains(other)) {
            games += check_reading(&path);
        }
    }
    assert!(games > 1000, "{games} games");
}

fn open_pgn(path: &Path) -> Box<dyn Database> {
    open_form(path, PgnForm::Export)
}

fn open_form(path: &Path, pgn: PgnForm) -> Box<dyn Database> {
    let format = FORMATS.iter().find(|format| format.name == "pgn").unwrap();
    let candidate = Candidate {
        name: String::new(),
        files: vec![("pgn".to_owned(), path.to_owned())],
        warnings: Vec::new(),
    };
    let mut options = Options::default();
    options.pgn = pgn;
    open(format, &candidate, &options).unwrap()
}

fn check_reading(path: &Path) -> usize {
    let mut expected = read_expected(&fs::read(path).unwrap());
    let database = open_pgn(path);
    assert_eq!(
        database.len() as usize,
        expected.len(),
        "games of {}",
        path.display()
    );
    for (number, expected) in (0..).zip(&mut expected) {
        let mut given = pgn::read(&to_pgn(&database.game(number).game)).remove(0);
        normalize(&mut given);
        normalize(expected);
        assert_same(
            &given,
            expected,
            &format!("{}, game {}", path.display(), number + 1),
        );
        check_keys(&*database, number, &path.to_string_lossy());
    }
    expected.len()
}

/// Removes what the writer does not preserve: missing or wrong check signs, glyphs without meaning, and words
/// longer than its maximum.
fn normalize(game: &mut Read) {
    for item in &mut game.movetext {
        *item = if item.starts_with('{') {
            item.replace(' ', "")
        } else {
            item.trim_end_matches(['+', '#']).to_owned()
        };
    }
    game.movetext.retain(|item| item != "$0");
}

/// The stored texts of the games in a file, one after another. Each must have its stated length.
fn stored(database: &dyn Database) -> Vec<u8> {
    let mut all = Vec::new();
    for game in 0..database.len() {
        let before = all.len();
        assert!(database.as_files().append_stored(game, &mut all));
        assert_eq!(
            database.as_files().stored_len(game),
            Some((all.len() - before) as u32)
        );
    }
    all
}

/// The bytes of a database's first member, if it has one.
fn head(database: &dyn Database) -> Vec<u8> {
    let mut bytes = Vec::new();
    for member in database.as_files().members() {
        bytes.resize(member.size as usize, 0);
        assert_eq!(
            database.as_files().read_member(0, 0, &mut bytes).unwrap(),
            bytes.len()
        );
    }
    bytes
}

/// The cases, and variants with changed, inserted and removed bytes.
fn cases_and_changed_ones() -> Vec<Vec<u8>> {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let mut all = Vec::new();
    for path in files_below(&testkit::samples::shared().join("data/pgn-cases")) {
        let case = fs::read(&path).unwrap();
        if path.extension().is_some_and(|extension| extension == "pgn") && !case.starts_with(b"\xff") {
            for _ in 0..testkit::cases(5, 20) {
                let mut changed = case.clone();
                for _ in 0..1 + next(6) {
                    let at = next(changed.len());
                    match next(3) {
                        0 => changed[at] = CHANGES[next(CHANGES.len())],
                        1 => changed.insert(at, CHANGES[next(CHANGES.len())]),
                        _ => drop(changed.remove(at)),
                    }
                }
                all.push(changed);
            }
            all.push(case);
        }
    }
    assert!(all.len() > 200, "{}", all.len());
    all
}

const CHANGES: &[u8] = b"\n\n\n\r[]{}\"\\%;() \0\x1a\xef\xfc*1";

#[test]
fn texts_are_all_of_the_file() {
    needs!(samples);
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("case.pgn");
    for bytes in cases_and_changed_ones() {
        fs::write(&path, &bytes).unwrap();
        let verbatim = open_form(&path, PgnForm::Verbatim);
        let all = [head(&*verbatim), stored(&*verbatim)].concat();
        assert_eq!(all, bytes, "{}", bytes.escape_ascii());
        let cleaned = open_form(&path, PgnForm::Cleaned);
        assert_eq!(cleaned.len(), verbatim.len());
        let text = String::from_utf8(stored(&*cleaned)).unwrap();
        assert!(!text.contains(['\r', '\0', '\x1a', '\u{feff}']), "{text:?}");
        for game in 0..cleaned.len() {
            let mut text = Vec::new();
            cleaned.as_files().append_stored(game, &mut text);
            assert!(text.ends_with(b"\n\n") && !text.ends_with(b"\n\n\n"));
            check_keys(&*cleaned, game, &bytes.escape_ascii().to_string());
        }
    }
}

#[test]
fn clean_text_stays_as_it_is() {
    let folder = needs!(samples).join("data/pgn-cases");
    let temporary = tempfile::TempDir::new().unwrap();
    let path = temporary.path().join("clean.pgn");
    let mut cases = 0;
    for case in files_below(&folder) {
        if case.extension().is_some_and(|extension| extension == "pgn") {
            let cleaned = stored(&*open_form(&case, PgnForm::Cleaned));
            fs::write(&path, &cleaned).unwrap();
            let again = stored(&*open_form(&path, PgnForm::Cleaned));
            assert_eq!(again, cleaned, "{}", case.display());
            cases += 1;
        }
    }
    assert!(cases > 10, "{cases}");
}

#[test]
fn a_comment_before_a_game_without_tags_is_kept() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("comment.pgn");
    for (text, kept, head) in [
        (
            "{The only comment.}\n\n1. e4 e5 2. Nf3 *\n",
            "{The only comment.}\n\n1. e4 e5 2. Nf3 *\n\n",
            21,
        ),
        (
            "Dear all,\n; a\n{b\nc}\n1. e4 *\n",
            "; a\n{b\nc}\n1. e4 *\n\n",
            20,
        ),
        ("{a\nb} 1. e4 *\n", "{a\nb} 1. e4 *\n\n", 0),
    ] {
        fs::write(&path, text).unwrap();
        let cleaned = open_form(&path, PgnForm::Cleaned);
        let wanted = format!("[Event \"?\"]\n\n{kept}");
        assert_eq!(String::from_utf8(stored(&*cleaned)).unwrap(), wanted);
        let exported = String::from_utf8(to_pgn(&open_pgn(&path).game(0).game)).unwrap();
        assert!(
            exported.contains("\n{") && exported.contains("1. e4"),
            "{exported}"
        );
        let verbatim = open_form(&path, PgnForm::Verbatim);
        let parts = [self::head(&*verbatim), stored(&*verbatim)];
        assert_eq!(parts[0].len(), head, "{text}");
        assert_eq!(parts.concat(), text.as_bytes());
        for database in [&cleaned, &verbatim] {
            assert_eq!(database.len(), 1);
            check_keys(&**database, 0, text);
        }
    }
}

/// Opens texts in an encoding: one as a file, several as many small files that are one database.
fn open_texts(texts: &[Vec<u8>], encoding: &str, pgn: PgnForm) -> Result<Box<dyn Database>, String> {
    let format = FORMATS.iter().find(|format| format.name == "pgn").unwrap();
    let file = |(number, bytes): (usize, &Vec<u8>)| {
        let file = SourceFile {
            name: format!("{number}.pgn"),
            bytes: Arc::new(bytes.clone()),
        };
        ("pgn".to_owned(), file)
    };
    let mut options = Options::default();
    options.pgn = pgn;
    options.encoding = Some(encoding.to_owned());
    let opened = (format.open)(Files::new(texts.iter().enumerate().map(file).collect()), &options);
    let opened = opened.map_err(|error| error.reason)?;
    Ok(opened.into_iter().next().unwrap().database)
}

/// Some of the bytes of these characters are braces, brackets or backslashes in ASCII.
#[test]
fn a_character_of_several_bytes_ends_no_comment_and_no_tag() {
    let cases = [
        ("shift_jis", encoding_rs::SHIFT_JIS, "ドマボー表"),
        ("big5", encoding_rs::BIG5, "功許縷"),
        ("gbk", encoding_rs::GBK, "乗乕亄亇"),
        ("gb18030", encoding_rs::GB18030, "乗乕亄亇"),
    ];
    for (label, encoding, word) in cases {
        let text = format!("[White \"{word}\"]\n\n1. e4 e5 {{{word} 2. Nf3 Nc6 3. Bb5}} 1-0\n");
        let (bytes, _, has_lost) = encoding.encode(&text);
        assert!(!has_lost && bytes.len() < text.len(), "{label}");
        let utf_16: Vec<u8> = [0xfeff]
            .into_iter()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        for texts in [
            vec![bytes.to_vec()],
            vec![bytes.to_vec(); 2],
            vec![utf_16.clone(), bytes.to_vec()],
        ] {
            for pgn in [PgnForm::Export, PgnForm::Cleaned] {
                let database = open_texts(&texts, label, pgn).unwrap();
                assert_eq!(database.len() as usize, texts.len(), "{label}");
                for game in 0..database.len() {
                    let shown = match pgn {
                        PgnForm::Export => to_pgn(&database.game(game).game),
                        _ => {
                            let mut shown = Vec::new();
                            database.as_files().append_stored(game, &mut shown);
                            shown
                        }
                    };
                    let read = pgn::read(&shown).remove(0);
                    assert_eq!(read.tags["White"], word, "{label}");
                    let comment = format!("{{{word} 2. Nf3 Nc6 3. Bb5}}");
                    assert_eq!(
                        read.movetext[..3],
                        ["e4".to_owned(), "e5".to_owned(), comment],
                        "{label}"
                    );
                    assert!(database.game(game).problems.is_empty(), "{label}");
                }
            }
        }
        let refused = open_texts(&[bytes.to_vec()], label, PgnForm::Verbatim)
            .err()
            .unwrap();
        assert!(refused.contains("can only be shown converted"), "{refused}");
    }
}

/// The text of a file with a byte-order mark is not in the encoding that the user names for others.
#[test]
fn a_byte_order_mark_of_utf_16_says_more_than_the_encoding_of_the_user() {
    let text = "[White \"Ка\"]\n\n1. e4 *\n";
    let utf_16: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let (ibm866, ..) = encoding_rs::IBM866.encode(text);
    for texts in [vec![utf_16.clone()], vec![utf_16, ibm866.to_vec()]] {
        let database = open_texts(&texts, "ibm866", PgnForm::Export).unwrap();
        for game in 0..database.len() {
            assert_eq!(database.tags(game).get("White"), Some("Ка"));
        }
    }
}

#[test]
fn text_before_the_first_game_that_is_not_shown_is_told() {
    for (head, is_text) in [("About this file.\n\n", true), (" \n\n", false)] {
        let bytes = format!("{head}[White \"A\"]\n\n1. e4 *\n").into_bytes();
        for (pgn, is_left_out) in [
            (PgnForm::Export, true),
            (PgnForm::Cleaned, true),
            (PgnForm::Verbatim, false),
        ] {
            let database = open_texts(std::slice::from_ref(&bytes), "utf-8", pgn).unwrap();
            let warnings = database.info().warnings;
            assert_eq!(
                warnings.len(),
                usize::from(is_text && is_left_out),
                "{warnings:?}"
            );
            assert!(
                warnings
                    .iter()
                    .all(|warning| warning.contains("before the first game"))
            );
        }
    }
}
