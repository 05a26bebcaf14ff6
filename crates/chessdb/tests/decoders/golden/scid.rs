//! The samples of Scid. Their expected PGN was exported by Scid and is not valid PGN, so it is corrected
//! first.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use chessdb::Options;
use chessdb::game::{Date, Eco, ROSTER};
use testkit::samples::{Sample, candidates, open, read_text, shared};

/// Tags that Scid's export leaves out.
const NOT_EXPORTED: [&str; 2] = ["ScidFlags", "Deleted"];

/// The games in an export of Scid.
fn read_export(text: &str) -> Vec<Read> {
    let mut games: Vec<Vec<&str>> = Vec::new();
    let mut before = "";
    for line in text.lines() {
        if line.starts_with("[Event \"") && before.trim().is_empty() {
            games.push(Vec::new());
        }
        if let Some(game) = games.last_mut() {
            game.push(line);
        }
        before = line;
    }
    games.iter().map(|lines| read_game(lines)).collect()
}

fn read_game(lines: &[&str]) -> Read {
    let tags = lines.iter().take_while(|line| line.starts_with('[')).count();
    let (tags, movetext) = lines.split_at(tags);
    let mut text = String::new();
    for tag in tags {
        let (name, value) = tag.split_once(" \"").unwrap();
        // Scid exports names that PGN does not allow.
        if !name.starts_with("[_") {
            let value = value.strip_suffix("\"]").unwrap();
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("{name} \"{value}\"]\n"));
        }
    }
    // An empty line may follow the first comment, and any comment may contain one.
    let movetext: Vec<&str> = movetext.iter().copied().filter(|line| !line.is_empty()).collect();
    let movetext = without_empty_variations(&movetext.join("\n "));
    let mut games = pgn::read(format!("{text}\n{movetext}\n\n").as_bytes());
    assert_eq!(games.len(), 1);
    games.pop().unwrap()
}

/// Movetext without empty variations, whose comments are moved to the previous move.
fn without_empty_variations(movetext: &str) -> String {
    let mut text = String::new();
    // Offsets of open parentheses, and whether a move has followed.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut rest = movetext;
    while let Some(c) = rest.chars().next() {
        let mut len = c.len_utf8();
        match c {
            '{' => {
                len = rest.find('}').map_or(rest.len(), |end| end + 1);
                text.push_str(&rest[..len]);
            }
            '(' => {
                open.push((text.len(), false));
                text.push(c);
            }
            ')' => match open.pop().unwrap() {
                (_, true) => text.push(c),
                (start, false) => text.replace_range(start..=start, " "),
            },
            _ => {
                if let Some((_, has_move)) = open.last_mut().filter(|_| !c.is_whitespace()) {
                    *has_move = true;
                }
                text.push(c);
            }
        }
        rest = &rest[len..];
    }
    text
}

/// Converts a tag's value to one that both sides can show: spaces for control characters, and no escapes,
/// which old versions stored and Scid does not remove.
fn plain(value: &str) -> String {
    let value = value.replace(|c: char| c.is_ascii_control(), " ");
    value.replace("\\\"", "\"").replace("\\\\", "\\")
}

fn normalize(game: &mut Read) {
    game.tags.retain(|name, _| !NOT_EXPORTED.contains(&name.as_str()));
    game.tags.values_mut().for_each(|value| *value = plain(value));
    // Scid writes empty names; the standard has `?` for unknown values of the roster.
    for (name, unknown) in ROSTER {
        let value = game.tags.get_mut(name).filter(|value| value.is_empty());
        value.into_iter().for_each(|value| *value = unknown.to_owned());
    }
}

/// Removes glyphs that Scid drops when it loads a game: of some kinds it keeps only one for each move. Returns the
/// number of removed glyphs.
fn drop_surplus_glyphs(game: &mut Read, expected: &Read) -> usize {
    let before = game.movetext.len();
    let mut at = 0;
    game.movetext.retain(|item| {
        let glyph = item
            .strip_prefix('$')
            .and_then(|number| number.parse::<u8>().ok());
        let is_single = glyph.is_some_and(|number| matches!(number, 1..=6 | 10..=21));
        let is_surplus = is_single && expected.movetext.get(at) != Some(item);
        at += usize::from(!is_surplus);
        !is_surplus
    });
    before - game.movetext.len()
}

