//! The background pass: decodes all games of unknown size.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::game_texts::Texts;
use chessdb_library::task::{self, Cancel};

/// Options of the background pass.
#[derive(Clone, Copy, Debug)]
pub struct PassOptions {
    /// Threads that decode.
    pub threads: usize,
    /// Called in a thread before it decodes, to lower its priority. Threads that it starts must inherit the
    /// priority.
    pub lower_priority: fn(),
}

/// How long the pass pauses after a request. A low priority is not enough: where the scheduler gives each
/// session an equal share of the processors, the pass would slow down the program that made the request.
const PAUSE: Duration = Duration::from_millis(2);

/// How often the end of the mount is checked for while waiting for a source.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// How long the end of the mount waits for sources that may not answer.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// A thread that decodes one database after another, until [`Pass::end`] or drop.
pub(super) struct Pass {
    cancel: Cancel,
    running: Mutex<Option<Running>>,
}

/// The thread and the queue of its databases. The thread ends when the queue is closed.
struct Running {
    queue: Sender<Weak<Texts>>,
    thread: JoinHandle<()>,
}

impl Pass {
    /// Starts the thread. If it cannot be started, sizes are determined on request. `requests` is the counter
    /// of requests.
    pub(super) fn start(options: PassOptions, requests: Arc<AtomicU64>) -> Pass {
        let (queue, databases) = channel();
        let cancel = Cancel::default();
        let worker = Arc::new(Worker {
            cancel: cancel.clone(),
            seen: AtomicU64::new(requests.load(Ordering::Relaxed)),
            requests,
            options,
        });
        let thread = thread::Builder::new().name("pgnfs-pass".to_owned());
        let thread = thread
            .spawn(move || worker.work(&databases))
            .inspect_err(|error| log::warn!("cannot start a thread to find sizes of games: {error}"));
        Pass {
            cancel,
            running: Mutex::new(thread.ok().map(|thread| Running { queue, thread })),
        }
    }

    /// Adds a database. The pass stops decoding it when it holds the last reference.
    pub(super) fn add(&self, texts: &Arc<Texts>) {
        if let Some(running) = &*self.running.lock() {
            // Sending fails only if the thread panicked.
            let _ = running.queue.send(Arc::downgrade(texts));
        }
    }

    /// Ends the work of the thread. Does not wait for it.
    pub(super) fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Ends the thread and waits for it, except for a source that does not answer. Sizes known by then are
    /// saved.
    pub(super) fn end(&self) {
        self.cancel();
        let running = self.running.lock().take();
        if let Some(Running { queue, thread }) = running {
            drop(queue);
            // The panic message is already in the log.
            let _ = thread.join();
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.end();
    }
}

struct Worker {
    cancel: Cancel,
    requests: Arc<AtomicU64>,
    /// The value of `requests` at the last pause.
    seen: AtomicU64,
    options: PassOptions,
}

impl Worker {
    fn work(self: &Arc<Self>, databases: &Receiver<Weak<Texts>>) {
        // Remote databases come last: their sources may keep this thread waiting.
        let (mut local, mut remote) = (VecDeque::new(), VecDeque::new());
        while let Some(added) = receive(databases, local.is_empty() && remote.is_empty()) {
            // Load size files before decoding anything.
            for texts in added.iter().filter_map(Weak::upgrade) {
                if self.is_over() {
                    break;
                }
                texts.load();
                match texts.remote() {
                    None => local.push_back(Arc::downgrade(&texts)),
                    Some(_) => remote.push_back(Arc::downgrade(&texts)),
                }
            }
            if let Some(next) = local.pop_front() {
                if let Some(texts) = next.upgrade() {
                    self.pass(&texts);
                    texts.save();
                    self.prepare(&texts);
                }
            } else if let Some(texts) = remote.pop_front().and_then(|next| next.upgrade()) {
                self.pass_remote(texts);
            }
        }
        for texts in local.iter().filter_map(Weak::upgrade) {
            texts.save();
        }
        save_remote(remote.iter().filter_map(Weak::upgrade));
    }

