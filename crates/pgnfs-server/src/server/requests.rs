//! Requests of front ends. A quick request is answered in the caller's thread; any other in a worker thread that may
//! block, for example while many games are read or a source does not answer.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::listing::{Detail, Visitor};
use super::pending::{Pending, Reply, Unanswered};
use crate::fs::{
    Attributes, Chunk, CurrentState, Failure, FsError, Inode, Kind, NAME_MAX, OpenNode, ResolvedInode, RunOn,
    Statistics, Status,
};
use chessdb_library::positions::Answers;
use chessdb_library::query::{Query, QueryError};
use chessdb_library::task::Cancelled;
use chessdb_library::workers::{WorkerOptions, Workers};

/// Maximum number of threads that work for one user at a time, most of them waiting. If a caller gives up, its thread
/// stays busy until the work ends.
const MOST_WAITING: usize = 500;

/// Maximum number of threads that parse one user's queries at a time.
const MOST_READING: usize = 2;

/// Answered requests are removed from their list when it is full. It then has room for this many entries, or for twice
/// the remaining ones if that is more.
const ROOM: usize = 64;

/// A cheaply cloned handle through which front ends ask a [`Server`](super::Server).
///
/// Each request has a user, because users take turns at searching, and a `reply`, which receives the answer. If the
/// answer is ready before the function returns, the function returns `None`; otherwise another thread calls the reply
/// later, and the function returns an [`Unanswered`], with which the caller can give up the request. The answer is an
/// error if the source takes too long ([`FsError::Io`]), if the caller gives up ([`FsError::Interrupted`]), or if very
/// many requests of this user are waiting ([`FsError::Again`]).
#[derive(Clone)]
pub struct Requests(Arc<RequestsState>);

/// Shared by the requests of all front ends.
struct RequestsState {
    live: Arc<CurrentState>,
    user_workers: UserWorkers,
    /// Threads that parse queries. They are separate so that no search of the user can block them.
    query_workers: UserWorkers,
    /// The requests that other threads answer.
    unanswered: Mutex<Vec<Unanswered>>,
}

impl Requests {
    /// Requests for one tree.
    pub fn new(live: Arc<CurrentState>) -> Requests {
        Requests(Arc::new(RequestsState {
            live,
            user_workers: UserWorkers::new("waiting", MOST_WAITING),
            query_workers: UserWorkers::new("queries", MOST_READING),
            unanswered: Mutex::default(),
        }))
    }

    pub(super) fn live(&self) -> &Arc<CurrentState> {
        &self.0.live
    }

    /// Looks up a name in a directory and answers with the attributes of its node, which the front end then holds until
    /// it [releases](Requests::release) it. `.` and `..` also work for files.
    ///
    /// Errors of the answer: [`FsError::NotFound`], [`FsError::NotADirectory`], [`FsError::NameTooLong`];
    /// [`FsError::Stale`] if the directory is no longer kept, so that its own path must be looked up again.
    pub fn look_up(
        &self,
        user: u32,
        directory: Inode,
        name: &OsStr,
        reply: impl Reply<Attributes>,
    ) -> Option<Unanswered> {
        let request = Pending::new(user, true, reply);
        if name.len() > NAME_MAX {
            request.refuse(FsError::NameTooLong);
            return None;
        }
        let name = name.to_owned();
        let resolve = || self.live().resolve(directory);
        self.answer(resolve, request, move |own, directory, request| {
            look_up(own, &directory, &name, request)
        })
    }

    /// Answers with the attributes of a node.
    pub fn attributes(&self, user: u32, node: Inode, reply: impl Reply<Attributes>) -> Option<Unanswered> {
        self.ask(user, node, reply, |open| open.attributes())
    }

    /// Answers with the kind of a node that exists.
    pub fn kind(&self, user: u32, node: Inode, reply: impl Reply<Kind>) -> Option<Unanswered> {
        self.ask(user, node, reply, |open| Ok(open.resolved().kind()))
    }

    /// Answers with the target of a link, relative to its directory; [`FsError::WrongKind`] for another node.
    pub fn target(&self, user: u32, link: Inode, reply: impl Reply<String>) -> Option<Unanswered> {
        self.ask(user, link, reply, |open| open.target().map(str::to_owned))
    }

