//! Listings, entry by entry.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::pending::{Pending, Reply};
use crate::fs::{Attributes, DirectoryEntry, Inode, Kind, Live, Open};

/// Directories with more entries are huge, and listed without attributes: a kernel would create an inode for every
/// entry, which takes ten times as long as the listing itself.
const HUGE: usize = 10_000;

/// Maximum number of games decoded for one part of a listing. Programs that list a directory usually need the sizes of
/// its games next, and a request for each game takes longer than decoding it now.
const MOST_DECODED: usize = 256;

/// No further game is decoded for a part of a listing after this time, because other requests wait for the thread.
const LONGEST: Duration = Duration::from_millis(5);

/// What a listing says of each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Name, kind and inode.
    Bare,
    /// Attributes as well, where the size is known or quickly found; the front end then holds the node.
    WithAttributes,
}

/// One entry of a directory.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its node.
    pub inode: Inode,
    /// What that is.
    pub kind: Kind,
    /// The offset at which a listing continues after this entry.
    pub next: u64,
    /// The attributes, if they were asked for and are known.
    pub attributes: Option<&'a Attributes>,
}

impl Entry<'_> {
    /// True for `.` and `..`.
    pub fn is_dots(&self) -> bool {
        matches!(self.name, "." | "..")
    }
}

/// What takes the entries of a listing. Its end is [sent](Reply::send): the nodes of entries with attributes that are not
/// held after all, because their state was dropped meanwhile; their attributes are not to be used.
pub trait Visitor: Reply<Vec<Inode>> {
    /// Takes an entry. If it breaks, the listing ends before this entry.
    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()>;
}

/// Lists an open directory.
pub(super) fn list<V: Visitor>(
    live: &Live,
    directory: &Open<'_>,
    offset: u64,
    detail: Detail,
    mut request: Pending<Vec<Inode>, V>,
) {
    let mut sizes = match directory.entries() {
        Ok(len) => ListedSizes::new(len, detail),
        Err(error) => return request.refuse(error),
    };
    let mut held = Vec::new();
    let read = directory.read_dir(offset, &mut |entry| {
        let attributes = sizes.attributes(&entry);
        let DirectoryEntry {
            name,
            inode,
            kind,
            next,
            ..
        } = entry;
        let entry = Entry {
            name,
            inode,
            kind,
            next,
            attributes: attributes.as_ref(),
        };
        let taken = request.with(|visitor| visitor.visit(&entry));
        if taken == Some(ControlFlow::Continue(())) {
            held.extend(attributes.map(|_| inode));
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    // Held before the end is sent, because they may be released at once.
    request.answer(|| read.map(|()| live.hold(&held)));
}

/// Which entries of a part of a listing have attributes: those whose size is known or quickly found.
struct ListedSizes {
    are_wanted: bool,
    begin: Instant,
    decoded: usize,
}

impl ListedSizes {
    /// For a directory with so many entries.
    fn new(len: usize, detail: Detail) -> ListedSizes {
        ListedSizes {
            are_wanted: detail == Detail::WithAttributes && len <= HUGE,
            begin: Instant::now(),
            decoded: 0,
        }
    }

    /// The attributes of an entry, if it is to have them.
    fn attributes(&mut self, entry: &DirectoryEntry<'_>) -> Option<Attributes> {
        if !self.are_wanted || entry.is_dots() {
            return None;
        }
        let known = entry.attributes_if_known();
        let is_decoded = known.is_none()
            && entry.inode.is_game()
            && self.decoded < MOST_DECODED
            && self.begin.elapsed() < LONGEST
            && !entry.must_wait();
        if !is_decoded {
            return known;
        }
        self.decoded += 1;
        entry.attributes().ok()
    }
}
