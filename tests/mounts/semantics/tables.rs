//! Tables, as independent readers read them.

use std::process::Command;

use super::mounted::Mounted;
use testkit::{needs, python};

#[test]
fn section_1_2_tables_say_what_is_in_the_games() {
    let Some(mounted) = Mounted::new(&[]) else { return };
    let Some(python) = python("chess.pgn", "python-chess") else {
        return;
    };
    let script = r#"
import chess.pgn, csv, json, sys
for database in sys.argv[1:]:
    with open(f"{database}/all.pgn", encoding="utf-8") as file:
        games = []
        while (headers := chess.pgn.read_headers(file)) is not None:
            games.append({k: v for k, v in headers.items() if v not in ("?", "????.??.??")})
    with open(f"{database}/tables/games.csv", encoding="utf-8", newline="") as file:
        table = [{k: v for k, v in row.items() if v} for row in csv.DictReader(file)]
    with open(f"{database}/tables/games.ndjson", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert len({tuple(line) for line in lines}) == 1, "every row has all columns"
    lines = [{k: str(v) if k.endswith("Elo") else v for k, v in line.items() if v is not None} for line in lines]
    assert len(games) == len(table) == len(lines) > 10
    for n, (game, row, line) in enumerate(zip(games, table, lines), 1):
        assert line.pop("number") == n == int(row.pop("number"))
        path = row.pop("path")
        assert line.pop("path") == path
        with open(f"{database}/{path}", encoding="utf-8") as file:
            own = chess.pgn.read_headers(file)
        assert game == row == line, (game, row, line)
        assert game == {k: v for k, v in own.items() if k in game}, path
        print("deleted", n) if game.get("Deleted") else None
"#;
    let output = Command::new(python)
        .args(["-c", script, "annotated.dci", "club/classics.dci"])
        .current_dir(mounted.path())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && err.is_empty(), "{err}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "deleted 3\n");
}

#[test]
fn columns_of_moves_are_those_of_python_chess() {
    let samples = needs!(samples).join("data");
    let Some(python) = python("chess.pgn", "python-chess") else {
        return;
    };
    let script = r#"
import chess.pgn, csv, io, subprocess, sys
program, sources = sys.argv[1], sys.argv[2:]
for source in sources:
    export = lambda *options: subprocess.run(
        [program, "export", "--pgn=export", *options, source], capture_output=True, check=True, text=True).stdout
    games = io.StringIO(export())
    rows = csv.DictReader(io.StringIO(export("--to=csv", "--columns=ply_count,uci,final_fen")))
    compared = chess960 = 0
    for row in rows:
        end = chess.pgn.read_game(games).end().board()
        assert row["ply_count"] == str(len(end.move_stack)), row
        assert row["uci"] == " ".join(move.uci() for move in end.move_stack), (row, end.chess960)
        if row["final_fen"] == "":
            assert not end.move_stack and not end.is_valid(), (row, end)
            continue
        theirs, ours = chess.Board(end.fen(en_passant="fen")), chess.Board(row["final_fen"])
        if not end.chess960:
            assert row["final_fen"] == end.fen(en_passant="fen"), row
        assert (ours.halfmove_clock, ours.fullmove_number) == (theirs.halfmove_clock, theirs.fullmove_number), row
        compared += 1
        chess960 += end.chess960
    assert chess.pgn.read_game(games) is None and compared > 0
    print(f"{compared} games, {chess960} of Chess960")
"#;
    let sources = [
        "simplecdb/small",
        "jose/varied",
        "chessbase-cbh/Chess960NonStandard",
        "chessbase-cbh/UnusualStart",
    ];
    let output = Command::new(python)
        .args(["-c", script, env!("CARGO_BIN_EXE_pgnfs")])
        .args(sources.map(|source| samples.join(source)))
        .output()
        .unwrap();
    let (out, err) = (output.stdout, output.stderr);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&err));
    let out = String::from_utf8_lossy(&out);
    assert_eq!(out.lines().count(), sources.len());
    assert!(out.lines().any(|line| !line.ends_with(" 0 of Chess960")), "{out}");
}
