//! Detects changes of a source, by inotify or by examining all files periodically.
//!
//! inotify reports changes made by this machine, and the kernel's table of mounts reports mounts. Where
//! changes can come from elsewhere (network file systems, FUSE, lower layers of an overlay), and where the
//! kernel has no watches left, the files are examined as well.

mod survey;
mod way;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{io, thread};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

use chessdb_library::mounts::{Mount, Mounts};
use chessdb_library::workers::hung;
use survey::Survey;
use way::steps;

/// How changes are detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Means {
    /// By inotify, and by examining the files where inotify does not report everything.
    #[default]
    Auto,
    /// By inotify alone, if possible.
    Inotify,
    /// By examining the files with this pause.
    Poll(Duration),
    /// Not at all.
    Off,
}

/// Default time without changes after which a change counts, because a program that writes several files
/// pauses between them.
pub const QUIET: Duration = Duration::from_secs(2);

/// Maximum wait as a multiple of the quiet time: other parts of the source may have changed and settled.
const LONGEST: u32 = 3;

/// Default pause between two examinations of the files.
pub const PAUSE: Duration = Duration::from_secs(4);

/// Minimum pause as a multiple of the time of an examination, so that examining takes about a twentieth of the time.
const SHARE: u32 = 20;

/// Events that count as changes. Opening and reading, which the mount itself does, do not.
const CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// Events that can redirect the path of the source. The same folder may also be watched for [`CHANGES`].
const CHANGES_ABOVE: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::MASK_ADD);

/// A watched source: a folder with everything below it, or a file and those next to it.
pub struct Watch {
    source: PathBuf,
    means: Means,
    quiet: Duration,
    inotify: Option<Arc<OwnedFd>>,
    /// Watches of the folders on the way to the source; only the names on that way count.
    above: HashMap<i32, HashSet<OsString>>,
    /// All watches.
    watches: HashSet<i32>,
    /// The kernel's table of mounts, which can be polled for changes.
    mounts: Option<File>,
    /// True if a poll reported a change of the table since the last examination; each change is reported only once.
    is_remounted: bool,
    /// Fingerprint of the source at the last examination.
    seen: u64,
    /// True if the files must be examined periodically.
    is_polled: bool,
    /// Duration of the last examination, or of the previous one if that was shorter. Otherwise a process that was once
    /// stopped, or had to wait, during an examination would count examinations as expensive.
    cost: Duration,
    /// Duration of the last examination.
    last_cost: Duration,
    /// When the last examination ended.
    looked: Instant,
    alarm: Alarm,
}

/// Notifies a [`Watch`] of a change that it cannot detect, or ends it.
#[derive(Clone)]
pub struct Alarm {
    raised: Arc<OwnedFd>,
    /// Written once and never read, so that it ends every pause from then on.
    over: Arc<OwnedFd>,
}

