//! What caches must drop when the source changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::detached::DetachedDirectory;
use super::files::Text;
use super::folder::{FolderFs, RootInfo};
use super::state::ChessFs;
use super::types::{Inode, Outdated};
use crate::tree::TreeFolder;
use chessdb_library::made::Wait;

/// Compares `after` with the present state `before`, of which `retired` are earlier states of directories.
pub(super) fn outdated(
    before: &ChessFs,
    retired: &[Arc<DetachedDirectory>],
    after: &ChessFs,
) -> Vec<Outdated> {
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
                // The folder may have existed before and still be open or a current directory.
                None => entries(after, folder).into_keys().collect(),
            };
            Some(Outdated {
                inode: folder.inode,
                names,
            })
        })
        .collect();
    let is_gone = |folder: &&TreeFolder| after.folders.by_inode(folder.inode).is_none();
    let gone = before.folders.all().filter(is_gone);
    outdated.extend(gone.map(|folder| Outdated {
        inode: folder.inode,
        names: entries(before, folder).into_keys().collect(),
    }));
    outdated.extend(retired.iter().filter_map(|retired| left_over(retired, after)));
    let (before, after) = (RootInfo(before), RootInfo(after));
    if Text::wait(&after) != Wait::None || !before.is_same(&after) {
        outdated.push(Outdated {
            inode: after.0.root_info(),
            names: Vec::new(),
        });
    }
    outdated
}

/// The top entries of a removed database for which there are still references. The previous invalidation dropped only
/// the dentries that were not in use at that moment, so these are invalidated again.
fn left_over(retired: &DetachedDirectory, after: &ChessFs) -> Option<Outdated> {
    let DetachedDirectory { branch, folder, .. } = retired;
    let is_gone = folder.inode != Inode::ROOT
        && branch.references.exist()
        && after.present_branch(branch.prefix()).is_none();
    is_gone.then(|| Outdated {
        inode: folder.inode,
        names: branch.names_in_directory(),
    })
}

fn entries(fs: &ChessFs, folder: &TreeFolder) -> BTreeMap<String, Inode> {
    FolderFs::new(fs, folder).entries().into_iter().collect()
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