    /// Decodes with the database's own workers, and waits for them while the source answers. If it stops answering, the
    /// pass moves on, and the workers continue when it answers again.
    fn pass_remote(self: &Arc<Self>, texts: Arc<Texts>) {
        let Some(remote) = texts.remote().map(Arc::clone) else {
            return;
        };
        let (done, is_done) = channel();
        let (given_up, worker) = (done.clone(), Arc::clone(self));
        let work = move || {
            if !worker.is_over() && !texts.sizes().are_complete() {
                worker.decode(&texts);
            }
            texts.save();
            worker.prepare(&texts);
            let _ = done.send(());
        };
        let give_up = move || {
            let _ = given_up.send(());
        };
        remote.background.submit(Instant::now(), work, give_up);
        let mut end = None;
        while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(CHECK_INTERVAL) {
            if self.is_over() && Instant::now() >= *end.get_or_insert_with(|| Instant::now() + END_TIMEOUT) {
                return;
            }
        }
    }

    /// Decodes in a separate thread of low priority, and waits for it. This thread keeps its priority,
    /// because it reads size files that requests wait for.
    fn pass(&self, texts: &Arc<Texts>) {
        if self.is_over() || texts.sizes().are_complete() {
            return;
        }
        thread::scope(|scope| {
            let decoding = thread::Builder::new().name("pgnfs-decode".to_owned());
            if let Err(error) = decoding.spawn_scoped(scope, || self.decode(texts)) {
                log::warn!("cannot start a thread to decode games in the background: {error}");
            }
        });
    }

    /// Decodes in this thread, whose priority is lowered and never raised again.
    fn decode(&self, texts: &Arc<Texts>) {
        let begin = Instant::now();
        (self.options.lower_priority)();
        let pass = || {
            texts.pass(self.options.threads, || {
                self.pause_after_request();
                // After the last reference, no state has the database any more.
                self.is_over() || Arc::strong_count(texts) == 1
            });
        };
        // Sizes that are known when the pass is cancelled are saved all the same.
        let _ = self.cancel.run(pass);
        let (games, known) = (texts.sizes().games(), texts.sizes().known());
        let milliseconds = begin.elapsed().as_millis();
        log::debug!(
            "{}: {known} of {games} sizes known after {milliseconds} ms",
            texts.name()
        );
    }

    /// Opens or builds an index that the database is to have.
    fn prepare(&self, texts: &Texts) {
        let prepare = || {
            task::check();
            texts.prepare();
        };
        if self.cancel.run(prepare).is_err() {
            log::debug!(
                "{}: stopped before its index of positions was built",
                texts.name()
            );
        }
    }

    /// Pauses if there was a request since the last pause.
    fn pause_after_request(&self) {
        let requests = self.requests.load(Ordering::Relaxed);
        if self.seen.load(Ordering::Relaxed) != requests {
            thread::sleep(PAUSE);
            // Stored after the pause, so that the other decoding threads pause as well.
            self.seen.store(requests, Ordering::Relaxed);
        }
    }

    fn is_over(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Saves the sizes of each database with its own workers, and waits for at most [`END_TIMEOUT`].
fn save_remote(databases: impl Iterator<Item = Arc<Texts>>) {
    let (done, all_done) = channel::<()>();
    for texts in databases {
        let Some(remote) = texts.remote().map(Arc::clone) else {
            continue;
        };
        let done = done.clone();
        let save = move || {
            texts.save();
            drop(done);
        };
        remote.background.submit(Instant::now(), save, || ());
    }
    drop(done);
    // Nothing is sent. Receiving ends early when all jobs have dropped their senders.
    let _ = all_done.recv_timeout(END_TIMEOUT);
}

/// The databases added since the last call, possibly none; with `wait`, at least one. `None` if the queue is
/// closed.
fn receive(databases: &Receiver<Weak<Texts>>, wait: bool) -> Option<Vec<Weak<Texts>>> {
    let mut added = Vec::new();
    if wait {
        added.push(databases.recv().ok()?);
    }
    loop {
        match databases.try_recv() {
            Ok(next) => added.push(next),
            Err(TryRecvError::Empty) => return Some(added),
            Err(TryRecvError::Disconnected) if added.is_empty() => return None,
            Err(TryRecvError::Disconnected) => return Some(added),
        }
    }
}