    /// Answers with the names of the tags of a game, as extended attributes; none for other nodes.
    pub fn tag_names(&self, user: u32, node: Inode, reply: impl Reply<Vec<String>>) -> Option<Unanswered> {
        self.ask(user, node, reply, |open| open.attribute_names())
    }

    /// Answers with the value of an extended attribute; [`FsError::NoAttribute`] if the node has no attribute with
    /// this name.
    pub fn tag(
        &self,
        user: u32,
        node: Inode,
        name: &OsStr,
        reply: impl Reply<Vec<u8>>,
    ) -> Option<Unanswered> {
        let name = name.to_owned();
        self.ask(user, node, reply, move |open| open.attribute_value(&name))
    }

    /// Answers with `size` bytes of a file from `offset`, fewer only at its end.
    ///
    /// Errors of the answer: [`FsError::IsADirectory`]; [`FsError::WrongKind`] for a link. After serving has ended, an
    /// open file can still be read to its end, unless that needs long work.
    pub fn read(
        &self,
        user: u32,
        file: Inode,
        offset: u64,
        size: u32,
        reply: impl Reply<Chunk>,
    ) -> Option<Unanswered> {
        let request = Pending::new(user, false, reply);
        let resolve = || self.live().resolve(file);
        self.answer(resolve, request, move |_, file, request| {
            let read = file.read(offset, size);
            request.answer(|| read);
            None
        })
    }

    /// Lists a directory from `offset`, which is 0 or [`Entry::next`](crate::fs::Entry::next) of an entry, until the
    /// visitor stops. The first two entries are `.` and `..`. With [`Detail::WithAttributes`] the front end then holds
    /// the nodes of entries that have attributes, as after a lookup.
    ///
    /// Errors of the answer: [`FsError::NotADirectory`].
    pub fn list(
        &self,
        user: u32,
        directory: Inode,
        offset: u64,
        detail: Detail,
        visitor: impl Visitor,
    ) -> Option<Unanswered> {
        let request = Pending::new(user, true, visitor);
        let resolve = || self.live().resolve(directory);
        self.answer(resolve, request, move |own, directory, request| {
            super::listing::list(own.live(), &directory, offset, detail, request);
            None
        })
    }

    /// Parses a query and answers with it, or with its error. A worker thread does this because, unlike the name of a
    /// directory, this text can be long enough to take a while.
    pub fn query(
        &self,
        user: u32,
        text: String,
        reply: impl Reply<Result<Query, QueryError>>,
    ) -> Option<Unanswered> {
        let request = Pending::new(user, true, reply);
        Some(self.hand_over(RunOn::QueryWorkers, request, move |_, request| {
            let query = Query::parse(&text);
            request.answer(|| Ok(query));
        }))
    }

    /// True if the games of a search, or all games, are kept for further questions. The games of a search whose name is too long
    /// for `search/` are searched for each time.
    pub fn keeps(search: Option<&Query>) -> bool {
        search.is_none_or(|search| search.name().len() <= NAME_MAX)
    }

