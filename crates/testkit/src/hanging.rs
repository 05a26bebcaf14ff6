//! A file system that shows a folder and can be made slow, not to answer, to fail, or to report wrong sizes.
//!
//! A request that is not answered waits without occupying a thread, until [`Hanging::recover`] or the end,
//! but for a minute at most, so that a failing test does not hang for ever.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirEntryExt, FileExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry,
    ReplyOpen, Request,
};

/// How long a request may hang.
const LONGEST: Duration = Duration::from_secs(60);

/// An operation that can be made to hang or fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Looking up a name. The kernel caches no entries, so every component of a path needs a request.
    LookUp,
    /// Reading attributes, also of an open file.
    Attributes,
    Open,
    /// Reading data that is not in the page cache, also through a memory map.
    Read,
    List,
    /// Closing a file.
    Flush,
}

impl Operation {
    pub const ALL: [Operation; 6] = [
        Operation::LookUp,
        Operation::Attributes,
        Operation::Open,
        Operation::Read,
        Operation::List,
        Operation::Flush,
    ];
}

/// The file system, mounted until this is dropped. Dropping it ends all hanging.
pub struct Hanging {
    point: PathBuf,
    shared: Arc<Shared>,
    session: BackgroundSession,
}

impl Hanging {
    /// Shows `folder` at `point`, an empty folder, to the current user.
    pub fn mount(folder: &Path, point: &Path) -> Hanging {
        Hanging::mount_slow(folder, point, Duration::ZERO)
    }

    /// Like [`Hanging::mount`]; each request takes at least `delay`, however many there are at once. With a delay the
    /// kernel caches entries and attributes.
    pub fn mount_slow(folder: &Path, point: &Path, delay: Duration) -> Hanging {
        let shared = Arc::new(Shared {
            delay,
            ..Shared::default()
        });
        shared.state().paths.insert(INodeNo::ROOT.0, folder.to_owned());
        let mut config = Config::default();
        config.mount_options = vec![MountOption::RO, MountOption::FSName("hanging".to_owned())];
        let session = fuser::spawn_mount(Folder(Arc::clone(&shared)), point, &config).unwrap();
        Hanging {
            point: point.to_owned(),
            shared,
            session,
        }
    }

    /// From now on requests for these operations, and no others, are not answered. If reading is one of them,
    /// the page cache is dropped.
    pub fn hang(&self, operations: &[Operation]) {
        if operations.contains(&Operation::Read) {
            self.forget_contents();
        }
        let time = {
            let mut state = self.shared.state();
            state.hanging = operations.to_vec();
            state.times += 1;
            state.times
        };
        let shared = Arc::downgrade(&self.shared);
        thread::spawn(move || {
            thread::sleep(LONGEST);
            // It may have recovered, and hang again.
            if let Some(shared) = shared.upgrade().filter(|shared| shared.state().times == time) {
                shared.recover();
            }
        });
    }

    /// From now on requests for these operations, and no others, fail with EIO.
    pub fn fail(&self, operations: &[Operation]) {
        self.shared.state().failing = operations.to_vec();
    }

    /// From now on every file reports this size; `None` restores the real sizes.
    pub fn pretend_size(&self, size: Option<u64>) {
        self.shared.state().size = size;
    }

    /// Answers all waiting and all later requests correctly.
    pub fn recover(&self) {
        self.shared.recover();
    }

    /// Number of waiting requests for an operation.
    pub fn waiting(&self, operation: Operation) -> usize {
        let state = self.shared.state();
        state.waiting.iter().filter(|(its, _)| *its == operation).count()
    }

    /// Number of requests so far.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// Number of bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }

    /// Drops the page cache of all files. Must be called while nothing hangs.
    pub fn forget_contents(&self) {
        let inodes: Vec<u64> = self.shared.state().paths.keys().copied().collect();
        for inode in inodes {
            // The kernel may have dropped the inode already.
            let _ = self.session.notifier().inval_inode(INodeNo(inode), 0, 0);
        }
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        self.recover();
        // A process may still have files open.
        if rustix::mount::unmount(&self.point, rustix::mount::UnmountFlags::DETACH).is_err() {
            let _ = Command::new("fusermount3").arg("-uz").arg(&self.point).output();
        }
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    requests: AtomicU64,
    bytes: AtomicU64,
    delay: Duration,
}

#[derive(Default)]
struct State {
    hanging: Vec<Operation>,
    /// Number of calls of [`Hanging::hang`].
    times: u64,
    failing: Vec<Operation>,
    size: Option<u64>,
    waiting: Vec<(Operation, Box<dyn FnOnce() + Send>)>,
    paths: HashMap<u64, PathBuf>,
    open: HashMap<u64, Arc<File>>,
    opened: u64,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recover(&self) {
        let waiting = {
            let mut state = self.state();
            state.hanging.clear();
            state.failing.clear();
            state.size = None;
            std::mem::take(&mut state.waiting)
        };
        for (_, answer) in waiting {
            answer();
        }
    }

    /// For how long the kernel may cache entries and attributes.
    fn time_to_live(&self) -> Duration {
        if self.delay.is_zero() {
            Duration::ZERO
        } else {
            LONGEST
        }
    }

    fn path(&self, inode: INodeNo) -> Result<PathBuf, Errno> {
        self.state().paths.get(&inode.0).cloned().ok_or(Errno::ESTALE)
    }

    fn attributes(&self, path: &Path, is_root: bool) -> Result<FileAttr, Errno> {
        let meta = fs::symlink_metadata(path).map_err(errno)?;
        let mut attributes = attributes(&meta);
        let mut state = self.state();
        if is_root {
            attributes.ino = INodeNo::ROOT;
        } else {
            drop(state.paths.insert(meta.ino(), path.to_owned()));
        }
        if let Some(size) = state.size.filter(|_| meta.is_file()) {
            attributes.size = size;
        }
        Ok(attributes)
    }
}

/// The implementation of fuser's trait.
struct Folder(Arc<Shared>);

impl Folder {
    /// Answers now, or when the file system recovers. `answer` receives the error if the request must fail.
    fn serve(&self, operation: Operation, answer: impl FnOnce(&Shared, Result<(), Errno>) + Send + 'static) {
        self.0.requests.fetch_add(1, Ordering::Relaxed);
        let mut state = self.0.state();
        if state.hanging.contains(&operation) {
            let shared = Arc::clone(&self.0);
            let answer = Box::new(move || answer(&shared, Ok(())));
            return state.waiting.push((operation, answer));
        }
        let is_failing = state.failing.contains(&operation);
        drop(state);
        let permitted = if is_failing { Err(Errno::EIO) } else { Ok(()) };
        if self.0.delay.is_zero() {
            return answer(&self.0, permitted);
        }
        let shared = Arc::clone(&self.0);
        thread::spawn(move || {
            thread::sleep(shared.delay);
            answer(&shared, permitted);
        });
    }
}

impl Filesystem for Folder {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let name = name.to_owned();
        self.serve(Operation::LookUp, move |shared, permitted| {
            let found = permitted
                .and_then(|()| shared.path(parent))
                .and_then(|folder| shared.attributes(&folder.join(name), false));
            match found {
                Ok(attributes) => reply.entry(&shared.time_to_live(), &attributes, Generation(0)),
                Err(error) => reply.error(error),
            }
        });
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        self.serve(Operation::Attributes, move |shared, permitted| {
            let found = permitted
                .and_then(|()| shared.path(inode))
                .and_then(|path| shared.attributes(&path, inode == INodeNo::ROOT));
            match found {
                Ok(attributes) => reply.attr(&shared.time_to_live(), &attributes),
                Err(error) => reply.error(error),
            }
        });
    }

    fn readlink(&self, _: &Request, inode: INodeNo, reply: ReplyData) {
        let target = self
            .0
            .path(inode)
            .and_then(|path| fs::read_link(path).map_err(errno));
        match target {
            Ok(target) => reply.data(target.as_os_str().as_bytes()),
            Err(error) => reply.error(error),
        }
    }

