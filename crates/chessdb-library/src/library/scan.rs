//! Searching a folder for databases.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, DirEntry, FileType};

use super::LeftOut;
use super::found_name::{file_name, found_name, legible, on_disk};
use super::join::join;
use super::open::How;
use super::opener::Opener;
use super::task::{self, NamedCandidates, OpeningTask, Unusable};
use super::unread;
use crate::mounts::{self, Mount, Mounts};
use crate::task::report_progress;
use crate::workers::hung::{self, Hung};
use chessdb::files::{Candidate, SourceFolder};
use chessdb::formats::Format;

const LEADS_OUT: &str = "a symbolic link that leads out of the source";

/// Result of a search.
#[derive(Default)]
pub(super) struct FolderScan {
    pub(super) tasks: Vec<OpeningTask>,
    pub(super) left_out: Vec<LeftOut>,
    /// Folders whose file system does not answer, each as the list of folder names that lead to it from the source.
    pub(super) hung: Vec<Vec<String>>,
}

/// Finds all selected databases below a folder.
///
/// # Errors
/// If the root cannot be listed.
pub(super) fn scan(how: &Arc<How>, opener: &Opener<'_>) -> io::Result<FolderScan> {
    let mut scan = FolderScan::default();
    let mut folders = vec![UnreadFolder {
        path: how.root.path().to_owned(),
        names: Vec::new(),
        is_linked: false,
    }];
    let mut links: VecDeque<UnreadFolder> = VecDeque::new();
    // Links are followed after everything has been found at its real place. Links below a linked folder are
    // not followed, so the search ends even if links form cycles.
    while let Some(folder) = folders.pop().or_else(|| links.pop_front()) {
        let mount = opener.mounts.containing(&folder.path);
        if mount.is_some_and(|mount| mount.kind == mounts::TYPE) {
            let name = folder.names.is_empty().then_some(".");
            scan.leave_out(&folder.names, name, OWN_MOUNT.to_owned());
            continue;
        }
        let listing = match FolderContents::read(&folder.path, how, &opener.mounts) {
            Ok(Ok(listing)) => listing,
            Ok(Err(error)) if folder.names.is_empty() => return Err(error),
            Ok(Err(error)) => {
                scan.leave_out(&folder.names, None, format!("cannot be read: {error}"));
                continue;
            }
            Err(hung) => {
                let name = folder.names.is_empty().then_some(".");
                scan.leave_out(&folder.names, name, hung.to_string());
                scan.hung.push(folder.names);
                continue;
            }
        };
        for (name, reason) in listing.left_out {
            scan.leave_out(&folder.names, Some(&name), reason);
        }
        for (name, hung) in &listing.hung {
            scan.leave_out(&folder.names, Some(name), hung.to_string());
            scan.hung
                .push(folder.names.iter().chain([name]).cloned().collect());
        }
        for (name, target) in listing.folders {
            let is_link = target.is_some();
            let path = target.unwrap_or_else(|| folder.path.join(on_disk(&name)));
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
            let below = UnreadFolder {
                path,
                names,
                is_linked,
            };
            if is_link {
                links.push_back(below);
            } else {
                folders.push(below);
            }
        }
        let (directory, named) = match in_directory(listing.directory, listing.mount.as_ref()) {
            Ok(found) => found,
            Err(hung) => {
                scan.leave_out(&folder.names, None, hung.to_string());
                scan.hung.push(folder.names);
                continue;
            }
        };
        let read = LazyCell::new(|| -> HashSet<&Path> {
            let candidates = named.iter().flat_map(|(_, candidates)| candidates);
            let files = candidates.flat_map(|(_, candidate)| &candidate.files);
            files.map(|(_, path)| path.as_path()).collect()
        });
        for name in &directory.files {
            if let Some((what, is_doubtful)) = unread::what(name)
                && !read.contains(folder.path.join(on_disk(name)).as_path())
                && opener.selection.wants_extension(name)
                && opener.selection.wants(&folder.names, name)
            {
                scan.left_out.push(LeftOut {
                    is_doubtful,
                    ..LeftOut::new(path_of(&folder.names, Some(name)), what)
                });
            }
        }
        let is_wanted = |name: &str| opener.selection.wants(&folder.names, name);
        let mut wanted = named;
        wanted.retain(|(_, candidates)| opener.selection.wants_kind(candidates));
        let (unusable, hung) = (Arc::new(listing.unusable), &listing.hung);
        let joined = match listing.mount {
            None => join(&mut wanted, &directory, &unusable, hung, &how.options, is_wanted),
            Some(_) => Vec::new(),
        };
        wanted.retain(|(name, _)| is_wanted(name));
        let wanted = wanted.into_iter().map(|named| (named, false));
        let wanted = wanted.chain(joined.into_iter().map(|named| (named, true)));
        scan.tasks
            .extend(wanted.map(|((name, candidates), is_joined)| OpeningTask {
                folder: folder.names.clone(),
                name,
                hung: hung_of(&candidates, hung),
                candidates,
                by_content: false,
                is_joined,
                unusable: Arc::clone(&unusable),
                mount: listing.mount.clone(),
            }));
    }
    Ok(scan)
}

