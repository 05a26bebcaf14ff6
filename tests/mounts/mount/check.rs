//! `check`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::scratch::{Scratch, for_shell, pgnfs, run};
use super::simplecdb::{self, ILLEGAL, OPERA};

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
        bad.out.starts_with("bad.dci: game 2: ") && bad.out.contains(" (bad.dcg, byte "),
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

/// Each kind of problem alone is counted, and ends the program with the code for problems.
#[test]
fn check_fails_for_any_problem() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 5] = [
        ("", |_| ()),
        ("none.dci: left out: ", |folder| {
            fs::write(folder.join("none.dci"), "nothing").unwrap();
        }),
        ("bad.dci: game 2: ", |folder| {
            simplecdb::write(&folder.join("bad"), &[OPERA, ILLEGAL]);
        }),
        ("bad.pgn: game 1: ", |folder| {
            fs::write(folder.join("bad.pgn"), "[White \"A\"]\n\n1. e5 *\n").unwrap();
        }),
        ("a.dci: ", |folder| fs::remove_file(folder.join("a.dcs")).unwrap()),
    ];
    for (begin, change) in changes {
        let scratch = Scratch::new();
        change(&scratch.source);
        let checked = run(pgnfs().arg("check").arg(&scratch.source));
        let lines = checked.out.lines().count();
        assert_eq!(
            checked.code,
            Some(i32::from(lines > 0)),
            "{begin}: {}",
            checked.out
        );
        assert_eq!(lines > 0, !begin.is_empty(), "{}", checked.out);
        assert!(
            checked.out.lines().any(|line| line.starts_with(begin)) || begin.is_empty(),
            "{}",
            checked.out
        );
        let number = match lines {
            1 => "1 problem\n".to_owned(),
            lines => format!("{lines} problems\n"),
        };
        assert!(
            checked.err.ends_with(&format!(", {number}")),
            "{begin}: {}",
            checked.err
        );
    }
}

/// macOS writes a file `._NAME` beside each file on a drive that it shares with other systems.
#[test]
fn what_macos_keeps_about_a_file_is_no_problem() {
    let scratch = Scratch::new();
    let kept = |magic: &[u8]| [magic, b"\0\x02\0\0Mac OS X        "].concat();
    fs::write(scratch.source.join("._a.pgn"), kept(b"\0\x05\x16\x07")).unwrap();
    let checked = run(pgnfs().arg("check").arg(&scratch.source));
    assert_eq!((checked.code, checked.out.as_str()), (Some(0), ""));
    let found = run(pgnfs().args(["find", "--show=count", ""]).arg(&scratch.source));
    assert_eq!((found.out.as_str(), found.err.as_str()), ("3\n", ""));
    let info = run(pgnfs().arg("info").arg(&scratch.source));
    assert!(info.out.contains("\n  ._a.pgn: cannot be read"), "{}", info.out);

    // Other files with such a name are missed if they cannot be read.
    fs::write(scratch.source.join("._b.pgn"), kept(b"\0\x05\x16\x08")).unwrap();
    let checked = run(pgnfs().arg("check").arg(&scratch.source));
    assert_eq!(checked.code, Some(1));
    assert!(
        checked.out.lines().all(|line| line.starts_with("._b.pgn: ")),
        "{}",
        checked.out
    );
}

#[test]
fn check_names_line_and_move() {
    let scratch = Scratch::new();
    let good = "[White \"A\"]\n\n1. e4 *\n\n";
    let bad = |end: &str| {
        let game = "[White \"B\"]\n\n1. e4 e5 2. Nf3 Nc6\n3. Bb5 a6\n4. Bxc7 dxc6 *\n\n\
                    [White \"C\"]\n\n1. e4 (1. d4\nd5 2. Ke3) e5 2. d4 d5\n3. exd5 O-O *\n";
        format!("{good}{game}").replace('\n', end)
    };
    for (name, end) in [("lf.pgn", "\n"), ("crlf.pgn", "\r\n"), ("cr.pgn", "\r")] {
        fs::write(scratch.source.join(name), bad(end)).unwrap();
        let byte = |what: &str| bad(end).rfind(what).unwrap();
        let [bishop, king, castling] = ["Bxc7", "Ke3", "O-O"].map(byte);
        let checked = run(pgnfs().arg("check").arg(scratch.source.join(name)));
        let wanted = format!(
            "{name}: game 2: line 9, 4. Bxc7: no bishop can go to c7 (byte {bishop})\n\
             {name}: game 3: line 14, 2. Ke3: no king can go to e3 (byte {king})\n\
             {name}: game 3: line 15, 3... O-O: "
        );
        assert!(checked.out.starts_with(&wanted), "{}", checked.out);
        assert!(
            checked.out.ends_with(&format!(" (byte {castling})\n")),
            "{}",
            checked.out
        );
        assert_eq!(checked.out.lines().count(), 3, "{}", checked.out);
        let info = run(pgnfs().arg("info").arg(scratch.source.join(name)));
        let path = for_shell(&scratch.source.join(name));
        let hint = format!("  problems        games were not decoded: pgnfs check {path}\n");
        assert!(info.out.ends_with(&hint), "{}", info.out);
    }
    // So it is if the name of the file is no UTF-8.
    let folder = scratch.path("odd");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(OsStr::from_bytes(b"n\xff.pgn")), bad("\n")).unwrap();
    let checked = run(pgnfs().arg("check").arg(&folder)).out;
    assert!(checked.contains("game 2: line 9, 4. Bxc7: "), "{checked}");
}

#[test]
fn check_stops_when_nobody_reads_its_output() {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("none.dci"), "nothing").unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let checked = run(pgnfs().arg("check").arg(&scratch.source).stdout(writer));
    assert_eq!(
        (checked.code, checked.err.as_str()),
        (
            Some(1),
            "pgnfs: stopped early, because nothing reads the output any more\n"
        )
    );
}
