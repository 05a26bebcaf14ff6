//! Following a source that changes while it is mounted.

use std::io;
use std::sync::Arc;
use std::thread;

use fuser::Notifier;

use crate::fs::Live;
use crate::fuse;
use crate::watch::{Means, Watch};

/// From now on, changes of the source show in the mount.
///
/// # Errors
/// Where no thread can be started, or no descriptor is left.
pub(super) fn follow(live: &Arc<Live>, notifier: Notifier, means: Means) -> io::Result<()> {
    if means == Means::Off {
        return Ok(());
    }
    let mut watch = Watch::new(live.current().library().named(), means)?;
    let alarm = watch.alarm();
    live.on_error(move || alarm.raise());
    let live = Arc::clone(live);
    let thread = thread::Builder::new().name("reload".to_owned());
    thread.spawn(move || {
        // Something may have changed before anybody watched.
        while reload(&live, &notifier).is_ok() {
            watch.wait();
        }
    })?;
    Ok(())
}

/// Opens what is new, serves it, and tells the kernel. Nobody waits meanwhile.
fn reload(live: &Live, notifier: &Notifier) -> io::Result<()> {
    let library = live.current().library().reopen(&live.open_databases());
    let outdated = live.replace(library);
    if outdated.is_empty() {
        return Ok(());
    }
    log::info!(
        "the source has changed: {} databases",
        live.statistics().databases
    );
    fuse::invalidate(notifier, &outdated)
        .inspect_err(|error| log::debug!("the kernel is not told of changes: {error}"))
}
