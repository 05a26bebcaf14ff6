//! Tables of games that pyarrow writes, in the forms that programs have: every form gives the same games.

use std::collections::BTreeMap;
use std::process::Command;

use testkit::python;
use testkit::samples::open_base;

/// Writes a table in several forms, and prints a line with the tags and moves of each row, as Lichess writes them.
const SCRIPT: &str = r#"
import datetime, json, sys
import pyarrow as pa
import pyarrow.parquet as pq

folder, count = sys.argv[1], 600
openings = ["e4 e5 Nf3 Nc6", "d4 d5 c4 e6", "c4", "Nf3 Nf6 g3 g6 Bg2 Bg7", ""]
rows, texts = [], []
for n in range(count):
    rows.append({
        "Event": ["Rated Blitz game", "Rated Bullet game"][n % 2], "Site": f"https://lichess.org/{n:08x}",
        "White": f"player {n % 70}", "Black": ["Üñï", "\"x\" \\ y", "z" * (n % 40 + 1)][n % 3],
        "Result": ["1-0", "0-1", "1/2-1/2", "*"][n % 4], "WhiteTitle": [None, "GM"][n % 5 == 0],
        "WhiteElo": None if n % 7 == 0 else 800 + n, "BlackElo": 1500, "WhiteRatingDiff": n % 21 - 10,
        "UTCDate": datetime.date(2012, 12, 25) + datetime.timedelta(days=n), "UTCTime": datetime.time(n % 24, n % 60, n % 59),
        "ECO": None if n % 9 == 0 else "C44", "movetext": openings[n % 5] + " " + ["1-0", "0-1", "1/2-1/2", "*"][n % 4],
    })
for n, row in enumerate(rows):
    tags = {name: str(value) for name, value in row.items() if value is not None and name != "movetext"}
    tags["WhiteRatingDiff"] = f"{row['WhiteRatingDiff']:+d}"
    tags["Date"] = tags["UTCDate"] = row["UTCDate"].strftime("%Y.%m.%d")
    tags["UTCTime"] = row["UTCTime"].strftime("%H:%M:%S")
    print(json.dumps({"tags": tags, "moves": openings[n % 5].split()}))
    escaped = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in tags.items()}
    texts.append("".join(f'[{name} "{value}"]\n' for name, value in escaped.items()) + "\n" + rows[n]["movetext"])

def table(kind=pa.string(), elos=pa.int16(), date=pa.date32(), time=pa.time32("s")):
    kinds = {"WhiteElo": elos, "BlackElo": elos, "WhiteRatingDiff": elos if elos != pa.uint16() else pa.int16(), "UTCDate": date, "UTCTime": time}
    return pa.table({name: pa.array([row[name] for row in rows]).cast(kinds.get(name, kind)) for name in rows[0]})

forms = {}
for codec in ["none", "snappy", "gzip", "zstd", "lz4"]:
    for version in ["1.0", "2.0"]:
        for dictionary in [True, False]:
            forms[f"{codec}-{version}-{dictionary}"] = (table(), dict(
                compression=codec, data_page_version=version, use_dictionary=dictionary, write_page_checksum=dictionary,
                row_group_size=[count, 70, 7][len(forms) % 3], data_page_size=[1 << 20, 700][len(forms) % 2]))
for encoding in ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"]:
    encodings = {name: "DELTA_BINARY_PACKED" if "Elo" in name or "Diff" in name or "UTC" in name else encoding for name in rows[0]}
    forms[encoding] = (table(), dict(use_dictionary=False, column_encoding=encodings))
for kind in [pa.int32(), pa.int64(), pa.uint16(), pa.float32(), pa.float64()]:
    forms[f"elos-{kind}"] = (table(elos=kind), {})
for kind in [pa.large_string(), pa.string_view(), pa.binary()]:
    forms[f"texts-{kind}"] = (table(kind), {})
for column in ["pgn", "moves", "movetext"]:
    forms[f"whole-{column}"] = (pa.table({"id": list(range(count)), column: texts}), {})
