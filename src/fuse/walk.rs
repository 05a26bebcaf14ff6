//! Read-ahead: which games the readers of directories will request next.
//!
//! Programs that walk through a directory read its games in order. The games ahead of the reader are stored in the
//! kernel's page cache, except every 64th game, which is a mark. A request for a mark shows how far the reader has
//! come. Before the request is answered, the games up to the next mark are stored; while the reader reads them, the
//! games after the next mark are stored, too.
//!
//! Storing a page blocks while the kernel waits for the answer to a read of the same page. Therefore a game is not
//! stored while a task holds a request for it, and a request for a game that is being stored is not given to a task.

use std::collections::VecDeque;

use pgnfs_server::Inode;
use pgnfs_server::Requests;

/// Number of games from one mark to the next.
const STRIDE: usize = 64;

/// Longer games, in bytes, are not stored, because reading them takes several requests anyway.
const LONGEST: u32 = 64 << 10;

/// Number of games that are decoded together before they are stored.
const TOGETHER: usize = 16;

/// Maximum number of directories whose readers are followed.
pub(super) const WALKS: usize = 16;

/// Maximum number of waiting tasks.
const TASKS: usize = 16;

/// The followed readers, and the games to be stored for them. `R` is a request that can be answered later.
pub struct Walks<R> {
    /// The most recently listed directory comes first.
    walks: VecDeque<Walk>,
    tasks: VecDeque<Task<R>>,
    storing: Vec<Inode>,
}

/// A listed directory, and how far its reader has come.
struct Walk {
    directory: Inode,
    /// The next mark; `None` after the last game.
    mark: Option<Inode>,
    after: AfterMark,
}

/// State of the games after a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterMark {
    /// No task has them.
    Nothing,
    /// A task has them.
    Coming,
    /// They are stored.
    Stored,
}

/// Work for the thread that stores games: first [`Walks::begin_first`], then the request, then
/// [`Walks::begin_rest`], then [`Walks::finish`].
pub struct Task<R> {
    directory: Inode,
    /// The games that the reader reads first.
    first: Vec<Inode>,
    /// A request for a mark, answered after the first games are stored, and the game of the mark.
    request: Option<(Inode, R)>,
    /// The games after the next mark.
    rest: Vec<Inode>,
    /// The next mark.
    mark: Option<Inode>,
}

impl<R> Default for Walks<R> {
    fn default() -> Walks<R> {
        Walks {
            walks: VecDeque::with_capacity(WALKS),
            tasks: VecDeque::with_capacity(TASKS),
            storing: Vec::new(),
        }
    }
}

impl<R> Walks<R> {
    /// Follows the reader of a directory that has just been listed.
    pub fn listed(&mut self, requests: &Requests, directory: Inode) {
        let Some(first) = requests.next_games(directory, None, 1) else {
            return;
        };
        self.walks.retain(|walk| walk.directory != directory);
        self.walks.truncate(WALKS - 1);
        self.walks.push_front(Walk {
            directory,
            mark: first.first().copied(),
            after: AfterMark::Nothing,
        });
    }

    /// Records a request for a game. Returns the request if it must be answered now; otherwise a task holds
    /// it.
    pub fn requested(&mut self, requests: &Requests, game: Inode, request: R) -> Option<R> {
        let Some(walk) = self.walks.iter_mut().find(|walk| walk.mark == Some(game)) else {
            self.move_mark(requests, game);
            return Some(request);
        };
        let after = walk.after;
        let mut task = walk.advance(requests, game);
        if after != AfterMark::Coming && task.first.is_empty() && task.rest.is_empty() {
            return Some(request);
        }
        if self.tasks.len() >= TASKS {
            walk.after = AfterMark::Nothing;
            return Some(request);
        }
        let mut back = Some(request);
        if after != AfterMark::Stored && !self.storing.contains(&game) {
            task.request = back.take().map(|request| (game, request));
        }
        self.tasks.push_back(task);
        back
    }

