//! Games that are about to be read are put into the kernel's page cache before it asks for them.
//!
//! Who walks through a directory reads its games in its order. Of the games ahead of a walk all are stored but
//! every 64th, a mark: the kernel asks for it, and so tells how far the reader is. By then the games up to the
//! next mark are stored, and those behind that one are decoded and stored while the reader reads the others.
//!
//! A thread of its own stores. It takes requests for marks over where the games behind them are not there yet, and
//! answers when they are: else the reader would ask for each of them. A store waits while somebody waits for the
//! same page, so nothing is stored that a request which that thread holds asks for, and no request is taken over
//! that asks for what is being stored.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Shared, guarded};
use crate::fs::{Inode, Live};

/// From one mark to the next.
const STRIDE: usize = 64;

/// A longer game is not stored: its reader asks in pieces.
const LONGEST: u32 = 64 << 10;

/// Games that are decoded before they are stored.
const TOGETHER: usize = 16;

/// Directories whose readers are followed.
const WALKS: usize = 16;

/// Tasks that wait, at most.
const TASKS: usize = 16;

/// Walks through directories, and what is to be stored for them.
pub(super) struct Ahead {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The directory that was listed last comes first.
    walks: VecDeque<Walk>,
    tasks: VecDeque<Task>,
    storing: Vec<Inode>,
    ended: bool,
}

/// A directory that was listed, and how far its reader is.
struct Walk {
    directory: Inode,
    /// The game that is next to be asked for; none behind the last.
    mark: Option<Inode>,
    behind: Behind,
}

/// What has become of the games behind a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// They are not thought of yet.
    Nothing,
    /// They are about to be stored.
    Coming,
    /// They are stored.
    Stored,
}

/// Something for the thread that stores.
struct Task {
    directory: Inode,
    /// What the reader comes to first.
    first: Vec<Inode>,
    /// The request for a mark, answered when that is stored.
    request: Option<Request>,
    /// The games behind the next mark.
    then: Vec<Inode>,
    /// The next mark.
    mark: Option<Inode>,
}

/// What answers a request.
type Answer = Box<dyn FnOnce(&Arc<Shared>) + Send>;

/// A request for a game.
pub(super) struct Request {
    /// The game that it asks for.
    pub(super) game: Inode,
    /// Answers it.
    pub(super) answer: Answer,
}

