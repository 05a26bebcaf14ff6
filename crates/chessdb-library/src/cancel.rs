//! Ending long work when nothing needs it any longer.
//!
//! All work of a mount has one [`Cancel`]. Passes over many games check it again and again with [`check`], in whatever
//! thread they run. When it is cancelled, they unwind to [`Cancel::run`], so that no caller in between takes a part of
//! a result for the whole.
//!
//! A request may be abandoned, for example because its caller was killed. Most work goes on then, because the next
//! request will need it; work in [`while_wanted`] ends.

use parking_lot::Mutex;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::within::within;

thread_local! {
    /// What the work of this thread belongs to.
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
    /// Whether the request that this thread serves was abandoned.
    static ABANDONED: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Whether work that belongs together is to end.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    is_cancelled: Arc<AtomicBool>,
    /// What it is a part of, and ends with.
    whole: Option<Arc<Cancel>>,
    /// The requests without which it ends.
    askers: Option<Askers>,
}

/// The work was cancelled and has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl Cancel {
    /// Ends the work that runs now at its next check, and all later work likewise.
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
        catch(|| within(&CURRENT, Some(self.clone()), work))
    }

    /// Serves a request in this thread. It is abandoned when this is cancelled.
    ///
    /// # Errors
    /// If it was cancelled before it was done.
    pub fn serve<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        catch(|| within(&ABANDONED, Some(self.clone()), work))
    }
}

/// Does work that ends when the request is abandoned that this thread serves.
pub fn while_wanted<T>(work: impl FnOnce() -> T) -> T {
    let Some(abandoned) = ABANDONED.with_borrow(Clone::clone) else {
        return work();
    };
    let both = Cancel {
        whole: current().map(Arc::new),
        ..abandoned
    };
    within(&CURRENT, Some(both), work)
}

/// The requests for which one thread works. Its work is abandoned when all of them are.
#[derive(Clone, Debug, Default)]
pub struct Askers(Arc<Mutex<Vec<Option<Cancel>>>>);

impl Askers {
    /// Adds the request that this thread serves; without one, the work is never abandoned.
    pub fn join(&self) {
        let own = ABANDONED.with_borrow(Clone::clone);
        let mut all = self.0.lock();
        let is_same = |other: &Option<Cancel>| match (other, &own) {
            (Some(other), Some(own)) => Arc::ptr_eq(&other.is_cancelled, &own.is_cancelled),
            (other, own) => other.is_none() && own.is_none(),
        };
        if !all.iter().any(is_same) {
            all.push(own);
        }
    }

    /// Works for all that have joined, this thread included.
    pub fn serve<T>(&self, work: impl FnOnce() -> T) -> T {
        self.join();
        let all = Cancel {
            askers: Some(self.clone()),
            ..Cancel::default()
        };
        within(&ABANDONED, Some(all), work)
    }

    fn is_abandoned(&self) -> bool {
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

/// Unwinds if the work of this thread was cancelled. Does nothing outside of [`Cancel::run`].
pub fn check() {
    if CURRENT.with_borrow(|current| current.as_ref().is_some_and(Cancel::is_cancelled)) {
        unwind();
    }
}

/// Unwinds to [`Cancel::run`], because another thread has found that their common work was cancelled.
pub fn unwind() -> ! {
    // Calls no panic hook.
    resume_unwind(Box::new(Cancelled))
}

/// What the work of this thread belongs to, for threads that do a part of it.
pub fn current() -> Option<Cancel> {
    CURRENT.with_borrow(Clone::clone)
}

/// Does a part of the work of another thread. Returns false if it was cancelled: that thread unwinds at its next check.
pub fn join_in(current: Option<&Cancel>, work: impl FnOnce()) -> bool {
    match current {
        Some(cancel) => cancel.run(work).is_ok(),
        None => {
            work();
            true
        }
    }
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
        // Other work is not concerned.
        assert_eq!(Cancel::default().run(work), Ok(1));
        assert_eq!(work(), 1);
    }

    #[test]
    fn of_an_abandoned_request_only_what_nothing_else_needs_ends() {
        let (mount, request) = (Cancel::default(), Cancel::default());
        let done = mount.run(|| {
            request.serve(|| {
                request.cancel();
                check();
                while_wanted(check);
            })
        });
        assert_eq!(done, Ok(Err(Cancelled)));
        while_wanted(check);
        // What serves no request ends with the mount alone, and so does a request.
        assert_eq!(mount.run(|| while_wanted(check)), Ok(()));
        mount.cancel();
        let request = Cancel::default();
        assert_eq!(
            mount.run(|| request.serve(|| while_wanted(check))),
            Ok(Err(Cancelled))
        );
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let panics = || Cancel::default().run(|| resume_unwind(Box::new("other")));
        assert!(catch_unwind(panics).is_err_and(|cause| !cause.is::<Cancelled>()));
    }
}
