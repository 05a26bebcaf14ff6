//! Values that are more than a word or a number.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use super::error::Wanted;
use crate::watch::{self, Means};
use chessdb::formats::Passwords;

/// Longest file of passwords.
const LONGEST: u64 = 64 << 10;
/// Permissions that nobody but the owner of such a file may have.
const OF_OTHERS: u32 = 0o077;

/// Reads a file of passwords.
pub fn passwords(path: &str) -> Result<Passwords, Wanted> {
    let wrong = |error| format!("a file with one password a line: {error}");
    let file = File::open(path).map_err(wrong)?;
    let metadata = file.metadata().map_err(wrong)?;
    if metadata.is_file() && metadata.permissions().mode() & OF_OTHERS != 0 {
        return Err("a file that only its owner can read: chmod 600 makes it one".into());
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(wrong)?;
    Ok(Passwords::of_lines(&text))
}

/// Reads how to watch.
pub fn means(text: &str) -> Option<Means> {
    Some(match text {
        "auto" => Means::Auto,
        "inotify" => Means::Inotify,
        "poll" => Means::Poll(watch::PAUSE),
        "off" => Means::Off,
        _ => {
            let seconds = text.strip_prefix("poll:")?.parse().ok();
            let seconds = seconds.filter(|seconds| (1..=24 * 60 * 60).contains(seconds))?;
            Means::Poll(Duration::from_secs(seconds))
        }
    })
}

/// Reads a number of bytes with a unit behind it.
pub fn bytes(text: &str) -> Option<usize> {
    let units = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];
    let unit = units
        .into_iter()
        .find(|(letter, _)| text.ends_with([*letter, letter.to_ascii_lowercase()]));
    let (digits, unit) = match unit {
        Some((_, unit)) => (text.get(..text.len() - 1)?, unit),
        None => (text, 1),
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};

    #[test]
    fn a_file_of_passwords_is_for_its_owner_alone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, "pass\n\nma\u{df}\n").unwrap();
        let path = file.path().to_str().unwrap();
        let read = passwords(path).unwrap();
        assert!(read.iter().eq([&b"pass"[..], b"ma\xdf"]));
        assert_eq!(format!("{read:?}"), "2 passwords");
        fs::set_permissions(path, Permissions::from_mode(0o640)).unwrap();
        assert!(passwords(path).unwrap_err().contains("chmod 600"));
    }
}
