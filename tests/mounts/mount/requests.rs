//! The kernel's requests and the replies.

use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::process::Command;

use super::scratch::{Scratch, run};
use testkit::needs;

/// Number of requests of a type in the log.
fn count(scratch: &Scratch, kind: &str) -> usize {
    let word = format!(" {kind} ");
    scratch.log().lines().filter(|line| line.contains(&word)).count()
}

#[test]
fn the_kernel_asks_once() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&[], "fuser=debug");
    let look = || {
        for game in scratch.games() {
            fs::read(&game).unwrap();
        }
        fs::read(scratch.mount.join("a.dci/all.pgn")).unwrap();
        fs::metadata(scratch.mount.join("nothing")).unwrap_err();
    };
    look();
    assert_eq!(count(&scratch, "OPEN"), 1, "no open: {}", scratch.log());
    // Two may be sent before the kernel has the reply to the first.
    assert!((1..=2).contains(&count(&scratch, "OPENDIR")));
    assert_eq!(count(&scratch, "FLUSH"), 1);
    assert_eq!(count(&scratch, "RELEASE") + count(&scratch, "RELEASEDIR"), 0);
    assert!(count(&scratch, "READDIRPLUS") > 0 && count(&scratch, "READ") > 0);
    let asked = scratch.log().len();
    look();
    assert_eq!(
        scratch.log()[asked..].to_owned(),
        "",
        "all is known the second time"
    );
    drop(foreground);
}

#[test]
fn nothing_can_be_changed() {
    needs!(mount);
    // Only root can make the kernel send requests for changes.
    needs!(root);
    needs!(program "setfattr", in "attr");
    let scratch = Scratch::new();
    scratch.mount(&["-o", "xattr"]);
    let remounted = run(Command::new("mount")
        .args(["-i", "-o", "remount,rw"])
        .arg(&scratch.mount));
    assert_eq!(remounted.code, Some(0), "{remounted:?}");
    let (info, new) = (scratch.mount.join("info.txt"), scratch.mount.join("new"));
    let text = fs::read(&info).unwrap();
    let [info, new] = [info, new].map(|path| path.to_str().unwrap().to_owned());
    for line in [
        &["mkdir", &new][..],
        &["mknod", &new, "p"],
        &["touch", &new],
        &["touch", &info],
        &["chmod", "777", &info],
        &["chown", "1", &info],
        &["truncate", "-s", "0", &info],
        &["dd", "if=/dev/zero", "conv=notrunc", &format!("of={info}")],
        &["ln", &info, &new],
        &["ln", "-s", &info, &new],
        &["mv", &info, &new],
        &["rm", "-f", &info],
        &["rmdir", scratch.mount.join("a.dci").to_str().unwrap()],
        &["fallocate", "-l", "1", &info],
        &["setfattr", "-n", "user.x", "-v", "1", &info],
        &["setfattr", "-x", "user.x", &info],
    ] {
        let ended = run(Command::new(line[0]).args(&line[1..]).env("LC_ALL", "C"));
        assert_ne!(ended.code, Some(0), "{line:?}");
        assert!(
            ended.err.contains("Read-only file system"),
            "{line:?}: {}",
            ended.err
        );
    }
    assert_eq!(fs::read(&info).unwrap(), text);
}

#[test]
fn a_directory_lists_every_name_with_its_inode() {
    needs!(mount);
    let scratch = Scratch::new();
    // Sizes are unknown at first, so entries have no attributes.
    scratch.mount(&[]);
    let folder = scratch.mount.join("a.dci/games/000001-001000");
    let listed = run(Command::new("ls").arg("-fai").arg(&folder));
    let mut names: Vec<(u64, String)> = listed
        .out
        .lines()
        .map(|line| line.trim().split_once(' ').unwrap())
        .map(|(inode, name)| (inode.parse().unwrap(), name.to_owned()))
        .collect();
    names.sort_by(|a, b| a.1.cmp(&b.1));
    let inode = |path: &Path| fs::symlink_metadata(path).unwrap().ino();
    let wanted = [".", "..", "000001.pgn", "000002.pgn"];
    assert_eq!(
        names,
        wanted.map(|name| (inode(&folder.join(name)), name.to_owned()))
    );
}

#[test]
fn reads_at_any_place() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    let all = scratch.mount.join("a.dci/all.pgn");
    let games: Vec<u8> = scratch
        .games()
        .iter()
        .flat_map(|game| fs::read(game).unwrap())
        .collect();
    assert_eq!(fs::metadata(&all).unwrap().len(), games.len() as u64);
    let file = fs::File::open(&all).unwrap();
    for (offset, len) in [(0, 1), (5, 100), (games.len() - 3, 50), (games.len(), 10)] {
        let mut buffer = vec![0; len];
        let read = file.read_at(&mut buffer, offset as u64).unwrap();
        assert_eq!(buffer[..read], games[offset..games.len().min(offset + len)]);
    }
}

/// The POSIX behaviour of a read-only file system: 88 checks, which a read-only tmpfs passes as well.
#[test]
fn conformance() {
    needs!(mount);
    let shared = needs!(samples);
    needs!(program "python3", in "python3");
    let scratch = Scratch::new();
    scratch.mount(&[]);
    // Below the mount point, as the program does not expect blanks.
    let check = |file: &Path| {
        let size = fs::metadata(scratch.mount.join(file)).unwrap().len();
        let ended = run(Command::new("python3")
            .current_dir(&scratch.mount)
            .arg(shared.join("tools/ro_conformance.py"))
            .args([file, file.parent().unwrap()])
            .arg(size.to_string()));
        let differs: Vec<_> = ended.out.lines().filter(|line| !line.starts_with("ok")).collect();
        let expected: &[&str] = if testkit::is_root() {
            &["88 ok, 0 differ"]
        } else {
            // Only root may open files by their handles.
            &[
                "DIFF name_to_handle_at + open_by_handle_at: EPERM  (wanted True)",
                "87 ok, 1 differ",
            ]
        };
        assert_eq!(differs, expected, "{}", file.display());
    };
    check(Path::new("a.dci/games/000001-001000/000001.pgn"));
    check(Path::new("sub/b.dci/all.pgn"));
}

/// A file handle leads to its file after the kernel forgot the inode.
#[test]
fn file_handles() {
    needs!(mount);
    needs!(root);
    needs!(program "python3", in "python3");
    let scratch = Scratch::new();
    scratch.mount(&[]);
    let ended = run(Command::new("python3")
        .arg("-c")
        .arg(include_str!("file_handle.py"))
        .args([&scratch.games()[0], &scratch.mount]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.out, "[Event \"Paris opera\"]\n");
}