    /// Calls `question` with the games of all databases, or of a search, and answers with its result. With `once`, only
    /// the best copy of each game counts: the best among all games or, if `once` is a path, among the games of the
    /// database there. Duplicates are found on first use. A search shares its directory in `search/`, so that it runs
    /// once, unless its name is too long for a file name. `question` is called in a thread that may block, within the
    /// work of the request.
    ///
    /// Errors of the answer: the errors of `question`; [`FsError::NotFound`] if there is no database;
    /// [`FsError::Refused`] if the query is not valid here.
    pub fn with_answers<A: Send + 'static>(
        &self,
        user: u32,
        search: Option<&Query>,
        once: Option<String>,
        question: impl FnOnce(&Answers) -> Result<A, FsError> + Send + 'static,
        reply: impl Reply<A>,
    ) -> Option<Unanswered> {
        let request = Pending::new(user, true, reply);
        let fs = self.live().current();
        fs.note_request();
        let (run_on, search) = (fs.run_question_on(), search.cloned());
        Some(self.hand_over(run_on, request, move |_, request| {
            let answer = fs.with_answers(search.as_ref(), once.as_deref(), question);
            request.answer(|| answer);
        }))
    }

    /// Counts for `statfs`.
    pub fn statistics(&self) -> Statistics {
        self.live().current().statistics()
    }

    /// What `pgnfs status` shows.
    pub fn status(&self) -> Status {
        self.live().current().status()
    }

    /// The path in the tree of the directory that has all games: `all`, or the only database. `None` without databases.
    pub fn path_of_all(&self) -> Option<String> {
        self.live().current().path_of_all()
    }

    /// True if there is a database at this path in the tree.
    pub fn has_database(&self, path: &str) -> bool {
        self.live().current().has_database(path)
    }

    /// Describes a node for the log, without touching the source.
    pub fn describe(&self, node: Inode) -> String {
        self.live().describe(node)
    }

    /// Drops `times` of the front end's references to a node.
    pub fn release(&self, node: Inode, times: u64) {
        guarded(|| self.live().release(node, times));
    }

    /// True if no request for this node needs a source that can hang.
    pub fn is_local(&self, node: Inode) -> bool {
        guarded(|| self.live().resolve(node).is_ok_and(|node| node.is_local())).unwrap_or(false)
    }

    /// Up to `most` games that a directory lists after `game`, or its first ones; `None` if it does not list `game`, or
    /// if finding out would take long.
    pub fn next_games(&self, directory: Inode, game: Option<Inode>, most: usize) -> Option<Vec<Inode>> {
        guarded(|| {
            let directory = self.live().resolve(directory).ok()?.open_here(false).ok()?;
            let may_answer = directory.run_on(false).is_none();
            may_answer.then(|| directory.next_games(game, most))?
        })
        .flatten()
    }

    /// Passes the texts of games of one local database to `each`, except those known to be longer than `longest` bytes.
    ///
    /// # Errors
    /// [`FsError::Stale`] if the games are not all of one database, or not local; [`FsError::Io`] if they cannot be
    /// read.
    pub fn read_games(
        &self,
        games: &[Inode],
        longest: u32,
        each: &mut dyn FnMut(Inode, &[u8]),
    ) -> Result<(), FsError> {
        let Some(&first) = games.first() else {
            return Ok(());
        };
        let read = || {
            let first = self.live().resolve(first)?;
            if !first.is_local() {
                return Err(FsError::Stale);
            }
            first.open()?.read_games(games, longest, each)
        };
        guarded(read).unwrap_or(Err(FsError::Io(Failure::Unexpected)))
    }

    /// Cancels all long work and the requests that wait for it, without waiting for threads to stop. Files that need no
    /// such work can still be read.
    pub fn end_work(&self) {
        // Cancels before it takes the list: a later request is not in the list, but ends when it needs long work.
        self.live().current().end_work();
        let unanswered = std::mem::take(&mut *self.0.unanswered.lock());
        unanswered.iter().for_each(Unanswered::end);
    }
}

