//! Read-ahead: which games the readers of directories want next.
//!
//! Programs that walk through a directory read its games in its order. All games ahead of a walk are put into the
//! kernel's page cache, except every 64th, a mark. A request for a mark shows how far the reader is. By then the games
//! up to the next mark are stored, and those behind that one are decoded while the reader reads the others.
//!
//! The kernel holds a store back while a request for the same page is being answered. So nothing is stored that a
//! request waiting in a task asks for, and no request is put into a task if its game is being stored.

use std::collections::VecDeque;
use std::ops::Deref;

use super::ChessFs;
use super::handle::Handle;
use super::live::Live;
use super::types::{Inode, Where};

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

/// The walks that are followed, and the games to be stored for them. `R` is what answers a request.
pub struct Walks<R> {
    /// The directory that was listed last comes first.
    walks: VecDeque<Walk>,
    tasks: VecDeque<Task<R>>,
    storing: Vec<Inode>,
}

/// A directory that was listed, and how far its reader is.
struct Walk {
    directory: Inode,
    /// The game whose request shows that the reader has come so far; none behind the last.
    mark: Option<Inode>,
    behind: Behind,
}

/// The state of the games behind a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// No task has them.
    Nothing,
    /// A task has them.
    Coming,
    /// They are stored.
    Stored,
}

/// Work for the thread that stores: first [`Walks::begin_first`], then the request, then [`Walks::begin_rest`], then
/// [`Walks::finish`].
pub struct Task<R> {
    directory: Inode,
    /// What the reader comes to first.
    first: Vec<Inode>,
    /// A request for a mark, which is answered when the first games are stored, and its game.
    request: Option<(Inode, R)>,
    /// The games behind the next mark.
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
    /// Follows the reader of a directory that was listed.
    pub fn listed(&mut self, fs: &Live, directory: Inode) {
        let Some(first) = next_games(fs, directory, None, 1) else {
            return;
        };
        self.walks.retain(|walk| walk.directory != directory);
        self.walks.truncate(WALKS - 1);
        self.walks.push_front(Walk {
            directory,
            mark: first.first().copied(),
            behind: Behind::Nothing,
        });
    }

    /// Takes note of a request for a game. The request comes back if it is to be answered at once; otherwise a task
    /// has it.
    pub fn requested(&mut self, fs: &Live, game: Inode, request: R) -> Option<R> {
        let Some(walk) = self.walks.iter_mut().find(|walk| walk.mark == Some(game)) else {
            self.move_mark(fs, game);
            return Some(request);
        };
        let behind = walk.behind;
        let mut task = walk.advance(fs, game);
        if behind != Behind::Coming && task.first.is_empty() && task.rest.is_empty() {
            return Some(request);
        }
        if self.tasks.len() >= TASKS {
            walk.behind = Behind::Nothing;
            return Some(request);
        }
        let mut back = Some(request);
        if behind != Behind::Stored && !self.storing.contains(&game) {
            task.request = back.take().map(|request| (game, request));
        }
        self.tasks.push_back(task);
        back
    }

    /// Puts the mark of the directory that was listed last behind one of its games that was requested: its reader is
    /// somewhere else than expected.
    fn move_mark(&mut self, fs: &Live, game: Inode) {
        if let Some(walk) = self.walks.front_mut()
            && walk.behind != Behind::Coming
            && let Some(behind) = next_games(fs, walk.directory, Some(game), 1)
        {
            walk.mark = behind.first().copied();
            walk.behind = Behind::Nothing;
        }
    }

    /// The next task.
    pub fn next_task(&mut self) -> Option<Task<R>> {
        self.tasks.pop_front()
    }

    /// The games to be stored before the task's request is answered.
    pub fn begin_first(&mut self, task: &mut Task<R>) -> Vec<Inode> {
        let games = std::mem::take(&mut task.first);
        self.begin(games, task)
    }

    /// The task's request. What was to be stored before it is stored.
    pub fn take_request(&mut self, task: &mut Task<R>) -> Option<R> {
        self.storing.clear();
        task.request.take().map(|(_, request)| request)
    }

    /// The games to be stored after that.
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

    /// Ends a task. A directory is not followed any longer if its games could not be stored.
    pub fn finish(&mut self, task: Task<R>, is_stored: bool) {
        self.storing.clear();
        if !is_stored {
            self.walks.retain(|walk| walk.directory != task.directory);
        }
        let mut walks = self.walks.iter_mut();
        if let Some(walk) = walks.find(|walk| walk.directory == task.directory && walk.mark == task.mark) {
            walk.behind = Behind::Stored;
        }
    }
}

impl Walk {
    /// Moves the mark on from the one that the reader has come to. Gives what is to be stored now.
    fn advance<R>(&mut self, fs: &Live, mark: Inode) -> Task<R> {
        let games = next_games(fs, self.directory, Some(mark), 2 * STRIDE);
        let mut first = games.unwrap_or_default();
        let mut rest = first.split_off(first.len().min(STRIDE));
        // The last of each is a mark, where there is a further game.
        let next = (first.len() == STRIDE).then(|| first.pop()).flatten();
        rest.truncate(STRIDE - 1);
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
            rest,
            mark: next,
        }
    }
}

fn next_games(fs: &Live, directory: Inode, game: Option<Inode>, most: usize) -> Option<Vec<Inode>> {
    fs.find(directory)?.next_games(game, most)
}

impl<F: Deref<Target = ChessFs> + Clone> Handle<F> {
    /// True for a listing, or for reading a game, that [`Walks`] has to know of. One thread reads ahead for all
    /// databases, so it must not touch a source that may not answer.
    pub fn is_followed(&self, offset: u64) -> bool {
        offset == 0 && !matches!(self.where_to_answer(), Where::Pool(_))
    }
}

impl Live {
    /// Gives the texts of games that are to be stored, without the longest ones, until `store` refuses one. True if
    /// all could be read and stored.
    pub fn read_ahead(&self, games: &[Inode], store: &mut dyn FnMut(Inode, &[u8]) -> bool) -> bool {
        games.chunks(TOGETHER).all(|games| {
            let mut is_stored = true;
            let mut each = |game, text: &[u8]| {
                if is_stored && text.len() <= LONGEST as usize {
                    is_stored = store(game, text);
                }
            };
            let first = games.first().map(|&first| self.resolve(first));
            let read = first.map(|first| first?.read_games(games, LONGEST, &mut each));
            is_stored && read.is_none_or(|read| read.is_ok())
        })
    }
}
