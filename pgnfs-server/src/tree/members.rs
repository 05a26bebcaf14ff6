//! The raw files in a database, as files below `emb/` or in the database's own directory.

use std::borrow::Cow;
use std::sync::Arc;

use super::indexed_database::IndexedDatabase;
use super::inode::{KIND_MEMBER, KIND_MEMBER_DIRECTORY, Node};
use super::names::{canonical, directory_name};
use super::section::{Content, Existing, Kind, Section};
use chessdb::{Database, Member};
use chessdb_library::library::TakenNames;
use chessdb_library::made::Made;

/// The members of a database and the directories that contain them, read on first use.
pub(super) struct Members {
    database: Arc<IndexedDatabase>,
    list: Made<MemberList>,
}

impl Members {
    pub(super) fn new(database: &Arc<IndexedDatabase>) -> Members {
        Members {
            database: Arc::clone(database),
            list: Made::new(),
        }
    }

    fn list(&self) -> &MemberList {
        self.list.get_or(|| MemberList::new(self.database.database()))
    }

    /// Names and numbers of the members in a directory, sorted by name.
    fn files(&self, directory: Node) -> &[(String, u32)] {
        let directory = self.list().directories.get(directory.number() as usize);
        directory.map_or(&[], |directory| &directory.files)
    }
}

impl Section for Members {
    fn top(&self) -> Vec<(String, Node)> {
        if let Some(only) = self.database.database().as_files().member_directory() {
            return vec![(only.to_owned(), Node::new(KIND_MEMBER_DIRECTORY, 0))];
        }
        let directories = (0..).zip(&self.list().directories);
        let directories = directories.map(|(number, directory)| {
            let node = Node::new(KIND_MEMBER_DIRECTORY, number);
            (directory.name.to_owned(), node)
        });
        let files = (0..).zip(&self.list().members);
        let files = files
            .filter(|(_, member)| member.directory.is_empty())
            .map(|(number, member)| {
                let name = directory_name(&member.name).into_owned();
                (name, Node::new(KIND_MEMBER, number))
            });
        directories.chain(files).collect()
    }

    fn kind(&self, node: Node) -> Kind {
        match node.kind() {
            KIND_MEMBER => Kind::File,
            _ => Kind::Directory,
        }
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        if node.kind() == KIND_MEMBER {
            let size = self.list().member(node)?.size;
            return Some(Existing::File(Content::Member(node.number(), size)));
        }
        let mut directories = self.list().directories.iter();
        directories
            .nth(node.number() as usize)
            .map(|_| Existing::Directory)
    }

    fn parent(&self, node: Node) -> Node {
        if node.kind() != KIND_MEMBER {
            return Node::DATABASE;
        }
        let list = self.list();
        let name = list.member(node).map(|member| member.directory);
        let mut directories = list.directories.iter();
        match directories.position(|directory| Some(directory.name) == name) {
            Some(found) => Node::new(KIND_MEMBER_DIRECTORY, found as u32),
            None => Node::DATABASE,
        }
    }

    fn links(&self, node: Node) -> u32 {
        match node.kind() {
            KIND_MEMBER => 1,
            _ => 2,
        }
    }

    fn len(&self, directory: Node) -> usize {
        self.files(directory).len()
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let (name, member) = self.files(directory).get(n)?;
        Some((name.as_str().into(), Node::new(KIND_MEMBER, *member)))
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let files = self.files(directory);
        let found = files.binary_search_by(|(file, _)| file.as_str().cmp(name)).ok()?;
        files
            .get(found)
            .map(|&(_, member)| Node::new(KIND_MEMBER, member))
    }
}

struct MemberList {
    members: Vec<Member>,
    directories: Vec<MemberDirectory>,
}

struct MemberDirectory {
    name: &'static str,
    /// Name and number of each member, sorted by name.
    files: Vec<(String, u32)>,
}

impl MemberList {
    /// Reads the members of a database.
    fn new(database: &dyn Database) -> MemberList {
        let members = database.as_files().members();
        let mut names: Vec<&'static str> = members.iter().map(|member| member.directory).collect();
        names.extend(database.as_files().member_directory());
        names.sort_unstable();
        names.dedup();
        names.retain(|name| !name.is_empty());
        let directories = names.into_iter().map(|name| {
            let mut taken = TakenNames::default();
            let inside = (0..).zip(&members).filter(|(_, member)| member.directory == name);
            let mut files: Vec<(String, u32)> = inside
                .map(|(number, member)| {
                    let name = canonical(member.name.as_str().into());
                    (taken.take_name(&directory_name(&name)), number)
                })
                .collect();
            files.sort_unstable();
            MemberDirectory { name, files }
        });
        MemberList {
            directories: directories.collect(),
            members,
        }
    }

    fn member(&self, node: Node) -> Option<&Member> {
        self.members.get(node.number() as usize)
    }
}
