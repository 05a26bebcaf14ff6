//! The scan compared with shakmaty.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chessdb_library::positions::{scan, scan_moves};

use super::counted::{Key, count, databases, pattern};
use crate::query::{answer, searched};
use testkit::needs;

/// Every nth position of a sample is searched for.
const EVERY: usize = 97;

#[test]
fn a_scan_finds_what_shakmaty_finds() {
    needs!(samples);
    let mut compared = 0;
    for (name, database) in databases(testkit::cases(60, 300)) {
        let all = count(&*database, 60);
        let mut keys: Vec<_> = all.keys().collect();
        keys.sort_unstable();
        for key in keys.into_iter().step_by(EVERY) {
            let (counted, pattern) = (&all[key], pattern(key));
            let found = scan(&*database, None, &pattern, None, 2, &|_| ());
            let found = found.iter().filter(|found| found.ply <= 60);
            let plies: BTreeMap<u32, u32> = found.map(|found| (found.game, found.ply)).collect();
            assert_eq!(plies, counted.games, "{name}: {key}");
            compared += 1;
        }
    }
    assert!(compared > testkit::cases(300, 1000), "{compared}");
}

/// The letters of all pieces of a position, sorted.
fn material(key: &Key) -> String {
    let board = key.split(' ').next().unwrap();
    let mut letters: Vec<char> = board.chars().filter(char::is_ascii_alphabetic).collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

/// The board of a position with only its pawns, square by square.
fn pawns(key: &Key) -> String {
    let board = key.split(' ').next().unwrap();
    let squares = board.chars().map(|c| match c {
        'P' | 'p' | '/' => c.to_string(),
        _ => ".".repeat(c.to_digit(10).unwrap_or(1) as usize),
    });
    squares.collect()
}

#[test]
fn a_scan_finds_the_pieces_and_pawns_that_shakmaty_finds() {
    needs!(samples);
    type Question = (fn(&Key) -> String, fn(&Key) -> String);
    let questions: [Question; 2] = [
        (material, |key| format!("material:{}", material(key))),
        (pawns, |key| format!("pawns:{}", key.split(' ').next().unwrap())),
    ];
    let mut compared = 0;
    for (name, database) in databases(testkit::cases(60, 300)) {
        let all = count(&*database, 60);
        for (same, query) in questions {
            // The first ply of each game, by what the positions have in common, and one of these positions.
            let mut expected: BTreeMap<String, (&Key, BTreeMap<u32, u32>)> = BTreeMap::new();
            for (key, counted) in &all {
                let (_, plies) = expected.entry(same(key)).or_insert((key, BTreeMap::new()));
                for (&game, &ply) in &counted.games {
                    let first = plies.entry(game).or_insert(ply);
                    *first = ply.min(*first);
                }
            }
            for (key, plies) in expected.into_values().step_by(EVERY) {
                let found = answer(&query(key), &searched(&*database, "")).into_iter();
                let found: BTreeMap<u32, u32> = found.filter(|&(_, ply)| ply <= 60).collect();
                assert_eq!(found, plies, "{name}: {key}");
                compared += 1;
            }
        }
    }
    assert!(compared > testkit::cases(300, 1000), "{compared}");
}

#[test]
fn a_table_has_what_was_played() {
    needs!(samples);
    for (name, database) in databases(testkit::cases(60, 300)) {
        let all = count(&*database, u32::MAX);
        let mut keys: Vec<_> = all.keys().collect();
        keys.sort_unstable_by_key(|key| (Reverse(all[*key].games.len()), *key));
        for key in keys.into_iter().take(10) {
            let pattern = pattern(key);
            let table = scan_moves(&*database, None, &pattern, None, 2, &|_| ());
            let played = table.rows.iter().filter(|row| row.tally.games > 0);
            let moves: BTreeMap<String, u32> = played.map(|row| (row.san.clone(), row.tally.games)).collect();
            assert_eq!(moves, all[key].moves, "{name}: {key}");
            for row in table.rows.iter().filter(|row| row.mv.is_some()) {
                let after = pattern.after(row.mv.unwrap()).unwrap();
                let reached = scan(&*database, None, &after, None, 2, &|_| ());
                assert_eq!(row.reached, reached.len() as u32, "{name}: {key} {}", row.san);
                assert!(row.tally.games > 0 || row.reached > 1);
            }
        }
    }
}
