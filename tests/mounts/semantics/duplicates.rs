//! Duplicates, compared with an independent search in the same games.

use std::process::Command;

use super::mounted::Mounted;
use testkit::python;

#[test]
fn section_1_12_duplicates_are_found_as_by_a_search_of_the_pgn() {
    let Some(mounted) = Mounted::of(&[
        ("classics.pgn", "classics"),
        ("annotated.pgn", "annotated"),
        ("classics.pgn", "copies/classics"),
    ]) else {
        return;
    };
    let Some(python) = python("chess.pgn", "python-chess") else {
        return;
    };
    mounted.mount(&["--unique"]);
    let script = r#"
import chess.pgn, collections, csv, glob
equal = collections.defaultdict(set)
for path in glob.glob("**/games/*/*.pgn", recursive=True):
    if path.startswith("all/"):
        continue
    game = chess.pgn.read_game(open(path, encoding="utf-8"))
    moves = [str(move) for move in game.mainline_moves()]
    of = game.headers
    is_known = "?" not in (of["White"], of["Black"]) and "?" not in of["Date"]
    # A short game has all its tags in the key; a game with too little known is the same as no other.
    short = None if len(moves) >= 10 else str(of) if is_known else path
    equal[of.get("FEN"), *moves, short, of["White"], of["Black"], of["Date"]].add(path)
expected = {frozenset(paths) for paths in equal.values() if len(paths) > 1}
groups = collections.defaultdict(set)
best = set()
with open("all/tables/duplicates.csv", encoding="utf-8", newline="") as file:
    for row in csv.DictReader(file):
        groups[row["group"]].add(row["path"])
        if row["unique"] == "true":
            best.add(row["path"])
assert {frozenset(group) for group in groups.values()} == expected, (groups, expected)
assert len(best) == len(groups) > 30, (len(best), len(groups))
lesser = set().union(*groups.values()) - best
games = {path for paths in equal.values() for path in paths}
def number(path):
    return sum(line.startswith("[Event ") for line in open(path, encoding="utf-8"))
assert number("all/all.pgn") == len(games)
assert number("all/unique/all.pgn") == len(games - lesser)
"#;
    let output = Command::new(python)
        .args(["-c", script])
        .current_dir(mounted.path())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && err.is_empty(), "{err}");
}
