//! The kernel's requests in, answers of [`Live`] out; nothing is decided here.
//!
//! Everything lets the kernel ask as rarely as possible: what it was told stays true, so it may keep entries
//! (missing ones too), attributes and pages for good, and it never needs to say that a file was opened.
//! Requests that may need many games are answered from a thread of their own, so that no thread that reads
//! requests ever waits. Requests that touch a source which may not answer are left to that database's own threads.

mod ahead;
mod answer;
mod attributes;
mod directory;
mod invalidate;

use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fuser::{
    AccessFlags, BsdFileFlags, Errno, FileHandle, Filesystem, FopenFlags, Generation, INodeNo, InitFlags,
    IoctlFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyIoctl, ReplyOpen, ReplyStatfs,
    ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};

use crate::fs::{FsError, Inode, Kind, Live};
use ahead::Ahead;
use answer::{Pending, Reply, answer};

pub use attributes::Presentation;
pub use invalidate::invalidate;

/// How long the kernel may believe what it was told.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Longest name that can exist, as `statfs` says it.
const NAME_MAX: u32 = 255;

/// Block size that `statfs` counts in.
const BLOCK: u32 = 4096;

/// A mounted [`Live`], as fuser wants to see it.
pub struct Fuse {
    shared: Arc<Shared>,
    open_is_needless: bool,
    opendir_is_needless: bool,
}

impl Drop for Fuse {
    fn drop(&mut self) {
        self.shared.ahead.end();
    }
}

/// What answers need, in whichever thread they are made.
struct Shared {
    fs: Arc<Live>,
    presentation: Presentation,
    kernel: OwnedFd,
    ahead: Ahead,
}

impl Fuse {
    /// Serves `fs`. `kernel` is another descriptor of the connection that the session reads from.
    pub fn new(fs: Arc<Live>, presentation: Presentation, kernel: OwnedFd) -> Fuse {
        let shared = Arc::new(Shared {
            fs,
            presentation,
            kernel,
            ahead: Ahead::new(),
        });
        ahead::start(&shared);
        Fuse {
            shared,
            open_is_needless: false,
            opendir_is_needless: false,
        }
    }

    fn answer<R, A>(&self, inode: Inode, reply: R, how: A)
    where
        R: Reply,
        A: FnOnce(&Arc<Shared>, Pending<R>) + Send + 'static,
    {
        guarded(|| answer(&self.shared, inode, Pending::Own(reply), how));
    }
}

/// Keeps a panic from ending the thread, and with it the mount.
fn guarded(handler: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(handler)).is_err() {
        log::error!("a request failed and was answered with an input/output error");
    }
}

fn errno(error: FsError) -> Errno {
    Errno::from_i32(error.errno())
}

/// Looks up a name and answers with the attributes of what it stands for.
fn look_up(shared: &Arc<Shared>, parent: Inode, name: &OsStr, reply: Pending<ReplyEntry>) {
    let found = match name.as_bytes() {
        b"." => Ok(parent),
        b".." => shared.fs.parent(parent),
        long if long.len() > NAME_MAX as usize => return reply.refuse(Errno::ENAMETOOLONG),
        _ => shared.fs.lookup(parent, name),
    };
    match found.map_err(errno) {
        // It is the same database's, whose few threads must not be kept by what takes long.
        Ok(inode) if reply.is_shared() && !shared.fs.may_wait(inode) => describe(shared, inode, reply),
        Ok(inode) => answer(shared, inode, reply, move |shared, reply| {
            describe(shared, inode, reply);
        }),
        // Node 0 tells the kernel to remember that there is nothing.
        Err(error) if error == Errno::ENOENT => {
            reply.answer(|reply| reply.entry(&FOREVER, &attributes::of_nothing(), Generation(0)));
        }
        Err(error) => reply.refuse(error),
    }
}

/// Answers a look-up with what was found.
fn describe(shared: &Shared, inode: Inode, reply: Pending<ReplyEntry>) {
    match shared.fs.attributes(inode) {
        Ok(attributes) => reply.answer(|reply| {
            // Before the kernel can forget it.
            shared.fs.remember(inode);
            let attributes = shared.presentation.of(&attributes);
            reply.entry(&FOREVER, &attributes, Generation(0));
        }),
        Err(error) => reply.refuse(errno(error)),
    }
}

