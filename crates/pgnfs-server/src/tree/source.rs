//! The folders of the source that lead to databases.

use std::collections::HashMap;
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::inode::{Inode, Node, Prefix};
use chessdb_library::library::TakenNames;

/// Name of the directory of all databases, unless a folder of the source has it.
const ALL: &str = "all";

/// Name of the directory in it that has only one game of each group of duplicates.
pub const UNIQUE: &str = "unique";

/// The folders between the root and the databases. The directory of a database is also a folder here and may
/// contain others.
pub struct SourceTree {
    folders: Vec<TreeFolder>,
    by_inode: HashMap<Inode, usize>,
}

/// A folder, or the directory of a branch.
pub struct TreeFolder {
    /// Its inode.
    pub inode: Inode,
    /// The number of its parent; the root is its own parent.
    pub parent: usize,
    /// The branch whose directory it is.
    pub branch: Option<Prefix>,
    /// Newest time of the databases in and below it, in nanoseconds since 1970.
    pub modified: i128,
    /// Subfolders by their names in the tree, sorted.
    pub children: Vec<(String, usize)>,
    /// Their cookies in ascending order, each with its index in `children`; set when the folder is first listed.
    listed: OnceLock<Vec<(u64, usize)>>,
}

/// The first cookie of a subfolder. Entries of a branch have their places as offsets, which are far lower.
const FIRST_COOKIE: u64 = 1 << 62;

impl SourceTree {
    /// Builds the folders that lead to the databases, and the directory of all databases if it has a prefix. Each
    /// database has the path of its directory, which is empty for the root, the prefix of its inodes, and the newest
    /// time of its files, in nanoseconds since 1970. `own_names` returns the names that are taken by other entries in a
    /// database's directory, or in the root if it is not one.
    pub fn new<'a>(
        databases: impl Iterator<Item = (&'a str, Prefix, i128)>,
        all: Option<Prefix>,
        own_names: impl Fn(Option<Prefix>) -> Vec<String>,
    ) -> SourceTree {
        let mut tree = SourceTree {
            folders: vec![TreeFolder::new(Inode::ROOT, 0)],
            by_inode: HashMap::from([(Inode::ROOT, 0)]),
        };
        // While the tree is built, children have the names of their paths.
        let mut by_path: HashMap<&'a str, usize> = HashMap::from([("", 0)]);
        for (path, prefix, modified) in databases {
            let folder = tree.folder(path, &mut by_path);
            let folder = &mut tree.folders[folder];
            folder.branch = Some(prefix);
            if folder.inode != Inode::ROOT {
                folder.inode = Inode::of(prefix, Node::DATABASE);
            }
            folder.modified = folder.modified.max(modified);
        }
        // Parents have lower numbers than their children.
        for number in (0..tree.folders.len()).rev() {
            let TreeFolder { parent, modified, .. } = tree.folders[number];
            let parent = &mut tree.folders[parent];
            parent.modified = parent.modified.max(modified);
        }
        for number in 0..tree.folders.len() {
            let folder = &mut tree.folders[number];
            if number > 0 && folder.branch.is_none() {
                let mut hash = folder.inode.0;
                while tree.by_inode.contains_key(&Inode(hash)) {
                    hash = after(hash);
                }
                folder.inode = Inode(hash);
            }
            tree.by_inode.insert(folder.inode, number);
            let own = match (number, folder.branch) {
                _ if folder.children.is_empty() => continue,
                (1.., None) => Vec::new(),
                (_, branch) => own_names(branch),
            };
            folder.name_children(&own);
        }
        if let Some(all) = all {
            tree.add_all(all, &own_names(tree.folders[0].branch));
        }
        tree
    }

    /// Adds the directory of all databases to the root. Existing entries keep their names.
    fn add_all(&mut self, prefix: Prefix, own: &[String]) {
        let number = self.folders.len();
        let root = &mut self.folders[0];
        let names = root.children.iter().map(|(name, _)| name).chain(own);
        let mut taken = TakenNames::default();
        names.for_each(|name| {
            taken.take(name);
        });
        let name = taken.take_name(ALL);
        let place = root.children.partition_point(|(other, _)| *other < name);
        root.children.insert(place, (name, number));
        let mut folder = TreeFolder::of_branch(prefix, 0);
        folder.modified = root.modified;
        self.by_inode.insert(folder.inode, number);
        self.folders.push(folder);
    }

