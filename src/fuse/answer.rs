//! Replies to the kernel, and their lines in the log.

use fuser::{
    Errno, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry,
    ReplyIoctl, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr,
};

use super::trace::{Answered, Traced};
use pgnfs_server::FsError;

/// A reply of any type in fuser.
pub(super) trait KernelReply: Send + 'static {
    /// Replies with an error.
    fn refuse(self, error: Errno);
}

macro_rules! replies {
    ($($reply:ty)*) => {$(
        impl KernelReply for $reply {
            fn refuse(self, error: Errno) {
                self.error(error);
            }
        }
    )*};
}

replies!(ReplyAttr ReplyCreate ReplyData ReplyDirectory ReplyDirectoryPlus ReplyEmpty ReplyEntry);
replies!(ReplyIoctl ReplyLseek ReplyOpen ReplyStatfs ReplyWrite ReplyXattr);

/// A reply that has not been sent.
pub(super) struct Unsent<R> {
    pub(super) reply: R,
    pub(super) traced: Traced,
}

impl<R: KernelReply> Unsent<R> {
    /// Sends the reply with `how`. The end of the request is logged first, because the waiting program may read the log
    /// as soon as it has the reply.
    pub(super) fn answer(self, outcome: Answered, how: impl FnOnce(R)) {
        self.traced.end(outcome);
        how(self.reply);
    }

    /// Replies with an error.
    pub(super) fn refuse(self, error: Errno) {
        self.answer(Answered::Error(error), |reply| reply.refuse(error));
    }

    /// Sends an answer with `how`, or its error.
    pub(super) fn send<A>(
        self,
        answer: Result<A, FsError>,
        outcome: impl FnOnce(&A) -> Answered,
        how: impl FnOnce(R, A),
    ) {
        match answer {
            Ok(answer) => self.answer(outcome(&answer), |reply| how(reply, answer)),
            Err(error) => self.refuse(errno(&error)),
        }
    }
}

/// The number of an error.
pub(super) fn errno(error: &FsError) -> Errno {
    Errno::from_i32(error.errno())
}
