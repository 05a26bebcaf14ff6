//! PGN of strangers: each file of `data/pgn-cases/fifth` is read as the page beside it says.

use std::path::PathBuf;

use super::*;
use testkit::samples::{candidates, shared};

fn case(name: &str) -> PathBuf {
    shared().join("data/pgn-cases/fifth").join(name)
}

/// The games of a case in export form without line breaks: the tags that are wanted, and the movetext.
fn games(name: &str, tags: &[&str]) -> Vec<(Vec<String>, String)> {
    let database = open_base(&case(name)).unwrap_or_else(|| panic!("{name} is no database"));
    let games = 0..database.len();
    games
        .map(|game| {
            let decoded = database.game(game);
            let keys = database.keys(game);
            let read = &decoded.game.tags;
            assert_eq!(*read, database.tags(game), "{name}");
            assert_eq!(keys.date.to_string(), read.get("Date").unwrap_or("?"), "{name}");
            assert_eq!(
                database.text(keys.white),
                read.get("White").unwrap_or("?"),
                "{name}"
            );
            assert_eq!(keys.outcome, read.outcome(), "{name}");
            let text = String::from_utf8(to_pgn(&decoded.game)).unwrap();
            let (_, movetext) = text.split_once("\n\n").unwrap();
            let movetext = movetext.split_whitespace().collect::<Vec<_>>().join(" ");
            let values = tags.iter().map(|tag| read.get(tag).unwrap_or("-").to_owned());
            (values.collect(), movetext)
        })
        .collect()
}

/// The problems of all games of a case.
fn problems(name: &str) -> Vec<Vec<String>> {
    let database = open_base(&case(name)).unwrap();
    let what = |game| {
        let problems = database.game(game).problems;
        problems.into_iter().map(|problem| problem.what).collect()
    };
    (0..database.len()).map(what).collect()
}

/// Movetext without comments.
fn moves(movetext: &str) -> String {
    let mut plain = String::new();
    for part in movetext.split_inclusive(['{', '}']) {
        match part.strip_suffix('}') {
            Some(_) => {}
            None => plain += part.trim_end_matches('{'),
        }
    }
    let words = plain.split_whitespace().filter(|word| !word.ends_with("..."));
    words.collect::<Vec<_>>().join(" ")
}

/// Compares games with wanted ones: values of tags, and moves without comments.
fn check(name: &str, tags: &[&str], wanted: &[(&[&str], &str)]) {
    let found = games(name, tags);
    let found: Vec<(Vec<&str>, String)> = found
        .iter()
        .map(|(values, text)| (values.iter().map(String::as_str).collect(), moves(text)))
        .collect();
    let wanted: Vec<(Vec<&str>, String)> = wanted
        .iter()
        .map(|(values, text)| (values.to_vec(), (*text).to_owned()))
        .collect();
    assert_eq!(found, wanted, "{name}");
}

#[test]
fn boundaries_of_games() {
    needs!(samples);
    let names = ["Event", "White", "Round", "Result"];
    check(
        "43-line-between-tags",
        &names,
        &["Actual", "Second", "Third", "Fourth", "Fifth"]
            .map(|event| ([event, "Alpha", "1", "1-0"], "1. e4 e5 2. Nf3 1-0"))
            .each_ref()
            .map(|(tags, text)| (&tags[..], *text)),
    );
    let kept: Vec<String> = games("43-line-between-tags", &[])
        .into_iter()
        .map(|game| game.1)
        .collect();
    assert!(kept[0].starts_with("{a comment} 1. e4") && kept[1].starts_with("{a comment in braces} 1. e4"));
    let reported: Vec<usize> = problems("43-line-between-tags").iter().map(Vec::len).collect();
    assert_eq!(reported, [0, 0, 1, 1, 1]);
    check(
        "22-cut-in-a-comment-next-game-in-line",
        &names,
        &[
            (&["Test", "Engine-dev", "1", "*"], "1. e4 e5 2. Nf3 *"),
            (&["Bench", "Engine-base", "2", "1-0"], "1. d4 d5 2. c4 1-0"),
        ],
    );
    let reported: Vec<usize> = problems("22-cut-in-a-comment-next-game-in-line")
        .iter()
        .map(Vec::len)
        .collect();
    assert_eq!(reported, [1, 0]);
    check(
        "01-event-behind-result",
        &names,
        &[
            (&["Test", "A, One", "1", "1/2-1/2"], "1. e4 e5 2. Nf3 Nc6 1/2-1/2"),
            (&["Second", "C, Three", "2", "1-0"], "1. d4 d5 2. c4 1-0"),
            (&["Third", "E, Five", "3", "0-1"], "1. c4 c5 0-1"),
        ],
    );
    check(
        "08-blank-in-a-tag-name",
        &["Round", "Annotator", "WhiteElo"],
        &[
            (&["1", "Engine 8", "-"], "1. Nf3 Nf6 2. g3 g6 0-1"),
            (&["2", "-", "2500"], "1. f4 e5 2. g4 Qh4# 0-1"),
        ],
    );
}

