//! Mounts of an ordinary user through `fusermount3`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::scratch::{Scratch, pgnfs, run};
use testkit::needs;

/// Runs `script` as `nobody` in a separate mount namespace in which all users have access to `/dev/fuse`, as
/// set by udev. Returns `None` with a message if that is not possible.
///
/// The script has `$pgnfs`, the scratch folder as its working directory, and in `$point` the mount point as the kernel's
/// table has it.
fn as_nobody(scratch: &Scratch, script: &str) -> Option<String> {
    needs!(mount);
    needs!(root);
    for (tool, package) in [("fusermount3", "fuse3"), ("setpriv", "util-linux")] {
        needs!(program tool, in package);
    }
    needs!(if sets_user("fusermount3"), "fusermount3 with the bit setuid, as the package fuse3 has it");
    // Other users may not have access to the program's folder.
    let program = scratch.path("pgnfs");
    fs::copy(env!("CARGO_BIN_EXE_pgnfs"), &program).unwrap();
    for name in ["pgnfs", "mount"] {
        let mode = PermissionsExt::from_mode(0o755);
        fs::set_permissions(scratch.path(name), mode).unwrap();
    }
    std::os::unix::fs::chown(&scratch.mount, Some(65534), Some(65534)).unwrap();
    fs::create_dir(scratch.path("dev")).unwrap();
    let whole = format!(
        r#"
        cd "$1" && export pgnfs="$1/pgnfs" && unset XDG_CACHE_HOME
        mount -t tmpfs none dev && mknod -m 666 dev/fuse c 10 229 && mount --bind dev/fuse /dev/fuse || exit 9
        exec setpriv --reuid 65534 --regid 65534 --clear-groups sh -c '{script}' 2>&1
        "#
    );
    let point = scratch.mount.canonicalize().unwrap();
    let ended = scratch.run_isolated(&whole, |command| {
        command
            .env("LC_ALL", "C")
            .env("point", testkit::mounts::as_in_table(&point));
    })?;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    Some(ended.out)
}

/// True if a program runs as its owner, root, regardless of the user who starts it.
fn sets_user(program: &str) -> bool {
    let path = run(Command::new("sh").args(["-c", "command -v \"$1\"", "sh", program])).out;
    let mode = fs::metadata(path.trim()).unwrap().permissions().mode();
    mode & 0o4000 != 0
}

#[test]
fn an_ordinary_user_mounts_and_unmounts() {
    let scratch = Scratch::new();
    fs::rename(&scratch.source, scratch.path(r"a,b\c")).unwrap();
    let script = r#"
        "$pgnfs" mount -o open-wait=20 "a,b\c" mount && grep -F " $point " /proc/self/mountinfo
        stat -c "%u %g %A" mount/a.dci/all.pgn
        head -n 1 mount/a.dci/games/000001-001000/000001.pgn
        "$pgnfs" mount "a,b\c" mount
        "$pgnfs" unmount mount
        ls mount | wc -l
    "#;
    let Some(out) = as_nobody(&scratch, script) else {
        return;
    };
    let lines: Vec<_> = out.lines().collect();
    let [mounted, owner, event, twice, left] = lines[..] else {
        panic!("{out}");
    };
    assert!(
        mounted.contains(r"/a,b\134c ro,user_id=65534,group_id=65534"),
        "{mounted}"
    );
    assert_eq!(owner, "65534 65534 -r--r--r--");
    assert_eq!(event, r#"[Event "Paris opera"]"#);
    assert!(twice.starts_with("pgnfs: mount already shows "), "{twice}");
    assert_eq!(left, "0");
}

#[test]
fn the_guardian_of_an_ordinary_user() {
    let scratch = Scratch::new();
    let script = r#"
        "$pgnfs" mount -f source mount &
        for i in $(seq 400); do sleep 0.05; test -e mount/info.txt && break; done
        kill -KILL $!
        for i in $(seq 200); do sleep 0.1; grep -qF " $point " /proc/self/mountinfo || break; done
        grep -cF " $point " /proc/self/mountinfo
        ls mount | wc -l
    "#;
    let Some(out) = as_nobody(&scratch, script) else {
        return;
    };
    assert_eq!(out.lines().rev().take(2).collect::<Vec<_>>(), ["0", "0"], "{out}");
}

#[test]
fn what_an_ordinary_user_may_not_do() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("of-root")).unwrap();
    fs::create_dir(scratch.path("closed")).unwrap();
    fs::set_permissions(scratch.path("closed"), PermissionsExt::from_mode(0o700)).unwrap();
    let closed = scratch.source.join("a.dcg");
    fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
    let closed = scratch.source.join("sub");
    fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
    let script = r#"
        "$pgnfs" mount source of-root; echo $?
        "$pgnfs" mount source closed; echo $?
        PATH=/nowhere "$pgnfs" mount source mount; echo $?
        "$pgnfs" mount source/sub/b.dci mount; echo $?
        "$pgnfs" info source/a.dcg; echo $?
        "$pgnfs" check source; echo $?
    "#;
    let Some(out) = as_nobody(&scratch, script) else {
        return;
    };
    for message in [
        "/of-root: name a folder of your own",
        "this user may not mount on closed: name a folder of your own",
        "fusermount3, which mounts for ordinary users, is missing: install the package fuse3",
        "source/sub/b.dci: cannot be read: Permission denied",
        "source/a.dcg: cannot be read: Permission denied",
    ] {
        assert!(out.contains(message), "{out}");
    }
    let codes: Vec<_> = out.lines().filter(|line| line.len() == 1).collect();
    assert_eq!(codes, ["2", "2", "2", "2", "2", "1"], "{out}");
}

#[test]
fn what_another_user_mounted() {
    needs!(mount);
    let scratch = Scratch::new();
    let theirs = scratch.path("theirs");
    fs::create_dir(&theirs).unwrap();
    let mounted = run(pgnfs().arg("mount").arg(&scratch.source).arg(&theirs));
    assert_eq!(mounted.code, Some(0), "{mounted:?}");
    let said = as_nobody(&scratch, "\"$pgnfs\" unmount theirs; echo $?");
    let ended = run(pgnfs().arg("unmount").arg(&theirs));
    if let Some(said) = said {
        assert_eq!(
            said,
            "pgnfs: theirs is mounted by user 0: only that user and root may unmount it\n2\n"
        );
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
}
