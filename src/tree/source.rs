//! The folders of the source that lead to databases.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::inode::{Inode, Node, Prefix};
use crate::library::TakenNames;

/// The folders between the root and the databases. A database's directory is a folder here, which may hold others.
pub struct SourceTree {
    folders: Vec<SourceFolder>,
    by_inode: HashMap<Inode, usize>,
    by_prefix: HashMap<Prefix, usize>,
}

/// A folder, or the directory of a database.
pub struct SourceFolder {
    /// Its inode.
    pub inode: Inode,
    /// The folder that holds it; the root holds itself.
    pub parent: usize,
    /// The database whose directory it is.
    pub database: Option<usize>,
    /// Newest time of the databases in it and below it, in nanoseconds since 1970.
    pub modified: i128,
    /// Folders in it under the names that it shows them by, sorted.
    pub children: Vec<(String, usize)>,
}

/// A database for the tree.
#[derive(Clone, Copy, Debug)]
pub struct Branch<'a> {
    /// Path of its directory with `/` between the names; empty for the root.
    pub path: &'a str,
    /// Prefix of its inodes.
    pub prefix: Prefix,
    /// Newest time of the files, in nanoseconds since 1970.
    pub modified: i128,
}

impl SourceTree {
    /// The folders that lead to the databases. `own_names` has the names that a folder keeps for itself where it
    /// is a database's directory or the root.
    pub fn new(branches: &[Branch<'_>], own_names: impl Fn(Option<usize>) -> Vec<String>) -> SourceTree {
        let mut tree = SourceTree {
            folders: vec![SourceFolder::new(Inode::ROOT, 0)],
            by_inode: HashMap::from([(Inode::ROOT, 0)]),
            by_prefix: HashMap::with_capacity(branches.len()),
        };
        // While the tree grows, children are listed under the names that their paths have.
        let mut by_path: HashMap<&str, usize> = HashMap::from([("", 0)]);
        for (number, branch) in branches.iter().enumerate() {
            tree.by_prefix.insert(branch.prefix, number);
            let folder = tree.folder(branch.path, &mut by_path);
            let folder = &mut tree.folders[folder];
            folder.database = Some(number);
            if folder.inode != Inode::ROOT {
                folder.inode = Inode::of(branch.prefix, Node::DATABASE);
            }
            folder.modified = folder.modified.max(branch.modified);
        }
        // Parents stand before their children.
        for number in (0..tree.folders.len()).rev() {
            let SourceFolder { parent, modified, .. } = tree.folders[number];
            let parent = &mut tree.folders[parent];
            parent.modified = parent.modified.max(modified);
        }
        for number in 0..tree.folders.len() {
            let folder = &mut tree.folders[number];
            if number > 0 && folder.database.is_none() {
                let mut hash = folder.inode.0;
                while tree.by_inode.contains_key(&Inode(hash)) {
                    hash = after(hash);
                }
                folder.inode = Inode(hash);
            }
            tree.by_inode.insert(folder.inode, number);
            let own = match (number, folder.database) {
                _ if folder.children.is_empty() => continue,
                (1.., None) => Vec::new(),
                (_, database) => own_names(database),
            };
            folder.name_children(&own);
        }
        tree
    }

    /// The folder of an inode.
    pub fn by_inode(&self, inode: Inode) -> Option<&SourceFolder> {
        self.get(self.number_of(inode)?)
    }

    /// The number of the folder of an inode.
    pub fn number_of(&self, inode: Inode) -> Option<usize> {
        self.by_inode.get(&inode).copied()
    }

    /// A folder; 0 is the root.
    pub fn get(&self, folder: usize) -> Option<&SourceFolder> {
        self.folders.get(folder)
    }

    /// All folders, each behind the one that it is in.
    pub fn all(&self) -> impl Iterator<Item = &SourceFolder> {
        self.folders.iter()
    }

    /// The database of a prefix.
    pub fn by_prefix(&self, prefix: Prefix) -> Option<usize> {
        self.by_prefix.get(&prefix).copied()
    }

    /// The inode of the directory of a database with this prefix.
    pub fn directory_of(&self, prefix: Prefix) -> Inode {
        let inode = Inode::of(prefix, Node::DATABASE);
        match self.by_inode.contains_key(&inode) {
            true => inode,
            false => Inode::ROOT,
        }
    }

    /// The folder of a path, with all folders that lead to it.
    fn folder<'a>(&mut self, path: &'a str, by_path: &mut HashMap<&'a str, usize>) -> usize {
        // Mostly the folder above is known, however deep it is.
        let mut missing = Vec::new();
        let mut end = path.len();
        let mut folder = loop {
            match by_path.get(&path[..end]) {
                Some(&known) => break known,
                None => missing.push(end),
            }
            end = path[..end].rfind('/').unwrap_or(0);
        };
        for end in missing.into_iter().rev() {
            let path = &path[..end];
            let name = path.rsplit('/').next().unwrap_or(path);
            let number = self.folders.len();
            let inode = Inode(after(xxh3_64(path.as_bytes())));
            self.folders.push(SourceFolder::new(inode, folder));
            self.folders[folder].children.push((name.to_owned(), number));
            by_path.insert(path, number);
            folder = number;
        }
        folder
    }
}

impl SourceFolder {
    fn new(inode: Inode, parent: usize) -> SourceFolder {
        SourceFolder {
            inode,
            parent,
            database: None,
            modified: i128::MIN,
            children: Vec::new(),
        }
    }

    /// The folder of a name.
    pub fn child(&self, name: &str) -> Option<usize> {
        let found = self
            .children
            .binary_search_by(|(child, _)| child.as_str().cmp(name))
            .ok()?;
        self.children.get(found).map(|&(_, folder)| folder)
    }

    /// Gives children another name where theirs is taken.
    fn name_children(&mut self, own: &[String]) {
        let mut taken = TakenNames::default();
        for name in own {
            taken.take(name);
        }
        self.children.sort_unstable();
        for (name, _) in &mut self.children {
            *name = taken.take_name(name);
        }
        self.children.sort_unstable();
    }
}

/// The inode to try after a hash or a number that is taken: 40 bits, none of those that are set aside.
fn after(hash: u64) -> u64 {
    (hash.wrapping_add(1) & 0x00ff_ffff_ffff).max(Inode::FIRST_HASHED)
}
