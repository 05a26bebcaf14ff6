//! A request for the tree, and the node that it names.

use axum::http::HeaderMap;
use chessdb_library::links::NamesLeft;
use pgnfs_server::{Attributes, FsError, Kind, Requests};

use crate::serve::answer::{Visit, ask};
use crate::serve::path::TreePath;

/// A request for the tree.
pub(super) struct TreeRequest {
    pub(super) requests: Requests,
    pub(super) visit: Visit,
    pub(super) path: TreePath,
    pub(super) headers: HeaderMap,
    /// The part of the address after `?`.
    pub(super) query: String,
}

impl TreeRequest {
    /// The node of a path. If the state of the source is dropped meanwhile, looks up the path once more.
    pub(super) async fn find(&self, path: &TreePath) -> Result<Attributes, FsError> {
        let in_tree = path.in_tree();
        let find = || {
            ask(self.visit, |answer| {
                self.requests.find(self.visit.visitor, &in_tree, answer)
            })
        };
        match find().await {
            Err(FsError::Stale) => find().await,
            found => found,
        }
    }

    /// The path without links, and its node.
    pub(super) async fn without_links(&self, path: &TreePath) -> Result<(TreePath, Attributes), FsError> {
        let mut rest = NamesLeft::of(path.names.clone());
        let mut path = TreePath {
            names: Vec::new(),
            is_directory: true,
        };
        let mut found = self.find(&path).await?;
        while let Some(name) = rest.next() {
            path.names.push(name);
            found = self.find(&path).await?;
            if found.kind != Kind::Link {
                continue;
            }
            let target = ask(self.visit, |answer| {
                self.requests.target(self.visit.visitor, found.inode, answer)
            })
            .await?;
            path = path.linked(&target);
            // The target may itself go through links.
            if !rest.follow(path.names.drain(..)) {
                return Err(FsError::NotFound);
            }
            found = self.find(&path).await?;
        }
        path.is_directory = found.kind == Kind::Directory;
        Ok((path, found))
    }
}
