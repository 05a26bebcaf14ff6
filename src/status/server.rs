//! The side of the mount.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::place;
use super::report::{Mounted, report};
use crate::fs::Status;

/// How long somebody who asks may keep us waiting.
const PATIENCE: Duration = Duration::from_secs(5);

/// The socket of a mount.
#[derive(Clone, Debug)]
pub struct Socket {
    path: PathBuf,
    inode: u64,
}

/// Answers questions about a mount from threads of its own, as long as the program runs. `known` gives what is known
/// at the moment.
///
/// # Errors
/// Where no folder can have the socket.
pub fn serve(mounted: Mounted, known: impl Fn() -> Status + Send + Sync + 'static) -> io::Result<Socket> {
    let (listener, socket) = listen(mounted.device)?;
    let known = Arc::new(move || report(&mounted, &known()));
    thread::Builder::new().name("status".to_owned()).spawn(move || {
        for client in listener.incoming() {
            let known = Arc::clone(&known);
            // A thread each, so that nobody waits for somebody who does not read.
            let answered = client.and_then(|client| {
                let answer = move || answer(client, &*known);
                thread::Builder::new().name("answer".to_owned()).spawn(answer)
            });
            if let Err(error) = answered {
                log::warn!("a question about the mount is left unanswered: {error}");
                thread::sleep(PATIENCE);
            }
        }
    })?;
    Ok(socket)
}

impl Socket {
    /// Takes the socket away, unless another mount has put its own in its place.
    pub fn remove(&self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn listen(device: u64) -> io::Result<(UnixListener, Socket)> {
    let user = rustix::process::geteuid().as_raw();
    let mut refusal = io::Error::from(io::ErrorKind::NotFound);
    for path in place::paths(device, user) {
        let listening = place::make_folder(&path, user).and_then(|()| {
            // The device number is ours now. Whoever had it before was killed.
            let _ = fs::remove_file(&path);
            let listener = UnixListener::bind(&path)?;
            let inode = fs::symlink_metadata(&path)?.ino();
            Ok((listener, inode))
        });
        match listening {
            Ok((listener, inode)) => return Ok((listener, Socket { path, inode })),
            Err(error) => refusal = error,
        }
    }
    Err(refusal)
}

/// Says how things are, to this user and to root.
fn answer(mut client: UnixStream, report: &dyn Fn() -> Value) {
    let asks = rustix::net::sockopt::socket_peercred(&client).map(|peer| peer.uid);
    let own = rustix::process::geteuid();
    if !asks.is_ok_and(|user| user == own || user.is_root()) {
        return;
    }
    let line = format!("{}\n", report());
    // Who does not read it does not want it.
    let _ = client.set_write_timeout(Some(PATIENCE));
    let _ = client.write_all(line.as_bytes());
}
