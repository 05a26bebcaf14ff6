//! READDIRPLUS: entries with attributes where these are known, and without where they are not.

use std::io;
use std::mem;
use std::ops::ControlFlow;

use std::os::fd::AsFd;

use fuser::{FileAttr, Generation, INodeNo, ReplyDirectoryPlus, RequestId};

use super::{BLOCK, FOREVER, Presentation, Shared, errno};
use crate::fs::{Entry, Inode, Kind};

/// Answers with the entries from `offset`.
///
/// fuser writes entries with attributes only. An answer ends before the first entry without; the kernel then
/// asks from there, and [`answer_without_attributes`] goes on.
pub(super) fn answer(
    shared: &Shared,
    request: RequestId,
    directory: Inode,
    offset: u64,
    mut reply: ReplyDirectoryPlus,
) {
    let mut empty = true;
    let mut unknown = false;
    let read = shared.fs.read_dir(directory, offset, true, &mut |entry| {
        let Some(attributes) = with_attributes(shared, &entry) else {
            unknown = true;
            return ControlFlow::Break(());
        };
        let number = INodeNo(entry.inode.0);
        if reply.add(
            number,
            entry.next,
            entry.name,
            &FOREVER,
            &attributes,
            Generation(0),
        ) {
            return ControlFlow::Break(());
        }
        remember(shared, &entry);
        empty = false;
        ControlFlow::Continue(())
    });
    match read {
        Err(error) => reply.error(errno(error)),
        Ok(()) if empty && unknown => answer_without_attributes(shared, request, directory, offset, reply),
        Ok(()) => reply.ok(),
    }
}

/// Counts an entry that the kernel is told of: one with attributes, other than `.` and `..`.
fn remember(shared: &Shared, entry: &Entry<'_>) {
    if entry.attributes.is_some() && !matches!(entry.name, "." | "..") {
        shared.fs.remember(entry.inode);
    }
}

/// The attributes of an entry, where they are known. The kernel looks at none for `.` and `..`.
fn with_attributes(shared: &Shared, entry: &Entry<'_>) -> Option<FileAttr> {
    match &entry.attributes {
        Some(attributes) => Some(shared.presentation.of(attributes)),
        None if matches!(entry.name, "." | "..") => Some(shared.presentation.bare(entry.inode, entry.kind)),
        None => None,
    }
}

/// Answers with entries of which some have no attributes.
///
/// Such an entry has node 0, which fuser would put into the directory entry as well, and C libraries before
/// glibc 2.42 skip names with inode 0. So this answer is written here.
fn answer_without_attributes(
    shared: &Shared,
    request: RequestId,
    directory: Inode,
    offset: u64,
    reply: ReplyDirectoryPlus,
) {
    let mut answer = Answer::new(request);
    let read = shared.fs.read_dir(directory, offset, true, &mut |entry| {
        if !answer.add(&entry, &shared.presentation) {
            return ControlFlow::Break(());
        }
        remember(shared, &entry);
        ControlFlow::Continue(())
    });
    match read {
        Ok(()) => {
            if let Err(error) = answer.send(&shared.kernel) {
                log::debug!("an answer was not taken: {error}");
            }
            // The request is answered: fuser must not do it again. Its reply holds nothing but a counted handle
            // of the connection, which lasts as long as the process does.
            mem::forget(reply);
        }
        Err(error) => reply.error(errno(error)),
    }
}

/// Bytes of entries in an answer: what every kernel takes, as it asks for a page at least.
const LIMIT: usize = 4096;

/// Bytes of `struct fuse_out_header`.
const HEADER: usize = 16;

/// Bytes of `struct fuse_direntplus` before the name: `struct fuse_entry_out` and `struct fuse_dirent`.
const FIXED: usize = 128 + 24;

/// An answer in the kernel's layout (`linux/fuse.h`): length, error and request number, then the entries.
struct Answer(Vec<u8>);

impl Answer {
    fn new(request: RequestId) -> Answer {
        let mut answer = Answer(Vec::with_capacity(HEADER + LIMIT));
        answer.u32s([0, 0]);
        answer.u64s([request.0]);
        answer
    }

    /// Adds an entry; false where it does not fit.
    fn add(&mut self, entry: &Entry<'_>, presentation: &Presentation) -> bool {
        let len = (FIXED + entry.name.len()).next_multiple_of(8);
        if self.0.len() + len > HEADER + LIMIT {
            return false;
        }
        let end = self.0.len() + len;
        let format = match entry.kind {
            Kind::Directory => 0o040_000,
            Kind::File => 0o100_000,
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
            None => self.u64s([0; 16]),
        }
        self.u64s([entry.inode.0, entry.next]);
        self.u32s([entry.name.len() as u32, format >> 12]);
        self.0.extend_from_slice(entry.name.as_bytes());
        self.0.resize(end, 0);
        true
    }

    fn u64s(&mut self, values: impl IntoIterator<Item = u64>) {
        self.0.extend(values.into_iter().flat_map(u64::to_ne_bytes));
    }

    fn u32s(&mut self, values: impl IntoIterator<Item = u32>) {
        self.0.extend(values.into_iter().flat_map(u32::to_ne_bytes));
    }

    fn send(mut self, kernel: impl AsFd) -> io::Result<()> {
        let len = self.0.len() as u32;
        if let Some(field) = self.0.first_chunk_mut() {
            *field = len.to_ne_bytes();
        }
        rustix::io::write(kernel, &self.0)?;
        Ok(())
    }
}
