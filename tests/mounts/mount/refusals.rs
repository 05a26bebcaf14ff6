//! What cannot be mounted, and why.

use std::fs;
use std::path::Path;

use super::scratch::{Scratch, pgnfs, run};
use testkit::needs;

/// Asserts that mounting fails with `message` about `path`, and leaves nothing behind.
pub fn refused(scratch: &Scratch, source: &Path, point: &Path, message: &str, path: &Path) {
    for stay in [&["-f"][..], &[]] {
        let ended = run(pgnfs().arg("mount").args(stay).args([source, point]));
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{ended:?}");
        assert!(ended.err.starts_with("pgnfs: "), "{}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
        assert!(ended.err.contains(path.to_str().unwrap()), "{}", ended.err);
    }
    assert!(scratch.mounts().len() <= 1);
}

#[test]
fn mount_points() {
    let scratch = Scratch::new();
    let (source, inside) = (&scratch.source, scratch.source.join("inside"));
    fs::create_dir(&inside).unwrap();
    fs::create_dir_all(scratch.path("full/source")).unwrap();
    fs::write(scratch.path("file"), "").unwrap();
    for (point, message) in [
        (scratch.path("missing"), "does not exist: create it with mkdir"),
        (scratch.path("file"), "is not a folder"),
        (scratch.path("full"), "is not empty"),
        (scratch.path("source"), "overlap"),
        (inside, "overlap"),
        (scratch.path(""), "overlap"),
    ] {
        refused(&scratch, source, &point, message, &point);
    }
}

#[test]
fn sources() {
    needs!(mount);
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("empty")).unwrap();
    fs::create_dir(scratch.path("foreign")).unwrap();
    fs::write(scratch.path("foreign/letter.txt"), "hello").unwrap();
    for (name, message) in [
        ("missing", "no such file or folder"),
        ("empty", "no chess database"),
        ("foreign", "no chess database"),
        ("foreign/letter.txt", "not a chess database"),
    ] {
        let source = scratch.path(name);
        refused(&scratch, &source, &scratch.mount, message, &source);
    }
    assert!(!scratch.is_mounted());
}

#[test]
fn mounting_twice() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    refused(
        &scratch,
        &scratch.source,
        &scratch.mount,
        "already shows",
        &scratch.mount,
    );
    assert_eq!(scratch.games().len(), 2);
}

#[test]
fn unmounting_what_is_not_mounted() {
    let scratch = Scratch::new();
    for path in [scratch.mount.clone(), scratch.path("missing"), "/proc".into()] {
        let ended = run(pgnfs().arg("unmount").arg(&path));
        assert_eq!(ended.code, Some(2));
        let message = format!("{} is not a mount point of pgnfs", path.display());
        assert!(ended.err.contains(&message), "{}", ended.err);
    }
}

#[test]
fn without_fuse() {
    let scratch = Scratch::new();
    for stay in ["-f", ""] {
        let script = format!(
            r#"
            mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && test -e "$1" || exit 9
            exec "$2" mount {stay} "$1/source" "$1/mount"
            "#
        );
        let Some(ended) = scratch.run_isolated(&script, |_| {}) else {
            return;
        };
        assert_eq!(ended.code, Some(2), "{ended:?}");
        let message = "there is no /dev/fuse: load the kernel module";
        assert!(ended.err.contains(message), "{}", ended.err);
    }
}
