//! Values that are made on first use: one thread makes a value, and all others wait for it.

use parking_lot::{Condvar, Mutex};
use std::convert::Infallible;
use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::task::{self, Askers};

/// How often a waiting thread checks whether its request was abandoned.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a request may have to wait for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// For at most one game, which is not long.
    None,
    /// For something that is [`Made`] once for all requests that need it, such as a view, an index, or sizes of many
    /// games.
    Common,
    /// For many games, or a long one, read for this request alone.
    Own,
}

impl Wait {
    /// `None` if the result is known already.
    pub fn unless(self, is_known: bool) -> Wait {
        if is_known { Wait::None } else { self }
    }
}

/// A value that is made on first use.
///
/// The first thread that needs the value makes it, and the others wait. The work goes on while at least one of their
/// requests is not abandoned. If it fails, panics or is cancelled, the next thread makes the value.
///
/// ```
/// use chessdb_library::made::{Made, Wait};
///
/// let made = Made::new();
/// assert_eq!((made.get(), made.wait()), (None, Wait::Common));
/// assert_eq!(made.get_or_make(|| Err::<u8, _>("not yet")), Err("not yet"));
/// assert_eq!(made.get_or(|| 7), &7);
/// assert_eq!(made.get_or(|| 8), &7);
/// assert_eq!(made.wait(), Wait::None);
/// ```
pub struct Made<T> {
    value: OnceLock<T>,
    /// The requests that want the value, while a thread makes it.
    making: Mutex<Option<Askers>>,
    changed: Condvar,
}

impl<T> Made<T> {
    /// Not made yet.
    pub const fn new() -> Made<T> {
        Made {
            value: OnceLock::new(),
            making: Mutex::new(None),
            changed: Condvar::new(),
        }
    }

    /// The value, if it is made. Does not wait.
    pub fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// Whether a request for the value has to wait, and for which other work.
    pub fn wait(&self) -> Wait {
        Wait::Common.unless(self.get().is_some())
    }

    /// The value, which `make` makes if it does not exist yet. `make` must not use the same value.
    pub fn get_or(&self, make: impl FnOnce() -> T) -> &T {
        match self.get_or_make(|| Ok::<T, Infallible>(make())) {
            Ok(value) => value,
        }
    }

    /// Like [`Made::get_or`], for a value that cannot always be made. Unwinds if the request of this thread is abandoned
    /// while it waits.
    ///
    /// # Errors
    /// If `make` fails.
    pub fn get_or_make<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        match self.turn(|| Ok::<Duration, Infallible>(PAUSE)) {
            Ok(turn) => turn.or_else(|turn| turn.make(make)),
        }
    }

    /// Like [`Made::get_or_make`], but `None` if another thread takes longer to make the value than this.
    pub fn get_or_make_within<E>(
        &self,
        patience: Duration,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Option<Result<&T, E>> {
        let begin = Instant::now();
        let left = || patience.checked_sub(begin.elapsed()).ok_or(());
        let turn = self.turn(|| left().map(|left| PAUSE.min(left))).ok()?;
        Some(turn.or_else(|turn| turn.make(make)))
    }

    /// The value, or the turn to make it. While another thread makes it, waits for as long as `pause` says, again and
    /// again.
    fn turn<N>(&self, pause: impl Fn() -> Result<Duration, N>) -> Result<Result<&T, MakingTurn<'_, T>>, N> {
        loop {
            if let Some(value) = self.get() {
                return Ok(Ok(value));
            }
            let mut making = self.making.lock();
            let Some(askers) = &*making else {
                if self.get().is_some() {
                    continue;
                }
                let askers = making.insert(Askers::default()).clone();
                return Ok(Err(MakingTurn { made: self, askers }));
            };
            let pause = pause()?;
            askers.join();
            self.changed.wait_for(&mut making, pause);
            drop(making);
            task::while_wanted(task::check);
        }
    }
}

impl<T> From<T> for Made<T> {
    /// A value that was made before.
    fn from(value: T) -> Made<T> {
        Made {
            value: value.into(),
            ..Made::new()
        }
    }
}

impl<T> Default for Made<T> {
    fn default() -> Made<T> {
        Made::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Made<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// The turn to make the value. It ends when this is dropped, also when the thread unwinds.
struct MakingTurn<'a, T> {
    made: &'a Made<T>,
    askers: Askers,
}

impl<'a, T> MakingTurn<'a, T> {
    fn make<E>(self, make: impl FnOnce() -> Result<T, E>) -> Result<&'a T, E> {
        let value = self.askers.serve(make)?;
        Ok(self.made.value.get_or_init(|| value))
    }
}

