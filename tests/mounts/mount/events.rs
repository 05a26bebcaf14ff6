//! More changes at once than the kernel queues events for.

use std::fs;

use super::scratch::{Scratch, stop, wait_for};
use super::simplecdb::{self, IMMORTAL, OPERA};
use testkit::needs;

#[test]
fn dropped_events_lead_to_a_search() {
    needs!(mount);
    let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let most: u32 = most.trim().parse().unwrap();
    needs!(if most <= 1 << 20, "a kernel that keeps fewer than {most} events");
    let scratch = Scratch::new();
    let daemon = scratch.mount_in_foreground(&["-o", "watch=inotify"], "warn");
    stop(daemon.id());
    // Only the path to the source is watched here, and none of these names is on it, so these events do not
    // count.
    for n in 0..most / 2 + 100 {
        let path = scratch.path(&format!("passing{n}"));
        fs::write(&path, "").unwrap();
        fs::remove_file(&path).unwrap();
    }
    simplecdb::write(&scratch.source.join("late"), &[OPERA, IMMORTAL]);
    daemon.signal("CONT");
    wait_for("the database whose events were dropped", || {
        scratch.mount.join("late.dci/all.pgn").exists()
    });
    daemon.signal("TERM");
    assert_eq!(daemon.end().code(), Some(0));
}
