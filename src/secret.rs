//! Files with passwords.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Maximum length of a file with passwords in bytes.
const LONGEST: u64 = 1 << 20;

/// Permission bits that such a file must not have.
const OF_OTHERS: u32 = 0o077;

/// Reads a file with passwords.
///
/// # Errors
/// If it is not a file, is too long, cannot be read, or can be read by others.
pub(crate) fn read_secret(path: &Path) -> io::Result<Vec<u8>> {
    let (file, metadata) = regular_file(path)?;
    if metadata.permissions().mode() & OF_OTHERS != 0 {
        let what = "others can read it: run chmod 600 on it";
        return Err(io::Error::other(what));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        let what = format!("longer than {} MiB", LONGEST >> 20);
        return Err(io::Error::other(what));
    }
    Ok(bytes)
}

/// Opens a file that is neither a folder, a device nor a pipe.
///
/// # Errors
/// If it is a folder, a device or a pipe, or cannot be opened.
pub(crate) fn regular_file(path: &Path) -> io::Result<(File, Metadata)> {
    // Non-blocking, so that neither opening a named pipe blocks, nor reading a special file that looks regular, such as
    // /proc/kmsg.
    let mut options = File::options();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a file"));
    }
    Ok((file, metadata))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn refused(path: &Path) -> String {
        read_secret(path).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_file_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
        for path in [&pipe, folder.path(), Path::new("/dev/zero")] {
            assert_eq!(refused(path), "not a file", "{}", path.display());
        }
    }

    #[test]
    fn a_file_with_passwords_is_private_and_short() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path();
        for (len, is_read) in [(0, true), (LONGEST, true), (LONGEST + 1, false)] {
            file.as_file().set_len(len).unwrap();
            match is_read {
                true => assert_eq!(read_secret(path).unwrap().len() as u64, len),
                false => assert_eq!(refused(path), "longer than 1 MiB"),
            }
        }
        for (mode, is_private) in [(0o400, true), (0o600, true), (0o640, false), (0o602, false)] {
            file.as_file().set_len(0).unwrap();
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
            match is_private {
                true => assert!(read_secret(path).is_ok(), "{mode:o}"),
                false => assert!(refused(path).contains("chmod 600"), "{mode:o}"),
            }
        }
    }
}
