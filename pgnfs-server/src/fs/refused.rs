//! Names in `search/` that are no queries, and why.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::time::Instant;

use crate::tree::SearchRefusal;

/// Number of names that are remembered of a user.
const MOST_OF_USER: usize = 10;

/// Number of names that are remembered.
const MOST: usize = 500;

/// A name in `search/` that is no query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedName {
    /// The user who looked it up.
    pub user: u32,
    /// Its path in the tree.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
    /// When it was last looked up.
    pub at: Instant,
}

/// The last names that were refused, the newest last.
#[derive(Default)]
pub(super) struct RefusedNames(Mutex<VecDeque<RefusedName>>);

impl RefusedNames {
    /// Remembers that a user looked up `name` in `search/` of the directory at this path.
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
