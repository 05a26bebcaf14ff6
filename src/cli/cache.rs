//! The cache folder, with size files, views, files that databases store, and indexes of positions.

use std::env;
use std::io;
use std::path::{Path, PathBuf, absolute};

use super::options::{CacheFolder, Settings};
use crate::fs::{SizeFiles, ViewFiles};
use crate::mount;
use chessdb_library::library::KeptFiles;
use chessdb_library::positions::{IndexFiles, IndexUse};

/// The size files of a mount; `None` if they are disabled or the folder cannot be used.
pub fn size_files(settings: &Settings) -> Option<SizeFiles> {
    let folder = folder(settings)?;
    kept(
        "sizes of games are",
        &folder,
        SizeFiles::open(&folder, &reading(settings)),
    )
}

/// The files that databases store for the next opening; `None` if they are disabled or the folder cannot be used.
pub fn kept_files(settings: &Settings) -> Option<KeptFiles> {
    let folder = folder(settings)?;
    let files = KeptFiles::open(&folder, &reading(settings));
    match settings.cache_folder {
        CacheFolder::At(_) => kept("indexes of PGN files are", &folder, files),
        // Most sources have no file that is kept, so a warning would concern few.
        _ => files
            .inspect_err(|error| log::info!("{}: cannot be used: {error}", folder.display()))
            .ok(),
    }
}

/// The files of views; `None` if size files are not available either.
pub fn view_files(settings: &Settings) -> Option<ViewFiles> {
    ViewFiles::open(&folder(settings)?, &reading(settings)).ok()
}

/// The indexes of positions; `None` if they are disabled or the folder cannot be used.
pub fn index_files(settings: &Settings) -> Option<IndexFiles> {
    if settings.index == IndexUse::No {
        return None;
    }
    let folder = folder(settings)?;
    let files = IndexFiles::open(&folder, &reading(settings), settings.index_space);
    kept("indexes of positions are", &folder, files)
}

fn folder(settings: &Settings) -> Option<PathBuf> {
    match &settings.cache_folder {
        CacheFolder::Nowhere => None,
        CacheFolder::At(path) => absolute(path).ok(),
        CacheFolder::Usual => usual_folder(),
    }
}

/// All options that affect texts, also future ones.
fn reading(settings: &Settings) -> String {
    format!("{:?}", settings.formats)
}

/// Returns what was opened in the folder, or logs a warning.
fn kept<T>(what: &str, folder: &Path, opened: io::Result<T>) -> Option<T> {
    opened
        .inspect_err(|error| {
            let folder = folder.display();
            log::warn!("{what} not kept: {folder}: {error}; name another folder with cache-dir=");
        })
        .ok()
}

fn usual_folder() -> Option<PathBuf> {
    let variable = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if let Some(folder) = variable("XDG_CACHE_HOME") {
        return Some(folder.join("pgnfs"));
    }
    // With sudo, HOME may belong to another user, who could not access files of root there.
    let home = variable("HOME").filter(|home| mount::is_own(home));
    let is_root = mount::user() == 0;
    home.map(|home| home.join(".cache/pgnfs"))
        .or_else(|| is_root.then(|| Path::new("/var/cache/pgnfs").to_owned()))
}
