//! Tables: rows at the borders between the batches and groups in which they are written, and moves as text.

use std::fs;
use std::io::Write;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use chessdb::{Database, Options};
use chessdb_library::library::{Library, LibraryEntry};
use chessdb_library::table::{
    Column, Columns, GamePath, GameRow, RowKind, TableForm, TableRow, TagCounts, further_tags,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

/// The only database of a folder, a PGN file.
pub fn entry(pgn: &str) -> Arc<LibraryEntry> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), pgn).unwrap();
    let library = Library::open(folder.path(), &Options::default()).unwrap();
    Arc::clone(&library.databases()[0])
}

pub fn row(entry: &LibraryEntry, game: u32) -> GameRow<'_> {
    let place = GamePath {
        database: "",
        folder: "",
        game,
        digits: 6,
    };
    GameRow::new(entry, place)
}

/// Writes all games as a Parquet file.
fn write_parquet(out: impl Write + Send, columns: &Columns, entry: &LibraryEntry) {
    let rows = |_, games: Range<u32>, each: &mut dyn FnMut(&dyn TableRow)| {
        games.for_each(|game| columns.each_row(&row(entry, game), &mut *each));
    };
    let games = [entry.database.len()];
    columns
        .write(out, TableForm::Parquet, &games, 2, rows, |_| ())
        .unwrap();
}

/// The rows of a Parquet file with some columns of all games, an empty text for what is unknown.
fn parquet_rows(entry: &LibraryEntry, kind: RowKind, columns: &[&str]) -> (Vec<Vec<String>>, usize) {
    let columns = Columns::of_names(kind, columns.iter().copied()).unwrap();
    let mut file = Vec::new();
    write_parquet(&mut file, &columns, entry);
    let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
    let groups = reader.metadata().row_groups().len();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let fields = row.get_column_iter().map(|(_, field)| match field {
            Field::Null => String::new(),
            Field::Str(text) => text.clone(),
            Field::Int(number) => number.to_string(),
            Field::Long(number) => number.to_string(),
            other => other.to_string(),
        });
        fields.collect()
    });
    (rows.collect(), groups)
}

#[test]
fn rows_stay_the_same_at_the_borders_of_batches_and_groups() {
    // 1,024 rows are written together, and 100,000 are a group.
    for (games, groups) in [
        (1, 1),
        (1_023, 1),
        (1_024, 1),
        (1_025, 1),
        (2_049, 1),
        (100_000, 1),
        (100_001, 2),
    ] {
        // A third of the games has no opening code, and names have different lengths.
        let name = |n: usize| format!("W\u{fc}st {}", "x".repeat(n % 7) + &n.to_string());
        let code = |n: usize| if n.is_multiple_of(3) { "" } else { "B97" };
        let mut pgn = String::new();
        for n in 0..games {
            pgn.push_str(&format!("[White \"{}\"]\n", name(n)));
            if !code(n).is_empty() {
                pgn.push_str(&format!("[ECO \"{}\"]\n", code(n)));
            }
            pgn.push_str("\n*\n\n");
        }
        let entry = entry(&pgn);
        let (rows, written) = parquet_rows(&entry, RowKind::Games, &["number", "White", "ECO"]);
        assert_eq!((rows.len(), written), (games, groups));
        for (n, row) in rows.iter().enumerate() {
            assert_eq!(
                *row,
                [(n + 1).to_string(), name(n), code(n).to_owned()],
                "{games}"
            );
        }
    }
}

/// Readers of CSV skip empty lines.
#[test]
fn an_unknown_value_in_the_only_column_is_quoted() {
    let entry = entry("[White \"a\"]\n\n*\n\n[White \"b\"]\n[ECO \"b90\"]\n\n*\n");
    let lines = |columns: &[&str]| {
        let columns = Columns::of_names(RowKind::Games, columns.iter().copied()).unwrap();
        let mut text = Vec::new();
        (0..2).for_each(|game| columns.append_row(&mut text, &row(&entry, game)));
        String::from_utf8(text).unwrap()
    };
    assert_eq!(lines(&["ECO"]), "\"\"\nb90\n");
    assert_eq!(lines(&["White", "ECO"]), "a,\nb,b90\n");
    assert_eq!(lines(&["White", "eco_name"]), "a,\nb,Sicilian Defense: Najdorf\n");
}

