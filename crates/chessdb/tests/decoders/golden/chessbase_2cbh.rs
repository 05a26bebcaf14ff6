//! Databases of ChessBase 17 and later: samples, damaged ones, and archives that ChessBase made.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use chessdb::ProblemKind;
use chessdb::game::Token;
use serde_json::Value;
use testkit::samples::{files_below, open_base, shared};

fn folder() -> PathBuf {
    shared().join("data/chessbase-2cbh")
}

fn sample(name: &str) -> Box<dyn Database> {
    open_base(&folder().join(name)).unwrap_or_else(|| panic!("{name} is no database"))
}

fn json(path: &str) -> Value {
    serde_json::from_slice(&fs::read(folder().join(path)).unwrap()).unwrap()
}

/// The numbers of a list.
fn numbers(list: &Value) -> Vec<usize> {
    let list = list.as_array().unwrap().iter();
    list.map(|number| number.as_u64().unwrap() as usize).collect()
}

/// A move with its annotations: its glyphs as a set, its comments joined and without blanks. Comments on a move may be
/// written before its variations or after them.
#[derive(Clone, Debug, Default, PartialEq)]
struct Node {
    san: String,
    nags: BTreeSet<String>,
    comment: String,
}

/// The nodes of a game in the order of PGN, with the brackets of variations as moves.
fn nodes(game: &Read) -> Vec<Node> {
    let node = |san: &str| Node {
        san: san.to_owned(),
        ..Node::default()
    };
    let mut nodes = vec![node("")];
    let (mut last, mut outer) = (0, Vec::new());
    for item in &game.movetext {
        match item.as_str() {
            "(" => {
                outer.push(last);
                nodes.push(node("("));
                last = nodes.len() - 1;
            }
            ")" => {
                last = outer.pop().unwrap();
                nodes.push(node(")"));
            }
            nag if nag.starts_with('$') => {
                nodes[last].nags.insert(nag.to_owned());
            }
            comment if comment.starts_with('{') => {
                let text = comment.trim_start_matches('{').trim_end_matches('}');
                nodes[last].comment.extend(text.split_whitespace());
            }
            san => {
                nodes.push(node(san));
                last = nodes.len() - 1;
            }
        }
    }
    nodes
}

fn moves(game: &Read) -> Vec<String> {
    nodes(game).into_iter().map(|node| node.san).collect()
}

/// The games of a sample, and the games of its PGN.
fn both(name: &str, expected: &str) -> (Vec<Read>, Vec<Read>) {
    let database = sample(name);
    let expected = pgn::read(&fs::read(folder().join(expected)).unwrap());
    assert_eq!(database.len() as usize, expected.len(), "{name}");
    (pgn::read(&export(&*database)), expected)
}

/// The first comment or remark of a game.
fn first_comment(game: &chessdb::game::Game) -> &str {
    let mut tokens = game.movetext.tokens().iter();
    let comment = tokens.find_map(|token| match token {
        Token::Comment(range) | Token::Remark(range) => Some(game.movetext.text(*range)),
        _ => None,
    });
    comment.unwrap_or_default()
}

/// Removes what is left of the remark after reading, its offset, because the expected PGN has no remarks.
fn without_remark(comment: &mut String, place: &str) {
    const BEGINNING: &str = "pgnfs offset ";
    let start = comment.find(BEGINNING).expect(place);
    let rest = &comment[start + BEGINNING.len()..];
    let len = rest.find([' ', '}']).expect(place);
    comment.replace_range(start..start + BEGINNING.len() + len, "");
}

#[track_caller]
fn assert_equal(given: &Read, expected: &Read, place: &str) {
    assert_eq!(given.tags, expected.tags, "tags of {place}");
    assert_eq!(given.outcome, expected.outcome, "result of {place}");
    for (number, (given, expected)) in nodes(given).iter().zip(&nodes(expected)).enumerate() {
        assert_eq!(given, expected, "node {number} of {place}");
    }
    assert_eq!(nodes(given).len(), nodes(expected).len(), "length of {place}");
}

