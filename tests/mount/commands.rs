//! `export`, `check`, `info`, help.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::needs;
use crate::scratch::{Scratch, pgnfs, run};
use crate::simplecdb::{self, Game, ILLEGAL, OPERA};

#[test]
fn export_writes_all_games_in_database_order() {
    let scratch = Scratch::new();
    let all = run(pgnfs().arg("export").arg(&scratch.source));
    assert_eq!((all.code, all.err.as_str()), (Some(0), ""));
    let whites: Vec<_> = all
        .out
        .lines()
        .filter(|line| line.starts_with("[White "))
        .collect();
    assert_eq!(
        whites,
        [
            r#"[White "Morphy, Paul"]"#,
            r#"[White "Anderssen, Adolf"]"#,
            r#"[White "Morphy, Paul"]"#
        ]
    );
    assert!(
        all.out
            .contains("1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 1-0\n\n")
    );
    let one = run(pgnfs().arg("export").arg(&scratch.source).arg("sub/b.dci"));
    assert!(all.out.ends_with(&one.out) && one.out.starts_with("[Event "));
    for threads in ["1", "7"] {
        let on_threads = run(pgnfs()
            .args(["export", "--threads", threads])
            .arg(&scratch.source));
        assert_eq!(on_threads.out, all.out);
    }
}

#[test]
fn export_of_a_database_that_is_not_there() {
    let scratch = Scratch::new();
    let ended = run(pgnfs().arg("export").arg(&scratch.source).arg("c.dci"));
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("has no database 'c.dci'"), "{}", ended.err);
    assert!(ended.err.contains("pgnfs info"), "{}", ended.err);
}

#[test]
fn export_to_a_file() {
    let scratch = Scratch::new();
    let all = run(pgnfs().arg("export").arg(&scratch.source));
    let file = scratch.path("games.pgn");
    fs::write(&file, "x".repeat(100_000)).unwrap();
    let export_to = |file: &Path| {
        run(pgnfs()
            .arg("export")
            .arg(&scratch.source)
            .arg("--output")
            .arg(file))
    };
    let ended = export_to(&file);
    assert_eq!(
        (ended.code, ended.out.as_str(), ended.err.as_str()),
        (Some(0), "", "")
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), all.out);

    let own = scratch.path("link");
    fs::hard_link(scratch.source.join("a.dcg"), &own).unwrap();
    let refused = export_to(&own);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("link belongs to a database"),
        "{}",
        refused.err
    );
    assert_eq!(run(pgnfs().arg("export").arg(&scratch.source)).out, all.out);
    for (file, remedy) in [
        ("none/games.pgn", "create its folder first"),
        ("source", "name a file in it"),
    ] {
        let refused = export_to(&scratch.path(file));
        let said = format!("{file} cannot be written: ");
        assert!(
            refused.err.contains(&said) && refused.err.contains(remedy),
            "{}",
            refused.err
        );
    }
}

/// A quarter of a mebibyte is room for the old file and a part of the new one.
#[test]
fn a_full_disk_keeps_the_file_that_was_there() {
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("big"), &[OPERA; 5000]);
    let folder = scratch.path("disk");
    fs::create_dir(&folder).unwrap();
    let script = r#"
        mount -t tmpfs -o size=256k none "$1" || { echo cannot; exit; }
        echo old >"$1/games.pgn"; chmod 640 "$1/games.pgn"; ln -s games.pgn "$1/link.pgn"
        for file in games new link; do "$0" export "$2" --output "$1/$file.pgn"; echo $?; done
        cat "$1/games.pgn"; ls "$1"
        "$0" export "$2" --only a.dci --output "$1/link.pgn"; echo $?
        grep -c '^.White ' "$1/games.pgn"; stat -c %a "$1/games.pgn"; ls "$1"
    "#;
    let mut command = Command::new("unshare");
    command.args(["--mount", "bash", "-c", script, env!("CARGO_BIN_EXE_pgnfs")]);
    let ended = run(command.arg(&folder).arg(&scratch.source));
    let is_possible = ended.code == Some(0) && !ended.out.starts_with("cannot");
    needs!(if is_possible, "a mount namespace (root)");
    let all = ["2", "2", "2", "old", "games.pgn", "link.pgn"];
    let small = ["0", "2", "640", "games.pgn", "link.pgn"];
    assert_eq!(ended.out.lines().collect::<Vec<_>>(), [&all[..], &small].concat());
    for file in ["games.pgn", "new.pgn", "link.pgn"] {
        let said = format!("{file} cannot be written: No space left");
        assert!(ended.err.contains(&said), "{}", ended.err);
    }
}

