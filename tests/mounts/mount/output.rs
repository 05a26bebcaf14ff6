//! The file of `export --output`, and the messages before databases are opened.

use std::fs;
use std::io::{Read, Write, pipe};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{Pid, Signal, kill_process};

use super::scratch::{Scratch, pgnfs, run, wait_for};
use super::simplecdb::{self, OPERA};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn an_export_that_fails_keeps_the_old_file_whatever_the_length_of_its_name() {
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("big"), &[OPERA; 5000]);
    let folder = scratch.path("out");
    fs::create_dir(&folder).unwrap();
    let name = format!("{}.pgn", "o".repeat(251));
    fs::write(folder.join(&name), "old").unwrap();
    let export = |limit: &str| {
        let script = format!("ulimit -f {limit}; exec \"$0\" export \"$1\" --output \"$2\"");
        run(Command::new("bash")
            .args(["-c", &script, env!("CARGO_BIN_EXE_pgnfs")])
            .arg(&scratch.source)
            .arg(folder.join(&name)))
    };
    let failed = export("64");
    assert_eq!(failed.code, Some(2), "{}", failed.err);
    assert!(
        failed.err.contains(" cannot be written: File too large"),
        "{}",
        failed.err
    );
    assert_eq!(fs::read_to_string(folder.join(&name)).unwrap(), "old");
    assert_eq!(names(&folder), [name.as_str()]);
    assert_eq!(export("unlimited").code, Some(0));
    let games = fs::read_to_string(folder.join(&name)).unwrap();
    assert_eq!(games.matches("[White ").count(), 5003);
    assert_eq!(names(&folder), [name.as_str()]);
}

#[test]
fn mistakes_in_the_output_are_reported_before_and_what_remains_after_a_failure_is_named() {
    let scratch = Scratch::new();
    let out = scratch.path("out");
    let slash = format!("{}/", out.display());
    // Before databases are opened.
    let folder = run(pgnfs().args(["export", "--to=csv", "--output", &slash, "/nowhere"]));
    assert_eq!(folder.code, Some(2));
    assert!(folder.err.contains("name a file in it"), "{}", folder.err);
    let packed = run(pgnfs().args(["export", "--output", "games.pgn.gz", "/nowhere"]));
    assert_eq!(packed.code, Some(2));
    assert!(
        packed.err.contains("leave it out, and write | gzip >FILE"),
        "{}",
        packed.err
    );
    let none = run(pgnfs()
        .args(["export", "--where=player:morhpy", "--output"])
        .arg(scratch.path("none.pgn"))
        .arg(&scratch.source));
    assert_eq!((none.code, none.out.as_str()), (Some(0), ""));
    assert!(
        none.err
            .starts_with("pgnfs: --where finds no game\npgnfs: player:morhpy: "),
        "{}",
        none.err
    );
    let script = "ulimit -f 0; exec \"$0\" export --to parquet --schema lichess --output \"$1\" \"$2\"";
    let failed = run(Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_pgnfs"), &slash])
        .arg(&scratch.source));
    assert_eq!(failed.code, Some(2));
    let said = format!("{} is incomplete: remove it\n", out.join("data").display());
    assert!(failed.err.ends_with(&said), "{}", failed.err);
    // An index that cannot be kept.
    let find = run(pgnfs()
        .args(["find", "--index=yes", "--cache-dir=none", "result:1-0"])
        .arg(&scratch.source));
    assert_eq!(find.code, Some(0));
    assert!(
        find.err
            .contains("index=yes has no effect, because nothing is kept"),
        "{}",
        find.err
    );
}

/// A folder on a file system that cannot be written, with one file that can.
#[test]
fn only_in_a_folder_that_cannot_be_written_the_file_itself_is() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("disk")).unwrap();
    fs::write(scratch.path("file"), "x".repeat(100_000)).unwrap();
    let script = r#"
        cd "$1" && mount -t tmpfs none disk && touch disk/games.pgn && mount --bind file disk/games.pgn &&
            mount -o remount,ro,bind disk || exit 9
        "$2" export source none.dci --output disk/games.pgn; echo $?; wc -c <disk/games.pgn
        "$2" export source --output disk/new.pgn; echo $?
        "$2" export source --output disk/games.pgn; echo $?; ls disk
    "#;
    let Some(ended) = scratch.run_isolated(script, |_| {}) else {
        return;
    };
    assert_eq!(
        ended.out.lines().collect::<Vec<_>>(),
        ["2", "100000", "2", "0", "games.pgn"]
    );
    let said = "disk/games.pgn itself is written and is incomplete until the export ends\n";
    assert_eq!(ended.err.matches(said).count(), 1, "{}", ended.err);
    assert!(ended.err.contains("new.pgn cannot be written: "), "{}", ended.err);
    let all = run(pgnfs().arg("export").arg(&scratch.source)).out;
    assert_eq!(fs::read_to_string(scratch.path("file")).unwrap(), all);
}

