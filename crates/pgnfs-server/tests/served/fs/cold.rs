//! The first request makes a value, and only once, however many requests come at the same time.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Barrier};
use std::thread;

use chessdb_library::task::Cancel;
use pgnfs_server::inside::Inode;

use super::mounted::{Mounted, mount};
use testkit::fake::{CancelAfter, Fake};

const READERS: usize = 6;

/// How often tags, moves and keys of games are read when several threads request a path of a new tree.
fn cost(path: &str, readers: usize) -> usize {
    let calls = Arc::new(CancelAfter::new(usize::MAX, Cancel::default()));
    let mut fake = Fake::many(3000);
    fake.cancel = Some(Arc::clone(&calls));
    let keys = Arc::clone(&fake.keys_read);
    let tree = mount(fake);
    let node = tree.inode(path);
    let (before, barrier) = (
        calls.calls() + keys.load(Ordering::Relaxed),
        Barrier::new(readers),
    );
    thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                barrier.wait();
                look(&tree, node);
            });
        }
    });
    calls.calls() + keys.load(Ordering::Relaxed) - before
}

/// Asks for the attributes of a file, or for the first entries of a directory.
fn look(tree: &Mounted, node: Inode) {
    let open = tree.0.resolve(node).unwrap();
    let open = open.open().unwrap();
    if open.read(0, 1).is_err() {
        let mut left = 3;
        let each = &mut |_: pgnfs_server::inside::Entry<'_>| {
            left -= 1;
            if left > 0 {
                std::ops::ControlFlow::Continue(())
            } else {
                std::ops::ControlFlow::Break(())
            }
        };
        open.read_dir(0, each).unwrap();
    }
}

#[test]
fn six_readers_cost_what_one_costs() {
    let mut costly = 0;
    for path in [
        "tables/games.csv",
        "tables/games.ndjson",
        "tables/games.parquet",
        "tables/duplicates.csv",
        "tables/overview.html",
        "players",
        "material",
        "search/player:white/tables/games.csv",
        "search/player:white/all.pgn",
        "search/material:KRkr",
        "moves",
    ] {
        let (one, six) = (cost(path, 1), cost(path, READERS));
        // Reading what was made may cost the row of a game, or its keys, for each reader.
        let each = 200;
        assert!(
            six <= one + one / 10 + READERS * each,
            "{path}: {one} for one, {six} for six"
        );
        costly += usize::from(one > 2000);
    }
    assert!(costly >= 8, "only {costly} cost something");
}
