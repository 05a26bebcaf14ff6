//! `games.csv` and `games.ndjson`.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use chessdb::game::Outcome;
use proptest::prelude::*;

use crate::common::pgn;
use crate::fake::{Fake, game};
use crate::mounted::{Mounted, mount};

/// What a table says of a game: its columns that say something.
pub type Row = BTreeMap<String, String>;

/// The rows of a table of comma-separated values, and its columns.
pub fn read_csv(text: &str) -> (Vec<String>, Vec<Row>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        let fields = columns.iter().cloned().zip(record.iter().map(str::to_owned));
        fields.filter(|(_, value)| !value.is_empty()).collect()
    });
    let rows = rows.collect();
    (columns, rows)
}

/// The rows of a table of JSON objects.
pub fn read_ndjson(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        let fields = object.into_iter().map(|(name, value)| match value {
            serde_json::Value::String(text) => (name, text),
            serde_json::Value::Number(number) => {
                assert_eq!(name, "number", "{line}");
                (name, number.to_string())
            }
            other => panic!("{name}: {other}"),
        });
        fields.collect()
    };
    text.lines().map(row).collect()
}

/// The rows that the PGN of all games asks for.
pub fn expected(all: &str, digits: usize) -> Vec<Row> {
    let rows = pgn::read(all.as_bytes()).into_iter().enumerate();
    rows.map(|(game, read)| {
        let number = game + 1;
        let block = game / 1000 * 1000;
        let path = format!(
            "games/{:0digits$}-{:0digits$}/{number:0digits$}.pgn",
            block + 1,
            block + 1000
        );
        let says_something = |value: &String| !["", "?", "????.??.??"].contains(&value.as_str());
        let tags = read.tags.into_iter().filter(|(_, value)| says_something(value));
        tags.chain([
            ("number".to_owned(), number.to_string()),
            ("path".to_owned(), path),
        ])
        .collect()
    })
    .collect()
}

#[test]
fn the_tables_of_a_small_database() {
    let tree = mount(Fake::of([
        game("Morphy, Paul", "Duke \"Karl\"")
            .event("Opéra")
            .date(1858, 0, 0)
            .outcome(Outcome::WhiteWins)
            .tag("WhiteElo", "2690")
            .tag("Annotator", "?"),
        game("a\nb", "?").deleted().tag("ECO", "C41").tag("Remark", ""),
    ]));
    assert_eq!(
        tree.cat("games.csv"),
        "number,Event,Site,Date,Round,White,Black,Result,Deleted,ECO,WhiteElo,path\n\
         1,Opéra,,1858.??.??,,\"Morphy, Paul\",\"Duke \"\"Karl\"\"\",1-0,,,2690,games/000001-001000/000001.pgn\n\
         2,,,,,ab,,*,1,C41,,games/000001-001000/000002.pgn\n"
    );
    assert_eq!(
        tree.cat("games.ndjson"),
        "{\"number\":1,\"Event\":\"Opéra\",\"Date\":\"1858.??.??\",\"White\":\"Morphy, Paul\",\
         \"Black\":\"Duke \\\"Karl\\\"\",\"Result\":\"1-0\",\"WhiteElo\":\"2690\",\
         \"path\":\"games/000001-001000/000001.pgn\"}\n\
         {\"number\":2,\"White\":\"ab\",\"Result\":\"*\",\"Deleted\":\"1\",\"ECO\":\"C41\",\
         \"path\":\"games/000001-001000/000002.pgn\"}\n"
    );
}

#[test]
fn a_tag_that_is_called_like_a_column_gets_another_name() {
    let tree = mount(Fake::of([
        game("a", "b").tag("number", "seven").tag("path", "x"),
        game("a", "b").tag("Path", "y"),
    ]));
    let (columns, rows) = read_csv(&tree.cat("games.csv"));
    assert_eq!(
        columns[8..],
        ["Path", "tag:number", "tag:path", "path"].map(str::to_owned)
    );
    assert_eq!(
        (rows[0]["tag:number"].as_str(), rows[0]["number"].as_str()),
        ("seven", "1")
    );
    assert_eq!(read_ndjson(&tree.cat("games.ndjson")), rows);
}

