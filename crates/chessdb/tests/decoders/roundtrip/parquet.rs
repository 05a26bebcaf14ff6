use std::panic::catch_unwind;
use std::sync::Arc;

use super::random::{Kinds, game};
use super::*;
use chessdb::files::{Files, SourceFile};
use chessdb::formats::{FORMATS, Format};
use chessdb::{Options, ProblemKind};
use encode_parquet::Form;
use testkit::cases;
use testkit::harness::frame::Input;
use testkit::harness::sweep::{Strictness, sweep};

const KINDS: Kinds = Kinds {
    variations: true,
    comments: true,
    nags: true,
    set_ups: true,
    null_moves: true,
};

const USUAL: Form = Form {
    group: 1000,
    page: 100,
    has_dictionaries: true,
    is_packed: true,
    is_new: false,
};

fn games(count: u64) -> Vec<SourceGame> {
    (0..count).map(|number| game(number, KINDS)).collect()
}

fn format() -> &'static Format {
    FORMATS.iter().find(|format| format.name == "parquet").unwrap()
}

fn open(bytes: Vec<u8>) -> Result<Box<dyn Database>, String> {
    let file = SourceFile {
        name: "games.parquet".to_owned(),
        bytes: Arc::new(bytes),
    };
    let files = Files::new(vec![("parquet".to_owned(), file)]);
    let opened = (format().open)(files, &Options::default());
    opened
        .map(|mut all| all.remove(0).database)
        .map_err(|error| error.to_string())
}

#[test]
fn random_games_come_back_exactly_from_every_form_of_a_table() {
    let games = games(most_games());
    for has_dictionaries in [false, true] {
        for is_packed in [false, true] {
            for is_new in [false, true] {
                for (group, page) in [(5000, 5000), (200, 64), (64, 1)] {
                    let form = Form {
                        group,
                        page,
                        has_dictionaries,
                        is_packed,
                        is_new,
                    };
                    let database = open(encode_parquet::bytes(&games, form).unwrap()).unwrap();
                    assert_comes_back(&*database, &games);
                }
            }
        }
    }
}

/// As the tags of PGN, a column in another letter case counts where the usual one is missing.
#[test]
fn names_of_columns_have_any_letter_case() {
    let renamed = [
        ("FEN", "Fen"),
        ("ECO", "eCO"),
        ("WhiteElo", "WhiteELO"),
        ("White", "WHITE"),
    ];
    let mut all = games(300);
    for (number, game) in all.iter_mut().enumerate() {
        game.tags.retain(|(name, _)| name != "ECO" && name != "WhiteElo");
        game.tags
            .push(("ECO".to_owned(), format!("B{:02}", number % 100)));
        game.tags
            .push(("WhiteElo".to_owned(), (2000 + number).to_string()));
    }
    let right = open(encode_parquet::bytes(&all, USUAL).unwrap()).unwrap();
    for (name, _) in all.iter_mut().flat_map(|game| &mut game.tags) {
        if let Some((_, other)) = renamed.iter().find(|(usual, _)| usual == name) {
            // A column in small letters is no tag.
            *name = other.replace("eCO", "Eco");
        }
    }
    let table = open(encode_parquet::bytes(&all, USUAL).unwrap()).unwrap();
    let mut set_up = 0;
    for game in 0..300 {
        let plies = |database: &dyn Database| {
            let mut plies = Vec::new();
            database.main_line(game, &mut |ply| {
                plies.push(ply.position.fen());
                std::ops::ControlFlow::Continue(())
            });
            plies
        };
        assert_eq!(plies(&*table), plies(&*right), "{game}");
        assert_eq!(table.ratings(game), right.ratings(game), "{game}");
        assert_eq!(table.keys(game).eco, right.keys(game).eco, "{game}");
        let [own, others] = [&table, &right].map(|table| table.text(table.keys(game).white));
        assert_eq!(own, others, "{game}");
        assert_eq!(table.tags(game), right.tags(game), "{game}");
        let items = |database: &dyn Database| items_of_game(&database.game(game).game);
        assert_eq!(items(&*table), items(&*right), "{game}");
        set_up += usize::from(table.tags(game).get("FEN").is_some());
    }
    assert!(set_up > 10, "{set_up}");
}

