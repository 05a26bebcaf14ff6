//! Searching a folder for databases.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, DirEntry, FileType};

use super::LeftOut;
use super::open::{Opened, Opener, Unusable, open_all};
use super::root::Root;
use crate::formats::Directory;

const LEADS_OUT: &str = "a symbolic link that leads out of the source";
const NOT_UTF8: &str = "its name is not UTF-8; rename it";

/// A database and the folder in which it was found.
pub(super) struct Found {
    /// Names of the folders from the source down, as they are on disk.
    pub(super) folder: Vec<String>,
    pub(super) database: Opened,
}

/// What a search found.
#[derive(Default)]
pub(super) struct Scan {
    pub(super) found: Vec<Found>,
    pub(super) left_out: Vec<LeftOut>,
}

/// Opens every wanted database below a folder.
///
/// # Errors
/// The root itself cannot be listed.
pub(super) fn scan(root: &Root, opener: &Opener<'_>) -> io::Result<Scan> {
    let mut scan = Scan::default();
    let mut folders = vec![Folder {
        path: root.path().to_owned(),
        names: Vec::new(),
        is_linked: false,
    }];
    let mut links: VecDeque<Folder> = VecDeque::new();
    // Links wait until everything has been seen where it really is. A link below a linked folder is not followed
    // again, so the walk ends however links cross.
    while let Some(folder) = folders.pop().or_else(|| links.pop_front()) {
        let listing = match Listing::read(&folder.path, root) {
            Ok(listing) => listing,
            Err(error) if folder.names.is_empty() => return Err(error),
            Err(error) => {
                scan.leave_out(&folder.names, None, format!("cannot be read: {error}"));
                continue;
            }
        };
        for (name, reason) in listing.left_out {
            scan.leave_out(&folder.names, Some(&name), reason);
        }
        for (name, target) in listing.folders {
            let is_link = target.is_some();
            let path = target.unwrap_or_else(|| folder.path.join(&name));
            let reason = match is_link {
                true if folder.path.starts_with(&path) => "a symbolic link to a folder that it is in",
                true if folder.is_linked => "a symbolic link inside a linked folder",
                _ => "",
            };
            if !reason.is_empty() {
                scan.leave_out(&folder.names, Some(&name), reason.to_owned());
                continue;
            }
            let mut names = folder.names.clone();
            names.push(name);
            let is_linked = is_link || folder.is_linked;
            let below = Folder {
                path,
                names,
                is_linked,
            };
            match is_link {
                true => links.push_back(below),
                false => folders.push(below),
            }
        }
        let is_wanted = |name: &str| opener.selection.wants(&folder.names, name);
        let (opened, refused) = open_all(root, &listing.directory, &listing.unusable, opener, is_wanted);
        scan.found.extend(opened.into_iter().map(|database| Found {
            folder: folder.names.clone(),
            database,
        }));
        for (name, reason) in refused {
            scan.leave_out(&folder.names, Some(&name), reason);
        }
    }
    scan.left_out.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(scan)
}

impl Scan {
    fn leave_out(&mut self, folder: &[String], name: Option<&str>, reason: String) {
        let parts: Vec<&str> = folder.iter().map(String::as_str).chain(name).collect();
        let path = parts.join("/");
        self.left_out.push(LeftOut { path, reason });
    }
}

/// A folder that is still to be read.
struct Folder {
    /// Where it really is.
    path: PathBuf,
    /// How it is reached from the source.
    names: Vec<String>,
    /// It is reached through a symbolic link.
    is_linked: bool,
}

/// What one folder holds.
pub(super) struct Listing {
    /// The files that may belong to a database.
    pub(super) directory: Directory,
    /// Those of them that cannot be opened, with the reason.
    pub(super) unusable: Unusable,
    /// Folders; for a link to one, where it leads.
    folders: Vec<(String, Option<PathBuf>)>,
    left_out: Vec<(String, String)>,
}

impl Listing {
    /// Reads a folder once and sorts it by name. Links are resolved within `root`.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub(super) fn read(path: &Path, root: &Root) -> io::Result<Listing> {
        let mut listing = Listing {
            directory: Directory {
                path: path.to_owned(),
                files: Vec::new(),
            },
            unusable: HashMap::new(),
            folders: Vec::new(),
            left_out: Vec::new(),
        };
        let mut folder = Dir::new(root.folder(path)?)?;
        while let Some(entry) = folder.read() {
            match entry.and_then(|entry| Ok((file_type(&folder, &entry)?, entry))) {
                Ok((file_type, entry)) => match entry.file_name().to_bytes() {
                    b"." | b".." => {}
                    name => match str::from_utf8(name) {
                        Ok(name) => listing.add(name.to_owned(), file_type, root.path()),
                        Err(_) => listing.add_misnamed(String::from_utf8_lossy(name).into_owned(), file_type),
                    },
                },
                Err(error) => {
                    let reason = format!("some of this folder cannot be read: {}", io::Error::from(error));
                    listing.left_out.push((".".to_owned(), reason));
                }
            }
        }
        listing.directory.files.sort_unstable();
        // A misnamed file may look like another one.
        listing.directory.files.dedup();
        listing.folders.sort_unstable();
        // The walk takes folders from the end.
        listing.folders.reverse();
        Ok(listing)
    }

    fn add(&mut self, name: String, file_type: FileType, root: &Path) {
        if file_type.is_dir() {
            self.folders.push((name, None));
        } else if file_type.is_symlink() {
            self.add_link(name, root);
        } else {
            if !file_type.is_file() {
                self.unusable.insert(name.clone(), "not a regular file");
            }
            self.directory.files.push(name);
        }
    }

    fn add_link(&mut self, name: String, root: &Path) {
        let target = fs::canonicalize(self.directory.path.join(&name));
        let kind = target
            .as_ref()
            .map(|target| fs::metadata(target).map(|m| m.file_type()));
        let reason = match (&target, kind) {
            (Ok(target), Ok(Ok(kind))) => match (target.starts_with(root), kind.is_dir(), kind.is_file()) {
                (true, true, _) => {
                    self.folders.push((name, Some(target.clone())));
                    return;
                }
                (true, false, true) => None,
                (true, false, false) => Some("not a regular file"),
                (false, true, _) => {
                    self.left_out.push((name, LEADS_OUT.to_owned()));
                    return;
                }
                (false, false, _) => Some(LEADS_OUT),
            },
            _ => Some("a symbolic link that leads nowhere"),
        };
        if let Some(reason) = reason {
            self.unusable.insert(name.clone(), reason);
        }
        self.directory.files.push(name);
    }

    fn add_misnamed(&mut self, name: String, file_type: FileType) {
        if file_type.is_dir() {
            self.left_out.push((name, NOT_UTF8.to_owned()));
        } else {
            self.unusable.insert(name.clone(), NOT_UTF8);
            self.directory.files.push(name);
        }
    }
}

/// What an entry of a folder is; some file systems do not list it.
fn file_type(folder: &Dir, entry: &DirEntry) -> rustix::io::Result<FileType> {
    match entry.file_type() {
        FileType::Unknown => {
            let stat = rustix::fs::statat(folder.fd()?, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(FileType::from_raw_mode(stat.st_mode))
        }
        file_type => Ok(file_type),
    }
}
