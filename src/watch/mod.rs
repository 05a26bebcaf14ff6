//! Tells when something in a source changes: by inotify, or by looking at all files again and again.
//!
//! inotify tells of changes that this machine makes. Where others can make some (network file systems, FUSE, the
//! lower folders of an overlay), and where the kernel has no watches left, the files are looked at as well.

mod survey;

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use survey::Survey;

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

/// How long to wait after the last change: who writes several files needs time between them.
pub const QUIET: Duration = Duration::from_secs(2);

/// How long to wait for that at most: other parts of the source may have changed and come to rest.
const LONGEST: Duration = Duration::from_secs(6);

/// Pause between two looks at the files, unless the user says otherwise.
pub const PAUSE: Duration = Duration::from_secs(4);

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

/// A source that is watched: a folder with everything below it, or a file and those beside it.
pub struct Watch {
    source: PathBuf,
    means: Means,
    inotify: Option<OwnedFd>,
    /// The watch of the folder that the source is in, of which only the source's own name counts.
    above: Option<i32>,
    /// The fingerprint of what was there at the last look.
    seen: u64,
    /// Looking is necessary, too.
    is_polled: bool,
    /// How long the last look took.
    cost: Duration,
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
    /// Watches an absolute path from now on, unless that is not wanted.
    ///
    /// # Errors
    /// Where the kernel gives no descriptor.
    pub fn start(source: &Path, means: Means) -> io::Result<Option<Watch>> {
        match means {
            Means::Off => Ok(None),
            means => Watch::new(source, means).map(Some),
        }
    }

    fn new(source: &Path, means: Means) -> io::Result<Watch> {
        let inotify = match means {
            Means::Auto | Means::Inotify => inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)
                .inspect_err(|error| log::warn!("inotify cannot be used: {error}; {}", LOOKING))
                .ok(),
            Means::Poll(_) | Means::Off => None,
        };
        let flags = EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC;
        let mut watch = Watch {
            source: source.to_owned(),
            means,
            inotify,
            above: None,
            seen: 0,
            is_polled: false,
            cost: Duration::ZERO,
            alarm: Arc::new(eventfd(0, flags)?),
        };
        watch.look();
        Ok(watch)
    }

    /// What tells of changes that are noticed elsewhere.
    pub fn alarm(&self) -> Alarm {
        Alarm(Arc::clone(&self.alarm))
    }

    /// Waits until something has changed and nothing has for two seconds since, or not for long in a source that
    /// never rests. `is_restless` says that there is something still to be seen. Whatever changes from then on is
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
        while last.elapsed() < QUIET && begin.elapsed() < LONGEST {
            thread::sleep(QUIET / 8);
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
        self.drain_events() | (self.is_polled && self.look())
    }

    fn pause(&self) -> Duration {
        let pause = match self.means {
            Means::Poll(pause) => pause,
            _ => PAUSE,
        };
        // A twentieth of the time is enough for looking.
        pause.max(self.cost * 20)
    }

    /// Waits until something may have changed.
    fn wait_for_events(&self) {
        let pause = self.is_polled.then(|| self.pause());
        let timeout = pause.and_then(|pause| Timespec::try_from(pause).ok());
        let mut sources = vec![PollFd::new(&*self.alarm, PollFlags::IN)];
        sources.extend(self.inotify.as_ref().map(|fd| PollFd::new(fd, PollFlags::IN)));
        match rustix::event::poll(&mut sources, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
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
        let own_name = self.source.file_name().map(OsStrExt::as_bytes);
        let mut space = [MaybeUninit::uninit(); 16 << 10];
        let mut events = inotify::Reader::new(inotify, &mut space);
        let mut counts = false;
        while let Ok(event) = events.next() {
            let is_above = self.above == Some(event.wd());
            counts |= match is_above && !event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                true => event.file_name().map(|name| name.to_bytes()) == own_name,
                false => true,
            };
        }
        counts
    }

    /// Looks at the source, and has the kernel watch all its folders. True where it is not what it was.
    fn look(&mut self) -> bool {
        let begin = Instant::now();
        let mut refusal = None;
        let mut above = self.source.parent().and_then(|folder| self.add(folder).ok());
        // A folder is watched before it is looked at, so that nothing comes between.
        let survey = Survey::of(&self.source, |folder| match self.add(folder) {
            Ok(watch) if Some(watch) == above => above = None,
            Err(error @ (Errno::NOSPC | Errno::NOMEM)) => refusal = Some((folder.to_owned(), error)),
            // It is gone, or cannot be read, and so it is no part of the source.
            Ok(_) | Err(_) => {}
        });
        self.above = above;
        self.cost = begin.elapsed();
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

    fn add(&self, folder: &Path) -> Result<i32, Errno> {
        let inotify = self.inotify.as_ref().ok_or(Errno::BADF)?;
        inotify::add_watch(inotify, folder, CHANGES)
    }
}

const LOOKING: &str = "looking at all files every few seconds instead";
