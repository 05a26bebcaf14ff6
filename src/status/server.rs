//! The server of the status socket, in the process of the mount.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Uid;
use serde_json::Value;

use super::place;
use super::report::{Mounted, report};
use pgnfs_server::Status;

/// Time limit for a client to read its answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Number of threads that answer. Each answers one client at a time; other clients wait in the socket's queue.
const ANSWERING: usize = 4;

/// Number of bytes written at once. The time limit is checked after each piece.
const PIECE: usize = 64 << 10;

/// The socket of a mount.
#[derive(Clone, Debug)]
pub struct Socket {
    path: PathBuf,
    inode: u64,
}

/// Answers clients from separate threads until the program ends. `known` returns the present status.
///
/// # Errors
/// If no socket can be created, or no thread can be started.
pub fn serve(mounted: Mounted, known: impl Fn() -> Status + Send + Sync + 'static) -> io::Result<Socket> {
    let (listener, socket) = listen(mounted.device)?;
    match answer_all(listener, move |user| report(&mounted, &known(), user)) {
        Ok(()) => Ok(socket),
        Err(error) => {
            socket.remove();
            Err(error)
        }
    }
}

/// Answers all clients of a listener, several at a time.
fn answer_all(
    listener: UnixListener,
    report: impl Fn(Uid) -> Value + Send + Sync + 'static,
) -> io::Result<()> {
    let (listener, report) = (Arc::new(listener), Arc::new(report));
    for _ in 0..ANSWERING {
        let (listener, report) = (Arc::clone(&listener), Arc::clone(&report));
        thread::Builder::new().name("status".to_owned()).spawn(move || {
            loop {
                match listener.accept() {
                    Ok((client, _)) => answer(&client, &*report),
                    Err(error) => {
                        log::warn!("cannot answer a request for the status: {error}");
                        thread::sleep(PATIENCE);
                    }
                }
            }
        })?;
    }
    Ok(())
}

impl Socket {
    /// Removes the socket, unless another mount has replaced it by its own.
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
            // The device number belongs to this mount now, so an existing socket is left from a mount that
            // was killed.
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

/// Sends the status, if the client runs as this user or root.
fn answer(client: &UnixStream, report: &dyn Fn(Uid) -> Value) {
    let own = rustix::process::geteuid();
    let asks = rustix::net::sockopt::socket_peercred(client).map(|peer| peer.uid);
    let Some(user) = asks.ok().filter(|&user| user == own || user.is_root()) else {
        return;
    };
    let line = format!("{}\n", report(user));
    // Errors are ignored: a client that does not read its answer does not need it.
    let _ = send(client, line.as_bytes(), PATIENCE);
}

/// Writes all bytes.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] if the client has not read everything after `patience`, even if it reads some bytes now
/// and then; or if writing fails.
fn send(mut client: &UnixStream, mut bytes: &[u8], patience: Duration) -> io::Result<()> {
    let end = Instant::now() + patience;
    while !bytes.is_empty() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        client.set_write_timeout(Some(left))?;
        match client.write(bytes.get(..PIECE).unwrap_or(bytes)) {
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn few_clients_are_answered_at_a_time_and_all_eventually() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counted = {
            let (now, most) = (Arc::clone(&now), Arc::clone(&most));
            move |_| {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(5));
                now.fetch_sub(1, Ordering::SeqCst);
                Value::Null
            }
        };
        answer_all(UnixListener::bind(&path).unwrap(), counted).unwrap();
        let clients: Vec<UnixStream> = (0..100).map(|_| UnixStream::connect(&path).unwrap()).collect();
        for mut client in clients {
            let mut line = String::new();
            client.read_to_string(&mut line).unwrap();
            assert_eq!(line, "null\n");
        }
        assert!((1..=ANSWERING).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    }

    #[test]
    fn a_client_that_reads_byte_by_byte_is_given_up() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        thread::scope(|scope| {
            let sending = scope.spawn(move || send(&ours, &vec![b' '; 64 << 20], Duration::from_millis(200)));
            let mut byte = [0];
            // Reads byte by byte until the other side is closed.
            while !sending.is_finished() && theirs.read(&mut byte).is_ok_and(|read| read > 0) {
                thread::sleep(Duration::from_millis(1));
            }
            assert!(sending.join().unwrap().is_err());
        });
    }
}
