//! The times of a file, and when they reveal every later change.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

/// Looks at a file until every change after the look gets other times than those that the look found, and gives what
/// that look found.
///
/// The clock of a file system goes on in steps, and two changes within one step have the same time. So both times must
/// be older than a step, or must have been the same for that long: this covers a file system whose clock is
/// ahead of this machine's. If the clock of a server is behind by more than a step, such a change is missed.
///
/// # Errors
/// Those of `look`, and [`io::ErrorKind::ResourceBusy`] where each of [`MOST_LOOKS`] finds another change.
pub(super) fn settled<T>(
    look: impl Fn() -> io::Result<(Stamp, T)>,
    now: impl Fn() -> i128,
    sleep: impl Fn(Duration),
) -> io::Result<T> {
    let mut before = None;
    for _ in 0..MOST_LOOKS {
        // Asked first: the look is not earlier than this.
        let now = now();
        let (stamp, found) = look()?;
        let step = stamp.step();
        let recent = -MOST_AHEAD..step.as_nanos() as i128;
        let is_old = |time| !recent.contains(&(now - time));
        if (is_old(stamp.modified) && is_old(stamp.changed)) || before == Some(stamp) {
            return Ok(found);
        }
        before = Some(stamp);
        sleep(step);
    }
    Err(io::Error::new(
        io::ErrorKind::ResourceBusy,
        "it is being changed at this moment: try again when nothing writes to it",
    ))
}

const MOST_LOOKS: usize = 5;

/// How far the clock of a server may be ahead, in nanoseconds. A time that is further in the future was set by hand,
/// or this machine's clock was put back; in either case no change of today gets it.
const MOST_AHEAD: i128 = 300 * SECOND;

/// In nanoseconds.
const SECOND: i128 = 1_000_000_000;

/// Size and times of a file: what shows a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    /// Of the contents, in nanoseconds since 1970.
    modified: i128,
    /// Of anything.
    changed: i128,
}

impl Stamp {
    /// What `stat` says.
    pub(super) fn of(meta: &Metadata) -> Stamp {
        Stamp {
            size: meta.size(),
            modified: nanoseconds(meta.mtime(), meta.mtime_nsec()),
            changed: nanoseconds(meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// The newer of both times.
    pub(super) fn newest(self) -> i128 {
        self.modified.max(self.changed)
    }

    /// More than a step of the file system's clock: some keep times in seconds, and some in units of two.
    fn step(self) -> Duration {
        let is_whole = |time| time % SECOND == 0;
        match is_whole(self.modified) && is_whole(self.changed) {
            true => Duration::from_secs(2),
            false => Duration::from_millis(20),
        }
    }
}

/// The time by this machine's clock, in nanoseconds since 1970.
pub(super) fn now() -> i128 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default().as_nanos() as i128
}

/// A time of `stat` in nanoseconds since 1970.
pub(super) fn nanoseconds(seconds: i64, nanoseconds: i64) -> i128 {
    i128::from(seconds) * SECOND + i128::from(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A file whose clock goes on in steps, at a made-up time.
    struct Played {
        /// By this machine's clock, in nanoseconds since 1970.
        now: Cell<i128>,
        /// What is added for the time of the file system.
        ahead: i128,
        /// Of its clock.
        step: i128,
        stamp: Cell<Stamp>,
        version: Cell<u32>,
    }

    impl Played {
        /// Written a moment ago; `modified` is a time that was set by hand.
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

        /// Waits for the file to settle, while it is written `writes` times, once in such a time. Gives the stamp and
        /// the version that were found, and how long that took.
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
            // A clock that is far ahead is not this machine's, and nothing is written to such files here.
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
                    // Nor when the time of the contents is put back.
                    assert_ne!(kept.changed, file.stamp.get().changed, "{case}");
                }
            }
        }
    }

    #[test]
    fn what_rests_is_not_waited_for() {
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
    fn what_changes_all_the_time_is_refused() {
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