    fn open(&self, _: &Request, inode: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        self.serve(Operation::Open, move |shared, permitted| {
            let opened = permitted
                .and_then(|()| shared.path(inode))
                .and_then(|path| File::open(path).map_err(errno));
            match opened {
                Ok(file) => {
                    let mut state = shared.state();
                    state.opened += 1;
                    let handle = state.opened;
                    state.open.insert(handle, Arc::new(file));
                    drop(state);
                    reply.opened(FileHandle(handle), FopenFlags::empty());
                }
                Err(error) => reply.error(error),
            }
        });
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        self.serve(Operation::Read, move |shared, permitted| {
            let file = shared.state().open.get(&handle.0).cloned();
            let mut bytes = vec![0; size as usize];
            let read = permitted
                .and_then(|()| file.ok_or(Errno::EBADF))
                .and_then(|file| file.read_at(&mut bytes, offset).map_err(errno));
            match read {
                Ok(len) => {
                    shared.bytes.fetch_add(len as u64, Ordering::Relaxed);
                    reply.data(&bytes[..len]);
                }
                Err(error) => reply.error(error),
            }
        });
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        self.serve(Operation::Flush, move |_, permitted| match permitted {
            Ok(()) => reply.ok(),
            Err(error) => reply.error(error),
        });
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.0.state().open.remove(&handle.0);
        reply.ok();
    }

    fn readdir(&self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        self.serve(Operation::List, move |shared, permitted| {
            let listed = permitted
                .and_then(|()| shared.path(inode))
                .and_then(|folder| entries(&folder).map_err(errno));
            let entries = match listed {
                Ok(entries) => entries,
                Err(error) => return reply.error(error),
            };
            for (next, (inode, kind, name)) in (1..).zip(entries).skip(offset as usize) {
                if reply.add(INodeNo(inode), next, kind, name) {
                    break;
                }
            }
            reply.ok();
        });
    }
}

/// Inode, type and name of the entries of a folder, sorted by name.
fn entries(folder: &Path) -> io::Result<Vec<(u64, FileType, std::ffi::OsString)>> {
    let mut entries = fs::read_dir(folder)?
        .map(|entry| {
            let entry = entry?;
            Ok((entry.ino(), file_type(entry.file_type()?), entry.file_name()))
        })
        .collect::<io::Result<Vec<_>>>()?;
    entries.sort_by(|a, b| a.2.cmp(&b.2));
    let dots = [".", ".."].map(|name| (1, FileType::Directory, name.into()));
    entries.splice(0..0, dots);
    Ok(entries)
}

fn attributes(meta: &Metadata) -> FileAttr {
    let changed = Duration::new(meta.ctime().unsigned_abs(), meta.ctime_nsec() as u32);
    FileAttr {
        ino: INodeNo(meta.ino()),
        size: meta.size(),
        blocks: meta.blocks(),
        atime: meta.accessed().unwrap(),
        mtime: meta.modified().unwrap(),
        ctime: SystemTime::UNIX_EPOCH + changed,
        crtime: SystemTime::UNIX_EPOCH,
        kind: file_type(meta.file_type()),
        perm: (meta.permissions().mode() & 0o7777) as u16,
        nlink: meta.nlink() as u32,
        uid: meta.uid(),
        gid: meta.gid(),
        rdev: meta.rdev() as u32,
        blksize: 4096,
        flags: 0,
    }
}

fn file_type(kind: fs::FileType) -> FileType {
    match () {
        () if kind.is_dir() => FileType::Directory,
        () if kind.is_symlink() => FileType::Symlink,
        () if kind.is_fifo() => FileType::NamedPipe,
        () => FileType::RegularFile,
    }
}

fn errno(error: io::Error) -> Errno {
    Errno::from_i32(error.raw_os_error().unwrap_or(libc::EIO))
}
