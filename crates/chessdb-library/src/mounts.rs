//! The kernel's table of mounts, `/proc/self/mountinfo`.
//!
//! It shows which file system contains a path, without a request to that file system, which may not answer.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The file system type of every mount of this program.
pub const TYPE: &str = "fuse.pgnfs";

/// A device number as in `stat`. It is unique among existing mounts, but may be reused after a mount ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device(pub u64);

/// One mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Its number in the table. No other mount has it while this one exists.
    pub id: u64,
    /// Its device number.
    pub device: Device,
    /// Where it is mounted.
    pub path: PathBuf,
    /// Its type.
    pub kind: String,
    /// Its source as shown in the table.
    pub source: OsString,
    /// The user who mounted it, for a FUSE file system.
    pub user: Option<u32>,
}

impl Mount {
    /// True for a mount of this program that belongs to the effective user.
    pub fn is_own(&self) -> bool {
        self.kind == TYPE && self.user == Some(rustix::process::geteuid().as_raw())
    }

    /// True if only this machine's kernel accesses the data, so that no other machine or program can delay an
    /// answer or change a file without an event from the kernel.
    ///
    /// An overlay counts as local, although its layers may not be.
    pub fn is_local(&self) -> bool {
        LOCAL.contains(&self.kind.as_str())
    }
}

/// Types of file systems that the kernel itself serves from a disk or from memory.
const LOCAL: [&str; 32] = [
    "bcachefs",
    "btrfs",
    "cramfs",
    "devtmpfs",
    "erofs",
    "exfat",
    "ext2",
    "ext3",
    "ext4",
    "f2fs",
    "hfs",
    "hfsplus",
    "hugetlbfs",
    "iso9660",
    "jffs2",
    "jfs",
    "minix",
    "msdos",
    "nilfs2",
    "ntfs3",
    "overlay",
    "ramfs",
    "reiserfs",
    "romfs",
    "rootfs",
    "squashfs",
    "tmpfs",
    "ubifs",
    "udf",
    "vfat",
    "xfs",
    "zfs",
];

/// All mounts at one moment, in the order of mounting.
#[derive(Clone, Debug, Default)]
pub struct Mounts(Vec<Mount>);

impl Mounts {
    /// Reads the table.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read() -> io::Result<Mounts> {
        let table = fs::read("/proc/self/mountinfo")?;
        Ok(table.split(|&c| c == b'\n').filter_map(parse).collect())
    }

    /// Reads the table. If it cannot be read, everything is treated as one mount that is not
    /// [local](Mount::is_local), because waiting needlessly does less harm than hanging.
    pub fn read_or_unknown() -> Mounts {
        Mounts::or_unknown(Mounts::read())
    }

    fn or_unknown(read: io::Result<Mounts>) -> Mounts {
        read.unwrap_or_else(|error| {
            log::debug!("cannot read the table of mounts: {error}");
            Mounts(vec![Mount {
                id: 0,
                device: Device(0),
                path: PathBuf::from("/"),
                kind: "unknown".to_owned(),
                source: OsString::new(),
                user: None,
            }])
        })
    }

    /// The visible mount at a path: the last one mounted there.
    pub fn top_at(&self, path: &Path) -> Option<&Mount> {
        self.0.iter().rfind(|mount| mount.path == path)
    }

    /// The mounts of this program with a device number. There are several if the first was bound elsewhere.
    pub fn of_device(&self, device: Device) -> impl Iterator<Item = &Mount> {
        let mounts = self.0.iter();
        mounts.filter(move |mount| mount.device == device && mount.kind == TYPE)
    }

    /// The mount points of this program.
    pub fn of_this_program(&self) -> impl Iterator<Item = &Path> {
        let mounts = self.0.iter().filter(|mount| mount.kind == TYPE);
        mounts.map(|mount| mount.path.as_path())
    }

    /// The mounts of this program whose source is on a mount for which `is_same` is true.
    pub fn showing(&self, is_same: impl Fn(&Mount) -> bool) -> impl Iterator<Item = &Mount> {
        let mounts = self.0.iter().filter(|mount| mount.kind == TYPE);
        mounts.filter(move |mount| self.containing(Path::new(&mount.source)).is_some_and(&is_same))
    }

    /// The mounts that are not in an earlier table.
    pub fn since<'a>(&'a self, earlier: &'a Mounts) -> impl Iterator<Item = &'a Mount> {
        self.0.iter().filter(|mount| !earlier.0.contains(mount))
    }

    /// The mount that contains an absolute path without symbolic links.
    pub fn containing(&self, path: &Path) -> Option<&Mount> {
        path.ancestors().find_map(|above| self.top_at(above))
    }

    /// The mount of an absolute path without symbolic links, if it is not [local](Mount::is_local); otherwise the last
    /// mount on the way to it that is not local, where resolving a name may hang.
    ///
    /// The mount of `/` counts only for paths that it contains, because no program can run anyway if it
    /// hangs.
    pub fn not_local(&self, path: &Path) -> Option<&Mount> {
        let own = self.containing(path)?;
        let mut above = path.ancestors().filter_map(|above| self.top_at(above));
        above.find(|mount| !mount.is_local() && (mount.path != Path::new("/") || *mount == own))
    }

    /// The mount points below a folder.
    pub fn below<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a Path> {
        let paths = self.0.iter().map(|mount| mount.path.as_path());
        paths.filter(move |&path| path != folder && path.starts_with(folder))
    }
}

