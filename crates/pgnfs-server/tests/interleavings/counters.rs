//! Counters that several threads change without a common lock. loom runs all interleavings.

use std::collections::BTreeSet;

use chessdb::Problem;
use loom::sync::{self, Arc, RwLock, atomic};
use loom::thread;

#[path = "../../src/fs/references.rs"]
mod references;
#[path = "../../src/fs/sizes.rs"]
#[allow(dead_code)]
mod sizes;

use crate::tree::Games;
use references::BranchReferences;
use sizes::Sizes;

fn problem(what: &str) -> [Problem; 1] {
    [Problem::damage("games", None, what)]
}

fn rows(sizes: &Sizes) -> Vec<(u32, String)> {
    let mut rows = Vec::new();
    sizes.each_row(|game, text| rows.push((game, text.to_owned())));
    rows
}

#[test]
fn two_threads_that_decode_a_game_count_it_once() {
    loom::model(|| {
        let sizes = Arc::new(Sizes::new(2));
        let own = Arc::clone(&sizes);
        let other = thread::spawn(move || {
            assert!(own.record(0, 10, &[]));
            assert!(own.record(1, 20, &[]));
        });
        assert!(sizes.record(0, 10, &[]));
        if sizes.are_complete() {
            assert_eq!(sizes.sum(&Games::range(0..2)), Some(30));
        }
        other.join().unwrap();
        assert_eq!((sizes.known(), sizes.sum(&Games::range(0..2))), (2, Some(30)));
    });
}

#[test]
fn a_problem_keeps_its_file() {
    loom::model(|| {
        let sizes = Sizes::new(1);
        let odd = Problem::doubt("b.dcn", None, "odd: byte 1");
        assert!(sizes.record(0, 10, &[Problem::damage("a: byte 7", 7, "cut"), odd]));
        let mut found = Vec::new();
        sizes.each_problem(|_, file, rest| found.push([file.to_owned(), rest.to_owned()]));
        assert_eq!(
            found,
            [["a: byte 7", ": byte 7 (0x7): cut"], ["b.dcn", ": odd: byte 1"]]
        );
    });
}

#[test]
fn the_problems_of_a_game_are_there_when_its_size_is() {
    loom::model(|| {
        let sizes = Arc::new(Sizes::new(1));
        let own = Arc::clone(&sizes);
        let other = thread::spawn(move || own.record(0, 10, &problem("damaged")));
        if sizes.get(0).is_some() {
            assert_eq!(sizes.problem_count(), 1);
        }
        if sizes.are_complete() {
            assert_eq!(sizes.problem_count(), 1);
        }
        assert!(other.join().unwrap());
    });
}

#[test]
fn of_two_states_of_a_game_one_is_recorded_with_its_problems() {
    loom::model(|| {
        let sizes = Arc::new(Sizes::new(1));
        let own = Arc::clone(&sizes);
        let other = thread::spawn(move || own.record(0, 10, &problem("short")));
        let is_long = sizes.record(0, 20, &problem("long"));
        let is_short = other.join().unwrap();
        assert!(is_long != is_short);
        let (size, word) = if is_long { (20, "long") } else { (10, "short") };
        assert_eq!((sizes.known(), sizes.get(0)), (1, Some(size)));
        let rows = rows(&sizes);
        assert!(rows.len() == 1 && rows[0].1.ends_with(word), "{rows:?}");
    });
}

#[test]
fn a_size_file_does_not_change_what_is_decoded_meanwhile() {
    loom::model(|| {
        let sizes = Arc::new(Sizes::new(2));
        let own = Arc::clone(&sizes);
        let other = thread::spawn(move || own.record(0, 10, &problem("decoded")));
        let is_filled = sizes.fill([20, 30].into_iter(), &[(0, "kept"), (1, "kept")]);
        let is_decoded = other.join().unwrap();
        assert!(!(is_filled && is_decoded));
        let word = match sizes.get(0) {
            Some(10) => "decoded",
            size => {
                assert_eq!(size, Some(20));
                "kept"
            }
        };
        let rows = rows(&sizes);
        assert!(
            rows.iter().all(|(game, row)| *game == 1 || row.ends_with(word)),
            "{rows:?}"
        );
        let known = [0, 1].into_iter().filter(|&game| sizes.get(game).is_some());
        assert_eq!(sizes.known() as usize, known.count());
    });
}

#[test]
fn every_game_is_handed_out_once() {
    loom::model(|| {
        let sizes = Arc::new(Sizes::new(70));
        let take =
            |sizes: &Sizes| -> Vec<u32> { std::iter::from_fn(|| sizes.take_share()).flatten().collect() };
        let own = Arc::clone(&sizes);
        let other = thread::spawn(move || take(&own));
        let mut games = take(&sizes);
        games.extend(other.join().unwrap());
        assert_eq!(games.len(), 70);
        assert_eq!(BTreeSet::from_iter(games), BTreeSet::from_iter(0..70));
    });
}

/// An earlier state of a directory, handled as in `CurrentState` and `RetiredBranches`.
struct Retired {
    /// False after it was removed.
    is_kept: RwLock<bool>,
    references: BranchReferences,
}

impl Retired {
    /// A state with one reference.
    fn new() -> Arc<Retired> {
        let references = BranchReferences::default();
        references.add(1);
        Arc::new(Retired {
            is_kept: RwLock::new(true),
            references,
        })
    }

    /// Adds a reference to an inode. Returns false if the state was removed.
    fn hold(&self) -> bool {
        let is_kept = self.is_kept.read().unwrap();
        if *is_kept {
            self.references.add(1);
        }
        *is_kept
    }

    fn release(&self) {
        let is_kept = self.is_kept.read().unwrap();
        let is_last = *is_kept && self.references.subtract(1);
        drop(is_kept);
        if is_last {
            let mut is_kept = self.is_kept.write().unwrap();
            *is_kept &= self.references.exist();
        }
    }

    fn is_kept(&self) -> bool {
        *self.is_kept.read().unwrap()
    }
}

#[test]
fn a_state_is_removed_with_its_last_reference() {
    loom::model(|| {
        let retired = Retired::new();
        assert!(retired.hold());
        let own = Arc::clone(&retired);
        let other = thread::spawn(move || own.release());
        retired.release();
        other.join().unwrap();
        assert!(!retired.is_kept());
    });
}

#[test]
fn a_state_stays_while_a_reference_is_not_released() {
    loom::model(|| {
        let retired = Retired::new();
        let own = Arc::clone(&retired);
        let other = thread::spawn(move || own.release());
        let is_found = retired.hold();
        other.join().unwrap();
        assert_eq!(retired.is_kept(), is_found);
        assert_eq!(retired.references.exist(), is_found);
    });
}

#[test]
fn references_that_come_and_go_meanwhile_leave_no_state_behind() {
    loom::model(|| {
        let retired = Retired::new();
        let own = Arc::clone(&retired);
        let other = thread::spawn(move || own.release());
        if retired.hold() {
            retired.release();
        }
        other.join().unwrap();
        assert!(!retired.is_kept());
    });
}
