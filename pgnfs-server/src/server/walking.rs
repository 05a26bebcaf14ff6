//! Look-up by path, in any threads that it takes.

use std::ffi::OsStr;

use super::pending::{Pending, Reply, Unanswered};
use super::requests::Requests;
use crate::fs::{FsError, Inode, NAME_MAX, Open, Resolved};

/// Follows a path from the root and calls `then` with its node, which answers the request.
pub(super) fn find<A, R, T>(own: &Requests, path: &str, request: Pending<A, R>, then: T) -> Option<Unanswered>
where
    A: 'static,
    R: Reply<A>,
    T: FnOnce(&Requests, &Open<'_>, Pending<A, R>) + Send + 'static,
{
    match own.live().resolve(Inode::ROOT) {
        Ok(root) => go_on(own, root, path.to_owned(), request, then),
        Err(error) => {
            request.refuse(error);
            None
        }
    }
}

/// Follows the rest of a path from a node. Goes on in this thread as long as it need not wait.
fn go_on<A, R, T>(
    own: &Requests,
    node: Resolved,
    path: String,
    request: Pending<A, R>,
    then: T,
) -> Option<Unanswered>
where
    A: 'static,
    R: Reply<A>,
    T: FnOnce(&Requests, &Open<'_>, Pending<A, R>) + Send + 'static,
{
    own.answer(node, request, move |own, open, request| {
        let rest = path.trim_start_matches('/');
        if rest.is_empty() {
            then(own, open, request);
            return None;
        }
        let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let child = if name.len() > NAME_MAX {
            Err(FsError::NameTooLong)
        } else {
            own.live().child(open, OsStr::new(name))
        };
        match child {
            Ok(child) => go_on(own, child, rest.to_owned(), request, then),
            Err(error) => {
                if error == FsError::NotFound {
                    own.live().note_refused(open, OsStr::new(name), request.user);
                }
                request.refuse(error);
                None
            }
        }
    })
}
