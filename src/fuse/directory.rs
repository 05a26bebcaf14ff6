//! READDIR, and READDIRPLUS, whose entries have attributes only if these are known.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::sync::Arc;

use fuser::{Errno, FileAttr, Generation, INodeNo, ReplyDirectory, ReplyDirectoryPlus, RequestId};

use super::answer::{Unsent, errno};
use super::attributes::{BLOCK, FOREVER, Presentation, file_type, no_attributes};
use super::shared::Shared;
use super::trace::Answered;
use pgnfs_server::{Entry, Reply, Visitor};
use pgnfs_server::{FsError, Inode, Kind};

/// Placeholder attributes: only the length of their encoding is used.
const NOTHING: FileAttr = no_attributes();

/// Answers READDIR.
pub(super) struct BareListing {
    reply: Unsent<ReplyDirectory>,
    count: usize,
}

impl BareListing {
    pub(super) fn new(reply: Unsent<ReplyDirectory>) -> BareListing {
        BareListing { reply, count: 0 }
    }
}

impl Visitor for BareListing {
    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()> {
        let (inode, kind) = (INodeNo(entry.inode.0), file_type(entry.kind));
        if self.reply.reply.add(inode, entry.next, kind, &*entry.name) {
            return ControlFlow::Break(());
        }
        self.count += 1;
        ControlFlow::Continue(())
    }
}

impl Reply<Vec<Inode>> for BareListing {
    fn send(self, answer: Result<Vec<Inode>, FsError>) {
        let count = self.count;
        self.reply
            .send(answer, |_| Answered::Entries(count), |reply, _| reply.ok());
    }
}

/// Answers READDIRPLUS.
///
/// An entry without attributes has node 0 in `struct fuse_entry_out`. fuser would put 0 into `struct
/// fuse_dirent` as well, but C libraries before glibc 2.42 skip names with inode 0. Therefore the reply is written here, and
/// fuser's reply only shows when it is full.
pub(super) struct PlusListing {
    shared: Arc<Shared>,
    directory: Inode,
    offset: u64,
    reply: Unsent<ReplyDirectoryPlus>,
    own: PlusReply,
}

impl PlusListing {
    /// A reply to READDIR or READDIRPLUS, starting at an offset.
    pub(super) fn new(
        shared: &Arc<Shared>,
        request: RequestId,
        directory: Inode,
        offset: u64,
        reply: Unsent<ReplyDirectoryPlus>,
    ) -> PlusListing {
        PlusListing {
            shared: Arc::clone(shared),
            directory,
            offset,
            reply,
            own: PlusReply::new(request),
        }
    }
}

impl Visitor for PlusListing {
    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()> {
        // Any node except 0 has the same length.
        let length = &NOTHING;
        let reply = &mut self.reply.reply;
        if reply.add(
            INodeNo(1),
            entry.next,
            &*entry.name,
            &FOREVER,
            length,
            Generation(0),
        ) {
            return ControlFlow::Break(());
        }
        self.own.add(entry, &self.shared.presentation);
        ControlFlow::Continue(())
    }
}

impl Reply<Vec<Inode>> for PlusListing {
    fn send(mut self, answer: Result<Vec<Inode>, FsError>) {
        let gone = match answer {
            Ok(gone) => gone,
            Err(error) => return self.reply.refuse(errno(&error)),
        };
        self.own.leave_out(&gone);
        let (shared, mut own) = (self.shared, self.own);
        self.reply.answer(Answered::Entries(own.count), |reply| {
            if let Err(error) = own.send(&shared.kernel) {
                own.inodes
                    .iter()
                    .for_each(|&inode| shared.requests.release(inode, 1));
                // ENOENT: the reader was killed and no longer waits.
                let level = match error.raw_os_error() {
                    Some(libc::ENOENT) => log::Level::Debug,
                    _ => log::Level::Error,
                };
                log::log!(level, "a listing could not be answered: {error}");
            }
            // The kernel ignores this second reply; it only ends fuser's reply object.
            reply.error(Errno::EIO);
        });
        if self.offset == 0 && shared.requests.is_local(self.directory) {
            shared.ahead.listed(&shared.requests, self.directory);
        }
    }
}