#[test]
fn a_database_without_games_has_a_header() {
    let tree = mount(Fake::default());
    assert_eq!(
        tree.cat("games.csv"),
        "number,Event,Site,Date,Round,White,Black,Result,path\n"
    );
    assert_eq!(tree.cat("games.ndjson"), "");
}

#[test]
fn a_game_whose_tags_cannot_be_read_has_a_row() {
    let mut broken = game("a", "b");
    broken.tags_panic = true;
    let tree = mount(Fake::of([game("c", "d"), broken]));
    let (_, rows) = read_csv(&tree.cat("games.csv"));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1]["path"], "games/000001-001000/000002.pgn");
    assert_eq!(rows[1].get("White"), None);
    assert_eq!(read_ndjson(&tree.cat("games.ndjson")), rows);
}

#[test]
fn tables_need_no_game_decoded_and_listings_do_not_wait_for_them() {
    let fake = Fake::many(3000);
    let decoded = fake.decoded.clone();
    let tree = mount(fake);
    let tables = ["games.csv", "games.ndjson"];
    let is_known = |name: &str| {
        let entries = tree.entries("");
        entries.iter().any(|entry| entry.0 == name && entry.3.is_some())
    };
    for name in tables {
        assert!(!is_known(name), "{name}");
        assert!(tree.may_wait(tree.inode(name)), "{name}");
    }
    tree.stat("games.csv");
    for name in tables {
        assert!(is_known(name), "{name}");
        assert!(!tree.may_wait(tree.inode(name)), "{name}");
    }
    let (_, rows) = read_csv(&tree.cat("games.csv"));
    assert_eq!(rows.len(), 3000);
    assert_eq!(read_ndjson(&tree.cat("games.ndjson")), rows);
    assert_eq!(decoded.load(Ordering::Relaxed), 0);
    assert_eq!(rows, expected(&tree.cat("all.pgn"), 6));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_piece_of_a_table_is_the_piece_of_the_whole(offset in 0u64..200_000, size in 0u32..100_000) {
        static TREE: OnceLock<(Mounted, [String; 2])> = OnceLock::new();
        let tables = ["games.csv", "games.ndjson"];
        let (tree, whole) = TREE.get_or_init(|| {
            let tree = mount(Fake::many(1300));
            let whole = tables.map(|name| tree.cat(name));
            (tree, whole)
        });
        for (name, whole) in tables.iter().zip(whole) {
            let piece = tree.read(tree.inode(name), offset, size).unwrap();
            let start = (offset as usize).min(whole.len());
            let end = (start + size as usize).min(whole.len());
            prop_assert!(*piece == whole.as_bytes()[start..end], "{name}");
        }
    }

    #[test]
    fn whatever_tags_say_both_tables_say_it(
        tags in proptest::collection::vec((0usize..4, "[a,\"\\\\ \n\r\t?é\u{1}\u{85}]{0,6}"), 0..8)
    ) {
        const NAMES: [&str; 4] = ["Annotator", "Round", "number", "WhiteElo"];
        let games = tags.iter().map(|(tag, value)| game("a", "b").tag(NAMES[*tag], value));
        let tree = mount(Fake::of(games));
        let (_, rows) = read_csv(&tree.cat("games.csv"));
        prop_assert_eq!(&read_ndjson(&tree.cat("games.ndjson")), &rows);
        for (row, (tag, value)) in rows.iter().zip(&tags) {
            let plain: String = value.chars().filter(|c| !c.is_ascii_control()).collect();
            let column = NAMES[*tag].replace("number", "tag:number");
            let said = row.get(&column).map_or("", String::as_str);
            prop_assert_eq!(said, if plain == "?" { "" } else { &plain });
        }
    }
}
