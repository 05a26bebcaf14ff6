//! Databases on file systems that may not answer.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use pgnfs_server::inside::{PassOptions, PassState, ServeOptions};

use super::mounted::{Mounted, mount_with};
use testkit::fake::Fake;
use testkit::patience::wait_for;
use testkit::stuck::behind_gate;

fn options() -> ServeOptions {
    ServeOptions {
        threads: 2,
        source_timeout: Duration::from_millis(100),
        ..ServeOptions::default()
    }
}

fn start_pass(tree: &Mounted) {
    tree.0.start_pass(PassOptions {
        threads: 2,
        lower_priority: || {},
    });
}

#[test]
fn the_pass_goes_on_beside_a_source_that_does_not_answer() {
    let (far, gate) = behind_gate(Fake::many(50), "far");
    let (farther, _open) = behind_gate(Fake::many(40), "farther");
    gate.close();
    let tree = mount_with(vec![far, farther, Fake::many(60).at("near")], options());
    start_pass(&tree);
    let database = |number: usize| tree.0.status().databases.swap_remove(number);
    wait_for("the other two", || {
        [1, 2].map(|number| database(number).pass) == [PassState::Done; 2]
    });
    wait_for("silence", || database(0).silence.is_some());
    assert_eq!(database(0).pass, PassState::Running);
    assert_eq!([1, 2].map(|number| database(number).silence), [None; 2]);
    gate.open();
    wait_for("the one that answers again", || {
        database(0).pass == PassState::Done
    });
    wait_for("an end of silence", || database(0).silence.is_none());
}

#[test]
fn the_end_does_not_wait_for_a_source_that_does_not_answer() {
    let (far, gate) = behind_gate(Fake::many(50), "far");
    gate.close();
    let tree = mount_with(vec![far, Fake::many(60).at("near")], options());
    start_pass(&tree);
    wait_for("a pass that hangs", || gate.waiting() > 0);
    let (ended, is_ended) = channel();
    thread::spawn(move || {
        tree.0.end_pass();
        drop(tree);
        ended.send(())
    });
    assert_eq!(is_ended.recv_timeout(Duration::from_secs(20)), Ok(()));
    assert!(gate.waiting() > 0);
}

#[test]
fn no_thread_of_the_front_end_asks_the_source_how_long_a_game_is() {
    let (far, gate) = behind_gate(Fake::many(50), "far");
    let tree = mount_with(vec![far], options());
    let game = tree.inode("far/games/000001-001000/000001.pgn");
    gate.close();
    let fs = Arc::clone(&tree.0);
    let (sender, is_handed_over) = channel();
    thread::spawn(move || {
        let open = fs.resolve(game).unwrap().open_here(false).unwrap();
        sender.send(open.run_on(false).is_some())
    });
    assert_eq!(is_handed_over.recv_timeout(Duration::from_secs(20)), Ok(true));
    assert_eq!(gate.waiting(), 0);
}

#[test]
fn the_directory_of_a_database_is_shown_from_memory() {
    let (far, gate) = behind_gate(Fake::many(50), "far");
    gate.close();
    let tree = mount_with(vec![far, Fake::many(60).at("near")], options());
    assert!(tree.stat("far").links > 2);
    assert!(tree.ls("far").contains(&"all.pgn".to_owned()));
    assert!(tree.cat("far/info.txt").contains("50"));
    assert!(tree.cat("info.txt").contains("far"));
}