tagged = ['[White "another"]\n\n' + row["movetext"] for row in rows]
forms["numbers"] = (table().append_column("pgn", pa.array([n for n in range(count)])), {})
forms["tagged"] = (table().set_column(len(rows[0]) - 1, "movetext", pa.array(tagged)), {})
forms["times"] = (table(date=pa.timestamp("us"), time=pa.time64("ns")), {})
turned = table()
turned = turned.select(turned.column_names[::-1])
turned = turned.append_column("clocks", pa.array([[1, None]] * count)).append_column("flag", pa.array([True] * count))
for version, encoding in [("1.0", "PLAIN"), ("2.0", "PLAIN"), ("1.0", "RLE"), ("2.0", "RLE")]:
    marked = table().append_column("deleted", pa.array([[True, None, False][n % 3] for n in range(count)]))
    forms[f"deleted-{version}-{encoding}"] = (marked, dict(use_dictionary=False, data_page_version=version,
        column_encoding={"deleted": encoding}, row_group_size=150, data_page_size=700))
forms["no-truth"] = (table().append_column("deleted", pa.array(["true"] * count)), {})
forms["foreign"] = (turned.append_column("a-b", pa.array(["c"] * count)), {})
for name, (rows_of, options) in forms.items():
    pq.write_table(rows_of, f"{folder}/{name}.parquet", **options)
"#;

#[test]
fn tables_of_pyarrow_have_the_same_games_in_every_form() {
    let Some(python) = python("pyarrow", "pyarrow") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(python)
        .args(["-c", SCRIPT])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = String::from_utf8(output.stdout).unwrap();
    let expected: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(expected.len(), 600);
    let mut forms = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let database =
            open_base(&folder.path().join(&name)).unwrap_or_else(|| panic!("{name} is no database"));
        assert_eq!(database.len(), 600, "{name}");
        let rows = database.info().rows;
        let not_read = rows.iter().find(|(row, _)| *row == "columns not read");
        let unknown = match name.as_str() {
            "foreign" => Some("clocks, flag, a-b"),
            "no-truth" => Some("deleted"),
            "numbers" => Some("pgn"),
            _ if name.starts_with("whole") => Some("id"),
            _ => None,
        };
        assert_eq!(not_read.map(|(_, names)| names.as_str()), unknown, "{name}");
        for (number, expected) in (0..).zip(&expected) {
            let decoded = database.game(number);
            assert_eq!(decoded.problems, [], "{name}");
            let tags = decoded.game.tags;
            assert_eq!(database.tags(number), tags, "{name}");
            let known = tags.iter().filter(|(_, value)| *value != "?");
            let known: BTreeMap<&str, &str> = known.collect();
            let wanted = expected["tags"].as_object().unwrap().iter();
            let wanted: BTreeMap<&str, &str> = wanted
                .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
                .collect();
            assert_eq!(known, wanted, "{name}, game {number}");
            let mut moves = Vec::new();
            database.main_line(number, &mut |ply| {
                moves.push(ply.san().to_string());
                std::ops::ControlFlow::Continue(())
            });
            assert_eq!(
                serde_json::json!(moves),
                expected["moves"],
                "{name}, game {number}"
            );
            let keys = database.keys(number);
            let names = [
                (keys.white, "White"),
                (keys.black, "Black"),
                (keys.event, "Event"),
            ];
            for (id, tag) in names {
                assert_eq!(database.text(id), wanted[tag], "{name}, game {number}");
            }
            assert_eq!(keys.date.to_string(), wanted["Date"], "{name}, game {number}");
            assert_eq!(keys.outcome.token(), wanted["Result"], "{name}, game {number}");
            let is_deleted = name.starts_with("deleted") && number % 3 == 0;
            assert_eq!(keys.deleted, is_deleted, "{name}, game {number}");
            let elo = expected["tags"]["WhiteElo"]
                .as_str()
                .map(|elo| elo.parse().unwrap());
            assert_eq!(database.ratings(number).white, elo, "{name}, game {number}");
        }
        forms += 1;
    }
    assert!(forms > 30, "{forms}");
}
