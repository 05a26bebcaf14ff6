//! Parsing values that are more than a word or a number.

use std::fmt::Display;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use encoding_rs::WINDOWS_1252;
use flate2::read::MultiGzDecoder;

use super::row::ValidValues;
use crate::secret::{read_secret, regular_file};
use chessdb::Passwords;
use chessdb_library::spelling::{Spelling, SpellingFile};
use pgnfs_server::watch::{self, Means};

/// Maximum length of a spelling file in bytes, after it is unpacked; Scid's has 25 million.
const LONGEST_SPELLINGS: u64 = 256 << 20;
/// First bytes of a file that gzip has compressed.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads a password file.
pub fn passwords(path: &str) -> Result<Passwords, ValidValues> {
    let wrong = |error: &dyn Display| format!("a file with one password a line: {path}: {error}");
    let bytes = read_secret(Path::new(path)).map_err(|error| wrong(&error))?;
    let text = str::from_utf8(&bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        wrong(&format_args!("line {line} is not UTF-8: save the file as UTF-8"))
    })?;
    Ok(Passwords::of_lines(text.trim_start_matches('\u{feff}')))
}

/// Reads a spelling file, which gzip may have compressed.
pub fn spelling_file(path: &str) -> Result<Spelling, ValidValues> {
    let wrong = |error: &dyn Display| format!("stored, fold or a spelling file of Scid: {path}: {error}");
    let too_long = || wrong(&format_args!("longer than {} MiB", LONGEST_SPELLINGS >> 20));
    let (file, metadata) = regular_file(Path::new(path)).map_err(|error| wrong(&error))?;
    if metadata.len() > LONGEST_SPELLINGS {
        return Err(too_long().into());
    }
    let mut bytes = Vec::new();
    let read = file.take(LONGEST_SPELLINGS + 1).read_to_end(&mut bytes);
    read.map_err(|error| wrong(&error))?;
    if bytes.len() as u64 > LONGEST_SPELLINGS {
        return Err(too_long().into());
    }
    if bytes.starts_with(&GZIP) {
        let mut unpacked = Vec::new();
        let mut rest = MultiGzDecoder::new(bytes.as_slice()).take(LONGEST_SPELLINGS + 1);
        rest.read_to_end(&mut unpacked)
            .map_err(|error| wrong(&format_args!("it cannot be unpacked: {error}: try gunzip")))?;
        if unpacked.len() as u64 > LONGEST_SPELLINGS {
            return Err(too_long().into());
        }
        bytes = unpacked;
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => WINDOWS_1252.decode(error.as_bytes()).0.into_owned(),
    };
    let file = SpellingFile::read(&text).map_err(|error| wrong(&error))?;
    Ok(Spelling::File(Arc::new(file)))
}

/// Parses how changes are detected.
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

/// Parses a user ID or a group ID. Refuses the highest number, which means "no ID" in system calls.
pub fn id(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&id| id != u32::MAX)
}

/// Parses a number of bytes with an optional unit.
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
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_password_file_has_lines_in_utf_8() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        fs::write(&file, "\u{feff}pass\n\nma\u{df}\n").unwrap();
        let read = passwords(path).unwrap();
        assert!(read.iter().eq([&b"pass"[..], b"ma\xdf"]));
        assert_eq!(format!("{read:?}"), "2 passwords");
        fs::write(&file, b"pass\nma\xdf\n").unwrap();
        assert!(passwords(path).unwrap_err().contains("line 2 is not UTF-8"));
        fs::set_permissions(path, Permissions::from_mode(0o640)).unwrap();
        assert!(passwords(path).unwrap_err().contains("chmod 600"));
        assert!(passwords("/dev/zero").unwrap_err().contains("not a file"));
    }

    #[test]
    fn what_is_no_spelling_file_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, long, packed] = ["pipe", "long", "packed"].map(|name| folder.path().join(name));
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
        let sparse = File::create(&long).unwrap();
        sparse.set_len(LONGEST_SPELLINGS + 1).unwrap();
        fs::write(&packed, [&GZIP[..], b"no gzip"].concat()).unwrap();
        let refused = |path: &Path, why: &str| {
            let error = spelling_file(path.to_str().unwrap()).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        refused(&pipe, "not a file");
        refused(folder.path(), "not a file");
        refused(Path::new("/dev/zero"), "not a file");
        refused(&long, "longer than 256 MiB");
        refused(&packed, "try gunzip");
        // A file whose length is reported as 0 although it is not empty.
        refused(Path::new("/proc/self/stat"), "@PLAYER");
    }

    #[test]
    fn spellings_that_lead_to_each_other_are_those_of_nobody() {
        let cycle = tempfile::NamedTempFile::new().unwrap();
        fs::write(
            &cycle,
            b"@PLAYER\nA, X\n= B, X\nB, X\n= A, X\nM\xfcller, Hans\n= M, H\n",
        )
        .unwrap();
        let Ok(Spelling::File(file)) = spelling_file(cycle.path().to_str().unwrap()) else {
            panic!("not read");
        };
        let correct = |name| file.correct(name);
        assert_eq!((correct("A, X"), correct("B, X")), (None, None));
        assert_eq!(correct("M, H").as_deref(), Some("M\u{fc}ller, Hans"));
    }
}
