//! A table of all maps, from which the handler of SIGBUS finds the map of a fault.
//!
//! There is no system call, and `tests/interleavings/slots.rs` runs all interleavings with loom's atomics.

use std::array;
use std::ops::Range;
use std::sync::OnceLock;

use super::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

/// A list of blocks of `N` slots. Blocks are added and never freed, so the handler may walk the list at any
/// time.
#[derive(Debug)]
pub struct Slots<const N: usize> {
    /// Number of slots of this block that are taken or about to be.
    taken: AtomicUsize,
    slots: [Slot; N],
    next: OnceLock<Box<Slots<N>>>,
}

impl<const N: usize> Slots<N> {
    /// One block of free slots.
    pub fn new() -> Slots<N> {
        Slots {
            taken: AtomicUsize::new(0),
            slots: array::from_fn(|_| Slot::new()),
            next: OnceLock::new(),
        }
    }

    /// Enters the addresses of an existing map. The slot must be dropped before the map.
    pub fn take(&self, addresses: Range<usize>) -> Taken<'_, N> {
        let mut block = self;
        loop {
            // If the count permits, this block has a free slot.
            if block.taken.fetch_add(1, Ordering::AcqRel) < N {
                let mut slots = block.slots.iter().cycle();
                if let Some(slot) = slots.find(|slot| !slot.is_taken.swap(true, Ordering::AcqRel)) {
                    slot.faults.store(0, Ordering::Relaxed);
                    slot.publish(addresses);
                    return Taken { block, slot };
                }
            }
            block.taken.fetch_sub(1, Ordering::AcqRel);
            block = block.next.get_or_init(|| Box::new(Slots::new()));
        }
    }

    /// Finds the slot of the map that contains an address, and all addresses of that map.
    ///
    /// The result is exact for a thread that reads the map: the map exists, so its slot does not change
    /// during the search, and no other slot can contain the address, because a slot holds the addresses of
    /// its map only while that map exists. For any other address the result may already be out of date.
    ///
    /// Takes no lock, never waits and never retries, as a signal handler requires.
    pub fn find(&self, address: usize) -> Option<(&Slot, Range<usize>)> {
        let mut block = self;
        loop {
            let found = block.slots.iter().find_map(|slot| {
                let addresses = slot.addresses()?;
                addresses.contains(&address).then_some((slot, addresses))
            });
            if found.is_some() {
                return found;
            }
            block = block.next.get()?;
        }
    }
}

/// A slot that is in use until this is dropped.
#[derive(Debug)]
pub struct Taken<'a, const N: usize> {
    block: &'a Slots<N>,
    slot: &'a Slot,
}

impl<const N: usize> Taken<'_, N> {
    /// Number of faults in the map.
    pub fn faults(&self) -> usize {
        self.slot.faults.load(Ordering::Acquire)
    }
}

impl<const N: usize> Drop for Taken<'_, N> {
    fn drop(&mut self) {
        self.slot.publish(0..0);
        self.slot.is_taken.store(false, Ordering::Release);
        self.block.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The entry of one map.
#[derive(Debug)]
pub struct Slot {
    is_taken: AtomicBool,
    /// Odd while the addresses are being changed; different after each change.
    generation: AtomicUsize,
    /// The addresses of the map; both are 0 if the slot has no map.
    start: AtomicUsize,
    end: AtomicUsize,
    faults: AtomicUsize,
}

impl Slot {
    fn new() -> Slot {
        Slot {
            is_taken: AtomicBool::new(false),
            generation: AtomicUsize::new(0),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            faults: AtomicUsize::new(0),
        }
    }

    /// Counts a fault.
    pub fn count_fault(&self) {
        self.faults.fetch_add(1, Ordering::AcqRel);
    }

    /// Changes the addresses. Only the thread that took the slot may call this.
    fn publish(&self, addresses: Range<usize>) {
        let generation = self.generation.load(Ordering::Relaxed);
        self.generation.store(generation + 1, Ordering::Relaxed);
        // A reader that sees one of the new addresses also sees the odd generation.
        fence(Ordering::Release);
        self.start.store(addresses.start, Ordering::Relaxed);
        self.end.store(addresses.end, Ordering::Relaxed);
        self.generation.store(generation + 2, Ordering::Release);
    }

    /// A consistent pair of addresses; `None` while they are being changed.
    fn addresses(&self) -> Option<Range<usize>> {
        let before = self.generation.load(Ordering::Acquire);
        let addresses = self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let after = self.generation.load(Ordering::Relaxed);
        (before == after && before.is_multiple_of(2)).then_some(addresses)
    }
}
