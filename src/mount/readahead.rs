//! How far the kernel reads ahead in a long file.

use std::fs;

use crate::mounts::Device;

/// Kilobytes to read ahead: two requests of the kernel at a time. Its own 128 leave the threads that decode waiting;
/// much more leaves the reader waiting.
const KILOBYTES: u32 = 1024;

/// Has the kernel read ahead further. Only root may; for others reading a merged file is somewhat slower.
pub(super) fn extend(Device(device): Device) {
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let path = format!("/sys/class/bdi/{major}:{minor}/read_ahead_kb");
    if let Err(error) = fs::write(&path, KILOBYTES.to_string()) {
        log::debug!("{path}: {error}");
    }
}
