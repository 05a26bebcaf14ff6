//! Look-up by path, in any threads that it takes.

use std::ffi::OsStr;

use super::pending::{Pending, Reply, Unanswered};
use super::requests::Requests;
use crate::fs::{FsError, Inode, NAME_MAX, Open, OpenedHere, Resolved};

/// Follows a path from the root and calls `then` with its node, which answers the request. `.` and `..` are no names.
pub(super) fn find<A, R, T>(own: &Requests, path: &str, request: Pending<A, R>, then: T) -> Option<Unanswered>
where
    A: 'static,
    R: Reply<A>,
    T: FnOnce(&Requests, &Open<'_>, Pending<A, R>) -> Option<Unanswered> + Send + 'static,
{
    match own.live().resolve(Inode::ROOT) {
        Ok(root) => go_on(own, root, path, false, request, then),
        Err(error) => {
            request.refuse(error);
            None
        }
    }
}

/// Follows the rest of a path from a node, in this thread as long as it need not wait. If it `may_wait`, it opens the first
/// node in any case.
fn go_on<A, R, T>(
    own: &Requests,
    mut node: Resolved,
    mut path: &str,
    mut may_wait: bool,
    request: Pending<A, R>,
    then: T,
) -> Option<Unanswered>
where
    A: 'static,
    R: Reply<A>,
    T: FnOnce(&Requests, &Open<'_>, Pending<A, R>) -> Option<Unanswered> + Send + 'static,
{
    loop {
        let opened = match (may_wait, request.is_shared()) {
            (true, _) => node.open().map(OpenedHere::Here),
            (false, true) => node.open_in_worker(),
            (false, false) => node.open_here(),
        };
        may_wait = false;
        let open = match opened {
            Ok(OpenedHere::Here(open)) => open,
            Ok(OpenedHere::Elsewhere(elsewhere)) => {
                let path = path.to_owned();
                let rest = move |own: &Requests, request: Pending<A, R>| {
                    drop(go_on(own, node, &path, true, request, then));
                };
                return Some(own.hand_over(elsewhere, request, rest));
            }
            Err(error) => {
                request.refuse(error);
                return None;
            }
        };
        path = path.trim_start_matches('/');
        if path.is_empty() {
            return then(own, &open, request);
        }
        let (name, rest) = path.split_once('/').unwrap_or((path, ""));
        match child(own, &open, name, request.user) {
            Ok(child) => (node, path) = (child, rest),
            Err(error) => {
                request.refuse(error);
                return None;
            }
        }
    }
}

fn child(own: &Requests, directory: &Open<'_>, name: &str, user: u32) -> Result<Resolved, FsError> {
    if name.len() > NAME_MAX {
        return Err(FsError::NameTooLong);
    }
    if matches!(name, "." | "..") {
        return Err(FsError::NotFound);
    }
    let name = OsStr::new(name);
    let child = own.live().child(directory, name);
    child.inspect_err(|error| own.live().note_refused(directory, name, user, error))
}