/// How requests are answered.
impl Requests {
    /// Answers a request for one node with the result of `call`.
    fn ask<A: Send + 'static>(
        &self,
        user: u32,
        node: Inode,
        reply: impl Reply<A>,
        call: impl FnOnce(&OpenNode) -> Result<A, FsError> + Send + 'static,
    ) -> Option<Unanswered> {
        let request = Pending::new(user, true, reply);
        let resolve = || self.live().resolve(node);
        self.answer(resolve, request, move |_, open, request| {
            let answer = call(&open);
            request.answer(|| answer);
            None
        })
    }

    /// Resolves and opens a node, then calls `how`, which answers the request; in another thread if this one must not
    /// block.
    fn answer<A, R, H>(
        &self,
        node: impl FnOnce() -> Result<ResolvedInode, FsError>,
        request: Pending<A, R>,
        how: H,
    ) -> Option<Unanswered>
    where
        A: 'static,
        R: Reply<A>,
        H: FnOnce(&Requests, OpenNode, Pending<A, R>) -> Option<Unanswered> + Send + 'static,
    {
        let in_worker = request.is_shared();
        let answer = || match node().and_then(|node| node.open_here(in_worker)) {
            Ok(open) => match open.run_on(in_worker) {
                None => how(self, open, request),
                Some(run_on) => Some(self.complete(run_on, open, request, how)),
            },
            Err(error) => {
                request.refuse(error);
                None
            }
        };
        // A worker catches panics itself, and cancelled work unwinds to it.
        if in_worker {
            answer()
        } else {
            guarded(answer).flatten()
        }
    }

    /// Finishes opening a node in one of the threads `run_on`, then calls `how` there.
    pub(super) fn complete<A, R, H>(
        &self,
        run_on: RunOn,
        node: OpenNode,
        request: Pending<A, R>,
        how: H,
    ) -> Unanswered
    where
        A: 'static,
        R: Reply<A>,
        H: FnOnce(&Requests, OpenNode, Pending<A, R>) -> Option<Unanswered> + Send + 'static,
    {
        self.hand_over(run_on, request, move |own, request| match node.complete() {
            Ok(node) => drop(how(own, node, request)),
            Err(error) => request.refuse(error),
        })
    }

    /// Appends to the list a request that another thread will answer, and removes those that were answered. These are
    /// dropped without the lock: dropping the last handle of a request answers it, and a reply may make requests of its
    /// own.
    fn remember(&self, request: Unanswered) {
        let mut all = self.0.unanswered.lock();
        if all.len() < all.capacity() {
            return all.push(request);
        }
        let mut open = std::mem::take(&mut *all);
        drop(all);
        open.push(request);
        open.retain(Unanswered::is_open);
        if self.live().cancel().is_cancelled() {
            open.iter().for_each(Unanswered::end);
        }
        let mut all = self.0.unanswered.lock();
        open.append(&mut all);
        all.reserve((2 * open.len()).max(ROOM));
        all.append(&mut open);
    }

    /// Lets `work` answer a request in another thread.
    pub(super) fn hand_over<A: 'static, R: Reply<A>>(
        &self,
        run_on: RunOn,
        request: Pending<A, R>,
        work: impl FnOnce(&Requests, Pending<A, R>) + Send + 'static,
    ) -> Unanswered {
        let (own, user, is_new) = (self.clone(), request.user, !request.is_shared());
        let (workers, refusal) = match run_on {
            RunOn::UserWorkers => (self.0.user_workers.of_user(user), FsError::Again),
            RunOn::QueryWorkers => (self.0.query_workers.of_user(user), FsError::Again),
            RunOn::Workers(workers) => (workers, FsError::Io(Failure::Silent)),
        };
        let (request, waiting, since) = request.share();
        let unanswered = Unanswered::of(&waiting);
        if is_new {
            self.remember(Unanswered::of(&waiting));
        }
        let served = Arc::clone(&waiting);
        let work = move || {
            let cancel = own.live().cancel();
            let done = cancel.run(|| served.request().serve(|| work(&own, request)));
            // Cancelled work drops its request without an answer. If the caller had given the request up, it would have
            // its answer.
            if let Err(Cancelled) | Ok(Err(Cancelled)) = done {
                served.give_up(FsError::Io(Failure::Ended));
            }
        };
        let give_up = move || waiting.give_up(refusal);
        workers.submit(since, || _ = guarded(work), give_up);
        unanswered
    }
}

/// Looks up a name in an open directory.
fn look_up<R: Reply<Attributes>>(
    own: &Requests,
    directory: &OpenNode,
    name: &OsStr,
    request: Pending<Attributes, R>,
) -> Option<Unanswered> {
    let user = request.user;
    let child = || {
        let found = own.live().child(directory, name);
        found.inspect_err(|error| own.live().note_refused(directory, name, user, error))
    };
    own.answer(child, request, |own, found, request| {
        let attributes = found.attributes();
        request.answer(|| {
            let attributes = attributes?;
            // The reference is added before the answer is sent, because the front end may release the node at once. If
            // the state was dropped meanwhile, the whole path must be looked up again.
            let gone = own.live().hold(&[attributes.inode]);
            gone.is_empty().then_some(attributes).ok_or(FsError::Stale)
        });
        None
    })
}

/// Worker threads of each user, for requests that may take long but that no source can block.
struct UserWorkers {
    name: &'static str,
    threads: usize,
    users: Mutex<HashMap<u32, Arc<Workers>>>,
}

