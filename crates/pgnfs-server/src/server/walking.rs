//! Lookup by path, which continues in other threads where it must.

use std::ffi::OsStr;

use super::open_file::OpenFile;
use super::pending::{Pending, Reply, Unanswered};
use super::requests::{Requests, guarded};
use crate::fs::{Attributes, FsError, Inode, NAME_MAX, OpenNode, ResolvedInode};
use chessdb::Decoded;

/// Requests by path.
impl Requests {
    /// Follows a path from the root, with names separated by `/`, and answers with the attributes of its node, which
    /// the front end does not hold. Links are not followed, and `.` and `..` do not work. Errors of the answer: as for
    /// [`Requests::look_up`].
    pub fn find(&self, user: u32, path: &str, reply: impl Reply<Attributes>) -> Option<Unanswered> {
        find(
            self,
            path,
            Pending::new(user, true, reply),
            |_, found, request| {
                let attributes = found.attributes();
                request.answer(|| attributes);
                None
            },
        )
    }

    /// Opens a file by its path. See [`Requests::find`] and [`OpenFile`]. Errors of the answer: as for
    /// [`Requests::find`] and [`Requests::read`].
    pub fn open(&self, user: u32, path: &str, reply: impl Reply<OpenFile>) -> Option<Unanswered> {
        let asked = path.to_owned();
        find(
            self,
            path,
            Pending::new(user, true, reply),
            move |own, found, request| {
                let file = OpenFile::new(own, found, &asked);
                request.answer(|| file);
                None
            },
        )
    }

    /// Decodes the game at a path and answers with it. See [`Requests::find`]. Errors of the answer: as for
    /// [`Requests::find`]; [`FsError::WrongKind`] for a file that is not a game.
    pub fn game(&self, user: u32, path: &str, reply: impl Reply<Decoded>) -> Option<Unanswered> {
        find(
            self,
            path,
            Pending::new(user, true, reply),
            |own, found, request| {
                let run_on = found.for_decoding().filter(|_| !request.is_shared());
                let work = move |_: &Requests, request: Pending<Decoded, _>| {
                    let game = found.decoded();
                    request.answer(|| game);
                };
                match run_on {
                    Some(run_on) => Some(own.hand_over(run_on, request, work)),
                    None => {
                        work(own, request);
                        None
                    }
                }
            },
        )
    }
}

/// Follows a path from the root and calls `then` with its node, which answers the request. `.` and `..` do not work.
fn find<A, R, T>(own: &Requests, path: &str, request: Pending<A, R>, then: T) -> Option<Unanswered>
where
    A: 'static,
    R: Reply<A>,
    T: FnOnce(&Requests, OpenNode, Pending<A, R>) -> Option<Unanswered> + Send + 'static,
{
    let walk = || match own.live().resolve(Inode::ROOT).and_then(|root| root.open()) {
        Ok(root) => go_on(own, root, path, request, then),
        Err(error) => {
            request.refuse(error);
            None
        }
    };
    guarded(walk).flatten()
}

/// Follows the rest of a path from a directory, in this thread while it need not block.
fn go_on<A, R, T>(
    own: &Requests,
    mut open: OpenNode,
    mut path: &str,
    request: Pending<A, R>,
    then: T,
) -> Option<Unanswered>
where
    A: 'static,
    R: Reply<A>,
    T: FnOnce(&Requests, OpenNode, Pending<A, R>) -> Option<Unanswered> + Send + 'static,
{
    loop {
        path = path.trim_start_matches('/');
        if path.is_empty() {
            return then(own, open, request);
        }
        let (name, rest) = path.split_once('/').unwrap_or((path, ""));
        let in_worker = request.is_shared();
        let child = child(own, &open, name, request.user).and_then(|child| child.open_here(in_worker));
        let child = match child {
            Ok(child) => child,
            Err(error) => {
                request.refuse(error);
                return None;
            }
        };
        match child.run_on(in_worker) {
            None => (open, path) = (child, rest),
            Some(run_on) => {
                let rest = rest.to_owned();
                let then = move |own: &Requests, child: OpenNode, request: Pending<A, R>| {
                    go_on(own, child, &rest, request, then)
                };
                return Some(own.complete(run_on, child, request, then));
            }
        }
    }
}

fn child(own: &Requests, directory: &OpenNode, name: &str, user: u32) -> Result<ResolvedInode, FsError> {
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
