//! Paths, names and bytes of a tree, as a shell would show them.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb_library::library::{Library, LibraryEntry};
use pgnfs_server::inside::{Attributes, ChessFs, Chunk, Entry, FsError, Inode, Kind, ServeOptions};

use testkit::fake::Fake;

/// A file system accessed by paths.
pub struct Mounted(pub Arc<ChessFs>);

/// A tree with one database as the root.
pub fn mount(fake: Fake) -> Mounted {
    mount_all(vec![fake.at("")])
}

/// A tree with several databases.
pub fn mount_all(entries: Vec<LibraryEntry>) -> Mounted {
    mount_with(
        entries,
        ServeOptions {
            threads: 4,
            ..ServeOptions::default()
        },
    )
}

pub fn mount_with(entries: Vec<LibraryEntry>, options: ServeOptions) -> Mounted {
    Mounted(ChessFs::new(Library::from_databases(entries), options))
}

/// Operations by inode.
impl Mounted {
    pub fn lookup(&self, directory: Inode, name: &OsStr) -> Result<Inode, FsError> {
        Ok(self.0.resolve(directory)?.open()?.child(name)?.inode())
    }

    pub fn parent(&self, inode: Inode) -> Result<Inode, FsError> {
        Ok(self.0.resolve(inode)?.open()?.parent()?.inode())
    }

    pub fn attributes(&self, inode: Inode) -> Result<Attributes, FsError> {
        self.0.resolve(inode)?.open()?.attributes()
    }

    pub fn attributes_if_known(&self, inode: Inode) -> Result<Option<Attributes>, FsError> {
        Ok(self.0.resolve(inode)?.open()?.attributes_if_known())
    }

    pub fn may_wait(&self, inode: Inode) -> bool {
        let open = self.0.resolve(inode).and_then(|node| node.open_here(false));
        open.is_ok_and(|open| open.run_on(false).is_some())
    }

    pub fn read(&self, inode: Inode, offset: u64, size: u32) -> Result<Chunk, FsError> {
        self.0.resolve(inode)?.open()?.read(offset, size)
    }

    pub fn target(&self, link: Inode) -> Result<String, FsError> {
        self.0.resolve(link)?.open()?.target().map(str::to_owned)
    }

    pub fn read_dir(
        &self,
        inode: Inode,
        offset: u64,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        self.0.resolve(inode)?.open()?.read_dir(offset, each)
    }
}

impl Mounted {
    pub fn find(&self, path: &str) -> Result<Inode, FsError> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        let mut inode = Inode::ROOT;
        for part in parts {
            inode = self.lookup(inode, OsStr::new(part))?;
        }
        Ok(inode)
    }

    #[track_caller]
    pub fn inode(&self, path: &str) -> Inode {
        self.find(path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub fn exists(&self, path: &str) -> bool {
        self.find(path).is_ok()
    }

    #[track_caller]
    pub fn stat(&self, path: &str) -> Attributes {
        let inode = self.inode(path);
        let attributes = self.attributes(inode).unwrap();
        assert_eq!(attributes.inode, inode, "{path}");
        assert_eq!(
            self.attributes_if_known(inode).unwrap(),
            Some(attributes),
            "{path}"
        );
        attributes
    }

    /// Entries of a directory without `.` and `..`, and the attributes that are known, or quickly found.
    #[track_caller]
    pub fn entries(&self, path: &str) -> Vec<(String, Inode, Kind, Option<Attributes>)> {
        let mut entries = Vec::new();
        let directory = self.inode(path);
        let open = self.0.resolve(directory).unwrap().open().unwrap();
        let mut each = |entry: Entry<'_>| {
            let attributes = open.attributes_of(&entry, || true);
            entries.push((entry.name.into_owned(), entry.inode, entry.kind, attributes));
            ControlFlow::Continue(())
        };
        open.read_dir(0, &mut each).unwrap();
        assert_eq!((entries[0].0.as_str(), entries[0].1), (".", directory));
        assert_eq!(
            (entries[1].0.as_str(), entries[1].1),
            ("..", self.parent(directory).unwrap())
        );
        entries.split_off(2)
    }

    #[track_caller]
    pub fn ls(&self, path: &str) -> Vec<String> {
        self.entries(path).into_iter().map(|entry| entry.0).collect()
    }

    /// The names in a directory, sorted: folders of the source are listed in any order.
    #[track_caller]
    pub fn names(&self, path: &str) -> Vec<String> {
        let mut names = self.ls(path);
        names.sort();
        names
    }

    /// Reads a whole file in pieces, and checks its size.
    #[track_caller]
    pub fn cat(&self, path: &str) -> String {
        let inode = self.inode(path);
        let mut bytes = Vec::new();
        loop {
            let piece = self.read(inode, bytes.len() as u64, 1000).unwrap();
            if piece.is_empty() {
                break;
            }
            bytes.extend_from_slice(&piece);
        }
        assert_eq!(self.stat(path).size, bytes.len() as u64, "{path}");
        String::from_utf8(bytes).unwrap()
    }

    /// Every path of the tree; paths of directories end with `/`. Looks up every listed name.
    pub fn walk(&self) -> Vec<String> {
        self.walk_from("")
    }

    /// Every path below a directory, whose path ends with `/`.
    pub fn walk_from(&self, directory: &str) -> Vec<String> {
        let mut paths = Vec::new();
        let mut folders = vec![directory.to_owned()];
        while let Some(folder) = folders.pop() {
            for (name, inode, kind, _) in self.entries(&folder) {
                let path = format!("{folder}{name}");
                assert_eq!(self.inode(&path), inode, "{path}");
                match kind {
                    Kind::Directory => {
                        paths.push(path.clone() + "/");
                        folders.push(path + "/");
                    }
                    Kind::File | Kind::Link => paths.push(path),
                }
            }
        }
        paths.sort();
        paths
    }
}
