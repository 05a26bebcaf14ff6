//! A source that does not answer.

use std::collections::HashSet;
use std::time::Duration;

use pgnfs_server::inside::ServeOptions;

use super::kernel::{
    GETATTR, Kernel, LOOKUP, NO_OPEN, READ, READDIRPLUS, ROOT, entries, reading, terminated, u64_at,
};
use testkit::fake::Fake;
use testkit::patience::{Waiting, wait_for};
use testkit::stuck::behind_gate;

const EIO: i32 = 5;

#[test]
fn a_source_that_does_not_answer_costs_only_its_own_readers() {
    let (far, gate) = behind_gate(Fake::many(100), "far");
    let options = ServeOptions {
        // Cached texts would be served even if the source does not answer.
        cache_size: 0,
        source_timeout: Duration::from_secs(2),
        ..ServeOptions::default()
    };
    let mut kernel = Kernel::mount_with(vec![far, Fake::many(100).at("near")], NO_OPEN, options);
    let mut games = |database: &str| -> Vec<u64> {
        let path = |n| format!("{database}/games/000001-001000/{n:06}.pgn");
        (1..=100)
            .map(|n| u64_at(&kernel.look_up(&path(n)).bytes, 0))
            .collect()
    };
    let (far, near) = (games("far"), games("near"));
    let players = u64_at(&kernel.look_up("far/players").bytes, 0);
    let directory = u64_at(&kernel.look_up("far").bytes, 0);

    gate.close();
    let mut hung: HashSet<u64> = far
        .iter()
        .map(|&game| kernel.send(READ, game, &reading(0, 4096)))
        .collect();
    hung.insert(kernel.send(READDIRPLUS, players, &reading(0, 4096)));
    hung.insert(kernel.send(GETATTR, far[0], &[0; 16]));
    // A single thread reads all requests.
    let texts: Vec<Vec<u8>> = near
        .iter()
        .map(|&game| kernel.read(READ, game, 0, 4096).bytes)
        .collect();
    assert!(texts.iter().all(|text| text.starts_with(b"[Event ")));
    assert_eq!(kernel.ask(GETATTR, directory, &[0; 16]).error, 0);
    assert!(entries(&kernel.read(READDIRPLUS, ROOT, 0, 4096)).len() >= 5);
    assert!(!entries(&kernel.read(READDIRPLUS, directory, 0, 4096)).is_empty());

    let last = kernel.send(READ, far[0], &reading(0, 4096));
    hung.insert(last);
    while kernel.others.len() < hung.len() {
        kernel.receive(last + 2);
    }
    for (request, answer) in &kernel.others {
        assert!(hung.remove(request));
        assert_eq!(answer.error, EIO);
    }
    assert!(hung.is_empty(), "{} requests without an answer", hung.len());

    gate.open();
    kernel.others.clear();
    wait_for("an answer", || kernel.read(READ, far[0], 0, 4096).error == 0);
    for (&game, text) in far.iter().zip(&texts) {
        assert_eq!(&kernel.read(READ, game, 0, 4096).bytes, text);
    }
    let listed = kernel.read(READDIRPLUS, players, 0, 4096);
    assert!(entries(&listed).len() > 2);
    assert!(kernel.others.is_empty(), "{:?}", kernel.others);
}

#[test]
fn a_request_that_hangs_is_given_up_whatever_others_read() {
    let (far, gate) = behind_gate(Fake::many(100), "far");
    let options = ServeOptions {
        cache_size: 0,
        source_timeout: Duration::from_secs(2),
        threads: 2,
        ..ServeOptions::default()
    };
    let mut kernel = Kernel::mount_with(vec![far], NO_OPEN, options);
    let directory = u64_at(&kernel.look_up("far").bytes, 0);
    let game = u64_at(&kernel.look_up("far/games/000001-001000/000001.pgn").bytes, 0);
    gate.close_for(50);
    // This requires the sizes of all games.
    let hanging = kernel.send(LOOKUP, directory, &terminated("all.pgn"));
    // Once the request is given up, others are refused. The answers may arrive in any order.
    wait_for("a refusal", || {
        kernel.read(READ, game, 0, 4096).error != 0 || !kernel.others.is_empty()
    });
    wait_for("the request to be given up", || {
        kernel.read(READ, game, 0, 4096);
        !kernel.others.is_empty()
    });
    let [(request, answer)] = &kernel.others[..] else {
        panic!("{:?}", kernel.others)
    };
    assert_eq!((*request, answer.error), (hanging, EIO));
}

#[test]
fn of_many_requests_in_turn_only_the_first_waits() {
    const TIMEOUT: Duration = Duration::from_secs(1);
    let (far, gate) = behind_gate(Fake::many(100), "far");
    let options = ServeOptions {
        cache_size: 0,
        source_timeout: TIMEOUT,
        ..ServeOptions::default()
    };
    let mut kernel = Kernel::mount_with(vec![far], NO_OPEN, options);
    let path = |n| format!("far/games/000001-001000/{n:06}.pgn");
    let games: Vec<u64> = (1..=100)
        .map(|n| u64_at(&kernel.look_up(&path(n)).bytes, 0))
        .collect();
    gate.close();
    let mut waiting = Waiting::begin();
    for &game in &games {
        assert_eq!(kernel.read(READ, game, 0, 4096).error, EIO);
        waiting.spent();
    }
    // On a slow machine some more are let through. If all were, a hundred would wait.
    let spent = waiting.spent();
    assert!(spent < 20 * TIMEOUT, "{spent:?}");
    gate.open();
    wait_for("an answer", || kernel.read(READ, games[0], 0, 4096).error == 0);
    assert!(
        games
            .iter()
            .all(|&game| kernel.read(READ, game, 0, 4096).error == 0)
    );
}
