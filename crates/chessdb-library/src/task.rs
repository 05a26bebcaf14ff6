//! Thread-local context of work: when it ends, which request it is for, and where progress is recorded.
//!
//! A thread has one [`Task`]. Helper threads that it starts with `help` have the same one, so that work ends, takes
//! turns and counts as progress in every thread.
//!
//! All work of a mount has one [`Cancel`]. Passes over many games call [`check`] regularly. When the work is
//! cancelled, they unwind to [`Cancel::run`], so that no caller in between can mistake a partial result for a complete
//! one.
//!
//! A [`Request`] may be abandoned, for example because its caller was killed. Most work goes on then, because the next
//! request will need it; work in [`while_wanted`] ends.

use parking_lot::Mutex;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};

use crate::workers::progress::Mark;

thread_local! {
    static CURRENT: RefCell<Task> = const { RefCell::new(Task::NONE) };
}

/// The context of a thread's work.
#[derive(Clone, Debug)]
pub struct Task {
    /// Ends the work.
    cancel: Option<Cancel>,
    /// The requests that want the result. They are abandoned when this is cancelled.
    wanted: Option<Cancel>,
    /// The request that this thread works for. It is one of the requests that want the result.
    request: Option<Request>,
    /// Where progress is recorded.
    mark: Option<Arc<Mark>>,
}

impl Task {
    const NONE: Task = Task {
        cancel: None,
        wanted: None,
        request: None,
        mark: None,
    };

    /// The task of a job of [`Workers`](crate::workers::Workers), which records progress in its mark.
    pub(crate) fn of_job(mark: Arc<Mark>) -> Task {
        Task {
            mark: Some(mark),
            ..Task::NONE
        }
    }

    /// The task of this thread.
    fn current() -> Task {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Does work for this task in this thread.
    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        /// Restores the task that the thread had, also after a panic.
        struct Before(Task);

        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.replace(std::mem::replace(&mut self.0, Task::NONE));
            }
        }

        // Restored by a drop, because cancelled work unwinds through here.
        let _before = Before(CURRENT.replace(self));
        work()
    }
}

/// Ends work, in all threads that do a part of it.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    is_cancelled: Arc<AtomicBool>,
    /// The work that contains this work. When that ends, so does this.
    whole: Option<Arc<Cancel>>,
    /// The requests that want the work. It ends when all of them are abandoned.
    askers: Option<Askers>,
}

/// The work was cancelled and has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl Cancel {
    /// Ends the work that runs now at its next check, and all later work at its first one.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
    }

    /// True after [`Cancel::cancel`].
    pub fn is_cancelled(&self) -> bool {
        let is_over = |whole: &Arc<Cancel>| whole.is_cancelled();
        self.is_cancelled.load(Ordering::Acquire)
            || self.whole.as_ref().is_some_and(is_over)
            || self.askers.as_ref().is_some_and(Askers::is_abandoned)
    }

    /// Does work in this thread.
    ///
    /// # Errors
    /// If it was cancelled before it was done.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        let task = Task {
            cancel: Some(self.clone()),
            ..Task::current()
        };
        catch(|| task.run(work))
    }
}

/// A request of a user, whose searches take [turns](crate::turns).
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) user: u32,
    abandoned: Cancel,
    pub(crate) waits: Arc<AtomicBool>,
}

impl Request {
    /// A new request of a user.
    pub fn new(user: u32) -> Request {
        Request {
            user,
            abandoned: Cancel::default(),
            waits: Arc::default(),
        }
    }

    /// Ends work that only this request needs. Its search gives up its turn to searches of other requests, even if they
    /// want the same result.
    pub fn abandon(&self) {
        self.abandoned.cancel();
    }

    /// True after [`Request::abandon`].
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.is_cancelled()
    }

    /// True while its search waits for its turn.
    pub fn waits(&self) -> bool {
        self.waits.load(Ordering::Acquire)
    }

    /// Serves the request in this thread.
    ///
    /// # Errors
    /// If it was abandoned or cancelled before it was done.
    pub fn serve<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        let task = Task {
            wanted: Some(self.abandoned.clone()),
            request: Some(self.clone()),
            ..Task::current()
        };
        catch(|| task.run(work))
    }

    /// The request that this thread works for.
    pub(crate) fn current() -> Option<Request> {
        CURRENT.with_borrow(|task| task.request.clone())
    }
}

/// Does work that ends when the request of this thread is abandoned.
pub fn while_wanted<T>(work: impl FnOnce() -> T) -> T {
    let task = Task::current();
    let Some(wanted) = task.wanted.clone() else {
        return work();
    };
    let both = Cancel {
        whole: task.cancel.map(Arc::new),
        ..wanted
    };
    let task = Task {
        cancel: Some(both),
        ..Task::current()
    };
    task.run(work)
}

/// The requests that wait for what one thread makes. The work is abandoned when all of them are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Askers(Arc<Mutex<Vec<Option<Cancel>>>>);

impl Askers {
    /// Adds the request of this thread; without one, the work is never abandoned.
    pub(crate) fn join(&self) {
        let own = CURRENT.with_borrow(|task| task.wanted.clone());
        let mut all = self.0.lock();
        let is_same = |other: &Option<Cancel>| match (other, &own) {
            (Some(other), Some(own)) => Arc::ptr_eq(&other.is_cancelled, &own.is_cancelled),
            (other, own) => other.is_none() && own.is_none(),
        };
        if !all.iter().any(is_same) {
            all.push(own);
        }
    }

