//! Which thread answers a request, and replies that can be given up.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use fuser::{
    Errno, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry,
    ReplyIoctl, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr,
};

use super::trace::{Outcome, Traced};
use super::{Shared, guarded};
use crate::fs::{Resolved, Where};

/// Answers a request here, or in another thread where this one might have to wait for many games or for a source that
/// does not answer. Where the source takes too long, the answer is EIO.
///
/// A reply that is dropped unanswered, because its thread cannot be started or panics, says EIO.
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

/// A reply of any kind.
pub(super) trait Reply: Send + 'static {
    /// Answers with an error.
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

/// The reply to a request. It is gone where the request was given up meanwhile.
pub(super) enum Pending<R> {
    /// Only this thread can answer.
    Own(Open<R>),
    /// Another one may give up. It began to wait at this time.
    Shared(Arc<Mutex<Option<Open<R>>>>, Instant),
}

/// A reply that was not made yet.
pub(super) struct Open<R> {
    reply: R,
    traced: Traced,
}

impl<R: Reply> Pending<R> {
    /// The reply to a request.
    pub(super) fn new(reply: R, traced: Traced) -> Pending<R> {
        Pending::Own(Open { reply, traced })
    }

    /// The same reply twice, for two threads. The first one to answer does.
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

    /// When it began to wait for a source: now, where it has not yet. A request has one time for all its parts.
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

    /// Answers, where the request was not given up. What the kernel is told must be taken down in `how` and not
    /// before.
    pub(super) fn answer(self, outcome: Outcome, how: impl FnOnce(R)) {
        let open = match self {
            Pending::Own(open) => Some(open),
            Pending::Shared(shared, _) => shared.lock().unwrap_or_else(PoisonError::into_inner).take(),
        };
        if let Some(Open { reply, traced }) = open {
            // The program that waits may look at the log next.
            traced.end(outcome);
            how(reply);
        }
    }

    /// Answers with an error.
    pub(super) fn refuse(self, error: Errno) {
        self.answer(Outcome::Error(error), |reply| reply.refuse(error));
    }

    /// Adds something to an answer that is not complete; none where the request was given up.
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
