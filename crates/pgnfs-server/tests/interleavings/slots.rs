//! The slots in which the handler of SIGBUS finds a map. loom runs all interleavings of several threads.

use loom::sync::atomic;
use loom::thread;

#[path = "../../../chessdb-library/src/mapped/slots.rs"]
mod of_mapped;

use of_mapped::Slots;

/// Runs all interleavings in which no thread is interrupted more often than this. All interleavings of two
/// threads that both change slots would be too many.
const INTERRUPTIONS: usize = 2;

fn play(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(INTERRUPTIONS);
    builder.check(model);
}

/// A table that outlives its threads.
fn slots() -> &'static Slots<2> {
    Box::leak(Box::new(Slots::new()))
}

/// Faults in a map at 100 to 200, and asserts that the search finds exactly this map.
fn fault(slots: &Slots<2>) {
    let (slot, map) = slots.find(150).expect("a map that exists is found");
    assert_eq!(map, 100..200, "no other map has the address");
    slot.count_fault();
}

#[test]
fn a_fault_finds_its_map_while_another_slot_is_dropped_and_taken_again() {
    loom::model(|| {
        let slots = slots();
        // Its slot comes before the slot of the faulting map, as in the search.
        let small = slots.take(0..10);
        let faulting = slots.take(100..200);
        let other = thread::spawn(move || {
            drop(small);
            let large = slots.take(300..1000);
            assert_eq!(large.faults(), 0);
            drop(large);
        });
        fault(slots);
        assert_eq!(faulting.faults(), 1);
        other.join().unwrap();
    });
}

#[test]
fn faults_of_a_map_before_are_not_those_of_the_next() {
    play(|| {
        let slots = slots();
        let other = thread::spawn(move || {
            let map = slots.take(100..200);
            fault(slots);
            assert_eq!(map.faults(), 1);
        });
        let elsewhere = slots.take(300..1000);
        assert_eq!(elsewhere.faults(), 0);
        drop(elsewhere);
        other.join().unwrap();
        let map = slots.take(100..200);
        assert_eq!(map.faults(), 0);
        fault(slots);
        assert_eq!(map.faults(), 1);
    });
}

#[test]
fn two_threads_that_take_and_drop_get_different_slots() {
    play(|| {
        let slots = slots();
        let faulting = slots.take(100..200);
        let other = thread::spawn(move || {
            let map = slots.take(0..10);
            assert_eq!(slots.find(5).map(|(_, map)| map), Some(0..10));
            drop(map);
        });
        let map = slots.take(300..1000);
        assert_eq!(slots.find(500).map(|(_, map)| map), Some(300..1000));
        drop(map);
        fault(slots);
        other.join().unwrap();
        assert_eq!(faulting.faults(), 1);
        assert!(slots.find(500).is_none());
    });
}
