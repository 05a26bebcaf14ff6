//! LOOKUP: names to inodes and their attributes.

use std::ffi::OsStr;
use std::sync::Arc;

use fuser::{Errno, Generation, ReplyEntry};

use super::answer::{Pending, answer};
use super::attributes::of_nothing;
use super::trace::Outcome;
use super::{FOREVER, NAME_MAX, Shared, errno};
use crate::fs::Resolved;

/// Looks up a name and answers with the attributes of what it stands for.
pub(super) fn look_up(shared: &Arc<Shared>, directory: &Resolved, name: &OsStr, reply: Pending<ReplyEntry>) {
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
            reply.answer(Outcome::Error(error), |reply| {
                reply.entry(&FOREVER, &of_nothing(), Generation(0));
            });
        }
        Err(error) => reply.refuse(error),
    }
}

/// Answers a look-up with what was found.
fn describe(shared: &Shared, found: &Resolved, reply: Pending<ReplyEntry>) {
    let inode = found.inode();
    match found.attributes() {
        Ok(attributes) => reply.answer(Outcome::Found(inode, attributes.size), |reply| {
            // Before the kernel can forget it.
            shared.fs.remember(inode);
            let attributes = shared.presentation.of(&attributes);
            reply.entry(&FOREVER, &attributes, Generation(0));
        }),
        Err(error) => reply.refuse(errno(error)),
    }
}
