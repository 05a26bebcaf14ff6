//! The jobs of workers: which ones run, which ones wait, and when to give up the next one.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::options::{Pace, Patience, WorkerOptions};
use super::progress::Mark;

pub(super) type Call = Box<dyn FnOnce() + Send>;

/// Identifies a file system by device and mount point, because device numbers are reused.
pub type FileSystemKey = (u64, PathBuf);

/// The jobs of workers.
pub(super) struct Queue {
    timeout: Option<Duration>,
    patience: Patience,
    most_threads: usize,
    of_a_file_system: usize,
    pace: Option<Pace>,
    /// Jobs that have not started, sorted by number.
    waiting: VecDeque<WaitingJob>,
    /// Jobs that are neither finished nor given up, sorted by number.
    open: VecDeque<OpenJob>,
    /// Jobs that are running, given up or not, by number.
    begun: BTreeMap<u64, RunningJob>,
    /// Number of the last job submitted.
    last: u64,
    pub(super) threads: usize,
    /// Threads that were started but have not taken a job yet.
    pub(super) starting: usize,
    /// Threads without a job.
    pub(super) idle: usize,
    pub(super) has_clock: bool,
    /// When the clock thread wakes up if nothing wakes it earlier; `None` if there were no jobs.
    pub(super) looks_at: Option<Instant>,
    /// True if the workers were dropped.
    pub(super) is_over: bool,
}

/// A job that has not started.
pub(super) struct WaitingJob {
    pub(super) number: u64,
    pub(super) mark: Arc<Mark>,
    file_system: Option<FileSystemKey>,
    pub(super) job: Call,
}

/// What a thread should do next.
pub(super) enum NextJob {
    /// The thread runs this job, which counts as running. True if the job may have to be given up before the clock
    /// thread wakes up.
    Job(WaitingJob, bool),
    /// A job may start at this time.
    At(Instant),
    /// The thread waits for new jobs, or until others end.
    None,
}

/// A running job.
struct RunningJob {
    at: Instant,
    mark: Arc<Mark>,
    file_system: Option<FileSystemKey>,
}

impl RunningJob {
    /// When the source last returned data for the job.
    fn sign(&self) -> Instant {
        self.mark.last_since(self.at)
    }
}

/// A job that can still be given up.
pub(super) struct OpenJob {
    number: u64,
    /// When its timeout started, possibly in another queue.
    since: Instant,
    /// When it was submitted to this queue.
    submitted: Instant,
    pub(super) give_up: Call,
}

impl Queue {
    pub(super) fn new(options: &WorkerOptions) -> Queue {
        Queue {
            timeout: options.timeout,
            patience: options.patience,
            most_threads: options.threads,
            of_a_file_system: options.of_a_file_system,
            pace: options.pace,
            waiting: VecDeque::new(),
            open: VecDeque::new(),
            begun: BTreeMap::new(),
            last: 0,
            threads: 0,
            starting: 0,
            idle: 0,
            has_clock: false,
            looks_at: None,
            is_over: false,
        }
    }

    /// Number of jobs that have not started.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Number of jobs that run.
    pub(super) fn running(&self) -> usize {
        self.begun.len()
    }

    /// True if no job can be given up.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Counts a thread that is to be started, if waiting jobs need one and there are not too many.
    pub(super) fn count_thread(&mut self) -> bool {
        // With a pace, threads are started one at a time: each thread that takes a job checks whether the next job
        // needs one.
        let wanted = if self.pace.is_none() {
            self.waiting.len()
        } else {
            1
        };
        let needs_thread =
            self.idle + self.starting < wanted && self.threads < self.most_threads && self.may_begin();
        self.threads += usize::from(needs_thread);
        self.starting += usize::from(needs_thread);
        needs_thread
    }

    /// True if a job could start now if there were a thread and the pace allowed it.
    pub(super) fn may_begin(&self) -> bool {
        self.place().is_some()
    }

    /// The place of the first waiting job whose file system has not too many running ones.
    fn place(&self) -> Option<usize> {
        let may_begin = |job: &WaitingJob| {
            let of_same = |other: &&RunningJob| other.file_system == job.file_system;
            job.file_system.is_none() || self.begun.values().filter(of_same).count() < self.of_a_file_system
        };
        self.waiting.iter().position(may_begin)
    }

    /// When the pace allows the next job; `None` if it may start at the time `now`.
    fn pause(&self, now: Instant) -> Option<Instant> {
        let Pace { jobs, young } = self.pace?;
        let ends = self.begun.values().map(|job| job.at + young);
        let ends = ends.filter(|&end| end > now);
        if ends.clone().count() < jobs {
            None
        } else {
            ends.min()
        }
    }