/// Lists a directory from `offset`.
fn list(shared: &Shared, directory: Inode, offset: u64, mut reply: Pending<ReplyDirectory>) {
    let read = shared.fs.read_dir(directory, offset, false, &mut |entry| {
        let kind = attributes::file_type(entry.kind);
        let add =
            |reply: &mut ReplyDirectory| reply.add(INodeNo(entry.inode.0), entry.next, kind, entry.name);
        match reply.with(add) {
            Some(false) => ControlFlow::Continue(()),
            Some(true) | None => ControlFlow::Break(()),
        }
    });
    match read {
        Ok(()) => reply.answer(ReplyDirectory::ok),
        Err(error) => reply.refuse(errno(error)),
    }
}

/// Requests that would change something, and their arguments.
macro_rules! refused {
    ($($request:ident($($argument:ty),*) $reply:ty;)*) => {$(
        fn $request(&self, _: &Request, $(_: $argument,)* reply: $reply) {
            reply.error(Errno::EROFS);
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
            | InitFlags::FUSE_ASYNC_DIO;
        // Older kernels lack some of them, and all is well without.
        let _ = config.add_capabilities(wanted & offered);
        // The kernel holds back further reads of any file while so many are under way, and some may hang.
        let _ = config.set_max_background(u16::MAX);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let parent = Inode(parent.0);
        let name = name.to_owned();
        self.answer(parent, reply, move |shared, reply| {
            look_up(shared, parent, &name, reply)
        });
    }

    fn forget(&self, _: &Request, inode: INodeNo, times: u64) {
        guarded(|| self.shared.fs.forget(Inode(inode.0), times));
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        let inode = Inode(inode.0);
        self.answer(inode, reply, move |shared, reply| {
            match shared.fs.attributes(inode) {
                Ok(attributes) => {
                    let attributes = shared.presentation.of(&attributes);
                    reply.answer(|reply| reply.attr(&FOREVER, &attributes));
                }
                Err(error) => reply.refuse(errno(error)),
            }
        });
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        if self.open_is_needless {
            // From now on the kernel opens files without asking.
            return reply.error(Errno::ENOSYS);
        }
        reply.opened(
            FileHandle(0),
            FopenFlags::FOPEN_KEEP_CACHE | FopenFlags::FOPEN_NOFLUSH,
        );
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let inode = Inode(inode.0);
        let answer = move |shared: &Arc<Shared>, reply: Pending<ReplyData>| match shared
            .fs
            .read(inode, offset, size)
        {
            Ok(chunk) => reply.answer(|reply| reply.data(&chunk)),
            Err(error) => reply.refuse(errno(error)),
        };
        if !inode.is_game() || !self.shared.fs.is_followed(inode, offset) {
            return self.answer(inode, reply, answer);
        }
        let answer = Box::new(move |shared: &Arc<Shared>| answer(shared, Pending::Own(reply)));
        if let Some(answer) = self.shared.ahead.requested(&self.shared.fs, inode, answer) {
            guarded(|| answer(&self.shared));
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // The kernel does not ask again.
        reply.error(Errno::ENOSYS);
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn opendir(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        if self.opendir_is_needless {
            return reply.error(Errno::ENOSYS);
        }
        reply.opened(
            FileHandle(0),
            FopenFlags::FOPEN_KEEP_CACHE | FopenFlags::FOPEN_CACHE_DIR,
        );
    }

    fn readdir(&self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, reply: ReplyDirectory) {
        let inode = Inode(inode.0);
        self.answer(inode, reply, move |shared, reply| {
            list(shared, inode, offset, reply)
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
        let inode = Inode(inode.0);
        let request = request.unique();
        self.answer(inode, reply, move |shared, reply| {
            directory::answer(shared, request, inode, offset, reply);
            if shared.fs.is_followed(inode, offset) {
                shared.ahead.listed(&shared.fs, inode);
            }
        });
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        guarded(|| {
            let statistics = self.shared.fs.statistics();
            let blocks = statistics.source_bytes.div_ceil(BLOCK.into());
            reply.statfs(blocks, 0, 0, statistics.games, 0, BLOCK, NAME_MAX, BLOCK);
        });
    }

    fn getxattr(&self, _: &Request, inode: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        if !self.shared.presentation.xattr {
            return reply.error(Errno::ENOSYS);
        }
        let (inode, name) = (Inode(inode.0), name.to_owned());
        self.answer(inode, reply, move |shared, reply| {
            match shared.fs.attribute_value(inode, &name) {
                Ok(value) => reply.answer(|reply| sized(reply, size, &value)),
                Err(error) => reply.refuse(errno(error)),
            }
        });
    }

    fn listxattr(&self, _: &Request, inode: INodeNo, size: u32, reply: ReplyXattr) {
        if !self.shared.presentation.xattr {
            return reply.error(Errno::ENOSYS);
        }
        let inode = Inode(inode.0);
        self.answer(inode, reply, move |shared, reply| {
            match shared.fs.attribute_names(inode) {
                Ok(names) => {
                    let list: Vec<u8> = names.iter().flat_map(|name| name.bytes().chain([0])).collect();
                    reply.answer(|reply| sized(reply, size, &list));
                }
                Err(error) => reply.refuse(errno(error)),
            }
        });
    }

    fn access(&self, _: &Request, inode: INodeNo, mask: AccessFlags, reply: ReplyEmpty) {
        if mask.contains(AccessFlags::W_OK) {
            return reply.error(Errno::EROFS);
        }
        let inode = Inode(inode.0);
        self.answer(inode, reply, move |shared, reply| {
            match shared.fs.attributes_if_known(inode) {
                Err(error) => reply.refuse(errno(error)),
                Ok(Some(attributes)) if attributes.kind == Kind::Directory => reply.answer(ReplyEmpty::ok),
                Ok(_) if mask.contains(AccessFlags::X_OK) => reply.refuse(Errno::EACCES),
                Ok(_) => reply.answer(ReplyEmpty::ok),
            }
        });
    }

    fn ioctl(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        _: IoctlFlags,
        _: u32,
        _: &[u8],
        _: u32,
        reply: ReplyIoctl,
    ) {
        reply.error(Errno::ENOTTY);
    }

    refused! {
        setattr(INodeNo, Option<u32>, Option<u32>, Option<u32>, Option<u64>, Option<TimeOrNow>, Option<TimeOrNow>,
            Option<SystemTime>, Option<FileHandle>, Option<SystemTime>, Option<SystemTime>, Option<SystemTime>,
            Option<BsdFileFlags>) ReplyAttr;
        mknod(INodeNo, &OsStr, u32, u32, u32) ReplyEntry;
        mkdir(INodeNo, &OsStr, u32, u32) ReplyEntry;
        unlink(INodeNo, &OsStr) ReplyEmpty;
        rmdir(INodeNo, &OsStr) ReplyEmpty;
        symlink(INodeNo, &OsStr, &Path) ReplyEntry;
        rename(INodeNo, &OsStr, INodeNo, &OsStr, RenameFlags) ReplyEmpty;
        link(INodeNo, INodeNo, &OsStr) ReplyEntry;
        write(INodeNo, FileHandle, u64, &[u8], WriteFlags, OpenFlags, Option<LockOwner>) ReplyWrite;
        setxattr(INodeNo, &OsStr, &[u8], i32, u32) ReplyEmpty;
        removexattr(INodeNo, &OsStr) ReplyEmpty;
        create(INodeNo, &OsStr, u32, u32, i32) ReplyCreate;
        fallocate(INodeNo, FileHandle, u64, u64, i32) ReplyEmpty;
    }
}

/// Answers with the length where the kernel asks for that, else with the bytes.
fn sized(reply: ReplyXattr, size: u32, bytes: &[u8]) {
    match u32::try_from(bytes.len()) {
        Ok(len) if size == 0 => reply.size(len),
        Ok(len) if len <= size => reply.data(bytes),
        _ => reply.error(Errno::ERANGE),
    }
}
