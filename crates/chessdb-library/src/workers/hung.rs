//! File systems that may not answer, such as network file systems and FUSE. System calls on them run on
//! separate threads, and callers wait for at most a few seconds.
//!
//! A thread that hangs in a system call cannot be ended. Each file system has one thread. While it hangs, all
//! further calls on this file system fail at once.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use log::Level;

use super::{FileSystemKey, Patience, Prepare, Silence, WorkerOptions, Workers};
use crate::links::NamesLeft;
use crate::mounts::{Mount, Mounts};
use crate::task;

/// Time without progress after which a file system is considered not to answer.
const TIMEOUT: Duration = Duration::from_secs(3);

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

/// Runs `call`, which makes system calls on a file system: on the thread of `mount`, or on this thread if it
/// is `None`, which means a local file system. A call that takes long reports [progress](crate::task::report_progress).
///
/// # Errors
/// If there was neither a result nor progress for a few seconds. The call continues, and its result is
/// dropped.
pub fn ask<T: Send + 'static>(
    mount: Option<&Mount>,
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Hung> {
    match mount {
        Some(mount) => ask_with(&workers_of(mount), mount, call),
        None => Ok(call()),
    }
}

fn ask_with<T: Send + 'static>(
    workers: &Workers,
    mount: &Mount,
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Hung> {
    // There is room for one answer: the result, or that the call was given up.
    let (reply, answer) = sync_channel(1);
    let given_up = reply.clone();
    let job = move || {
        let is_late = reply.try_send(Some(call())).is_err();
        task::report_progress();
        if is_late {
            let listeners: Vec<Listener> = LISTENERS.lock().iter().filter_map(Weak::upgrade).collect();
            // Called without the lock, because a listener may take long, or add another listener.
            listeners.iter().for_each(|listener| listener());
        }
    };
    let give_up = move || drop(given_up.try_send(None));
    workers.submit(workers.0.time.now(), job, give_up);
    // The channel is closed without an answer if the call panicked; the message is in the log.
    answer.recv().ok().flatten().ok_or_else(|| Hung {
        point: mount.path.clone(),
    })
}

/// Sets a function that each new thread calls first. If it fails, the thread does nothing. Only the first
/// function set is called.
pub fn prepare(call: Prepare) {
    let _ = PREPARE.set(call);
}

/// A function that is called whenever a file system answers again, until this is dropped.
pub type Listener = Arc<AnswerCall>;

type AnswerCall = dyn Fn() + Send + Sync;

/// Has a function called whenever a file system answers again.
pub fn on_answer(call: impl Fn() + Send + Sync + 'static) -> Listener {
    let call: Listener = Arc::new(call);
    let mut listeners = LISTENERS.lock();
    listeners.retain(|other| other.strong_count() > 0);
    listeners.push(Arc::downgrade(&call));
    call
}

/// The absolute path of a file without symbolic links, as returned by [`fs::canonicalize`].
///
/// # Errors
/// The outer result is an error if a file system on the path does not answer, the inner one has the errors of
/// [`fs::canonicalize`].
pub fn real_path(mounts: &Mounts, path: &Path) -> Result<io::Result<PathBuf>, Hung> {
    let mut here = PathBuf::from("/");
    let mut rest = NamesLeft::of(names(path));
    // Not `fs::canonicalize`: each name may be on another file system, whose own thread must resolve it.
    while let Some(name) = rest.next() {
        if name == ".." {
            here.pop();
            continue;
        }
        here.push(name);
        let link = here.clone();
        match ask(mounts.not_local(&here), move || fs::read_link(link))? {
            Ok(target) => {
                here.pop();
                if target.is_absolute() {
                    here = PathBuf::from("/");
                }
                if !rest.follow(names(&target)) {
                    return Ok(Err(io::Error::from_raw_os_error(libc::ELOOP)));
                }
            }
            // The path is not a link.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {}
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(here))
}

/// The names of a path, without its root.
pub fn names(path: &Path) -> Vec<std::ffi::OsString> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    names.collect()
}

/// What identifies the file system of a mount.
pub fn key_of(mount: &Mount) -> FileSystemKey {
    (mount.device.0, mount.path.clone())
}