    /// Handles a request for a game that is not a mark, which means that the reader is not where it was expected:
    /// moves the mark of the most recently listed directory after this game.
    fn move_mark(&mut self, requests: &Requests, game: Inode) {
        if let Some(walk) = self.walks.front_mut()
            && walk.after != AfterMark::Coming
            && let Some(after) = requests.next_games(walk.directory, Some(game), 1)
        {
            walk.mark = after.first().copied();
            walk.after = AfterMark::Nothing;
        }
    }

    /// The games whose requests show how far a reader has come.
    pub(super) fn marks(&self) -> impl Iterator<Item = Option<Inode>> {
        self.walks.iter().map(|walk| walk.mark)
    }

    /// True if a task waits.
    pub fn has_task(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// The next task.
    pub fn next_task(&mut self) -> Option<Task<R>> {
        self.tasks.pop_front()
    }

    /// The games to store before the task's request is answered.
    pub fn begin_first(&mut self, task: &mut Task<R>) -> Vec<Inode> {
        let games = std::mem::take(&mut task.first);
        self.begin(games, task)
    }

    /// The task's request, to be answered after the first games were stored.
    pub fn take_request(&mut self, task: &mut Task<R>) -> Option<R> {
        self.storing.clear();
        task.request.take().map(|(_, request)| request)
    }

    /// The games to store after the request was answered.
    pub fn begin_rest(&mut self, task: &mut Task<R>) -> Vec<Inode> {
        let games = std::mem::take(&mut task.rest);
        self.begin(games, task)
    }

    fn begin(&mut self, mut games: Vec<Inode>, task: &Task<R>) -> Vec<Inode> {
        let tasks = self.tasks.iter().chain([task]);
        let requests = tasks.filter_map(|task| task.request.as_ref());
        let held: Vec<Inode> = requests.map(|(game, _)| *game).collect();
        games.retain(|game| !held.contains(game));
        self.storing.clone_from(&games);
        games
    }

    /// Ends a task. If its games could not be stored, their directory is no longer followed.
    pub fn finish(&mut self, task: Task<R>, is_stored: bool) {
        self.storing.clear();
        if !is_stored {
            self.walks.retain(|walk| walk.directory != task.directory);
        }
        let mut walks = self.walks.iter_mut();
        if let Some(walk) = walks.find(|walk| walk.directory == task.directory && walk.mark == task.mark) {
            walk.after = AfterMark::Stored;
        }
    }
}

impl Walk {
    /// Moves the mark forward and returns the games to be stored now.
    fn advance<R>(&mut self, requests: &Requests, mark: Inode) -> Task<R> {
        let games = requests.next_games(self.directory, Some(mark), 2 * STRIDE);
        let mut first = games.unwrap_or_default();
        let mut rest = first.split_off(first.len().min(STRIDE));
        // The last game of each part is a mark, unless it is the last game of the directory.
        let next = (first.len() == STRIDE).then(|| first.pop()).flatten();
        rest.truncate(STRIDE - 1);
        if self.after != AfterMark::Nothing {
            // These games are stored already, or another task has them.
            first.clear();
        }
        self.mark = next;
        self.after = AfterMark::Coming;
        Task {
            directory: self.directory,
            first,
            request: None,
            rest,
            mark: next,
        }
    }
}

/// Passes the texts of games, except long ones, to `store` until it returns false. Returns true if all of them were
/// read and stored.
pub fn read_ahead(requests: &Requests, games: &[Inode], store: &mut dyn FnMut(Inode, &[u8]) -> bool) -> bool {
    let prefix = |game: &Inode| game.node().map(|(prefix, _)| prefix);
    // A directory may show games of several databases.
    let of_one = games.chunk_by(|a, b| prefix(a) == prefix(b));
    of_one.flat_map(|games| games.chunks(TOGETHER)).all(|games| {
        let mut is_stored = true;
        let mut each = |game, text: &[u8]| {
            if is_stored && text.len() <= LONGEST as usize {
                is_stored = store(game, text);
            }
        };
        let read = requests.read_games(games, LONGEST, &mut each);
        is_stored && read.is_ok()
    })
}
