//! How mounts end.

use std::fs::{self, File};
use std::io::Read;
use std::process::Command;

use super::scratch::{Scratch, pgnfs, run, signal, wait_for};
use testkit::needs;

fn umount(scratch: &Scratch) {
    let is_root = run(Command::new("id").arg("-u")).out == "0\n";
    let mut command = if is_root {
        Command::new("umount")
    } else {
        Command::new("fusermount3")
    };
    let ended = run(command.args((!is_root).then_some("-u")).arg(&scratch.mount));
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// Uses statfs, because the kernel may answer other requests from its cache.
fn is_dead(scratch: &Scratch) -> bool {
    run(Command::new("stat").arg("-f").arg(&scratch.mount)).code != Some(0)
}

#[test]
fn a_background_mount_is_there_at_once_and_leaves_the_terminal() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    assert_eq!(scratch.games().len(), 2);
    for process in scratch.daemon_and_guardian() {
        let process = format!("/proc/{process}");
        assert_eq!(
            fs::read_link(format!("{process}/cwd")).unwrap().to_str(),
            Some("/")
        );
        let descriptors = ["1", "2"].map(|number| fs::read_link(format!("{process}/fd/{number}")).unwrap());
        assert_eq!(
            descriptors.map(|path| path.to_str() == Some("/dev/null")),
            [true, true]
        );
        // The guardian may not have done this yet.
        wait_for("a session of its own", || {
            let stat = fs::read_to_string(format!("{process}/stat")).unwrap();
            let mut fields = stat.rsplit(')').next().unwrap().split_whitespace();
            fields
                .nth(3)
                .is_some_and(|session| process == format!("/proc/{session}"))
        });
    }
    scratch.unmount();
    wait_for("the end of daemon and guardian", || {
        scratch.processes().is_empty()
    });
}

#[test]
fn signals_unmount() {
    needs!(mount);
    for name in ["INT", "TERM", "HUP"] {
        let scratch = Scratch::new();
        let foreground = scratch.mount_in_foreground(&[], "warn");
        foreground.signal(name);
        assert_eq!(foreground.end().code(), Some(0), "SIG{name}");
        assert!(!scratch.is_mounted());
        assert_eq!(scratch.log(), "");
        wait_for("the end of the guardian", || scratch.processes().is_empty());
    }
}

#[test]
fn other_signals_do_nothing() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&[], "warn");
    for process in scratch.daemon_and_guardian() {
        wait_for("handlers of signals", || {
            let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
            let caught = status
                .lines()
                .find_map(|line| line.strip_prefix("SigCgt:"))
                .unwrap();
            u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << (libc::SIGRTMAX() - 1)) != 0
        });
        let usual = [
            libc::SIGALRM,
            libc::SIGIO,
            libc::SIGPIPE,
            libc::SIGPROF,
            libc::SIGPWR,
        ];
        let others = [
            libc::SIGUSR1,
            libc::SIGUSR2,
            libc::SIGVTALRM,
            libc::SIGRTMIN(),
            libc::SIGRTMAX(),
        ];
        for number in usual.into_iter().chain(others) {
            signal(process, &number.to_string());
        }
    }
    let games = scratch.games();
    assert!(fs::read_to_string(&games[0]).unwrap().starts_with("[Event "));
    assert_eq!(scratch.processes().len(), 2);
    foreground.signal("TERM");
    assert_eq!(foreground.end().code(), Some(0));
    assert_eq!(scratch.log(), "");
    wait_for("the end of the guardian", || scratch.processes().is_empty());
}

#[test]
fn umount_from_outside_ends_the_daemon() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&[], "warn");
    umount(&scratch);
    assert_eq!(foreground.end().code(), Some(0));
    assert_eq!(scratch.log(), "");
    wait_for("the end of the guardian", || scratch.processes().is_empty());
}

#[test]
fn a_killed_daemon_leaves_no_dead_mount() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&[], "warn");
    foreground.signal("KILL");
    assert_eq!(foreground.end().code(), None);
    wait_for("the guardian to clean up", || !scratch.is_mounted());
    scratch.mount(&[]);
    assert_eq!(scratch.games().len(), 2);
}

#[test]
fn an_old_guardian_does_not_touch_the_next_mount() {
    needs!(mount);
    let scratch = Scratch::new();
    let first = scratch.mount_in_foreground(&[], "warn");
    let [_, guardian] = scratch.daemon_and_guardian();
    signal(guardian, "STOP");
    scratch.unmount();
    first.end();
    let next = scratch.mount_in_foreground(&[], "warn");
    // Programs that access the mount wait now, and keep it busy.
    next.signal("STOP");
    signal(guardian, "CONT");
    wait_for("the end of the first guardian", || {
        !scratch.processes().contains(&guardian)
    });
    next.signal("CONT");
    umount(&scratch);
    assert_eq!(next.end().code(), Some(0));
}

