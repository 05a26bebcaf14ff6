//! The times of a file, and when they reveal every later change.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

/// Examines a file until any later change would get different times. Returns the result of the last look.
///
/// The clock of a file system advances in steps, and two changes within one step have the same time. Therefore both
/// times must be older than one step, or unchanged for one step; the latter is for a file system whose clock is ahead
/// of this machine's. If the clock of a server is behind by more than one step, such a change is missed.
///
/// # Errors
/// If `look` fails, and [`io::ErrorKind::ResourceBusy`] if each of [`MOST_LOOKS`] looks finds another change.
pub(super) fn settled<T>(
    look: impl Fn() -> io::Result<(Stamp, T)>,
    now: impl Fn() -> i128,
    sleep: impl Fn(Duration),
) -> io::Result<T> {
    let mut before = None;
    for _ in 0..MOST_LOOKS {
        // The clock is read before the metadata. The other way round, times that were recent when they were read could
        // count as old a moment later.
        let now = now();
        let (stamp, found) = look()?;
        if !stamp.is_recent(now) || before == Some(stamp) {
            return Ok(found);
        }
        before = Some(stamp);
        sleep(stamp.step());
    }
    Err(io::Error::new(
        io::ErrorKind::ResourceBusy,
        "it is being changed at this moment: try again when nothing writes to it",
    ))
}

const MOST_LOOKS: usize = 5;

/// How far the clock of a server may be ahead, in nanoseconds. A time further in the future was set by hand,
/// or this machine's clock was set back; in both cases a change made now does not get that time.
const MOST_AHEAD: i128 = 300 * SECOND;

/// Nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;

/// Size and times of a file, which reveal changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    size: u64,
    /// Time of the last change of the contents, in nanoseconds since 1970.
    modified: i128,
    /// Time of the last change of any kind, in nanoseconds since 1970.
    changed: i128,
}

