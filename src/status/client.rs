//! The side of who asks.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::place;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// No answer is longer.
const LONGEST_ANSWER: usize = 16 << 20;

/// What the mount of a user with this device number says of itself.
///
/// # Errors
/// Where it does not answer: of the last place that was tried.
pub fn ask(device: u64, user: u32) -> io::Result<Value> {
    let mut refusal = io::Error::from(io::ErrorKind::NotFound);
    for path in place::paths(device, user) {
        match ask_at(&path, user) {
            Ok(answer) => return Ok(answer),
            // Of the places that exist, the first tells why.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => refusal = error,
        }
    }
    Err(refusal)
}

fn ask_at(path: &Path, user: u32) -> io::Result<Value> {
    place::check_folder(path, user)?;
    let mut mount = UnixStream::connect(path)?;
    // The folder is its user's, who may put any socket there.
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