#[test]
fn results_in_unusual_forms() {
    needs!(samples);
    check(
        "39-both-lost",
        &["Result"],
        &[
            (&["*"], "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 *"),
            (&["*"], "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *"),
            (&["*"], "*"),
        ],
    );
    assert!(
        problems("39-both-lost")
            .iter()
            .all(|game| game.len() == 1 && game[0].contains("0-0"))
    );
    let results = [
        "1-0", "0-1", "*", "1-0", "0-1", "*", "1-0", "0-1", "1-0", "0-1", "1-0", "1-0",
    ];
    let wanted = results
        .each_ref()
        .map(|result| (std::slice::from_ref(result), *result));
    check("42-absent-players", &["Result"], &wanted);
    let reported: Vec<usize> = problems("42-absent-players").iter().map(Vec::len).collect();
    // A result in parentheses is a result.
    assert_eq!(reported, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1]);
    check(
        "10-free-result",
        &["Result"],
        &[
            (&["1/2-1/2"], "1. e4 e5 2. Nf3 Nc6 1/2-1/2"),
            (&["1-0"], "1. d4 d5 2. c4 e6 1-0"),
            (&["1-0"], "1. c4 e5 1-0"),
        ],
    );
    check(
        "41-result-glued-to-move",
        &["Result"],
        &[
            (&["0-1"], "1. f3 e5 2. g4 Qh4# 0-1"),
            (&["1-0"], "1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0"),
            (&["1/2-1/2"], "1. e4 e5 1/2-1/2"),
        ],
    );
    check(
        "t01.glued-result",
        &["Result"],
        &[(&["1-0"], "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0")],
    );
    for name in ["10-free-result", "41-result-glued-to-move", "t01.glued-result"] {
        assert!(problems(name).iter().all(Vec::is_empty), "{name}");
    }
}

#[test]
fn dates_in_unusual_forms() {
    needs!(samples);
    let dates = |name: &str| -> Vec<String> {
        games(name, &["Date"])
            .into_iter()
            .map(|mut game| game.0.remove(0))
            .collect()
    };
    let reported = |name: &str| -> Vec<bool> { problems(name).iter().map(|game| !game.is_empty()).collect() };
    assert_eq!(
        dates("38-dates"),
        [
            "2021.02.30",
            "2021.02.03",
            "2021.??.??",
            "2021.02.03",
            "2021.??.??",
            "????.02.03",
            "2021.??.??",
            "2021.02.??",
            "????.??.??",
            "2021.02.03"
        ]
    );
    let wanted = [true, false, true, false, false, false, true, false, true, false];
    assert_eq!(reported("38-dates"), wanted);
    assert_eq!(
        dates("t03.dates"),
        [
            "????.??.??",
            "????.??.??",
            "2025.09.30",
            "2025.09.30",
            "2025.09.30"
        ]
    );
    assert_eq!(reported("t03.dates"), [true, true, false, false, false]);
    assert_eq!(dates("t04.unknown-dates"), ["????.??.??"; 2]);
    assert_eq!(reported("t04.unknown-dates"), [false; 2]);
}

#[test]
fn stray_bytes_in_utf_8() {
    needs!(samples);
    check(
        "23-stray-byte-in-utf8",
        &["Event", "Site", "White", "Black"],
        &[
            (
                &[
                    "Liga élite — Memórial",
                    "Kraków POL",
                    "Tarrásch, Łukasz",
                    "Müller, K",
                ],
                "1. e4 e5 2. Nf3 1-0",
            ),
            (&["Test", "Here", "Łącki, Żółw", "B, Two"], "1. d4 d5 0-1"),
        ],
    );
    let reported: Vec<usize> = problems("23-stray-byte-in-utf8").iter().map(Vec::len).collect();
    assert_eq!(reported, [1, 0]);
    assert_eq!(
        games("t08.mixed-encoding", &["White"])[0].0,
        ["Šplímuster, Josef"]
    );
    assert_eq!(problems("t08.mixed-encoding")[0].len(), 1);
}

