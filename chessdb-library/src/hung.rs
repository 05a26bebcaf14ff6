//! File systems that may not answer, such as network file systems and FUSE. System calls on them run on
//! separate threads, and callers wait for at most a few seconds.
//!
//! A thread that hangs in a system call cannot be ended. Each file system has one thread. While it hangs, all
//! further calls on this file system fail at once.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use crate::mounts::{Mount, Mounts};

/// Time without any sign of life after which a file system is considered not to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// A thread without work ends after this time.
const IDLE: Duration = Duration::from_secs(60);

/// Maximum number of symbolic links in a path, as in the kernel.
const MOST_LINKS: usize = 40;

/// A file system that does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hung {
    /// Path of its mount point.
    pub point: PathBuf,
}

impl fmt::Display for Hung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let point = self.point.display();
        write!(
            f,
            "the file system at {point} does not answer; it is checked again when it does"
        )
    }
}

/// Reports progress of a call that makes many system calls.
#[derive(Clone, Default)]
pub struct Pulse(Option<Arc<Worker>>);

impl Pulse {
    /// Reports that a system call has returned.
    pub fn beat(&self) {
        if let Some(worker) = &self.0 {
            worker.state().beats += 1;
        }
    }
}

/// Runs `call`, which makes system calls on a file system: on the thread of `mount`, or on this thread if it
/// is `None`, which means a local file system.
///
/// # Errors
/// If there was neither a result nor a sign of life for a few seconds. The call continues, and its result is
/// dropped.
pub fn ask<T: Send + 'static>(
    mount: Option<&Mount>,
    call: impl FnOnce(&Pulse) -> T + Send + 'static,
) -> Result<T, Hung> {
    let Some(mount) = mount else {
        return Ok(call(&Pulse::default()));
    };
    let hung = || Hung {
        point: mount.path.clone(),
    };
    let (reply, answer) = sync_channel(1);
    let worker = Worker::take(mount, move |pulse| {
        // Nothing is sent if the caller no longer waits.
        let _ = reply.send(call(pulse));
    });
    let worker = worker.ok_or_else(hung)?;
    let mut beats = worker.state().beats;
    loop {
        match answer.recv_timeout(PATIENCE) {
            Ok(answer) => return Ok(answer),
            // The call panicked; the message is in the log.
            Err(RecvTimeoutError::Disconnected) => return Err(hung()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let mut state = worker.state();
        if state.beats != beats {
            beats = state.beats;
        } else if state.calls > 0 {
            if !state.is_hung {
                log::info!("{}", hung());
            }
            state.is_hung = true;
            return Err(hung());
        }
    }
}

/// Sets a function that each new thread calls first. If it fails, the thread does nothing. Only the first
/// function set is called.
pub fn prepare(call: fn() -> io::Result<()>) {
    let _ = PREPARE.set(call);
}

/// Adds a function that is called whenever a file system answers again.
pub fn on_answer(call: impl Fn() + Send + Sync + 'static) {
    LISTENERS.lock().push(Box::new(call));
}

/// The absolute path of a file without symbolic links, as returned by [`fs::canonicalize`].
///
/// # Errors
/// The outer result is an error if a file system on the path does not answer, the inner one has the errors of
/// [`fs::canonicalize`].
pub fn real_path(mounts: &Mounts, path: &Path) -> Result<io::Result<PathBuf>, Hung> {
    let mut here = PathBuf::from("/");
    // The names that remain to be followed, the next one last.
    let mut rest = names(path);
    let mut links = 0;
    while let Some(name) = rest.pop() {
        if name == ".." {
            here.pop();
            continue;
        }
        here.push(name);
        let link = here.clone();
        match ask(mounts.of_others(&here), move |_| fs::read_link(link))? {
            Ok(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return Ok(Err(io::Error::from_raw_os_error(libc::ELOOP)));
                }
                here.pop();
                if target.is_absolute() {
                    here = PathBuf::from("/");
                }
                rest.extend(names(&target));
            }
            // The path is not a link.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {}
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(here))
}

/// The names of a path in reverse order.
fn names(path: &Path) -> Vec<std::ffi::OsString> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    names.rev().collect()
}

type Call = Box<dyn FnOnce(&Pulse) + Send>;

/// The thread of a file system.
struct Worker {
    state: Mutex<State>,
    calls: Sender<Call>,
}

#[derive(Default)]
struct State {
    /// Calls that have not returned.
    calls: usize,
    beats: u64,
    is_hung: bool,
}

/// Identifies a file system, because device numbers are reused.
type Key = (u64, PathBuf);

/// The threads of all file systems.
static WORKERS: Mutex<Option<HashMap<Key, Arc<Worker>>>> = Mutex::new(None);

static PREPARE: OnceLock<fn() -> io::Result<()>> = OnceLock::new();

static LISTENERS: Mutex<Vec<Box<dyn Fn() + Send + Sync>>> = Mutex::new(Vec::new());

impl Worker {
    /// Passes a call to the thread of a mount; `None` if that thread hangs or cannot be started.
    fn take(mount: &Mount, call: impl FnOnce(&Pulse) + Send + 'static) -> Option<Arc<Worker>> {
        let key = (mount.device.0, mount.path.clone());
        // Locked so that no thread ends between being found and receiving the call.
        let mut workers = WORKERS.lock();
        let workers = workers.get_or_insert_default();
        let worker = match workers.get(&key) {
            Some(worker) => Arc::clone(worker),
            None => {
                let worker = Worker::start(key.clone())
                    .inspect_err(|error| log::error!("no thread for {}: {error}", key.1.display()))
                    .ok()?;
                workers.insert(key, Arc::clone(&worker));
                worker
            }
        };
        let mut state = worker.state();
        if state.is_hung {
            return None;
        }
        state.calls += 1;
        drop(state);
        worker.calls.send(Box::new(call)).ok()?;
        Some(worker)
    }

    fn start(key: Key) -> io::Result<Arc<Worker>> {
        let (sender, calls) = channel();
        let worker = Arc::new(Worker {
            state: Mutex::default(),
            calls: sender,
        });
        let here = Arc::clone(&worker);
        let thread = thread::Builder::new().name("pgnfs-others".to_owned());
        thread.spawn(move || match PREPARE.get().map_or(Ok(()), |prepare| prepare()) {
            Ok(()) => here.work(&key, &calls),
            Err(error) => log::error!("{} cannot be accessed safely: {error}", key.1.display()),
        })?;
        Ok(worker)
    }

    fn work(self: &Arc<Worker>, key: &Key, calls: &Receiver<Call>) {
        let pulse = Pulse(Some(Arc::clone(self)));
        loop {
            match calls.recv_timeout(IDLE) {
                Ok(call) => {
                    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call(&pulse)));
                    self.come_back();
                }
                Err(_) => {
                    let mut workers = WORKERS.lock();
                    if self.state().calls == 0 {
                        workers.get_or_insert_default().remove(key);
                        return;
                    }
                }
            }
        }
    }

    fn come_back(&self) {
        let mut state = self.state();
        state.calls -= 1;
        state.beats += 1;
        let was_hung = std::mem::take(&mut state.is_hung);
        drop(state);
        if was_hung {
            LISTENERS.lock().iter().for_each(|call| call());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mounts::Device;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn mount(path: &str) -> Mount {
        Mount {
            id: 0,
            device: Device(1),
            path: path.into(),
            kind: "nfs4".to_owned(),
            source: "server:/".into(),
            user: None,
        }
    }

    #[test]
    fn a_call_that_hangs_is_not_waited_for_and_others_fail_at_once() {
        let (hanging, healthy) = (mount("/hanging"), mount("/healthy"));
        let (release, released) = channel::<()>();
        let answered = Arc::new(AtomicBool::new(false));
        let listener = Arc::clone(&answered);
        on_answer(move || listener.store(true, Ordering::Release));
        let hung = Err(Hung {
            point: "/hanging".into(),
        });
        assert_eq!(ask(Some(&hanging), move |_| released.recv()), hung);
        // If these did not fail at once, they would wait for the first call.
        for _ in 0..1000 {
            assert_eq!(ask(Some(&hanging), |_| Ok(())), hung);
        }
        assert_eq!(ask(Some(&healthy), |_| 7), Ok(7));
        assert_eq!(ask(None, |_| 8), Ok(8));
        release.send(()).unwrap();
        while !answered.load(Ordering::Acquire) {
            thread::yield_now();
        }
        assert_eq!(ask(Some(&hanging), |_| 9), Ok(9));
    }

    #[test]
    fn a_call_that_gives_signs_of_life_is_waited_for() {
        let slow = mount("/slow");
        let call = |pulse: &Pulse| {
            for _ in 0..8 {
                thread::sleep(PATIENCE / 4);
                pulse.beat();
            }
        };
        assert_eq!(ask(Some(&slow), call), Ok(()));
    }

    #[test]
    fn a_call_that_panics_hangs_nothing() {
        let odd = mount("/odd");
        assert!(ask(Some(&odd), |_| panic!("as expected")).is_err());
        assert_eq!(ask(Some(&odd), |_| 1), Ok(1));
    }

    #[test]
    fn real_paths_are_those_of_the_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/file"), "").unwrap();
        symlink("a/b", at("near")).unwrap();
        symlink(at("near/.."), at("back")).unwrap();
        symlink("loop", at("loop")).unwrap();
        symlink("nowhere", at("lost")).unwrap();
        let mounts = Mounts::read().unwrap();
        for path in [
            "a",
            "near",
            "back",
            "back/file",
            "near/../file",
            "loop",
            "lost",
            "a/file/x",
            "x",
        ] {
            let (ours, theirs) = (real_path(&mounts, &at(path)).unwrap(), fs::canonicalize(at(path)));
            let error =
                |result: &io::Result<PathBuf>| result.as_ref().err().and_then(io::Error::raw_os_error);
            assert_eq!(ours.as_ref().ok(), theirs.as_ref().ok(), "{path}");
            assert_eq!(error(&ours), error(&theirs), "{path}");
        }
    }
}