#[test]
fn a_dead_mount_is_replaced() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&[], "warn");
    let [_, guardian] = scratch.daemon_and_guardian();
    signal(guardian, "KILL");
    foreground.signal("KILL");
    foreground.end();
    wait_for("the mount to die", || is_dead(&scratch));
    assert!(scratch.is_mounted());
    let ended = run(&mut scratch.mount_command(&[]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended
            .err
            .contains("is unmounted first: the program that served it died"),
        "{}",
        ended.err
    );
    assert_eq!(scratch.games().len(), 2);
    assert_eq!(scratch.mounts().len(), 1);
}

#[test]
fn a_dead_mount_can_be_unmounted() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    let [daemon, guardian] = scratch.daemon_and_guardian();
    for process in [guardian, daemon] {
        signal(process, "KILL");
    }
    wait_for("the mount to die", || is_dead(&scratch));
    scratch.unmount();
    assert_eq!(fs::read_dir(&scratch.mount).unwrap().count(), 0);
}

#[test]
fn open_files_are_served_to_their_end() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&[], "warn");
    let game = scratch.games().remove(0);
    let size = fs::metadata(&game).unwrap().len();
    let mut file = File::open(&game).unwrap();
    foreground.signal("TERM");
    wait_for("the mount to go", || !scratch.is_mounted());
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(text.len() as u64, size);
    drop(file);
    assert_eq!(foreground.end().code(), Some(0));
}

#[test]
fn a_database_that_is_cut_gives_errors_and_nothing_else_suffers() {
    needs!(mount);
    let scratch = Scratch::new();
    // Games decoded before could be served from the cache.
    let foreground = scratch.mount_in_foreground(&["--cache-size=0", "--watch=off"], "error");
    let game = scratch.games().remove(0);
    let games = File::options()
        .write(true)
        .open(scratch.source.join("a.dcg"))
        .unwrap();
    games.set_len(0).unwrap();
    let error = fs::read(&game).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(5), "{error}");
    assert!(scratch.log().contains("a.dci"), "{}", scratch.log());
    // The other database and the names in this one still work.
    let other = fs::read_to_string(scratch.mount.join("sub/b.dci/all.pgn")).unwrap();
    assert!(other.starts_with("[Event "));
    assert_eq!(scratch.games().len(), 2);
    foreground.signal("TERM");
    assert_eq!(foreground.end().code(), Some(0));
}

#[test]
fn a_second_signal_does_not_wait() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&[], "warn");
    let _file = File::open(scratch.games().remove(0)).unwrap();
    foreground.signal("INT");
    wait_for("the mount to go", || !scratch.is_mounted());
    foreground.signal("INT");
    assert_eq!(foreground.end().code(), Some(0));
}

#[test]
fn what_is_mounted_above_stays() {
    needs!(mount);
    needs!(root);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&[], "warn");
    let above = run(Command::new("mount")
        .args(["-t", "tmpfs", "none"])
        .arg(&scratch.mount));
    assert_eq!(above.code, Some(0), "{above:?}");
    foreground.signal("TERM");
    wait_for("the refusal", || scratch.log().contains("unmount that one first"));
    assert_eq!(scratch.mounts().len(), 2);
    umount(&scratch);
    assert_eq!(scratch.games().len(), 2, "still served");
    foreground.signal("TERM");
    assert_eq!(foreground.end().code(), Some(0));
    assert!(!scratch.is_mounted());
}

#[test]
fn unmount_says_if_files_are_open() {
    needs!(mount);
    for (option, words) in [(None, "files in it are open"), (Some("--lazy"), "")] {
        let scratch = Scratch::new();
        scratch.mount(&[]);
        let mut open = File::open(scratch.mount.join("info.txt")).unwrap();
        let ended = run(pgnfs().arg("unmount").args(option).arg(&scratch.mount));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.err.contains(words), "{ended:?}");
        assert_eq!(ended.err.is_empty(), option.is_some(), "{ended:?}");
        assert!(!scratch.is_mounted());
        let mut text = String::new();
        open.read_to_string(&mut text).unwrap();
        assert!(text.contains("Databases: 2"), "{text}");
        assert!(!scratch.processes().is_empty());
        drop(open);
        wait_for("the end of the program", || scratch.processes().is_empty());
    }
}

#[test]
fn a_source_of_odd_name() {
    needs!(mount);
    let mut scratch = Scratch::new();
    let odd = scratch.path("a,b c\\d\n=é");
    fs::rename(&scratch.source, &odd).unwrap();
    scratch.source = odd;
    scratch.mount(&[]);
    assert!(
        scratch.mounts()[0].contains(r"a,b\040c\134d\012=é"),
        "{:?}",
        scratch.mounts()
    );
    let ended = run(pgnfs().arg("unmount").arg(&scratch.mount));
    assert_eq!(ended.code, Some(0));
}