fn compare(database: &dyn Database, expected: &str, name: &str) -> (usize, usize) {
    let given = pgn::read(&export(database));
    let expected = read_export(expected);
    assert_eq!(given.len(), expected.len(), "games of {name}");
    let mut surplus = 0;
    let games = given.len();
    for (number, (mut given, mut expected)) in given.into_iter().zip(expected).enumerate() {
        normalize(&mut given);
        normalize(&mut expected);
        surplus += drop_surplus_glyphs(&mut given, &expected);
        assert_same(&given, &expected, &format!("{name}, game {}", number + 1));
        let mut line = 0;
        database.main_line(u32::try_from(number).unwrap(), &mut |_| {
            line += 1;
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(
            line,
            given.main_line().len(),
            "main line of {name}, game {}",
            number + 1
        );
    }
    (games, surplus)
}

#[test]
fn every_game_equals_its_expected_pgn() {
    needs!(samples);
    let (mut games, mut surplus) = (0, 0);
    // Another test unpacks compressed databases.
    let is_there = |sample: &Sample| !candidates(&sample.base).is_empty();
    for sample in samples("scid").into_iter().filter(is_there) {
        let database = open_base(&sample.base).unwrap_or_else(|| panic!("{} is no database", sample.name));
        assert!(database.problems().is_empty(), "{}", sample.name);
        assert!(database.info().warnings.is_empty(), "{}", sample.name);
        let (compared, dropped) = compare(&*database, &sample.expected, &sample.name);
        // Only a program that wrote version 3 stored several.
        assert!(dropped == 0 || sample.name.starts_with("si3"), "{}", sample.name);
        games += compared;
        surplus += dropped;
    }
    eprintln!("scid: {games} games compared");
    assert!(surplus < 20, "{surplus} glyphs that Scid does not show");
}

/// 106,000 players: numbers and frequencies need three bytes.
#[test]
fn many_names_are_found() {
    needs!(samples);
    let shared = shared();
    let folder = shared.join("data/scid/names");
    let unpacked = tempfile::tempdir().unwrap();
    for kind in ["si4", "sn4", "sg4", "si5", "sn5", "sg5"] {
        let packed = std::fs::File::open(folder.join(format!("manynames.{kind}.gz"))).unwrap();
        let mut file = std::fs::File::create(unpacked.path().join(format!("{kind}.{kind}"))).unwrap();
        std::io::copy(&mut flate2::read::GzDecoder::new(packed), &mut file).unwrap();
    }
    let expected = read_text(&folder.join("manynames.expected.pgn.gz"));
    for version in [4, 5] {
        for kind in ["si", "sn", "sg"] {
            let kind = format!("{kind}{version}");
            let from = unpacked.path().join(format!("{kind}.{kind}"));
            std::fs::rename(from, unpacked.path().join(format!("v{version}.{kind}"))).unwrap();
        }
        let database = open_base(&unpacked.path().join(format!("v{version}"))).unwrap();
        assert_eq!(compare(&*database, &expected, "manynames").0, 66_000);
    }
}

/// The same PGN was imported into version 4 and version 5, and Scid exports only one of them.
#[test]
fn long_games_are_the_same_in_versions_4_and_5() {
    needs!(samples);
    let shared = shared();
    let text = |version: &str| {
        let base = shared.join("data/scid").join(version).join("long");
        export(&*open_base(&base).unwrap())
    };
    assert!(text("si4") == text("si5"));
}

#[test]
fn flags_are_tags_and_deleted_games_say_so() {
    needs!(samples);
    let shared = shared();
    for version in ["si4", "si5"] {
        let database = open_base(&shared.join("data/scid").join(version).join("flags")).unwrap();
        let flags = |number: u32| {
            let tags = database.tags(number - 1);
            let is_deleted = tags.get("Deleted") == Some("1");
            assert_eq!(database.keys(number - 1).deleted, is_deleted);
            (tags.get("ScidFlags").unwrap_or_default().to_owned(), is_deleted)
        };
        assert_eq!(flags(1), (String::new(), true));
        for (number, letter) in (2..).zip("WBMENPTKQ!?U123456".chars()) {
            assert_eq!(
                flags(number),
                (letter.to_string(), number == 3),
                "{version}, game {number}"
            );
        }
        assert_eq!(flags(25), ("WU6".to_owned(), true));
        let deleted: Vec<u32> = (1..=database.len()).filter(|&number| flags(number).1).collect();
        assert_eq!(deleted, [1, 3, 25, 30, 31, 32]);
    }
}

#[test]
fn the_description_of_the_database_is_shown() {
    needs!(samples);
    let shared = shared();
    for version in ["si4", "si5"] {
        let database = open_base(&shared.join("data/scid").join(version).join("flags")).unwrap();
        let info = database.info();
        let value = |name: &str| {
            let row = info.rows.iter().find(|(row, _)| *row == name);
            row.map(|(_, value)| value.as_str())
        };
        assert_eq!(value("version"), version.get(2..));
        assert_eq!(value("description"), Some("A test base with flags: Ünïcödé ½"));
        assert_eq!(value("type"), Some("3 (PGN)"));
        assert_eq!(value("autoload"), Some("game 7"));
        assert_eq!([value("flag 1"), value("flag 6")], [Some("cust1"), Some("cust6")]);
    }
}

#[test]
fn views_have_plain_opening_codes_and_years_of_events() {
    needs!(samples);
    let shared = shared();
    for version in ["si3", "si4", "si5"] {
        let database = open_base(&shared.join("data/scid").join(version).join("hand")).unwrap();
        let second = database.keys(1);
        assert_eq!(second.eco, Eco::new(*b"C42"), "of C42b2");
        assert_eq!(database.tags(1).get("ECO"), Some("C42b2"));
        let third = database.keys(2);
        assert_eq!((third.date, third.event_year), (Date::new(2000, 5, 0), 2003));
        // The same names have the same id.
        assert_eq!((third.white, third.black), (second.white, second.black));
        assert_eq!(database.text(third.white), "A");
    }
}

#[test]
fn old_texts_are_read_in_any_encoding_that_is_wanted() {
    needs!(samples);
    let shared = shared();
    let (format, candidate) = candidates(&shared.join("data/scid/si3/latin1")).pop().unwrap();
    let mut forced = Options::default();
    forced.encoding = Some("windows-1251".to_owned());
    let text = |options: &Options| {
        let database = open(format, &candidate, options).unwrap();
        String::from_utf8(export(&*database)).unwrap()
    };
    let own = text(&Options::default());
    for part in ["Müller, Jürgen", "Ångström", "Grüße"] {
        assert!(own.contains(part), "{own}");
    }
    let russian = text(&forced);
    for part in ["Mьller, Jьrgen", "Еngstrцm", "GrьЯe"] {
        assert!(russian.contains(part), "{russian}");
    }
}

/// Games in which the reference reader finds no damage because it ignores pieces between a rook and its
/// target.
const BLOCKED: [(&str, u64); 1] = [("c17_flips", 9)];

#[test]
fn damaged_databases_show_what_can_be_read() {
    needs!(samples);
    let shared = shared();
    let folder = shared.join("data/scid");
    let cases = std::fs::read_to_string(folder.join("corrupt/cases.json")).unwrap();
    let cases: serde_json::Map<String, Value> = serde_json::from_str(&cases).unwrap();
    assert!(cases.len() > 5, "{}", cases.len());
    for (name, case) in &cases {
        let wanted = case["entries_to_show"].as_u64().unwrap();
        let Some(database) = open_base(&folder.join("corrupt").join(name)) else {
            assert_eq!(wanted, 0, "{name}");
            continue;
        };
        assert_eq!(u64::from(database.len()), wanted, "{name}");
        let source = format!("si{}/{}", case["version"], case["source"].as_str().unwrap());
        let expected = read_export(&read_text(&folder.join(format!("{source}.expected.pgn.gz"))));
        let numbers = |list: &Value| -> Option<BTreeSet<u64>> {
            let list = list.as_array()?.iter();
            Some(list.map(|number| number.as_u64().unwrap()).collect())
        };
        let mut damaged = BTreeSet::new();
        for game in 0..database.len() {
            let number = u64::from(game) + 1;
            let decoded = database.game(game);
            let mut given = pgn::read(&to_pgn(&decoded.game)).pop().unwrap();
            let has_remark = given.movetext.iter().any(|item| item.contains("pgnfs"));
            let in_index = |file: &str| file.contains(".si") && file.starts_with(name);
            let has_no_bytes = ["there is no file of games", "the index gives the game no bytes"];
            let is_told = decoded
                .problems
                .iter()
                .any(|problem| !in_index(&problem.file) || has_no_bytes.contains(&&*problem.what));
            assert_eq!(has_remark, is_told, "{name}, game {number}");
            if has_remark {
                damaged.insert(number);
            } else if let Some(expected) = expected.get(game as usize)
                && !name.ends_with("flips")
            {
                normalize(&mut given);
                assert_eq!(given.movetext, expected.movetext, "{name}, game {number}");
            }
        }
        if let Some(mut found) = numbers(&case["games_with_damage"]) {
            found.extend(
                BLOCKED
                    .iter()
                    .filter(|(in_case, _)| in_case == name)
                    .map(|(_, game)| game),
            );
            assert_eq!(damaged, found, "{name}");
        }
    }
}

/// The missing byte of its names file is the length of a name.
#[test]
fn names_before_a_lost_byte_are_good() {
    needs!(samples);
    let shared = shared();
    let open = |path: &str| open_base(&shared.join("data/scid").join(path)).unwrap();
    let (damaged, sound) = (open("real-si3/tactics"), open("real-si4/tactics"));
    assert_eq!(damaged.problems().len(), 1);
    assert_eq!(damaged.len(), sound.len());
    let mut known = 0;
    for game in 0..sound.len() {
        let (mut given, mut expected) = (damaged.tags(game), sound.tags(game));
        for side in ["White", "Black"] {
            let name = given.get(side).unwrap();
            if name != "?" {
                known += 1;
                assert_eq!(Some(name), expected.get(side));
            }
        }
        for tags in [&mut given, &mut expected] {
            for name in ["Event", "Site", "Round", "White", "Black"] {
                tags.set_str(name, "?");
            }
        }
        assert!(given.iter().eq(expected.iter()), "tags of game {}", game + 1);
        let movetext = |database: &dyn Database| database.game(game).game.movetext.tokens().to_vec();
        assert!(movetext(&*damaged) == movetext(&*sound), "game {}", game + 1);
    }
    assert!(known > 200, "{known} players");
}
