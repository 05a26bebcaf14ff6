//! A database with confusing texts, listed by tools that walk trees.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use super::scratch::{Scratch, pgnfs, run};
use super::simplecdb::{self, Game, OPERA};
use testkit::needs;

const NAMES: [&str; 10] = [
    "../../../../etc/passwd",
    "/etc/passwd",
    "..",
    "-rf",
    "a\nb\x1b[2J",
    "$(touch x) `touch x`; touch x",
    "\u{202e}nemow, x",
    "משה",
    "e\u{301}\u{301}\u{323}",
    // These bytes are replaced by some that are not UTF-8.
    "QQQQ, Q",
];

#[test]
fn tools_walk_a_tree_of_hostile_names() {
    needs!(mount);
    let scratch = Scratch::new();
    let games = NAMES.map(|name| Game {
        white: name,
        event: name,
        ..OPERA
    });
    let base = scratch.source.join("hostile");
    simplecdb::write(&base, &games);
    for extension in ["dcn", "dce"] {
        let path = base.with_extension(extension);
        let mut bytes = fs::read(&path).unwrap();
        let place = bytes.windows(4).position(|window| window == b"QQQQ").unwrap();
        bytes[place..place + 4].copy_from_slice(b"\xff\xc3\xe2\x80");
        fs::write(&path, bytes).unwrap();
    }
    scratch.mount(&[]);
    let copy = scratch.path("copy");
    let database = scratch.mount.join("hostile.dci");
    let copied = run(Command::new("cp").arg("-r").args([&database, &copy]));
    assert_eq!((copied.code, copied.err.as_str()), (Some(0), ""));
    // Positions are looked up and not listed, so links to them lead nowhere in a copy.
    let compared = run(Command::new("diff")
        .args(["-r", "--no-dereference"])
        .args([&database, &copy]));
    assert_eq!((compared.code, compared.out.as_str()), (Some(0), ""));
    let names = names_below(&database);
    assert!(names.len() > 100, "{} names", names.len());
    for name in &names {
        let text = std::str::from_utf8(name).expect("a name in UTF-8");
        assert!(!text.contains(char::is_control), "{text:?}");
    }
    assert_eq!(
        fs::read_dir(database.join("players")).unwrap().count(),
        NAMES.len() + 1
    );
    let all = fs::read(database.join("all.pgn")).unwrap();
    assert_eq!(testkit::pgn::read(&all).len(), NAMES.len());
}

/// All names below a directory. Looks up each of them.
fn names_below(directory: &Path) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        names.push(path.file_name().unwrap().as_bytes().to_vec());
        if fs::symlink_metadata(&path).unwrap().is_dir() {
            names.extend(names_below(&path));
        }
    }
    names
}

/// A name that would clear the terminal and print a line of its own.
const FORGED: &str = "x\npgnfs: all is well\x1b[2J\u{9b}2J\u{2028}\u{202e}";

/// True for a character that can neither break a line nor control a terminal.
fn is_harmless(c: char) -> bool {
    c == '\n' || !(c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c))
}

#[test]
fn no_name_forges_a_line_or_controls_the_terminal() {
    let scratch = Scratch::new();
    let there = scratch.path(FORGED);
    fs::create_dir(&there).unwrap();
    fs::write(there.join("letter.txt"), "").unwrap();
    fs::write(scratch.path("x\ny.txt"), "").unwrap();
    let gone = scratch.path(&format!("gone{FORGED}"));
    let letter = scratch.path("x\ny.txt");
    let [source, there, gone, letter] =
        [&scratch.source, &there, &gone, &letter].map(|path| path.to_str().unwrap());
    let long = format!("--{FORGED}");
    for arguments in [
        &["info", gone][..],
        &["info", there],
        &["info", letter],
        &["info", "--only", "*.none", there],
        &["check", there],
        &["export", source, FORGED],
        &["export", there, FORGED],
        &["export", source, "--output", &format!("{gone}/file")],
        &["mount", source, gone],
        &["mount", source, there],
        &["mount", source, letter],
        &["mount", there, source],
        &["mount", gone, scratch.mount.to_str().unwrap()],
        &["mount", "-o", FORGED, source, gone],
        &["unmount", gone],
        &["unmount", there],
        &["status", there],
        &["info", "-o", FORGED, source],
        &["info", "-o", &format!("reading={FORGED}"), source],
        &["info", &format!("--only=[{FORGED}"), source],
        &["info", source, FORGED],
        &["info", source, &long],
        &[FORGED],
        &[&long],
    ] {
        let ended = run(pgnfs().args(arguments));
        assert_eq!(ended.code, Some(2), "{arguments:?}: {ended:?}");
        assert!(ended.err.chars().all(is_harmless), "{arguments:?}: {ended:?}");
        assert_eq!(
            ended.err.matches("\npgnfs:").count(),
            0,
            "{arguments:?}: {ended:?}"
        );
        assert!(ended.err.contains("pgnfs: "), "{arguments:?}: {ended:?}");
    }
}

#[test]
fn no_name_controls_the_terminal_that_shows_a_source() {
    let scratch = Scratch::new();
    let name = format!("{FORGED}.dci");
    for kind in ["dci", "dcg"] {
        let (from, to) = (format!("a.{kind}"), format!("{FORGED}.{kind}"));
        fs::copy(scratch.source.join(from), scratch.source.join(to)).unwrap();
    }
    fs::write(scratch.source.join(format!("{FORGED}.cbf")), "nothing").unwrap();
    let source = scratch.source.to_str().unwrap();
    for arguments in [
        &["info", source][..],
        &["info", "--json", source],
        &["check", source],
    ] {
        let ended = run(pgnfs().args(arguments));
        let text = ended.out + &ended.err;
        assert!(text.contains("all is well"), "{arguments:?}: {text:?}");
        assert!(text.chars().all(is_harmless), "{arguments:?}: {text:?}");
        assert!(!text.contains("\npgnfs: all"), "{arguments:?}: {text:?}");
    }
    let ended = run(pgnfs().args(["info", "--json", source]));
    let info: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let databases = info["databases"].as_array().unwrap().iter();
    let mut files = databases.flat_map(|database| database["files"].as_array().unwrap());
    assert!(
        files.any(|file| file["name"] == name.as_str()),
        "a reader of JSON gets the name as it is"
    );
}
