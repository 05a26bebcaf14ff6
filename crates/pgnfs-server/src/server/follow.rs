//! Follows a source: replaces the tree after a change, and adds databases that took long to open.

use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};
use std::{io, thread};

use crate::fs::{CurrentState, Outdated};
use crate::watch::{Alarm, Watch};
use chessdb_library::library::{Endings, Library};
use chessdb_library::mapped::give_back;
use chessdb_library::workers::hung::{self, Listener};

/// A database that changes for longer than this is opened anyway.
const LONGEST: Duration = Duration::from_secs(30);

/// Ends following when it is dropped, without waiting for threads.
pub(super) struct Stop {
    endings: Endings,
    watch: Option<Alarm>,
    _listener: Option<Listener>,
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.endings.stop();
        self.watch.as_ref().inspect(|watch| watch.stop());
    }
}

/// Searches a source after each change, until `wait` breaks. `wait` waits for a change, for less time if its argument
/// says that something is unsettled. `search` leaves out databases that changed within the given time, and returns true
/// if there are such.
fn search_after_changes(
    quiet: Duration,
    mut wait: impl FnMut(bool) -> ControlFlow<()>,
    mut search: impl FnMut(Duration) -> bool,
) {
    let mut unsettled_since: Option<Instant> = None;
    while wait(unsettled_since.is_some()).is_continue() {
        // A source that keeps changing is searched eventually.
        let may_leave = unsettled_since.is_none_or(|since| since.elapsed() < LONGEST);
        let is_unsettled = search(if may_leave { quiet } else { Duration::ZERO });
        unsettled_since = unsettled_since.filter(|_| is_unsettled);
        unsettled_since = unsettled_since.or_else(|| is_unsettled.then(Instant::now));
    }
}

/// A tree that is replaced when its source changes.
pub(super) struct Followed<F> {
    live: Arc<CurrentState>,
    outdated: Arc<F>,
    /// Where directories that the present state does not have are reported.
    gone: Sender<Vec<Outdated>>,
    /// Locked from reading a library until the next one has replaced it, so that no two threads replace the same
    /// library.
    turn: Mutex<()>,
}