/// Why mounts of this program are not searched: every game in them would be a database.
const OWN_MOUNT: &str = "a mount of pgnfs, which shows the games of its source; name the source instead";

/// Finds the databases of a directory, and returns the directory as well.
pub(super) fn in_directory(
    directory: SourceFolder,
    mount: Option<&Mount>,
) -> Result<(SourceFolder, Vec<NamedCandidates>), Hung> {
    hung::ask(mount, move || {
        let named = task::in_directory(&directory);
        (directory, named)
    })
}

/// If a file of these candidates is a link into a file system that does not answer, the error of the first such file.
pub(super) fn hung_of(candidates: &[(&Format, Candidate)], links: &HashMap<String, Hung>) -> Option<Hung> {
    let files = candidates.iter().flat_map(|(_, candidate)| &candidate.files);
    let mut hung = files.filter_map(|(_, path)| links.get(&file_name(path)));
    hung.next().cloned()
}

impl FolderScan {
    fn leave_out(&mut self, folder: &[String], name: Option<&str>, reason: String) {
        self.left_out.push(LeftOut::new(path_of(folder, name), reason));
    }
}

/// The path of a folder or of a file in it, relative to the source, as people see it.
fn path_of(folder: &[String], name: Option<&str>) -> String {
    let parts: Vec<&str> = folder.iter().map(String::as_str).chain(name).collect();
    legible(&parts.join("/")).into_owned()
}

/// A folder that has not been read yet.
struct UnreadFolder {
    /// Its real path.
    path: PathBuf,
    /// The names that lead to it from the source.
    names: Vec<String>,
    /// True if it was reached through a symbolic link.
    is_linked: bool,
}

/// Contents of one folder.
pub(super) struct FolderContents {
    /// The files that may belong to a database.
    pub(super) directory: SourceFolder,
    /// The files that cannot be opened, with the reason.
    pub(super) unusable: Unusable,
    /// The first mount that is not local and contains the folder or one of its files.
    pub(super) mount: Option<Mount>,
    /// The folders, and the links to folders with their targets.
    folders: Vec<(String, Option<PathBuf>)>,
    left_out: Vec<(String, String)>,
    /// Links whose targets are on a file system that does not answer. They are also in `directory`, because
    /// they may lead to files.
    pub(super) hung: HashMap<String, Hung>,
}

impl FolderContents {
    /// Reads a folder and sorts its entries by name. Links are resolved within the root.
    ///
    /// # Errors
    /// The outer result is an error if the file system does not answer, the inner one if the folder cannot be
    /// listed.
    pub(super) fn read(
        path: &Path,
        how: &Arc<How>,
        mounts: &Mounts,
    ) -> Result<io::Result<FolderContents>, Hung> {
        let mount = mounts.not_local(path);
        let (opened, folder) = (Arc::clone(how), path.to_owned());
        let listed = hung::ask(mount, move || FolderContents::list(folder, &opened))?;
        let (mut listing, links) = match listed {
            Ok(listed) => listed,
            Err(error) => return Ok(Err(error)),
        };
        listing.mount = mount.cloned();
        for name in links {
            listing.add_link(name, how.root.path(), mounts);
        }
        if listing.mount.is_none() {
            // A file can be a mount point, too.
            let mut below = mounts.below(path).filter(|below| below.parent() == Some(path));
            listing.mount = below.find_map(|below| {
                let is_file = listing
                    .directory
                    .files
                    .iter()
                    .any(|name| below.ends_with(on_disk(name)));
                mounts.not_local(below).filter(|_| is_file).cloned()
            });
        }
        listing.directory.files.sort_unstable();
        listing.folders.sort_unstable();
        // The search takes folders from the end.
        listing.folders.reverse();
        Ok(Ok(listing))
    }

