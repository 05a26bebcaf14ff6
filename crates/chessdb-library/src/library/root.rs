//! The folder of a source. Everything below it is opened through its descriptor.
//!
//! Paths are followed name by name, and no name may be a symbolic link. So nothing outside the source is opened,
//! whatever is renamed at the same time. `openat2` would do this in one call, but old kernels and sandboxes lack it.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::{Errno, retry_on_intr};

/// Length at which the kernel rejects a path. Files are opened by descriptors, but later compared by their paths, so
/// longer ones are rejected here.
const TOO_LONG: usize = 4096;

/// Flags for a folder on the way, which need not be readable.
const PASSED: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);

/// Non-blocking, so that opening a named pipe does not wait for its other end.
const FILE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// The open folder of a source.
pub(super) struct Root {
    path: PathBuf,
    folder: OwnedFd,
}

impl Root {
    /// Opens a folder by its absolute path without symbolic links.
    ///
    /// # Errors
    /// If opening fails, or if a component has become a symbolic link.
    pub(super) fn open(path: &Path) -> io::Result<Root> {
        let below = path.strip_prefix("/").unwrap_or(path);
        let top = openat(rustix::fs::CWD, "/", PASSED | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Root {
            path: path.to_owned(),
            folder: open_below(&top, below, PASSED).map_err(explained)?,
        })
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder for listing: this one, or one below it by its absolute path without symbolic links.
    ///
    /// # Errors
    /// If opening fails, or if a component has become a symbolic link.
    pub(super) fn folder(&self, path: &Path) -> io::Result<OwnedFd> {
        self.below(path, OFlags::DIRECTORY).map_err(explained)
    }

    /// Opens a file for reading. The file itself may be a symbolic link to a file below this folder.
    ///
    /// # Errors
    /// If opening fails, or if the path leads out of this folder or a component was replaced.
    pub(super) fn file(&self, path: &Path) -> io::Result<File> {
        let opened = match self.below(path, FILE) {
            Err(Errno::LOOP) => self.below(&fs::canonicalize(path)?, FILE),
            opened => opened,
        };
        opened.map(File::from).map_err(explained)
    }

    fn below(&self, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let below = path.strip_prefix(&self.path).map_err(|_| Errno::XDEV)?;
        if path.as_os_str().len() < TOO_LONG {
            open_below(&self.folder, below, flags)
        } else {
            Err(Errno::NAMETOOLONG)
        }
    }
}

/// Opens a path below a folder without following symbolic links.
fn open_below(folder: &OwnedFd, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let always = OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let open = |folder: &OwnedFd, name: &Path, flags| {
        retry_on_intr(|| openat(folder.as_fd(), name, flags | always, Mode::empty()))
    };
    let mut components = path.components().peekable();
    let mut here: Option<OwnedFd> = None;
    while let Some(component) = components.next() {
        let Component::Normal(name) = component else {
            return Err(Errno::XDEV);
        };
        let flags = if components.peek().is_some() {
            PASSED
        } else {
            flags
        };
        here = Some(open(here.as_ref().unwrap_or(folder), name.as_ref(), flags)?);
    }
    match here {
        Some(opened) => Ok(opened),
        None => open(folder, ".".as_ref(), flags),
    }
}

/// Replaces errors that a path without links gives only if it was changed in the meantime.
fn explained(error: Errno) -> io::Error {
    match error {
        Errno::LOOP | Errno::NOTDIR | Errno::XDEV => {
            io::Error::other("it was changed while it was opened: open it again")
        }
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    fn read(file: io::Result<File>) -> Result<String, String> {
        let mut text = String::new();
        let mut file = file.map_err(|error| error.to_string())?;
        file.read_to_string(&mut text)
            .map_err(|error| error.to_string())?;
        Ok(text)
    }

    #[test]
    fn nothing_is_opened_outside() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        let source = top.join("source");
        fs::create_dir_all(source.join("folder/deep")).unwrap();
        fs::create_dir_all(top.join("outside/deep")).unwrap();
        fs::write(source.join("folder/deep/file"), "inside").unwrap();
        fs::write(top.join("outside/deep/file"), "outside").unwrap();
        fs::write(top.join("outside/deep/other"), "outside").unwrap();
        let root = Root::open(&source).unwrap();
        let file = |path: &str| read(root.file(&source.join(path)));
        let changed = Err("it was changed while it was opened: open it again".to_owned());
        assert_eq!(file("folder/deep/file"), Ok("inside".to_owned()));
        assert!(root.folder(&source).is_ok() && root.folder(&source.join("folder/deep")).is_ok());
        symlink("folder/deep/file", source.join("near")).unwrap();
        symlink(source.join("near"), source.join("nearer")).unwrap();
        assert_eq!(file("nearer"), Ok("inside".to_owned()), "links that lead inside");
        symlink("../outside/deep/file", source.join("far")).unwrap();
        symlink("far", source.join("farther")).unwrap();
        assert_eq!((file("far"), file("farther")), (changed.clone(), changed.clone()));
        for path in [
            "../outside/deep/file",
            "folder/../../outside/deep/file",
            "near/file",
        ] {
            assert_eq!(file(path), changed, "{path}");
        }
        assert_eq!(read(root.file(&top.join("outside/deep/file"))), changed);
        for (from, to) in [("folder/deep", "outside/deep"), ("folder", "outside")] {
            fs::rename(source.join(from), top.join("away")).unwrap();
            symlink(top.join(to), source.join(from)).unwrap();
            assert_eq!(file("folder/deep/file"), changed, "{from} leads outside");
            assert_eq!(file("folder/deep/other"), changed, "{from} leads outside");
            assert!(root.folder(&source.join("folder/deep")).is_err());
            fs::remove_file(source.join(from)).unwrap();
            fs::rename(top.join("away"), source.join(from)).unwrap();
        }
        assert_eq!(file("folder/deep/file"), Ok("inside".to_owned()));
        // The source is moved and replaced by a link: files are still opened in the moved folder.
        fs::rename(&source, top.join("moved")).unwrap();
        symlink(top.join("outside"), &source).unwrap();
        assert_eq!(file("folder/deep/file"), Ok("inside".to_owned()));
        assert!(Root::open(&source).is_err());
    }
}
