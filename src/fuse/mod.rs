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

use crate::fs::{FsError, Inode, Kind, Live, Resolved, Where};
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

    /// Answers a request for a node in the thread where that may be done.
    fn answer<R, A>(&self, inode: INodeNo, reply: R, how: A)
    where
        R: Reply,
        A: FnOnce(&Arc<Shared>, Resolved, Pending<R>) + Send + 'static,
    {
        guarded(|| match self.shared.fs.resolve(Inode(inode.0)) {
            Ok(node) => answer(&self.shared, node, Pending::Own(reply), how),
            Err(error) => reply.refuse(errno(error)),
        });
    }

    /// The same for a request to list a directory from an offset.
    fn answer_listing<R, A>(&self, directory: INodeNo, offset: u64, reply: R, how: A)
    where
        R: Reply,
        A: FnOnce(&Arc<Shared>, Resolved, u64, Pending<R>) + Send + 'static,
    {
        guarded(
            || match self.shared.fs.resolve_listing(Inode(directory.0), offset) {
                Ok((node, offset)) => {
                    answer(
                        &self.shared,
                        node,
                        Pending::Own(reply),
                        move |shared, node, reply| {
                            how(shared, node, offset, reply);
                        },
                    );
                }
                Err(error) => reply.refuse(errno(error)),
            },
        );
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
fn look_up(shared: &Arc<Shared>, directory: &Resolved, name: &OsStr, reply: Pending<ReplyEntry>) {
    if name.len() > NAME_MAX as usize {
        return reply.refuse(Errno::ENAMETOOLONG);
    }
    match shared.fs.child(directory, name).map_err(errno) {
        // It is the same database's, whose few threads must not be kept by what takes long.
        Ok(found) if reply.is_shared() && !found.may_wait() => describe(shared, &found, reply),
        Ok(found) => answer(shared, found, reply, |shared, found, reply| {
            describe(shared, &found, reply);
        }),
        // Node 0 tells the kernel to remember that there is nothing.
        Err(error) if error == Errno::ENOENT => {
            reply.answer(|reply| reply.entry(&FOREVER, &attributes::of_nothing(), Generation(0)));
        }
        Err(error) => reply.refuse(error),
    }
}

/// Answers a look-up with what was found.
fn describe(shared: &Shared, found: &Resolved, reply: Pending<ReplyEntry>) {
    match found.attributes() {
        Ok(attributes) => reply.answer(|reply| {
            // Before the kernel can forget it.
            shared.fs.remember(found.inode());
            let attributes = shared.presentation.of(&attributes);
            reply.entry(&FOREVER, &attributes, Generation(0));
        }),
        Err(error) => reply.refuse(errno(error)),
    }
}

/// Lists a directory from `offset`.
fn list(directory: &Resolved, offset: u64, mut reply: Pending<ReplyDirectory>) {
    let read = directory.read_dir(offset, false, &mut |entry| {
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
            | InitFlags::FUSE_CACHE_SYMLINKS
            | InitFlags::FUSE_ASYNC_DIO;
        // Older kernels lack some of them, and all is well without.
        let _ = config.add_capabilities(wanted & offered);
        // The kernel holds back further reads of any file while so many are under way, and some may hang.
        let _ = config.set_max_background(u16::MAX);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let name = name.to_owned();
        self.answer(parent, reply, move |shared, directory, reply| {
            look_up(shared, &directory, &name, reply);
        });
    }

    fn forget(&self, _: &Request, inode: INodeNo, times: u64) {
        guarded(|| self.shared.fs.forget(Inode(inode.0), times));
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        self.answer(inode, reply, |shared, node, reply| match node.attributes() {
            Ok(attributes) => {
                let attributes = shared.presentation.of(&attributes);
                reply.answer(|reply| reply.attr(&FOREVER, &attributes));
            }
            Err(error) => reply.refuse(errno(error)),
        });
    }

    fn readlink(&self, _: &Request, inode: INodeNo, reply: ReplyData) {
        self.answer(inode, reply, |_, node, reply| match node.target() {
            Ok(target) => reply.answer(|reply| reply.data(target.as_bytes())),
            Err(error) => reply.refuse(errno(error)),
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
        guarded(|| {
            let file = match self.shared.fs.resolve(Inode(inode.0)) {
                Ok(file) => file,
                Err(error) => return reply.error(errno(error)),
            };
            let read = move |_: &Arc<Shared>, file: Resolved, reply: Pending<ReplyData>| match file
                .read(offset, size)
            {
                Ok(chunk) => reply.answer(|reply| reply.data(&chunk)),
                Err(error) => reply.refuse(errno(error)),
            };
            let game = file.inode();
            // What is read ahead is read for all databases by one thread, which must not hang.
            let is_followed = || !matches!(file.where_to_answer(), Where::Pool(_));
            if offset > 0 || !game.is_game() || !is_followed() {
                return answer(&self.shared, file, Pending::Own(reply), read);
            }
            let request = ahead::Request {
                game,
                answer: Box::new(move |shared| read(shared, file, Pending::Own(reply))),
            };
            if let Some(request) = self.shared.ahead.asked(&self.shared.fs, request) {
                (request.answer)(&self.shared);
            }
        });
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
        self.answer_listing(inode, offset, reply, |_, directory, offset, reply| {
            list(&directory, offset, reply);
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
        let request = request.unique();
        self.answer_listing(inode, offset, reply, move |shared, directory, offset, reply| {
            let is_followed = offset == 0 && !reply.is_shared();
            directory::answer(shared, request, &directory, offset, reply);
            if is_followed {
                shared.ahead.listed(&shared.fs, directory.inode());
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
        let name = name.to_owned();
        self.answer(inode, reply, move |_, node, reply| {
            match node.attribute_value(&name) {
                Ok(value) => reply.answer(|reply| sized(reply, size, &value)),
                Err(error) => reply.refuse(errno(error)),
            }
        });
    }

    fn listxattr(&self, _: &Request, inode: INodeNo, size: u32, reply: ReplyXattr) {
        if !self.shared.presentation.xattr {
            return reply.error(Errno::ENOSYS);
        }
        self.answer(inode, reply, move |_, node, reply| match node.attribute_names() {
            Ok(names) => {
                let list: Vec<u8> = names.iter().flat_map(|name| name.bytes().chain([0])).collect();
                reply.answer(|reply| sized(reply, size, &list));
            }
            Err(error) => reply.refuse(errno(error)),
        });
    }

    fn access(&self, _: &Request, inode: INodeNo, mask: AccessFlags, reply: ReplyEmpty) {
        if mask.contains(AccessFlags::W_OK) {
            return reply.error(Errno::EROFS);
        }
        self.answer(inode, reply, move |_, node, reply| {
            match node.attributes_if_known() {
                Err(error) => reply.refuse(errno(error)),
                Ok(_) if node.kind() == Kind::Directory => reply.answer(ReplyEmpty::ok),
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