impl Stamp {
    /// Values from `stat`.
    pub(super) fn of(meta: &Metadata) -> Stamp {
        Stamp {
            size: meta.size(),
            modified: nanoseconds(meta.mtime(), meta.mtime_nsec()),
            changed: nanoseconds(meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// The later of both times.
    pub(super) fn newest(self) -> i128 {
        self.modified.max(self.changed)
    }

    /// True if a change at the time `now`, in nanoseconds since 1970, might not show in the times.
    pub fn is_recent(self, now: i128) -> bool {
        let recent = -MOST_AHEAD..self.step().as_nanos() as i128;
        recent.contains(&(now - self.modified)) || recent.contains(&(now - self.changed))
    }

    /// An upper bound for one step of the file system's clock. Some store times in seconds, some in units of
    /// two seconds.
    pub fn step(self) -> Duration {
        let is_whole = |time| time % SECOND == 0;
        if is_whole(self.modified) && is_whole(self.changed) {
            Duration::from_secs(2)
        } else {
            Duration::from_millis(20)
        }
    }
}

/// The present time of this machine, in nanoseconds since 1970.
pub fn now() -> i128 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default().as_nanos() as i128
}

/// Converts a time from `stat` to nanoseconds since 1970.
pub(super) fn nanoseconds(seconds: i64, nanoseconds: i64) -> i128 {
    i128::from(seconds) * SECOND + i128::from(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A simulated file and clock that advances in steps.
    struct Played {
        /// Time of this machine, in nanoseconds since 1970.
        now: Cell<i128>,
        /// Difference between the clock of the file system and this machine's.
        ahead: i128,
        /// Step of the file system's clock.
        step: i128,
        stamp: Cell<Stamp>,
        version: Cell<u32>,
    }

    impl Played {
        /// A file written a moment ago; `modified` is a time set by hand.
        fn new(step: i128, ahead: i128, modified: Option<i128>) -> Played {
            let now = 1_000_000 * SECOND + SECOND / 4;
            let played = Played {
                now: Cell::new(now),
                ahead,
                step,
                stamp: Cell::new(Stamp {
                    size: 8,
                    modified: 0,
                    changed: 0,
                }),
                version: Cell::new(0),
            };
            played.write();
            let modified = modified.map(|time| time - time % step);
            let modified = modified.unwrap_or(played.stamp.get().modified);
            played.stamp.set(Stamp {
                modified,
                ..played.stamp.get()
            });
            played
        }

        fn write(&self) {
            self.version.set(self.version.get() + 1);
            let time = self.now.get() + self.ahead;
            let time = time - time % self.step;
            self.stamp.set(Stamp {
                size: 8,
                modified: time,
                changed: time,
            });
        }

        /// Waits for the file to settle while it is written `writes` times, once every `each` nanoseconds.
        /// Returns the stamp and the version found, and the time taken.
        fn settle(&self, writes: u32, each: i128) -> io::Result<(Stamp, u32, i128)> {
            let begin = self.now.get();
            let (stamp, version) = settled(
                || Ok((self.stamp.get(), (self.stamp.get(), self.version.get()))),
                || self.now.get(),
                |time| {
                    let end = self.now.get() + time.as_nanos() as i128;
                    while self.now.get() + each <= end {
                        self.now.set(self.now.get() + each);
                        if self.version.get() <= writes {
                            self.write();
                        }
                    }
                    self.now.set(end);
                },
            )?;
            Ok((stamp, version, self.now.get() - begin))
        }
    }

    const MILLISECOND: i128 = SECOND / 1000;

    #[test]
    fn a_change_after_the_look_gets_other_times() {
        let clocks = [4 * MILLISECOND, 10 * MILLISECOND, SECOND, 2 * SECOND];
        let ahead = [0, SECOND / 3, 60 * SECOND, 86_400 * SECOND];
        let by_hand = [
            None,
            Some(7 * SECOND),
            Some(7 * SECOND + 12 * MILLISECOND),
            Some(2_000_000 * SECOND),
        ];
        for (step, ahead, by_hand) in clocks
            .iter()
            .flat_map(|step| ahead.iter().map(move |ahead| (step, ahead)))
            .flat_map(|(step, ahead)| by_hand.iter().map(move |time| (*step, *ahead, *time)))
        {
            // A clock that is far ahead means a time set by hand, so the file is not written here.
            let most_writes = if ahead > MOST_AHEAD { 0 } else { 40 };
            for writes in 0..=most_writes {
                let file = Played::new(step, ahead, by_hand);
                let case = format!("{step} {ahead} {by_hand:?} {writes}");
                let Ok((kept, version, took)) = file.settle(writes, 7 * MILLISECOND) else {
                    assert!(writes > 5, "{case}");
                    continue;
                };
                assert!(took <= 10 * SECOND, "{case}: {took}");
                assert_eq!((kept, version), (file.stamp.get(), file.version.get()), "{case}");
                if ahead <= MOST_AHEAD {
                    file.write();
                    assert_ne!(kept, file.stamp.get(), "{case}");
                    // Also if the time of the contents is set back.
                    assert_ne!(kept.changed, file.stamp.get().changed, "{case}");
                }
            }
        }
    }

    #[test]
    fn an_unchanged_file_needs_no_wait() {
        let took = |file: &Played| file.settle(0, SECOND).unwrap().2;
        for (step, ahead) in [(1, 86_400 * SECOND), (SECOND, 86_400 * SECOND)] {
            assert_eq!(
                took(&Played::new(step, ahead, None)),
                0,
                "a clock that was put back"
            );
        }
        for (step, rest) in [(4 * MILLISECOND, SECOND / 4), (SECOND, 3 * SECOND)] {
            let file = Played::new(step, 0, None);
            file.now.set(file.now.get() + rest);
            assert_eq!(took(&file), 0);
        }
    }

    #[test]
    fn a_file_that_keeps_changing_is_refused() {
        for step in [4 * MILLISECOND, SECOND] {
            let file = Played::new(step, 0, None);
            let refused = file.settle(u32::MAX, 5 * MILLISECOND).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::ResourceBusy);
            assert!(
                refused
                    .to_string()
                    .starts_with("it is being changed at this moment")
            );
        }
    }
}