/// The thread of each file system.
static WORKERS: Mutex<BTreeMap<FileSystemKey, Arc<Workers>>> = Mutex::new(BTreeMap::new());

static PREPARE: OnceLock<Prepare> = OnceLock::new();

static LISTENERS: Mutex<Vec<Weak<AnswerCall>>> = Mutex::new(Vec::new());

fn workers_of(mount: &Mount) -> Arc<Workers> {
    let key = key_of(mount);
    let mut all = WORKERS.lock();
    if let Some(workers) = all.get(&key) {
        return Arc::clone(workers);
    }
    // Nothing else removes file systems that were unmounted.
    all.retain(|_, workers| workers.oldest().is_some());
    let workers = Workers::new(options(mount));
    Arc::clone(all.entry(key).or_insert(Arc::new(workers)))
}

/// One thread for a file system.
fn options(mount: &Mount) -> WorkerOptions {
    let name = format!("the file system at {}", mount.path.display());
    WorkerOptions {
        name: "others",
        timeout: Some(TIMEOUT),
        patience: Patience::Own,
        silence: Some(Arc::new(Silence::new(name, Level::Info, None))),
        refuse: true,
        prepare: PREPARE.get().copied(),
        ..WorkerOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::Clock;
    use super::super::tests::next;
    use super::*;
    use crate::mounts::Device;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;

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

    /// The workers of a file system, with a clock that stands still.
    fn stopped(mount: &Mount) -> Arc<Workers> {
        Arc::new(Workers::with_clock(options(mount), Clock::stopped()))
    }

    /// Asks in another thread.
    fn asked<T: Send + 'static>(
        workers: &Arc<Workers>,
        mount: &Mount,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Receiver<Result<T, Hung>> {
        let (reply, answer) = channel();
        let (workers, mount) = (Arc::clone(workers), mount.clone());
        thread::spawn(move || reply.send(ask_with(&workers, &mount, call)));
        answer
    }

    #[test]
    fn each_file_system_has_workers_of_its_own() {
        let [one, other] = ["/one", "/other"].map(mount);
        assert!(Arc::ptr_eq(&workers_of(&one), &workers_of(&one)));
        assert!(!Arc::ptr_eq(&workers_of(&one), &workers_of(&other)));
        assert_eq!(ask(None, || 8), Ok(8));
    }

    #[test]
    fn a_call_that_hangs_is_not_waited_for_and_others_fail_at_once() {
        let mount = mount("/hanging");
        let workers = stopped(&mount);
        let (release, released) = channel::<()>();
        let answered = Arc::new(AtomicBool::new(false));
        let listener = Arc::clone(&answered);
        let _listener = on_answer(move || listener.store(true, Ordering::Release));
        let hung = Hung {
            point: "/hanging".into(),
        };
        let hanging = asked(&workers, &mount, move || released.recv());
        workers.wait_until_running(1);
        assert!(hanging.try_recv().is_err());
        workers.move_on(TIMEOUT);
        assert_eq!(next(&hanging), Err(hung.clone()));
        // If these did not fail at once, they would wait for the first call.
        for _ in 0..100 {
            assert_eq!(next(&asked(&workers, &mount, || 7)), Err(hung.clone()));
        }
        workers.move_on(TIMEOUT);
        release.send(()).unwrap();
        workers.wait_until_running(0);
        assert!(answered.load(Ordering::Acquire));
        assert_eq!(next(&asked(&workers, &mount, || 7)), Ok(7));
    }

    #[test]
    fn a_call_that_gives_signs_of_life_is_waited_for() {
        let mount = mount("/slow");
        let workers = stopped(&mount);
        let clock = Arc::clone(&workers);
        let call = move || {
            for _ in 0..4 {
                clock.move_on(TIMEOUT * 2 / 3);
                task::report_progress();
            }
        };
        assert_eq!(next(&asked(&workers, &mount, call)), Ok(()));
    }

    #[test]
    fn a_call_that_panics_hangs_nothing() {
        let odd = mount("/odd");
        let workers = stopped(&odd);
        assert!(next(&asked(&workers, &odd, || panic!("as expected"))).is_err());
        assert_eq!(next(&asked(&workers, &odd, || 7)), Ok(7));
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
