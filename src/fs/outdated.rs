//! What the kernel, which keeps what it was told, has to forget when the source changes.

use std::collections::BTreeMap;

use super::ChessFs;
use super::folder::{Folder, RootInfo};
use crate::tree::{Inode, SourceFolder};

/// A directory or file that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outdated {
    /// Its attributes, its entries or its bytes are others.
    pub inode: Inode,
    /// Names in it that mean something else now, or nothing any more, or something for the first time.
    pub names: Vec<String>,
}

/// What `after` does not show as the one `before` it or earlier ones did.
pub(super) fn outdated(before: &ChessFs, earlier: &[&ChessFs], after: &ChessFs) -> Vec<Outdated> {
    let mut outdated: Vec<Outdated> = after
        .folders
        .all()
        .filter_map(|folder| {
            let names = match before.folders.by_inode(folder.inode) {
                Some(same) => {
                    let names = changed(entries(before, same), entries(after, folder));
                    if names.is_empty()
                        && Folder::new(before, same).attributes() == Folder::new(after, folder).attributes()
                    {
                        return None;
                    }
                    names
                }
                // It may have been there earlier, and somebody may still be in it.
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
    if before.made() != after.made() || before.attributes() != after.attributes() {
        outdated.push(Outdated {
            inode: after.inode(),
            names: Vec::new(),
        });
    }
    outdated
}

/// The entries of databases that are gone but that the kernel still knows. When it was told first, it let go only of
/// those that nobody used at that moment, so it is told again.
fn left_over(fs: &ChessFs, after: &ChessFs) -> Vec<Outdated> {
    let gone = fs.databases.iter().filter(|database| {
        let directory = fs.folders.directory_of(database.prefix());
        directory != Inode::ROOT && database.lookups.is_known() && after.database(database.prefix()).is_none()
    });
    let entries = gone.map(|database| Outdated {
        inode: fs.folders.directory_of(database.prefix()),
        names: database.tree.top_names().map(str::to_owned).collect(),
    });
    entries.collect()
}

fn entries(fs: &ChessFs, folder: &SourceFolder) -> BTreeMap<String, Inode> {
    let folder = Folder::new(fs, folder);
    let entries = folder.entries();
    entries
        .map(|(name, inode, _)| (name.into_owned(), inode))
        .collect()
}

/// The names that do not stand for the same on both sides.
fn changed(before: BTreeMap<String, Inode>, mut after: BTreeMap<String, Inode>) -> Vec<String> {
    let gone = before.into_iter().filter_map(|(name, inode)| {
        let is_same = after.remove(&name) == Some(inode);
        (!is_same).then_some(name)
    });
    let mut names: Vec<String> = gone.collect();
    names.extend(after.into_keys());
    names
}
