//! File systems below the source and the cache that fill up or disappear.

use super::scratch::Scratch;
use super::simplecdb::{self, OPERA};
use testkit::needs;

/// Sizes of files that were just written are not kept.
const OLD: &str = "touch -d '1 hour ago' source/a.* || exit 9";

#[test]
fn a_full_disk_below_the_cache() {
    needs!(mount);
    // No byte is free, or no file can be created, before or after mounting.
    for (options, fill) in [
        ("size=64k", "before"),
        ("size=64k,nr_inodes=2", "before"),
        ("size=64k", "after"),
    ] {
        let scratch = Scratch::new();
        let script = format!(
            r#"
            cd "$1" && mkdir tmpfs && mount -t tmpfs -o {options} none tmpfs && {OLD}
            fill() {{ cat /dev/zero > tmpfs/full 2>/dev/null; }}
            [ {fill} = after ] || fill
            "$2" mount -o open-wait=20 -o cache-dir="$PWD/tmpfs/kept" source mount || exit 8
            fill
            "$2" export source a.dci | cmp - mount/a.dci/all.pgn && "$2" unmount mount || exit 7
            for n in $(seq 100); do pgrep -f "$PWD/mount" > /dev/null || break; sleep 0.1; done
            ls tmpfs/kept 2>/dev/null | grep partial; true
            "#
        );
        let Some(ended) = scratch.run_in_namespace(&script) else {
            return;
        };
        assert_eq!(
            (ended.code, ended.out.as_str()),
            (Some(0), ""),
            "{options} {fill}: {ended:?}"
        );
    }
}

#[test]
fn source_and_cache_are_detached() {
    needs!(mount);
    let scratch = Scratch::new();
    let script = format!(
        r#"
        until_so() {{ for n in $(seq 200); do eval "$1" && return; sleep 0.1; done; echo "never: $1"; }}
        cd "$1" && mkdir disk cache && {OLD}
        mount -t tmpfs none disk && mount -t tmpfs none cache && cp -r source/. disk || exit 9
        "$2" mount -o open-wait=20 -o cache-dir="$PWD/cache" disk mount || exit 8
        exec 3< mount/a.dci/all.pgn
        umount -l cache && umount -l disk || exit 9
        until_so '[ ! -e mount/a.dci ]'; ls mount
        "$2" export source a.dci | cmp - /dev/fd/3; exec 3<&-
        cp -r source/. disk; until_so 'cmp -s mount/a.dci/all.pgn mount/sub/b.dci/all.pgn || [ -e mount/a.dci/all.pgn ]'
        "$2" export source a.dci | cmp - mount/a.dci/all.pgn
        "$2" unmount mount
        "#
    );
    let Some(ended) = scratch.run_in_namespace(&script) else {
        return;
    };
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "info.txt\n"),
        "{ended:?}"
    );
}

#[test]
fn a_disk_that_fails_below_the_source() {
    needs!(mount);
    needs!(root);
    needs!(program "mkfs.ext4", in "e2fsprogs");
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("a"), &vec![OPERA; 50_000]);
    // The image is truncated, so that data not read before cannot be read any more.
    let script = r#"
        cd "$1" && mkdir disk && mkfs.ext4 -qF -d source image 64M > made || exit 9
        mount -o ro,loop image disk && blockdev --setra 0 $(findmnt -no SOURCE disk) || exit 9
        "$2" export source a.dci > whole && "$2" mount -o open-wait=600 disk mount || exit 8
        truncate -s 0 image
        cat mount/a.dci/all.pgn > read 2> error || sed -n 's/.*: //p' error
        head -c $(stat -c %s read) whole | cmp - read; ls mount
        "$2" status mount > status || echo no status
        "$2" unmount mount || exit 7
        for n in $(seq 100); do umount disk 2>/dev/null && exit 0; sleep 0.1; done
        umount -l disk
    "#;
    let Some(ended) = scratch.run_isolated(script, |command| _ = command.env("LC_ALL", "C")) else {
        return;
    };
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    // Data read before is unchanged; everything else is an error.
    let rest = ended.out.strip_prefix("Input/output error\n");
    assert_eq!(
        rest.unwrap_or(&ended.out),
        "a.dci\nall\ninfo.txt\nsub\n",
        "{ended:?}"
    );
}
