//! mount(8) and umount(8) themselves, with the helper in `/sbin` of a separate mount namespace.

use std::fs;

use super::scratch::Scratch;
use testkit::needs;
use testkit::samples::shared;

/// Runs a shell script as root in the scratch folder. `/sbin` contains `mount.pgnfs`, `pgnfs` and the files
/// of `fuse3`, and `/etc/fstab` is the file `fstab`. Returns `None` with a message if that is not possible.
fn with_helper(scratch: &Scratch, fstab: &str, script: &str) -> Option<String> {
    needs!(mount);
    needs!(root);
    for (tool, package) in [("findmnt", "util-linux"), ("fusermount3", "fuse3")] {
        needs!(program tool, in package);
    }
    let here = scratch.path("").canonicalize().unwrap();
    fs::write(here.join("fstab"), fstab.replace("$here", here.to_str().unwrap())).unwrap();
    // Ordinary users may not have access to the program's folder.
    fs::create_dir(here.join("sbin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_pgnfs"), here.join("sbin/pgnfs")).unwrap();
    let whole = format!(
        r#"
        cd "$1" && here=$PWD
        ln -s pgnfs sbin/mount.pgnfs && cp -P /sbin/mount.fuse* sbin/ && chmod 755 . mount || exit 9
        touch -a /etc/fstab && mount --bind fstab /etc/fstab && mount --bind sbin /sbin || exit 9
        mkdir dev && mount -t tmpfs none dev && mknod -m 666 dev/fuse c 10 229 || exit 9
        mount --bind dev/fuse /dev/fuse || exit 9
        trap 'umount "$here/mount" 2>/dev/null; true' EXIT
        {script}
        "#
    );
    let ended = scratch.run_isolated(&whole, |command| _ = command.env("LC_ALL", "C"))?;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    // Shown if the test fails.
    eprint!("{}", ended.err);
    Some(ended.out.replace(here.to_str().unwrap(), "$here"))
}

#[test]
fn root_mounts_and_unmounts() {
    let scratch = Scratch::new();
    let script = r#"
        for type in pgnfs fuse.pgnfs; do
            mount -t $type $here/source $here/mount -o ro,allow_other,uid=1000,noatime,_netdev,x-gvfs-show
            stat -c "%u %a" mount/a.dci/all.pgn
            findmnt -no FSTYPE,SOURCE,OPTIONS -t fuse.pgnfs $here/mount
            umount -t fuse.pgnfs $here/mount
            mount -t $type $here/source $here/mount && fusermount3 -u mount
            findmnt $here/mount && echo still mounted
        done; true
    "#;
    let Some(out) = with_helper(&scratch, "", script) else {
        return;
    };
    let lines: Vec<_> = out.lines().collect();
    let [owner, mounted, ..] = lines[..] else {
        panic!("{out}")
    };
    assert_eq!(owner, "1000 444");
    assert!(
        mounted.starts_with("fuse.pgnfs $here/source ro,nosuid,nodev,"),
        "{mounted}"
    );
    assert!(mounted.ends_with(",allow_other"), "{mounted}");
    // Both types are the same.
    assert_eq!(lines, [owner, mounted, owner, mounted]);
}

#[test]
fn lines_in_fstab() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("other")).unwrap();
    let fstab = "$here/source $here/mount pgnfs nofail,x-systemd.automount,_netdev,uid=7 0 0\n\
                 $here/source $here/other pgnfs noauto,user 0 0\n";
    let script = r#"
        mount $here/mount; echo $?; stat -c %u mount/info.txt; umount mount
        mount -a; echo $?; mount -a; echo $?
        findmnt -nlo TARGET -t fuse.pgnfs | grep -F $here
        umount $here/mount; echo $?
    "#;
    let Some(out) = with_helper(&scratch, fstab, script) else {
        return;
    };
    assert_eq!(
        out.lines().collect::<Vec<_>>(),
        ["0", "7", "0", "0", "$here/mount", "0"]
    );
}

