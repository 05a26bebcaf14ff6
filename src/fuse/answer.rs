//! Which thread answers a request, and replies to requests that may be given up.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Instant;

use fuser::{
    Errno, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry,
    ReplyIoctl, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr,
};

use super::trace::{Answered, Traced};
use super::waiting::{Refusable, RequestOrigin, WaitingRequests};
use super::{Shared, errno, guarded};
use crate::fs::{Open, OpenedHere, Resolved};
use chessdb_library::cancel::Cancel;
use chessdb_library::turns::for_user;
use chessdb_library::workers::{WorkerOptions, Workers};

/// Maximum number of threads in which requests of a user wait at a time. The thread of a killed caller waits on with the
/// work.
const MOST_WAITING: usize = 500;

/// Opens a node and answers a request for it, in this thread, or in another one if it may have to wait for many games
/// or for a source that does not answer. The reply is EIO if the source takes too long, EINTR if the caller is killed, and EAGAIN if very
/// many requests of the user wait.
///
/// A reply that is dropped, because its thread panics or cannot be started, becomes EIO as well.
pub(super) fn answer<R, A>(shared: &Arc<Shared>, node: Resolved, reply: Pending<R>, answer: A)
where
    R: Reply,
    A: FnOnce(&Arc<Shared>, &Open<'_>, Pending<R>) + Send + 'static,
{
    let (workers, refusal) = match node.open_here() {
        Ok(OpenedHere::Here(node)) => return answer(shared, &node, reply),
        Ok(OpenedHere::Aside) => (shared.aside.of_user(reply.origin.user), Errno::EAGAIN),
        Ok(OpenedHere::Workers(workers)) => (workers, Errno::EIO),
        Err(error) => return reply.refuse(errno(error)),
    };
    let (own, user) = (Arc::clone(shared), reply.origin.user);
    let (reply, since, open) = reply.waiting(&shared.waiting);
    let abandoned = open.abandoned();
    let work = move || {
        let work = || {
            abandoned.serve(|| match node.open() {
                Ok(node) => answer(&own, &node, reply),
                Err(error) => reply.refuse(errno(error)),
            })
        };
        // A reply that is dropped is EIO.
        let _ = own.fs.cancel().run(|| for_user(user, work)).flatten();
    };
    workers.submit(since, || guarded(work), move || open.refuse(refusal));
}

/// The threads for requests to local databases that may have to wait, by user.
#[derive(Default)]
pub(super) struct Aside(Mutex<HashMap<u32, Arc<Workers>>>);

impl Aside {
    fn of_user(&self, user: u32) -> Arc<Workers> {
        let mut users = self.0.lock();
        if let Some(workers) = users.get(&user) {
            return Arc::clone(workers);
        }
        // What has been begun goes on.
        users.retain(|_, workers| workers.oldest().is_some());
        let workers = Workers::new(WorkerOptions {
            name: "waiting",
            threads: MOST_WAITING,
            ..WorkerOptions::default()
        });
        Arc::clone(users.entry(user).or_insert(Arc::new(workers)))
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

/// The reply to a request.
pub(super) struct Pending<R: Reply> {
    origin: RequestOrigin,
    reply: ReplyPlace<R>,
}

/// Where the reply is.
enum ReplyPlace<R: Reply> {
    /// Only this thread can reply.
    Own(Unsent<R>),
    /// Another thread may give up the request, which has been waiting since this time.
    Shared(Arc<SharedReply<R>>, Instant),
}

/// A reply that has not been sent.
struct Unsent<R> {
    reply: R,
    traced: Traced,
}

/// A reply that several threads can send. Only the first one does.
struct SharedReply<R: Reply> {
    reply: Mutex<Option<Unsent<R>>>,
    /// Cancelled when the request is given up.
    abandoned: Cancel,
}

impl<R: Reply> SharedReply<R> {
    fn open(&self) -> MutexGuard<'_, Option<Unsent<R>>> {
        self.reply.lock()
    }
}

impl<R: Reply> Refusable for SharedReply<R> {
    fn is_open(&self) -> bool {
        self.open().is_some()
    }

    fn abandoned(&self) -> Cancel {
        self.abandoned.clone()
    }

    fn refuse(&self, error: Errno) {
        self.abandoned.cancel();
        let open = self.open().take();
        if let Some(Unsent { reply, traced }) = open {
            traced.end(Answered::Error(error));
            reply.refuse(error);
        }
    }
}

/// What is not answered when its work ends is EIO. fuser would reply so, too, but with a warning for each request of a
/// mount that ends.
impl<R: Reply> Drop for SharedReply<R> {
    fn drop(&mut self) {
        self.refuse(Errno::EIO);
    }
}

impl<R: Reply> Pending<R> {
    /// The reply to a new request.
    pub(super) fn new(origin: RequestOrigin, reply: R, traced: Traced) -> Pending<R> {
        Pending {
            origin,
            reply: ReplyPlace::Own(Unsent { reply, traced }),
        }
    }

    /// The reply to a request that waits, when it began to wait, and the request for another thread, which may give it
    /// up. All parts of a request share one timeout.
    fn waiting(self, requests: &WaitingRequests) -> (Pending<R>, Instant, Arc<dyn Refusable>) {
        let (shared, since) = match self.reply {
            ReplyPlace::Own(open) => {
                let shared = Arc::new(SharedReply {
                    reply: Mutex::new(Some(open)),
                    abandoned: Cancel::default(),
                });
                let weak: Weak<SharedReply<R>> = Arc::downgrade(&shared);
                requests.add(self.origin, weak);
                (shared, Instant::now())
            }
            ReplyPlace::Shared(shared, since) => (shared, since),
        };
        let reply = Pending {
            origin: self.origin,
            reply: ReplyPlace::Shared(Arc::clone(&shared), since),
        };
        (reply, since, shared)
    }

    /// The user who made the request.
    pub(super) fn user(&self) -> u32 {
        self.origin.user
    }

    /// True in a thread that may wait.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.reply, ReplyPlace::Shared(..))
    }

    /// Sends the reply with `how`, unless the request was given up. Side effects that must match what the
    /// kernel receives, such as counting a look-up, belong into `how`.
    pub(super) fn answer(self, outcome: Answered, how: impl FnOnce(R)) {
        let open = match self.reply {
            ReplyPlace::Own(open) => Some(open),
            ReplyPlace::Shared(shared, _) => shared.open().take(),
        };
        if let Some(Unsent { reply, traced }) = open {
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
        match &mut self.reply {
            ReplyPlace::Own(open) => Some(add(&mut open.reply)),
            ReplyPlace::Shared(shared, _) => shared.open().as_mut().map(|open| add(&mut open.reply)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    struct ReplyProbe(Sender<Errno>);

    impl Reply for ReplyProbe {
        fn refuse(self, error: Errno) {
            self.0.send(error).unwrap();
        }
    }

    #[test]
    fn a_reply_that_nobody_sends_is_an_error() {
        let requests = WaitingRequests::default();
        let (sender, replies) = channel();
        let origin = RequestOrigin {
            thread: 0,
            user: 0,
            is_read: false,
        };
        let pending = || Pending::new(origin, ReplyProbe(sender.clone()), Traced::default());
        let (reply, _, open) = pending().waiting(&requests);
        drop(open);
        drop(reply);
        assert_eq!(replies.try_iter().collect::<Vec<_>>(), [Errno::EIO]);
        let (reply, ..) = pending().waiting(&requests);
        reply.refuse(Errno::EINTR);
        assert_eq!(replies.try_iter().collect::<Vec<_>>(), [Errno::EINTR]);
    }
}
