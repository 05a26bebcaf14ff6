//! Tables: what independent readers find in them, and the examples of `docs/tables.md`.

use std::process::Command;

use crate::common::{needs, python};
use crate::mounted::Mounted;

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
    with open(f"{database}/games.csv", encoding="utf-8", newline="") as file:
        table = [{k: v for k, v in row.items() if v} for row in csv.DictReader(file)]
    with open(f"{database}/games.ndjson", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
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
fn the_examples_of_the_page_are_true() {
    let Some(mounted) = Mounted::of(&[
        ("classics.pgn", "classics"),
        ("annotated.pgn", "studies/annotated"),
    ]) else {
        return;
    };
    let Some(python) = python("duckdb", "duckdb") else {
        return;
    };
    needs!(program "jq", in "jq");
    mounted.mount(&[]);
    let examples = examples(include_str!("../../docs/tables.md"));
    assert!(examples.len() >= 4, "{} examples", examples.len());
    for (command, printed) in examples {
        let here = command.replacen("python3", &python, 1);
        assert_eq!(mounted.shell(&format!("cd .. && {here}")), printed, "{command}");
    }
}

/// The commands of a page, each behind `$ ` in an indented block, with what they print.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    let mut in_document = false;
    let mut in_example = false;
    for line in page.lines() {
        let code = line.strip_prefix("    ");
        match (code, code.and_then(|code| code.strip_prefix("$ "))) {
            (_, Some(command)) => {
                in_document = command.ends_with("<<'END'");
                examples.push((command.to_owned() + "\n", String::new()));
                in_example = true;
            }
            (Some(code), None) if in_example => {
                let Some((command, printed)) = examples.last_mut() else {
                    continue;
                };
                let text = if in_document { command } else { printed };
                *text += &format!("{code}\n");
                in_document &= code != "END";
            }
            _ => in_example = in_document,
        }
    }
    examples
}