#[test]
fn every_game_of_the_samples_is_the_expected_one() {
    needs!(samples);
    for name in ["plain", "annotated", "starts", "texts", "names"] {
        let (given, expected) = both(name, &format!("{name}.expected.pgn"));
        let notes = match name {
            "annotated" | "starts" => json(&format!("{name}.notes.json")),
            _ => serde_json::json!({ "kingless": {}, "cut": [] }),
        };
        let cut = numbers(&notes["cut"]);
        let database = sample(name);
        for (number, (mut given, expected)) in (1..).zip(given.into_iter().zip(expected)) {
            let place = format!("{name}, game {number}");
            let kingless = &notes["kingless"][number.to_string()];
            if kingless.is_object() {
                let decoded = database.game(number as u32 - 1);
                let text = first_comment(&decoded.game);
                assert!(text.starts_with("no game can be played"), "{text}");
                let position = kingless["placement"].as_str().unwrap();
                let moves: Vec<_> = kingless["moves"].as_array().unwrap().iter().collect();
                let moves: Vec<_> = moves.iter().map(|mv| mv.as_str().unwrap()).collect();
                assert!(text.contains(position), "{place}: {text}");
                assert!(text.contains(&moves.join(" ")), "{place}: {text}");
            }
            if cut.contains(&number) || kingless.is_object() {
                without_remark(&mut given.movetext[0], &place);
            }
            assert_equal(&given, &expected, &place);
        }
    }
}

#[test]
fn what_is_not_shown_is_a_problem_and_nothing_else_is() {
    needs!(samples);
    for (name, unknown, kingless) in [
        ("plain", 0, 0),
        ("annotated", 12, 0),
        ("starts", 0, 20),
        ("texts", 0, 0),
        ("names", 0, 0),
    ] {
        let database = sample(name);
        assert_eq!(database.problems(), [], "{name}");
        assert_eq!(database.info().warnings, [""; 0], "{name}");
        let games = 0..database.len();
        let problems: Vec<_> = games.flat_map(|game| database.game(game).problems).collect();
        let of = |kind, what: &str| {
            let is_one = |problem: &&chessdb::Problem| problem.kind == kind && problem.what.contains(what);
            problems.iter().filter(is_one).count()
        };
        let damage = of(ProblemKind::Damage, "");
        assert_eq!(
            (damage, of(ProblemKind::Damage, "unknown form")),
            (unknown, unknown),
            "{name}"
        );
        assert_eq!(
            of(ProblemKind::Unsupported, "no game can be played"),
            kingless,
            "{name}"
        );
        assert_eq!(of(ProblemKind::Doubt, ""), 0, "{name}");
    }
}

#[test]
fn main_lines_and_tags_are_those_of_the_games() {
    needs!(samples);
    for name in [
        "plain",
        "annotated",
        "starts",
        "damaged/words/base",
        "damaged/sizes/base",
    ] {
        let database = sample(name);
        for game in 0..database.len() {
            let decoded = database.game(game).game;
            assert_eq!(decoded.tags, database.tags(game), "game {game} of {name}");
            let (mut depth, mut expected) = (0, 0);
            for token in decoded.movetext.tokens() {
                match token {
                    Token::Move(..) if depth == 0 => expected += 1,
                    Token::VariationStart => depth += 1,
                    Token::VariationEnd => depth -= 1,
                    _ => {}
                }
            }
            let mut plies = 0;
            database.main_line(game, &mut |_| {
                plies += 1;
                std::ops::ControlFlow::Continue(())
            });
            assert_eq!(plies, expected, "game {game} of {name}");
            let count = decoded
                .tags
                .get("PlyCount")
                .map_or(0, |count| count.parse().unwrap());
            assert_eq!(plies, count, "game {game} of {name}");
        }
    }
}

#[test]
fn guiding_texts_are_files_by_their_languages() {
    needs!(samples);
    let database = sample("texts");
    let mut given = BTreeMap::new();
    for (number, member) in database.as_files().members().into_iter().enumerate() {
        assert_eq!(member.directory, "texts");
        let mut bytes = vec![0; member.size as usize];
        assert_eq!(
            database.as_files().read_member(number, 0, &mut bytes).unwrap(),
            bytes.len()
        );
        given.insert(member.name, bytes);
    }
    let expected = fs::read_dir(folder().join("texts.texts")).unwrap().map(|entry| {
        let entry = entry.unwrap();
        (
            entry.file_name().into_string().unwrap(),
            fs::read(entry.path()).unwrap(),
        )
    });
    assert_eq!(given, expected.collect());
}

