//! Long work in progress, for the status that users see.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// All long work of this process, in the order in which it was started.
static ALL: Mutex<Vec<Arc<BegunMaking>>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct BegunMaking {
    what: String,
    of: String,
    since: Instant,
    games: u64,
    done: AtomicU64,
}

/// Lists something as being made until this is dropped.
#[derive(Debug)]
pub struct Making(Arc<BegunMaking>);

/// Something that is being made, and how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MakingStatus {
    /// What it is, such as an index of positions.
    pub what: String,
    /// The database, or other games, that it is made from.
    pub of: String,
    /// For how long.
    pub elapsed: Duration,
    /// How many games are done, and how many there are; 0 of 0 if that is not counted.
    pub games: (u64, u64),
}

impl Making {
    /// Records that something of `games` games is being made; 0 if they are not counted.
    pub fn begin(what: impl Into<String>, of: &str, games: u64) -> Making {
        let begun = Arc::new(BegunMaking {
            what: what.into(),
            of: of.to_owned(),
            since: Instant::now(),
            games,
            done: AtomicU64::new(0),
        });
        ALL.lock().push(Arc::clone(&begun));
        Making(begun)
    }

    /// Counts games as done.
    pub fn done(&self, games: u64) {
        self.0.done.fetch_add(games, Ordering::Relaxed);
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        ALL.lock().retain(|other| !Arc::ptr_eq(other, &self.0));
    }
}

/// What is being made.
pub fn being_made() -> Vec<MakingStatus> {
    let all = ALL.lock();
    let made = all.iter().map(|begun| MakingStatus {
        what: begun.what.clone(),
        of: begun.of.clone(),
        elapsed: begun.since.elapsed(),
        games: (begun.done.load(Ordering::Relaxed).min(begun.games), begun.games),
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_being_made_is_listed_until_it_is_done() {
        let of = "a_test";
        let listed = || {
            being_made()
                .into_iter()
                .filter(|made| made.of == of)
                .collect::<Vec<_>>()
        };
        let (first, second) = (Making::begin("index", of, 10), Making::begin("view", of, 0));
        first.done(4);
        let progress = |made: &MakingStatus| (made.what.clone(), made.games);
        let both = [("index".to_owned(), (4, 10)), ("view".to_owned(), (0, 0))];
        assert_eq!(listed().iter().map(progress).collect::<Vec<_>>(), both);
        first.done(100);
        assert_eq!(listed()[0].games, (10, 10));
        drop(first);
        assert_eq!(listed().len(), 1);
        drop(second);
        assert!(listed().is_empty());
    }
}
