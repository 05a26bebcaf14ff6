//! What caches must drop when the source changes.

use std::collections::BTreeMap;

use super::ChessFs;
use super::folder::{FolderFs, RootInfo};
use crate::tree::{Inode, TreeFolder};

/// A directory or file that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outdated {
    /// The inode whose attributes, entries or bytes have changed.
    pub inode: Inode,
    /// Names in it that were added or removed, or now refer to another inode.
    pub names: Vec<String>,
}

/// Compares `after` with the present epoch `before` and with `earlier` ones.
pub(super) fn outdated(before: &ChessFs, earlier: &[&ChessFs], after: &ChessFs) -> Vec<Outdated> {
    let mut outdated: Vec<Outdated> = after
        .folders
        .all()
        .filter_map(|folder| {
            let names = match before.folders.by_inode(folder.inode) {
                Some(same) => {
                    let names = changed(entries(before, same), entries(after, folder));
                    if names.is_empty()
                        && FolderFs::new(before, same).attributes()
                            == FolderFs::new(after, folder).attributes()
                    {
                        return None;
                    }
                    names
                }
                // The folder may have existed in an earlier epoch and still be open or a current directory.
                None => {
                    let known = earlier
                        .iter()
                        .filter_map(|fs| Some(entries(fs, fs.folders.by_inode(folder.inode)?)));
                    let mut names = entries(after, folder);
                    names.extend(known.flatten());
                    names.into_keys().collect()
                }
            };
            Some(Outdated {
                inode: folder.inode,
                names,
            })
        })
        .collect();
    outdated.extend(earlier.iter().flat_map(|fs| left_over(fs, after)));
    let (before, after) = (RootInfo(before), RootInfo(after));
    if !after.is_counted() || !before.is_same(&after) {
        outdated.push(Outdated {
            inode: after.inode(),
            names: Vec::new(),
        });
    }
    outdated
}

/// The top entries of removed databases that still have references. Those that were in use when they were last
/// reported may not have been dropped.
fn left_over(fs: &ChessFs, after: &ChessFs) -> Vec<Outdated> {
    let gone = fs.branches().filter(|branch| {
        let directory = fs.folders.directory_of(branch.prefix());
        directory != Inode::ROOT && branch.references.exist() && after.branch_with(branch.prefix()).is_none()
    });
    let outdated = gone.map(|branch| Outdated {
        inode: fs.folders.directory_of(branch.prefix()),
        names: branch.names_in_directory(),
    });
    outdated.collect()
}

fn entries(fs: &ChessFs, folder: &TreeFolder) -> BTreeMap<String, Inode> {
    let folder = FolderFs::new(fs, folder);
    let entries = folder.entries();
    entries
        .map(|(name, inode, _)| (name.into_owned(), inode))
        .collect()
}

/// The names whose inodes differ.
fn changed(before: BTreeMap<String, Inode>, mut after: BTreeMap<String, Inode>) -> Vec<String> {
    let gone = before.into_iter().filter_map(|(name, inode)| {
        let is_same = after.remove(&name) == Some(inode);
        (!is_same).then_some(name)
    });
    let mut names: Vec<String> = gone.collect();
    names.extend(after.into_keys());
    names
}
