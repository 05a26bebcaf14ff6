//! Work that is cancelled when the mount ends.

use std::sync::Arc;

use chessdb_library::spelling::Spelling;
use chessdb_library::task::{Cancel, Cancelled};
use pgnfs_server::inside::{Layout, PassOptions, PassState, ServeOptions};

use super::mounted::{Mounted, mount, mount_with};
use testkit::fake::{CancelAfter, Fake, game};
use testkit::patience::wait_for;
use testkit::stuck::behind_gate;

const GAMES: usize = 20_000;
const THREADS: usize = 2;

fn fake() -> Fake {
    Fake::of((0..GAMES).map(|n| {
        game(&format!("White{}", n % 9), "Black")
            .date(1900 + (n % 50) as u16, 1, 1)
            .line("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7")
    }))
}

fn tree(fake: Fake, spelling: Spelling) -> Mounted {
    let mut layout = Layout::default();
    layout.spell(spelling);
    let options = ServeOptions {
        threads: THREADS,
        layout: layout.into(),
        ..ServeOptions::default()
    };
    mount_with(vec![fake.at("")], options)
}

#[test]
fn long_work_ends_soon_and_leaves_nothing_wrong() {
    let whole = mount(fake());
    for path in [
        "all.pgn",
        "tables/duplicates.csv",
        "tables/games.csv",
        "tables/games.parquet",
        "moves/e4",
        "tables/overview.html",
        "tables/problems.txt",
    ] {
        let cancel = Cancel::default();
        let after = Arc::new(CancelAfter::new(100, cancel.clone()));
        let fake = Fake {
            cancel: Some(Arc::clone(&after)),
            ..fake()
        };
        let tree = tree(fake, Spelling::Stored);
        let asked = cancel.run(|| {
            let inode = tree.inode(path);
            tree.attributes(inode).map(|attributes| attributes.size)
        });
        assert_eq!(asked, Err(Cancelled), "{path}");
        // Each thread ends the games that it has taken.
        assert!(after.calls() < GAMES / 2, "{path}: {} of {GAMES}", after.calls());
        // Other work does what was not done.
        assert_eq!(tree.stat(path).size, whole.stat(path).size, "{path}");
    }
}

#[test]
fn a_background_pass_that_is_cancelled_is_not_running_any_more() {
    let (entry, gate) = behind_gate(Fake::many(100), "far");
    let tree = mount_with(vec![entry], ServeOptions::default());
    gate.close_for(50);
    tree.0.start_pass(PassOptions {
        threads: THREADS,
        lower_priority: || {},
    });
    wait_for("the pass at the gate", || gate.waiting() > 0);
    let state = || tree.0.status().databases[0].pass;
    assert_eq!(state(), PassState::Running);
    tree.0.end_work();
    gate.open();
    wait_for("a pass that waits", || state() == PassState::Waiting);
}

#[test]
fn a_search_for_novelties_ends_soon() {
    let cancel = Cancel::default();
    let after = Arc::new(CancelAfter::new(usize::MAX, cancel.clone()));
    let fake = Fake {
        cancel: Some(Arc::clone(&after)),
        ..fake()
    };
    let tree = tree(fake, Spelling::Stored);
    // Builds the index.
    tree.stat("moves/e4");
    after.restart(100);
    let asked = cancel.run(|| tree.stat("positions/novelties.csv").size);
    assert_eq!(asked, Err(Cancelled));
    assert!(after.calls() < GAMES / 2, "{} of {GAMES}", after.calls());
    let whole = mount(self::fake());
    let [size, expected] = [&tree, &whole].map(|tree| tree.stat("positions/novelties.csv").size);
    assert_eq!(size, expected);
    // There is a novelty to be found.
    let rows = whole.cat("positions/novelties.csv").lines().count();
    assert!(rows > 1, "{rows} lines");
}

#[test]
fn sorting_games_by_their_keys_ends_soon() {
    for spelling in [Spelling::Stored, Spelling::Fold] {
        let cancel = Cancel::default();
        let after = Arc::new(CancelAfter::new(100, cancel.clone()));
        let fake = Fake {
            cancel_keys: Some(Arc::clone(&after)),
            ..fake()
        };
        let tree = tree(fake, spelling.clone());
        let asked = cancel.run(|| tree.ls("players/White1").len());
        assert_eq!(asked, Err(Cancelled), "{spelling:?}");
        assert!(
            after.calls() < GAMES / 2,
            "{spelling:?}: {} of {GAMES}",
            after.calls()
        );
        assert_eq!(
            tree.ls("players"),
            mount(self::fake()).ls("players"),
            "{spelling:?}"
        );
    }
}
