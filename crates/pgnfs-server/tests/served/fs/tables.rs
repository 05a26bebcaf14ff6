//! `games.csv` and `games.ndjson`.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use chessdb::game::Outcome;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use proptest::prelude::*;

use super::mounted::{Mounted, mount, mount_all};
use testkit::fake::{Fake, game};
use testkit::pgn;

/// A row of a table, without empty columns.
pub type Row = BTreeMap<String, String>;

/// The columns and rows of a table of comma-separated values.
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
        let fields = object.into_iter().filter_map(|(name, value)| match value {
            serde_json::Value::String(text) => Some((name, text)),
            serde_json::Value::Number(number) => {
                assert!(
                    ["number", "WhiteElo", "BlackElo"].contains(&name.as_str()),
                    "{line}"
                );
                Some((name, number.to_string()))
            }
            serde_json::Value::Null => None,
            other => panic!("{name}: {other}"),
        });
        fields.collect()
    };
    text.lines().map(row).collect()
}

/// The rows that follow from the PGN of all games.
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
        let is_rating = |text: &str| (100..4000).contains(&text.trim().parse().unwrap_or(0));
        let tags = read.tags.into_iter().filter(|(_, value)| says_something(value));
        let tags = tags.filter_map(|(name, value)| match name.as_str() {
            "WhiteElo" | "BlackElo" => is_rating(&value).then(|| (name, value.trim().to_owned())),
            "UTCDate" => Some((name, value.replace('.', "-"))),
            _ => Some((name, value)),
        });
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
            .tag("WhiteElo", "2690 ")
            .tag("Annotator", "?"),
        game("a\nb", "?").deleted().tag("ECO", "C41").tag("Remark", ""),
    ]));
    assert_eq!(
        tree.cat("tables/games.csv"),
        "number,Event,Site,Date,Round,White,Black,Result,Deleted,ECO,WhiteElo,path\n\
         1,Opéra,,1858.??.??,,\"Morphy, Paul\",\"Duke \"\"Karl\"\"\",1-0,,,2690,games/000001-001000/000001.pgn\n\
         2,,,,,ab,,*,1,C41,,games/000001-001000/000002.pgn\n"
    );
    assert_eq!(
        tree.cat("tables/games.ndjson"),
        r#"{"number":1,"Event":"Opéra","Site":null,"Date":"1858.??.??","Round":null,"White":"Morphy, Paul","Black":"Duke \"Karl\"","Result":"1-0","Deleted":null,"ECO":null,"WhiteElo":2690,"path":"games/000001-001000/000001.pgn"}
{"number":2,"Event":null,"Site":null,"Date":null,"Round":null,"White":"ab","Black":null,"Result":"*","Deleted":"1","ECO":"C41","WhiteElo":null,"path":"games/000001-001000/000002.pgn"}
"#
    );
}

#[test]
fn a_tag_that_is_called_like_a_column_gets_another_name() {
    let tree = mount(Fake::of([
        game("a", "b").tag("number", "seven").tag("path", "x"),
        game("a", "b").tag("Path", "y"),
    ]));
    let (columns, rows) = read_csv(&tree.cat("tables/games.csv"));
    assert_eq!(
        columns[8..],
        ["tag:Path", "tag:number", "tag:path", "path"].map(str::to_owned)
    );
    assert_eq!(
        (rows[0]["tag:number"].as_str(), rows[0]["number"].as_str()),
        ("seven", "1")
    );
    assert_eq!(read_ndjson(&tree.cat("tables/games.ndjson")), rows);
}

#[test]
fn a_database_without_games_has_a_header() {
    let tree = mount(Fake::default());
    assert_eq!(
        tree.cat("tables/games.csv"),
        "number,Event,Site,Date,Round,White,Black,Result,path\n"
    );
    assert_eq!(tree.cat("tables/games.ndjson"), "");
}

#[test]
fn a_game_whose_tags_cannot_be_read_has_a_row() {
    let mut broken = game("a", "b");
    broken.tags_panic = true;
    let tree = mount(Fake::of([game("c", "d"), broken]));
    let (_, rows) = read_csv(&tree.cat("tables/games.csv"));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1]["path"], "games/000001-001000/000002.pgn");
    assert_eq!(rows[1].get("White"), None);
    assert_eq!(read_ndjson(&tree.cat("tables/games.ndjson")), rows);
}

