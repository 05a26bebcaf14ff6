//! The scan compared with shakmaty.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pgnfs::positions::{Wanted, scan, scan_moves};

use crate::common::needs;
use crate::counted::{count, databases, pattern};

/// Every nth position of a sample is searched for.
const EVERY: usize = 97;

#[test]
fn a_scan_finds_what_shakmaty_finds() {
    needs!(samples);
    let mut compared = 0;
    for (name, database) in databases(300) {
        let all = count(&*database, 60);
        let mut keys: Vec<_> = all.keys().collect();
        keys.sort_unstable();
        for key in keys.into_iter().step_by(EVERY) {
            let (counted, pattern) = (&all[key], pattern(key));
            let found = scan(&*database, &Wanted::Position(pattern), 2, &|_| ());
            let found = found.iter().filter(|found| found.ply <= 60);
            let plies: BTreeMap<u32, u32> = found.map(|found| (found.game, found.ply)).collect();
            assert_eq!(plies, counted.games, "{name}: {key}");
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn a_table_has_what_was_played() {
    needs!(samples);
    for (name, database) in databases(300) {
        let all = count(&*database, u32::MAX);
        let mut keys: Vec<_> = all.keys().collect();
        keys.sort_unstable_by_key(|key| (Reverse(all[*key].games.len()), *key));
        for key in keys.into_iter().take(10) {
            let pattern = pattern(key);
            let table = scan_moves(&*database, &pattern, 2, &|_| ());
            let played = table.rows.iter().filter(|row| row.tally.games > 0);
            let moves: BTreeMap<String, u32> = played.map(|row| (row.san.clone(), row.tally.games)).collect();
            assert_eq!(moves, all[key].moves, "{name}: {key}");
            for row in table.rows.iter().filter(|row| row.mv.is_some()) {
                let after = pattern.after(row.mv.unwrap()).unwrap();
                let reached = scan(&*database, &Wanted::Position(after), 2, &|_| ());
                assert_eq!(row.reached, reached.len() as u32, "{name}: {key} {}", row.san);
                assert!(row.tally.games > 0 || row.reached > 1);
            }
        }
    }
}
