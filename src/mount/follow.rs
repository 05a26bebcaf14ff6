//! Following a source that changes while it is mounted.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fuser::Notifier;

use crate::fs::Live;
use crate::fuse;
use crate::watch::{QUIET, Watch};

/// From now on, changes of the source show in the mount.
///
/// # Errors
/// Where no thread can be started.
pub(super) fn follow(live: &Arc<Live>, notifier: Notifier, mut watch: Watch) -> io::Result<()> {
    let alarm = watch.alarm();
    live.on_error(move || alarm.raise());
    let live = Arc::clone(live);
    let thread = thread::Builder::new().name("reload".to_owned());
    thread.spawn(move || {
        let mut restless_since = None;
        loop {
            watch.wait(restless_since.is_some());
            // What changes all the time has to be looked at some time.
            let may_leave = restless_since.is_none_or(|since: Instant| since.elapsed() < LONGEST);
            match catch_unwind(AssertUnwindSafe(|| reload(&live, &notifier, may_leave))) {
                Ok(Ok(true)) => restless_since = restless_since.or_else(|| Some(Instant::now())),
                Ok(Ok(false)) => restless_since = None,
                Ok(Err(error)) => return log::debug!("the kernel is not told of changes: {error}"),
                // What it said is in the log. The next change may fare better.
                Err(_) => restless_since = None,
            }
        }
    })?;
    Ok(())
}

/// How long a database may change until it is opened all the same.
const LONGEST: Duration = Duration::from_secs(30);

/// Opens what is new, serves it, and tells the kernel. Nobody waits meanwhile. True where something was left as it
/// was because it is still changing.
fn reload(live: &Live, notifier: &Notifier, may_leave: bool) -> io::Result<bool> {
    let rest = if may_leave { QUIET } else { Duration::ZERO };
    let library = live.current().library().reopen(&live.open_databases(), rest);
    let is_restless = library.is_restless();
    let outdated = live.replace(library);
    if !outdated.is_empty() {
        log::info!(
            "the source has changed: {} databases",
            live.statistics().databases
        );
        fuse::invalidate(notifier, &outdated)?;
    }
    Ok(is_restless)
}
