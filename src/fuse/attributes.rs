//! Attributes as the kernel wants them.

use std::time::{Duration, SystemTime};

use fuser::{FileAttr, FileType, INodeNo};

use super::BLOCK;
use crate::fs::{Attributes, Inode, Kind};

/// What the mount adds to every file: its owner and who may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// Owner of all files.
    pub uid: u32,
    /// Group of all files.
    pub gid: u32,
    /// Permissions that nobody has.
    pub umask: u16,
    /// Tags are readable as extended attributes.
    pub xattr: bool,
}

impl Presentation {
    /// Attributes with owner and permissions.
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

    /// What is known without attributes.
    pub(super) fn bare(&self, inode: Inode, kind: Kind) -> FileAttr {
        FileAttr {
            ino: INodeNo(inode.0),
            kind: file_type(kind),
            perm: self.permissions(kind),
            nlink: 1,
            uid: self.uid,
            gid: self.gid,
            blksize: BLOCK,
            ..of_nothing()
        }
    }

    /// Permissions of a file or directory.
    pub(super) fn permissions(&self, kind: Kind) -> u16 {
        let permissions = match kind {
            Kind::Directory => 0o555,
            Kind::File => 0o444,
            // They say nothing about what a link leads to.
            Kind::Link => return 0o777,
        };
        permissions & !self.umask
    }
}

/// Attributes of what does not exist: node 0.
pub(super) fn of_nothing() -> FileAttr {
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

/// Seconds, negative before 1970, and nanoseconds behind them.
fn time((seconds, nanoseconds): (i64, u32)) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let begin = match seconds < 0 {
        true => SystemTime::UNIX_EPOCH.checked_sub(whole),
        false => SystemTime::UNIX_EPOCH.checked_add(whole),
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