#[test]
fn tables_need_no_game_decoded_and_listings_do_not_wait_for_them() {
    let fake = Fake::many(3000);
    let decoded = fake.decoded.clone();
    let tree = mount(fake);
    let tables = ["tables/games.csv", "tables/games.ndjson"];
    let is_known = |name: &str| {
        let entries = tree.entries("tables");
        let known = entries.iter().filter(|entry| entry.3.is_some());
        known
            .map(|entry| format!("tables/{}", entry.0))
            .any(|known| known == name)
    };
    for name in tables {
        assert!(!is_known(name), "{name}");
        assert!(tree.may_wait(tree.inode(name)), "{name}");
    }
    tree.stat("tables/games.csv");
    for name in tables {
        assert!(is_known(name), "{name}");
        assert!(!tree.may_wait(tree.inode(name)), "{name}");
    }
    let (_, rows) = read_csv(&tree.cat("tables/games.csv"));
    assert_eq!(rows.len(), 3000);
    assert_eq!(read_ndjson(&tree.cat("tables/games.ndjson")), rows);
    assert_eq!(decoded.load(Ordering::Relaxed), 0);
    assert_eq!(rows, expected(&tree.cat("all.pgn"), 6));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_piece_of_a_table_is_the_piece_of_the_whole(offset in 0u64..200_000, size in 0u32..100_000) {
        static TREE: OnceLock<(Mounted, [String; 2])> = OnceLock::new();
        let tables = ["tables/games.csv", "tables/games.ndjson"];
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
        const NAMES: [&str; 4] = ["Annotator", "Round", "number", "WhiteTeam"];
        let games = tags.iter().map(|(tag, value)| game("a", "b").tag(NAMES[*tag], value));
        let tree = mount(Fake::of(games));
        let (_, rows) = read_csv(&tree.cat("tables/games.csv"));
        prop_assert_eq!(&read_ndjson(&tree.cat("tables/games.ndjson")), &rows);
        for (row, (tag, value)) in rows.iter().zip(&tags) {
            let plain: String = value.chars().filter(|c| !c.is_control()).collect();
            let column = NAMES[*tag].replace("number", "tag:number");
            let said = row.get(&column).map_or("", String::as_str);
            prop_assert_eq!(said, if plain == "?" { "" } else { &plain });
        }
    }
}

/// The rows of a Parquet file, and the names and types of its columns.
pub fn read_parquet(bytes: Vec<u8>) -> (Vec<(String, String)>, Vec<Row>) {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let columns = schema.columns().iter();
    let columns = columns.map(|column| (column.name().to_owned(), column.physical_type().to_string()));
    let columns = columns.collect();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let fields = row.get_column_iter().filter_map(|(name, field)| match field {
            Field::Null => None,
            Field::Str(text) => Some((name.clone(), text.clone())),
            Field::Int(number) => Some((name.clone(), number.to_string())),
            Field::Short(number) => Some((name.clone(), number.to_string())),
            Field::Byte(number) => Some((name.clone(), number.to_string())),
            other => panic!("{name}: {other}"),
        });
        fields.collect()
    });
    (columns, rows.collect())
}

/// A whole file of bytes, read in pieces.
pub fn bytes_of(tree: &Mounted, path: &str) -> Vec<u8> {
    let inode = tree.inode(path);
    let mut bytes = Vec::new();
    loop {
        let piece = tree.read(inode, bytes.len() as u64, 1000).unwrap();
        if piece.is_empty() {
            break;
        }
        bytes.extend_from_slice(&piece);
    }
    assert_eq!(tree.stat(path).size, bytes.len() as u64, "{path}");
    bytes
}