#[test]
fn a_terminal_sees_how_far_it_is() {
    needs!(program "script", in "bsdutils");
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("bad"), &[OPERA, ILLEGAL]);
    let on_terminal = |arguments: &str| {
        let line = format!("$pgnfs {arguments} $source 2>&1");
        run(Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .env("pgnfs", env!("CARGO_BIN_EXE_pgnfs"))
            .env("source", &scratch.source)
            .env("TERM", "xterm"))
    };
    let checked = on_terminal("check");
    assert!(checked.out.contains("] 100%  5 of 5 games"), "{:?}", checked.out);
    assert!(
        checked.out.contains("bad.dci: game 2: bad.dcg: byte "),
        "{:?}",
        checked.out
    );
    assert_eq!(checked.code, Some(1));
    let exported = on_terminal("export --output /dev/null");
    assert!(exported.out.contains("of 5 games"), "{:?}", exported.out);
    let shown = on_terminal("export");
    assert!(
        !shown.out.contains("of 5 games") && shown.out.contains("1. e4"),
        "{:?}",
        shown.out
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("big"), &[OPERA; 5000]);
    let mut child = pgnfs()
        .arg("export")
        .arg(&scratch.source)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut begin = [0; 7];
    child.stdout.take().unwrap().read_exact(&mut begin).unwrap();
    assert_eq!(&begin, b"[Event ");
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr), (Some(0), Vec::new()));
}

#[test]
fn check_names_every_problem() {
    let scratch = Scratch::new();
    let good = run(pgnfs().arg("check").arg(&scratch.source));
    assert_eq!((good.code, good.out.as_str()), (Some(0), ""));
    assert_eq!(good.err, "pgnfs: 3 games in 2 databases, 0 problems\n");

    simplecdb::write(&scratch.source.join("bad"), &[OPERA, ILLEGAL]);
    let bad = run(pgnfs().arg("check").arg(&scratch.source));
    assert_eq!(bad.code, Some(1));
    assert_eq!(bad.out.lines().count(), 1, "{}", bad.out);
    assert!(
        bad.out.starts_with("bad.dci: game 2: bad.dcg: byte "),
        "{}",
        bad.out
    );
    assert!(
        bad.err.ends_with("pgnfs: 5 games in 3 databases, 1 problem\n"),
        "{}",
        bad.err
    );

    fs::write(scratch.source.join("none.dci"), "nothing").unwrap();
    let left_out = run(pgnfs().arg("check").arg(&scratch.source));
    assert_eq!(left_out.code, Some(1));
    assert!(
        left_out.out.starts_with("none.dci: left out: "),
        "{}",
        left_out.out
    );
    assert!(!left_out.err.contains("left out"), "{}", left_out.err);
    let exported = run(pgnfs().arg("export").arg(&scratch.source));
    assert_eq!(exported.err.matches("left out").count(), 1, "{}", exported.err);

    let single = run(pgnfs().arg("check").arg(scratch.source.join("bad.dci")));
    assert!(single.out.starts_with("bad.dci: game 2: "), "{}", single.out);
}

#[test]
fn a_name_with_a_line_feed_is_one_line() {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("no\nne.dci"), "nothing").unwrap();
    simplecdb::write(&scratch.source.join("ba\x1b\nd"), &[ILLEGAL]);
    let checked = run(pgnfs().arg("check").arg(&scratch.source));
    assert!(
        checked.out.starts_with("no ne.dci: left out: "),
        "{}",
        checked.out
    );
    assert!(checked.out.contains(": ba  d.dcg: byte "), "{}", checked.out);
    assert_eq!(checked.out.lines().count(), 2, "{}", checked.out);
    assert!(
        checked.err.lines().all(|line| line.starts_with("pgnfs: ")),
        "{}",
        checked.err
    );
    let info = run(pgnfs().arg("info").arg(&scratch.source));
    assert!(info.out.contains("  file            ba  d.dcg, "), "{}", info.out);
    assert!(
        info.out.ends_with("begins as SimpleCDb files do\n"),
        "{}",
        info.out
    );
    assert!(info.out.contains("\n  no ne.dci: "), "{}", info.out);
}

