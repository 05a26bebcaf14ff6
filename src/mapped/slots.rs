//! The table in which the handler of SIGBUS finds the map that a fault belongs to.
//!
//! There is no system call here, so `tests/slots.rs` can play every order of the steps with loom's atomics.

use std::array;
use std::ops::Range;
use std::sync::OnceLock;

use super::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

/// Slots in blocks of `N`. Blocks are added and never freed, so the handler may walk them at any time.
#[derive(Debug)]
pub struct Slots<const N: usize> {
    /// How many are taken, or about to be.
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

    /// Enters the addresses of a map that exists. The slot must be dropped before the map is.
    pub fn take(&self, addresses: Range<usize>) -> Taken<'_, N> {
        let mut block = self;
        loop {
            // One that is counted in finds a free slot in this block.
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

    /// The slot of the map that has an address, and all addresses of that map.
    ///
    /// For a thread that reads the map, the answer is exact: its map stays, so its slot does not change during the
    /// search, and no other slot can have the address, because a slot names its map only while that map exists. For
    /// any other address the answer may be out of date at once.
    ///
    /// This takes no lock, never waits and never starts again, as a signal handler must.
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

/// A slot from the time when its map was entered until this is dropped.
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

/// The place of one map.
#[derive(Debug)]
pub struct Slot {
    is_taken: AtomicBool,
    /// Odd while the addresses are being changed, and another number after each change.
    generation: AtomicUsize,
    /// The map's addresses; both are 0 while there is none.
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

    /// Changes the addresses, for the only thread that has taken the slot.
    fn publish(&self, addresses: Range<usize>) {
        let generation = self.generation.load(Ordering::Relaxed);
        self.generation.store(generation + 1, Ordering::Relaxed);
        // A reader that sees one of the new addresses sees the odd generation, too.
        fence(Ordering::Release);
        self.start.store(addresses.start, Ordering::Relaxed);
        self.end.store(addresses.end, Ordering::Relaxed);
        self.generation.store(generation + 2, Ordering::Release);
    }

    /// The addresses as they were at one moment; none while they are being changed.
    fn addresses(&self) -> Option<Range<usize>> {
        let before = self.generation.load(Ordering::Acquire);
        let addresses = self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let after = self.generation.load(Ordering::Relaxed);
        (before == after && before.is_multiple_of(2)).then_some(addresses)
    }
}
