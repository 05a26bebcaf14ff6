//! chess.js, the library of most chess boards in browsers, reads games strictly.

use std::process::Command;

use super::mounted::Mounted;
use testkit::needs;
use testkit::pgn;

/// Prints a line for each file: the moves, or why it was rejected.
const SCRIPT: &str = r#"
const { readFileSync } = require("fs");
const { Chess } = require("chess.js");
for (const file of process.argv.slice(1)) {
  const game = new Chess();
  let said;
  try {
    game.loadPgn(readFileSync(file, "utf8"), { strict: true });
    said = { moves: game.history() };
  } catch (error) {
    said = { error: error.message };
  }
  console.log(JSON.stringify(said));
}
"#;

/// True for a game that exceeds limits of chess.js 1.4.
fn is_limit(text: &str) -> bool {
    let (tags, movetext) = text.split_once("\n\n").unwrap();
    let words = movetext.split(|c: char| c.is_whitespace() || c == ')');
    let null_moves = words.filter(|word| *word == "--").count();
    null_moves > 0 || tags.contains('\\') || tags.contains("[Variant \"")
}

#[test]
fn chess_js_reads_the_moves() {
    needs!(program "node", in "nodejs");
    let there = Command::new("node").args(["-e", "require('chess.js')"]).output();
    needs!(if there.unwrap().status.success(), "chess.js (npm install chess.js@1.4.0, and NODE_PATH names its node_modules)");
    let Some(mounted) = Mounted::of_samples() else {
        return;
    };
    // The others are large or damaged, or contain the same games.
    let others = ["/corrupt/", "/bad/", "/variants/", "/readings/", "alternate"];
    let wanted =
        |(path, games): &(String, usize)| *games <= 130 && !others.iter().any(|other| path.contains(other));
    let databases = mounted.databases();
    let folders: Vec<String> = databases
        .iter()
        .filter(|database| wanted(database))
        .map(|(path, _)| format!("'{path}/games'"))
        .collect();
    let files = mounted.lines(&format!("find {} -name '*.pgn'", folders.join(" ")));
    assert!(files.len() > 500, "{}", files.len());

    let mut command = Command::new("node");
    command.args(["-e", SCRIPT]).args(&files);
    let output = command.current_dir(mounted.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), files.len());
    let mut read = 0;
    for (file, line) in files.iter().zip(said.lines()) {
        let said: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = std::fs::read_to_string(mounted.path().join(file)).unwrap();
        if let Some(error) = said["error"].as_str() {
            assert!(is_limit(&text), "{file}: {error}\n{text}");
            continue;
        }
        let game = pgn::read(text.as_bytes()).remove(0);
        let moves = said["moves"].as_array().unwrap().iter();
        let moves: Vec<&str> = moves.map(|san| san.as_str().unwrap()).collect();
        assert_eq!(moves, game.main_line(), "{file}");
        read += 1;
    }
    assert!(read * 5 > files.len() * 4, "{read} of {}", files.len());
}
