//! READDIR, and READDIRPLUS, whose entries have attributes only if these are known.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd;

use fuser::{Errno, Generation, INodeNo, ReplyDirectory, ReplyDirectoryPlus, RequestId};

use super::attributes::file_type;
use super::trace::Answered;
use super::walk::is_followed;
use super::{BLOCK, FOREVER, Pending, Presentation, Shared, errno};
use crate::fs::{Entry, Inode, Kind, Live, Resolved};

/// Directories with more entries are huge, and listed without attributes: the kernel would create an inode for
/// every entry, which takes ten times as long as the listing itself.
const HUGE: usize = 10_000;

/// Answers READDIR with as many entries from `offset` as fit.
pub(super) fn answer(directory: &Resolved, offset: u64, mut reply: Pending<ReplyDirectory>) {
    let mut count = 0;
    let read = directory.read_dir(offset, false, &mut |entry| {
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
/// fuse_dirent` as well, but C libraries before glibc 2.42 skip names with inode 0. Therefore a reply that
/// begins with such an entry, or is known to have one, is written here, and fuser's reply only shows when it
/// is full. Any other reply ends before the first such entry.
pub(super) fn answer_plus(
    shared: &Shared,
    request: RequestId,
    directory: &Resolved,
    offset: u64,
    mut reply: Pending<ReplyDirectoryPlus>,
) {
    let presentation = &shared.presentation;
    let with_attributes = match directory.entries() {
        Ok(entries) => entries <= HUGE,
        Err(error) => return reply.refuse(errno(error)),
    };
    let mut own = (!with_attributes).then(|| Answer::new(request));
    let mut count = 0;
    let mut counted = Counted::new(&shared.fs);
    let read = directory.read_dir(offset, with_attributes, &mut |entry| {
        // The kernel ignores the attributes of `.` and `..`.
        let is_dots = matches!(entry.name, "." | "..");
        // An entry whose state of the database was dropped meanwhile is listed without attributes, so the kernel
        // looks its name up.
        let is_counted = entry.attributes.is_some() && !is_dots && counted.add(entry.inode);
        let entry = Entry {
            attributes: entry.attributes.filter(|_| is_dots || is_counted),
            ..entry
        };
        if entry.attributes.is_none() && !is_dots && own.is_none() {
            if count > 0 {
                // The next reply begins with this entry and is written here.
                return ControlFlow::Break(());
            }
            own = Some(Answer::new(request));
        }
        let attributes = match &entry.attributes {
            Some(attributes) => presentation.of(attributes),
            None => presentation.bare(entry.inode, entry.kind),
        };
        let number = INodeNo(entry.inode.0);
        let add = |reply: &mut ReplyDirectoryPlus| {
            let generation = Generation(0);
            reply.add(number, entry.next, entry.name, &FOREVER, &attributes, generation)
        };
        if reply.with(add) != Some(false) {
            if is_counted {
                counted.remove_last();
            }
            return ControlFlow::Break(());
        }
        count += 1;
        if let Some(own) = &mut own {
            own.add(&entry, presentation);
        }
        ControlFlow::Continue(())
    });
    if let Err(error) = read {
        return reply.refuse(errno(error));
    }
    reply.answer(Answered::Entries(count), |reply| {
        let Some(own) = own.filter(|own| own.has_bare) else {
            counted.keep();
            return reply.ok();
        };
        match own.send(&shared.kernel) {
            Ok(()) => counted.keep(),
            Err(error) => {
                // ENOENT: the reader was killed and no longer waits.
                let level = match error.raw_os_error() {
                    Some(libc::ENOENT) => log::Level::Debug,
                    _ => log::Level::Error,
                };
                log::log!(level, "a listing could not be answered: {error}");
            }
        }
        // The kernel ignores this second reply; it only ends fuser's reply object.
        reply.error(Errno::EIO);
    });
    if is_followed(directory, offset) {
        shared.ahead.listed(&shared.fs, directory.inode());
    }
}

/// Look-ups that a reply implies. They are counted before it is sent, because FORGET may follow immediately, and
/// taken back if it is not sent.
struct Counted<'a> {
    fs: &'a Live,
    inodes: Vec<Inode>,
}

impl<'a> Counted<'a> {
    fn new(fs: &'a Live) -> Counted<'a> {
        Counted {
            fs,
            inodes: Vec::new(),
        }
    }

    /// Counts a look-up. Returns false if the state of the inode's database was dropped.
    fn add(&mut self, inode: Inode) -> bool {
        let is_there = self.fs.hold(&[inode]).is_empty();
        self.inodes.extend(is_there.then_some(inode));
        is_there
    }

    fn remove_last(&mut self) {
        if let Some(inode) = self.inodes.pop() {
            self.fs.release(inode, 1);
        }
    }

    /// The reply is sent now.
    fn keep(mut self) {
        self.inodes.clear();
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.inodes.drain(..).for_each(|inode| self.fs.release(inode, 1));
    }
}

/// Bytes of `struct fuse_direntplus` before the name: `struct fuse_entry_out` and `struct fuse_dirent`.
const FIXED: usize = 128 + 24;

/// A reply in the kernel's layout (`linux/fuse.h`): length, error and request number, then the entries.
struct Answer {
    bytes: Vec<u8>,
    /// True if an entry has no attributes. Any other reply can be left to fuser.
    has_bare: bool,
}

impl Answer {
    fn new(request: RequestId) -> Answer {
        let mut answer = Answer {
            bytes: Vec::with_capacity(4096),
            has_bare: false,
        };
        answer.u32s([0, 0]);
        answer.u64s([request.0]);
        answer
    }

    fn add(&mut self, entry: &Entry<'_>, presentation: &Presentation) {
        let end = self.bytes.len() + (FIXED + entry.name.len()).next_multiple_of(8);
        let format = match entry.kind {
            Kind::Directory => 0o040_000,
            Kind::File => 0o100_000,
            Kind::Link => 0o120_000,
        };
        match &entry.attributes {
            Some(attributes) => {
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
                self.has_bare = true;
                self.u64s([0; 16]);
            }
        }
        self.u64s([entry.inode.0, entry.next]);
        self.u32s([entry.name.len() as u32, format >> 12]);
        self.bytes.extend_from_slice(entry.name.as_bytes());
        self.bytes.resize(end, 0);
    }

    fn u64s(&mut self, values: impl IntoIterator<Item = u64>) {
        self.bytes.extend(values.into_iter().flat_map(u64::to_ne_bytes));
    }

    fn u32s(&mut self, values: impl IntoIterator<Item = u32>) {
        self.bytes.extend(values.into_iter().flat_map(u32::to_ne_bytes));
    }

    fn send(mut self, kernel: impl AsFd) -> io::Result<()> {
        let len = self.bytes.len() as u32;
        if let Some(field) = self.bytes.first_chunk_mut() {
            *field = len.to_ne_bytes();
        }
        rustix::io::write(kernel, &self.bytes)?;
        Ok(())
    }
}