#[test]
fn long_games_are_exported_in_their_order() {
    let scratch = Scratch::new();
    let long = Game {
        // The text of such a game is a few times as long as its moves, which go on behind an illegal one.
        moves: Box::leak(format!("a1a1{}", " g1f3".repeat(30_000)).into_boxed_str()),
        ..OPERA
    };
    // The end of a chunk is left to whoever writes when its texts are long.
    let games: Vec<Game> = (0..200).map(|n| if n % 3 == 0 { OPERA } else { long }).collect();
    simplecdb::write(&scratch.source.join("long"), &games);
    let exported = |threads| {
        let command = ["export", "--threads", threads];
        run(pgnfs().args(command).arg(scratch.source.join("long.dci"))).out
    };
    let one = exported("1");
    assert!(one.len() > 128 * (100 << 10));
    let begins: Vec<bool> = one
        .split("[Event ")
        .skip(1)
        .map(|game| game.contains("1. e4 e5"))
        .collect();
    assert!(begins.iter().copied().eq((0..200).map(|n| n % 3 == 0)));
    assert_eq!(exported("3"), one);
}

#[test]
fn info_is_there_for_people_and_programs() {
    let scratch = Scratch::new();
    let text = run(pgnfs().arg("info").arg(&scratch.source));
    assert_eq!(text.code, Some(0));
    assert!(text.out.contains("3 games in 2 databases"), "{}", text.out);
    assert!(text.out.contains("\nsub/b.dci\n"), "{}", text.out);

    let json = run(pgnfs().args(["info", "--json"]).arg(&scratch.source));
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["games"], 3);
    assert_eq!(
        json["source"],
        scratch.source.canonicalize().unwrap().to_str().unwrap()
    );
    let first = &json["databases"][0];
    assert_eq!(
        (&first["path"], &first["format"], &first["games"]),
        (&"a.dci".into(), &"simplecdb".into(), &2.into())
    );
    assert_eq!(first["files"][0]["name"], "a.dci");
    assert_eq!(
        first["files"][0]["size"],
        fs::metadata(scratch.source.join("a.dci")).unwrap().len()
    );
    for list in ["warnings", "problems"] {
        assert_eq!(first[list], serde_json::json!([]));
    }
    assert!(first["info"].is_object());
    assert_eq!(json["left_out"], serde_json::json!([]));
}

#[test]
fn sources_that_hold_nothing() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("empty")).unwrap();
    fs::write(scratch.path("note.txt"), "hello").unwrap();
    for command in ["export", "check", "info"] {
        for (source, message) in [
            ("missing", "no such file or folder"),
            ("empty", "no chess database"),
            ("note.txt", "not a chess database"),
        ] {
            let ended = run(pgnfs().arg(command).arg(scratch.path(source)));
            assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""));
            assert!(ended.err.starts_with("pgnfs: "), "{}", ended.err);
            assert!(
                ended.err.contains(source) && ended.err.contains(message),
                "{}",
                ended.err
            );
        }
    }
}

#[test]
fn usage() {
    for arguments in [&["--help"][..], &["mount", "--help"], &["--version"]] {
        let ended = run(pgnfs().args(arguments));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
        assert!(!ended.out.is_empty());
    }
    for (arguments, message) in [
        (&[][..], "name a command"),
        (&["moutn", "a", "b"], "unrecognized subcommand 'moutn'"),
        (&["mount", "a"], "<MOUNTPOINT>"),
        (&["info", "--nonsense", "a"], "--nonsense"),
        (
            &["mount", "-o", "nonsense", "a", "b"],
            "unknown option 'nonsense'",
        ),
        (&["mount", "--uid=me", "a", "b"], "option 'uid': 'me'"),
        (&["export", "-o", "uid=1", "a"], "option 'uid' is only for mount"),
        (
            &["info", "--cache-size=1M", "a"],
            "option 'cache-size' is only for mount",
        ),
        (
            &["check", "-o", "reading=nonsense", "a"],
            "option 'reading': 'nonsense' is not the reading of any format; there are ",
        ),
    ] {
        let ended = run(pgnfs().args(arguments));
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ended.err.starts_with("pgnfs: "), "{}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
    }
}