#[test]
fn damage_costs_what_it_touches_and_is_named() {
    needs!(samples);
    let about = json("damaged/damaged.json");
    let shown = numbers(&about["shown"]);
    let games = |records: &Value| -> Vec<usize> {
        let place = |record: &usize| shown.iter().position(|shown| shown == record).unwrap();
        numbers(records).iter().map(place).collect()
    };
    let is_database = |case: &&Value| case["path"].as_str().unwrap().ends_with(".2cbh");
    let (mut exactly, mut with_problems) = (0, 0);
    for case in about["cases"].as_array().unwrap().iter().filter(is_database) {
        let name = format!(
            "damaged/{}",
            case["path"].as_str().unwrap().trim_end_matches(".2cbh")
        );
        let (given, expected) = both(&name, "damaged/base/base.expected.pgn");
        let database = sample(&name);
        let has_problems = !database.problems().is_empty() || !database.info().warnings.is_empty();
        let exact = games(&case["exact"]);
        for (number, (given, expected)) in given.iter().zip(&expected).enumerate() {
            let place = format!("game {} of {name}", number + 1);
            if exact.contains(&number) {
                assert_equal(given, expected, &place);
                exactly += 1;
            } else {
                let problems = database.game(number as u32).problems;
                let is_equal = nodes(given) == nodes(expected) && given.tags == expected.tags;
                let is_named = has_problems || !problems.is_empty();
                assert!(is_equal || is_named, "{place}: {}", case["what"]);
                with_problems += usize::from(is_named);
            }
        }
        for number in games(&case["moves"]) {
            assert_eq!(
                moves(&given[number]),
                moves(&expected[number]),
                "game {} of {name}",
                number + 1
            );
        }
    }
    assert!(exactly > 10 && with_problems > 10, "{exactly} {with_problems}");
}

/// Names the folder with the four archives of books that section 15 of the page counts, or with what they unpack to.
const ARCHIVES: &str = "PGNFS_2CBV";

/// SHA-256 of the archives: 0796215c1af2f18076411e194bd9197a38683ad7b48a67df5a00f7062f1c4207,
/// 4676049744f6ec18b24c1864a24dc4e745f0f6d0a134df59c7d7aac17bb5e09d,
/// 0a198ffd3f564f5cbb322531a65dbb4f1e607ae3d2a8d69de23b138f299ef1cf,
/// c58f8cdb2241727a4f8d7cdffd3e2d435265816dd8fc33f62a146f119b87f433.
#[test]
fn archives_of_chessbase_have_the_counts_of_the_page() {
    let Ok(path) = std::env::var(ARCHIVES) else {
        eprintln!("SKIPPED: {ARCHIVES} does not name the folder of the archives");
        return;
    };
    let files = files_below(Path::new(&path)).into_iter();
    let is_main = |path: &PathBuf| {
        path.extension()
            .is_some_and(|kind| kind == "2cbh" || kind == "2cbv")
    };
    let bases: BTreeSet<PathBuf> = files
        .filter(is_main)
        .map(|path| path.with_extension(""))
        .collect();
    let mut counts = BTreeMap::new();
    let mut count = |what, number: usize| *counts.entry(what).or_insert(0) += number;
    for base in bases {
        let database = open_base(&base).unwrap();
        count("games", database.len() as usize);
        assert_eq!(database.problems(), [], "{}", base.display());
        let texts = database
            .info()
            .rows
            .into_iter()
            .find(|(name, _)| *name == "guiding texts");
        count("texts", texts.map_or(0, |(_, texts)| texts.parse().unwrap()));
        for game in 0..database.len() {
            let decoded = database.game(game);
            count("deleted", usize::from(decoded.game.tags.get("Deleted").is_some()));
            for problem in decoded.problems {
                assert_eq!(problem.kind, ProblemKind::Unsupported, "{problem}");
                let is_start = problem.what.contains("no game can be played");
                count(if is_start { "without kings" } else { "not shown" }, 1);
            }
            for token in decoded.game.movetext.tokens() {
                match token {
                    Token::Move(san, _) => {
                        count("moves", 1);
                        count("null moves", usize::from(san.to_string().starts_with("--")));
                        count("castlings", usize::from(san.to_string().starts_with("O-O")));
                    }
                    Token::VariationStart => count("alternatives", 1),
                    _ => {}
                }
            }
            count("set-ups", usize::from(decoded.game.tags.get("FEN").is_some()));
        }
    }
    let expected = BTreeMap::from([
        ("games", 577),
        ("texts", 139),
        ("deleted", 1),
        ("without kings", 8),
        // One training question.
        ("not shown", 1),
        // Null moves are moves.
        ("moves", 62_222 + 354),
        ("castlings", 866),
        ("null moves", 354),
        ("alternatives", 4_210),
        ("set-ups", 188),
    ]);
    assert_eq!(counts, expected);
}