#[test]
fn a_line_in_fstab_that_a_user_may_mount() {
    let scratch = Scratch::new();
    let fstab = "$here/source $here/mount pgnfs noauto,user 0 0\n";
    let script = r#"
        chown 65534:65534 mount
        setpriv --reuid 65534 --regid 65534 --clear-groups bash -c '
            mount $0; echo $?; stat -c %u mount/info.txt
            findmnt -no OPTIONS mount | grep -o user_id=.*,
            umount mount; echo $?
            mount mount && fusermount3 -u mount; echo $?
        ' $here/mount
    "#;
    let Some(out) = with_helper(&scratch, fstab, script) else {
        return;
    };
    assert_eq!(
        out.lines().collect::<Vec<_>>(),
        ["0", "65534", "user_id=65534,", "0", "0"]
    );
}

#[test]
fn passwords_of_encrypted_archives_in_fstab() {
    needs!(samples);
    let scratch = Scratch::new();
    let sample = shared().join("data/chessbase-cbh/archives/small2.cbz");
    fs::copy(sample, scratch.source.join("small.cbz")).unwrap();
    let fstab = "$here/source $here/mount pgnfs noauto,password-file=$here/passwords 0 0\n";
    let script = r#"
        (umask 77 && printf 'other\npass\n' >passwords)
        mount mount; echo $?; head -n 1 mount/small.cbz/info.txt; umount mount
        echo other >passwords
        mount mount; echo $?; ls mount; grep -F small.cbz mount/info.txt; umount mount
        chmod 644 passwords; mount mount 2>&1; echo $?
        mount -t pgnfs source mount; echo $?; grep -F small.cbz mount/info.txt; umount mount
    "#;
    let Some(out) = with_helper(&scratch, fstab, script) else {
        return;
    };
    let lines: Vec<_> = out.lines().collect();
    let [
        mounted,
        info,
        again,
        names @ ..,
        wrong,
        open,
        refused,
        without,
        nothing,
    ] = &lines[..]
    else {
        panic!("{out}");
    };
    assert_eq!([*mounted, again, refused, without], ["0", "0", "1", "0"], "{out}");
    assert!(
        info.starts_with("Database:") && info.ends_with("small.cbz"),
        "{info}"
    );
    assert_eq!(names, ["a.dci", "all", "info.txt", "sub"]);
    for (left_out, reason) in [
        (wrong, "no password that is known opens it"),
        (nothing, "no password is known"),
    ] {
        assert!(left_out.contains(reason), "{left_out}");
        assert!(left_out.contains("password-file=FILE names a file"), "{left_out}");
    }
    assert!(
        open.contains("password-file") && open.contains("chmod 600"),
        "{open}"
    );
}

#[test]
fn errors_and_flags_of_mount_8() {
    let scratch = Scratch::new();
    let script = r#"
        mount -t pgnfs $here/source $here/mount -o ro,nonsense=1 2>&1; echo $?
        mount -t pgnfs $here/nothing $here/mount 2>&1; echo $?
        mount -f -t pgnfs $here/source $here/mount; echo $?; findmnt $here/mount
        mount -s -t pgnfs $here/source $here/mount -o nonsense=1; echo $?
        mount -t pgnfs $here/source $here/mount -s -o remount,noexec 2>&1; echo $?; ls $here/mount/info.txt
        mount -o remount,ro $here/mount 2>&1; echo $?; ls $here/mount/info.txt
    "#;
    let Some(out) = with_helper(&scratch, "", script) else {
        return;
    };
    let lines: Vec<_> = out.lines().collect();
    let [
        unknown,
        one,
        nothing,
        failed,
        fake,
        sloppy,
        remount,
        again,
        left,
        idle,
        right,
    ] = lines[..]
    else {
        panic!("{out}");
    };
    assert!(
        unknown.starts_with("pgnfs: unknown option 'nonsense'"),
        "{unknown}"
    );
    assert!(
        nothing.starts_with("pgnfs: $here/nothing: no such file or folder"),
        "{nothing}"
    );
    assert_eq!([one, failed, fake, sloppy, again], ["1", "32", "0", "0", "1"]);
    assert!(remount.contains("unmount it, and mount it again"), "{remount}");
    assert_eq!([left, right], ["$here/mount/info.txt"; 2]);
    assert_eq!(idle, "0");
}
