//! LOOKUP: from names to inodes and their attributes.

use std::ffi::OsStr;
use std::sync::Arc;

use fuser::{Errno, Generation, ReplyEntry};

use super::answer::{Pending, answer};
use super::attributes::of_nothing;
use super::trace::Answered;
use super::{FOREVER, NAME_MAX, Shared, errno};
use crate::fs::Open;

/// Looks up a name and replies with the attributes of its node.
pub(super) fn look_up(shared: &Arc<Shared>, directory: &Open<'_>, name: &OsStr, reply: Pending<ReplyEntry>) {
    if name.len() > NAME_MAX as usize {
        return reply.refuse(Errno::ENAMETOOLONG);
    }
    match shared.fs.child(directory, name).map_err(errno) {
        // The node belongs to the same database. Slow work moves to other workers, so that it does not occupy
        // the threads of this one.
        Ok(found) if reply.is_shared() && !found.may_wait() => match found.open() {
            Ok(found) => describe(shared, &found, reply),
            Err(error) => reply.refuse(errno(error)),
        },
        Ok(found) => answer(shared, found, reply, |shared, found, reply| {
            describe(shared, found, reply);
        }),
        // Node 0 makes the kernel cache the missing entry.
        Err(error) if error == Errno::ENOENT => {
            shared.fs.note_refused(directory, name, reply.user());
            reply.answer(Answered::Error(error), |reply| {
                reply.entry(&FOREVER, &of_nothing(), Generation(0));
            });
        }
        Err(error) => reply.refuse(error),
    }
}

/// Replies to a look-up with the attributes of the node.
fn describe(shared: &Shared, found: &Open<'_>, reply: Pending<ReplyEntry>) {
    let inode = found.handle().inode();
    match found.attributes() {
        Ok(attributes) => reply.answer(Answered::Found(inode, attributes.size), |reply| {
            // Counted before the reply is sent, because FORGET may follow immediately.
            if shared.fs.hold(&[inode]).is_empty() {
                reply.entry(&FOREVER, &shared.presentation.of(&attributes), Generation(0));
            } else {
                // The state of the database was replaced and dropped meanwhile. ESTALE makes the kernel look
                // up the whole path again.
                reply.error(Errno::ESTALE);
            }
        }),
        Err(error) => reply.refuse(errno(error)),
    }
}
