//! LOOKUP: names to inodes and their attributes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use fuser::{Errno, Generation, ReplyEntry};

use super::answer::{Pending, answer};
use super::attributes::of_nothing;
use super::trace::Outcome;
use super::{FOREVER, NAME_MAX, Shared, errno};
use crate::fs::Inode;

/// Looks up a name and answers with the attributes of what it stands for.
pub(super) fn look_up(shared: &Arc<Shared>, parent: Inode, name: &OsStr, reply: Pending<ReplyEntry>) {
    let found = match name.as_bytes() {
        b"." => Ok(parent),
        b".." => shared.fs.parent(parent),
        long if long.len() > NAME_MAX as usize => return reply.refuse(Errno::ENAMETOOLONG),
        _ => shared.fs.lookup(parent, name),
    };
    match found.map_err(errno) {
        // It is the same database's, whose few threads must not be kept by what takes long.
        Ok(inode) if reply.is_shared() && !shared.fs.may_wait(inode) => describe(shared, inode, reply),
        Ok(inode) => answer(shared, inode, reply, move |shared, reply| {
            describe(shared, inode, reply);
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
fn describe(shared: &Shared, inode: Inode, reply: Pending<ReplyEntry>) {
    match shared.fs.attributes(inode) {
        Ok(attributes) => reply.answer(Outcome::Found(inode, attributes.size), |reply| {
            // Before the kernel can forget it.
            shared.fs.remember(inode);
            let attributes = shared.presentation.of(&attributes);
            reply.entry(&FOREVER, &attributes, Generation(0));
        }),
        Err(error) => reply.refuse(errno(error)),
    }
}