impl<T> Drop for MakingTurn<'_, T> {
    fn drop(&mut self) {
        *self.made.making.lock() = None;
        self.made.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Cancel, Request};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;

    fn has_waiters<T>(made: &Made<T>, count: usize) -> bool {
        made.making
            .lock()
            .as_ref()
            .is_some_and(|askers| askers.joined() >= count)
    }

    #[test]
    fn of_many_one_makes_the_value() {
        let (made, times) = (Made::new(), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = || {
                        times.fetch_add(1, Ordering::Relaxed);
                        while !has_waiters(&made, 8) {
                            thread::yield_now();
                        }
                        7
                    };
                    let value = Request::new(1).serve(|| *made.get_or(make));
                    assert_eq!(value, Ok(7));
                });
            }
        });
        assert_eq!(times.into_inner(), 1);
    }

    #[test]
    fn who_cannot_make_it_leaves_it_to_the_next() {
        let made: Made<u8> = Made::new();
        let panics = catch_unwind(AssertUnwindSafe(|| {
            made.get_or(|| std::panic::resume_unwind(Box::new(1)))
        }));
        assert!(panics.is_err() && made.get().is_none());
        assert_eq!(made.get_or_make(|| Err("failed")), Err("failed"));
        let cancel = Cancel::default();
        let cancelled = cancel.run(|| {
            made.get_or(|| {
                cancel.cancel();
                task::check();
                1
            });
        });
        assert!(cancelled.is_err() && made.get().is_none());
        assert_eq!(made.get_or(|| 7), &7);
    }

    #[test]
    fn it_is_made_as_long_as_a_request_wants_it() {
        let (made, first, second) = (Made::new(), Request::new(1), Request::new(2));
        let (made, first, second) = (&made, &first, &second);
        let ((begun, begins), (end, ends)) = (channel(), channel());
        let make = move |n: u8| {
            begun.send(n).unwrap();
            while ends.try_recv().is_err() {
                task::while_wanted(task::check);
                thread::yield_now();
            }
            n
        };
        let wait_for = |count| {
            while !has_waiters(made, count) {
                thread::yield_now()
            }
        };
        thread::scope(|scope| {
            let maker = scope.spawn(move || first.serve(|| *made.get_or(|| make(1))));
            assert_eq!(begins.recv(), Ok(1));
            let left = scope.spawn(move || second.serve(|| *made.get_or(|| 2)));
            wait_for(2);
            let third = scope.spawn(move || *made.get_or(|| 3));
            wait_for(3);
            // The request of the thread that makes it is abandoned, and another one, but not the third.
            first.abandon();
            second.abandon();
            assert!(left.join().unwrap().is_err());
            end.send(()).unwrap();
            assert_eq!(third.join().unwrap(), 1);
            assert_eq!(maker.join().unwrap(), Ok(1));
        });
        // Nobody waits for this one.
        let (made, only) = (Made::<u8>::new(), Request::new(1));
        let abandoned = only.serve(|| {
            made.get_or(|| {
                only.abandon();
                task::while_wanted(task::check);
                1
            });
        });
        assert!(abandoned.is_err() && made.get().is_none());
    }

    #[test]
    fn who_has_no_patience_goes_without_it() {
        let (made, (begun, begins), (end, ends)) = (Made::new(), channel(), channel());
        let made = &made;
        thread::scope(|scope| {
            scope.spawn(move || {
                made.get_or(|| {
                    begun.send(()).unwrap();
                    ends.recv().unwrap();
                    7
                });
            });
            begins.recv().unwrap();
            let hurried = |patience| made.get_or_make_within(patience, || Err("not to be made"));
            assert_eq!(hurried(Duration::ZERO), None);
            assert_eq!(hurried(Duration::from_millis(1)), None);
            end.send(()).unwrap();
            assert_eq!(hurried(Duration::MAX), Some(Ok(&7)));
        });
        let own: Made<u8> = Made::new();
        assert_eq!(own.get_or_make_within(Duration::ZERO, || Err(1)), Some(Err(1)));
        assert_eq!(
            own.get_or_make_within(Duration::ZERO, || Ok::<_, ()>(7)),
            Some(Ok(&7))
        );
    }
}
