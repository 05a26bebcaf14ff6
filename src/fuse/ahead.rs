//! Read-ahead: stores games in the kernel's page cache before it requests them.
//!
//! [`Walks`] determines which games these are. A separate thread stores them and answers the requests that
//! wait for that.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread;

use super::walk::{Task, Walks, read_ahead};
use super::{Shared, guarded};
use crate::fs::{Inode, Live, Open};

/// Answers a request that was held back.
pub(super) type Answer = Box<dyn FnOnce(&Arc<Shared>) + Send>;

/// The followed readers, and the signals for the thread that stores games.
pub(super) struct Ahead {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    walks: Walks<Answer>,
    is_over: bool,
}

impl Ahead {
    pub(super) fn new() -> Ahead {
        Ahead {
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// See [`Walks::listed`].
    pub(super) fn listed(&self, directory: &Open<'_>) {
        self.state().walks.listed(directory);
    }

    /// See [`Walks::requested`].
    pub(super) fn requested(&self, fs: &Live, game: Inode, answer: Answer) -> Option<Answer> {
        let mut state = self.state();
        if state.is_over {
            return Some(answer);
        }
        let back = state.walks.requested(fs, game, answer);
        let has_task = state.walks.has_task();
        drop(state);
        // Waking the thread for every read would take longer than the read.
        if has_task {
            self.changed.notify_one();
        }
        back
    }

    /// Ends the thread. Requests held by tasks are not answered, because the connection to the kernel is
    /// gone.
    pub(super) fn end(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Waits for a task; `None` at the end.
    fn next_task(&self) -> Option<Task<Answer>> {
        let mut state = self.state();
        while !state.is_over {
            if let Some(task) = state.walks.next_task() {
                return Some(task);
            }
            self.changed.wait(&mut state);
        }
        None
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// Starts the thread that stores games.
pub(super) fn start(shared: &Arc<Shared>) {
    let worker = Arc::clone(shared);
    let thread = thread::Builder::new().name("ahead".to_owned());
    let started = thread.spawn(move || {
        while let Some(task) = worker.ahead.next_task() {
            work(&worker, task);
        }
    });
    if let Err(error) = started {
        log::warn!("no thread for reading ahead: {error}");
        shared.ahead.end();
    }
}

fn work(shared: &Arc<Shared>, mut task: Task<Answer>) {
    let ahead = &shared.ahead;
    let games = ahead.state().walks.begin_first(&mut task);
    let mut is_stored = store_all(shared, &games);
    let request = ahead.state().walks.take_request(&mut task);
    if let Some(answer) = request {
        guarded(|| answer(shared));
    }
    if is_stored {
        let games = ahead.state().walks.begin_rest(&mut task);
        is_stored = store_all(shared, &games);
    }
    ahead.state().walks.finish(task, is_stored);
}

/// Stores games. Returns false if one cannot be read or the kernel rejects it.
fn store_all(shared: &Shared, games: &[Inode]) -> bool {
    let mut is_stored = false;
    guarded(|| {
        is_stored = read_ahead(&shared.fs, games, &mut |game, text| {
            log::trace!("STORE {:#x}: {} bytes", game.0, text.len());
            store(&shared.kernel, game, text)
                .inspect_err(|error| log::debug!("{:#x} is not stored ahead: {error}", game.0))
                .is_ok()
        });
    });
    is_stored
}

/// Stores a whole file in the kernel's page cache (`FUSE_NOTIFY_STORE`).
///
/// Does not use fuser, which hides the error for an inode that the kernel does not know.
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
