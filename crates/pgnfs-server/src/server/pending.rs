//! A request that has no answer yet. It is answered exactly once: by the thread that has the answer, or by the thread
//! that gives it up.

use parking_lot::Mutex;
use std::marker::PhantomData;
use std::sync::{Arc, Weak};
use std::time::Instant;

use crate::fs::{Failure, FsError};
use chessdb_library::task::Request;

/// Delivers an answer to the caller, for example a function.
pub trait Reply<A>: Send + 'static {
    /// Delivers the answer, in the thread that has it. Called once.
    fn send(self, answer: Result<A, FsError>);
}

impl<A, F: FnOnce(Result<A, FsError>) + Send + 'static> Reply<A> for F {
    fn send(self, answer: Result<A, FsError>) {
        self(answer);
    }
}

/// A request that another thread answers. The front end can give it up with this.
pub struct Unanswered(Weak<dyn Waiting>);

impl Unanswered {
    pub(super) fn of(waiting: &Arc<dyn Waiting>) -> Unanswered {
        Unanswered(Arc::downgrade(waiting))
    }

    /// False once it has an answer.
    pub fn is_open(&self) -> bool {
        self.0.upgrade().is_some_and(|waiting| waiting.is_open())
    }

    /// True while it waits for the [turn](chessdb_library::turns) of its search.
    pub fn waits_for_turn(&self) -> bool {
        self.0.upgrade().is_some_and(|waiting| waiting.request().waits())
    }

    /// Gives the request up for its caller: it is answered with [`FsError::Interrupted`], and work that only it needs
    /// ends soon.
    pub fn leave(&self) {
        if let Some(waiting) = self.0.upgrade() {
            waiting.give_up(FsError::Interrupted);
        }
    }

    /// Gives the request up because serving ends, unless the request is answered even then.
    pub(super) fn end(&self) {
        if let Some(waiting) = self.0.upgrade().filter(|waiting| waiting.ends_with_serving()) {
            waiting.give_up(FsError::Io(Failure::Ended));
        }
    }
}

/// A request that waits for a thread, or in one.
pub(super) trait Waiting: Send + Sync {
    /// True if it has no answer.
    fn is_open(&self) -> bool;

    /// True if it is given up when serving ends.
    fn ends_with_serving(&self) -> bool;

    /// The request that its threads work for; abandoned when it is given up.
    fn request(&self) -> &Request;

    /// Answers it with an error, unless it has an answer.
    fn give_up(&self, error: FsError);
}

/// A request together with its reply.
pub(super) struct Pending<A: 'static, R: Reply<A>> {
    /// The user who makes it.
    pub(super) user: u32,
    ends_with_serving: bool,
    reply: ReplyPlace<A, R>,
}

/// Where the reply is.
enum ReplyPlace<A: 'static, R: Reply<A>> {
    /// Only this thread can send it.
    Here(OnceReply<A, R>),
    /// Another thread may give the request up.
    Shared(Arc<SharedReply<A, R>>),
}

/// A reply that is sent exactly once; dropping it sends an input/output error.
struct OnceReply<A, R: Reply<A>>(Option<R>, PhantomData<fn(A)>);

struct SharedReply<A, R: Reply<A>> {
    unsent: Mutex<OnceReply<A, R>>,
    /// When the request began to wait. All its parts share one timeout.
    since: Instant,
    ends_with_serving: bool,
    request: Request,
}

