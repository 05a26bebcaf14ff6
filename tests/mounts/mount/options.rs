//! Options of a mount, and mount(8).

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use super::scratch::{Scratch, run};
use testkit::needs;

#[test]
fn files_belong_to_the_user_who_mounts() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    let own = fs::metadata(&scratch.source).unwrap();
    for path in [&scratch.mount, &scratch.games()[0]] {
        let meta = fs::metadata(path).unwrap();
        assert_eq!((meta.uid(), meta.gid()), (own.uid(), own.gid()));
        let mode = if meta.is_dir() { 0o555 } else { 0o444 };
        assert_eq!(meta.permissions().mode() & 0o7777, mode);
    }
    let line = &scratch.mounts()[0];
    assert!(line.contains(" - fuse.pgnfs "), "{line}");
    let source = testkit::mounts::as_in_table(&scratch.source.canonicalize().unwrap());
    for word in ["ro,nosuid,nodev", &source] {
        assert!(line.contains(word), "{line}");
    }
    assert!(!line.contains("allow_other"), "{line}");
}

#[test]
fn owner_and_permissions() {
    needs!(mount);
    for options in [
        &["--uid=1234", "--gid", "2345", "--umask=037"][..],
        &["-o", "ro,uid=1234,x-gvfs-show", "-o", "gid=2345,umask=037"],
        &["-o", "uid=1,umask=0", "--uid=1234", "--gid=2345", "--umask=037"],
    ] {
        let scratch = Scratch::new();
        scratch.mount(options);
        let meta = fs::metadata(&scratch.games()[0]).unwrap();
        assert_eq!((meta.uid(), meta.gid()), (1234, 2345), "{options:?}");
        assert_eq!(meta.permissions().mode() & 0o7777, 0o440);
    }
}

#[test]
fn time_of_a_game() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    // 12:00 UTC on November 2nd, 1858.
    assert_eq!(fs::metadata(&scratch.games()[0]).unwrap().mtime(), -3_507_969_600);
    scratch.unmount();
    scratch.mount(&["-o", "mtime=source"]);
    let own = fs::metadata(scratch.source.join("a.dci")).unwrap();
    let of_game = fs::metadata(&scratch.games()[0]).unwrap();
    assert!((of_game.mtime() - own.mtime()).abs() <= 2);
}

#[test]
fn tags_as_extended_attributes() {
    needs!(mount);
    needs!(program "getfattr", in "attr");
    let scratch = Scratch::new();
    let dump = || {
        run(Command::new("getfattr")
            .args(["-d", "--absolute-names"])
            .arg(&scratch.games()[0]))
    };
    scratch.mount(&[]);
    assert_eq!(dump().out, "");
    scratch.unmount();
    scratch.mount(&["-o", "xattr"]);
    let shown = dump().out;
    assert!(shown.contains("user.pgn.White=\"Morphy, Paul\""), "{shown}");
    let value = |name: &str| {
        run(Command::new("getfattr")
            .args(["--only-values", "-n", name])
            .arg(&scratch.games()[1]))
    };
    assert_eq!(value("user.pgn.White").out, "Anderssen, Adolf");
    assert_eq!(value("user.pgn.Nothing").code, Some(1));
}

#[test]
fn the_helper_of_mount_8() {
    needs!(mount);
    let scratch = Scratch::new();
    let program = Path::new(env!("CARGO_BIN_EXE_pgnfs"));
    let paths = [&scratch.source, &scratch.mount];
    for name in ["mount.pgnfs", "mount.fuse.pgnfs"] {
        let helper = scratch.path(name);
        symlink(program, &helper).unwrap();
        let good = run(Command::new(&helper)
            .args(paths)
            .args(["-nv", "-o", "rw,noexec,user=x,uid=7"]));
        assert_eq!((good.code, good.err.as_str()), (Some(0), ""));
        assert_eq!(fs::metadata(&scratch.games()[0]).unwrap().uid(), 7);
        scratch.unmount();

        let fake = run(Command::new(&helper).args(paths).args(["-f", "-o", "ro"]));
        assert_eq!((fake.code, scratch.is_mounted()), (Some(0), false));

        let unknown = run(Command::new(&helper).args(paths).args(["-o", "ro,nonsense=1"]));
        assert_eq!(unknown.code, Some(1));
        assert!(
            unknown.err.contains("unknown option 'nonsense'"),
            "{}",
            unknown.err
        );

        let sloppy = run(Command::new(&helper)
            .args(paths)
            .args(["-s", "-o", "ro,nonsense=1"]));
        assert_eq!(sloppy.code, Some(0));
        scratch.unmount();
    }
    // mount -t fuse.pgnfs, if only the program itself is installed.
    let plain = run(Command::new(program).args(paths).args(["-o", "rw,dev,suid"]));
    assert_eq!((plain.code, scratch.games().len()), (Some(0), 2));
}
