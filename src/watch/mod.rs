//! Tells when something in a source changes: by inotify, or by looking at all files again and again.
//!
//! inotify tells of changes that this machine makes, and the table of mounts of what it mounts. Where others can make
//! some (network file systems, FUSE, the lower folders of an overlay), and where the kernel has no watches left, the
//! files are looked at as well.

mod survey;
mod way;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

use crate::hung;
use crate::mounts::{Mount, Mounts};
use survey::Survey;
use way::steps;

/// How to learn of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Means {
    /// By inotify, and by looking where that does not tell all.
    #[default]
    Auto,
    /// By inotify alone, as long as that is possible.
    Inotify,
    /// By looking, with such a pause.
    Poll(Duration),
    /// Not at all.
    Off,
}

/// How long to wait after the last change, unless the user says otherwise: who writes several files needs time between
/// them.
pub const QUIET: Duration = Duration::from_secs(2);

/// So many times as long to wait at most: other parts of the source may have changed and come to rest.
const LONGEST: u32 = 3;

/// Pause between two looks at the files, unless the user says otherwise.
pub const PAUSE: Duration = Duration::from_secs(4);

/// A pause is so many times as long as a look: a twentieth of the time is enough for looking.
const SHARE: u32 = 20;

/// What is a change. Opening and reading, which the mount itself does, is none.
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

/// What can lead the path of the source elsewhere. The same folder may be watched for more.
const CHANGES_ABOVE: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::MASK_ADD);

/// A source that is watched: a folder with everything below it, or a file and those beside it.
pub struct Watch {
    source: PathBuf,
    means: Means,
    quiet: Duration,
    inotify: Option<Arc<OwnedFd>>,
    /// The watches of the folders on the way to the source, of which only the names that lead there count.
    above: HashMap<i32, HashSet<OsString>>,
    /// All watches.
    watches: HashSet<i32>,
    /// The kernel's table of mounts, which tells when it changes.
    mounts: Option<File>,
    /// It has told of a change, which it does once.
    is_remounted: bool,
    /// The fingerprint of what was there at the last look.
    seen: u64,
    /// Looking is necessary, too.
    is_polled: bool,
    /// How long the last look took.
    cost: Duration,
    /// When it ended.
    looked: Instant,
    alarm: Arc<OwnedFd>,
}

/// Makes a [`Watch`] see a change that it cannot see by itself.
#[derive(Clone)]
pub struct Alarm(Arc<OwnedFd>);

impl Alarm {
    /// Something was found to be changed.
    pub fn raise(&self) {
        // It can only fail because it was raised often.
        let _ = rustix::io::write(&*self.0, &1_u64.to_ne_bytes());
    }
}

impl Watch {
    /// Watches an absolute path from now on, unless that is not wanted. A change counts when nothing else has changed
    /// for as long as `quiet`.
    ///
    /// # Errors
    /// Where the kernel gives no descriptor.
    pub fn start(source: &Path, means: Means, quiet: Duration) -> io::Result<Option<Watch>> {
        match means {
            Means::Off => Ok(None),
            means => Watch::new(source, means, quiet).map(Some),
        }
    }

