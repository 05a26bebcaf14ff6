//! The side of who asks.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::place;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

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
    mount.set_read_timeout(Some(PATIENCE))?;
    let mut answer = Vec::new();
    mount.read_to_end(&mut answer)?;
    if answer.is_empty() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(serde_json::from_slice(&answer)?)
}
