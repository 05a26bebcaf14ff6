//! A file that a front end has opened.

use std::sync::Arc;

use super::pending::{Pending, Reply, Unanswered};
use super::requests::{Requests, guarded};
use crate::fs::{Chunk, FsError, Kind, OpenNode};

/// An open file. It owns the state that it reads, so it keeps the same bytes even when its source is replaced.
#[derive(Clone)]
pub struct OpenFile {
    requests: Requests,
    open: Arc<OpenNode>,
    size: u64,
    key: u128,
}

impl OpenFile {
    /// Keeps the file at `path` open. Decodes games if the size requires it.
    pub(super) fn new(requests: &Requests, open: OpenNode, path: &str) -> Result<OpenFile, FsError> {
        match open.resolved().kind() {
            Kind::File => {}
            Kind::Directory => return Err(FsError::IsADirectory),
            Kind::Link => return Err(FsError::WrongKind),
        }
        let size = open.attributes()?.size;
        Ok(OpenFile {
            requests: requests.clone(),
            size,
            key: open.key(path)?,
            open: Arc::new(open),
        })
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// A hash of everything that determines its bytes: the database, the program and its options.
    pub fn key(&self) -> u128 {
        self.key
    }

    /// Answers with `size` bytes from `offset`, fewer only at the end of the file. See [`Requests::read`].
    pub fn read(&self, user: u32, offset: u64, size: u32, reply: impl Reply<Chunk>) -> Option<Unanswered> {
        let request = Pending::new(user, false, reply);
        match self.open.run_on(false) {
            None => {
                guarded(|| {
                    let read = self.open.read(offset, size);
                    request.answer(|| read);
                });
                None
            }
            Some(run_on) => {
                let file = Arc::clone(&self.open);
                let read = move |_: &Requests, request: Pending<Chunk, _>| {
                    let read = file.read(offset, size);
                    request.answer(|| read);
                };
                Some(self.requests.hand_over(run_on, request, read))
            }
        }
    }
}
