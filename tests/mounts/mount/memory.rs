//! Mounts in a control group (cgroup) with little memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::scratch::{CACHE, Scratch, kill, pgnfs, run, wait_for};
use super::simplecdb::{self, OPERA};
use testkit::{missing, needs};

/// A control group below the test's own, removed at the end.
struct Group(PathBuf);

impl Group {
    /// A group whose processes may use this number of bytes; `None` if that is not possible.
    fn new(bytes: u64) -> Option<Group> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let of = |mark: &str| {
            own.lines()
                .find_map(|line| line.split_once(mark).map(|(_, path)| path.to_owned()))
        };
        // Version 1 has a separate tree of groups for memory, version 2 a single one.
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
    // In KiB: with the least it does not start, with the most it succeeds, otherwise it may end anywhere.
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
            // The kernel kills the first or the second process, or memory for reading is missing.
            (Some(0 | 2) | None, Err(_)) => {}
            (code, text) => panic!("{kib} KiB: {code:?}, {:?}: {}", text.is_ok(), ended.err),
        }
        // Unmounts a living mount, and a dead one as well.
        run(pgnfs().arg("unmount").arg(&scratch.mount));
        wait_for("no mount", || !scratch.is_mounted());
        // With hardly any memory a process may take long to end, but SIGKILL always ends it.
        for process in group.processes() {
            run(&mut kill(process, "KILL"));
        }
        wait_for("an empty group", || group.processes().is_empty());
    }
    assert!(worked.contains(&500_000) && !worked.contains(&512), "{worked:?}");
}