impl Ahead {
    pub(super) fn new() -> Ahead {
        Ahead {
            state: Mutex::new(State {
                walks: VecDeque::with_capacity(WALKS),
                tasks: VecDeque::with_capacity(TASKS),
                storing: Vec::new(),
                ended: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Takes down that a directory is listed from its begin.
    pub(super) fn listed(&self, fs: &Live, directory: Inode) {
        let Some(first) = next_games(fs, directory, None, 1) else {
            return;
        };
        let mut state = self.state();
        state.walks.retain(|walk| walk.directory != directory);
        state.walks.truncate(WALKS - 1);
        state.walks.push_front(Walk {
            directory,
            mark: first.first().copied(),
            behind: Behind::Nothing,
        });
    }

    /// Looks at a request for a game, and gives it back where it is to be answered at once.
    pub(super) fn asked(&self, fs: &Live, request: Request) -> Option<Request> {
        let game = request.game;
        let mut state = self.state();
        let Some(walk) = state.walks.iter_mut().find(|walk| walk.mark == Some(game)) else {
            state.follow(fs, game);
            return Some(request);
        };
        let behind = walk.behind;
        let mut task = walk.advance(fs, game);
        let is_idle = behind != Behind::Coming && task.first.is_empty() && task.then.is_empty();
        if is_idle || state.ended {
            return Some(request);
        }
        if state.tasks.len() >= TASKS {
            state.forget_behind(task.directory);
            return Some(request);
        }
        let mut back = Some(request);
        if behind != Behind::Stored && !state.storing.contains(&game) {
            task.request = back.take();
        }
        state.tasks.push_back(task);
        drop(state);
        self.changed.notify_one();
        back
    }

    /// Ends the thread. What it has taken over is answered by nobody: there is no kernel any more.
    pub(super) fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    /// Waits for a task; none at the end.
    fn next_task(&self) -> Option<Task> {
        let mut state = self.state();
        loop {
            if state.ended {
                return None;
            }
            if let Some(task) = state.tasks.pop_front() {
                return Some(task);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says what is being stored, without what a request that was taken over asks for.
    fn begin(&self, mut games: Vec<Inode>, own: Option<&Request>) -> Vec<Inode> {
        let mut state = self.state();
        let waiting = state.tasks.iter().filter_map(|task| task.request.as_ref());
        let held: Vec<Inode> = waiting.chain(own).map(|request| request.game).collect();
        games.retain(|game| !held.contains(game));
        state.storing.clone_from(&games);
        games
    }

    /// Says how storing ended.
    fn end_of(&self, directory: Inode, mark: Option<Inode>, stored: bool) {
        let mut state = self.state();
        state.storing.clear();
        if !stored {
            state.walks.retain(|walk| walk.directory != directory);
        }
        let mut walks = state.walks.iter_mut();
        if let Some(walk) = walks.find(|walk| walk.directory == directory && walk.mark == mark) {
            walk.behind = Behind::Stored;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Puts the mark of the directory that was listed last behind a game of it that is asked for: its reader is not
    /// where it was thought to be.
    fn follow(&mut self, fs: &Live, game: Inode) {
        if let Some(walk) = self.walks.front_mut()
            && walk.behind != Behind::Coming
            && let Some(behind) = next_games(fs, walk.directory, Some(game), 1)
        {
            walk.mark = behind.first().copied();
            walk.behind = Behind::Nothing;
        }
    }

    /// Takes down that nothing is stored behind the mark of a directory after all.
    fn forget_behind(&mut self, directory: Inode) {
        if let Some(walk) = self.walks.iter_mut().find(|walk| walk.directory == directory) {
            walk.behind = Behind::Nothing;
        }
    }
}

impl Walk {
    /// Moves the mark on from the one that the reader has come to. Gives what is to be stored now.
    fn advance(&mut self, fs: &Live, mark: Inode) -> Task {
        let games = next_games(fs, self.directory, Some(mark), 2 * STRIDE);
        let mut first = games.unwrap_or_default();
        let mut then = first.split_off(first.len().min(STRIDE));
        // The last of each is a mark, where there is a further game.
        let next = (first.len() == STRIDE).then(|| first.pop()).flatten();
        then.truncate(STRIDE - 1);
        if self.behind != Behind::Nothing {
            // They are stored, or another task has them.
            first.clear();
        }
        self.mark = next;
        self.behind = Behind::Coming;
        Task {
            directory: self.directory,
            first,
            request: None,
            then,
            mark: next,
        }
    }
}

/// The games that a directory lists behind one of them, or its first ones.
fn next_games(fs: &Live, directory: Inode, game: Option<Inode>, most: usize) -> Option<Vec<Inode>> {
    fs.resolve(directory).ok()?.next_games(game, most)
}

/// Starts the thread that stores.
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

fn work(shared: &Arc<Shared>, task: Task) {
    let Task {
        directory,
        first,
        request,
        then,
        mark,
    } = task;
    let mut stored = true;
    if !first.is_empty() {
        let games = shared.ahead.begin(first, request.as_ref());
        guarded(|| stored = store_all(shared, &games));
        shared.ahead.state().storing.clear();
    }
    if let Some(Request { answer, .. }) = request {
        guarded(|| answer(shared));
    }
    if stored {
        let games = shared.ahead.begin(then, None);
        guarded(|| stored = store_all(shared, &games));
    }
    shared.ahead.end_of(directory, mark, stored);
}

/// Stores games. False where the kernel does not know one any more, or never did.
fn store_all(shared: &Shared, games: &[Inode]) -> bool {
    for games in games.chunks(TOGETHER) {
        let mut stored = Ok(());
        let mut each = |game, text: &[u8]| {
            if text.len() <= LONGEST as usize && stored.is_ok() {
                stored = store(&shared.kernel, game, text);
            }
        };
        let first = games.first().map(|&first| shared.fs.resolve(first));
        let read = first.map(|first| first?.read_games(games, LONGEST, &mut each));
        if let Err(error) = stored {
            log::debug!("not stored ahead: {error}");
            return false;
        }
        if read.is_some_and(|read| read.is_err()) {
            return false;
        }
    }
    true
}

/// Puts a whole file into the kernel's page cache (`FUSE_NOTIFY_STORE`).
///
/// fuser does not tell when the kernel has no such inode.
fn store(kernel: impl AsFd, game: Inode, text: &[u8]) -> io::Result<()> {
    const NOTIFY_STORE: u32 = 4;
    const HEADERS: usize = 16 + 24;
    let len = text.len() as u32;
    let inode = game.0.to_ne_bytes();
    // Length, notification, no request (8 bytes); inode, offset (8 bytes), size, padding.
    let before = [HEADERS as u32 + len, NOTIFY_STORE, 0, 0].map(u32::to_ne_bytes);
    let behind = [0, 0, len, 0].map(u32::to_ne_bytes);
    let parts = [before.as_flattened(), &inode, behind.as_flattened(), text];
    rustix::io::writev(kernel, &parts.map(IoSlice::new))?;
    Ok(())
}
