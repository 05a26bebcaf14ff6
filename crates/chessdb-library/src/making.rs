//! Long work in progress, for the status that users see.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// All long work of this process, in the order in which it was started.
static ALL: Mutex<Vec<Arc<MakingStatus>>> = Mutex::new(Vec::new());

/// Something that is being made, and how far it is.
#[derive(Debug)]
pub struct MakingStatus {
    /// Its kind, such as an index of positions.
    pub what: String,
    /// The database, or other games, that it is made from.
    pub of: String,
    /// When it was begun.
    pub since: Instant,
    /// How many games there are; 0 if they are not counted.
    pub games: u64,
    done: AtomicU64,
}

impl MakingStatus {
    /// How many games are done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed).min(self.games)
    }
}

/// Lists something as being made until this is dropped.
#[derive(Debug)]
pub struct Making(Arc<MakingStatus>);

impl Making {
    /// Records that something of `games` games is being made; 0 if they are not counted.
    pub fn begin(what: impl Into<String>, of: &str, games: u64) -> Making {
        let begun = Arc::new(MakingStatus {
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
pub fn being_made() -> Vec<Arc<MakingStatus>> {
    ALL.lock().clone()
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
        let progress = |made: &Arc<MakingStatus>| (made.what.clone(), made.done(), made.games);
        let both = [("index".to_owned(), 4, 10), ("view".to_owned(), 0, 0)];
        assert_eq!(listed().iter().map(progress).collect::<Vec<_>>(), both);
        first.done(100);
        assert_eq!(listed()[0].done(), 10);
        drop(first);
        assert_eq!(listed().len(), 1);
        drop(second);
        assert!(listed().is_empty());
    }
}