#[test]
fn castling_is_written_as_in_chess960_where_the_game_is_one_with_or_without_its_tag() {
    let columns = Columns::of_names(RowKind::Games, ["uci"].into_iter()).unwrap();
    let uci = |tags: &str, moves: &str| {
        let entry = entry(&format!("[White \"a\"]\n{tags}\n{moves} *\n\n"));
        let mut text = Vec::new();
        columns.append_row(&mut text, &row(&entry, 0));
        String::from_utf8(text).unwrap().trim_end().to_owned()
    };
    let from = |fen: &str| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
    let variant = "[Variant \"Chess960\"]\n";
    // In one of them White's king and rook stand on other squares than Black's.
    let (usual, unusual) = (
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/1R3K1R w KQkq - 0 1",
    );
    // The king of a usual game goes to its target; the kings of Chess960 take their own rooks.
    assert_eq!(uci(&from(usual), "1. O-O O-O-O"), "e1g1 e8c8");
    assert_eq!(uci(&(from(usual) + variant), "1. O-O O-O-O"), "e1h1 e8a8");
    assert_eq!(uci(&from(unusual), "1. O-O O-O-O"), "f1h1 e8a8");
    assert_eq!(uci(&(from(unusual) + variant), "1. O-O O-O-O"), "f1h1 e8a8");
}