#[test]
fn files_that_differ_in_the_case_of_their_extension() {
    needs!(samples);
    let folder = case("t09.case");
    let files = vec!["a.PGN".to_owned(), "a.pgn".to_owned()];
    let source = chessdb::files::SourceFolder { path: folder, files };
    let format = chessdb::formats::FORMATS
        .iter()
        .find(|format| format.name == "pgn")
        .unwrap();
    let found = (format.find)(&source);
    let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["a.PGN", "a.pgn"]);
    assert!(found.iter().all(|found| found.warnings.is_empty()));
}

#[test]
fn words_that_are_glued_or_far_apart() {
    needs!(samples);
    check(
        "t02.glued-number",
        &[],
        &[(&[], "1. e4 e5 $3 2. Nf3 Nc6 $5 3. Bb5 $1 a6 *")],
    );
    check(
        "t02b.glued-number-plain",
        &[],
        &[(&[], "1. e4 d6 2. Nf3 Nf6 3. Nc3 g6 4. Bc4 *")],
    );
    assert_eq!(
        moves(&games("18-glued-moves", &[])[2].1),
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *"
    );
    check(
        "34-no-break-spaces",
        &[],
        &[
            (&[], "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0"),
            (&[], "1. e4 e5 2. Nf3 Nc6 1-0"),
            (&[], "1. e4 e5 2. Nf3 Nc6 1-0"),
        ],
    );
    check(
        "34-no-break-spaces-latin1",
        &[],
        &[(&[], "1. e4 e5 2. Nf3 Nc6 1-0")],
    );
    for name in [
        "t02.glued-number",
        "t02b.glued-number-plain",
        "34-no-break-spaces",
    ] {
        assert!(problems(name).iter().all(Vec::is_empty), "{name}");
    }
}

#[test]
fn names_of_tags_and_start_positions() {
    needs!(samples);
    let start = "qrknnbbr/pppppppp/8/8/8/8/PPPPPPPP/QRKNNBBR w KQkq - 0 1";
    let found = games(
        "24-Fen-and-Setup-in-other-case",
        &["FEN", "SetUp", "Setup", "Fen"],
    );
    assert_eq!(found[0].0, [start, "1", "-", "-"]);
    assert_eq!(moves(&found[1].1), "1. Qxe8+ Rxe8 2. Rxe8# *");
    assert_eq!(found[1].0[1..], ["1", "-", "-"]);
    let reported: Vec<usize> = problems("24-Fen-and-Setup-in-other-case")
        .iter()
        .map(Vec::len)
        .collect();
    assert!(reported[0] >= 1 && reported[1] == 1, "{reported:?}");
    check(
        "t11.lower-case-tags",
        &["Event", "Date", "White", "Result", "event", "fen"],
        &[(
            &["Probe", "2001.01.01", "Muster, A", "1-0", "-", "-"],
            "1. Ra8# 1-0",
        )],
    );
    assert_eq!(problems("t11.lower-case-tags")[0].len(), 1);
    check(
        "t06.fen-backslashes",
        &["FEN"],
        &[(&["8/8/8/4k3/8/8/8/6QK w - - 0 1"], "1. Qg5+ *")],
    );
    check(
        "t10.promotion-without-piece",
        &[],
        &[(&[], "1. a8=Q Kf6 2. Qf8+ *")],
    );
    assert_eq!(
        problems("t10.promotion-without-piece"),
        [["the promotion names no piece: a queen is taken"]]
    );
}

#[test]
fn small_things() {
    needs!(samples);
    check("t13.no-tags-no-number", &[], &[(&[], "1. e4 *")]);
    assert_eq!(games("t14.control-comment", &[])[0].1, "1. e4 e5 2. Nf3 *");
    let found = candidates(&case("33-rounds"));
    let [(format, candidate)] = found.as_slice() else {
        panic!("{} candidates", found.len())
    };
    let opened = testkit::samples::try_open_all(format, candidate, &chessdb::Options::default()).unwrap();
    let names: Vec<Option<&str>> = opened.iter().map(|part| part.name.as_deref()).collect();
    assert_eq!(
        names,
        [
            Some("round1/games.pgn"),
            Some("round2/games.pgn"),
            Some("READ ME.PGN")
        ]
    );
    let warnings = opened[0].database.info().warnings;
    for member in ["__MACOSX/round2/._games.pgn", "inner.zip"] {
        let said = format!("{member} is left out: ");
        assert!(
            warnings.iter().any(|warning| warning.starts_with(&said)),
            "{warnings:?}"
        );
    }
    assert!(
        opened
            .iter()
            .all(|part| part.database.len() == 1 && part.database.problems().is_empty())
    );
}
