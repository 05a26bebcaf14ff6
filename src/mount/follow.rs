//! Following a source that changes while it is mounted.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fuser::Notifier;

use crate::fs::Live;
use crate::fuse;
use crate::hung;
use crate::library::Library;
use crate::watch::Watch;

/// How long a database may change until it is opened all the same.
const LONGEST: Duration = Duration::from_secs(30);

/// From now on, databases show in the mount that come open late; and changes of the source, where that is watched.
///
/// # Errors
/// Where no thread can be started.
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
            let is_restless = late.replace(Library::go_on);
            // What changed while it was opened is to be looked at again.
            changed
                .as_ref()
                .filter(|_| is_restless)
                .inspect(|alarm| alarm.raise());
        }
    })?;
    let Some(mut watch) = watch else {
        return Ok(());
    };
    let (error, answer) = (watch.alarm(), watch.alarm());
    live.on_error(move || error.raise());
    hung::on_answer(move || answer.raise());
    // A file system may have answered again before.
    watch.alarm().raise();
    thread::Builder::new().name("reload".to_owned()).spawn(move || {
        let mut restless_since = None;
        loop {
            watch.wait(restless_since.is_some());
            // What changes all the time has to be looked at some time.
            let may_leave = restless_since.is_none_or(|since: Instant| since.elapsed() < LONGEST);
            let rest = if may_leave { watch.quiet() } else { Duration::ZERO };
            let open = || served.live.open_databases();
            let is_restless = served.replace(|library| library.reopen(&open(), rest));
            restless_since = restless_since.filter(|_| is_restless);
            restless_since = restless_since.or_else(|| is_restless.then(Instant::now));
        }
    })?;
    Ok(())
}

/// What is served, and who is told when it is replaced.
struct Served {
    live: Arc<Live>,
    notifier: Notifier,
    /// Held from looking at a library until the next one has taken its place.
    turn: Mutex<()>,
}

impl Served {
    /// Serves the library that follows from the present one, and tells the kernel. Requests are answered meanwhile.
    /// True where something was left as it was because it is still changing.
    fn replace(&self, next: impl FnOnce(&Library) -> Library) -> bool {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let replaced = catch_unwind(AssertUnwindSafe(|| {
            let library = next(self.live.current().library());
            let is_restless = library.is_restless();
            let outdated = self.live.replace(library);
            if !outdated.is_empty() {
                log::info!(
                    "the source has changed: {} databases",
                    self.live.statistics().databases
                );
                // It fails when the mount is at its end.
                let _ = fuse::invalidate(&self.notifier, &outdated)
                    .inspect_err(|error| log::debug!("the kernel cannot be notified of changes: {error}"));
            }
            is_restless
        }));
        // What a panic said is in the log. The next change may fare better.
        replaced.unwrap_or(false)
    }
}
