//! The answers of an index against the positions that python-chess counts.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use chessdb::Database;
use chessdb_library::positions::{BuildOptions, Index, Pattern};

use testkit::samples::open_base;
use testkit::{needs, python};

/// Prints each position that is reached by ply 40: its EPD, the number of games that have it anywhere, and for each
/// move how many of them played it after the first occurrence. Of those that one game has, one of 50.
const SCRIPT: &str = r#"
import sys, chess.pgn
from collections import Counter

games, moves, early = Counter(), {}, set()
with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors, game.errors
        board, seen = game.board(), set()
        line = list(game.mainline_moves()) + [None]
        for ply, move in enumerate(line):
            key = board.epd()
            if ply <= 40:
                early.add(key)
            if key not in seen:
                seen.add(key)
                games[key] += 1
                name = "" if move is None else "null" if not move else board.san(move)
                moves.setdefault(key, Counter())[name] += 1
            if move is not None:
                board.push(move)
for number, key in enumerate(sorted(early)):
    if games[key] > 1 or number % 50 == 0:
        played = sorted(f"{move}={count}" for move, count in moves[key].items())
        print(key, games[key], " ".join(played), sep="\t")
"#;

/// Compares all positions of a database's first games.
fn compare(database: Arc<dyn Database>, python: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let mut file = File::create(&path).unwrap();
    for game in (0..database.len()).filter(|&game| !database.keys(game).deleted) {
        let mut text = Vec::new();
        chessdb::pgn::append_game(&mut text, &database.game(game).game);
        file.write_all(&text).unwrap();
    }
    let index = Index::in_memory(&database, BuildOptions::default(), &|_| ()).unwrap();
    let mut command = Command::new(python);
    let mut child = command
        .args(["-c", SCRIPT])
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut compared = 0;
    for line in BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
    {
        let [epd, games, moves] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let pattern = Pattern::parse(epd).unwrap();
        assert_eq!(index.count(&pattern).unwrap().to_string(), games, "{epd}");
        let table = index.moves(&pattern).unwrap();
        let played = table.rows.iter().filter(|row| row.tally.games > 0);
        let mut played: Vec<_> = played
            .map(|row| format!("{}={}", row.san, row.tally.games))
            .collect();
        played.sort_unstable();
        assert_eq!(played.join(" "), moves, "{epd}");
        compared += 1;
    }
    assert!(child.wait().unwrap().success());
    compared
}

#[test]
fn counts_are_those_of_python_chess() {
    let shared = needs!(samples);
    let Some(python) = python("chess.pgn", "python-chess") else {
        return;
    };
    let base = shared.join("data/simplecdb/small/small");
    let compared = compare(open_base(&base).unwrap().into(), &python);
    assert!(compared > 50, "{compared}");
    if let Some(base) = std::env::var_os("PGNFS_COUNTED") {
        let database: Arc<dyn Database> = open_base(base.as_ref()).unwrap().into();
        let games = database.len();
        eprintln!(
            "{} positions of {games} games compared",
            compare(database, &python)
        );
    }
}
