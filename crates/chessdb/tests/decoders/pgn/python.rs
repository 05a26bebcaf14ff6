//! What python-chess, the library of many viewers, reads.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use chessdb::game::Game;
use chessdb::pgn::to_text;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::harness::movetext;
use super::harness::sweep::is_same;
use super::injection;
use super::random::game_bytes;
use testkit::pgn;
use testkit::python;

/// Prints the tags and the movetext of each game in the form of [`pgn::Read`].
const SCRIPT: &str = r##"
import json, re, sys, chess.pgn

def said(texts):
    return " ".join(" ".join(texts).split())

def line(node, out):
    while node.variations:
        main, *others = node.variations
        show(main, out)
        for other in others:
            out.append("(")
            show(other, out)
            line(other, out)
            out.append(")")
        node = main

def show(node, out):
    if text := said([node.starting_comment]): out.append("{" + text + "}")
    out.append(node.san())
    after(node, out)

def after(node, out):
    out.extend("$%d" % nag for nag in sorted(node.nags))
    if text := said([node.comment]): out.append("{" + text + "}")

sys.setrecursionlimit(100000)
with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors, game.errors
        out = []
        after(game, out)
        line(game, out)
        # python-chess does not remove backslashes in tags.
        tags = {name: re.sub(r'\\([\\"])', r'\1', value) for name, value in game.headers.items()}
        print(json.dumps([tags, out], ensure_ascii=False, sort_keys=True))
"##;

#[test]
fn python_chess_reads_exactly_the_games() {
    let Some(python) = python("chess.pgn", "python-chess") else {
        return;
    };
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let random = (0..1_000).map(|_| movetext::game(&game_bytes().new_tree(&mut runner).unwrap().current()));
    let nasty = injection::TEXTS
        .iter()
        .flat_map(|text| [1, 40].map(|times| injection::game(&text.repeat(times))));
    let games: Vec<Game> = random.chain(nasty).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.pgn");
    std::fs::write(&path, games.iter().flat_map(to_text).collect::<Vec<u8>>()).unwrap();
    let output = Command::new(python)
        .args(["-c", SCRIPT])
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let read = String::from_utf8(output.stdout).unwrap();
    assert_eq!(read.lines().count(), games.len());
    for (read, game) in read.lines().zip(&games) {
        let read: (BTreeMap<String, String>, Vec<String>) = serde_json::from_str(read).unwrap();
        let written = pgn::of_game(game);
        assert_eq!(read.0, written.tags);
        assert_eq!(
            read.1.len(),
            written.movetext.len(),
            "{read:?} is not {written:?}"
        );
        for (read, written) in read.1.iter().zip(&written.movetext) {
            assert!(is_same(read, written), "{read:?} is not {written:?}");
        }
    }
}
