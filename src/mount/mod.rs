//! Mounting: the mount itself, the session that serves it, its end, and the daemon process.
//!
//! [`MountPoint::check`] is called before the databases are opened. [`serve`] is called after that, because the mount
//! may hide them.

mod background;
mod device;
mod ended;
mod error;
mod guardian;
mod held;
mod point;
mod privileges;
mod readahead;
mod signals;

use std::fs::metadata;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::Instant;

use fuser::{Session, SessionACL};
use signal_hook::iterator::Signals;

use crate::fuse::{self, Fuse};
use crate::status::{self, Mounted, Socket};
use chessdb_library::turns::{LOWEST, lower_priority};
use ended::MountIdentity;
use pgnfs_server::Server;
use pgnfs_server::{Outdated, PassOptions};

pub use background::{is_background, is_detached, report_failure, start_in_background};
pub use device::MountOptions;
pub use error::{MountError, in_shell};
pub use guardian::{COMMAND as GUARDIAN, guard};
pub use point::{MountPoint, check_alive, find, showing, unmount};
pub use privileges::give_up_to_read;
pub use signals::{ending_signals, ignore_others, survive_long_files};

/// Mounts, starts the server, and answers requests until the mount is unmounted by a signal, by `unmount`, or by
/// another program. Calls `ready` when the files are available.
///
/// # Errors
/// If it cannot be mounted, or the connection to the kernel breaks.
pub fn serve(
    mut server: Server,
    point: MountPoint,
    options: &MountOptions,
    ready: impl FnOnce(),
) -> Result<(), MountError> {
    let signals = Signals::new(signals::UNMOUNTING).map_err(MountError::system("cannot catch signals"))?;
    // From here on, the guardian unmounts if the daemon is killed.
    let mut guardian =
        guardian::start(point.path()).map_err(MountError::system("cannot start the guardian"))?;
    let (kernel, mount) = device::mount(&point, options)?;
    let (own, device) = (MountIdentity::of(&mount), mount.device);
    guardian.watch(own);
    let path = point.path().to_owned();
    // The open folder would keep the file system below the mount busy.
    drop(point);
    // New threads inherit the privileges of the thread that starts them.
    privileges::give_up()?;
    let requests = server.requests().clone();
    let again = kernel.try_clone();
    let fuse = again.map(|again| Fuse::new(requests.clone(), options.presentation, again));
    let fuse = fuse.map_err(MountError::system("cannot talk to the kernel"))?;
    let session = session(fuse, kernel, options).map_err(MountError::system("cannot talk to the kernel"))?;
    let notifier = session.notifier();
    let serving = thread::Builder::new()
        .name("session".to_owned())
        .spawn(move || session.run())
        .map_err(MountError::system("cannot start a thread"))?;
    // The mount answers from here on. This process must not access it: if it were killed during a request to
    // itself, the kernel would wait for the reply before closing the connection, and the mount would remain
    // for ever.
    readahead::extend(device);
    let mounted = Mounted {
        point: path.clone(),
        source: options.source.clone(),
        device: device.0,
        since: Instant::now(),
        is_watched: server.is_watched(),
    };
    let served = requests.clone();
    let socket = status::serve(mounted, move || served.status())
        .inspect_err(|error| log::warn!("pgnfs status will not work: no folder for its socket: {error}"))
        .ok();
    let unmounting = {
        let socket = socket.clone();
        move || unmount_on_signals(signals, &path, own, socket.as_ref())
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(unmounting)
        .map_err(MountError::system("cannot start a thread"))?;
    // While files are open, the session continues after the mount was unmounted.
    let unmounted = move || match ended::wait(device) {
        Ok(()) => requests.end_work(),
        Err(error) => {
            log::debug!("cannot watch for the unmount, so work goes on while files are open: {error}")
        }
    };
    thread::Builder::new()
        .name("unmounted".to_owned())
        .spawn(unmounted)
        .map_err(MountError::system("cannot start a thread"))?;
    let pass = PassOptions {
        threads: options.decoders,
        lower_priority: || lower_priority(LOWEST),
    };
    let outdated = move |outdated: &[Outdated]| {
        // Fails when the mount is being ended.
        let _ = fuse::invalidate(&notifier, outdated)
            .inspect_err(|error| log::debug!("the kernel cannot be notified of changes: {error}"));
    };
    let started = server.start(pass, outdated);
    started.map_err(MountError::system("cannot watch the source"))?;
    ready();
    background::report_ready().map_err(MountError::system("cannot go to the background"))?;
    let ended = serving.join();
    if ended::is_over(&mount) {
        guardian.dismiss();
    }
    if let Some(socket) = socket {
        socket.remove();
    }
    drop(server);
    match ended {
        Ok(ended) => ended.map_err(MountError::system("the connection to the kernel broke")),
        Err(_) => Err(MountError::Panicked),
    }
}

fn session(fuse: Fuse, kernel: OwnedFd, options: &MountOptions) -> io::Result<Session<Fuse>> {
    let mut config = fuser::Config::default();
    config.n_threads = Some(options.threads);
    // The kernel checks access: it applies `allow_other`. fuser could not, because some requests carry no user.
    Session::from_fd(fuse, kernel, SessionACL::All, config)
}

/// Unmounts on the first signal; the session then ends when the last open file is closed. A second signal
/// ends the process without waiting.
fn unmount_on_signals(mut signals: Signals, point: &Path, own: MountIdentity, socket: Option<&Socket>) {
    let mut unmounted = false;
    for _ in signals.forever() {
        if unmounted {
            std::process::exit(0);
        }
        log::info!("unmounting {}", point.display());
        match ended::detach(own) {
            Ok(()) => {
                unmounted = true;
                socket.inspect(|socket| socket.remove());
            }
            Err(error) => log::error!("{error}"),
        }
    }
}

/// The effective user id.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// True if the file belongs to the effective user.
pub fn is_own(path: &Path) -> bool {
    metadata(path).is_ok_and(|meta| meta.uid() == user())
}

/// The effective group id.
pub fn group() -> u32 {
    rustix::process::getegid().as_raw()
}
