//! The kernel's read-ahead in long files.

use std::fs;

use chessdb_library::mounts::Device;

/// Read-ahead in kilobytes: two requests of the kernel at a time. With the default of 128 the decoding
/// threads are often idle; with much more the reader waits too long.
const KILOBYTES: u32 = 1024;

/// Sets the kernel's read-ahead for a mount. Only root can; for other users, reading a merged file is
/// somewhat slower.
pub(super) fn extend(Device(device): Device) {
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let path = format!("/sys/class/bdi/{major}:{minor}/read_ahead_kb");
    if let Err(error) = fs::write(&path, KILOBYTES.to_string()) {
        log::debug!("{path}: {error}");
    }
}
