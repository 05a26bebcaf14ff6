//! The values of all options.

use std::path::PathBuf;
use std::time::Duration;

use chessdb_library::kept::Space;
use chessdb_library::library::DatabaseSelection;
use chessdb_library::positions::{BuildOptions, IndexUse};
use pgnfs_server::ServeOptions;
use pgnfs_server::watch::{Means, QUIET};

/// The values of all options.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Options of the decoders.
    pub formats: chessdb::Options,
    /// Which databases of a folder are served.
    pub selection: DatabaseSelection,
    /// Options of the file system.
    pub serve: ServeOptions,
    /// How changes of the source are detected.
    pub watch: Means,
    /// How long a source must stay unchanged before it is searched again.
    pub quiet: Duration,
    /// How long a mount waits for databases that open slowly.
    pub open_wait: Duration,
    /// True if a source may be missing when it is mounted.
    pub wait_for_source: bool,
    /// The folder for files kept between runs.
    pub cache_folder: CacheFolder,
    /// The maximum size of all files in that folder, in bytes.
    pub cache_space: u64,
    /// Whether an index of positions is used and built.
    pub index: IndexUse,
    /// Approximate memory for building an index, in bytes.
    pub index_memory: usize,
    /// True if tags are available as extended attributes.
    pub xattr: bool,
    /// Owner of the files; `None` for the user who mounts.
    pub uid: Option<u32>,
    /// Group of the files; `None` for the group of the user who mounts.
    pub gid: Option<u32>,
    /// Permission bits to remove from all files.
    pub umask: u16,
    /// True if other users may access the mount.
    pub allow_other: bool,
    /// True if the kernel checks permissions.
    pub default_permissions: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            formats: chessdb::Options::default(),
            selection: DatabaseSelection::default(),
            serve: ServeOptions::default(),
            watch: Means::default(),
            quiet: QUIET,
            open_wait: Duration::from_secs(2),
            wait_for_source: false,
            cache_folder: CacheFolder::default(),
            cache_space: Space::default().bytes,
            index: IndexUse::default(),
            index_memory: BuildOptions::default().memory,
            xattr: false,
            uid: None,
            gid: None,
            umask: 0,
            allow_other: false,
            default_permissions: false,
        }
    }
}

/// The folder for files kept between runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CacheFolder {
    /// The default folder of the user.
    #[default]
    Usual,
    /// This folder.
    At(PathBuf),
    /// Nothing is kept.
    Nowhere,
}
