//! Mounts in a control group (cgroup) that may have little memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{missing, needs};
use crate::scratch::{CACHE, Scratch, pgnfs, run, wait_for};
use crate::simplecdb::{self, OPERA};

/// A control group below that of the test, removed at the end.
struct Group(PathBuf);

impl Group {
    /// A group whose processes may have so many bytes; none where that is not possible.
    fn new(bytes: u64) -> Option<Group> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let of = |mark: &str| {
            own.lines()
                .find_map(|line| line.split_once(mark).map(|(_, path)| path.to_owned()))
        };
        // Version 1 has a tree of groups for memory alone, version 2 one for everything.
        let (tree, path, limit) = match of(":memory:") {
            Some(path) => ("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"),
            None => ("/sys/fs/cgroup", of("0::")?, "memory.max"),
        };
        let name = format!("pgnfs-test-{}-{bytes}", std::process::id());
        let group = Group(Path::new(tree).join(path.trim_start_matches('/')).join(name));
        fs::create_dir(&group.0).ok()?;
        fs::write(group.0.join(limit), bytes.to_string()).ok()?;
        Some(group)
    }

    fn processes(&self) -> Vec<u32> {
        let processes = fs::read_to_string(self.0.join("cgroup.procs")).unwrap();
        processes.lines().map(|line| line.parse().unwrap()).collect()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_control_group_with_little_memory() {
    needs!(mount);
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("a"), &vec![OPERA; 2_000]);
    let whole = run(pgnfs().arg("export").arg(&scratch.source).arg("a.dci")).out;
    // Kibibytes: with the first it does not even start, with the last all goes well, between them it may end anywhere.
    let mut worked = Vec::new();
    for kib in [512, 2_000, 6_000, 500_000] {
        let Some(group) = Group::new(kib << 10) else {
            return missing("a control group whose memory this user may limit");
        };
        let mount = scratch.mount_command(&[]);
        let ended = run(Command::new("sh")
            .args(["-c", r#"echo $$ > "$1" && shift && exec "$@""#, "sh"])
            .arg(group.0.join("cgroup.procs"))
            .arg(mount.get_program())
            .args(mount.get_args())
            .env(CACHE, scratch.path("cache")));
        let text = fs::read_to_string(scratch.mount.join("a.dci/all.pgn"));
        match (ended.code, text) {
            (Some(0), Ok(text)) => {
                assert!(text == whole, "{kib} KiB");
                worked.push(kib);
            }
            // The kernel kills the first process or the second one, or reading has no memory.
            (Some(0 | 2) | None, Err(_)) => {}
            (code, text) => panic!("{kib} KiB: {code:?}, {:?}: {}", text.is_ok(), ended.err),
        }
        // One that is alive still is unmounted, a dead one is taken away.
        run(pgnfs().arg("unmount").arg(&scratch.mount));
        wait_for("no mount", || !scratch.is_mounted());
        // One that has hardly any memory takes its time to end. None is beyond SIGKILL.
        for process in group.processes() {
            run(Command::new("kill").args(["-s", "KILL", &process.to_string()]));
        }
        wait_for("an empty group", || group.processes().is_empty());
    }
    assert!(worked.contains(&500_000) && !worked.contains(&512), "{worked:?}");
}