    /// Runs work for all requests that have joined, including this thread's.
    pub(crate) fn serve<T>(&self, work: impl FnOnce() -> T) -> T {
        self.join();
        let all = Cancel {
            askers: Some(self.clone()),
            ..Cancel::default()
        };
        let task = Task {
            wanted: Some(all),
            ..Task::current()
        };
        task.run(work)
    }

    fn is_abandoned(&self) -> bool {
        // Copied, so that this lock is not held while the requests are checked: a request that joined may itself be the
        // askers of something else that this thread makes, with their own lock.
        let all = self.0.lock().clone();
        let is_abandoned = |one: &Option<Cancel>| one.as_ref().is_some_and(Cancel::is_cancelled);
        all.iter().all(is_abandoned)
    }

    #[cfg(test)]
    pub(crate) fn joined(&self) -> usize {
        self.0.lock().len()
    }
}

fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Cancelled> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|cause| {
        if cause.is::<Cancelled>() {
            Cancelled
        } else {
            resume_unwind(cause)
        }
    })
}

/// The message of a panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}

/// Unwinds if the work of this thread was cancelled. Does nothing in a thread whose work nothing can cancel.
pub fn check() {
    if CURRENT.with_borrow(|task| task.cancel.as_ref().is_some_and(Cancel::is_cancelled)) {
        unwind();
    }
}

/// Unwinds to [`Cancel::run`] or [`Request::serve`], because another thread has found that their common work was cancelled.
pub fn unwind() -> ! {
    // Calls no panic hook.
    resume_unwind(Box::new(Cancelled))
}

/// Records that the source returned data for the task of this thread.
pub fn report_progress() {
    CURRENT.with_borrow(|task| task.mark.iter().for_each(|mark| mark.record()));
}

/// Starts a thread that does a part of this thread's task. The thread returns an error if the task was cancelled; the
/// caller's own part is then not the complete result. `None` if no thread can be started, which is logged.
pub(crate) fn help<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, Result<T, Cancelled>>> {
    let task = Task::current();
    let thread = thread::Builder::new().name(name.to_owned());
    let started = thread.spawn_scoped(scope, move || catch(|| task.run(work)));
    let started = started.inspect_err(|error| log::warn!("cannot start a thread for {name}: {error}"));
    started.ok()
}

/// The result of a thread that [helped](help). Panics if it panicked.
pub(crate) fn join<T>(helper: ScopedJoinHandle<'_, Result<T, Cancelled>>) -> Result<T, Cancelled> {
    helper.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Sets a flag until it is dropped, also when the work is cancelled or panics.
pub struct Underway<'a>(&'a AtomicBool);

impl<'a> Underway<'a> {
    /// Sets the flag.
    pub fn new(flag: &'a AtomicBool) -> Underway<'a> {
        flag.store(true, Ordering::Release);
        Underway(flag)
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelled_work_has_no_result() {
        let cancel = Cancel::default();
        let work = || {
            check();
            1
        };
        assert_eq!(cancel.run(work), Ok(1));
        let during = cancel.run(|| {
            cancel.cancel();
            work()
        });
        assert_eq!(during, Err(Cancelled));
        assert_eq!(cancel.run(work), Err(Cancelled));
        // Other work goes on.
        assert_eq!(Cancel::default().run(work), Ok(1));
        assert_eq!(work(), 1);
    }

    #[test]
    fn of_an_abandoned_request_only_what_nothing_else_needs_ends() {
        let (mount, request) = (Cancel::default(), Request::new(1));
        let done = mount.run(|| {
            request.serve(|| {
                request.abandon();
                check();
                while_wanted(check);
            })
        });
        assert_eq!(done, Ok(Err(Cancelled)));
        while_wanted(check);
        // Work for no request ends only with the mount, and so does a request.
        assert_eq!(mount.run(|| while_wanted(check)), Ok(()));
        mount.cancel();
        let request = Request::new(1);
        assert_eq!(
            mount.run(|| request.serve(|| while_wanted(check))),
            Ok(Err(Cancelled))
        );
    }

    #[test]
    fn a_helper_has_the_task_of_the_thread_that_starts_it() {
        let (mount, request) = (Cancel::default(), Request::new(7));
        let in_helper = |work: fn()| {
            mount.run(|| {
                request.serve(|| {
                    thread::scope(|scope| {
                        let helper = help(scope, "a helper", move || {
                            work();
                            Request::current().map(|request| request.user)
                        });
                        join(helper.unwrap())
                    })
                })
            })
        };
        assert_eq!(in_helper(|| while_wanted(check)), Ok(Ok(Ok(Some(7)))));
        request.abandon();
        assert_eq!(in_helper(check), Ok(Ok(Ok(Some(7)))));
        assert_eq!(in_helper(|| while_wanted(check)), Ok(Ok(Err(Cancelled))));
        mount.cancel();
        assert_eq!(in_helper(check), Ok(Ok(Err(Cancelled))));
        assert_eq!(in_helper(|| ()), Ok(Ok(Ok(Some(7)))));
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let panics = || Cancel::default().run(|| resume_unwind(Box::new("other")));
        assert!(catch_unwind(panics).is_err_and(|cause| !cause.is::<Cancelled>()));
        let helper = AssertUnwindSafe(|| {
            thread::scope(|scope| join(help(scope, "a helper", || resume_unwind(Box::new(8))).unwrap()))
        });
        let cause: Result<Result<(), Cancelled>, _> = catch_unwind(helper);
        assert_eq!(cause.unwrap_err().downcast_ref(), Some(&8));
    }
}
