//! The background pass: decodes what nobody has asked for yet, so that all sizes are known soon.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::size_file::SizeFiles;
use super::texts::Texts;

/// How the pass does its work.
#[derive(Clone, Copy, Debug)]
pub struct PassOptions {
    /// Threads that decode.
    pub threads: usize,
    /// Called in a thread before it decodes: makes it give way to all others. Threads that it starts are to
    /// give way, too.
    pub give_way: fn(),
}

/// How long the pass stands still after a request. Its low priority alone would not do: where each session gets the
/// same share of the processors, it would take from that of the program that made the request.
const PAUSE: Duration = Duration::from_millis(2);

/// How often the end is thought of while a source is waited for.
const LOOK: Duration = Duration::from_millis(100);

/// How long the end waits for databases whose sources may not answer.
const FAREWELL: Duration = Duration::from_secs(1);

/// A thread that looks after one database after another. Ends when it is told to, or dropped.
pub(super) struct Pass {
    files: Option<SizeFiles>,
    is_over: Arc<AtomicBool>,
    running: Mutex<Option<Running>>,
}

/// The thread and what it is fed by: without the queue it ends.
struct Running {
    queue: Sender<Weak<Texts>>,
    thread: JoinHandle<()>,
}

impl Pass {
    /// Starts the thread. Without it sizes are known when they are asked for. `requests` changes with every request.
    pub(super) fn start(options: PassOptions, files: Option<SizeFiles>, requests: Arc<AtomicU64>) -> Pass {
        let (queue, databases) = channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let worker = Arc::new(Worker {
            is_over: Arc::clone(&is_over),
            seen: AtomicU64::new(requests.load(Ordering::Relaxed)),
            requests,
            files: files.clone(),
            options,
        });
        let thread = thread::Builder::new().name("pgnfs-pass".to_owned());
        let thread = thread
            .spawn(move || worker.work(&databases))
            .inspect_err(|error| log::warn!("no thread for the sizes of games: {error}"));
        Pass {
            files,
            is_over,
            running: Mutex::new(thread.ok().map(|thread| Running { queue, thread })),
        }
    }

    /// Adds a database. It is left alone as soon as nobody else holds it.
    pub(super) fn add(&self, texts: &Arc<Texts>) {
        if let Some(files) = &self.files {
            texts.keep_in(files);
        }
        if let Some(running) = &*self.running() {
            // Nobody receives where the thread panicked.
            let _ = running.queue.send(Arc::downgrade(texts));
        }
    }

    /// Ends the thread and waits for it, but not for a source that does not answer; what is known by then is kept.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        let running = self.running().take();
        if let Some(Running { queue, thread }) = running {
            drop(queue);
            // What it said when it panicked is in the log.
            let _ = thread.join();
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.end();
    }
}

struct Worker {
    is_over: Arc<AtomicBool>,
    requests: Arc<AtomicU64>,
    /// Requests that were stood still for.
    seen: AtomicU64,
    files: Option<SizeFiles>,
    options: PassOptions,
}

impl Worker {
    fn work(self: &Arc<Self>, databases: &Receiver<Weak<Texts>>) {
        let (mut local, mut remote) = (VecDeque::new(), VecDeque::new());
        while let Some(added) = receive(databases, local.is_empty() && remote.is_empty()) {
            // What is in a file is known before anything is decoded.
            for texts in added.iter().filter_map(Weak::upgrade) {
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
                }
            } else if let Some(texts) = remote.pop_front().and_then(|next| next.upgrade()) {
                self.pass_remote(texts);
            }
            if local.is_empty()
                && remote.is_empty()
                && let Some(files) = &self.files
            {
                files.tidy();
            }
        }
        for texts in local.iter().filter_map(Weak::upgrade) {
            texts.save();
        }
        save_remote(remote.iter().filter_map(Weak::upgrade));
    }

    /// Decodes in the database's own pool, and waits as long as its source answers. Where it does not, that pool goes
    /// on when it does.
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
            let _ = done.send(());
        };
        let give_up = move || {
            let _ = given_up.send(());
        };
        remote.background.submit(Instant::now(), work, give_up);
        let mut end = None;
        while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(LOOK) {
            if self.is_over() && Instant::now() >= *end.get_or_insert_with(|| Instant::now() + FAREWELL) {
                return;
            }
        }
    }

    /// Decodes in a thread of its own, which gives way, and waits for it. This one keeps its priority: it reads files
    /// that others wait for.
    fn pass(&self, texts: &Arc<Texts>) {
        if self.is_over() || texts.sizes().are_complete() {
            return;
        }
        thread::scope(|scope| {
            let decoding = thread::Builder::new().name("pgnfs-decode".to_owned());
            if let Err(error) = decoding.spawn_scoped(scope, || self.decode(texts)) {
                log::warn!("no thread for decoding: {error}");
            }
        });
    }

    /// Decodes in this thread, which gives way from then on.
    fn decode(&self, texts: &Arc<Texts>) {
        let begin = Instant::now();
        (self.options.give_way)();
        texts.pass(self.options.threads, || {
            self.stand_still();
            // When only the pass is left to hold a database, it is out of sight.
            self.is_over() || Arc::strong_count(texts) == 1
        });
        let (games, known) = (texts.sizes().games(), texts.sizes().known());
        let milliseconds = begin.elapsed().as_millis();
        log::debug!(
            "{}: {known} of {games} sizes known after {milliseconds} ms",
            texts.name()
        );
    }

    /// Waits where there was a request since it last did.
    fn stand_still(&self) {
        let requests = self.requests.load(Ordering::Relaxed);
        if self.seen.load(Ordering::Relaxed) != requests {
            thread::sleep(PAUSE);
            // Only now, so that the other threads have stood still as well.
            self.seen.store(requests, Ordering::Relaxed);
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Has each database's pool keep what is known of it, and waits a while for that.
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
    // Nothing is sent: it ends early when the last one has let go.
    let _ = all_done.recv_timeout(FAREWELL);
}

/// The databases that were added, maybe none; waits for one if told to. None when there will be no more.
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