impl Alarm {
    fn new() -> io::Result<Alarm> {
        let event = || eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC);
        Ok(Alarm {
            raised: Arc::new(event()?),
            over: Arc::new(event()?),
        })
    }

    /// Reports a change.
    pub fn raise(&self) {
        set(&self.raised);
    }

    /// Ends this and every later [`Watch::wait`].
    pub fn stop(&self) {
        set(&self.over);
    }

    /// Waits this long, or until it is over. Returns true if it is.
    fn pause(&self, duration: Duration) -> bool {
        let mut over = [PollFd::new(&*self.over, PollFlags::IN)];
        let timeout = Timespec::try_from(duration).ok();
        rustix::event::poll(&mut over, timeout.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

fn set(event: &OwnedFd) {
    // Fails only if the counter is full, and then it is set anyway.
    let _ = rustix::io::write(event, &1_u64.to_ne_bytes());
}

impl Watch {
    /// Watches an absolute path, unless `means` is [`Means::Off`]. A change counts once nothing else has changed for
    /// the time `quiet`.
    ///
    /// # Errors
    /// If the kernel provides no descriptor.
    pub fn start(source: &Path, means: Means, quiet: Duration) -> io::Result<Option<Watch>> {
        match means {
            Means::Off => Ok(None),
            means => Watch::new(source, means, quiet).map(Some),
        }
    }

    fn new(source: &Path, means: Means, quiet: Duration) -> io::Result<Watch> {
        let inotify = match means {
            Means::Auto | Means::Inotify => inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)
                .inspect_err(|error| log::warn!("cannot use inotify: {error}; {}", LOOKING))
                .ok()
                .map(Arc::new),
            Means::Poll(_) | Means::Off => None,
        };
        let mut watch = Watch {
            source: source.to_owned(),
            means,
            quiet,
            inotify,
            above: HashMap::new(),
            watches: HashSet::new(),
            mounts: match means {
                Means::Auto | Means::Inotify => File::open("/proc/self/mountinfo").ok(),
                Means::Poll(_) | Means::Off => None,
            },
            is_remounted: false,
            seen: 0,
            is_polled: false,
            cost: Duration::ZERO,
            last_cost: Duration::ZERO,
            looked: Instant::now(),
            alarm: Alarm::new()?,
        };
        watch.examine();
        Ok(watch)
    }

    /// A handle to report changes detected elsewhere.
    pub fn alarm(&self) -> Alarm {
        self.alarm.clone()
    }

    /// The time without further changes after which a change counts.
    pub fn quiet(&self) -> Duration {
        self.quiet
    }

    /// Waits until something has changed and then nothing for the quiet time, but at most three times as long
    /// if the source keeps changing. With `is_unsettled`, a change is already pending. Later changes are
    /// reported by the next call. Breaks when an alarm has [stopped](Alarm::stop) it.
    pub fn wait(&mut self, is_unsettled: bool) -> ControlFlow<()> {
        if !is_unsettled {
            loop {
                self.wait_for_events();
                if self.alarm.pause(Duration::ZERO) {
                    return ControlFlow::Break(());
                }
                // An alarm reports a change that has already happened.
                if self.drain_alarm() | self.is_changed() {
                    break;
                }
            }
        }
        let begin = Instant::now();
        let mut last = begin;
        // True if folders that were added are watched.
        let mut is_examined = false;
        while last.elapsed() < self.quiet && begin.elapsed() < self.quiet * LONGEST {
            if self.alarm.pause(self.quiet / 8) {
                return ControlFlow::Break(());
            }
            if self.is_changed() {
                last = Instant::now();
                is_examined = false;
            } else if !is_examined && last.elapsed() > self.quiet / 2 {
                self.examine();
                is_examined = true;
            }
        }
        self.drain_alarm();
        if !is_examined {
            self.examine();
        }
        ControlFlow::Continue(())
    }

    /// True if something has changed since the last call.
    fn is_changed(&mut self) -> bool {
        self.drain_events() | ((self.is_polled || self.has_other_mounts()) && self.examine())
    }

    /// True if something was mounted or unmounted since the last examination. This may not concern the source, so
    /// examinations because of frequent mounts are throttled.
    fn has_other_mounts(&mut self) -> bool {
        self.wait_for_any(Some(Timespec::default()));
        self.is_remounted && self.rest().is_zero()
    }

    /// The time until files may be examined again.
    fn rest(&self) -> Duration {
        (self.cost * SHARE).saturating_sub(self.looked.elapsed())
    }

    fn pause(&self) -> Duration {
        let pause = match self.means {
            Means::Poll(pause) => pause,
            _ => PAUSE,
        };
        pause.max(self.cost * SHARE)
    }

    /// Waits until something may have changed.
    fn wait_for_events(&mut self) {
        let pauses = [
            self.is_polled.then(|| self.pause()),
            self.is_remounted.then(|| self.rest()),
        ];
        let pause = pauses.into_iter().flatten().min();
        self.wait_for_any(pause.and_then(|pause| Timespec::try_from(pause).ok()));
    }

    /// Waits for an alarm, an event or a change of the table of mounts.
    fn wait_for_any(&mut self, timeout: Option<Timespec>) {
        let events = [&self.alarm.raised, &self.alarm.over];
        let mut sources = events.map(|event| PollFd::new(&**event, PollFlags::IN)).to_vec();
        sources.extend(self.inotify.as_deref().map(|fd| PollFd::new(fd, PollFlags::IN)));
        sources.extend(self.mounts.as_ref().map(|fd| PollFd::new(fd, PollFlags::PRI)));
        match rustix::event::poll(&mut sources, timeout.as_ref()) {
            Ok(_) => {
                let mut ready = sources.iter().map(PollFd::revents);
                self.is_remounted |= ready.any(|events| events.contains(PollFlags::PRI));
            }
            Err(Errno::INTR) => {}
            Err(error) => {
                log::error!("cannot wait for changes of the source: {error}");
                thread::sleep(PAUSE);
            }
        }
    }

    fn drain_alarm(&self) -> bool {
        rustix::io::read(&*self.alarm.raised, &mut [0; 8]).is_ok()
    }

    /// Reads all pending events. Returns true if one of them counts.
    fn drain_events(&self) -> bool {
        let Some(inotify) = &self.inotify else {
            return false;
        };
        let mut space = [MaybeUninit::uninit(); 16 << 10];
        let mut events = inotify::Reader::new(&**inotify, &mut space);
        let mut counts = false;
        while let Ok(event) = events.next() {
            let names = self.above.get(&event.wd());
            let name = event
                .file_name()
                .map(|name| OsString::from_vec(name.to_bytes().to_vec()));
            counts |= names.is_none_or(|names| name.is_some_and(|name| names.contains(&name)));
        }
        counts
    }

    /// Examines the source and updates the watches of its folders. Returns true if it has changed.
    fn examine(&mut self) -> bool {
        let begin = Instant::now();
        // Before the table is read, so that a later change to it counts.
        self.wait_for_any(Some(Timespec::default()));
        self.is_remounted = false;
        let mut refusal = None;
        let mut refuse = |folder: &Path, error| match error {
            Errno::NOSPC | Errno::NOMEM => refusal = Some((folder.to_owned(), error)),
            // The folder has disappeared or cannot be read, so it is not part of the source.
            _ => {}
        };
        let mut above: HashMap<i32, HashSet<OsString>> = HashMap::new();
        let table = Mounts::read_or_unknown();
        for (folder, name) in steps(&self.source, &table) {
            match self.add(&folder, table.not_local(&folder), CHANGES_ABOVE) {
                Ok(watch) => _ = above.entry(watch).or_default().insert(name),
                Err(error) => refuse(&folder, error),
            }
        }
        let mut watches: HashSet<i32> = above.keys().copied().collect();
        // A folder is watched before it is examined, so that no change is missed.
        let survey = Survey::of(&self.source, &table, |folder, mount| {
            match self.add(folder, mount, CHANGES) {
                Ok(watch) => {
                    above.remove(&watch);
                    watches.insert(watch);
                }
                Err(error) => refuse(folder, error),
            }
        });
        self.above = above;
        for &watch in self.watches.difference(&watches) {
            // A watch is removed automatically with its folder, so an error is expected.
            let _ = self
                .inotify
                .as_ref()
                .map(|inotify| inotify::remove_watch(&**inotify, watch));
        }
        self.watches = watches;
        let before = std::mem::replace(&mut self.last_cost, begin.elapsed());
        self.cost = self.last_cost.min(before);
        self.looked = Instant::now();
        if let Some((folder, error)) = &refusal
            && !self.is_polled
        {
            let folder = folder.display();
            log::warn!("cannot watch {folder}: {error} (see fs.inotify.max_user_watches); {LOOKING}");
        }
        let is_watched = self.inotify.is_some() && refusal.is_none();
        let has_others = self.means == Means::Auto && survey.has_others;
        self.is_polled = !is_watched || survey.is_missing || has_others;
        let before = std::mem::replace(&mut self.seen, survey.fingerprint);
        before != survey.fingerprint
    }

    fn add(&self, folder: &Path, mount: Option<&Mount>, changes: WatchFlags) -> Result<i32, Errno> {
        let inotify = Arc::clone(self.inotify.as_ref().ok_or(Errno::BADF)?);
        let folder = folder.to_owned();
        let added = hung::ask(mount, move || inotify::add_watch(&*inotify, &folder, changes));
        added.unwrap_or(Err(Errno::TIMEDOUT))
    }
}

const LOOKING: &str = "checking all files every few seconds instead";

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::mpsc::channel;

    use testkit::patience::wait_for;

    fn watch(folder: &Path) -> Watch {
        let watch = Watch::start(folder, Means::Inotify, Duration::ZERO).unwrap();
        watch.unwrap()
    }

    #[test]
    fn a_change_counts_while_examinations_because_of_mounts_rest() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = watch(folder.path());
        (watch.cost, watch.is_remounted) = (Duration::from_secs(1_000), true);
        fs::write(folder.path().join("file"), "").unwrap();
        let (sender, ended) = channel();
        thread::spawn(move || sender.send(watch.wait(false)));
        wait_for("the change", || ended.try_recv().is_ok());
    }

    #[test]
    fn one_long_examination_makes_no_long_pause() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = watch(folder.path());
        for last in [Duration::ZERO, Duration::from_secs(1_000)] {
            watch.last_cost = last;
            watch.examine();
            assert_eq!(watch.cost, last.min(watch.last_cost));
        }
        assert!(watch.pause() < Duration::from_secs(1_000));
    }
}
