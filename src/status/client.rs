//! The client of the status socket.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use serde_json::Value;

use super::place;

/// Time limit for connecting, and again for receiving the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Maximum length of an answer in bytes.
const LONGEST_ANSWER: usize = 16 << 20;

/// Requests the status of the mount with this device number, which belongs to `user`.
///
/// # Errors
/// If it does not answer: the error of the first socket that exists.
pub fn ask(device: u64, user: u32) -> io::Result<Value> {
    let mut first = None;
    let paths = place::paths(device, user);
    for path in &paths {
        match ask_at(path, user) {
            Ok(answer) => return Ok(answer),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => first = first.or(Some(error)),
        }
    }
    let folders = paths.iter().filter_map(|path| path.parent());
    let folders: Vec<_> = folders.map(|folder| folder.display().to_string()).collect();
    let nowhere = || {
        let folders = folders.join(", ");
        let advice = "set XDG_RUNTIME_DIR as it was for the mount, or see its log";
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no socket of the mount in {folders}: {advice}"),
        )
    };
    Err(first.unwrap_or_else(nowhere))
}

fn ask_at(path: &Path, user: u32) -> io::Result<Value> {
    place::check_folder(path, user)?;
    let mut mount = connect(path, PATIENCE)?;
    // Time and length are limited, because the folder belongs to the other user, who may put any socket there.
    let end = Instant::now() + PATIENCE;
    let mut answer = Vec::new();
    let mut part = [0; 4096];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || answer.len() > LONGEST_ANSWER {
            return Err(io::ErrorKind::TimedOut.into());
        }
        mount.set_read_timeout(Some(left))?;
        match mount.read(&mut part)? {
            0 => break,
            read => answer.extend_from_slice(part.get(..read).unwrap_or_default()),
        }
    }
    if answer.is_empty() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(serde_json::from_slice(&answer)?)
}

/// Connects to a socket. If its queue is full, a plain `connect` would wait for ever.
fn connect(path: &Path, patience: Duration) -> io::Result<UnixStream> {
    let socket = rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    // The kernel applies this limit to connecting, too.
    set_socket_timeout(&socket, Timeout::Send, Some(patience))?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_is_not_waited_for_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        // A short queue, so that it is full before descriptors run out.
        let listener = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
        rustix::net::bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        rustix::net::listen(&listener, 1).unwrap();
        let mut queue = Vec::new();
        let refusal = loop {
            match connect(&path, Duration::from_millis(50)) {
                Ok(stream) => queue.push(stream),
                Err(error) => break error,
            }
        };
        assert_eq!(refusal.kind(), io::ErrorKind::WouldBlock);
        assert!(!queue.is_empty());
    }
}