/// A tag may be in its column, in `other_tags` and above the moves, with or without a value. All who read it find the same
/// value: first the one in its column; if it has no column, the one in `other_tags`; and then the one above the moves.
#[test]
fn a_tag_is_the_same_for_all_who_read_it_wherever_it_is_stored() {
    let tag = |name: &str, value: Option<&str>| {
        let text = |value| format!("[Board \"2\"] [{name} \"{value}\"]");
        value.map_or("[Board \"2\"]".to_owned(), text)
    };
    let values = [
        ("White", ["Tal", "Keres", "Smyslov"]),
        ("Event", ["Riga", "Tallinn", "Moscow"]),
        ("Date", ["1985.11.09", "1986.10.08", "1987.09.07"]),
        ("ECO", ["B90", "C50", "E99"]),
        ("WhiteElo", ["2500", "2600", "2700"]),
        ("Annotator", ["Tal", "Keres", "Smyslov"]),
    ];
    for (name, [in_column, in_others, in_pgn]) in values {
        for has_column in [false, true] {
            for has_pgn in [false, true] {
                let cells = [None, Some(""), Some(in_column)];
                let cells = if has_column { &cells[..] } else { &cells[..1] };
                let others = [None, Some(None), Some(Some(in_others))];
                let texts = if has_pgn {
                    &[None, Some(in_pgn)][..]
                } else {
                    &[None]
                };
                let mut rows = Vec::new();
                for cell in cells {
                    for other in others {
                        rows.extend(texts.iter().map(|text| (*cell, other, *text)));
                    }
                }
                let games = rows.iter().map(|(cell, other, text)| {
                    // The other tags of the roster have columns in all tables.
                    let mut game = game(1, KINDS);
                    game.items.clear();
                    game.tags
                        .retain(|(own, _)| !["FEN", "SetUp", name].contains(&own.as_str()));
                    let mut set = |name: &str, value: Option<String>| {
                        value.into_iter().for_each(|value| game.set_tag(name, &value));
                    };
                    set(name, cell.map(str::to_owned));
                    set("other_tags", other.map(|other| tag(name, other)));
                    set("pgn", has_pgn.then(|| format!("{}\n\n1. e4 *", tag(name, *text))));
                    game
                });
                let games: Vec<SourceGame> = games.collect();
                let database = open(encode_parquet::bytes(&games, USUAL).unwrap()).unwrap();
                for (number, row) in (0..).zip(&rows) {
                    let (cell, other, text) = row;
                    let other = other.flatten().filter(|_| !has_column);
                    let wanted = cell.filter(|cell| !cell.is_empty()).or(other).or(*text);
                    let tags = database.tags(number);
                    let known = tags.get(name).filter(|value| !value.starts_with('?'));
                    assert_eq!(known, wanted, "{name} {row:?}");
                    assert_eq!(database.game(number).game.tags, tags, "{name} {row:?}");
                    let (keys, ratings) = (database.keys(number), database.ratings(number));
                    assert_eq!(
                        database.text(keys.white),
                        tags.get("White").unwrap(),
                        "{name} {row:?}"
                    );
                    assert_eq!(
                        database.text(keys.event),
                        tags.get("Event").unwrap(),
                        "{name} {row:?}"
                    );
                    assert_eq!(keys.date.to_string(), tags.get("Date").unwrap(), "{name} {row:?}");
                    let eco = keys.eco.map(|eco| eco.to_string());
                    assert_eq!(eco.as_deref(), tags.get("ECO"), "{name} {row:?}");
                    let rating = tags.get("WhiteElo").and_then(chessdb::game::rating);
                    assert_eq!(ratings.white, rating, "{name} {row:?}");
                }
            }
        }
    }
}

#[test]
fn games_are_read_in_any_order() {
    let games = games(500);
    let database = open(encode_parquet::bytes(&games, USUAL).unwrap()).unwrap();
    for step in 0..500 {
        let number = step * 211 % 500;
        let decoded = database.game(number).game;
        assert_eq!(items_of_game(&decoded), games[number as usize].texts());
    }
}

/// Pages are kept by their table, their column and group of rows, and their number there: two tables with as many games
/// are read in turn.
#[test]
fn games_of_two_tables_are_read_in_turn() {
    let all = games(600);
    let (first, second) = all.split_at(300);
    let form = Form {
        group: 100,
        page: 20,
        ..USUAL
    };
    let tables = [first, second].map(|games| open(encode_parquet::bytes(games, form).unwrap()).unwrap());
    for step in 0..600 {
        let (number, table) = (step * 101 % 300, step % 2);
        for table in [table, 1 - table] {
            let decoded = tables[table].game(number as u32).game;
            let own = [first, second][table];
            assert_eq!(
                items_of_game(&decoded),
                own[number].texts(),
                "{number} of {table}"
            );
        }
    }
}

