//! A source that does not answer.

use std::collections::HashSet;
use std::time::Duration;

use pgnfs::fs::ServeOptions;

use crate::fake::Fake;
use crate::kernel::{GETATTR, Kernel, NO_OPEN, READ, READDIRPLUS, ROOT, entries, reading, u64_at};
use crate::stuck::behind_gate;

const EIO: i32 = 5;

#[test]
fn a_source_that_does_not_answer_costs_only_its_own_readers() {
    let (far, gate) = behind_gate(Fake::many(100), "far");
    let options = ServeOptions {
        // What is kept is served whether the source answers or not.
        cache_size: 0,
        source_timeout: Duration::from_millis(300),
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
    // One thread reads all requests.
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
    for (&game, text) in far.iter().zip(&texts) {
        assert_eq!(&kernel.read(READ, game, 0, 4096).bytes, text);
    }
    let listed = kernel.read(READDIRPLUS, players, 0, 4096);
    assert!(entries(&listed).len() > 2);
    assert!(kernel.others.is_empty(), "{:?}", kernel.others);
}
