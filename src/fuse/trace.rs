//! Logs requests and their results at level trace.

use std::fmt;
use std::time::Instant;

use fuser::Errno;
use log::{Level, log_enabled, trace};

use pgnfs_server::Requests;
use pgnfs_server::{Attributes, Inode};

/// Log target of these lines.
const TARGET: &str = "pgnfs::fuse";

/// A request that is being answered; `None` unless level trace is enabled, so that other levels cost nothing.
#[derive(Default)]
pub(super) struct Traced(Option<Box<Begun>>);

struct Begun {
    request: String,
    begin: Instant,
}

/// Result of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answered {
    /// Success without further information.
    Done,
    /// The request was refused.
    Error(Errno),
    /// A look-up found a node of this size in bytes.
    Found(Inode, u64),
    /// A node has this size in bytes.
    Size(u64),
    /// Number of bytes returned.
    Bytes(usize),
    /// Number of entries returned.
    Entries(usize),
}

impl Answered {
    /// The result of a look-up that found this node.
    pub(super) fn found(attributes: &Attributes) -> Answered {
        Answered::Found(attributes.inode, attributes.size)
    }
}

impl Traced {
    /// Begins to trace a request; `kind` is its name in the kernel.
    pub(super) fn begin(
        requests: &Requests,
        kind: &str,
        inode: Inode,
        arguments: fmt::Arguments<'_>,
    ) -> Traced {
        if !log_enabled!(target: TARGET, Level::Trace) {
            return Traced(None);
        }
        let what = requests.describe(inode);
        let space = if arguments.as_str() == Some("") { "" } else { " " };
        Traced(Some(Box::new(Begun {
            request: format!("{kind} {:#x} ({what}){space}{arguments}", inode.0),
            begin: Instant::now(),
        })))
    }

    /// Logs the result.
    pub(super) fn end(mut self, outcome: Answered) {
        if let Some(begun) = self.0.take() {
            begun.log(format_args!("{outcome}"));
        }
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        if let Some(begun) = self.0.take() {
            begun.log(format_args!("EIO, it failed"));
        }
    }
}

impl Begun {
    fn log(&self, outcome: fmt::Arguments<'_>) {
        let microseconds = self.begin.elapsed().as_micros();
        trace!(target: TARGET, "{}: {outcome}, {microseconds} us", self.request);
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Answered::Done => f.write_str("ok"),
            Answered::Error(error) => match NAMES.iter().find(|(named, _)| *named == error) {
                Some((_, name)) => f.write_str(name),
                None => write!(f, "error {}", error.code()),
            },
            Answered::Found(inode, size) => write!(f, "{:#x}, size {size}", inode.0),
            Answered::Size(size) => write!(f, "size {size}"),
            Answered::Bytes(bytes) => write!(f, "{bytes} bytes"),
            Answered::Entries(entries) => write!(f, "{entries} entries"),
        }
    }
}

/// Names of the errors with which requests are refused.
const NAMES: [(Errno, &str); 15] = [
    (Errno::EACCES, "EACCES"),
    (Errno::EAGAIN, "EAGAIN"),
    (Errno::EINTR, "EINTR"),
    (Errno::EINVAL, "EINVAL"),
    (Errno::EIO, "EIO"),
    (Errno::EISDIR, "EISDIR"),
    (Errno::ENAMETOOLONG, "ENAMETOOLONG"),
    (Errno::ENODATA, "ENODATA"),
    (Errno::ENOENT, "ENOENT"),
    (Errno::ENOSYS, "ENOSYS"),
    (Errno::ENOTDIR, "ENOTDIR"),
    (Errno::ENOTTY, "ENOTTY"),
    (Errno::ERANGE, "ERANGE"),
    (Errno::EROFS, "EROFS"),
    (Errno::ESTALE, "ESTALE"),
];
