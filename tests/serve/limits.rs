//! How long clients may keep the server waiting. It serves in this process, with limits that are short.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use chessdb_library::library::Library;
use chessdb_library::task::Request;
use chessdb_library::turns::in_turn;
use pgnfs::serve::{Guard, HttpLimits, HttpOptions, serve_until};
use pgnfs_server::watch::Means;
use pgnfs_server::{PassOptions, ServeOptions, Server};
use tempfile::TempDir;
use tokio::sync::watch::{Sender, channel as counter};

use super::client::{Answer, GAMES};

/// No answer takes longer, unless it never comes.
const PATIENCE: Duration = Duration::from_secs(300);

const SHORT: Duration = Duration::from_millis(200);

/// Limits that no test reaches.
const LONG: HttpLimits = HttpLimits {
    head: Duration::from_secs(3600),
    body: Duration::from_secs(3600),
    idle: Duration::from_secs(3600),
    silence: Duration::from_secs(3600),
    turn: Duration::from_secs(3600),
};

/// A server in this process.
struct Here {
    address: SocketAddr,
    ends: Sender<u32>,
    serving: Option<JoinHandle<()>>,
    _folder: TempDir,
}

impl Here {
    fn with(text: &str, limits: HttpLimits) -> Here {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.pgn"), text).unwrap();
        let open = |source: &std::path::Path| {
            Library::open(source, &Default::default()).map_err(std::io::Error::other)
        };
        let mut server =
            Server::open(folder.path(), Means::Off, SHORT, open, ServeOptions::default()).unwrap();
        let pass = PassOptions {
            threads: 1,
            lower_priority: || (),
        };
        server.start(pass, |_| ()).unwrap();
        let options = HttpOptions {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            guard: Guard::default(),
            logins: None,
            limits,
        };
        let (ends, ended) = counter(0);
        let (sender, ready) = channel();
        let serving = thread::spawn(move || {
            let ready = |address| sender.send(address).unwrap();
            serve_until(&server, options, ready, ended).unwrap();
        });
        Here {
            address: ready.recv().unwrap(),
            ends,
            serving: Some(serving),
            _folder: folder,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn request(&self, path: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address)
    }

    /// The only request of a connection.
    fn request_alone(&self, path: &str) -> String {
        self.request(path)
            .replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
    }

    fn get(&self, path: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(self.request_alone(path).as_bytes()).unwrap();
        Answer::read(&rest(&mut stream))
    }

    /// False once the server has closed a connection.
    fn keeps(&self, client: &TcpStream) -> bool {
        const ESTABLISHED: &str = "01";
        let hex = |address: SocketAddr| format!("0100007F:{:04X}", address.port());
        let (own, other) = (hex(self.address), hex(client.local_addr().unwrap()));
        let table = fs::read_to_string("/proc/net/tcp").unwrap();
        let mut lines = table
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let found = lines.find(|line| line.get(1..3) == Some(&[own.as_str(), &other]));
        found.is_some_and(|line| line[3] == ESTABLISHED)
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        self.ends.send_modify(|count| *count += 1);
        let _ = self.serving.take().unwrap().join();
    }
}

/// What comes until the connection is closed.
fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A connection that is closed while its client sends is reset.
    if let Err(error) = stream.read_to_end(&mut bytes) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }
    bytes
}

/// Reads an answer without a body on a connection that stays open.
fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    String::from_utf8(head).unwrap()
}

#[test]
fn a_request_must_arrive_in_time() {
    let here = Here::with(
        GAMES,
        HttpLimits {
            head: SHORT,
            body: SHORT,
            ..LONG
        },
    );
    let mut silent = here.connect();
    let begin = Instant::now();
    let mut stops = here.connect();
    stops.write_all(b"GET / HTTP/1.1\r\nHost:").unwrap();
    assert_eq!(rest(&mut stops), b"");
    assert!(begin.elapsed() >= SHORT);
    // It does not help to send something from time to time.
    let mut drips = here.connect();
    drips.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
    while drips.write_all(b"x").is_ok() {
        assert!(begin.elapsed() < PATIENCE);
        thread::sleep(SHORT / 20);
    }
    // The body has a time of its own.
    let mut bodiless = here.connect();
    let propfind = format!(
        "PROPFIND /files/ HTTP/1.1\r\nHost: {}\r\nDepth: 0\r\nContent-Length: 9\r\n\r\n<",
        here.address
    );
    bodiless.write_all(propfind.as_bytes()).unwrap();
    assert_eq!(Answer::read(&rest(&mut bodiless)).status, 408);
    // A connection on which nothing has arrived is idle.
    let request = here.request("/robots.txt").replace("GET", "HEAD");
    silent.write_all(request.as_bytes()).unwrap();
    assert!(head(&mut silent).starts_with("HTTP/1.1 200"));
}