/// An export that has created its output and waits: its message about what was left out does not fit into the pipe.
fn halted(scratch: &Scratch, ignored: &str, signal: Signal) -> (ExitStatus, String) {
    let folder = scratch.path("out");
    let partials = || {
        let mut names = names(&folder);
        names.retain(|name| name.ends_with(".partial"));
        names
    };
    // By an export that was killed.
    let left = partials();
    let (mut reader, mut writer) = pipe().unwrap();
    let capacity = fcntl_setpipe_size(&writer, 4096).unwrap();
    writer.write_all(&vec![b' '; capacity]).unwrap();
    let script = format!("ulimit -c 0; trap '' {ignored}; exec \"$0\" export \"$1\" --output \"$2\"");
    // A program that a shell starts in the background ignores some of the signals.
    let mut child: Child = Command::new("env")
        .args([
            "--default-signal",
            "bash",
            "-c",
            &script,
            env!("CARGO_BIN_EXE_pgnfs"),
        ])
        .args([&scratch.source, &folder.join("games.pgn")])
        .stderr(writer)
        .spawn()
        .unwrap();
    wait_for("a partial file", || {
        partials().iter().any(|name| !left.contains(name))
    });
    kill_process(Pid::from_child(&child), signal).unwrap();
    if ignored == "USR1" {
        wait_for("the partial file to go", || partials().is_empty());
    }
    let mut said = String::new();
    reader.read_to_string(&mut said).unwrap();
    (child.wait().unwrap(), said)
}

#[test]
fn a_signal_removes_the_partial_file_and_says_so() {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("none.dci"), "nothing").unwrap();
    let folder = scratch.path("out");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("games.pgn"), "old").unwrap();
    let signals = [
        Signal::INT,
        Signal::TERM,
        Signal::HUP,
        Signal::QUIT,
        Signal::ALARM,
        Signal::USR2,
        Signal::XCPU,
        Signal::VTALARM,
        Signal::PROF,
    ];
    for signal in signals {
        let (status, said) = halted(&scratch, "USR1", signal);
        assert_eq!(status.signal(), Some(signal.as_raw()));
        assert!(said.contains("pgnfs: interrupted: "), "{said}");
        assert!(said.contains("out/games.pgn was not written\n"), "{said}");
        assert_eq!(names(&folder), ["games.pgn"]);
        assert_eq!(fs::read_to_string(folder.join("games.pgn")).unwrap(), "old");
    }
    // The next export removes what a killed export leaves.
    let (status, _) = halted(&scratch, "USR2", Signal::KILL);
    assert_eq!((status.signal(), names(&folder).len()), (Some(9), 2));
    // Ignored, as by nohup, or said when an index is too long to be kept, which is no reason to end.
    for signal in [Signal::HUP, Signal::XFSZ] {
        fs::write(folder.join("games.pgn"), "old").unwrap();
        let (status, said) = halted(&scratch, "HUP", signal);
        assert_eq!(status.code(), Some(0), "{signal:?}: {status} {said}");
        let games = fs::read_to_string(folder.join("games.pgn")).unwrap();
        assert_eq!(games.matches("[White ").count(), 3);
        assert_eq!(names(&folder), ["games.pgn"]);
    }
}

#[test]
fn no_file_of_the_source_is_overwritten() {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("sub/notes.txt"), "notes").unwrap();
    let target = scratch.source.join("sub/b.dcg");
    let (link, hard, folder) = (scratch.path("link"), scratch.path("hard"), scratch.path("folder"));
    symlink(&target, &link).unwrap();
    fs::hard_link(&target, &hard).unwrap();
    symlink(&scratch.source, &folder).unwrap();
    let before = fs::read(&target).unwrap();
    let export = |file: &Path| {
        let mut command = pgnfs();
        command.args(["export", "--only", "a.dci", "--output"]);
        run(command.args([file, &scratch.source]))
    };
    let notes = scratch.source.join("sub/notes.txt");
    for file in [&target, &link, &hard, &folder.join("sub/b.dci"), &notes] {
        let refused = export(file);
        assert_eq!(refused.code, Some(2), "{}", file.display());
        assert!(
            refused.err.contains("belongs to the source, which is only read"),
            "{}",
            refused.err
        );
    }
    assert_eq!(fs::read(&target).unwrap(), before);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "notes");
    assert_eq!(
        names(&scratch.source.join("sub")),
        ["b.dce", "b.dcg", "b.dci", "b.dcn", "b.dcs", "notes.txt"]
    );
    assert_eq!(export(&scratch.path("new.pgn")).code, Some(0));
}

#[test]
fn arguments_are_read_before_databases_are_opened() {
    let scratch = Scratch::new();
    for name in ["none.dci", "nothing.dci"] {
        fs::write(scratch.source.join(name), "nothing").unwrap();
    }
    for (wrong, said) in [
        (
            &["find", "--novelty", "--show", "moves"][..],
            "--novelty can be shown as",
        ),
        (&["export", "--columns", "White"], "--columns is for tables"),
        (&["export", "--part", "0/2"], "--part is K/N"),
        (&["export", "--uniform"], "--uniform is for books"),
        (
            &["export", "--to", "csv", "--min-games", "3"],
            "--min-games is for books",
        ),
        (
            &["export", "--to", "polyglot", "--part", "1/2"],
            "--part is not for books",
        ),
        (
            &["export", "--to", "polyglot", "--columns", "White"],
            "--columns is for tables",
        ),
        (
            &["export", "--output", "/none/games.pgn"],
            "create its folder first",
        ),
    ] {
        let ended = run(pgnfs().args(wrong).arg(&scratch.source));
        assert_eq!((ended.code, ended.err.lines().count()), (Some(2), 1), "{wrong:?}");
        assert!(ended.err.contains(said), "{}", ended.err);
    }
    for right in [&["find", "line:e4"][..], &["export"]] {
        let ended = run(pgnfs().args(right).arg(&scratch.source));
        assert_eq!(ended.code, Some(0), "{right:?}");
        assert_eq!(
            ended.err,
            "pgnfs: none.dci and 1 other were left out: 'pgnfs info' lists them with the reasons\n"
        );
    }
}
