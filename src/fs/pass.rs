//! The background pass: decodes what nobody has asked for yet, so that all sizes are known soon.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
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
        let worker = Worker {
            is_over: Arc::clone(&is_over),
            seen: AtomicU64::new(requests.load(Ordering::Relaxed)),
            requests,
            files: files.clone(),
            options,
        };
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

    /// Ends the thread and waits for it; what is known by then is kept.
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
    fn work(&self, databases: &Receiver<Weak<Texts>>) {
        let mut waiting: VecDeque<Weak<Texts>> = VecDeque::new();
        while let Some(added) = receive(databases, waiting.is_empty()) {
            // What is in a file is known before anything is decoded.
            for texts in added.iter().filter_map(Weak::upgrade) {
                texts.load();
            }
            waiting.extend(added);
            if let Some(texts) = waiting.pop_front().and_then(|next| next.upgrade()) {
                self.pass(&texts);
                texts.save();
            }
            if waiting.is_empty()
                && let Some(files) = &self.files
            {
                files.tidy();
            }
        }
        for texts in waiting.iter().filter_map(Weak::upgrade) {
            texts.save();
        }
    }

    /// Decodes in a thread of its own, which gives way, and waits for it. This one keeps its priority: it reads files
    /// that others wait for.
    fn pass(&self, texts: &Arc<Texts>) {
        if self.is_over() || texts.sizes().are_complete() {
            return;
        }
        let begin = Instant::now();
        let threads = self.options.threads;
        let decode = || {
            (self.options.give_way)();
            texts.pass(threads, || {
                self.stand_still();
                // When only the pass is left to hold a database, it is out of sight.
                self.is_over() || Arc::strong_count(texts) == 1
            });
        };
        thread::scope(|scope| {
            let decoding = thread::Builder::new().name("pgnfs-decode".to_owned());
            if let Err(error) = decoding.spawn_scoped(scope, decode) {
                log::warn!("no thread for decoding: {error}");
            }
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