    /// Adds a job whose timeout started at `since`, at the time `now`. Returns true if it may have to be given up
    /// before the clock thread wakes up.
    pub(super) fn push(
        &mut self,
        [since, now]: [Instant; 2],
        mark: Arc<Mark>,
        file_system: Option<FileSystemKey>,
        job: Call,
        give_up: Call,
    ) -> bool {
        self.last += 1;
        let number = self.last;
        self.waiting.push_back(WaitingJob {
            number,
            mark,
            file_system,
            job,
        });
        let is_next = self.is_next(since);
        self.open.push_back(OpenJob {
            number,
            since,
            submitted: now,
            give_up,
        });
        is_next
    }

    /// What a thread should do at the time `now`.
    pub(super) fn begin(&mut self, now: Instant) -> NextJob {
        let Some(place) = self.place() else {
            return NextJob::None;
        };
        if let Some(time) = self.pause(now) {
            return NextJob::At(time);
        }
        let Some(job) = self.waiting.remove(place) else {
            return NextJob::None;
        };
        let begun = RunningJob {
            at: now,
            mark: Arc::clone(&job.mark),
            file_system: job.file_system.clone(),
        };
        let place = self.open.binary_search_by_key(&job.number, |job| job.number);
        let open = place.ok().and_then(|place| self.open.get_mut(place));
        let since = open.map(|open| {
            if self.patience != Patience::None {
                // The time in the queue does not count: jobs before it made progress.
                open.since += begun.at.saturating_duration_since(open.submitted);
            }
            open.since
        });
        self.begun.insert(job.number, begun);
        // In the queue the progress of other jobs counted for this one, so its time may end sooner now.
        let is_next = since.is_some_and(|since| self.is_next(since));
        NextJob::Job(job, is_next)
    }

    /// Removes a finished job. Returns it unless it was given up.
    pub(super) fn end(&mut self, number: u64) -> Option<OpenJob> {
        self.begun.remove(&number);
        let found = self.open.binary_search_by_key(&number, |job| job.number).ok()?;
        self.open.remove(found)
    }

    /// Removes the open job at a place, also from the waiting ones. Returns its mark if it shows that its source hangs.
    pub(super) fn give_up(
        &mut self,
        place: usize,
        now: Instant,
    ) -> Option<(OpenJob, Option<WaitingJob>, Option<Arc<Mark>>)> {
        let job = self.open.remove(place)?;
        let waiting = self.waiting.binary_search_by_key(&job.number, |job| job.number);
        let waiting = waiting.ok().and_then(|found| self.waiting.remove(found));
        let begun = self.begun.get(&job.number).filter(|begun| {
            // A job that spent most of its time in the queue does not show that the source hangs.
            let timeout = self.timeout.unwrap_or(Duration::MAX);
            now.saturating_duration_since(begun.sign()) >= timeout / 2
        });
        let mark = begun.map(|begun| Arc::clone(&begun.mark));
        Some((job, waiting, mark))
    }

    /// Removes all jobs that have not started, and all that can be given up.
    pub(super) fn take_all(&mut self) -> (VecDeque<WaitingJob>, VecDeque<OpenJob>) {
        (mem::take(&mut self.waiting), mem::take(&mut self.open))
    }

    /// Start or last progress of the running job that has made no progress for the longest time.
    pub(super) fn oldest_sign(&self) -> Option<Instant> {
        self.begun.values().map(RunningJob::sign).min()
    }

    /// The time when the next job must be given up, and its place among the open jobs.
    pub(super) fn next_end(&self) -> Option<(Instant, usize)> {
        let timeout = self.timeout?;
        // A job in the queue waits for any of the running ones.
        let newest = self.begun.values().map(RunningJob::sign).max();
        let sign = |job: &OpenJob| match (self.patience, self.begun.get(&job.number)) {
            (Patience::None, _) => job.since,
            (_, Some(begun)) => begun.mark.last_since(job.since),
            (_, None) => job.since.max(newest.unwrap_or(job.since)),
        };
        let signs = self.open.iter().map(sign);
        let (place, sign) = signs.enumerate().min_by_key(|&(_, sign)| sign)?;
        Some((sign + timeout, place))
    }

    /// True if a job whose timeout started at `since` may have to be given up before the clock thread looks.
    fn is_next(&self, since: Instant) -> bool {
        let is_before = |looks_at: Instant| self.timeout.is_some_and(|timeout| since + timeout < looks_at);
        self.looks_at.map_or(self.timeout.is_some(), is_before)
    }
}