#[test]
fn a_parquet_file_says_what_the_other_tables_say_with_types() {
    let tree = mount(Fake::of([
        game("Morphy, Paul", "Duke \"Karl\"")
            .event("Opéra")
            .date(1858, 11, 0)
            .tag("WhiteElo", "2690 ")
            .tag("BlackElo", "?")
            .tag("ECO", "C41")
            .tag("year", "tag"),
        game("a\nb", "?").deleted().tag("WhiteElo", "strong"),
    ]));
    let (columns, mut rows) = read_parquet(bytes_of(&tree, "tables/games.parquet"));
    let numbers = columns.iter().filter(|(_, kind)| kind == "INT32");
    let numbers: Vec<&str> = numbers.map(|(name, _)| name.as_str()).collect();
    assert_eq!(numbers, ["number", "WhiteElo", "year", "month", "day"]);
    let (mut typed, mut openings) = (Vec::new(), Vec::new());
    for row in &mut rows {
        openings.push(row.remove("eco_name"));
        typed.push(["year", "month", "day"].map(|name| row.remove(name)));
    }
    let number = |text: &str| Some(text.to_owned());
    assert_eq!(typed[0], [number("1858"), number("11"), None]);
    assert_eq!(typed[1], [None, None, None]);
    // A number as the other tables have it, whatever else the tag says.
    assert_eq!(rows[0]["WhiteElo"], "2690");
    assert!(!rows[1].contains_key("WhiteElo") && !rows[0].contains_key("BlackElo"));
    assert_eq!(rows[0]["tag:year"], "tag");
    assert_eq!(openings, [Some("Philidor Defense".to_owned()), None]);
    assert_eq!(rows, read_csv(&tree.cat("tables/games.csv")).1);
}

#[test]
fn a_long_parquet_file_has_groups_of_rows_that_are_read_on_their_own() {
    const GAMES: usize = 100_300;
    let games = (0..GAMES).map(|n| game(&format!("White {}", n % 777), &format!("{}", n % 5)));
    let decoded;
    let tree = {
        let fake = Fake::of(games);
        decoded = fake.decoded.clone();
        mount(fake)
    };
    let path = "tables/games.parquet";
    let size = tree.stat(path).size;
    let whole = tree.read(tree.inode(path), 0, u32::MAX).unwrap();
    assert_eq!(whole.len() as u64, size);
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(&whole)).unwrap();
    let groups: Vec<i64> = reader
        .metadata()
        .row_groups()
        .iter()
        .map(|group| group.num_rows())
        .collect();
    assert_eq!(groups, [100_000, 300]);
    // From the end to the start, and across the ends of groups.
    let second = reader.metadata().row_group(1).column(0).byte_range().0;
    for (offset, len) in [
        (size - 9, 20),
        (second - 5, 10),
        (second, 3),
        (0, 3),
        (2, 9),
        (size, 4),
        (size + 7, 1),
    ] {
        let piece = tree.read(tree.inode(path), offset, len).unwrap();
        let start = whole.len().min(offset as usize);
        let end = whole.len().min(start + len as usize);
        assert_eq!(*piece, whole[start..end], "{offset}");
    }
    let (_, rows) = read_parquet(whole.to_vec());
    assert_eq!(rows.len(), GAMES);
    assert_eq!(
        (&*rows[100_299]["White"], &*rows[100_299]["number"]),
        ("White 66", "100300")
    );
    assert_eq!(decoded.load(Ordering::Relaxed), 0);
}

#[test]
fn an_empty_database_has_a_parquet_file_without_rows() {
    let tree = mount(Fake::default());
    let (columns, rows) = read_parquet(bytes_of(&tree, "tables/games.parquet"));
    assert_eq!((columns.len(), rows.len()), (13, 0));
}

#[test]
fn all_databases_have_a_parquet_file_of_their_rows() {
    let tree = mount_all(vec![
        Fake::many(3).at("a.dci"),
        Fake::default().at("b"),
        Fake::of([game("x", "y").date(1990, 1, 2).tag("ECO", "B97")]).at("c"),
    ]);
    let (columns, rows) = read_parquet(bytes_of(&tree, "all/tables/games.parquet"));
    assert_eq!(columns[0].0, "database");
    let csv = read_csv(&tree.cat("all/tables/games.csv")).1;
    assert_eq!(rows.len(), csv.len());
    for (mut row, expected) in rows.into_iter().zip(csv) {
        row.retain(|name, _| !["year", "month", "day", "eco_name"].contains(&name.as_str()));
        assert_eq!(row, expected);
    }
}
