//! `pgnfs mount`.

use std::path::{Path, absolute};
use std::process::ExitCode;

use super::cache::size_files;
use super::options::Settings;
use super::{Failure, warn_of_left_out};
use crate::fs::ChessFs;
use crate::fuse::Presentation;
use crate::hung;
use crate::library::Library;
use crate::mount::{self, MountPoint};
use crate::watch::Watch;

/// A request to mount.
pub struct Request<'a> {
    /// A folder or a database.
    pub source: &'a Path,
    /// The mount point.
    pub point: &'a Path,
    /// Stay instead of going to the background.
    pub foreground: bool,
    /// All options.
    pub settings: Settings,
}

/// Mounts; in the foreground, returns when it is unmounted.
pub fn run(request: &Request<'_>) -> Result<ExitCode, Failure> {
    if !request.foreground && !mount::is_background() {
        return Ok(mount::start_in_background()?.into());
    }
    let settings = &request.settings;
    hung::prepare(mount::give_up_to_read);
    let point = MountPoint::check(request.point, request.source)?;
    let source = absolute(request.source)?;
    // Changes are noticed from now on.
    let watch = Watch::start(&source, settings.watch, settings.quiet)?;
    let library = Library::open_within(
        &source,
        &settings.formats,
        &settings.selection,
        settings.open_wait,
        mount::give_up_to_read,
    )?;
    warn_of_left_out(&library);
    let options = mount::Options {
        source: library.source().to_owned(),
        presentation: Presentation {
            uid: settings.uid.unwrap_or_else(mount::user),
            gid: settings.gid.unwrap_or_else(mount::group),
            umask: settings.umask,
            xattr: settings.xattr,
        },
        allow_other: settings.allow_other,
        default_permissions: settings.default_permissions,
        threads: settings.serve.threads.min(FUSE_THREADS),
        decoders: settings.serve.threads,
    };
    let fs = ChessFs::new(library, settings.serve.clone());
    if let Some(files) = size_files(settings) {
        fs.keep_sizes(files);
    }
    mount::serve(fs, watch, &point, &options)?;
    Ok(ExitCode::SUCCESS)
}

/// Maximum number of threads that read requests.
const FUSE_THREADS: usize = 4;
