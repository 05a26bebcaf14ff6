use std::sync::atomic::Ordering;

use pgnfs_server::inside::ServeOptions;

use super::mounted::{Mounted, mount_with};
use testkit::fake::{Fake, game};

fn path(number: usize) -> String {
    format!("games/000001-001000/{number:06}.pgn")
}

fn mount_cached(fake: Fake, cache_size: usize) -> Mounted {
    let options = ServeOptions {
        cache_size,
        threads: 2,
        ..ServeOptions::default()
    };
    mount_with(vec![fake.at("")], options)
}

#[test]
fn a_game_is_decoded_once_for_its_size_and_all_its_reads() {
    let fake = Fake::of([game("a", "b").comment("word ".repeat(1000))]);
    let decoded = fake.decoded.clone();
    let tree = mount_cached(fake, 1 << 20);
    assert!(!tree.may_wait(tree.inode(&path(1))));
    tree.stat(&path(1));
    tree.cat(&path(1));
    tree.cat("players/a/xxxx.xx.xx_a-b_open_000001.pgn");
    assert_eq!(decoded.load(Ordering::Relaxed), 1);
}

#[test]
fn a_long_game_is_decoded_by_a_thread_that_may_wait() {
    let long = 64 << 10;
    let games = [long - 1, long].map(|len| game("a", "b").comment("x".repeat(len)));
    let fake = Fake::of(games);
    let decoded = fake.decoded.clone();
    let tree = mount_cached(fake, 1 << 20);
    let [short, long] = [1, 2].map(|number| tree.inode(&path(number)));
    assert!(!tree.may_wait(short) && tree.may_wait(long));
    tree.stat(&path(2));
    assert_eq!(decoded.load(Ordering::Relaxed), 1);
    // A decoded game is read quickly.
    assert!(!tree.may_wait(long));
}

#[test]
fn without_a_cache_everything_is_decoded_again_and_the_same() {
    let fake = Fake::many(20);
    let decoded = fake.decoded.clone();
    let tree = mount_cached(fake, 0);
    let first: Vec<String> = (1..=20).map(|number| tree.cat(&path(number))).collect();
    let again: Vec<String> = (1..=20).map(|number| tree.cat(&path(number))).collect();
    assert_eq!(first, again);
    assert!(decoded.load(Ordering::Relaxed) > 40);
}

#[test]
fn a_pass_over_the_whole_database_leaves_the_cache_alone() {
    let fake = Fake::many(1000);
    let decoded = fake.decoded.clone();
    let tree = mount_cached(fake, 100_000);
    tree.cat(&path(500));
    tree.stat("all.pgn");
    assert_eq!(decoded.load(Ordering::Relaxed), 1000);
    tree.cat(&path(500));
    assert_eq!(decoded.load(Ordering::Relaxed), 1000);
}

#[test]
fn reading_all_pgn_piece_by_piece_decodes_no_game_twice() {
    let fake = Fake::of((0..500).map(|n| game("a", "b").comment("word ".repeat(n % 300))));
    let decoded = fake.decoded.clone();
    let tree = mount_cached(fake, 1 << 20);
    tree.stat("all.pgn");
    decoded.store(0, Ordering::Relaxed);
    tree.cat("all.pgn");
    assert!(decoded.load(Ordering::Relaxed) <= 500, "{decoded:?}");
}

#[test]
fn status_decodes_nothing() {
    let fake = Fake::of([game("a", "b"), game("c", "d").problem("odd"), game("e", "f")]);
    let decoded = fake.decoded.clone();
    let tree = mount_cached(fake, 1 << 20);
    let begin = tree.0.status();
    assert_eq!(decoded.load(Ordering::Relaxed), 0);
    assert_eq!((begin.databases[0].games, begin.databases[0].sizes_known), (3, 0));
    assert_eq!(
        (begin.cache.bytes, begin.cache.hits, begin.cache.misses),
        (0, 0, 0)
    );

    tree.cat(&path(1));
    let size = tree.cat(&path(2)).len();
    tree.cat(&path(2));
    let end = tree.0.status();
    assert_eq!(end.databases[0].sizes_known, 2);
    assert_eq!(end.databases[0].problems, begin.databases[0].problems + 1);
    assert_eq!((end.cache.games, end.cache.misses), (2, 2));
    assert!(end.cache.hits > 0 && end.cache.bytes > size && end.cache.capacity == 1 << 20);
}
