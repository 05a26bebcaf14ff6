//! Renames of files that have several names.
//!
//! When one of the names is changed, the file gets a new time of change under all others, just as if the file was
//! rewritten and its time of contents was put back. The kernel reports the rename to programs that watch the file
//! itself.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

/// The kernel changes the time before it reports the rename. This is how often the report is checked for, and the pause
/// in between.
const MOST_LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(1);

/// Where the kernel reports renames; `None` if it cannot.
static INOTIFY: LazyLock<Option<OwnedFd>> = LazyLock::new(|| {
    let made = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC);
    made.inspect_err(|error| log::debug!("cannot watch for renames: {error}"))
        .ok()
});

/// The files that are watched, by the numbers that inotify gives them.
static FILES: Mutex<Option<HashMap<i32, RenamedFile>>> = Mutex::new(None);

#[derive(Default)]
struct RenamedFile {
    watches: usize,
    renames: u64,
}

/// Watches a file for renames under any of its names.
#[derive(Debug)]
pub(super) struct RenameWatch {
    file: i32,
    /// Number of renames that [`RenameWatch::has_news`] has returned.
    seen: AtomicU64,
}

impl RenameWatch {
    /// Watches the file at a path; `None` if the kernel has no watches left. Changes by other machines are not
    /// reported.
    pub(super) fn start(path: &Path) -> Option<RenameWatch> {
        // The file system may not answer, so no lock is held here. If the last watch of the same file is dropped
        // meanwhile, no rename is reported any more, and renames count as rewrites.
        let file = inotify::add_watch(INOTIFY.as_ref()?, path, WatchFlags::MOVE_SELF).ok()?;
        let renames = with_files(|files| {
            let renamed = files.entry(file).or_default();
            renamed.watches += 1;
            renamed.renames
        });
        Some(RenameWatch {
            file,
            seen: AtomicU64::new(renames),
        })
    }

    /// True if the file was renamed since the last call, or since it is watched.
    pub(super) fn has_news(&self) -> bool {
        let renames = || with_files(|files| files.get(&self.file).map_or(0, |renamed| renamed.renames));
        let seen = self.seen.load(Ordering::Acquire);
        for _ in 0..MOST_LOOKS {
            let now = renames();
            if now != seen {
                self.seen.store(now, Ordering::Release);
                return true;
            }
            thread::sleep(PAUSE);
        }
        false
    }
}

impl Drop for RenameWatch {
    fn drop(&mut self) {
        with_files(|files| {
            let is_last = files.get_mut(&self.file).is_some_and(|renamed| {
                renamed.watches -= 1;
                renamed.watches == 0
            });
            if is_last {
                files.remove(&self.file);
                // An error means that the file was deleted, and the watch with it.
                let _ = INOTIFY
                    .as_ref()
                    .map(|inotify| inotify::remove_watch(inotify, self.file));
            }
        });
    }
}

/// Counts what the kernel has reported, and passes the files to `then`.
fn with_files<T>(then: impl FnOnce(&mut HashMap<i32, RenamedFile>) -> T) -> T {
    let mut files = FILES.lock();
    let files = files.get_or_insert_default();
    if let Some(inotify) = &*INOTIFY {
        let mut space = [MaybeUninit::uninit(); 4 << 10];
        let mut events = inotify::Reader::new(inotify, &mut space);
        while let Ok(event) = events.next() {
            if event.events().contains(ReadFlags::MOVE_SELF)
                && let Some(renamed) = files.get_mut(&event.wd())
            {
                renamed.renames += 1;
            }
        }
    }
    then(files)
}