impl<F: Fn(&[Outdated]) + Send + Sync + 'static> Followed<F> {
    /// Follows nothing yet. Starts a thread for removed directories: reporting one may wait for its requests, as the
    /// kernel does, and a request in an old state may take long. Other changes must not wait for it.
    fn new(live: &Arc<CurrentState>, outdated: F) -> io::Result<Followed<F>> {
        let outdated = Arc::new(outdated);
        let (gone, reported) = mpsc::channel::<Vec<Outdated>>();
        let report = Arc::clone(&outdated);
        thread::Builder::new().name("gone".to_owned()).spawn(move || {
            for gone in reported {
                // The panic message is in the log.
                let _ = catch_unwind(AssertUnwindSafe(|| report(&gone)));
            }
        })?;
        Ok(Followed {
            live: Arc::clone(live),
            outdated,
            gone,
            turn: Mutex::new(()),
        })
    }

    /// Starts the threads that do this.
    pub(super) fn start(live: &Arc<CurrentState>, watch: Option<Watch>, outdated: F) -> io::Result<Stop> {
        let followed = Arc::new(Followed::new(live, outdated)?);
        let alarm = watch.as_ref().map(Watch::alarm);
        let mut stop = Stop {
            endings: live.current().library().endings(),
            watch: alarm.clone(),
            _listener: None,
        };
        followed.add_late(alarm, stop.endings.clone())?;
        followed.evict_search_names()?;
        if let Some(watch) = watch {
            stop._listener = Some(followed.follow(watch)?);
        }
        Ok(stop)
    }

    /// Starts adding databases whose opening ends late.
    fn add_late(self: &Arc<Self>, changed: Option<Alarm>, mut endings: Endings) -> io::Result<()> {
        let own = Arc::clone(self);
        thread::Builder::new().name("late".to_owned()).spawn(move || {
            while endings.wait() {
                // Not in the thread of `follow`, which waits for a change, and does not exist without a watch.
                let is_unsettled = own.replace(Library::go_on);
                // Databases that changed while they were opened must be searched for again.
                changed
                    .as_ref()
                    .filter(|_| is_unsettled)
                    .inspect(|alarm| alarm.raise());
            }
        })?;
        Ok(())
    }

    /// Starts evicting names of searches that were not used for long.
    fn evict_search_names(self: &Arc<Self>) -> io::Result<()> {
        let own = Arc::clone(self);
        thread::Builder::new().name("names".to_owned()).spawn(move || {
            while let Some(unused) = own.live.unused_searches() {
                (own.outdated)(&unused);
            }
        })?;
        Ok(())
    }

    /// Starts searching the source again after each change.
    fn follow(self: Arc<Self>, mut watch: Watch) -> io::Result<Listener> {
        let (error, answer) = (watch.alarm(), watch.alarm());
        self.live.on_error(move || error.raise());
        let listener = hung::on_answer(move || answer.raise());
        // A file system may have answered again before the listener was added.
        watch.alarm().raise();
        thread::Builder::new().name("reload".to_owned()).spawn(move || {
            let quiet = watch.quiet();
            let wait = |is_unsettled| watch.wait(is_unsettled);
            let open = || self.live.open_databases();
            search_after_changes(quiet, wait, |rest| {
                self.replace(|library| library.reopen(&open(), rest))
            });
        })?;
        Ok(listener)
    }

    /// Replaces the present library by `next`, and reports outdated directories and files. Requests are answered
    /// meanwhile. Returns true if a database was kept in its previous state because it is still changing.
    fn replace(&self, next: impl FnOnce(&Library) -> Library) -> bool {
        let _turn = self.turn.lock();
        let replaced = catch_unwind(AssertUnwindSafe(|| {
            let library = next(self.live.current().library());
            let is_unsettled = library.is_unsettled();
            let outdated = self.live.replace(library);
            if !outdated.is_empty() {
                let databases = self.live.current().statistics().databases;
                log::info!("the source has changed: {databases} databases");
                let is_gone = |one: &Outdated| self.live.is_gone(one);
                let (gone, present): (Vec<_>, Vec<_>) = outdated.into_iter().partition(is_gone);
                if !gone.is_empty() {
                    // The thread ends only after `self`.
                    let _ = self.gone.send(gone);
                }
                (self.outdated)(&present);
                // The old state of many databases or files was many small blocks, which the allocator would keep.
                give_back();
            }
            is_unsettled
        }));
        // The panic message is in the log. The next change is handled normally.
        replaced.unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::fs::{ChessFs, Inode, ServeOptions};
    use testkit::fake::{Fake, game};
    use testkit::patience::wait_for;

    #[test]
    fn changes_are_shown_while_the_report_of_a_directory_that_is_gone_waits() {
        let state = |comment: &str| {
            let database = |path: &str| Fake::of([game("a", "b").comment(comment)]).at(path);
            Library::from_databases(vec![database("a"), database("b")])
        };
        let fs = ChessFs::new(state("first"), ServeOptions::default());
        let live = Arc::new(CurrentState::new(fs));
        let (let_go, wait) = mpsc::channel::<()>();
        let (wait, reports) = (Mutex::new(wait), Arc::new(Mutex::new((0, 0))));
        let (counts, own) = (Arc::clone(&reports), Arc::clone(&live));
        let outdated = move |outdated: &[Outdated]| {
            if outdated.iter().any(|one| own.is_gone(one)) {
                // Until the channel is closed.
                let _ = wait.lock().recv();
                counts.lock().0 += 1;
            }
            if outdated.iter().any(|one| one.inode == Inode::ROOT) {
                counts.lock().1 += 1;
            }
        };
        let followed = Followed::new(&live, outdated).unwrap();
        let changes = thread::spawn(move || {
            for comment in ["second", "third"] {
                followed.replace(|_| state(comment));
            }
        });
        wait_for("both changes", || reports.lock().1 == 2);
        assert_eq!(reports.lock().0, 0);
        drop(let_go);
        wait_for("both reports of old states", || reports.lock().0 == 2);
        changes.join().unwrap();
    }

    #[test]
    fn a_source_that_has_settled_is_not_searched_before_it_changes_again() {
        // What each search finds, and whether the wait before it is for something unsettled.
        let searches = [
            (false, false),
            (true, false),
            (true, true),
            (false, true),
            (false, false),
            (true, false),
            (false, true),
        ];
        let (mut found, mut waits) = (searches.iter().map(|&(found, _)| found), Vec::new());
        let wait = |is_unsettled| {
            waits.push(is_unsettled);
            if waits.len() > searches.len() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        search_after_changes(Duration::from_secs(7), wait, |rest| {
            assert_eq!(rest, Duration::from_secs(7));
            found.next().unwrap()
        });
        let expected = searches.iter().map(|&(_, wait)| wait).chain([false]);
        assert_eq!(waits, expected.collect::<Vec<_>>());
    }
}
