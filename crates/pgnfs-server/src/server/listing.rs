//! Listings, entry by entry.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::pending::{Pending, Reply};
use crate::fs::{CurrentState, Entry, Inode, OpenNode};

/// A directory with more entries is listed without attributes: with them, the kernel would create an inode for each
/// entry, which takes ten times as long as the listing itself.
const HUGE: usize = 10_000;

/// Maximum number of games decoded for one part of a listing. Programs that list a directory usually need the sizes of
/// its games next, and a request for each game takes longer than decoding it now.
const MOST_DECODED: usize = 256;

/// Time after which no further game is decoded for a part of a listing, because other requests wait for the thread.
const LONGEST: Duration = Duration::from_millis(5);

/// How much a listing says about each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Name, kind and inode.
    Bare,
    /// Attributes as well, if the size is known or quickly found; the front end then holds the node.
    WithAttributes,
}

/// Receives the entries of a listing. At the end it is [sent](Reply::send) the nodes that are not held after all,
/// because their state was dropped meanwhile; their attributes must not be used.
pub trait Visitor: Reply<Vec<Inode>> {
    /// Takes an entry. If it breaks, the listing ends before this entry.
    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()>;
}

/// Lists an open directory.
pub(super) fn list<V: Visitor>(
    live: &CurrentState,
    directory: &OpenNode,
    offset: u64,
    detail: Detail,
    mut request: Pending<Vec<Inode>, V>,
) {
    let len = match directory.entries() {
        Ok(len) => len,
        Err(error) => return request.refuse(error),
    };
    let has_attributes = detail == Detail::WithAttributes && len <= HUGE;
    let (begin, mut decoded) = (Instant::now(), 0);
    let mut held = Vec::new();
    let read = directory.read_dir(offset, &mut |mut entry| {
        if has_attributes && !entry.is_dots() {
            entry.attributes = directory.attributes_of(&entry, || {
                let may_decode = decoded < MOST_DECODED && begin.elapsed() < LONGEST;
                decoded += usize::from(may_decode);
                may_decode
            });
        }
        let taken = request.with(|visitor| visitor.visit(&entry));
        if taken == Some(ControlFlow::Continue(())) {
            held.extend(entry.attributes.map(|_| entry.inode));
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    // Held before the end is sent, because the receiver may release them at once.
    request.answer(|| read.map(|()| live.hold(&held)));
}