impl UserWorkers {
    /// No workers yet; each user gets `threads` threads.
    fn new(name: &'static str, threads: usize) -> UserWorkers {
        UserWorkers {
            name,
            threads,
            users: Mutex::default(),
        }
    }

    fn of_user(&self, user: u32) -> Arc<Workers> {
        let mut users = self.users.lock();
        if let Some(workers) = users.get(&user) {
            return Arc::clone(workers);
        }
        // Workers that are dropped still finish what they have begun.
        users.retain(|_, workers| workers.oldest().is_some());
        let workers = Workers::new(WorkerOptions {
            name: self.name,
            threads: self.threads,
            ..WorkerOptions::default()
        });
        Arc::clone(users.entry(user).or_insert(Arc::new(workers)))
    }
}

/// Catches a panic, which would end a thread of the front end. `None` after one.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work))
        .inspect_err(|_| log::error!("a request panicked, and is answered with an input/output error"))
        .ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use chessdb_library::library::Library;
    use chessdb_library::task;

    use super::super::{OpenFile, Server};
    use super::*;
    use crate::ServeOptions;
    use crate::watch::Means;

    /// When serving ends, long work ends and its requests are answered as ended: those that are given up, a read,
    /// which is never given up, and one that comes later.
    #[test]
    fn requests_whose_work_ends_with_serving_are_answered_as_ended() {
        let server = Server::of(Library::from_databases(Vec::new()), ServeOptions::default());
        let requests = server.requests();
        let begin = |ends_with_serving| {
            let ((began, begins), (sender, answer)) = (channel(), channel());
            let reply = move |answer: Result<(), FsError>| sender.send(answer).unwrap();
            let pending = Pending::new(1, ends_with_serving, reply);
            requests.hand_over(RunOn::UserWorkers, pending, move |_, _request| {
                began.send(()).unwrap();
                loop {
                    task::check();
                    std::thread::yield_now();
                }
            });
            begins.recv().unwrap();
            answer
        };
        let before = [true, false].map(begin);
        requests.end_work();
        let answers = before.into_iter().chain([begin(true)]);
        let ended = |answer: Receiver<_>| answer.recv() == Ok(Err(FsError::Io(Failure::Ended)));
        assert_eq!(answers.map(ended).collect::<Vec<_>>(), [true; 3]);
    }

    /// While both threads that parse queries are busy, a query waits, and other requests of this user and of others are
    /// answered.
    #[test]
    fn queries_are_read_by_threads_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.pgn"), "1. e4 *\n\n").unwrap();
        let open = |source: &std::path::Path| {
            Library::open(source, &Default::default()).map_err(std::io::Error::other)
        };
        let server = Server::open(
            folder.path(),
            Means::Off,
            Duration::ZERO,
            open,
            ServeOptions::default(),
        );
        let server = server.unwrap();
        let requests = server.requests();
        let query = |user: u32| -> Receiver<bool> {
            let (sender, answer) = channel();
            let reply = move |query: Result<Result<Query, QueryError>, FsError>| {
                let _ = sender.send(query.unwrap().is_ok());
            };
            requests.query(user, "played:*a*1*".to_owned(), reply);
            answer
        };
        let ends: Vec<_> = (0..MOST_READING)
            .map(|_| {
                let ((began, has_begun), (end, ended)) = (channel(), channel::<()>());
                let pending = Pending::new(1, true, |_: Result<(), FsError>| ());
                requests.hand_over(RunOn::QueryWorkers, pending, move |_, request| {
                    began.send(()).unwrap();
                    let _ = ended.recv();
                    request.answer(|| Ok(()));
                });
                has_begun.recv().unwrap();
                end
            })
            .collect();
        let waiting = query(1);
        assert_eq!(query(2).recv(), Ok(true));
        let (sender, opened) = channel();
        requests.open(1, "info.txt", move |file: Result<OpenFile, FsError>| {
            let _ = sender.send(file.is_ok());
        });
        assert_eq!(opened.recv(), Ok(true));
        assert!(waiting.try_recv().is_err());
        drop(ends);
        assert_eq!(waiting.recv(), Ok(true));
    }
}
