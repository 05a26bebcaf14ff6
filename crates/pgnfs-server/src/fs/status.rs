//! What `pgnfs status` shows: databases, the cache, and refused names in `search/`.

use std::collections::VecDeque;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;

use crate::tree::SearchRefusal;
use chessdb_library::positions::IndexState;

/// Status of a file system. Determining it decodes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// All databases, sorted by path.
    pub databases: Vec<DatabaseStatus>,
    /// When the source disappeared; `None` while it exists.
    pub gone: Option<SystemTime>,
    /// Databases that are still being opened.
    pub opening: Vec<OpeningStatus>,
    /// The cache of decoded games.
    pub cache: CacheStatus,
    /// The last names in `search/` that were no queries, of all users.
    pub refused: Vec<RefusedName>,
}

/// Status of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseStatus {
    /// Path of its directory in the tree; empty if it is the root.
    pub path: String,
    /// Display name.
    pub name: String,
    /// Short name of its format.
    pub format: &'static str,
    /// Display name of its format.
    pub title: &'static str,
    /// Number of its games; an upper bound while they have not been counted.
    pub games: u32,
    /// True if its games are counted.
    pub is_counted: bool,
    /// Number of games whose size is known.
    pub sizes_known: u32,
    /// State of the background pass.
    pub pass: PassState,
    /// State of its index of positions.
    pub index: IndexState,
    /// True if the lines of its games are read from the cache folder.
    pub has_lines: bool,
    /// Problems of the database itself, and of the games whose size is known.
    pub problems: usize,
    /// How long its source has not answered, if longer than a second.
    pub silence: Option<Duration>,
}

/// A database that is being opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningStatus {
    /// Its path, relative to the source.
    pub path: String,
    /// Time since opening began.
    pub elapsed: Duration,
    /// How much of the necessary reading is done, in percent; `None` for a format that reads only headers, and before
    /// opening has begun.
    pub percent: Option<u8>,
}

/// State of the background pass for a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassState {
    /// The pass has not reached the database.
    Waiting,
    /// The pass is decoding its games.
    Running,
    /// All sizes are known.
    Done,
    /// The pass stopped because the files have changed.
    GivenUp,
}

/// Status of the cache of decoded games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheStatus {
    /// Number of games in the cache.
    pub games: usize,
    /// Bytes in use.
    pub bytes: usize,
    /// Maximum number of bytes.
    pub capacity: usize,
    /// Number of texts found in the cache.
    pub hits: u64,
    /// Number of texts that had to be decoded.
    pub misses: u64,
}

/// Number of names that are recorded for one user, so that nobody can displace the names of all other users.
const MOST_OF_USER: usize = 10;

/// Number of names that are recorded in all.
const MOST: usize = 500;

/// A refused name in `search/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedName {
    /// The user who looked it up.
    pub user: u32,
    /// Its path in the tree.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
    /// When it was last requested.
    pub at: Instant,
}

/// The last names that were refused, the newest last.
#[derive(Default)]
pub(super) struct RefusedNames(Mutex<VecDeque<RefusedName>>);

impl RefusedNames {
    /// Records that a user looked up `name` in `search/` of the directory at this path.
    pub(super) fn add(&self, directory: &str, name: &str, refusal: &SearchRefusal, user: u32) {
        self.put(RefusedName {
            user,
            path: format!("{directory}/search/{name}")
                .trim_start_matches('/')
                .to_owned(),
            reason: refusal.to_string(),
            at: Instant::now(),
        });
    }

    fn put(&self, refused: RefusedName) {
        let mut all = self.0.lock();
        let is_of_user = |other: &RefusedName| other.user == refused.user;
        let repeated = all
            .iter()
            .position(|other| is_of_user(other) && other.path == refused.path);
        let of_user = all.iter().filter(|other| is_of_user(other)).count();
        let oldest = || {
            all.iter()
                .position(is_of_user)
                .filter(|_| of_user >= MOST_OF_USER)
        };
        let oldest_of_all = || (all.len() >= MOST).then_some(0);
        if let Some(place) = repeated.or_else(oldest).or_else(oldest_of_all) {
            all.remove(place);
        }
        all.push_back(refused);
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<RefusedName> {
        self.0.lock().iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(names: &RefusedNames, user: u32, path: usize) {
        names.put(RefusedName {
            user,
            path: path.to_string(),
            reason: String::new(),
            at: Instant::now(),
        });
    }

    fn of_user(names: &RefusedNames, user: u32) -> Vec<String> {
        let all = names.all().into_iter();
        all.filter(|one| one.user == user).map(|one| one.path).collect()
    }

    #[test]
    fn the_last_names_of_each_user_are_remembered() {
        let names = RefusedNames::default();
        put(&names, 7, 0);
        for path in 0..=MOST_OF_USER {
            put(&names, 8, path);
        }
        assert_eq!(of_user(&names, 7), ["0"]);
        let last = (1..=MOST_OF_USER).map(|path| path.to_string());
        assert!(last.eq(of_user(&names, 8)));
        put(&names, 8, 1);
        assert_eq!(of_user(&names, 8).len(), MOST_OF_USER);
        assert_eq!(of_user(&names, 8).last().unwrap(), "1");
    }

    #[test]
    fn their_number_is_limited() {
        let names = RefusedNames::default();
        for user in 0..=MOST {
            put(&names, user as u32, 0);
        }
        assert_eq!(names.all().len(), MOST);
        assert!(of_user(&names, 0).is_empty());
        assert_eq!(of_user(&names, MOST as u32), ["0"]);
    }
}
