//! Where a node is, as its inode number says. The node itself may not exist.

use super::at::At;
use super::branch::BranchFs;
use super::files::Text;
use super::folder::{FolderFs, RootInfo};
use super::object::Object;
use super::remote::Remote;
use super::searches::SearchesFs;
use super::state::ChessFs;
use super::types::{Attributes, Kind};
use crate::tree::{Existing, Node};
use chessdb_library::made::Wait;

/// What an inode number identifies.
#[derive(Clone, Copy)]
pub(super) enum NodePlace<'a> {
    /// A folder of the source, or the directory of a branch.
    Folder(FolderFs<'a>),
    /// `info.txt` at the root.
    RootInfo(RootInfo<'a>),
    /// A node below the directory of a branch.
    Node(&'a ChessFs, &'a BranchFs, Node),
}

impl<'a> NodePlace<'a> {
    /// The kind of the node, derived from its number alone.
    pub(super) fn kind(self) -> Kind {
        match self {
            NodePlace::Folder(_) => Kind::Directory,
            NodePlace::RootInfo(_) => Kind::File,
            NodePlace::Node(_, branch, node) => branch.kind(node),
        }
    }

    /// What opening the node has to wait for: games may have to be counted, sorted or searched for.
    pub(super) fn wait(self) -> Wait {
        match self {
            NodePlace::Folder(_) => Wait::None,
            NodePlace::RootInfo(info) => Text::wait(&info),
            NodePlace::Node(_, branch, node) => branch.wait(node),
        }
    }

    /// The threads that access its source, if that may not answer.
    pub(super) fn remote(self) -> Option<&'a Remote> {
        match self {
            NodePlace::Folder(_) | NodePlace::RootInfo(_) => None,
            NodePlace::Node(_, branch, _) => branch.remote(),
        }
    }

    /// The node, if it exists.
    pub(super) fn open(self) -> Option<Object<'a>> {
        match self {
            NodePlace::Folder(folder) => Some(Object::Folder(folder)),
            NodePlace::RootInfo(info) => Some(Object::RootInfo(info)),
            NodePlace::Node(fs, branch, node) => {
                let (at, existing) = At::open(branch, node)?;
                Some(match existing {
                    Existing::Directory => Object::Directory(at),
                    Existing::Searches => Object::Searches(SearchesFs {
                        registry: fs.registry(),
                        at,
                    }),
                    Existing::File(content) => Object::File(at, content),
                    Existing::Link(target) => Object::Link(at, target),
                })
            }
        }
    }

    /// The attributes of the node, if it exists and nothing has to be decoded or counted for them.
    pub(super) fn attributes_if_known(self) -> Option<Attributes> {
        let wait = match self {
            NodePlace::Node(_, branch, _) => branch.wait_for_count(),
            NodePlace::Folder(_) | NodePlace::RootInfo(_) => self.wait(),
        };
        (wait == Wait::None).then(|| self.open())??.attributes_if_known()
    }
}
