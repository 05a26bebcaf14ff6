//! Which thread answers a request, and replies that can be given up.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use fuser::{
    Errno, ReplyAttr, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry, ReplyXattr,
};

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
        let (reply, late) = reply.shared();
        let work = move || guarded(|| answer(&own, node, reply));
        return pool.submit(work, move || late.refuse(Errno::EIO));
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

replies!(ReplyAttr ReplyData ReplyDirectory ReplyDirectoryPlus ReplyEmpty ReplyEntry ReplyXattr);

/// The reply to a request. It is gone where the request was given up meanwhile.
pub(super) enum Pending<R> {
    /// Only this thread can answer.
    Own(R),
    /// Another one may give up.
    Shared(Arc<Mutex<Option<R>>>),
}

impl<R: Reply> Pending<R> {
    /// The same reply twice, for two threads. The first one to answer does.
    fn shared(self) -> (Pending<R>, Pending<R>) {
        let shared = match self {
            Pending::Own(reply) => Arc::new(Mutex::new(Some(reply))),
            Pending::Shared(shared) => shared,
        };
        (Pending::Shared(Arc::clone(&shared)), Pending::Shared(shared))
    }

    /// True in a thread of a pool.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Pending::Shared(_))
    }

    /// Answers, where the request was not given up. What the kernel is told must be taken down in `how` and not
    /// before.
    pub(super) fn answer(self, how: impl FnOnce(R)) {
        let reply = match self {
            Pending::Own(reply) => Some(reply),
            Pending::Shared(shared) => shared.lock().unwrap_or_else(PoisonError::into_inner).take(),
        };
        if let Some(reply) = reply {
            how(reply);
        }
    }

    /// Answers with an error.
    pub(super) fn refuse(self, error: Errno) {
        self.answer(|reply| reply.refuse(error));
    }

    /// Adds something to an answer that is not complete; none where the request was given up.
    pub(super) fn with<T>(&mut self, add: impl FnOnce(&mut R) -> T) -> Option<T> {
        match self {
            Pending::Own(reply) => Some(add(reply)),
            Pending::Shared(shared) => {
                let mut reply = shared.lock().unwrap_or_else(PoisonError::into_inner);
                reply.as_mut().map(add)
            }
        }
    }
}
