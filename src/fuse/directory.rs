//! READDIR, and READDIRPLUS, whose entries have attributes only if these are known.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use fuser::{Errno, Generation, INodeNo, ReplyDirectory, ReplyDirectoryPlus, RequestId};

use super::attributes::file_type;
use super::trace::Answered;
use super::walk::is_followed;
use super::{BLOCK, FOREVER, Pending, Presentation, Shared, errno};
use crate::fs::{Attributes, DirectoryEntry, Inode, Kind, Open};

/// Directories with more entries are huge, and listed without attributes: the kernel would create an inode for
/// every entry, which takes ten times as long as the listing itself.
const HUGE: usize = 10_000;

/// Maximum number of games decoded for one part of a listing. Programs that list a directory usually need the
/// sizes of its games next, and a request for each game takes longer than decoding it now.
const MOST_DECODED: usize = 256;

/// No further game is decoded for a part of a listing after this time, because other requests wait for the
/// thread.
const LONGEST: Duration = Duration::from_millis(5);

/// Answers READDIR with as many entries from `offset` as fit.
pub(super) fn answer(directory: &Open<'_>, offset: u64, mut reply: Pending<ReplyDirectory>) {
    let mut count = 0;
    let read = directory.read_dir(offset, &mut |entry| {
        let kind = file_type(entry.kind);
        let add =
            |reply: &mut ReplyDirectory| reply.add(INodeNo(entry.inode.0), entry.next, kind, entry.name);
        match reply.with(add) {
            Some(false) => {
                count += 1;
                ControlFlow::Continue(())
            }
            Some(true) | None => ControlFlow::Break(()),
        }
    });
    match read {
        Ok(()) => reply.answer(Answered::Entries(count), ReplyDirectory::ok),
        Err(error) => reply.refuse(errno(error)),
    }
}

/// Answers READDIRPLUS with as many entries from `offset` as fit.
///
/// An entry without attributes has node 0 in `struct fuse_entry_out`. fuser would put 0 into `struct
/// fuse_dirent` as well, but C libraries before glibc 2.42 skip names with inode 0. Therefore a reply that has such an
/// entry is written here, and fuser's reply only shows when it is full.
pub(super) fn answer_plus(
    shared: &Shared,
    request: RequestId,
    directory: &Open<'_>,
    offset: u64,
    mut reply: Pending<ReplyDirectoryPlus>,
) {
    let presentation = &shared.presentation;
    let mut sizes = match directory.entries() {
        Ok(entries) => ListedSizes::of(entries),
        Err(error) => return reply.refuse(errno(error)),
    };
    let mut own = PlusReply::new(request);
    let read = directory.read_dir(offset, &mut |entry| {
        let attributes = sizes.attributes(&entry);
        let shown = match &attributes {
            Some(attributes) => presentation.of(attributes),
            None => presentation.bare(entry.inode, entry.kind),
        };
        let number = INodeNo(entry.inode.0);
        let add = |reply: &mut ReplyDirectoryPlus| {
            reply.add(number, entry.next, entry.name, &FOREVER, &shown, Generation(0))
        };
        if reply.with(add) != Some(false) {
            return ControlFlow::Break(());
        }
        own.add(&entry, attributes.as_ref(), presentation);
        ControlFlow::Continue(())
    });
    if let Err(error) = read {
        return reply.refuse(errno(error));
    }
    reply.answer(Answered::Entries(own.count), |reply| {
        // The kernel gets these inodes. They are held before it does, because FORGET may follow immediately.
        own.leave_out(&shared.fs.hold(&own.inodes));
        if !own.has_bare {
            return reply.ok();
        }
        if let Err(error) = own.send(&shared.kernel) {
            own.inodes.iter().for_each(|&inode| shared.fs.release(inode, 1));
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
    if is_followed(directory.handle(), offset) {
        shared.ahead.listed(directory);
    }
}

/// Which entries of a part of a listing have attributes: those whose size is known or quickly found.
struct ListedSizes {
    is_huge: bool,
    begin: Instant,
    decoded: usize,
}

impl ListedSizes {
    /// For a directory with so many entries.
    fn of(entries: usize) -> ListedSizes {
        ListedSizes {
            is_huge: entries > HUGE,
            begin: Instant::now(),
            decoded: 0,
        }
    }

    /// The attributes of an entry, if it is to have them. The kernel ignores those of `.` and `..`.
    fn attributes(&mut self, entry: &DirectoryEntry<'_>) -> Option<Attributes> {
        if self.is_huge || entry.is_dots() {
            return None;
        }
        let known = entry.attributes_if_known();
        let is_decoded = known.is_none()
            && entry.inode.is_game()
            && self.decoded < MOST_DECODED
            && self.begin.elapsed() < LONGEST;
        if !is_decoded {
            return known;
        }
        self.decoded += 1;
        entry.attributes().ok()
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
    /// The inodes of entries with attributes, and where the attributes begin.
    inodes: Vec<Inode>,
    places: Vec<usize>,
    /// True if an entry has no attributes. Any other reply can be left to fuser.
    has_bare: bool,
}

impl PlusReply {
    fn new(request: RequestId) -> PlusReply {
        let mut answer = PlusReply {
            bytes: Vec::with_capacity(4096),
            count: 0,
            inodes: Vec::new(),
            places: Vec::new(),
            has_bare: false,
        };
        answer.u32s([0, 0]);
        answer.u64s([request.0]);
        answer
    }

    fn add(
        &mut self,
        entry: &DirectoryEntry<'_>,
        attributes: Option<&Attributes>,
        presentation: &Presentation,
    ) {
        self.count += 1;
        let end = self.bytes.len() + (FIXED + entry.name.len()).next_multiple_of(8);
        let format = match entry.kind {
            Kind::Directory => 0o040_000,
            Kind::File => 0o100_000,
            Kind::Link => 0o120_000,
        };
        match attributes {
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
            None => {
                self.has_bare |= !entry.is_dots();
                self.u64s([0; ATTRIBUTES / 8]);
            }
        }
        self.u64s([entry.inode.0, entry.next]);
        self.u32s([entry.name.len() as u32, format >> 12]);
        self.bytes.extend_from_slice(entry.name.as_bytes());
        self.bytes.resize(end, 0);
    }

    /// Removes the attributes of entries whose state of the database was dropped meanwhile, so that the kernel looks their
    /// names up.
    fn leave_out(&mut self, gone: &[Inode]) {
        if gone.is_empty() {
            return;
        }
        for (inode, &place) in self.inodes.iter().zip(&self.places) {
            if gone.contains(inode)
                && let Some(attributes) = self.bytes.get_mut(place..place + ATTRIBUTES)
            {
                attributes.fill(0);
                self.has_bare = true;
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
