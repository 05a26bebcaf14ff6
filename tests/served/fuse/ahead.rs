//! Games stored in the page cache before the kernel requests them.

use std::collections::BTreeSet;

use super::kernel::{Kernel, NO_OPEN, READ, READDIRPLUS, entries, u64_at};
use testkit::fake::Fake;

/// A kernel that has listed a directory of games, and these games in order.
fn listed(games: usize, path: &str) -> (Kernel, Vec<u64>) {
    let mut kernel = Kernel::mount(vec![Fake::many(games).at("")], NO_OPEN);
    let folder = u64_at(&kernel.look_up(path).bytes, 0);
    let mut files = Vec::new();
    let mut offset = 0;
    loop {
        let some = entries(&kernel.read(READDIRPLUS, folder, offset, 1 << 16));
        let Some(last) = some.last() else { break };
        offset = last.next;
        files.extend(some.iter().filter(|entry| entry.is_file).map(|entry| entry.inode));
    }
    (kernel, files)
}

/// Reads games in order as a program does through the page cache: stored games are not requested. Returns the
/// texts and the number of requests.
fn walk(kernel: &mut Kernel, games: &[u64]) -> (Vec<Vec<u8>>, usize) {
    let mut asked = 0;
    let texts = games.iter().map(|&game| {
        let stored = |kernel: &Kernel| {
            let mut stored = kernel.stored.iter();
            stored
                .find(|(node, _)| *node == game)
                .map(|(_, text)| text.clone())
        };
        stored(kernel).unwrap_or_else(|| {
            asked += 1;
            let answer = kernel.read(READ, game, 0, 1 << 16);
            assert_eq!(answer.error, 0);
            answer.bytes
        })
    });
    (texts.collect(), asked)
}

#[test]
fn a_walk_asks_for_few_games_and_gets_all() {
    for (path, most) in [("games/000001-001000", 1000), ("players/White1, A", 143)] {
        let (mut kernel, games) = listed(1000, path);
        assert_eq!(games.len(), most);
        let (texts, asked) = walk(&mut kernel, &games);
        assert!(
            asked <= most / 10,
            "{path}: {asked} of {most} games were asked for"
        );
        let (mut other, _) = listed(1000, path);
        for (n, (&game, text)) in games.iter().zip(&texts).enumerate().rev() {
            let answer = other.read(READ, game, 0, 1 << 16);
            assert_eq!(answer.bytes, *text, "{path}: game {n}");
        }
    }
}

#[test]
fn single_games_bring_no_others_along() {
    let (mut kernel, games) = listed(1000, "games/000001-001000");
    for n in [500, 100, 900, 300] {
        kernel.read(READ, games[n], 0, 1 << 16);
    }
    assert_eq!(kernel.stored, []);
}

#[test]
fn a_walk_may_begin_anywhere() {
    let (mut kernel, games) = listed(1000, "games/000001-001000");
    let (_, asked) = walk(&mut kernel, &games[700..]);
    assert!(asked < 30, "{asked} of 300 games were asked for");
    let stored: BTreeSet<u64> = kernel.stored.iter().map(|(node, _)| *node).collect();
    assert!(stored.is_disjoint(&BTreeSet::from_iter(games[..700].to_vec())));
}
