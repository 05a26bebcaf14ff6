//! Whether a file is one of the source.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Library, LibraryEntry};
use crate::mounts::Mounts;

impl Library {
    /// True if a file belongs to one of the databases or is anywhere in the folder that is the source, whether it was
    /// opened or not, and whatever path leads to it.
    pub fn holds(&self, file: &Path) -> bool {
        belongs_to(self.databases.iter().map(|entry| &**entry), self.folder(), file)
    }

    /// The folder that is the source, as an absolute path without symbolic links; `None` if the source is a file.
    pub fn folder(&self) -> Option<&Path> {
        (!self.is_file).then_some(&self.source)
    }
}

/// True if a file belongs to one of these databases or is anywhere in this folder, whatever path leads to it.
pub fn belongs_to<'a>(
    databases: impl IntoIterator<Item = &'a LibraryEntry>,
    folder: Option<&Path>,
    file: &Path,
) -> bool {
    let Ok(found) = fs::metadata(file) else {
        return false;
    };
    // Pipes, terminals and /dev/null need no search.
    if !found.is_file() {
        return false;
    }
    let wanted = (found.dev(), found.ino());
    let mut files = databases.into_iter().flat_map(|entry| &entry.files);
    files.any(|(_, identity)| (identity.device, identity.inode) == wanted)
        || folder.is_some_and(|folder| is_below(folder, wanted, file))
}

/// True if the file with this device and inode is below a folder. Links are not followed: they lead to files that are
/// found anyway, or out of the folder.
fn is_below(source: &Path, wanted: (u64, u64), file: &Path) -> bool {
    let mounts = Mounts::read_or_unknown();
    let own = fs::canonicalize(file).ok();
    let own = own.and_then(|path| Some(mounts.containing(&path)?.device));
    let points: Vec<&Path> = mounts.below(source).collect();
    // Leaves alone what is mounted inside the source, because it may not answer, unless the file is there.
    let is_searched = |point: &Path| {
        let mount = mounts.top_at(point);
        mount.is_some_and(|mount| mount.is_local() || Some(mount.device) == own)
    };
    let searched = points.iter().copied().filter(|point| is_searched(point));
    let mut folders: Vec<PathBuf> = searched.chain([source]).map(Path::to_owned).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // A file, too, can be a mount point.
            let is_point = points.contains(&path.as_path());
            let kind = entry.file_type();
            if is_point && !is_searched(&path) {
                continue;
            }
            match kind {
                Ok(kind) if kind.is_dir() => folders.extend((!is_point).then_some(path)),
                Ok(kind) if kind.is_file() => {
                    let is_wanted = |meta: fs::Metadata| (meta.dev(), meta.ino()) == wanted;
                    if entry.metadata().is_ok_and(is_wanted) {
                        return true;
                    }
                }
                _ => {}
            }
        }
    }
    false
}