#[test]
fn a_page_that_is_damaged_costs_its_games_alone() {
    let games = games(400);
    let form = Form {
        is_packed: false,
        has_dictionaries: false,
        ..USUAL
    };
    let sound = encode_parquet::bytes(&games, form).unwrap();
    // The length of the first name on the second page of White's names.
    let name = games[100].tag("White").unwrap();
    let text = [
        &u32::try_from(name.len()).unwrap().to_le_bytes()[..],
        name.as_bytes(),
    ]
    .concat();
    let places: Vec<usize> = sound
        .windows(text.len())
        .enumerate()
        .filter(|(_, at)| *at == text)
        .map(|(at, _)| at)
        .collect();
    let mut hits = 0;
    for place in places {
        let mut damaged = sound.clone();
        damaged[place + 3] = 0xff;
        let database = open(damaged).unwrap();
        let lost = |number: &u32| database.game(*number).game.tags.get("White") == Some("?");
        let lost: Vec<u32> = (0..400).filter(lost).collect();
        if !lost.contains(&100) {
            continue;
        }
        hits += 1;
        assert_eq!(lost, (100..200).collect::<Vec<u32>>());
        for (number, game) in (0..).zip(&games) {
            let decoded = database.game(number);
            assert_eq!(items_of_game(&decoded.game), game.texts());
            assert_eq!(database.tags(number), decoded.game.tags);
            let is_lost = (100..200).contains(&number);
            assert_eq!(decoded.problems.len(), usize::from(is_lost), "{number}");
            if let [problem] = decoded.problems.as_slice() {
                assert_eq!(problem.kind, ProblemKind::Damage);
                assert!(
                    problem.what.starts_with("the column White is not read here"),
                    "{problem}"
                );
                let offset = usize::try_from(problem.offset.unwrap()).unwrap();
                assert!(offset < place && place - offset < 200, "{problem}");
            }
        }
    }
    assert_eq!(hits, 1);
}

#[test]
fn what_is_no_table_of_games_says_why() {
    let mut games = games(3);
    let sound = encode_parquet::bytes(&games, USUAL).unwrap();
    let reason = |bytes: &[u8]| open(bytes.to_vec()).err().unwrap_or_default();
    assert_eq!(reason(b"x"), "the file does not begin as Parquet files do");
    let cut = reason(&sound[..sound.len() - 1]);
    assert!(cut.contains("was cut, or is still being written"), "{cut}");
    let mut encrypted = sound.clone();
    encrypted.truncate(sound.len() - 4);
    encrypted.extend(b"PARE");
    assert!(reason(&encrypted).contains("encrypted"));
    // The same table with another name for its moves.
    let renamed: Vec<u8> = String::from_utf8_lossy(b"movetext").bytes().collect();
    let mut other = sound.clone();
    for at in 0..other.len() - renamed.len() {
        if other[at..].starts_with(&renamed) {
            other[at] = b'M';
        }
    }
    assert!(
        reason(&other).contains("no column movetext"),
        "{}",
        reason(&other)
    );
    games.clear();
    assert_eq!(
        open(encode_parquet::bytes(&games, USUAL).unwrap()).unwrap().len(),
        0
    );
}

#[test]
fn whatever_bytes_a_table_has_it_is_read_within_the_bounds() {
    let games = games(12);
    let mut read = 0;
    for form in [
        USUAL,
        Form {
            page: 3,
            is_new: true,
            ..USUAL
        },
        Form {
            group: 5,
            is_packed: false,
            has_dictionaries: false,
            ..USUAL
        },
    ] {
        let sound = encode_parquet::bytes(&games, form).unwrap();
        let step = sound.len() / cases(80, 400) + 1;
        let cuts = (0..sound.len()).step_by(step).map(|at| sound[..at].to_vec());
        let changes = (0..sound.len()).step_by(step).flat_map(|at| {
            [0xff, 0x01, 0x80].map(|bits| {
                let mut changed = sound.clone();
                changed[at] ^= bits;
                changed
            })
        });
        for bytes in cuts.chain(changes).chain([sound.clone()]) {
            let input = Input::new([("games.parquet".to_owned(), bytes.clone())]);
            let swept = catch_unwind(|| sweep("parquet", &input, Strictness::default()));
            let swept = swept.unwrap_or_else(|_| panic!("{form:?}: {} bytes", bytes.len()));
            read += swept.databases;
        }
    }
    assert!(read > cases(200, 1000), "{read}");
}