/// When the program has been asked to end, it does not wait for the rest of a request, however long that could take.
#[test]
fn no_request_delays_the_end() {
    let here = Here::with(GAMES, LONG);
    let begun = ["", "G", "GET / HTTP/1.1\r\nHost: loc"].map(|begun| {
        let mut stream = here.connect();
        stream.write_all(begun.as_bytes()).unwrap();
        stream
    });
    // One that goes on sending does not help.
    let mut drips = here.connect();
    drips.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
    let dripping = thread::spawn(move || {
        while drips.write_all(b"x").is_ok() {
            thread::sleep(SHORT / 20);
        }
    });
    // They have been accepted.
    assert_eq!(here.get("/robots.txt").status, 200);
    drop(here);
    dripping.join().unwrap();
    for mut stream in begun {
        assert_eq!(rest(&mut stream), b"");
    }
}

#[test]
fn an_idle_connection_is_closed() {
    let idle = SHORT * 10;
    let here = Here::with(GAMES, HttpLimits { idle, ..LONG });
    let begin = Instant::now();
    assert_eq!(rest(&mut here.connect()), b"");
    assert!(begin.elapsed() >= idle);
    let mut stream = here.connect();
    let request = here.request("/robots.txt").replace("GET", "HEAD");
    for _ in 0..3 {
        stream.write_all(request.as_bytes()).unwrap();
        assert!(head(&mut stream).starts_with("HTTP/1.1 200"));
    }
    assert_eq!(rest(&mut stream), b"");
}

#[test]
fn a_client_that_takes_nothing_is_left() {
    let comment = "x".repeat(1 << 20);
    let game = format!("1. e4 {{{comment}}} *\n\n");
    let here = Here::with(
        &game.repeat(24),
        HttpLimits {
            silence: SHORT,
            ..LONG
        },
    );
    let mut stream = here.connect();
    stream
        .write_all(here.request("/files/a.pgn/all.pgn").as_bytes())
        .unwrap();
    let begin = Instant::now();
    while here.keeps(&stream) {
        assert!(begin.elapsed() < PATIENCE);
        thread::sleep(SHORT / 10);
    }
    assert!(begin.elapsed() >= SHORT);
    let answer = Answer::read(&rest(&mut stream));
    let size: usize = answer.header("content-length").parse().unwrap();
    assert!(answer.body.len() < size, "{size} bytes fit into the connection");
}

#[test]
fn a_client_that_takes_little_at_a_time_is_served() {
    let comment = "x".repeat(1 << 20);
    let game = format!("1. e4 {{{comment}}} *\n\n");
    let here = Here::with(
        &game.repeat(24),
        HttpLimits {
            silence: SHORT * 10,
            ..LONG
        },
    );
    let mut stream = here.connect();
    stream
        .write_all(here.request("/files/a.pgn/all.pgn").as_bytes())
        .unwrap();
    // A twentieth of what the kernel would else keep for the client, in a twentieth of the time after which it is left.
    let mut piece = vec![0; 64 << 10];
    let begin = Instant::now();
    while begin.elapsed() < SHORT * 30 {
        stream.read_exact(&mut piece).unwrap();
        thread::sleep(SHORT / 2);
    }
}

/// Locked while a test holds the turns, which this process has only once.
static TURNS: Mutex<()> = Mutex::new(());

/// Takes all turns of the clients on this machine, until the sender is dropped.
fn take_turns(until: impl Fn() -> Receiver<()>) -> Vec<JoinHandle<()>> {
    let client = Request::new(Ipv4Addr::LOCALHOST.into());
    let turns = (0..2).map(|_| {
        let (client, until, (taken, is_taken)) = (client.clone(), until(), channel());
        let turn = thread::spawn(move || {
            let work = move || {
                taken.send(()).unwrap();
                let _ = until.recv();
            };
            client.serve(|| in_turn(work)).unwrap();
        });
        is_taken.recv().unwrap();
        turn
    });
    turns.collect()
}

