//! The values of all options.

use std::path::PathBuf;
use std::time::Duration;

use crate::fs::ServeOptions;
use crate::library::Selection;
use crate::watch::{Means, QUIET};
use chessdb::formats;

/// The values of all options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How games are read.
    pub formats: formats::Options,
    /// Which databases of a folder.
    pub selection: Selection,
    /// How they are served.
    pub serve: ServeOptions,
    /// How changes of the source are noticed.
    pub watch: Means,
    /// How long a source must have rested after a change.
    pub quiet: Duration,
    /// How long a mount waits for databases that open slowly.
    pub open_wait: Duration,
    /// Where sizes of games are kept from one mount to the next.
    pub cache_folder: CacheFolder,
    /// Tags are extended attributes.
    pub xattr: bool,
    /// Owner of the files; else the user who mounts.
    pub uid: Option<u32>,
    /// Group of the files; else that of the user who mounts.
    pub gid: Option<u32>,
    /// Permissions to remove from those of all files.
    pub umask: u16,
    /// Other users may access the mount.
    pub allow_other: bool,
    /// The kernel checks permissions.
    pub default_permissions: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            formats: formats::Options::default(),
            selection: Selection::default(),
            serve: ServeOptions::default(),
            watch: Means::default(),
            quiet: QUIET,
            open_wait: Duration::from_secs(2),
            cache_folder: CacheFolder::default(),
            xattr: false,
            uid: None,
            gid: None,
            umask: 0,
            allow_other: false,
            default_permissions: false,
        }
    }
}

/// The folder for data that can be made again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CacheFolder {
    /// The user's cache folder.
    #[default]
    Usual,
    /// In this folder.
    At(PathBuf),
    /// Nowhere.
    Nowhere,
}
