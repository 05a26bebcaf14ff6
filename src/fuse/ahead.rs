//! Read-ahead: stores games in the kernel's page cache before it requests them.
//!
//! [`Walks`] decides which games to store. A separate thread stores them, and answers the requests that were held back
//! until then.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::io::{self, IoSlice};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;

use super::walk::{Task, WALKS, Walks, read_ahead};
use pgnfs_server::Inode;
use pgnfs_server::Requests;

/// Answers a request that was held back.
pub(super) type HeldRequest = Box<dyn FnOnce(&Requests) + Send>;

/// After this many games in ascending order, a reader is treated as walking through a directory even if it has not read
/// a mark. Marks are games that are not stored, so that a request for one shows how far the reader is: see `walk.rs`.
const SERIES: u32 = 4;

/// The followed readers, and the signals for the thread that stores games. Most reads do not concern a walk, so that is
/// decided without the lock.
#[derive(Default)]
pub(super) struct Ahead {
    state: Mutex<AheadState>,
    changed: Condvar,
    /// The marks of all walks; 0 for no mark.
    marks: [AtomicU64; WALKS],
    /// The last game that was read and is not a mark, and how many such games in a row came in ascending order.
    last: AtomicU64,
    ascending: AtomicU32,
}

#[derive(Default)]
struct AheadState {
    walks: Walks<HeldRequest>,
    is_over: bool,
}

impl Ahead {
    /// See [`Walks::listed`].
    pub(super) fn listed(&self, requests: &Requests, directory: Inode) {
        let mut state = self.state();
        state.walks.listed(requests, directory);
        self.set_marks(&state.walks);
    }

    /// True if [`Ahead::requested`] must be called when the start of this game is read: it is a mark, or continues a
    /// series.
    pub(super) fn is_concerned(&self, game: Inode) -> bool {
        let mut marks = self.marks.iter();
        if marks.any(|mark| mark.load(Ordering::Relaxed) == game.0) {
            return true;
        }
        if self.last.swap(game.0, Ordering::Relaxed) < game.0 {
            return self.ascending.fetch_add(1, Ordering::Relaxed) >= SERIES;
        }
        self.ascending.store(0, Ordering::Relaxed);
        false
    }

    fn set_marks(&self, walks: &Walks<HeldRequest>) {
        let marks = walks.marks().map(|mark| mark.map_or(0, |game| game.0));
        for (place, mark) in self.marks.iter().zip(marks.chain([0; WALKS])) {
            place.store(mark, Ordering::Relaxed);
        }
    }

    /// See [`Walks::requested`].
    pub(super) fn requested(
        &self,
        requests: &Requests,
        game: Inode,
        answer: HeldRequest,
    ) -> Option<HeldRequest> {
        let mut state = self.state();
        if state.is_over {
            return Some(answer);
        }
        let back = state.walks.requested(requests, game, answer);
        self.set_marks(&state.walks);
        let has_task = state.walks.has_task();
        drop(state);
        // Waking the thread for every read would take longer than the read.
        if has_task {
            self.changed.notify_one();
        }
        back
    }

    /// See [`Walks::finish`].
    fn finish(&self, task: Task<HeldRequest>, is_stored: bool) {
        let mut state = self.state();
        state.walks.finish(task, is_stored);
        self.set_marks(&state.walks);
    }

    /// Ends the thread. Requests held by tasks are not answered: the connection to the kernel is closed, or the thread
    /// never started and holds none.
    pub(super) fn end(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Waits for a task; `None` at the end.
    fn next_task(&self) -> Option<Task<HeldRequest>> {
        let mut state = self.state();
        while !state.is_over {
            if let Some(task) = state.walks.next_task() {
                return Some(task);
            }
            self.changed.wait(&mut state);
        }
        None
    }

    fn state(&self) -> MutexGuard<'_, AheadState> {
        self.state.lock()
    }

    /// Starts the thread that stores games.
    pub(super) fn start(self: &Arc<Self>, requests: &Requests, kernel: &Arc<OwnedFd>) {
        let (ahead, requests, kernel) = (Arc::clone(self), requests.clone(), Arc::clone(kernel));
        let thread = thread::Builder::new().name("ahead".to_owned());
        let started = thread.spawn(move || {
            while let Some(task) = ahead.next_task() {
                ahead.work(&requests, &kernel, task);
            }
        });
        if let Err(error) = started {
            log::warn!("cannot start the thread for reading ahead: {error}");
            self.end();
        }
    }

    fn work(&self, requests: &Requests, kernel: &OwnedFd, mut task: Task<HeldRequest>) {
        // No lock is held while games are stored: storing can block until a read is answered, which may need the lock.
        let games = self.state().walks.begin_first(&mut task);
        let mut is_stored = store_all(requests, kernel, &games);
        let request = self.state().walks.take_request(&mut task);
        if let Some(answer) = request {
            answer(requests);
        }
        if is_stored {
            let games = self.state().walks.begin_rest(&mut task);
            is_stored = store_all(requests, kernel, &games);
        }
        self.finish(task, is_stored);
    }
}

/// Stores games. Returns false if one cannot be read or the kernel rejects it.
fn store_all(requests: &Requests, kernel: &OwnedFd, games: &[Inode]) -> bool {
    read_ahead(requests, games, &mut |game, text| {
        log::trace!("STORE {:#x}: {} bytes", game.0, text.len());
        store(kernel, game, text)
            .inspect_err(|error| log::debug!("{:#x} is not stored ahead: {error}", game.0))
            .is_ok()
    })
}

/// Stores a whole file in the kernel's page cache (`FUSE_NOTIFY_STORE`).
///
/// The message is written here, because the function of fuser hides the error for an inode that the kernel does not
/// know.
fn store(kernel: impl AsFd, game: Inode, text: &[u8]) -> io::Result<()> {
    const NOTIFY_STORE: u32 = 4;
    const HEADERS: usize = 16 + 24;
    let len = text.len() as u32;
    let inode = game.0.to_ne_bytes();
    // Length, notification code, request number 0 (8 bytes); inode, offset (8 bytes), size, padding.
    let before = [HEADERS as u32 + len, NOTIFY_STORE, 0, 0].map(u32::to_ne_bytes);
    let after = [0, 0, len, 0].map(u32::to_ne_bytes);
    let parts = [before.as_flattened(), &inode, after.as_flattened(), text];
    rustix::io::writev(kernel, &parts.map(IoSlice::new))?;
    Ok(())
}
