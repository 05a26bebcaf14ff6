//! Translates requests of the kernel into calls of [`Live`], and results into replies.
//!
//! The kernel should send as few requests as possible. What a reply says of an inode stays true, so the
//! kernel may cache entries (negative ones too), attributes and pages for good, and it need not send OPEN.
//! Requests that may need many games are answered in separate threads, so that the threads that read requests
//! never wait. Requests that access a source which may not answer are answered by the threads of that
//! database.

mod ahead;
mod answer;
mod attributes;
mod directory;
mod invalidate;
mod look_up;
mod trace;
mod waiting;
pub mod walk;

use std::ffi::OsStr;
use std::fmt::Arguments;
use std::io;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fuser::{
    AccessFlags, BsdFileFlags, Errno, FileHandle, Filesystem, FopenFlags, INodeNo, InitFlags, IoctlFlags,
    KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory,
    ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyIoctl, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite,
    ReplyXattr, Request, TimeOrNow, WriteFlags,
};

use crate::fs::{FsError, Inode, Kind, Live, Open};
use ahead::Ahead;
use answer::{Aside, Pending, Reply, answer};
use trace::{Answered, Traced};
use waiting::{RequestOrigin, WaitingRequests};
use walk::is_followed;

pub use attributes::Presentation;
pub use invalidate::invalidate;

/// Timeout of entries and attributes in the kernel's caches.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Maximum length of a name in bytes, as reported by `statfs`.
const NAME_MAX: u32 = 255;

/// Name of the request that reads a file.
const READ: &str = "READ";

/// Block size in bytes, as reported by `statfs`.
const BLOCK: u32 = 4096;

/// A [`Live`] as a file system of fuser.
pub struct Fuse {
    shared: Arc<Shared>,
    open_is_needless: bool,
    opendir_is_needless: bool,
}

impl Drop for Fuse {
    fn drop(&mut self) {
        self.shared.ahead.end();
        self.shared.waiting.end();
    }
}

/// What every thread that answers requests needs.
struct Shared {
    fs: Arc<Live>,
    presentation: Presentation,
    kernel: OwnedFd,
    ahead: Ahead,
    waiting: Arc<WaitingRequests>,
    aside: Aside,
}

impl Fuse {
    /// Serves `fs`. `kernel` is a duplicate of the descriptor from which the session reads requests.
    pub fn new(fs: Arc<Live>, presentation: Presentation, kernel: OwnedFd) -> Fuse {
        let shared = Arc::new(Shared {
            fs,
            presentation,
            kernel,
            ahead: Ahead::new(),
            waiting: Arc::default(),
            aside: Aside::default(),
        });
        ahead::start(&shared);
        shared.waiting.start();
        Fuse {
            shared,
            open_is_needless: false,
            opendir_is_needless: false,
        }
    }

    /// Ends the long work of the mount and what waits for it, for good.
    pub fn ending(&self) -> impl Fn() + Send + Sync + 'static {
        let (fs, waiting) = (Arc::clone(&self.shared.fs), Arc::clone(&self.shared.waiting));
        move || {
            fs.end_work();
            waiting.refuse_all();
        }
    }

    /// Begins to trace a request; `kind` is its name in the kernel.
    fn begin<R: Reply>(
        &self,
        request: &Request,
        kind: &str,
        inode: INodeNo,
        arguments: Arguments<'_>,
        reply: R,
    ) -> Pending<R> {
        let origin = RequestOrigin {
            thread: request.pid(),
            user: request.uid(),
            is_read: kind == READ,
        };
        let traced = Traced::begin(&self.shared.fs, kind, Inode(inode.0), arguments);
        Pending::new(origin, reply, traced)
    }

    /// Resolves an inode and answers a request for it in a suitable thread.
    fn answer<R, A>(&self, inode: INodeNo, reply: Pending<R>, how: A)
    where
        R: Reply,
        A: FnOnce(&Arc<Shared>, &Open<'_>, Pending<R>) + Send + 'static,
    {
        guarded(|| match self.shared.fs.resolve(Inode(inode.0)) {
            Ok(node) => answer(&self.shared, node, reply, how),
            Err(error) => reply.refuse(errno(error)),
        });
    }
}

