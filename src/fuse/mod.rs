//! Translates requests of the kernel into [`Requests`], and answers into replies.
//!
//! The kernel should send as few requests as possible. The facts that a reply has about an inode never change, so the
//! kernel may cache entries (negative ones, too), attributes and pages forever, and does not have to send OPEN.

mod ahead;
mod answer;
mod attributes;
mod caller;
mod callers;
mod directory;
mod invalidate;
mod shared;
mod trace;
pub mod walk;

use std::ffi::OsStr;
use std::fmt::Arguments;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use fuser::{
    AccessFlags, BsdFileFlags, Errno, FileHandle, Filesystem, FopenFlags, Generation, INodeNo, InitFlags,
    IoctlFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyIoctl, ReplyLseek, ReplyOpen,
    ReplyStatfs, ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};

use answer::{KernelReply, Unsent};
use attributes::{BLOCK, FOREVER, no_attributes};
use callers::Callers;
use directory::{BareListing, PlusListing};
use pgnfs_server::{Attributes, Chunk, FsError, Inode, Kind, NAME_MAX};
use pgnfs_server::{Detail, Requests};
use shared::Shared;
use trace::{Answered, Traced};

pub use attributes::Presentation;
pub use invalidate::invalidate;

/// A served source as a file system of fuser.
pub struct Fuse {
    shared: Arc<Shared>,
    open_is_needless: bool,
    opendir_is_needless: bool,
}

impl Drop for Fuse {
    fn drop(&mut self) {
        self.shared.ahead.end();
        self.shared.callers.end();
    }
}

impl Fuse {
    /// Passes on the kernel's requests. `kernel` is a duplicate of the descriptor from which the session reads them.
    pub fn new(requests: Requests, presentation: Presentation, kernel: OwnedFd) -> Fuse {
        let shared = Arc::new(Shared {
            requests,
            presentation,
            kernel: Arc::new(kernel),
            ahead: Arc::default(),
            callers: Arc::default(),
        });
        shared.ahead.start(&shared.requests, &shared.kernel);
        shared.callers.start();
        Fuse {
            shared,
            open_is_needless: false,
            opendir_is_needless: false,
        }
    }

    /// Begins to trace a request; `kind` is its name in the kernel.
    fn begin<R: KernelReply>(
        &self,
        kind: &str,
        inode: INodeNo,
        arguments: Arguments<'_>,
        reply: R,
    ) -> Unsent<R> {
        let traced = Traced::begin(&self.shared.requests, kind, Inode(inode.0), arguments);
        Unsent { reply, traced }
    }
}

