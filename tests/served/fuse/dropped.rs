//! States of the source that are dropped while the kernel asks for something in them.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use chessdb_library::library::Library;
use pgnfs_server::inside::{Inode, ServeOptions};

use super::kernel::{Kernel, NO_OPEN, READDIRPLUS, entries, reading, u64_at};
use testkit::fake::Fake;
use testkit::stuck::behind_gate;

const GAMES: usize = 5;

#[test]
fn entries_of_a_state_that_is_dropped_during_a_listing_have_no_attributes() {
    let (far, gate) = behind_gate(Fake::many(GAMES), "far");
    let near = || Fake::many(GAMES).at("near");
    let mut kernel = Kernel::mount_with(vec![far, near()], NO_OPEN, ServeOptions::default());
    let live = Arc::clone(kernel.live.as_ref().unwrap());
    let node = |kernel: &mut Kernel, path: &str| u64_at(&kernel.look_up(path).bytes, 0);
    let database = node(&mut kernel, "far");
    let directory = node(&mut kernel, "far/games/000001-001000");

    // The listing waits for the moves of the last game, whose size it wants to give.
    gate.close_for(GAMES as u32 - 1);
    let request = kernel.send(READDIRPLUS, directory, &reading(0, 4096));
    while gate.waiting() == 0 {
        thread::sleep(Duration::from_millis(1));
    }
    // Now the kernel has no inode of the database, and the source no longer has it.
    live.release(Inode(database), 2);
    live.release(
        live.resolve(Inode(directory))
            .unwrap()
            .open()
            .unwrap()
            .parent()
            .unwrap()
            .inode(),
        1,
    );
    live.release(Inode(directory), 1);
    live.replace(Library::from_databases(vec![near()]));
    assert_eq!(live.retired(), 0);
    gate.open();
    let answer = loop {
        if let Some(answer) = kernel.receive(request) {
            break answer;
        }
    };
    let listed = entries(&answer);
    assert_eq!(listed.len(), 2 + GAMES);
    for entry in &listed {
        assert_eq!(entry.node, 0, "{}", entry.name);
        assert!(entry.attributes.iter().all(|&byte| byte == 0), "{}", entry.name);
    }
    // It is as if the kernel had never had them.
    assert!(
        listed
            .iter()
            .all(|entry| live.resolve(Inode(entry.inode)).is_err() || entry.name == "..")
    );
}
