//! Attributes in fuser's form.

use std::time::{Duration, SystemTime};

use fuser::{FileAttr, FileType, INodeNo};

use pgnfs_server::{Attributes, Inode, Kind};

/// Timeout of entries and attributes in the kernel's caches: practically unlimited, because the facts in a reply never
/// change. After a change of the source, the server reports what is outdated.
pub(super) const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Block size in bytes, as reported for files and by `statfs`.
pub(super) const BLOCK: u32 = 4096;

/// Attributes that are the same for the whole mount: owner and permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// Owner of all files.
    pub uid: u32,
    /// Group of all files.
    pub gid: u32,
    /// Permission bits that are removed.
    pub umask: u16,
    /// True if tags are available as extended attributes.
    pub xattr: bool,
}

impl Presentation {
    /// Adds owner and permissions to attributes.
    pub(super) fn of(&self, attributes: &Attributes) -> FileAttr {
        let modified = time(attributes.modified);
        FileAttr {
            size: attributes.size,
            blocks: attributes.blocks,
            atime: modified,
            mtime: modified,
            ctime: time(attributes.changed),
            nlink: attributes.links,
            ..self.bare(attributes.inode, attributes.kind)
        }
    }

    /// The attributes of an entry if only its inode and kind are known.
    pub(super) fn bare(&self, inode: Inode, kind: Kind) -> FileAttr {
        FileAttr {
            ino: INodeNo(inode.0),
            kind: file_type(kind),
            perm: self.permissions(kind),
            nlink: 1,
            uid: self.uid,
            gid: self.gid,
            blksize: BLOCK,
            ..no_attributes()
        }
    }

    /// Permission bits by kind.
    pub(super) fn permissions(&self, kind: Kind) -> u16 {
        let permissions = match kind {
            Kind::Directory => 0o555,
            Kind::File => 0o444,
            // The kernel ignores the permissions of links.
            Kind::Link => return 0o777,
        };
        permissions & !self.umask
    }
}

/// Attributes of a negative entry: inode 0.
pub(super) const fn no_attributes() -> FileAttr {
    FileAttr {
        ino: INodeNo(0),
        size: 0,
        blocks: 0,
        atime: SystemTime::UNIX_EPOCH,
        mtime: SystemTime::UNIX_EPOCH,
        ctime: SystemTime::UNIX_EPOCH,
        crtime: SystemTime::UNIX_EPOCH,
        kind: FileType::RegularFile,
        perm: 0,
        nlink: 0,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 0,
        flags: 0,
    }
}

pub(super) fn file_type(kind: Kind) -> FileType {
    match kind {
        Kind::Directory => FileType::Directory,
        Kind::File => FileType::RegularFile,
        Kind::Link => FileType::Symlink,
    }
}

/// Converts seconds, negative before 1970, and nanoseconds.
fn time((seconds, nanoseconds): (i64, u32)) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let begin = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(whole)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(whole)
    };
    begin
        .and_then(|time| time.checked_add(Duration::from_nanos(nanoseconds.into())))
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_1970_count_forward_from_their_second() {
        let half = Duration::from_millis(500);
        assert_eq!(
            time((-2, 500_000_000)),
            SystemTime::UNIX_EPOCH - Duration::from_secs(2) + half
        );
        assert_eq!(
            time((3, 500_000_000)),
            SystemTime::UNIX_EPOCH + Duration::from_secs(3) + half
        );
    }
}
