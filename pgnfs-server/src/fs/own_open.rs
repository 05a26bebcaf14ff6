//! A node that stays open.

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use self_cell::self_cell;
use xxhash_rust::xxh3::Xxh3;

use super::handle::{Elsewhere, Resolved};
use super::open_node::Open;
use super::types::{Chunk, FsError};
use chessdb_library::kept::program_hash;

self_cell!(
    struct OpenCell {
        owner: Resolved,
        #[covariant]
        dependent: Open,
    }
);

/// A number that no other process has, as long as clocks go forward.
fn this_process() -> [u8; 16] {
    static BEGIN: LazyLock<u128> = LazyLock::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| since.as_nanos())
    });
    (*BEGIN ^ u128::from(std::process::id()) << 96).to_le_bytes()
}

/// An open node with the state of the source that it belongs to, which is kept as long as the node is open.
pub struct OwnOpen(OpenCell);

impl OwnOpen {
    /// Opens a node once more.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn of(open: &Open<'_>) -> Result<OwnOpen, FsError> {
        let cell = OpenCell::try_new(open.handle().clone(), |handle| handle.open());
        cell.map(OwnOpen)
    }

    /// See [`Open::elsewhere`].
    pub fn elsewhere(&self) -> Option<Elsewhere> {
        self.0.borrow_dependent().elsewhere()
    }

    /// A number that is another one if anything changes from which the bytes of the file at `path` follow: its database, the
    /// program, or the options by which databases are read and shown.
    ///
    /// # Errors
    /// The same errors as [`Open::read`], for an `info.txt`.
    pub fn key(&self, path: &str) -> Result<u128, FsError> {
        let open = self.0.borrow_dependent();
        let fs = open.fs();
        let mut key = Xxh3::new();
        let program = program_hash().map_or_else(this_process, u128::to_le_bytes);
        key.update(&program);
        let options = format!("{:?}\n{:?}", fs.library().options(), fs.common.options.layout);
        for text in [path, &options] {
            key.update(&(text.len() as u64).to_le_bytes());
            key.update(text.as_bytes());
        }
        match open.branch() {
            Some(branch) => {
                key.update(branch.shown_key().as_bytes());
                let databases = branch.databases().iter();
                databases.for_each(|database| key.update(&database.entry().origin().hash().to_le_bytes()));
            }
            None => key.update(&this_process()),
        }
        if open.is_info() {
            // It tells of everything that was found, which is no part of a database.
            key.update(&open.read(0, u32::MAX)?);
        }
        Ok(key.digest128())
    }

    /// See [`Open::read`].
    ///
    /// # Errors
    /// Those of [`Open::read`].
    pub fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        self.0.borrow_dependent().read(offset, size)
    }
}
