//! Which thread answers a request, and replies to requests that may be given up.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use fuser::{
    Errno, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry,
    ReplyIoctl, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr,
};

use super::trace::{Answered, Traced};
use super::{Shared, guarded};
use crate::fs::{Resolved, Where};

/// Answers a request in this thread, or in another one if it may have to wait for many games or for a source
/// that does not answer. The reply is EIO if the source takes too long.
///
/// A reply that is dropped, because its thread panics or cannot be started, becomes EIO as well.
pub(super) fn answer<R, A>(shared: &Arc<Shared>, node: Resolved, reply: Pending<R>, answer: A)
where
    R: Reply,
    A: FnOnce(&Arc<Shared>, Resolved, Pending<R>) + Send + 'static,
{
    let pool = match node.where_to_answer() {
        Where::Here => return answer(shared, node, reply),
        Where::Aside => None,
        Where::Pool(pool) => Some(pool),
    };
    let own = Arc::clone(shared);
    if let Some(pool) = pool {
        let since = reply.since();
        let (reply, late) = reply.shared(since);
        let work = move || guarded(|| answer(&own, node, reply));
        return pool.submit(since, work, move || late.refuse(Errno::EIO));
    }
    let started = thread::Builder::new()
        .name("waiting".to_owned())
        .spawn(move || guarded(|| answer(&own, node, reply)));
    if let Err(error) = started {
        log::error!("cannot start a thread for a request: {error}");
    }
}

/// A reply of any type in fuser.
pub(super) trait Reply: Send + 'static {
    /// Replies with an error.
    fn refuse(self, error: Errno);
}

macro_rules! replies {
    ($($reply:ty)*) => {$(
        impl Reply for $reply {
            fn refuse(self, error: Errno) {
                self.error(error);
            }
        }
    )*};
}

replies!(ReplyAttr ReplyCreate ReplyData ReplyDirectory ReplyDirectoryPlus ReplyEmpty ReplyEntry);
replies!(ReplyIoctl ReplyLseek ReplyOpen ReplyStatfs ReplyWrite ReplyXattr);

/// The reply to a request that may be given up.
pub(super) enum Pending<R> {
    /// Only this thread can reply.
    Own(Open<R>),
    /// Another thread may give up the request, which has been waiting since this time.
    Shared(Arc<Mutex<Option<Open<R>>>>, Instant),
}

/// A reply that has not been sent.
pub(super) struct Open<R> {
    reply: R,
    traced: Traced,
}

impl<R: Reply> Pending<R> {
    /// The reply to a new request.
    pub(super) fn new(reply: R, traced: Traced) -> Pending<R> {
        Pending::Own(Open { reply, traced })
    }

    /// Splits the reply for two threads; only the first one to answer sends it.
    fn shared(self, since: Instant) -> (Pending<R>, Pending<R>) {
        let shared = match self {
            Pending::Own(open) => Arc::new(Mutex::new(Some(open))),
            Pending::Shared(shared, _) => shared,
        };
        (
            Pending::Shared(Arc::clone(&shared), since),
            Pending::Shared(shared, since),
        )
    }

    /// When the request began to wait for a source, or now if it has not. All parts of a request share one
    /// timeout.
    fn since(&self) -> Instant {
        match self {
            Pending::Own(_) => Instant::now(),
            Pending::Shared(_, since) => *since,
        }
    }

    /// True in a thread of a pool.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Pending::Shared(..))
    }

    /// Sends the reply with `how`, unless the request was given up. Side effects that must match what the
    /// kernel receives, such as counting a look-up, belong into `how`.
    pub(super) fn answer(self, outcome: Answered, how: impl FnOnce(R)) {
        let open = match self {
            Pending::Own(open) => Some(open),
            Pending::Shared(shared, _) => shared.lock().unwrap_or_else(PoisonError::into_inner).take(),
        };
        if let Some(Open { reply, traced }) = open {
            // The end is logged first, because the waiting program may read the log as soon as it has the
            // reply.
            traced.end(outcome);
            how(reply);
        }
    }

    /// Replies with an error.
    pub(super) fn refuse(self, error: Errno) {
        self.answer(Answered::Error(error), |reply| reply.refuse(error));
    }

    /// Adds something to an incomplete reply; `None` if the request was given up.
    pub(super) fn with<T>(&mut self, add: impl FnOnce(&mut R) -> T) -> Option<T> {
        match self {
            Pending::Own(open) => Some(add(&mut open.reply)),
            Pending::Shared(shared, _) => {
                let mut open = shared.lock().unwrap_or_else(PoisonError::into_inner);
                open.as_mut().map(|open| add(&mut open.reply))
            }
        }
    }
}
