//! Listings for programs that use the entries, and for programs that use names only.

use std::collections::BTreeSet;

use super::kernel::{Kernel, LOOKUP, NO_OPEN, Plus, READDIRPLUS, entries, terminated, u64_at};
use crate::fs::fake::{Fake, game};

/// Number of players, each of whom has a directory with two games.
const PLAYERS: usize = 100;

/// Directories after which a program that uses no entry is given names only, at most.
const LEARNED: usize = 20;

/// A mount, and the directories of its players.
fn players() -> (Kernel, Vec<u64>) {
    let games =
        (0..PLAYERS).flat_map(|n| [game(&format!("White {n}"), "?"), game(&format!("White {n}"), "?")]);
    let mut kernel = Kernel::mount(vec![Fake::of(games).at("")], NO_OPEN);
    let folders = (0..PLAYERS).map(|n| u64_at(&kernel.look_up(&format!("players/White {n}")).bytes, 0));
    let folders = folders.collect();
    (kernel, folders)
}

/// The games of a directory as a process lists them.
fn list(kernel: &mut Kernel, process: u32, folder: u64) -> Vec<Plus> {
    kernel.process = process;
    let mut games = Vec::new();
    let mut offset = 0;
    loop {
        let some = entries(&kernel.read(READDIRPLUS, folder, offset, 4096));
        let Some(last) = some.last() else { break };
        offset = last.next;
        games.extend(some.into_iter().filter(|entry| entry.is_file));
    }
    assert_eq!(games.len(), 2);
    games
}

/// Looks up the files that have no attributes, as the kernel does for a program that calls `stat`, and returns
/// their number.
fn stat(kernel: &mut Kernel, folder: u64, games: &[Plus]) -> usize {
    let bare = games.iter().filter(|game| game.node == 0);
    bare.inspect(|game| {
        let found = kernel.ask(LOOKUP, folder, &terminated(&game.name));
        assert_eq!(u64_at(&found.bytes, 0), game.inode);
        assert_ne!(u64_at(&found.bytes, 48), 0, "its size");
    })
    .count()
}

fn without_attributes(games: &[Plus]) -> usize {
    games.iter().filter(|game| game.node == 0).count()
}

#[test]
fn a_program_that_uses_no_entry_gets_names() {
    let (mut kernel, folders) = players();
    let listed = folders.iter().map(|&folder| list(&mut kernel, 7, folder));
    let bare: Vec<usize> = listed.map(|games| without_attributes(&games)).collect();
    assert_eq!(bare[0], 0, "a single directory has attributes");
    assert!(bare[..LEARNED].iter().sum::<usize>() >= 1, "{bare:?}");
    assert_eq!(bare[LEARNED..], [2; PLAYERS - LEARNED]);
    // Others are not affected, nor are processes without a number.
    for process in [8, 0] {
        assert_eq!(without_attributes(&list(&mut kernel, process, folders[0])), 0);
    }
}

#[test]
fn a_program_that_uses_entries_gets_attributes() {
    let (mut kernel, folders) = players();
    let mut looked_up = 0;
    for &folder in &folders {
        let games = list(&mut kernel, 7, folder);
        looked_up += stat(&mut kernel, folder, &games);
    }
    assert!((1..=PLAYERS / 20).contains(&looked_up), "{looked_up}");
    assert!(kernel.dropped.is_empty());
}

#[test]
fn a_program_without_a_number_always_gets_attributes() {
    let (mut kernel, folders) = players();
    for &folder in &folders {
        assert_eq!(without_attributes(&list(&mut kernel, 0, folder)), 0);
    }
}

#[test]
fn attributes_come_back_with_their_first_use() {
    let (mut kernel, folders) = players();
    let named: BTreeSet<u64> = folders
        .iter()
        .filter(|&&folder| without_attributes(&list(&mut kernel, 7, folder)) == 2)
        .copied()
        .collect();
    let last = *folders.last().unwrap();
    let games = list(&mut kernel, 7, last);
    // Another process, as in `find | xargs`.
    kernel.process = 9;
    assert_eq!(stat(&mut kernel, last, &games[..1]), 1);
    // The listings that the kernel keeps are dropped in another thread.
    while kernel.dropped.len() < named.len() {
        kernel.receive(0);
    }
    let dropped: BTreeSet<u64> = kernel.dropped.iter().copied().collect();
    assert_eq!(dropped, named);
    for &folder in &folders[..PLAYERS / 2] {
        assert!(without_attributes(&list(&mut kernel, 7, folder)) < 2);
    }
}

#[test]
fn directories_keep_their_attributes() {
    let (mut kernel, folders) = players();
    for &folder in &folders {
        list(&mut kernel, 7, folder);
    }
    let all = u64_at(&kernel.look_up("players").bytes, 0);
    let some = entries(&kernel.read(READDIRPLUS, all, 2, 1 << 16));
    assert!(some.len() > 50);
    assert!(
        some.iter()
            .all(|entry| !entry.is_file && entry.node == entry.inode)
    );
}

#[test]
fn a_program_that_walks_gets_the_directories_of_a_huge_one() {
    let games = (0..10_001).map(|n| game(&format!("White {n:05}"), "Black"));
    let mut kernel = Kernel::mount(vec![Fake::of(games).at("")], NO_OPEN);
    let players = u64_at(&kernel.look_up("players").bytes, 0);
    let blocks = u64_at(&kernel.look_up("games").bytes, 0);
    kernel.process = 7;
    let names: Vec<String> = entries(&kernel.read(READDIRPLUS, blocks, 2, 1 << 16))
        .into_iter()
        .map(|block| block.name)
        .collect();
    for name in &names {
        let block = u64_at(&kernel.ask(LOOKUP, blocks, &terminated(name)).bytes, 0);
        kernel.read(READDIRPLUS, block, 0, 4096);
    }
    for (process, with_attributes) in [(7, true), (8, false)] {
        kernel.process = process;
        let some = entries(&kernel.read(READDIRPLUS, players, 2, 1 << 16));
        assert!(some.len() > 100);
        for player in some.iter().filter(|entry| !entry.is_file) {
            assert_eq!(player.node != 0, with_attributes, "{process}: {}", player.name);
        }
    }
}
