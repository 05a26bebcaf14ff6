//! Requests and the causes of errors in the log.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use rustix::fs::SeekFrom;

use super::scratch::{Scratch, wait_for};
use testkit::needs;

/// The lines in the log about a type of request.
fn lines(scratch: &Scratch, kind: &str) -> Vec<String> {
    let begin = format!("pgnfs: TRACE pgnfs::fuse: {kind} 0x");
    let log = scratch.log();
    let lines = log.lines().filter(|line| line.starts_with(&begin));
    lines.map(str::to_owned).collect()
}

#[track_caller]
fn assert_traced(scratch: &Scratch, kind: &str, what: &str, result: &str) {
    let is_same = |line: &String| {
        let time = line.strip_suffix(" us").and_then(|line| line.rsplit_once(", "));
        let Some((request, microseconds)) = time else {
            panic!("{line}")
        };
        assert!(microseconds.parse::<u64>().is_ok(), "{line}");
        request.contains(what) && request.ends_with(result)
    };
    let lines = lines(scratch, kind);
    assert!(lines.iter().any(is_same), "{kind} {what}: {result}\n{lines:#?}");
}

#[test]
fn the_log_has_every_request_with_its_result() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&["-o", "xattr"], "pgnfs=trace");
    let games = scratch.games();
    let size = fs::read(&games[1]).unwrap().len();
    fs::metadata(scratch.mount.join("nothing")).unwrap_err();
    fs::write(scratch.mount.join("nothing"), "").unwrap_err();
    fs::read_dir(scratch.mount.join("a.dci/players")).unwrap().count();

    let name = format!("(a.dci: Block(0)) {:?}", games[1].file_name().unwrap());
    assert!(
        lines(&scratch, "READDIRPLUS")
            .iter()
            .any(|line| line.contains("(a.dci: Block(0)) from 0: 4 entries, "))
            || lines(&scratch, "LOOKUP").iter().any(|line| line.contains(&name)),
        "{}",
        scratch.log()
    );
    assert_traced(&scratch, "LOOKUP", "(the root) \"nothing\"", ": ENOENT");
    assert_traced(&scratch, "READDIRPLUS", "(a.dci: View(", " entries");
    assert_traced(&scratch, "OPEN", "(a.dci: game 2)", ": ENOSYS");
    let read = lines(&scratch, "READ").iter().any(|line| {
        line.contains("(a.dci: game 2) ") && line.contains(&format!(" bytes at 0: {size} bytes, "))
    });
    let stored = scratch.log().contains(": STORE 0x");
    assert!(read || stored, "{}", scratch.log());
    drop(foreground);
}

#[test]
fn a_usual_mount_logs_nothing() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground_as_usual(&[]);
    for path in scratch.files() {
        let file = File::open(&path).unwrap();
        let mut bytes = [0; 100];
        file.read_at(&mut bytes, 0).unwrap();
        // The file system does not implement the request for SEEK_HOLE.
        let end = rustix::fs::seek(&file, SeekFrom::Hole(0));
        assert_eq!(end.ok().unwrap_or(0), file.metadata().unwrap().len());
    }
    scratch.unmount();
    foreground.end();
    assert_eq!(scratch.log(), "");
}

#[test]
fn an_error_has_its_reason_in_the_log_once() {
    needs!(mount);
    for (log, is_repeated) in [("warn", false), ("pgnfs=debug", true)] {
        let scratch = Scratch::new();
        let foreground = scratch.mount_in_foreground(&["-o", "cache-size=0", "-o", "watch=off"], log);
        let games = scratch.games();
        let file = File::options()
            .write(true)
            .open(scratch.source.join("a.dcg"))
            .unwrap();
        file.set_len(0).unwrap();
        for _ in 0..10 {
            for game in &games {
                fs::read(game).unwrap_err();
            }
        }
        let reason = "a.dci: a.dcg was changed: ";
        wait_for("the reason", || scratch.log().contains(reason));
        let count = scratch.log().lines().filter(|line| line.contains(reason)).count();
        assert_eq!(count > 1, is_repeated, "{}", scratch.log());
        drop(foreground);
    }
}
