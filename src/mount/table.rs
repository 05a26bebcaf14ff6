//! The kernel's table of mounts, `/proc/self/mountinfo`.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The file system type of every mount of this program.
pub const TYPE: &str = "fuse.pgnfs";

/// A device number, as `stat` gives it. No two mounts that exist have the same, but a later one may have it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device(pub u64);

/// One mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Its device number.
    pub device: Device,
    /// Where it is mounted.
    pub path: PathBuf,
    /// Its type.
    pub kind: String,
    /// What it says it shows.
    pub source: OsString,
    /// The user who mounted it, where it is a FUSE file system.
    pub user: Option<u32>,
}

/// The mount that one sees at a path: the last one, where several lie on one another.
///
/// # Errors
/// Where the table cannot be read.
pub fn top_at(path: &Path) -> io::Result<Option<Mount>> {
    let table = fs::read("/proc/self/mountinfo")?;
    let mut mounts = table.split(|&c| c == b'\n').filter_map(parse);
    Ok(mounts.rfind(|mount| mount.path == path))
}

/// Reads `36 35 98:0 /root /mount/point options shared:1 - type source options`.
fn parse(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|&c| c == b' ');
    let device = device(fields.nth(2)?)?;
    let path = PathBuf::from(unescaped(fields.nth(1)?));
    let mut fields = fields.skip_while(|&field| field != b"-").skip(1);
    let kind = String::from_utf8(fields.next()?.to_owned()).ok()?;
    let source = unescaped(fields.next()?);
    let options = std::str::from_utf8(fields.next()?).ok()?;
    let user = options
        .split(',')
        .find_map(|option| option.strip_prefix("user_id="));
    Some(Mount {
        device,
        path,
        kind,
        source,
        user: user.and_then(|user| user.parse().ok()),
    })
}

/// Undoes `\040` and the like.
fn unescaped(field: &[u8]) -> OsString {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&c, tail)) = rest.split_first() {
        let code = tail.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if c == b'\\' => {
                bytes.push(byte);
                rest = tail.get(3..).unwrap_or_default();
            }
            _ => {
                bytes.push(c);
                rest = tail;
            }
        }
    }
    OsString::from_vec(bytes)
}

/// Reads `major:minor`.
fn device(field: &[u8]) -> Option<Device> {
    let (major, minor) = std::str::from_utf8(field).ok()?.split_once(':')?;
    let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
    Some(Device(rustix::fs::makedev(major, minor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_table() {
        let line =
            br"36 35 0:98 / /mnt/a\040b\134 ro,nosuid shared:1 master:2 - fuse.pgnfs /x,y ro,user_id=7,group_id=8";
        let mount = parse(line).unwrap();
        assert_eq!(mount.device, Device(rustix::fs::makedev(0, 98)));
        assert_eq!(mount.path, Path::new(r"/mnt/a b\"));
        assert_eq!(mount.kind, TYPE);
        assert_eq!(mount.source, "/x,y");
        assert_eq!(mount.user, Some(7));
        assert_eq!(parse(b""), None);
        assert_eq!(parse(b"1 2 3:4 / /"), None);
    }

    #[test]
    fn the_root_is_mounted() {
        assert!(top_at(Path::new("/")).unwrap().is_some());
        assert_eq!(top_at(Path::new("/nowhere")).unwrap(), None);
    }
}