impl<A: 'static, R: Reply<A>> Pending<A, R> {
    /// A new request of a user.
    pub(super) fn new(user: u32, ends_with_serving: bool, reply: R) -> Pending<A, R> {
        Pending {
            user,
            ends_with_serving,
            reply: ReplyPlace::Here(OnceReply(Some(reply), PhantomData)),
        }
    }

    /// True if it was passed to another thread before.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.reply, ReplyPlace::Shared(_))
    }

    /// Lets another thread answer it. Returns the request for that thread, the same for threads that may give it up,
    /// and when it began to wait.
    pub(super) fn share(self) -> (Pending<A, R>, Arc<dyn Waiting>, Instant) {
        let shared = match self.reply {
            ReplyPlace::Here(unsent) => Arc::new(SharedReply {
                unsent: Mutex::new(unsent),
                since: Instant::now(),
                ends_with_serving: self.ends_with_serving,
                request: Request::new(self.user),
            }),
            ReplyPlace::Shared(shared) => shared,
        };
        let (waiting, since) = (Arc::clone(&shared), shared.since);
        let reply = ReplyPlace::Shared(shared);
        (Pending { reply, ..self }, waiting, since)
    }

    /// Sends the result of `answer`, which is called only if the request was not given up. From then on nothing can
    /// give it up, so `answer` is the place for changes that must match what the caller receives, such as counting
    /// references.
    pub(super) fn answer(self, answer: impl FnOnce() -> Result<A, FsError>) {
        let mut taken = match self.reply {
            ReplyPlace::Here(unsent) => unsent,
            // Taken out under the lock, but sent without it: a reply can take long.
            ReplyPlace::Shared(shared) => OnceReply(shared.unsent.lock().0.take(), PhantomData),
        };
        if taken.0.is_some() {
            let answer = answer();
            if let Some(reply) = taken.0.take() {
                reply.send(answer);
            }
        }
    }

    /// Answers it with an error.
    pub(super) fn refuse(self, error: FsError) {
        self.answer(|| Err(error));
    }

    /// Calls `add` with the reply, which is not sent yet. `None` if the request was given up.
    pub(super) fn with<T>(&mut self, add: impl FnOnce(&mut R) -> T) -> Option<T> {
        match &mut self.reply {
            ReplyPlace::Here(unsent) => unsent.0.as_mut().map(add),
            ReplyPlace::Shared(shared) => shared.unsent.lock().0.as_mut().map(add),
        }
    }
}

impl<A: 'static, R: Reply<A>> Waiting for SharedReply<A, R> {
    fn is_open(&self) -> bool {
        self.unsent.lock().0.is_some()
    }

    fn ends_with_serving(&self) -> bool {
        self.ends_with_serving
    }

    fn request(&self) -> &Request {
        &self.request
    }

    fn give_up(&self, error: FsError) {
        let reply = self.unsent.lock().0.take();
        // Abandoned only now: work that ends at this answers its request, too.
        self.request.abandon();
        if let Some(reply) = reply {
            reply.send(Err(error));
        }
    }
}

impl<A, R: Reply<A>> Drop for OnceReply<A, R> {
    fn drop(&mut self) {
        if let Some(reply) = self.0.take() {
            reply.send(Err(FsError::Io(Failure::Unexpected)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_request_is_answered_once_whatever_becomes_of_it() {
        let (sender, answers) = channel();
        let pending = |ends_with_serving| {
            let sender = sender.clone();
            let reply = move |answer: Result<u8, FsError>| sender.send(answer).unwrap();
            Pending::new(0, ends_with_serving, reply)
        };
        let answered = || answers.try_iter().collect::<Vec<_>>();
        // A request that no thread answers gets an error.
        drop(pending(true));
        assert_eq!(answered(), [Err(FsError::Io(Failure::Unexpected))]);
        let (own, waiting, _) = pending(true).share();
        drop(waiting);
        drop(own);
        assert_eq!(answered(), [Err(FsError::Io(Failure::Unexpected))]);
        // A request that has an answer cannot be given up.
        let (own, waiting, _) = pending(true).share();
        let unanswered = Unanswered::of(&waiting);
        own.answer(|| Ok(7));
        unanswered.leave();
        unanswered.end();
        assert_eq!(answered(), [Ok(7)]);
        // A request that was given up gets no other answer.
        let (own, waiting, _) = pending(false).share();
        let unanswered = Unanswered::of(&waiting);
        unanswered.end();
        assert!(unanswered.is_open() && answered().is_empty());
        unanswered.leave();
        assert!(!unanswered.is_open() && waiting.request().is_abandoned());
        own.answer(|| panic!("a given-up request is answered"));
        drop(waiting);
        assert_eq!(answered(), [Err(FsError::Interrupted)]);
        let (own, waiting, _) = pending(true).share();
        Unanswered::of(&waiting).end();
        drop((own, waiting));
        assert_eq!(answered(), [Err(FsError::Io(Failure::Ended))]);
    }
}
