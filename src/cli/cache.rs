//! The folder of files that are kept from one mount to the next.

use std::env;
use std::path::{Path, PathBuf, absolute};

use super::options::{CacheFolder, Settings};
use crate::fs::SizeFiles;
use crate::mount;

/// The size files of a mount; none if the user wants none, or if the folder cannot be used.
pub fn size_files(settings: &Settings) -> Option<SizeFiles> {
    let folder = match &settings.cache_folder {
        CacheFolder::Nowhere => return None,
        CacheFolder::At(path) => absolute(path).ok()?,
        CacheFolder::Usual => usual_folder()?,
    };
    // All options that change a text are among these, including future ones.
    let options = format!("{:?}", settings.formats);
    SizeFiles::open(&folder, &options)
        .inspect_err(|error| {
            let folder = folder.display();
            log::warn!("sizes of games are not kept: {folder}: {error}; name another folder with cache-dir=");
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
    // With sudo it may be the home of another user, who could not access a folder of root's.
    let home = variable("HOME").filter(|home| mount::is_own(home));
    let is_root = mount::user() == 0;
    home.map(|home| home.join(".cache/pgnfs"))
        .or_else(|| is_root.then(|| Path::new("/var/cache/pgnfs").to_owned()))
}