impl FromIterator<Mount> for Mounts {
    fn from_iter<T: IntoIterator<Item = Mount>>(mounts: T) -> Mounts {
        Mounts(mounts.into_iter().collect())
    }
}

/// Parses `36 35 98:0 /root /mount/point options shared:1 - type source options`.
fn parse(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|&c| c == b' ');
    let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let device = device(fields.nth(1)?)?;
    let path = PathBuf::from(unescaped(fields.nth(1)?));
    let mut fields = fields.skip_while(|&field| field != b"-").skip(1);
    let kind = String::from_utf8(fields.next()?.to_owned()).ok()?;
    let source = unescaped(fields.next()?);
    let options = std::str::from_utf8(fields.next()?).ok()?;
    let user = options
        .split(',')
        .find_map(|option| option.strip_prefix("user_id="));
    Some(Mount {
        id,
        device,
        path,
        kind,
        source,
        user: user.and_then(|user| user.parse().ok()),
    })
}

/// Replaces escapes such as `\040` by the byte they stand for.
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

/// Parses `major:minor`.
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
        assert_eq!(mount.id, 36);
        assert_eq!(mount.device, Device(rustix::fs::makedev(0, 98)));
        assert_eq!(mount.path, Path::new(r"/mnt/a b\"));
        assert_eq!(mount.kind, TYPE);
        assert_eq!(mount.source, "/x,y");
        assert_eq!(mount.user, Some(7));
        assert_eq!(parse(b""), None);
        assert_eq!(parse(b"1 2 3:4 / /"), None);
    }

    #[test]
    fn the_last_mount_above_a_path_counts() {
        let line =
            |path: &str, kind: &str| parse(format!("1 2 0:3 / {path} ro - {kind} x ro").as_bytes()).unwrap();
        let mounts = Mounts(vec![
            line("/", "ext4"),
            line("/mnt", "nfs4"),
            line("/mnt/usb", "vfat"),
            line("/mnt/usb", "fuseblk"),
        ]);
        let kind = |path: &str| {
            mounts
                .containing(Path::new(path))
                .map(|mount| mount.kind.as_str())
        };
        assert_eq!(kind("/home/a"), Some("ext4"));
        assert_eq!(kind("/mnt"), Some("nfs4"));
        assert_eq!(kind("/mnt/usb/games"), Some("fuseblk"));
        assert_eq!(kind("/mnt/usb2"), Some("nfs4"));
        let is_local = |path: &str| mounts.not_local(Path::new(path)).is_none();
        assert!(is_local("/home/a") && !is_local("/mnt/a") && !is_local("/mnt/usb/a"));
    }

    #[test]
    fn paths_through_a_file_system_that_is_not_local_are_not_local() {
        let line =
            |path: &str, kind: &str| parse(format!("1 2 0:3 / {path} ro - {kind} x ro").as_bytes()).unwrap();
        let mounts = Mounts(vec![
            line("/", "9p"),
            line("/home", "ext4"),
            line("/home/far", "fuse.sshfs"),
            line("/home/far/disk", "ext4"),
            line("/home/far/disk/share", "cifs"),
            line("/home/far/disk/share/memory", "tmpfs"),
            line("/home/covered", "nfs4"),
            line("/home/covered", "xfs"),
        ]);
        let others = |path: &str| mounts.not_local(Path::new(path)).map(|mount| mount.kind.as_str());
        assert_eq!(others("/srv"), Some("9p"));
        assert_eq!(others("/home/a"), None);
        assert_eq!(others("/home/far/a"), Some("fuse.sshfs"));
        assert_eq!(others("/home/far/disk/a"), Some("fuse.sshfs"));
        assert_eq!(others("/home/far/disk/share/memory/a"), Some("cifs"));
        assert_eq!(others("/home/covered/a"), None);
    }

    #[test]
    fn nothing_is_local_where_the_table_cannot_be_read() {
        let unknown = Mounts::or_unknown(Err(io::ErrorKind::PermissionDenied.into()));
        assert!(
            unknown.not_local(Path::new("/")).is_some() && unknown.not_local(Path::new("/home/a")).is_some()
        );
        let none = Mounts::or_unknown(Ok(Mounts::default()));
        assert!(none.not_local(Path::new("/home/a")).is_none());
    }

    #[test]
    fn the_root_is_mounted() {
        let mounts = Mounts::read().unwrap();
        // Not in a root of chroot(1), nor in some containers.
        testkit::needs!(if mounts.top_at(Path::new("/")).is_some(), "a root that is a mount point");
        assert!(mounts.top_at(Path::new("/nowhere")).is_none());
        assert!(mounts.containing(Path::new("/nowhere")).is_some());
    }
}