#[test]
fn a_search_waits_for_its_turn_but_not_for_ever() {
    let here = Here::with(
        GAMES,
        HttpLimits {
            head: SHORT * 5,
            body: SHORT * 5,
            idle: SHORT * 5,
            turn: SHORT * 10,
            ..LONG
        },
    );
    let _turns = TURNS.lock();
    let ends = std::cell::RefCell::new(Vec::new());
    let turns = take_turns(|| {
        let (end, until) = channel();
        ends.borrow_mut().push(end);
        until
    });
    let begin = Instant::now();
    for path in ["/in/player:tal/masters", "/files/a.pgn/search/player:tal/all.pgn"] {
        let refused = here.get(path);
        assert_eq!(
            (refused.status, refused.header("retry-after")),
            (503, "5"),
            "{path}"
        );
    }
    assert!(begin.elapsed() >= SHORT * 10);
    // Others are served meanwhile.
    assert_eq!(here.get("/masters").status, 200);
    drop(ends);
    turns.into_iter().for_each(|turn| turn.join().unwrap());
    assert_eq!(here.get("/in/player:tal/masters").status, 200);
}

/// Searches that wait hold up no query. That they are read by threads of their own is tested at these.
#[test]
fn queries_are_read_beside_searches() {
    let here = Here::with(GAMES, LONG);
    let _turns = TURNS.lock();
    let ends = std::cell::RefCell::new(Vec::new());
    let turns = take_turns(|| {
        let (end, until) = channel();
        ends.borrow_mut().push(end);
        until
    });
    let waiting = [1, 2, 3].map(|n| {
        let mut stream = here.connect();
        let path = format!("/api/games?q=player:tal%20elo:{n}..");
        stream.write_all(here.request_alone(&path).as_bytes()).unwrap();
        stream
    });
    let line = ["Nf3,Nf6,Ng1,Ng8"; 800].join(",");
    let patterns: Vec<String> = (0..32)
        .map(|n| format!("*{}*{}*", ["a", "h"][n % 2], 1 + n % 8))
        .collect();
    for query in [format!("line:{line}"), format!("played:{}", patterns.join("|"))] {
        let answer = here.get(&format!("/api/query?q={query}"));
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let refused = here.get("/api/query?q=playr:x");
    assert_eq!(refused.status, 400);
    drop(ends);
    turns.into_iter().for_each(|turn| turn.join().unwrap());
    for mut stream in waiting {
        assert_eq!(Answer::read(&rest(&mut stream)).status, 200);
    }
}

/// A client that reads one line has something, as on Lichess.
#[test]
fn a_player_is_answered_line_by_line() {
    let here = Here::with(GAMES, LONG);
    let _turns = TURNS.lock();
    let ends = std::cell::RefCell::new(Vec::new());
    let turns = take_turns(|| {
        let (end, until) = channel();
        ends.borrow_mut().push(end);
        until
    });
    let mut stream = here.connect();
    let path = "/player?player=Tal&color=white&play=e2e4,c7c5";
    stream.write_all(here.request_alone(path).as_bytes()).unwrap();
    let mut bytes = head(&mut stream).into_bytes();
    while !bytes.ends_with(b"}\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        bytes.extend(byte);
    }
    drop(ends);
    turns.into_iter().for_each(|turn| turn.join().unwrap());
    bytes.extend(rest(&mut stream));
    let answer = Answer::read(&bytes);
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let text = answer.text();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let lines: Vec<_> = lines.collect();
    let counted = |line: &serde_json::Value| ["white", "draws", "black"].map(|result| line[result].as_u64());
    assert_eq!(counted(&lines[0]), [Some(0); 3]);
    assert_eq!(lines[0]["opening"]["name"], "Sicilian Defense");
    assert_eq!(lines[0]["moves"], serde_json::json!([]));
    let last = lines.last().unwrap();
    assert_eq!(counted(last), [Some(0), Some(0), Some(1)]);
    assert_eq!(last["moves"][0]["uci"], "c2c3");
    // What is known is one line.
    assert_eq!(here.get(path).text().lines().count(), 1);
}