/// Catches a panic, which would end the thread and with it the mount.
fn guarded(handler: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(handler)).is_err() {
        log::error!("a request failed and was answered with an input/output error");
    }
}

fn errno(error: FsError) -> Errno {
    Errno::from_i32(error.errno())
}

/// Requests that would change something, with the types of their arguments; all are refused with EROFS.
macro_rules! refused {
    ($($kind:literal $name:ident($($argument:ty),*) $reply:ty;)*) => {$(
        fn $name(&self, request: &Request, inode: INodeNo, $(_: $argument,)* reply: $reply) {
            self.begin(request, $kind, inode, format_args!(""), reply).refuse(Errno::EROFS);
        }
    )*};
}

impl Filesystem for Fuse {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        let offered = config.capabilities();
        self.open_is_needless = offered.contains(InitFlags::FUSE_NO_OPEN_SUPPORT);
        self.opendir_is_needless = offered.contains(InitFlags::FUSE_NO_OPENDIR_SUPPORT);
        let wanted = InitFlags::FUSE_EXPORT_SUPPORT
            | InitFlags::FUSE_DO_READDIRPLUS
            | InitFlags::FUSE_PARALLEL_DIROPS
            | InitFlags::FUSE_CACHE_SYMLINKS
            | InitFlags::FUSE_ASYNC_DIO;
        // Older kernels lack some of these flags, and none is essential.
        let _ = config.add_capabilities(wanted & offered);
        // When this many reads are pending, the kernel delays all others, and some of the pending ones may
        // hang.
        let _ = config.set_max_background(u16::MAX);
        Ok(())
    }

    fn lookup(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let reply = self.begin(request, "LOOKUP", parent, format_args!("{name:?}"), reply);
        let name = name.to_owned();
        self.answer(parent, reply, move |shared, directory, reply| {
            look_up::look_up(shared, directory, &name, reply);
        });
    }

    fn forget(&self, _: &Request, inode: INodeNo, times: u64) {
        let inode = Inode(inode.0);
        let traced = Traced::begin(&self.shared.fs, "FORGET", inode, format_args!("{times} times"));
        guarded(|| self.shared.fs.release(inode, times));
        traced.end(Answered::Done);
    }

    fn getattr(&self, request: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        let reply = self.begin(request, "GETATTR", inode, format_args!(""), reply);
        self.answer(inode, reply, |shared, node, reply| match node.attributes() {
            Ok(attributes) => {
                let shown = shared.presentation.of(&attributes);
                reply.answer(Answered::Size(attributes.size), |reply| {
                    reply.attr(&FOREVER, &shown)
                });
            }
            Err(error) => reply.refuse(errno(error)),
        });
    }

    fn readlink(&self, request: &Request, inode: INodeNo, reply: ReplyData) {
        let reply = self.begin(request, "READLINK", inode, format_args!(""), reply);
        self.answer(inode, reply, |_, node, reply| match node.target() {
            Ok(target) => reply.answer(Answered::Bytes(target.len()), |reply| {
                reply.data(target.as_bytes())
            }),
            Err(error) => reply.refuse(errno(error)),
        });
    }

    fn open(&self, request: &Request, inode: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let reply = self.begin(request, "OPEN", inode, format_args!(""), reply);
        if self.open_is_needless {
            // ENOSYS makes the kernel open files without sending OPEN from now on.
            return reply.refuse(Errno::ENOSYS);
        }
        let flags = FopenFlags::FOPEN_KEEP_CACHE | FopenFlags::FOPEN_NOFLUSH;
        reply.answer(Answered::Done, |reply| reply.opened(FileHandle(0), flags));
    }

    fn read(
        &self,
        request: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let reply = self.begin(
            request,
            READ,
            inode,
            format_args!("{size} bytes at {offset}"),
            reply,
        );
        guarded(|| {
            let file = match self.shared.fs.resolve(Inode(inode.0)) {
                Ok(file) => file,
                Err(error) => return reply.refuse(errno(error)),
            };
            let read = move |_: &Arc<Shared>, file: &Open<'_>, reply: Pending<ReplyData>| match file
                .read(offset, size)
            {
                Ok(chunk) => reply.answer(Answered::Bytes(chunk.len()), |reply| reply.data(&chunk)),
                Err(error) => reply.refuse(errno(error)),
            };
            let game = file.inode();
            if !game.is_game() || !is_followed(&file, offset) {
                return answer(&self.shared, file, reply, read);
            }
            let answer = Box::new(move |shared: &Arc<Shared>| answer(shared, file, reply, read));
            if let Some(answer) = self.shared.ahead.requested(&self.shared.fs, game, answer) {
                answer(&self.shared);
            }
        });
    }

    fn flush(&self, request: &Request, inode: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // ENOSYS makes the kernel stop sending FLUSH.
        self.begin(request, "FLUSH", inode, format_args!(""), reply)
            .refuse(Errno::ENOSYS);
    }

    fn fsync(&self, request: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let reply = self.begin(request, "FSYNC", inode, format_args!(""), reply);
        reply.answer(Answered::Done, ReplyEmpty::ok);
    }

    fn opendir(&self, request: &Request, inode: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let reply = self.begin(request, "OPENDIR", inode, format_args!(""), reply);
        if self.opendir_is_needless {
            return reply.refuse(Errno::ENOSYS);
        }
        let flags = FopenFlags::FOPEN_KEEP_CACHE | FopenFlags::FOPEN_CACHE_DIR;
        reply.answer(Answered::Done, |reply| reply.opened(FileHandle(0), flags));
    }

    fn readdir(&self, request: &Request, inode: INodeNo, _: FileHandle, offset: u64, reply: ReplyDirectory) {
        let reply = self.begin(request, "READDIR", inode, format_args!("from {offset}"), reply);
        self.answer(inode, reply, move |_, directory, reply| {
            directory::answer(directory, offset, reply);
        });
    }

    fn readdirplus(
        &self,
        request: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        reply: ReplyDirectoryPlus,
    ) {
        let reply = self.begin(
            request,
            "READDIRPLUS",
            inode,
            format_args!("from {offset}"),
            reply,
        );
        let request = request.unique();
        self.answer(inode, reply, move |shared, directory, reply| {
            directory::answer_plus(shared, request, directory, offset, reply);
        });
    }

    fn fsyncdir(&self, request: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let reply = self.begin(request, "FSYNCDIR", inode, format_args!(""), reply);
        reply.answer(Answered::Done, ReplyEmpty::ok);
    }

    fn statfs(&self, request: &Request, inode: INodeNo, reply: ReplyStatfs) {
        let reply = self.begin(request, "STATFS", inode, format_args!(""), reply);
        guarded(|| {
            let statistics = self.shared.fs.statistics();
            // As much as is used is reported as free: monitors warn of a file system that is full.
            let used = statistics.source_bytes.div_ceil(BLOCK.into()).max(1);
            let games = statistics.games.max(1);
            reply.answer(Answered::Done, |reply| {
                reply.statfs(2 * used, used, used, 2 * games, games, BLOCK, NAME_MAX, BLOCK);
            });
        });
    }

    fn getxattr(&self, request: &Request, inode: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        let reply = self.begin(request, "GETXATTR", inode, format_args!("{name:?}"), reply);
        if !self.shared.presentation.xattr {
            return reply.refuse(Errno::ENOSYS);
        }
        let name = name.to_owned();
        self.answer(inode, reply, move |_, node, reply| {
            match node.attribute_value(&name) {
                Ok(value) => sized(reply, size, &value),
                Err(error) => reply.refuse(errno(error)),
            }
        });
    }

    fn listxattr(&self, request: &Request, inode: INodeNo, size: u32, reply: ReplyXattr) {
        let reply = self.begin(request, "LISTXATTR", inode, format_args!(""), reply);
        if !self.shared.presentation.xattr {
            return reply.refuse(Errno::ENOSYS);
        }
        self.answer(inode, reply, move |_, node, reply| match node.attribute_names() {
            Ok(names) => {
                let list: Vec<u8> = names.iter().flat_map(|name| name.bytes().chain([0])).collect();
                sized(reply, size, &list);
            }
            Err(error) => reply.refuse(errno(error)),
        });
    }

    fn access(&self, request: &Request, inode: INodeNo, mask: AccessFlags, reply: ReplyEmpty) {
        let reply = self.begin(request, "ACCESS", inode, format_args!("{mask:?}"), reply);
        if mask.contains(AccessFlags::W_OK) {
            return reply.refuse(Errno::EROFS);
        }
        self.answer(inode, reply, move |_, node, reply| {
            if mask.contains(AccessFlags::X_OK) && node.handle().kind() != Kind::Directory {
                reply.refuse(Errno::EACCES);
            } else {
                reply.answer(Answered::Done, ReplyEmpty::ok);
            }
        });
    }

    fn ioctl(
        &self,
        request: &Request,
        inode: INodeNo,
        _: FileHandle,
        _: IoctlFlags,
        _: u32,
        _: &[u8],
        _: u32,
        reply: ReplyIoctl,
    ) {
        self.begin(request, "IOCTL", inode, format_args!(""), reply)
            .refuse(Errno::ENOTTY);
    }

    fn lseek(&self, request: &Request, inode: INodeNo, _: FileHandle, _: i64, _: i32, reply: ReplyLseek) {
        // ENOSYS makes the kernel treat files as free of holes and stop sending LSEEK.
        self.begin(request, "LSEEK", inode, format_args!(""), reply)
            .refuse(Errno::ENOSYS);
    }

    refused! {
        "SETATTR" setattr(Option<u32>, Option<u32>, Option<u32>, Option<u64>, Option<TimeOrNow>, Option<TimeOrNow>,
            Option<SystemTime>, Option<FileHandle>, Option<SystemTime>, Option<SystemTime>, Option<SystemTime>,
            Option<BsdFileFlags>) ReplyAttr;
        "MKNOD" mknod(&OsStr, u32, u32, u32) ReplyEntry;
        "MKDIR" mkdir(&OsStr, u32, u32) ReplyEntry;
        "UNLINK" unlink(&OsStr) ReplyEmpty;
        "RMDIR" rmdir(&OsStr) ReplyEmpty;
        "SYMLINK" symlink(&OsStr, &Path) ReplyEntry;
        "RENAME" rename(&OsStr, INodeNo, &OsStr, RenameFlags) ReplyEmpty;
        "LINK" link(INodeNo, &OsStr) ReplyEntry;
        "WRITE" write(FileHandle, u64, &[u8], WriteFlags, OpenFlags, Option<LockOwner>) ReplyWrite;
        "SETXATTR" setxattr(&OsStr, &[u8], i32, u32) ReplyEmpty;
        "REMOVEXATTR" removexattr(&OsStr) ReplyEmpty;
        "CREATE" create(&OsStr, u32, u32, i32) ReplyCreate;
        "FALLOCATE" fallocate(FileHandle, u64, u64, i32) ReplyEmpty;
    }
}

/// Replies with the length if the kernel asks for it (`size` 0), else with the bytes.
fn sized(reply: Pending<ReplyXattr>, size: u32, bytes: &[u8]) {
    let outcome = Answered::Bytes(bytes.len());
    match u32::try_from(bytes.len()) {
        Ok(len) if size == 0 => reply.answer(outcome, |reply| reply.size(len)),
        Ok(len) if len <= size => reply.answer(outcome, |reply| reply.data(bytes)),
        _ => reply.refuse(Errno::ERANGE),
    }
}
