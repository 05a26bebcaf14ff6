//! Each column of a file of Parquet, with its type and unit, as another reader has it; and the positions in which games
//! end, as shakmaty plays them.

use std::collections::BTreeMap;
use std::ops::Range;

use chessdb::board::{Color, Fen, Undo};
use chessdb_library::table::{Columns, RowKind, TableForm, TableRow};
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use shakmaty::fen::Fen as OtherFen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use testkit::Random;

use super::table::{entry, row};

/// A game with a value in each column, and one with none where that is possible.
const GAMES: &str = "\
[Event \"Riga\"]
[Site \"Town\"]
[Date \"1985.11.09\"]
[Round \"2.10\"]
[White \"Tal\"]
[Black \"Keres\"]
[Result \"1/2-1/2\"]
[WhiteElo \"2600\"]
[BlackElo \"2450\"]
[WhiteRatingDiff \"-11\"]
[BlackRatingDiff \"+7\"]
[UTCDate \"1969.12.30\"]
[UTCTime \"23:59:58\"]
[ECO \"C20\"]
[Mode \"OTB\"]

1. e4 {[%clk 1:00:00] [%eval -0.36]} e5 {[%eval #-3]} 2. Ke2 $1 {so} 1/2-1/2

[White \"x\"]
[Result \"*\"]

*

";

/// How a value is stored.
type Stored = (PhysicalType, Option<LogicalType>);

/// For each column its type, and its values in both games as Rust prints them.
fn expected() -> BTreeMap<&'static str, (Stored, [&'static str; 2])> {
    let text = || (PhysicalType::BYTE_ARRAY, Some(LogicalType::String));
    let number = |bits| (PhysicalType::INT32, Some(LogicalType::integer(bits, true)));
    let int = || (PhysicalType::INT32, None);
    let millis = LogicalType::time(false, parquet::basic::TimeUnit::MILLIS);
    [
        ("database", text(), [r#"Str("")"#, r#"Str("")"#]),
        ("number", int(), ["Int(1)", "Int(2)"]),
        ("Event", text(), [r#"Str("Riga")"#, "Null"]),
        ("Date", text(), [r#"Str("1985.11.09")"#, "Null"]),
        ("Round", text(), [r#"Str("2.10")"#, "Null"]),
        ("Result", text(), [r#"Str("1/2-1/2")"#, r#"Str("*")"#]),
        ("WhiteElo", number(16), ["Short(2600)", "Null"]),
        ("BlackElo", number(16), ["Short(2450)", "Null"]),
        ("WhiteRatingDiff", number(16), ["Short(-11)", "Null"]),
        ("BlackRatingDiff", number(16), ["Short(7)", "Null"]),
        // Two days before 1970.
        (
            "UTCDate",
            (PhysicalType::INT32, Some(LogicalType::Date)),
            ["Date(-2)", "Null"],
        ),
        // 23 hours, 59 minutes and 58 seconds.
        (
            "UTCTime",
            (PhysicalType::INT32, Some(millis)),
            ["TimeMillis(86398000)", "Null"],
        ),
        ("year", number(16), ["Short(1985)", "Null"]),
        ("month", number(8), ["Byte(11)", "Null"]),
        ("day", number(8), ["Byte(9)", "Null"]),
        ("eco_name", text(), [r#"Str("King's Pawn Game")"#, "Null"]),
        (
            "deleted",
            (PhysicalType::BOOLEAN, None),
            ["Bool(false)", "Bool(false)"],
        ),
        ("ply_count", int(), ["Int(3)", "Int(0)"]),
        // From 12 to 28, from 52 to 36, from 4 to 12, the lower byte first.
        (
            "plies",
            (PhysicalType::BYTE_ARRAY, None),
            ["Bytes([28, 3, 36, 13, 12, 1])", "Bytes([])"],
        ),
        ("moves", text(), [r#"Str("e4 e5 Ke2")"#, r#"Str("")"#]),
        ("uci", text(), [r#"Str("e2e4 e7e5 e1e2")"#, r#"Str("")"#]),
        (
            "final_fen",
            text(),
            [
                r#"Str("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 1 2")"#,
                r#"Str("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")"#,
            ],
        ),
        // Hundredths of a second, and of a pawn; a mate in three of Black.
        ("clocks", int(), ["[Int(360000), Null, Null]", "[]"]),
        ("evals", number(16), ["[Short(-36), Short(-31997), Null]", "[]"]),
        (
            "movetext",
            text(),
            [
                r#"Str("1. e4 {[%clk 1:00:00] [%eval -0.36]} 1... e5 {[%eval #-3]} 2. Ke2 $1 {so} 1/2-1/2")"#,
                r#"Str("*")"#,
            ],
        ),
        (
            "path",
            text(),
            [
                r#"Str("games/000001-001000/000001.pgn")"#,
                r#"Str("games/000001-001000/000002.pgn")"#,
            ],
        ),
        ("colour", text(), [r#"Str("black")"#, r#"Str("black")"#]),
        ("score", (PhysicalType::DOUBLE, None), ["Double(0.5)", "Null"]),
        (
            "other_tags",
            text(),
            [r#"Str("[ECO \"C20\"] [Mode \"OTB\"]")"#, "Null"],
        ),
    ]
    .map(|(name, stored, values)| (name, (stored, values)))
    .into()
}

/// A field in a short form.
fn shown(field: &Field) -> String {
    match field {
        Field::ListInternal(list) => {
            let items: Vec<String> = list.elements().iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        Field::Bytes(bytes) => format!("Bytes({:?})", bytes.data()),
        other => format!("{other:?}"),
    }
}

#[test]
fn each_column_has_its_type_and_unit() {
    let expected = expected();
    let entry = entry(GAMES);
    let mut all: Vec<&str> = expected.keys().copied().collect();
    for kind in [RowKind::Games, RowKind::Positions] {
        if kind == RowKind::Positions {
            all.extend(["ply", "key", "move"]);
        }
        let columns = Columns::of_names(kind, all.iter().copied()).unwrap();
        let rows = |_, games: Range<u32>, each: &mut dyn FnMut(&dyn TableRow)| {
            for game in games {
                let row = row(&entry, game).with_player(Some(Color::Black));
                columns.each_row(&row, &mut *each);
            }
        };
        let mut file = Vec::new();
        columns
            .write(&mut file, TableForm::Parquet, &[2], 2, rows, |_| ())
            .unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        for column in schema.columns() {
            let name = &column.path().parts()[0];
            let stored = (column.physical_type(), column.logical_type_ref().cloned());
            match expected.get(name.as_str()) {
                Some((wanted, _)) => assert_eq!(stored, *wanted, "{name}"),
                None => assert_eq!(
                    column.converted_type() == ConvertedType::UTF8,
                    name == "move",
                    "{name}"
                ),
            }
        }
        let found: Vec<Vec<(String, String)>> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| {
                row.unwrap()
                    .get_column_iter()
                    .map(|(name, field)| (name.clone(), shown(field)))
                    .collect()
            })
            .collect();
        // A row for each position, of the second game one.
        let games: &[usize] = if kind == RowKind::Games {
            &[0, 1]
        } else {
            &[0, 0, 0, 0, 1]
        };
        assert_eq!(found.len(), games.len());
        for (number, (row, &game)) in found.iter().zip(games).enumerate() {
            assert_eq!(row.len(), all.len());
            for (name, value) in row {
                let Some((_, wanted)) = expected.get(name.as_str()) else {
                    let of_positions = match name.as_str() {
                        "ply" => ["0", "1", "2", "3", "0"].map(|ply| format!("Int({ply})"))[number].clone(),
                        // As the page of Polyglot's format has them.
                        "key" if matches!(number, 0 | 4) => format!("Long({})", 0x463b_9618_1691_fc9c_i64),
                        "key" if number == 1 => format!("Long({})", 0x823c_9b50_fd11_4196_u64.cast_signed()),
                        "move" => {
                            ["Str(\"e4\")", "Str(\"e5\")", "Str(\"Ke2\")", "Null", "Null"][number].to_owned()
                        }
                        _ => value.clone(),
                    };
                    assert_eq!(*value, of_positions, "{name} of row {number}");
                    continue;
                };
                assert_eq!(value, wanted[game], "{name} of row {number}");
            }
        }
    }
}

/// Where games begin: the usual position, and others with clocks.
const STARTS: [&str; 6] = [
    "",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 17",
    "7k/PPPPPP2/8/8/8/8/pppppp2/7K w - - 0 250",
    "4k3/8/8/8/8/8/4P3/4K3 b - - 7 33",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "8/8/4k3/8/4P3/8/8/4K3 w - - 99 120",
];

#[test]
fn games_end_in_the_position_and_with_the_clocks_of_another_program() {
    let mut random = Random(3);
    let (mut pgn, mut ends) = (String::new(), Vec::new());
    for number in 0..300 {
        let fen = STARTS[number % STARTS.len()];
        let mut position = match fen {
            "" => chessdb::board::Position::initial(),
            fen => Fen::parse(fen).unwrap().position,
        };
        let mut other: Chess = match fen {
            "" => Chess::default(),
            fen => fen
                .parse::<OtherFen>()
                .unwrap()
                .into_position(CastlingMode::Standard)
                .unwrap(),
        };
        let setup = if fen.is_empty() {
            String::new()
        } else {
            format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")
        };
        pgn += &format!("[White \"x\"]\n{setup}\n");
        for _ in 0..random.below(30) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let san = position
                .play_legal(random.pick(&moves), &mut Undo::default())
                .unwrap()
                .to_string();
            let read: San = san.trim_end_matches(['+', '#']).parse().unwrap();
            let mv = read.to_move(&other).unwrap();
            other.play_unchecked(mv);
            pgn += &format!("{san} ");
        }
        pgn += "*\n\n";
        ends.push(OtherFen::from_position(&other, EnPassantMode::Always).to_string());
    }
    let entry = entry(&pgn);
    assert_eq!(entry.database.len() as usize, ends.len());
    let columns = Columns::of_names(RowKind::Games, ["final_fen"].into_iter()).unwrap();
    for (game, end) in (0..).zip(&ends) {
        let mut text = Vec::new();
        columns.append_row(&mut text, &row(&entry, game));
        assert_eq!(String::from_utf8(text).unwrap().trim_end(), end, "game {game}");
    }
}
