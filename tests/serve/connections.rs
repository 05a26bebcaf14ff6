//! Connections: how many there may be, how requests must be, and how serving ends.

use std::io::{Read, Write};

use rustix::process::{Pid, Signal, kill_process};

use super::client::{Answer, Served};

fn request(served: &Served, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", served.address)
}

#[test]
fn a_connection_answers_many_requests() {
    let served = Served::games(&[]);
    let mut stream = served.connect();
    for path in ["/robots.txt", "/files/a.pgn/info.txt", "/robots.txt"] {
        stream.write_all(request(&served, path).as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let answer = loop {
            let mut some = [0; 4096];
            let read = stream.read(&mut some).unwrap();
            assert_ne!(read, 0, "{path}");
            bytes.extend_from_slice(&some[..read]);
            if bytes.windows(4).any(|four| four == b"\r\n\r\n") {
                let answer = Answer::read(&bytes);
                if answer.header("content-length") == answer.body.len().to_string() {
                    break answer;
                }
            }
        };
        assert_eq!(answer.status, 200, "{path}");
    }
}

#[test]
fn more_connections_than_are_served_are_told_so() {
    let served = Served::games(&[]);
    let idle: Vec<_> = (0..64)
        .map(|_| {
            let mut stream = served.connect();
            // A request that is not complete keeps its connection.
            stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
            stream
        })
        .collect();
    let refused = loop {
        let answer = served.get("/robots.txt");
        // The last of the others may not have been accepted yet.
        if answer.status != 200 {
            break answer;
        }
    };
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), "5");
    drop(idle);
    while served.get("/robots.txt").status != 200 {}
}

#[test]
fn requests_that_are_too_large_are_refused() {
    let served = Served::games(&[]);
    let long = format!("X-Long: {}", "x".repeat(20_000));
    assert_eq!(served.ask("GET", "/robots.txt", &[&long]).status, 431);
    let many: Vec<String> = (0..200).map(|n| format!("X-{n}: x")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(served.ask("GET", "/robots.txt", &many).status, 431);
}

#[test]
fn a_signal_ends_serving() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut served = Served::games(&[]);
        let _idle = served.connect();
        let process = Pid::from_raw(served.process() as i32).unwrap();
        kill_process(process, signal).unwrap();
        assert!(served.ended(), "{signal:?}");
    }
}
