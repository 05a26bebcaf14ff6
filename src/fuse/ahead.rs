//! Games that are about to be read are put into the kernel's page cache before it asks for them.
//!
//! Who walks through a directory reads its games in its order. When the kernel asks for the game that is next in a
//! walk, threads of their own take the request over: they store the games behind it, answer it, and then decode the
//! games that come after those, while the reader reads.
//!
//! A store waits while somebody waits for the same page. So that a thread that stores never waits for an answer
//! which only itself could give,
//!
//! - a request is taken over only while a thread is sure to come for it before that thread stores anything else;
//! - a thread that holds a request stores games of higher numbers only, so that waits cannot go round.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Shared, guarded};
use crate::fs::{ChessFs, Inode};

/// Games that are stored at a time.
const WINDOW: usize = 64;

/// A longer game is not stored: its reader asks in pieces.
const LONGEST: u32 = 64 << 10;

/// Directories whose readers are followed.
const WALKS: usize = 16;

/// Walks through directories, and requests that wait for a thread.
pub(super) struct Ahead {
    walks: Mutex<VecDeque<Walk>>,
    requests: Mutex<Requests>,
    changed: Condvar,
}

/// A directory that was listed, and the game that comes next if somebody reads it in order.
struct Walk {
    directory: Inode,
    next: Option<Inode>,
}

/// A request for a game, and what to store before it is answered.
pub(super) struct Step {
    directory: Inode,
    game: Inode,
}

#[derive(Default)]
struct Requests {
    waiting: VecDeque<Request>,
    /// Threads that come for a request before they store.
    free: usize,
    ended: bool,
}

struct Request {
    step: Step,
    answer: Box<dyn FnOnce(&Arc<Shared>) + Send>,
}

impl Ahead {
    pub(super) fn new() -> Ahead {
        Ahead {
            walks: Mutex::new(VecDeque::with_capacity(WALKS)),
            requests: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Takes down that a directory is listed from its begin.
    pub(super) fn listed(&self, fs: &ChessFs, directory: Inode) {
        let Some(first) = fs.next_games(directory, None, 1) else {
            return;
        };
        let next = first.first().copied();
        let mut walks = self.walks();
        walks.retain(|walk| walk.directory != directory);
        walks.truncate(WALKS - 1);
        walks.push_front(Walk { directory, next });
    }

    /// The step of a walk that reading a game is, or none.
    pub(super) fn step(&self, fs: &ChessFs, game: Inode) -> Option<Step> {
        let mut walks = self.walks();
        if let Some(walk) = walks.iter_mut().find(|walk| walk.next == Some(game)) {
            let behind = fs.next_games(walk.directory, Some(game), WINDOW + 1)?;
            walk.next = behind.get(WINDOW).copied();
            let directory = walk.directory;
            return (!behind.is_empty()).then_some(Step { directory, game });
        }
        let walk = walks.front_mut()?;
        if let Some(behind) = fs.next_games(walk.directory, Some(game), 1) {
            walk.next = behind.first().copied();
        }
        None
    }

    /// Has a thread store what comes behind a step, then answer. Gives `answer` back where none is free.
    pub(super) fn take_over<A>(&self, step: Step, answer: A) -> Result<(), A>
    where
        A: FnOnce(&Arc<Shared>) + Send + 'static,
    {
        let mut requests = self.requests();
        if requests.waiting.len() >= requests.free || requests.ended {
            return Err(answer);
        }
        let answer = Box::new(answer);
        requests.waiting.push_back(Request { step, answer });
        drop(requests);
        self.changed.notify_one();
        Ok(())
    }

    /// Ends the threads.
    pub(super) fn end(&self) {
        self.requests().ended = true;
        self.changed.notify_all();
    }

    /// Waits for a request; none at the end.
    fn next(&self) -> Option<Request> {
        let mut requests = self.requests();
        loop {
            if requests.ended {
                return None;
            }
            if let Some(request) = requests.waiting.pop_front() {
                requests.free -= 1;
                return Some(request);
            }
            requests = self
                .changed
                .wait(requests)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn walks(&self) -> MutexGuard<'_, VecDeque<Walk>> {
        self.walks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts threads that store and answer.
pub(super) fn start(shared: &Arc<Shared>, threads: usize) {
    for _ in 0..threads {
        let shared = Arc::clone(shared);
        shared.ahead.requests().free += 1;
        let worker = Arc::clone(&shared);
        let thread = thread::Builder::new().name("ahead".to_owned());
        if let Err(error) = thread.spawn(move || work(&worker)) {
            shared.ahead.requests().free -= 1;
            log::warn!("no thread for reading ahead: {error}");
        }
    }
}

fn work(shared: &Arc<Shared>) {
    while let Some(Request { step, answer }) = shared.ahead.next() {
        let last = store_behind(shared, &step);
        guarded(|| answer(shared));
        shared.ahead.requests().free += 1;
        if let Some(last) = last {
            guarded(|| decode_behind(shared, step.directory, last));
        }
    }
}

/// Stores the games behind a step; the last one of them.
fn store_behind(shared: &Shared, step: &Step) -> Option<Inode> {
    let games = shared.fs.next_games(step.directory, Some(step.game), WINDOW)?;
    let mut last = None;
    guarded(|| {
        for &game in &games {
            let Ok(text) = shared.fs.read(game, 0, LONGEST) else {
                return;
            };
            if text.len() < LONGEST as usize
                && let Err(error) = store(&shared.kernel, game, &text)
            {
                // The kernel does not know the game any more, or never did.
                log::debug!("not stored ahead: {error}");
                return;
            }
        }
        last = games.last().copied();
    });
    last
}

/// Decodes the games of the next step.
fn decode_behind(shared: &Shared, directory: Inode, game: Inode) {
    let games = shared.fs.next_games(directory, Some(game), WINDOW + 1);
    for game in games.into_iter().flatten() {
        if shared.fs.read(game, 0, 0).is_err() {
            return;
        }
    }
}

/// Puts a whole file into the kernel's page cache (`FUSE_NOTIFY_STORE`).
///
/// fuser does not tell when the kernel has no such inode.
fn store(kernel: impl AsFd, game: Inode, text: &[u8]) -> io::Result<()> {
    const NOTIFY_STORE: u32 = 4;
    const HEADERS: usize = 16 + 24;
    let mut headers = [0; HEADERS];
    let fields: [u32; 10] = {
        let [low, high] = halves(game.0);
        let len = text.len() as u32;
        // Length, notification, no request; inode, offset, size, padding.
        [HEADERS as u32 + len, NOTIFY_STORE, 0, 0, low, high, 0, 0, len, 0]
    };
    for (bytes, field) in headers.chunks_exact_mut(4).zip(fields) {
        bytes.copy_from_slice(&field.to_ne_bytes());
    }
    rustix::io::writev(kernel, &[IoSlice::new(&headers), IoSlice::new(text)])?;
    Ok(())
}

/// The two halves of a number as they stand in memory.
fn halves(number: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = number.to_ne_bytes();
    [u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h])]
}
