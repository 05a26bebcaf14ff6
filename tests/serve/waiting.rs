//! Answers that take long: clients that leave, several that wait for the same, and sources that do not answer.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use testkit::hanging::{Hanging, Operation};
use testkit::needs;
use testkit::patience::wait_for;

use super::client::{GAMES, Served};

/// What the server makes now that begins like this, each with the number of games that are done.
fn made(served: &Served, what: &str) -> Vec<u64> {
    let status = served.json("/api/status");
    let making = status["making"].as_array().unwrap().iter();
    let own = making.filter(|made| made["what"].as_str().unwrap().starts_with(what));
    own.map(|made| made["done"].as_u64().unwrap()).collect()
}

/// A database of 400,000 games.
fn large(samples: PathBuf) -> PathBuf {
    samples.join("data/simplecdb/large/large.dci")
}

#[test]
fn the_work_for_a_client_that_leaves_ends() {
    let served = Served::at(&large(needs!(samples)), &["--index=no"]);
    let asks = |path: &str| {
        let mut stream = served.connect();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    for path in [
        "/in/sacrifice:5../masters",
        "/api/games?q=sacrifice:6..",
        "/files/search/sacrifice:7../all.pgn",
    ] {
        let searches = || made(&served, "search sacrifice").len();
        let client = asks(path);
        wait_for("the search", || searches() == 1);
        // Another client that asks for the same does not start it again, and keeps it going.
        let other = asks(path);
        drop(client);
        thread::sleep(Duration::from_millis(500));
        assert_eq!(searches(), 1, "{path}");
        drop(other);
        let ended = wait_for("the end of the search", || searches() == 0);
        assert!(ended < Duration::from_secs(2), "{path}: {ended:?}");
    }
}

#[test]
fn a_table_is_made_once_for_all_who_ask_for_it() {
    let served = Served::at(&large(needs!(samples)), &["--index=no"]);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| served.ask("HEAD", "/files/tables/games.csv", &[])))
            .collect();
        let mut done = vec![];
        while !clients.iter().all(|client| client.is_finished()) {
            let now = made(&served, "table of games");
            assert!(now.len() <= 1, "{now:?}");
            done.extend(now);
        }
        // One table: its count never falls back.
        assert!(!done.is_empty() && done.is_sorted(), "{done:?}");
        let answers = clients.into_iter().map(|client| client.join().unwrap());
        let sizes: Vec<String> = answers
            .map(|answer| answer.header("content-length").to_owned())
            .collect();
        assert!(
            sizes.iter().all(|size| *size == sizes[0]) && sizes[0].len() > 6,
            "{sizes:?}"
        );
    });
}

/// Processor time of the server.
fn worked(served: &Served) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", served.process())).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: f64 = fields[11..13]
        .iter()
        .map(|field| field.parse::<f64>().unwrap())
        .sum();
    ticks / 100.0
}

#[test]
fn filters_and_orders_end_with_their_clients() {
    let served = Served::at(&large(needs!(samples)), &["--index=no"]);
    let send = |path: &str| {
        let mut stream = served.connect();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
        stream.write_all(request.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(20));
    };
    let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR+w+KQkq+-+0+1";
    for path in [
        "/lichess?speeds=blitz&n=".to_owned(),
        format!("/api/games?sort=length&play=e2e4&fen={board}"),
    ] {
        let before = worked(&served);
        assert_eq!(served.get(&format!("{path}0")).status, 200, "{path}");
        let of_one = worked(&served) - before;
        let before = worked(&served);
        for n in 1..=20 {
            send(&format!("{path}{n}"));
        }
        let mut last = worked(&served);
        wait_for("the end of all work", || {
            thread::sleep(Duration::from_millis(500));
            let now = worked(&served);
            now - std::mem::replace(&mut last, now) < 0.05
        });
        let of_twenty = worked(&served) - before;
        assert!(
            of_twenty < 10.0 * of_one,
            "{path}: {of_twenty} s of work for clients that have left, {of_one} s for one that stays"
        );
    }
}

#[test]
fn a_source_that_does_not_answer_may_be_asked_again() {
    needs!(mount);
    let scratch = tempfile::tempdir().unwrap();
    let (folder, source) = (scratch.path().join("folder"), scratch.path().join("source"));
    for new in [&folder, &source, &source.join("far")] {
        fs::create_dir(new).unwrap();
    }
    fs::write(folder.join("b.pgn"), GAMES).unwrap();
    fs::write(source.join("a.pgn"), GAMES).unwrap();
    let hanging = Hanging::mount(&folder, &source.join("far"));
    let options = ["-o", "source-timeout=1", "-o", "watch=off", "--cache-size=1"];
    let served = Served::at(&source, &options);
    wait_for("both databases", || {
        let known = |database: &Value| database["sizes_known"] == 4;
        let databases = served.json("/api/databases")["databases"].clone();
        databases
            .as_array()
            .unwrap()
            .iter()
            .filter(|&database| known(database))
            .count()
            == 2
    });
    let game = "/files/far/b.pgn/games/000001-001000/000001.pgn";
    assert_eq!(served.get(game).status, 200);
    hanging.hang(&[Operation::LookUp, Operation::Attributes, Operation::Read]);
    for path in [
        game,
        "/api/game?path=far/b.pgn/games/000001-001000/000002.pgn",
        "/api/games?q=white:bird&db=far/b.pgn",
        "/in/black:bird/masters",
    ] {
        let refused = served.get(path);
        assert_eq!(
            (refused.status, refused.header("retry-after")),
            (503, "5"),
            "{path}: {}",
            refused.text()
        );
    }
    assert_eq!(served.ask("GET", game, &["Range: bytes=0-1,4-5"]).status, 503);
    assert_eq!(served.get("/files/a.pgn/all.pgn").status, 200);
    hanging.recover();
    wait_for("the source", || served.get(game).status == 200);
}
