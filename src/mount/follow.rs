//! Following a source that changes while it is mounted.

use parking_lot::Mutex;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fuser::Notifier;

use crate::fs::Live;
use crate::fuse;
use crate::watch::Watch;
use chessdb_library::hung;
use chessdb_library::library::Library;

/// A database that changes for longer than this is opened anyway.
const LONGEST: Duration = Duration::from_secs(30);

/// Starts adding databases to the mount that were still being opened, and following changes of the source if
/// it is watched.
///
/// # Errors
/// If a thread cannot be started.
pub(super) fn follow(live: &Arc<Live>, notifier: Notifier, watch: Option<Watch>) -> io::Result<()> {
    let served = Arc::new(Served {
        live: Arc::clone(live),
        notifier,
        turn: Mutex::new(()),
    });
    let mut endings = live.current().library().endings();
    let late = Arc::clone(&served);
    let changed = watch.as_ref().map(Watch::alarm);
    thread::Builder::new().name("late".to_owned()).spawn(move || {
        loop {
            endings.wait();
            let is_unsettled = late.replace(Library::go_on);
            // Databases that changed while they were opened must be searched for again.
            changed
                .as_ref()
                .filter(|_| is_unsettled)
                .inspect(|alarm| alarm.raise());
        }
    })?;
    let Some(mut watch) = watch else {
        return Ok(());
    };
    let (error, answer) = (watch.alarm(), watch.alarm());
    live.on_error(move || error.raise());
    hung::on_answer(move || answer.raise());
    // A file system may have answered again before the listener was added.
    watch.alarm().raise();
    thread::Builder::new().name("reload".to_owned()).spawn(move || {
        let mut unsettled_since = None;
        loop {
            watch.wait(unsettled_since.is_some());
            // A source that keeps changing is searched eventually.
            let may_leave = unsettled_since.is_none_or(|since: Instant| since.elapsed() < LONGEST);
            let rest = if may_leave { watch.quiet() } else { Duration::ZERO };
            let open = || served.live.open_databases();
            let is_unsettled = served.replace(|library| library.reopen(&open(), rest));
            unsettled_since = unsettled_since.filter(|_| is_unsettled);
            unsettled_since = unsettled_since.or_else(|| is_unsettled.then(Instant::now));
        }
    })?;
    Ok(())
}

/// The served tree, and the kernel to be notified of its changes.
struct Served {
    live: Arc<Live>,
    notifier: Notifier,
    /// Locked from reading a library until the next one has replaced it.
    turn: Mutex<()>,
}

impl Served {
    /// Replaces the present library by `next` and invalidates the kernel's caches. Requests are answered
    /// meanwhile. Returns true if a database was kept in its previous state because it is still changing.
    fn replace(&self, next: impl FnOnce(&Library) -> Library) -> bool {
        let _turn = self.turn.lock();
        let replaced = catch_unwind(AssertUnwindSafe(|| {
            let library = next(self.live.current().library());
            let is_unsettled = library.is_unsettled();
            let outdated = self.live.replace(library);
            if !outdated.is_empty() {
                log::info!(
                    "the source has changed: {} databases",
                    self.live.statistics().databases
                );
                // Fails when the mount is being ended.
                let _ = fuse::invalidate(&self.notifier, &outdated)
                    .inspect_err(|error| log::debug!("the kernel cannot be notified of changes: {error}"));
            }
            is_unsettled
        }));
        // The panic message is in the log. The next change is handled normally.
        replaced.unwrap_or(false)
    }
}