/// A game as servers write it, one with evaluations but few times, and one without annotations.
const ANNOTATED: &str = "\
[Event \"Rated Blitz\"]
[Site \"https://lichess.org/abcdefgh\"]
[White \"a\"]
[Black \"b\"]
[Result \"1-0\"]
[UTCDate \"2013.01.31\"]
[UTCTime \"23:59:58\"]
[WhiteElo \"2600 \"]
[BlackElo \"strong\"]
[WhiteRatingDiff \"+11\"]
[BlackRatingDiff \"-7\"]
[WhiteTitle \"GM\"]
[ECO \"C20\"]
[Opening \"King's Pawn Game\"]
[TimeControl \"180+2\"]
[Termination \"Normal\"]

1. e4 {[%eval 0.36] [%clk 0:03:00]} e5 {[%clk 0:02:59.5]} 2. Qh5 $2 (2. Nf3 {[%clk 0:00:01]}) 2... Ke7 {[%eval #1]}
3. Qxe5# {[%eval #0] [%clk 0:02:40]} 1-0

[White \"c\"]
[Black \"d\"]
[Result \"*\"]

*

";

/// The columns of games of [`ANNOTATED`] as lines of comma-separated values.
fn csv(columns: &Columns) -> String {
    let entry = entry(ANNOTATED);
    let mut text = columns.header().into_bytes();
    (0..2).for_each(|game| columns.append_row(&mut text, &row(&entry, game)));
    String::from_utf8(text).unwrap()
}

#[test]
fn times_and_evaluations_are_lists_with_an_item_for_each_half_move() {
    let names = ["ply_count", "clocks", "evals", "plies", "deleted"];
    let columns = Columns::of_names(RowKind::Games, names.into_iter()).unwrap();
    // A move as in Polyglot's books: e2e4 leads from 12 to 28, which is 0x031c.
    assert_eq!(
        csv(&columns),
        "ply_count,clocks,evals,plies,deleted\n\
         5,\"[18000,17950,null,null,16000]\",\"[36,null,null,31999,32000]\",1c03240de700340fe409,false\n\
         0,[],[],,false\n"
    );
    let entry = entry(ANNOTATED);
    let mut json = Vec::new();
    columns.append_object(&mut json, &row(&entry, 0));
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(
        json["clocks"],
        serde_json::json!([18000, 17950, null, null, 16000])
    );
    assert_eq!(json["deleted"], false);
    let (rows, _) = parquet_rows(&entry, RowKind::Games, &names);
    assert_eq!(
        rows[0][..3],
        [
            "5",
            "[18000, 17950, null, null, 16000]",
            "[36, null, null, 31999, 32000]"
        ]
    );
    assert_eq!(rows[1][..3], ["0", "[]", "[]"]);
}

#[test]
fn the_columns_of_lichess_have_its_order_and_types() {
    let columns = Columns::lichess();
    assert_eq!(
        csv(&columns),
        "Event,Site,White,Black,Result,WhiteTitle,BlackTitle,WhiteElo,BlackElo,WhiteRatingDiff,BlackRatingDiff,\
         UTCDate,UTCTime,ECO,Opening,Termination,TimeControl,movetext\n\
         Rated Blitz,https://lichess.org/abcdefgh,a,b,1-0,GM,,2600,,11,-7,2013-01-31,23:59:58,C20,King's Pawn Game,\
         Normal,180+2,1. e4 {[%eval 0.36] [%clk 0:03:00]} 1... e5 {[%clk 0:02:59.5]} 2. Qh5 $2 (2. Nf3 \
         {[%clk 0:00:01]}) 2... Ke7 {[%eval #1]} 3. Qxe5# {[%eval #0] [%clk 0:02:40]} 1-0\n\
         ,,c,d,*,,,,,,,,,,,,,*\n"
    );
}

#[test]
fn a_column_is_a_tag_or_one_of_the_others() {
    for name in ["white_elo", "black_elo", "opening", "", "tag:", "tag:_x"] {
        assert!(
            Columns::of_names(RowKind::Games, [name].into_iter()).is_err(),
            "{name}"
        );
    }
    let columns = Columns::of_names(
        RowKind::Games,
        ["WhiteElo", "tag:WhiteElo", "tag:year", "UTCDate"].into_iter(),
    )
    .unwrap();
    assert_eq!(
        csv(&columns),
        "WhiteElo,tag:WhiteElo,tag:year,UTCDate\n2600,2600 ,,2013-01-31\n,,,\n"
    );
}

#[test]
fn a_tag_with_the_name_of_another_column_has_a_prefix() {
    let tags = ["Foo", "Moves", "Year", "foo", "movetext", "path", "white"];
    let others: TagCounts = tags.map(|tag| (tag.to_owned(), 1)).into();
    // Spark takes names that differ only in letter case for one.
    for (columns, year) in [
        (Columns::of_text(&others, false), "Year"),
        (Columns::typed(&others, 1, true), "tag:Year"),
    ] {
        let header = columns.header();
        let wanted = format!(",Foo,Moves,{year},tag:foo,tag:movetext,tag:path,tag:white,");
        assert!(header.contains(&wanted), "{header}");
        let names: Vec<String> = header
            .trim_end()
            .split(',')
            .map(str::to_ascii_lowercase)
            .collect();
        let different: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(different.len(), names.len(), "{names:?}");
    }
}

/// A group ends with the 128 games in which it gets 64 MiB.
#[test]
fn a_group_of_rows_ends_by_its_bytes() {
    // Each row has a comment of 512 KiB, so that 128 of them are just that with their other bytes, and 127 are not.
    for (games, len, groups) in [
        (127, 512 << 10, 1),
        (128, 512 << 10, 1),
        (129, 512 << 10, 2),
        (129, 500 << 10, 1),
    ] {
        let game = format!("[White \"a\"]\n\n{{{}}} *\n\n", "x".repeat(len));
        let entry = entry(&game.repeat(games));
        let (rows, written) = parquet_rows(&entry, RowKind::Games, &["number", "movetext"]);
        assert_eq!((rows.len(), written), (games, groups), "{games} {len}");
        assert!(
            rows.iter()
                .zip(1..)
                .all(|(row, number)| row[0] == number.to_string() && row[1].len() > len)
        );
    }
}

/// The tables that a mount and an export have in common.
fn typed_table(entry: &LibraryEntry) -> (Vec<String>, Vec<u8>) {
    let mut others = TagCounts::new();
    for game in 0..entry.database.len() {
        for tag in further_tags(&entry.database.tags(game)) {
            *others.entry(tag.to_owned()).or_default() += 1;
        }
    }
    let games = entry.database.len();
    let columns = Columns::typed(&others, games.into(), false);
    let mut file = Vec::new();
    write_parquet(&mut file, &columns, entry);
    (columns.iter().map(|(name, _)| name.to_owned()).collect(), file)
}

#[test]
fn a_tag_of_each_game_does_not_make_a_column_of_each() {
    let game = |n: usize| format!("[T{n:05} \"a \\\"{n}\\\" \\\\ b\"]\n[Site \"x\"]\n\n1. e4 *\n\n");
    let pgn: String = (0..2000).map(game).collect();
    let (names, file) = typed_table(&entry(&pgn));
    assert_eq!(names.iter().filter(|name| name.starts_with('T')).count(), 200);
    assert!(
        names.contains(&"other_tags".to_owned()) && names.len() < 220,
        "{names:?}"
    );
    // In proportion to the games and not to their square.
    assert!(file.len() < 600 * 2000, "{}", file.len());
}

/// A value of any characters is the same again, from the column of its tag and from the column of all other tags.
#[test]
fn values_of_any_characters_are_read_back() {
    // Not `[`: readers take `"][x"` for the end of a tag and the next one.
    const CHARACTERS: [char; 13] = [
        '\\', '\\', '"', '"', ' ', ']', '{', '}', ';', '%', ',', 'a', '\u{e9}',
    ];
    let mut random = testkit::Random(11);
    let mut tag = |name: &str| {
        let value = (0..1 + random.below(6)).map(|_| random.pick(&CHARACTERS));
        let value = format!("x{}y", value.collect::<String>());
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        (format!("[{name} \"{escaped}\"]\n"), value)
    };
    let (mut pgn, mut values) = (String::new(), Vec::new());
    for _ in 0..3000 {
        let tags = ["White", "Own", "Other", "Third"].map(|name| (name, tag(name)));
        for (_, (written, _)) in &tags {
            pgn.push_str(written);
        }
        pgn.push_str("\n1. e4 *\n\n");
        values.push(tags.map(|(name, (_, value))| (name, value)));
    }
    let written = entry(&pgn);
    let columns = Columns::of_names(
        RowKind::Games,
        ["White", "Own", "other_tags", "movetext"].into_iter(),
    );
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::create(folder.path().join("t.parquet")).unwrap();
    write_parquet(file, &columns.unwrap(), &written);
    let library = Library::open(folder.path(), &Options::default()).unwrap();
    let read = &library.databases()[0].database;
    for (game, values) in (0..).zip(&values) {
        let (tags, own) = (read.tags(game), written.database.tags(game));
        for (name, value) in values {
            assert_eq!(own.get(name), Some(&**value), "{name} of game {game}");
            assert_eq!(tags.get(name), Some(&**value), "{name} of game {game}");
        }
    }
}

/// The tags in the column are tags again where the table is read as a database.
#[test]
fn tags_without_a_column_are_read_back() {
    let value = |n: usize| format!("a {n} \u{e4} ] [x");
    let game = |n: usize| {
        format!(
            "[T{n:05} \"{}\"]\n[U{n} \"\\\"q\\\\\"]\n\n1. e4 e5 *\n\n",
            value(n)
        )
    };
    let pgn: String = (0..1500).map(game).collect();
    let written = entry(&pgn);
    // U7 has a column, all others are in one.
    let names = ["White", "U7", "other_tags", "movetext"];
    let columns = Columns::of_names(RowKind::Games, names.into_iter()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::create(folder.path().join("t.parquet")).unwrap();
    write_parquet(file, &columns, &written);
    let library = Library::open(folder.path(), &Options::default()).unwrap();
    let read = &library.databases()[0].database;
    assert_eq!(read.len(), 1500);
    for n in [0, 1, 7, 777, 1499] {
        let (tags, decoded) = (read.tags(n as u32), read.game(n as u32));
        assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
        for tags in [tags, decoded.game.tags] {
            assert_eq!(tags.get(&format!("T{n:05}")), Some(&*value(n)), "{n}");
            assert_eq!(tags.get(&format!("U{n}")), Some("\"q\\"), "{n}");
            assert_eq!(further_tags(&tags).count(), 2, "{n}");
        }
    }
}

/// Values that are not shown as a tag but follow from tags are the same as well.
#[test]
fn what_follows_from_tags_without_a_column_is_read_back() {
    let pgn = "[White \"a\"]\n[Date \"1999.05.06\"]\n[EventDate \"1998.??.??\"]\n[ECO \"B33\"]\n[WhiteElo \"2500\"]\n\
               [BlackElo \"2400\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 2. e5 *\n\n\
               [White \"b\"]\n[Date \"2001.02.03\"]\n\n1. e4 e5 *\n\n";
    let written = entry(pgn);
    for names in [
        &["White", "Black", "other_tags", "movetext"][..],
        &[
            "White",
            "Date",
            "FEN",
            "ECO",
            "BlackElo",
            "other_tags",
            "movetext",
        ],
        &[
            "White",
            "Black",
            "Event",
            "Result",
            "Date",
            "EventDate",
            "ECO",
            "WhiteElo",
            "BlackElo",
            "other_tags",
            "movetext",
        ],
    ] {
        let columns = Columns::of_names(RowKind::Games, names.iter().copied()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = fs::File::create(folder.path().join("t.parquet")).unwrap();
        write_parquet(file, &columns, &written);
        let library = Library::open(folder.path(), &Options::default()).unwrap();
        let (read, own) = (&library.databases()[0].database, &written.database);
        for game in 0..2 {
            let line = |of: &dyn Database| {
                let mut keys = Vec::new();
                of.main_line(game, &mut |ply| {
                    keys.push(ply.position.key());
                    ControlFlow::Continue(())
                });
                keys
            };
            assert_eq!(line(&**read), line(&**own), "{names:?}");
            assert_eq!(line(&**read).len(), [3, 2][game as usize], "{names:?}");
            let (of_read, of_own) = (read.keys(game), own.keys(game));
            assert_eq!(
                (of_read.eco, of_read.event_year, of_read.outcome),
                (of_own.eco, of_own.event_year, of_own.outcome),
                "{names:?}"
            );
            // The date belongs to the roster, which other tags do not have.
            if names.contains(&"Date") {
                assert_eq!(of_read.date, of_own.date, "{names:?}");
            }
            assert_eq!(read.text(of_read.white), own.text(of_own.white), "{names:?}");
            assert_eq!(read.ratings(game), own.ratings(game), "{names:?}");
        }
        let info = read.info();
        assert!(
            info.rows.iter().all(|(name, _)| *name != "columns not read"),
            "{:?}",
            info.rows
        );
    }
}

#[test]
fn rows_of_positions_stay_the_same_at_the_borders_of_groups() {
    // A group ends with the 128 games in which it gets its 100,000th row. The first game has one position, others have two.
    for (games, groups) in [(50_000, 1), (50_001, 1), (50_048, 1), (50_049, 2)] {
        let pgn = "[White \"a\"]\n\n*\n\n".to_owned() + &"[White \"b\"]\n\n1. e4 *\n\n".repeat(games - 1);
        let entry = entry(&pgn);
        let (rows, written) = parquet_rows(
            &entry,
            RowKind::Positions,
            &["number", "ply", "key", "move", "Result"],
        );
        assert_eq!((written, rows.len()), (groups, 2 * games - 1), "{games} games");
        // The keys are those in the description of Polyglot's books.
        let [start, after] =
            [0x463b_9618_1691_fc9c_u64, 0x823c_9b50_fd11_4196].map(|key| key.cast_signed().to_string());
        assert_eq!(rows[0], ["1", "0", start.as_str(), "", "*"]);
        for (n, row) in rows.iter().enumerate().skip(1) {
            let number = (n.div_ceil(2) + 1).to_string();
            let expected = if n % 2 == 1 {
                [number.as_str(), "0", start.as_str(), "e4", "*"]
            } else {
                [number.as_str(), "1", after.as_str(), "", "*"]
            };
            assert_eq!(row, &expected, "row {n}");
        }
    }
}

#[test]
fn positions_are_written_as_fen_and_as_numbers() {
    let entry =
        entry("[White \"a\"]\n[FEN \"4k3/8/8/8/8/8/P7/4K3 b - - 9 40\"]\n\n40... Kd8 41. a4 Ke8 *\n\n");
    let names = ["ply", "fen", "bitboards"];
    // Kings on e1, e8 and d8, and the pawn on a2 or a4. The state has the number of the move from bit 32 and the half-moves from
    // bit 16; a3 is square 16.
    let kings = |black: u64| format!("{}, 0, 0, 0, 0, 0, {black}", 1u64 << 4);
    let state = |fullmoves: u64, halfmoves: u64, rest: u64| fullmoves << 32 | halfmoves << 16 | rest;
    let expected = [
        ("4k3/8/8/8/8/8/P7/4K3 b - - 9 40", 8, 60, state(40, 9, 1)),
        ("3k4/8/8/8/8/8/P7/4K3 w - - 10 41", 8, 59, state(41, 10, 0)),
        (
            "3k4/8/8/8/P7/8/8/4K3 b - a3 0 41",
            24,
            59,
            state(41, 0, 16 << 8 | 1),
        ),
        ("4k3/8/8/8/P7/8/8/4K3 w - - 1 42", 24, 60, state(42, 1, 0)),
    ];
    let numbers = |pawn: u32, king: u32, state: u64| {
        format!("[{}, 0, 0, 0, 0, {}, {state}]", 1u64 << pawn, kings(1 << king))
    };
    let (rows, _) = parquet_rows(&entry, RowKind::Positions, &names);
    let columns = Columns::of_names(RowKind::Positions, names.into_iter()).unwrap();
    let mut csv = Vec::new();
    columns.each_row(&row(&entry, 0), |row| columns.append_row(&mut csv, row));
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!((rows.len(), columns.count_rows(&row(&entry, 0))), (4, 4));
    for (ply, ((row, line), (fen, pawn, king, state))) in
        rows.iter().zip(csv.lines()).zip(expected).enumerate()
    {
        let numbers = numbers(pawn, king, state);
        assert_eq!(row, &[ply.to_string(), fen.to_owned(), numbers.clone()]);
        assert_eq!(line, format!("{ply},{fen},\"{}\"", numbers.replace(' ', "")));
    }
}

/// A column does not depend on the other columns: its values are the same when it is the only one.
#[test]
fn a_column_has_the_same_values_beside_any_other() {
    let entry = entry(
        "[White \"a\"]\n[WhiteElo \"2500\"]\n[UTCTime \"01:02:03\"]\n[ECO \"C20\"]\n\n\
         1. e4 {[%clk 1:00:00] [%eval 0.3]} e5 2. Ke2 $1 *\n\n\
         [White \"b\"]\n[FEN \"4k3/8/8/8/8/8/P7/4K3 b - - 9 40\"]\n[Annotator \"x\"]\n\n40... Kd8 41. a4 1-0\n\n\
         [White \"c\"]\n[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w H - 3 7\"]\n\n7. O-O Ke7 *\n\n\
         [White \"d\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 5 9\"]\n\n9. e4 *\n\n",
    );
    for kind in [RowKind::Games, RowKind::Positions] {
        // What is in `other_tags` depends on the other columns.
        let names = Column::names(kind).filter(|name| *name != "other_tags");
        let names: Vec<&str> = names
            .chain(["White", "WhiteElo", "UTCTime", "Annotator"])
            .collect();
        let (all, _) = parquet_rows(&entry, kind, &names);
        let values = |n: usize| all.iter().map(|row| &row[n]).collect::<Vec<_>>();
        for (n, name) in names.iter().enumerate() {
            let (alone, _) = parquet_rows(&entry, kind, &[name]);
            let alone: Vec<&String> = alone.iter().flatten().collect();
            assert_eq!(alone, values(n), "{name}");
            for (m, other) in names.iter().enumerate().filter(|(m, _)| *m != n) {
                let (both, _) = parquet_rows(&entry, kind, &[name, other]);
                let (own, others): (Vec<_>, Vec<_>) = both.iter().map(|row| (&row[0], &row[1])).unzip();
                assert_eq!((own, others), (values(n), values(m)), "{name} {other}");
            }
        }
    }
}

#[test]
fn rows_are_counted_as_they_are_written() {
    let entry = entry(
        "[White \"a\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. e4 -- *\n\n[White \"b\"]\n\n*\n\n[White \"c\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n\n",
    );
    for kind in [RowKind::Games, RowKind::Positions] {
        let columns = Columns::of_names(kind, ["number"].into_iter()).unwrap();
        let counted: Vec<usize> = (0..3)
            .map(|game| columns.count_rows(&row(&entry, game)))
            .collect();
        let mut written = [0; 3];
        for (game, written) in (0..).zip(&mut written) {
            columns.each_row(&row(&entry, game), |_| *written += 1);
        }
        assert_eq!(counted, written);
    }
    let columns = Columns::of_positions(false);
    assert_eq!(columns.count_rows(&row(&entry, 0)), 6);
    assert_eq!(columns.count_rows(&row(&entry, 1)), 1);
}
