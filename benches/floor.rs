//! Measures what FUSE itself costs a search: `floor FOLDER MOUNTPOINT [empty]`.
//!
//! Mounts a file system with the names and sizes of `FOLDER`, a folder of folders of files such as `games/` of a
//! mount, until the mount point is unmounted. It decodes and computes nothing: attributes come from a table, and
//! all files have the same text, which is stored in the page cache as soon as their directory was listed. With
//! `empty` all files have 0 bytes. Without arguments the program does nothing.

#![allow(missing_docs)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyDirectoryPlus,
    ReplyEntry, ReplyOpen, Request,
};

const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// A line of the text of all files.
const LINE: &[u8] = b"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3\n";

/// A directory with its files.
struct Folder {
    name: OsString,
    /// Names and sizes in bytes.
    files: Vec<(OsString, u64)>,
}

/// Inodes: 1 is the root, `n << 32` directory `n` counted from 1, and its files follow.
struct Table {
    folders: Vec<Folder>,
    text: Vec<u8>,
}

impl Table {
    fn of(folder: &Path, are_empty: bool) -> Table {
        let names = |folder: &Path| {
            fs::read_dir(folder)
                .expect("a folder")
                .map(|entry| entry.expect("an entry"))
        };
        let mut folders: Vec<Folder> = names(folder)
            .map(|entry| Folder {
                name: entry.file_name(),
                files: names(&entry.path())
                    .map(|file| (file.file_name(), file.metadata().expect("a size").len()))
                    .collect(),
            })
            .collect();
        folders.sort_by(|a, b| a.name.cmp(&b.name));
        let mut longest = 0;
        for (_, size) in folders.iter_mut().flat_map(|folder| &mut folder.files) {
            *size = if are_empty { 0 } else { *size };
            longest = longest.max(*size);
        }
        let text = LINE.iter().copied().cycle().take(longest as usize).collect();
        Table { folders, text }
    }

    fn folder(&self, inode: u64) -> Option<&Folder> {
        self.folders.get(((inode >> 32) as usize).checked_sub(1)?)
    }

    /// Type and size.
    fn find(&self, inode: u64) -> Option<(FileType, u64)> {
        let file = (inode & u64::from(u32::MAX)) as usize;
        match (inode, file) {
            (1, _) | (_, 0) => Some((FileType::Directory, 0)),
            _ => Some((FileType::RegularFile, self.folder(inode)?.files.get(file - 1)?.1)),
        }
    }

    fn attributes(&self, inode: u64) -> Option<FileAttr> {
        let (kind, size) = self.find(inode)?;
        Some(FileAttr {
            ino: INodeNo(inode),
            size,
            blocks: size.div_ceil(512),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm: if kind == FileType::Directory { 0o555 } else { 0o444 },
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    /// The entry of a directory at an offset: its inode and name.
    fn entry(&self, directory: u64, offset: u64) -> Option<(u64, &OsStr)> {
        let n = (offset as usize).checked_sub(2);
        Some(match (n, directory) {
            (None, _) => (directory, OsStr::new(if offset == 0 { "." } else { ".." })),
            (Some(n), 1) => ((n as u64 + 1) << 32, &self.folders.get(n)?.name),
            (Some(n), _) => (directory + n as u64 + 1, &self.folder(directory)?.files.get(n)?.0),
        })
    }
}

struct Floor {
    table: Arc<Table>,
    /// Directories that were listed.
    listed: Sender<u64>,
}

impl Filesystem for Floor {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> std::io::Result<()> {
        let wanted = InitFlags::FUSE_DO_READDIRPLUS | InitFlags::FUSE_PARALLEL_DIROPS;
        let _ = config.add_capabilities(wanted & config.capabilities());
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let entries = (2..).map_while(|offset| self.table.entry(parent.0, offset));
        let found = entries
            .filter(|(_, its)| *its == name)
            .find_map(|(inode, _)| self.table.attributes(inode));
        match found {
            Some(found) => reply.entry(&FOREVER, &found, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.table.attributes(inode.0) {
            Some(found) => reply.attr(&FOREVER, &found),
            None => reply.error(Errno::ESTALE),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.error(Errno::ENOSYS);
    }

    fn opendir(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.error(Errno::ENOSYS);
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let len = self.table.find(inode.0).map_or(0, |(_, size)| size);
        let end = len.min(offset + u64::from(size)) as usize;
        reply.data(self.table.text.get(offset as usize..end).unwrap_or_default());
    }

    fn readdirplus(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectoryPlus,
    ) {
        let mut at = offset;
        while let Some((node, name)) = self.table.entry(inode.0, at)
            && let Some(attributes) = self.table.attributes(node)
        {
            at += 1;
            if reply.add(INodeNo(node), at, name, &FOREVER, &attributes, Generation(0)) {
                break;
            }
        }
        reply.ok();
        if at == offset && inode.0 != 1 {
            // The listing is complete. An error says that the file system is going away.
            let _ = self.listed.send(inode.0);
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let [folder, point, rest @ ..] = &arguments[..] else {
        println!("usage: floor FOLDER MOUNTPOINT [empty]");
        return;
    };
    let table = Arc::new(Table::of(
        Path::new(folder),
        rest.iter().any(|word| word == "empty"),
    ));
    let (listed, to_store) = channel();
    let mut config = Config::default();
    config.mount_options = vec![MountOption::RO, MountOption::FSName("floor".to_owned())];
    let floor = Floor {
        table: Arc::clone(&table),
        listed,
    };
    let session = fuser::spawn_mount(floor, point, &config).expect("a mount");
    let notifier = session.notifier();
    let storing = thread::spawn(move || {
        for directory in to_store {
            let files = table.folder(directory).map_or(&[][..], |folder| &folder.files);
            for ((_, size), inode) in files
                .iter()
                .zip(directory + 1..)
                .filter(|((_, size), _)| *size > 0)
            {
                let text = &table.text[..*size as usize];
                // The kernel may have forgotten the inode.
                let _ = notifier.store(INodeNo(inode), 0, text);
            }
        }
    });
    BackgroundSession::join(session).expect("the end of the mount");
    storing.join().expect("the thread that stores");
}