    /// Adds the directory of a branch to another directory of a branch, which has these other entries.
    pub fn add_branch(&mut self, name: &str, prefix: Prefix, parent: Inode, own: &[String]) {
        let Some(parent) = self.number_of(parent) else {
            return;
        };
        let number = self.folders.len();
        let mut folder = TreeFolder::of_branch(prefix, parent);
        let Some(above) = self.folders.get_mut(parent) else {
            return;
        };
        folder.modified = above.modified;
        above.listed.take();
        above.children.push((name.to_owned(), number));
        above.name_children(own);
        self.by_inode.insert(folder.inode, number);
        self.folders.push(folder);
    }

    /// The paths of the branches' directories in the mount; empty for the root.
    pub fn paths(&self) -> HashMap<Prefix, String> {
        let mut paths = vec![String::new(); self.folders.len()];
        let mut of_branches = HashMap::new();
        // Parents have lower numbers than their children.
        for (number, folder) in self.folders.iter().enumerate() {
            let own = std::mem::take(&mut paths[number]);
            for (name, child) in &folder.children {
                paths[*child] = match own.as_str() {
                    "" => name.clone(),
                    own => format!("{own}/{name}"),
                };
            }
            if let Some(branch) = folder.branch {
                of_branches.insert(branch, own);
            }
        }
        of_branches
    }

    /// The folder with this inode.
    pub fn by_inode(&self, inode: Inode) -> Option<&TreeFolder> {
        self.get(self.number_of(inode)?)
    }

    /// The number of the folder with this inode.
    pub fn number_of(&self, inode: Inode) -> Option<usize> {
        self.by_inode.get(&inode).copied()
    }

    /// A folder by its number; 0 is the root.
    pub fn get(&self, folder: usize) -> Option<&TreeFolder> {
        self.folders.get(folder)
    }

    /// All folders, each after its parent.
    pub fn all(&self) -> impl Iterator<Item = &TreeFolder> {
        self.folders.iter()
    }

    /// The inode of the directory of the branch with this prefix.
    pub fn directory_of(&self, prefix: Prefix) -> Inode {
        let inode = Inode::of(prefix, Node::DATABASE);
        if self.by_inode.contains_key(&inode) {
            inode
        } else {
            Inode::ROOT
        }
    }

    /// The folder with this path; creates it and its parents if necessary.
    fn folder<'a>(&mut self, path: &'a str, by_path: &mut HashMap<&'a str, usize>) -> usize {
        // Usually the parent exists, however deep it is.
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
            self.folders.push(TreeFolder::new(inode, folder));
            self.folders[folder].children.push((name.to_owned(), number));
            by_path.insert(path, number);
            folder = number;
        }
        folder
    }
}

impl TreeFolder {
    fn new(inode: Inode, parent: usize) -> TreeFolder {
        TreeFolder {
            inode,
            parent,
            branch: None,
            modified: i128::MIN,
            children: Vec::new(),
            listed: OnceLock::new(),
        }
    }

    fn of_branch(prefix: Prefix, parent: usize) -> TreeFolder {
        TreeFolder {
            branch: Some(prefix),
            ..TreeFolder::new(Inode::of(prefix, Node::DATABASE), parent)
        }
    }

    /// The directory of a branch without folders in it.
    pub fn alone(inode: Inode, modified: i128) -> TreeFolder {
        TreeFolder {
            modified,
            ..TreeFolder::new(inode, 0)
        }
    }

    /// The subfolder that is listed after a cookie, and its own cookie. It depends on the name alone, so that a listing
    /// can go on in another state of the folder.
    pub fn child_after(&self, cookie: u64) -> Option<(u64, &str, usize)> {
        let listed = self.listed.get_or_init(|| {
            let cookie = |name: &str| FIRST_COOKIE | xxh3_64(name.as_bytes()) >> 2;
            let names = self.children.iter().zip(0..);
            let mut listed: Vec<(u64, usize)> = names.map(|((name, _), n)| (cookie(name), n)).collect();
            listed.sort_unstable();
            // Two names with the same hash are practically impossible, but must not share a cookie.
            for n in 1..listed.len() {
                listed[n].0 = listed[n].0.max(listed[n - 1].0 + 1);
            }
            listed
        });
        let after = listed.partition_point(|&(other, _)| other <= cookie);
        let &(cookie, n) = listed.get(after)?;
        let (name, folder) = self.children.get(n)?;
        Some((cookie, name, *folder))
    }

    /// The subfolder with this name.
    pub fn child(&self, name: &str) -> Option<usize> {
        let found = self
            .children
            .binary_search_by(|(child, _)| child.as_str().cmp(name))
            .ok()?;
        self.children.get(found).map(|&(_, folder)| folder)
    }

    /// Renames children whose names are taken.
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

/// The next inode to try if one is taken: 40 bits, without the reserved ones.
fn after(hash: u64) -> u64 {
    (hash.wrapping_add(1) & 0x00ff_ffff_ffff).max(Inode::FIRST_HASHED)
}
