//! Opening books that `export` writes.

use std::fs;
use std::path::Path;

use super::scratch::{Ended, Scratch, pgnfs, run};
use testkit::needs;

/// Three games of one database. One of them begins with a set-up position.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    fs::remove_dir_all(&scratch.source).unwrap();
    fs::create_dir(&scratch.source).unwrap();
    let games = [
        "[White \"Tal\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n",
        "[White \"Spassky\"]\n[Result \"1/2-1/2\"]\n\n1. e4 c5 1/2-1/2\n\n",
        "[White \"Tal\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n",
    ];
    fs::write(scratch.source.join("games.pgn"), games.concat()).unwrap();
    scratch
}

/// The book with these options, and the messages.
fn book(scratch: &Scratch, options: &[&str]) -> (Vec<u8>, Ended) {
    let file = scratch.path("book.bin");
    let command = ["export", "--to", "polyglot", "--output"];
    let ended = run(pgnfs()
        .args(command)
        .arg(&file)
        .args(options)
        .arg(&scratch.source));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    (fs::read(file).unwrap(), ended)
}

/// An entry: the key of the position, the move, the weight.
fn entry(key: u64, (from, to): (u16, u16), weight: u16) -> Vec<u8> {
    let numbers = [from << 6 | to, weight, 0, 0].map(u16::to_be_bytes);
    [key.to_be_bytes().to_vec(), numbers.concat()].concat()
}

/// The key of the normal start position and of that after 1. e4, as in the description of the format.
const START: u64 = 0x463b_9618_1691_fc9c;
const AFTER_E4: u64 = 0x823c_9b50_fd11_4196;
const E4: (u16, u16) = (12, 28);
const C5: (u16, u16) = (50, 34);

#[test]
fn export_writes_a_book() {
    let scratch = scratch();
    let (bytes, ended) = book(&scratch, &["--min-games", "1"]);
    assert_eq!(bytes, [entry(START, E4, 3), entry(AFTER_E4, C5, 1)].concat());
    assert_eq!(ended.err, "pgnfs: 1 game from set-up positions left out\n");
    let uniform = &["--min-games=1", "--uniform", "--side", "white"];
    assert_eq!(book(&scratch, uniform).0, entry(START, E4, 1));
    assert_eq!(
        book(&scratch, &["--min-games=1", "--min-score=60"]).0,
        entry(START, E4, 3)
    );
    assert_eq!(
        book(&scratch, &["--min-games=1", "--max-ply=1"]).0,
        entry(START, E4, 3)
    );
    let (bytes, ended) = book(&scratch, &["--min-games=1", "--where", "white:spassky"]);
    assert_eq!(bytes, [entry(START, E4, 1), entry(AFTER_E4, C5, 1)].concat());
    assert_eq!(ended.err, "");
}

#[test]
fn a_book_without_moves_is_empty_and_export_says_why() {
    let (bytes, ended) = book(&scratch(), &[]);
    assert!(bytes.is_empty());
    assert!(
        ended
            .err
            .ends_with("--min-games, --min-score and --side leave no move\n"),
        "{}",
        ended.err
    );
}

#[test]
fn a_book_that_does_not_fit_is_an_error() {
    needs!(if Path::new("/dev/full").exists(), "/dev/full");
    let scratch = scratch();
    let command = [
        "export",
        "--to",
        "polyglot",
        "--min-games",
        "1",
        "--output",
        "/dev/full",
    ];
    let ended = run(pgnfs().args(command).arg(&scratch.source));
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("/dev/full cannot be written: "),
        "{}",
        ended.err
    );
}