/// Bytes of `struct fuse_entry_out`, which are 0 for an entry without attributes.
const ATTRIBUTES: usize = 128;

/// Bytes of `struct fuse_direntplus` before the name: `struct fuse_entry_out` and `struct fuse_dirent`.
const FIXED: usize = ATTRIBUTES + 24;

/// A reply in the kernel's layout (`linux/fuse.h`): length, error and request number, then the entries.
struct PlusReply {
    bytes: Vec<u8>,
    /// Number of entries.
    count: usize,
    /// The inodes of entries with attributes, and the places of the attributes in `bytes`.
    inodes: Vec<Inode>,
    places: Vec<usize>,
}

impl PlusReply {
    fn new(request: RequestId) -> PlusReply {
        let mut answer = PlusReply {
            bytes: Vec::with_capacity(4096),
            count: 0,
            inodes: Vec::new(),
            places: Vec::new(),
        };
        answer.u32s([0, 0]);
        answer.u64s([request.0]);
        answer
    }

    fn add(&mut self, entry: &Entry<'_>, presentation: &Presentation) {
        self.count += 1;
        let end = self.bytes.len() + (FIXED + entry.name.len()).next_multiple_of(8);
        let format = match entry.kind {
            Kind::Directory => 0o040_000,
            Kind::File => 0o100_000,
            Kind::Link => 0o120_000,
        };
        match &entry.attributes {
            Some(attributes) => {
                self.inodes.push(entry.inode);
                self.places.push(self.bytes.len());
                let valid = FOREVER.as_secs();
                let inode = attributes.inode.0;
                let (modified, changed) = (attributes.modified, attributes.changed);
                self.u64s([inode, 0, valid, valid, 0]);
                self.u64s([inode, attributes.size, attributes.blocks]);
                self.u64s([modified.0, modified.0, changed.0].map(i64::cast_unsigned));
                self.u32s([modified.1, modified.1, changed.1]);
                self.u32s([
                    format | u32::from(presentation.permissions(entry.kind)),
                    attributes.links,
                ]);
                self.u32s([presentation.uid, presentation.gid, 0, BLOCK, 0]);
            }
            None => self.u64s([0; ATTRIBUTES / 8]),
        }
        self.u64s([entry.inode.0, entry.next]);
        self.u32s([entry.name.len() as u32, format >> 12]);
        self.bytes.extend_from_slice(entry.name.as_bytes());
        self.bytes.resize(end, 0);
    }

    /// Removes the attributes of entries that belong to a dropped state of the database, so that the kernel looks up
    /// their names again.
    fn leave_out(&mut self, gone: &[Inode]) {
        if gone.is_empty() {
            return;
        }
        for (inode, &place) in self.inodes.iter().zip(&self.places) {
            if gone.contains(inode)
                && let Some(attributes) = self.bytes.get_mut(place..place + ATTRIBUTES)
            {
                attributes.fill(0);
            }
        }
        self.inodes.retain(|inode| !gone.contains(inode));
    }

    fn u64s(&mut self, values: impl IntoIterator<Item = u64>) {
        self.bytes.extend(values.into_iter().flat_map(u64::to_ne_bytes));
    }

    fn u32s(&mut self, values: impl IntoIterator<Item = u32>) {
        self.bytes.extend(values.into_iter().flat_map(u32::to_ne_bytes));
    }

    fn send(&mut self, kernel: impl AsFd) -> io::Result<()> {
        let len = self.bytes.len() as u32;
        if let Some(field) = self.bytes.first_chunk_mut() {
            *field = len.to_ne_bytes();
        }
        rustix::io::write(kernel, &self.bytes)?;
        Ok(())
    }
}