    /// The entries of a folder by type, and the links in it, which have not been followed.
    fn list(path: PathBuf, how: &How) -> io::Result<(FolderContents, Vec<String>)> {
        let mut folder = Dir::new(how.root.folder(&path)?)?;
        let mut links = Vec::new();
        let mut listing = FolderContents {
            directory: SourceFolder {
                path,
                files: Vec::new(),
            },
            unusable: Unusable::new(),
            mount: None,
            folders: Vec::new(),
            left_out: Vec::new(),
            hung: HashMap::new(),
        };
        while let Some(entry) = folder.read() {
            report_progress();
            match entry.and_then(|entry| Ok((file_type(&folder, &entry)?, entry))) {
                Ok((file_type, entry)) => match entry.file_name().to_bytes() {
                    b"." | b".." => {}
                    name if file_type.is_symlink() => links.push(found_name(name)),
                    name => listing.add(found_name(name), file_type),
                },
                Err(error) => {
                    let reason = format!("part of this folder cannot be read: {}", io::Error::from(error));
                    listing.left_out.push((".".to_owned(), reason));
                }
            }
        }
        Ok((listing, links))
    }

    fn add(&mut self, name: String, file_type: FileType) {
        if file_type.is_dir() {
            self.folders.push((name, None));
            return;
        }
        if !file_type.is_file() {
            self.unusable.insert(name.clone(), "not a regular file");
        }
        self.directory.files.push(name);
    }

    fn add_link(&mut self, name: String, root: &Path, mounts: &Mounts) {
        let target = match resolve(&self.directory.path.join(on_disk(&name)), mounts) {
            Ok(target) => target,
            Err(hung) => {
                self.hung.insert(name.clone(), hung);
                self.directory.files.push(name);
                return;
            }
        };
        let reason = match &target {
            Ok((target, kind)) => match (target.starts_with(root), kind.is_dir(), kind.is_file()) {
                (true, true, _) => {
                    self.folders.push((name, Some(target.clone())));
                    return;
                }
                (true, false, true) => {
                    let other = || mounts.not_local(target).cloned();
                    self.mount = self.mount.take().or_else(other);
                    None
                }
                (true, false, false) => Some("not a regular file"),
                (false, true, _) => {
                    self.left_out.push((name, LEADS_OUT.to_owned()));
                    return;
                }
                (false, false, _) => Some(LEADS_OUT),
            },
            Err(_) => Some("a symbolic link that leads nowhere"),
        };
        if let Some(reason) = reason {
            self.unusable.insert(name.clone(), reason);
        }
        self.directory.files.push(name);
    }
}

/// The target of a path, and its type.
fn resolve(path: &Path, mounts: &Mounts) -> Result<io::Result<(PathBuf, fs::FileType)>, Hung> {
    let target = match hung::real_path(mounts, path)? {
        Ok(target) => target,
        Err(error) => return Ok(Err(error)),
    };
    hung::ask(mounts.not_local(&target.clone()), move || {
        let kind = fs::metadata(&target)?.file_type();
        Ok((target, kind))
    })
}

/// Type of an entry, which some file systems do not include in the listing.
fn file_type(folder: &Dir, entry: &DirEntry) -> rustix::io::Result<FileType> {
    match entry.file_type() {
        FileType::Unknown => {
            let stat = rustix::fs::statat(folder.fd()?, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(FileType::from_raw_mode(stat.st_mode))
        }
        file_type => Ok(file_type),
    }
}