/// The requests that would change something, with the types of their arguments. All are refused with EROFS.
macro_rules! refused {
    ($($kind:literal $name:ident($($argument:ty),*) $reply:ty;)*) => {$(
        fn $name(&self, _: &Request, inode: INodeNo, $(_: $argument,)* reply: $reply) {
            self.begin($kind, inode, format_args!(""), reply).refuse(Errno::EROFS);
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
        // Older kernels lack some of these flags. None of them is essential.
        let _ = config.add_capabilities(wanted & offered);
        // When this many reads are pending, the kernel delays all others, and some of the pending ones may
        // hang.
        let _ = config.set_max_background(u16::MAX);
        Ok(())
    }

    fn lookup(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let reply = self.begin("LOOKUP", parent, format_args!("{name:?}"), reply);
        let presentation = self.shared.presentation;
        let answered = move |answer| match answer {
            // Node 0 makes the kernel cache the missing entry.
            Err(FsError::NotFound | FsError::Refused(_)) => {
                reply.answer(Answered::Error(Errno::ENOENT), |reply| {
                    reply.entry(&FOREVER, &no_attributes(), Generation(0));
                })
            }
            answer => reply.send(answer, Answered::found, |reply, found| {
                reply.entry(&FOREVER, &presentation.of(&found), Generation(0));
            }),
        };
        let requests = &self.shared.requests;
        let asked = requests.look_up(request.uid(), Inode(parent.0), name, answered);
        self.shared.callers.add(request.pid(), asked);
    }

    fn forget(&self, _: &Request, inode: INodeNo, times: u64) {
        let (requests, inode) = (&self.shared.requests, Inode(inode.0));
        let traced = Traced::begin(requests, "FORGET", inode, format_args!("{times} times"));
        requests.release(inode, times);
        traced.end(Answered::Done);
    }

    fn getattr(&self, request: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        let reply = self.begin("GETATTR", inode, format_args!(""), reply);
        let presentation = self.shared.presentation;
        let answered = move |answer: Result<Attributes, _>| {
            let outcome = |attributes: &Attributes| Answered::Size(attributes.size);
            reply.send(answer, outcome, |reply, attributes| {
                reply.attr(&FOREVER, &presentation.of(&attributes));
            });
        };
        let requests = &self.shared.requests;
        let asked = requests.attributes(request.uid(), Inode(inode.0), answered);
        self.shared.callers.add(request.pid(), asked);
    }

    fn readlink(&self, request: &Request, inode: INodeNo, reply: ReplyData) {
        let reply = self.begin("READLINK", inode, format_args!(""), reply);
        let answered = move |answer: Result<String, _>| {
            let outcome = |target: &String| Answered::Bytes(target.len());
            reply.send(answer, outcome, |reply, target| reply.data(target.as_bytes()));
        };
        let requests = &self.shared.requests;
        let asked = requests.target(request.uid(), Inode(inode.0), answered);
        self.shared.callers.add(request.pid(), asked);
    }

    fn open(&self, _: &Request, inode: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let reply = self.begin("OPEN", inode, format_args!(""), reply);
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
        let reply = self.begin("READ", inode, format_args!("{size} bytes at {offset}"), reply);
        let (shared, file, thread, user) = (&self.shared, Inode(inode.0), request.pid(), request.uid());
        let answer = move |requests: &Requests, callers: &Callers| {
            let answered = |answer: Result<Chunk, _>| {
                let outcome = |chunk: &Chunk| Answered::Bytes(chunk.len());
                reply.send(answer, outcome, |reply, chunk| reply.data(&chunk));
            };
            callers.add(thread, requests.read(user, file, offset, size, answered));
        };
        // A single thread reads ahead for all databases, so it must not access a source that can hang.
        let is_followed = file.is_game()
            && offset == 0
            && shared.ahead.is_concerned(file)
            && shared.requests.is_local(file);
        if !is_followed {
            return answer(&shared.requests, &shared.callers);
        }
        let callers = Arc::clone(&shared.callers);
        let answer = Box::new(move |requests: &Requests| answer(requests, &callers));
        if let Some(answer) = shared.ahead.requested(&shared.requests, file, answer) {
            answer(&shared.requests);
        }
    }

    fn flush(&self, _: &Request, inode: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // ENOSYS makes the kernel stop sending FLUSH.
        self.begin("FLUSH", inode, format_args!(""), reply)
            .refuse(Errno::ENOSYS);
    }

    fn fsync(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let reply = self.begin("FSYNC", inode, format_args!(""), reply);
        reply.answer(Answered::Done, ReplyEmpty::ok);
    }

    fn opendir(&self, _: &Request, inode: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let reply = self.begin("OPENDIR", inode, format_args!(""), reply);
        if self.opendir_is_needless {
            return reply.refuse(Errno::ENOSYS);
        }
        let flags = FopenFlags::FOPEN_KEEP_CACHE | FopenFlags::FOPEN_CACHE_DIR;
        reply.answer(Answered::Done, |reply| reply.opened(FileHandle(0), flags));
    }

    fn readdir(&self, request: &Request, inode: INodeNo, _: FileHandle, offset: u64, reply: ReplyDirectory) {
        let reply = self.begin("READDIR", inode, format_args!("from {offset}"), reply);
        let (requests, directory) = (&self.shared.requests, Inode(inode.0));
        let listing = BareListing::new(reply);
        let asked = requests.list(request.uid(), directory, offset, Detail::Bare, listing);
        self.shared.callers.add(request.pid(), asked);
    }

    fn readdirplus(
        &self,
        request: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        reply: ReplyDirectoryPlus,
    ) {
        let reply = self.begin("READDIRPLUS", inode, format_args!("from {offset}"), reply);
        let (requests, directory) = (&self.shared.requests, Inode(inode.0));
        let listing = PlusListing::new(&self.shared, request.unique(), directory, offset, reply);
        let asked = requests.list(request.uid(), directory, offset, Detail::WithAttributes, listing);
        self.shared.callers.add(request.pid(), asked);
    }

    fn fsyncdir(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let reply = self.begin("FSYNCDIR", inode, format_args!(""), reply);
        reply.answer(Answered::Done, ReplyEmpty::ok);
    }

    fn statfs(&self, _: &Request, inode: INodeNo, reply: ReplyStatfs) {
        let reply = self.begin("STATFS", inode, format_args!(""), reply);
        let statistics = self.shared.requests.statistics();
        // Reports as much free space as is used, because monitoring tools warn of a full file system.
        let used = statistics.source_bytes.div_ceil(BLOCK.into()).max(1);
        let games = statistics.games.max(1);
        reply.answer(Answered::Done, |reply| {
            reply.statfs(
                2 * used,
                used,
                used,
                2 * games,
                games,
                BLOCK,
                NAME_MAX as u32,
                BLOCK,
            );
        });
    }

    fn getxattr(&self, request: &Request, inode: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        let reply = self.begin("GETXATTR", inode, format_args!("{name:?}"), reply);
        if !self.shared.presentation.xattr {
            return reply.refuse(Errno::ENOSYS);
        }
        let answered = move |answer: Result<Vec<u8>, _>| sized(reply, size, answer);
        let requests = &self.shared.requests;
        let asked = requests.tag(request.uid(), Inode(inode.0), name, answered);
        self.shared.callers.add(request.pid(), asked);
    }

    fn listxattr(&self, request: &Request, inode: INodeNo, size: u32, reply: ReplyXattr) {
        let reply = self.begin("LISTXATTR", inode, format_args!(""), reply);
        if !self.shared.presentation.xattr {
            return reply.refuse(Errno::ENOSYS);
        }
        let answered = move |answer: Result<Vec<String>, FsError>| {
            let list = |names: Vec<String>| names.iter().flat_map(|name| name.bytes().chain([0])).collect();
            sized(reply, size, answer.map(list));
        };
        let requests = &self.shared.requests;
        let asked = requests.tag_names(request.uid(), Inode(inode.0), answered);
        self.shared.callers.add(request.pid(), asked);
    }

    fn access(&self, request: &Request, inode: INodeNo, mask: AccessFlags, reply: ReplyEmpty) {
        let reply = self.begin("ACCESS", inode, format_args!("{mask:?}"), reply);
        if mask.contains(AccessFlags::W_OK) {
            return reply.refuse(Errno::EROFS);
        }
        let answered = move |answer| match answer {
            Ok(kind) if mask.contains(AccessFlags::X_OK) && kind != Kind::Directory => {
                reply.refuse(Errno::EACCES);
            }
            answer => reply.send(answer, |_| Answered::Done, |reply, _| reply.ok()),
        };
        let requests = &self.shared.requests;
        let asked = requests.kind(request.uid(), Inode(inode.0), answered);
        self.shared.callers.add(request.pid(), asked);
    }

    fn ioctl(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        _: IoctlFlags,
        _: u32,
        _: &[u8],
        _: u32,
        reply: ReplyIoctl,
    ) {
        self.begin("IOCTL", inode, format_args!(""), reply)
            .refuse(Errno::ENOTTY);
    }

    fn lseek(&self, _: &Request, inode: INodeNo, _: FileHandle, _: i64, _: i32, reply: ReplyLseek) {
        // ENOSYS makes the kernel treat files as free of holes and stop sending LSEEK.
        self.begin("LSEEK", inode, format_args!(""), reply)
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

/// Replies with the length if the kernel asks for it (`size` 0), otherwise with the bytes.
fn sized(reply: Unsent<ReplyXattr>, size: u32, answer: Result<Vec<u8>, FsError>) {
    let len = answer.as_ref().map_or(0, Vec::len);
    if size > 0 && len > size as usize {
        return reply.refuse(Errno::ERANGE);
    }
    let outcome = |bytes: &Vec<u8>| Answered::Bytes(bytes.len());
    reply.send(answer, outcome, |reply, bytes| match size {
        0 => reply.size(bytes.len() as u32),
        _ => reply.data(&bytes),
    });
}
