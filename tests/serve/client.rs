//! The program, serving a folder, and a client that sends requests as they are written.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// No answer takes longer, unless it never comes.
const PATIENCE: Duration = Duration::from_secs(300);

/// Four games: a finished and an unfinished Sicilian, and two others.
pub const GAMES: &str = r#"[Event "Club"]
[Site "https://lichess.org/abcd1234"]
[Date "2019.05.07"]
[White "Müller, <b>"]
[Black "Tal"]
[Result "1-0"]
[WhiteElo "2400"]
[BlackElo "2600"]
[TimeControl "180+2"]

1. e4 c5 2. Nf3 d6 1-0

[Event "Casual game"]
[Date "2021.??.??"]
[White "Tal"]
[Black "Bird"]
[Result "0-1"]
[WhiteElo "2500"]
[BlackElo "2500"]

1. e4 c5 2. c3 (2. d4 $6 {gambit [%csl Gd4]}) 2... d5 0-1

[Event "Club"]
[Date "1999.12.31"]
[White "Bird"]
[Black "Müller, <b>"]
[Result "1/2-1/2"]

1. f4 d5 1/2-1/2

[Event "Club"]
[Date "2022.01.01"]
[White "Bird"]
[Black "Tal"]
[Result "*"]
[WhiteElo "2300"]
[BlackElo "2700"]

1. e4 c5 2. d4 *
"#;

/// A program that serves, and what it serves.
pub struct Served {
    program: Child,
    pub address: SocketAddr,
    folder: TempDir,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Served {
    /// Serves a folder with these files.
    pub fn with(files: &[(&str, &str)], options: &[&str]) -> Served {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let path = folder.path().to_owned();
        Served::of(&path, folder, options)
    }

    /// Serves [`GAMES`], twice.
    pub fn games(options: &[&str]) -> Served {
        Served::with(&[("a.pgn", GAMES), ("more/b ü.pgn", GAMES)], options)
    }

    /// Serves what is at a path.
    pub fn at(source: &Path, options: &[&str]) -> Served {
        Served::of(source, tempfile::tempdir().unwrap(), options)
    }

    fn of(source: &Path, folder: TempDir, options: &[&str]) -> Served {
        let mut program = Command::new(env!("CARGO_BIN_EXE_pgnfs"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(["-o", "cache-dir=none", "-o", "open-wait=20"])
            .args(options)
            .arg(source)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(program.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line
            .trim()
            .strip_prefix("http://")
            .and_then(|rest| rest.strip_suffix('/'));
        Served {
            program,
            address: address.unwrap_or_else(|| panic!("{line:?}")).parse().unwrap(),
            folder,
        }
    }

    /// The folder that it serves.
    pub fn source(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.program.id()
    }

    /// Waits for the program, which is about to end.
    pub fn ended(&mut self) -> bool {
        self.program.wait().unwrap().success()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request with a `Host` header and more lines.
    pub fn ask(&self, method: &str, path: &str, more: &[&str]) -> Answer {
        let host = format!("Host: {}", self.address);
        let lines: Vec<&str> = [host.as_str()].into_iter().chain(more.iter().copied()).collect();
        self.send(&format!(
            "{method} {path} HTTP/1.1\r\n{}\r\nConnection: close\r\n\r\n",
            lines.join("\r\n")
        ))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[])
    }

    pub fn json(&self, path: &str) -> serde_json::Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Sends bytes and reads the answer to its end.
    pub fn send(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Answer::read(&bytes)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

impl Answer {
    pub fn read(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let body = &bytes[end + 4..];
        let is_chunked = headers
            .get("transfer-encoding")
            .is_some_and(|how| how == "chunked");
        Answer {
            status,
            body: if is_chunked { joined(body) } else { body.to_vec() },
            headers,
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// The bytes of chunks.
fn joined(mut rest: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap();
        let len = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if len == 0 {
            return joined;
        }
        joined.extend_from_slice(&rest[end + 2..end + 2 + len]);
        rest = &rest[end + 4 + len..];
    }
}
