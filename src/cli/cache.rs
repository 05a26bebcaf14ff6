//! The cache folder.

use std::env;
use std::path::{Path, PathBuf, absolute};

use super::options::{CacheFolder, Settings};
use crate::mount;
use log::Level;

use chessdb_library::kept::{KeptFiles, Space};

/// Files kept between runs; `None` if nothing should be kept or the folder cannot be used. An unusable folder causes a
/// warning if the user named it or much would be kept.
pub fn kept_files(settings: &Settings, is_much: bool) -> Option<KeptFiles> {
    let folder = folder(settings)?;
    let space = Space {
        bytes: settings.cache_space,
        ..Space::default()
    };
    KeptFiles::open(&folder, &reading(settings), space)
        .inspect_err(|error| {
            let is_named = matches!(settings.cache_folder, CacheFolder::At(_));
            let level = if is_much || is_named {
                Level::Warn
            } else {
                Level::Info
            };
            let folder = folder.display();
            log::log!(
                level,
                "nothing is kept: {folder}: {error}; name another folder with cache-dir="
            );
        })
        .ok()
}

fn folder(settings: &Settings) -> Option<PathBuf> {
    match &settings.cache_folder {
        CacheFolder::Nowhere => None,
        CacheFolder::At(path) => absolute(path).ok(),
        CacheFolder::Usual => usual_folder(),
    }
}

/// All options that affect texts. The debug form includes options that are added later.
fn reading(settings: &Settings) -> String {
    format!("{:?}", settings.formats)
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
