//! Serves the tree of a folder of databases over HTTP: `serve_files FOLDER [ADDRESS]`. Directories are lists of links.

use std::error::Error;
use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::{io, thread};

use chessdb_library::library::Library;
use pgnfs_server::{Detail, Entry, OpenFile, Reply, Requests, Server, Unanswered, Visitor};
use pgnfs_server::{Failure, FsError, Inode, Kind, ServeOptions};
use tiny_http::{Header, Request, Response};

/// An open file as a stream.
struct Stream(OpenFile, u64);

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
        let chunk = ask(|to| self.0.read(0, self.1, size, move |chunk| _ = to.send(chunk)));
        let chunk = chunk.map_err(io::Error::other)?;
        buffer[..chunk.len()].copy_from_slice(&chunk);
        self.1 += chunk.len() as u64;
        Ok(chunk.len())
    }
}

/// A list of links to what is in a directory.
struct Listing(String, Sender<Result<String, FsError>>);

impl Visitor for Listing {
    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()> {
        let slash = if entry.kind == Kind::Directory { "/" } else { "" };
        let name = format!("{}{slash}", entry.name);
        let escaped = name.replace('&', "&amp;").replace('<', "&lt;");
        let link: String = name.bytes().map(|byte| format!("%{byte:02x}")).collect();
        self.0 += &format!("<li><a href=\"{}\">{escaped}</a>\n", link.replace("%2f", "/"));
        ControlFlow::Continue(())
    }
}

impl Reply<Vec<Inode>> for Listing {
    fn send(self, end: Result<Vec<Inode>, FsError>) {
        drop(self.1.send(end.map(|_| self.0)));
    }
}

/// Waits for an answer.
fn ask<A>(ask: impl FnOnce(Sender<Result<A, FsError>>) -> Option<Unanswered>) -> Result<A, FsError> {
    let (sender, answer) = channel();
    ask(sender);
    answer.recv().unwrap_or(Err(FsError::Io(Failure::Ended)))
}

fn answer(requests: &Requests, request: Request) -> io::Result<()> {
    let path = request.url().split('?').next().unwrap_or_default();
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    match ask(|to| requests.open(0, &path, move |file| _ = to.send(file))) {
        Ok(file) => {
            let tag = Header::from_bytes("ETag", format!("\"{:032x}\"", file.key()));
            let size = usize::try_from(file.size()).ok();
            let response = Response::new(200.into(), Vec::new(), Stream(file, 0), size, None);
            request.respond(tag.into_iter().fold(response, Response::with_header))
        }
        Err(FsError::IsADirectory) => {
            let list = |found: pgnfs_server::Attributes| {
                ask(|to| requests.list(0, found.inode, 2, Detail::Bare, Listing("<ul>".to_owned(), to)))
            };
            let found = ask(|to| requests.find(0, &path, move |found| _ = to.send(found)));
            let html = found.and_then(list).unwrap_or_else(|error| error.to_string());
            let kind = Header::from_bytes("Content-Type", "text/html; charset=utf-8");
            let response = Response::from_data(Cursor::new(html).into_inner());
            request.respond(kind.into_iter().fold(response, Response::with_header))
        }
        Err(error @ (FsError::NotFound | FsError::Refused(_))) => {
            request.respond(Response::from_string(error.to_string()).with_status_code(404))
        }
        Err(error) => request.respond(Response::from_string(error.to_string()).with_status_code(500)),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: serve_files FOLDER [ADDRESS]")?;
    let address = arguments.next().unwrap_or("127.0.0.1:8080".to_owned());
    let library = Library::open(Path::new(&folder), &Default::default())?;
    let server = Server::of(library, ServeOptions::default());
    let http = tiny_http::Server::http(&address).map_err(|error| error.to_string())?;
    println!("http://{}/", http.server_addr());
    let requests = Arc::new(server.requests().clone());
    for request in http.incoming_requests() {
        let requests = Arc::clone(&requests);
        thread::spawn(move || answer(&requests, request));
    }
    Ok(())
}
