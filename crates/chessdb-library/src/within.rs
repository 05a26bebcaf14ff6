//! What a thread works for, as long as it does.

use std::cell::RefCell;
use std::thread::LocalKey;

/// A place for what a thread works for.
pub(crate) type ThreadPlace<V> = LocalKey<RefCell<Option<V>>>;

/// Does work in this thread with a value in a place.
pub(crate) fn within<V: 'static, T>(
    place: &'static ThreadPlace<V>,
    value: Option<V>,
    work: impl FnOnce() -> T,
) -> T {
    /// Restores what was there before, also after a panic.
    struct Before<V: 'static>(&'static ThreadPlace<V>, Option<V>);

    impl<V> Drop for Before<V> {
        fn drop(&mut self) {
            self.0.set(self.1.take());
        }
    }

    let _before = Before(place, place.replace(value));
    work()
}