    fn new(source: &Path, means: Means, quiet: Duration) -> io::Result<Watch> {
        let inotify = match means {
            Means::Auto | Means::Inotify => inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)
                .inspect_err(|error| log::warn!("inotify cannot be used: {error}; {}", LOOKING))
                .ok()
                .map(Arc::new),
            Means::Poll(_) | Means::Off => None,
        };
        let flags = EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC;
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
            looked: Instant::now(),
            alarm: Arc::new(eventfd(0, flags)?),
        };
        watch.look();
        Ok(watch)
    }

    /// What tells of changes that are noticed elsewhere.
    pub fn alarm(&self) -> Alarm {
        Alarm(Arc::clone(&self.alarm))
    }

    /// How long nothing may have changed for a change to count.
    pub fn quiet(&self) -> Duration {
        self.quiet
    }

    /// Waits until something has changed and nothing has for a while since, or not for long in a source that never
    /// rests. `is_restless` says that there is something still to be seen. Whatever changes from then on is
    /// told by the next call.
    pub fn wait(&mut self, is_restless: bool) {
        if !is_restless {
            self.wait_for_events();
            // An alarm tells of a change that has been.
            while !(self.drain_alarm() | self.is_changed()) {
                self.wait_for_events();
            }
        }
        let begin = Instant::now();
        let mut last = begin;
        while last.elapsed() < self.quiet && begin.elapsed() < self.quiet * LONGEST {
            thread::sleep(self.quiet / 8);
            if self.is_changed() {
                last = Instant::now();
            }
        }
        self.drain_alarm();
        // Folders may have come.
        self.look();
    }

    /// True where something has changed since the last call.
    fn is_changed(&mut self) -> bool {
        self.drain_events() | ((self.is_polled || self.has_other_mounts()) && self.look())
    }

    /// True where something was mounted or unmounted since the last call. It may have nothing to do with the source,
    /// so where many are, some time is left between two looks.
    fn has_other_mounts(&mut self) -> bool {
        self.wait_for_any(Some(Timespec::default()));
        let is_remounted = std::mem::take(&mut self.is_remounted);
        if is_remounted {
            thread::sleep((self.cost * SHARE).saturating_sub(self.looked.elapsed()));
        }
        is_remounted
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
        let pause = self.is_polled.then(|| self.pause());
        self.wait_for_any(pause.and_then(|pause| Timespec::try_from(pause).ok()));
    }

    /// Waits for an alarm, an event or other mounts.
    fn wait_for_any(&mut self, timeout: Option<Timespec>) {
        let mut sources = vec![PollFd::new(&*self.alarm, PollFlags::IN)];
        sources.extend(self.inotify.as_deref().map(|fd| PollFd::new(fd, PollFlags::IN)));
        sources.extend(self.mounts.as_ref().map(|fd| PollFd::new(fd, PollFlags::PRI)));
        match rustix::event::poll(&mut sources, timeout.as_ref()) {
            Ok(_) => {
                let mut ready = sources.iter().map(PollFd::revents);
                self.is_remounted |= ready.any(|events| events.contains(PollFlags::PRI));
            }
            Err(Errno::INTR) => {}
            Err(error) => {
                log::error!("cannot wait for changes: {error}");
                thread::sleep(PAUSE);
            }
        }
    }

    fn drain_alarm(&self) -> bool {
        rustix::io::read(&*self.alarm, &mut [0; 8]).is_ok()
    }

    /// Reads all events that there are; true where one of them counts.
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

    /// Looks at the source, and has the kernel watch all its folders. True where it is not what it was.
    fn look(&mut self) -> bool {
        let begin = Instant::now();
        let mut refusal = None;
        let mut refuse = |folder: &Path, error| match error {
            Errno::NOSPC | Errno::NOMEM => refusal = Some((folder.to_owned(), error)),
            // It is gone, or cannot be read, and so it is no part of the source.
            _ => {}
        };
        let mut above: HashMap<i32, HashSet<OsString>> = HashMap::new();
        let table = Mounts::read_or_unknown();
        for (folder, name) in steps(&self.source, &table) {
            match self.add(&folder, table.of_others(&folder), CHANGES_ABOVE) {
                Ok(watch) => _ = above.entry(watch).or_default().insert(name),
                Err(error) => refuse(&folder, error),
            }
        }
        let mut watches: HashSet<i32> = above.keys().copied().collect();
        // A folder is watched before it is looked at, so that nothing comes between.
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
            // One that is gone by itself is no error.
            let _ = self
                .inotify
                .as_ref()
                .map(|inotify| inotify::remove_watch(&**inotify, watch));
        }
        self.watches = watches;
        self.cost = begin.elapsed();
        self.looked = Instant::now();
        if let Some((folder, error)) = &refusal
            && !self.is_polled
        {
            let folder = folder.display();
            log::warn!("{folder} cannot be watched: {error} (see fs.inotify.max_user_watches); {LOOKING}");
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
        let added = hung::ask(mount, move |_| inotify::add_watch(&*inotify, &folder, changes));
        added.unwrap_or(Err(Errno::TIMEDOUT))
    }
}

const LOOKING: &str = "checking all files every few seconds instead";
