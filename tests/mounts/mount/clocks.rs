//! Wrong clocks, and files from the future.

use std::fs;
use std::process::Command;

use super::scratch::{CACHE, Scratch, wait_for};
use super::simplecdb::{self, IMMORTAL};
use testkit::needs;

#[test]
fn whatever_times_files_have_they_are_shown() {
    needs!(mount);
    let scratch = Scratch::new();
    // tmpfs stores any time. The times of size files are as odd as the source's.
    let script = r#"
        cd "$1" && mkdir disk && mount -t tmpfs none disk && mkdir disk/kept && chmod 700 disk/kept || exit 9
        "$2" export source a.dci > whole
        for time in 1901-01-01 1969-12-31T23:59:59.5Z @0 2038-01-20 2200-01-01 2500-01-01 \
                @9223372036 @67768036191676799 @-67768040609740800; do
            cp source/a.* disk && touch -d $time disk/a.* || exit 9
            for turn in 1 2; do
                "$2" mount -o open-wait=20 -o cache-dir="$PWD/disk/kept" disk mount || exit 8
                cmp whole mount/a.dci/all.pgn || echo $time; stat mount/a.dci/all.pgn > /dev/null
                "$2" unmount mount || exit 7
                for n in $(seq 100); do pgrep -f "$PWD/mount" > /dev/null || break; sleep 0.1; done
                touch -d $time disk/kept/* 2>/dev/null
            done
            ls disk/kept | grep partial
        done; true
    "#;
    let Some(ended) = scratch.run_in_namespace(script) else {
        return;
    };
    assert_eq!(
        (ended.code, ended.out.as_str(), ended.err.as_str()),
        (Some(0), "", ""),
        "{ended:?}"
    );
}

#[test]
fn a_clock_that_jumps() {
    needs!(mount);
    needs!(program "faketime", in "faketime");
    let scratch = Scratch::new();
    let clock = scratch.path("clock");
    let set = |offset: &str| fs::write(&clock, format!("{offset}\n")).unwrap();
    set("+0");
    // libfaketime reads the file whenever the clock is read. Times of files are not changed.
    let mount = scratch.mount_command(&["-f"]);
    let mut command = Command::new("faketime");
    command.args(["-f", "+0", "env", "-u", "FAKETIME"]);
    command.arg(format!("FAKETIME_TIMESTAMP_FILE={}", clock.display()));
    command.args([
        "FAKETIME_NO_CACHE=1",
        "FAKETIME_DONT_FAKE_MONOTONIC=1",
        "NO_FAKE_STAT=1",
    ]);
    command.arg(mount.get_program()).args(mount.get_args());
    let mut child = command
        .env(CACHE, scratch.path("cache"))
        .env_remove("RUST_LOG")
        .spawn()
        .unwrap();
    wait_for("the mount", || scratch.is_mounted() && scratch.games().len() == 2);
    for (n, offset) in ["+50y", "-50y", "+3600", "-3600", "+0"].iter().enumerate() {
        set(offset);
        let name = format!("after{n}");
        simplecdb::write(&scratch.source.join(&name), &[IMMORTAL]);
        wait_for(offset, || {
            let text = fs::read_to_string(scratch.mount.join(format!("{name}.dci/all.pgn")));
            text.is_ok_and(|text| text.contains("Kieseritzky"))
        });
        assert_eq!(scratch.games().len(), 2, "{offset}");
    }
    scratch.unmount();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
