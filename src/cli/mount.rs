//! `pgnfs mount`.

use std::path::{Path, absolute};
use std::process::ExitCode;

use super::cache::{index_files, kept_files, size_files, view_files};
use super::options::Settings;
use super::{Failure, logging, warn_of_left_out};
use crate::fs::{ChessFs, ServeOptions};
use crate::fuse::Presentation;
use crate::hung;
use crate::library::Library;
use crate::mapped::limit_kept;
use crate::mount::{self, MountPoint};
use crate::watch::Watch;

/// A request to mount.
pub struct Request<'a> {
    /// A folder or a database.
    pub source: &'a Path,
    /// The mount point.
    pub point: &'a Path,
    /// If true, stays in the foreground.
    pub foreground: bool,
    /// All options.
    pub settings: Settings,
}

/// Mounts. In the foreground, returns when the mount has been unmounted.
pub fn run(request: &Request<'_>) -> Result<ExitCode, Failure> {
    if !request.foreground && !mount::is_background() {
        return Ok(mount::start_in_background()?.into());
    }
    let settings = &request.settings;
    limit_kept();
    hung::prepare(mount::give_up_to_read);
    let point = MountPoint::check(request.point, request.source)?;
    logging::name_mount(point.path());
    let source = absolute(request.source)?;
    // Started before the search, so that no later change is missed.
    let watch = Watch::start(&source, settings.watch, settings.quiet)?;
    let sizes = size_files(settings);
    // All are in the same folder. If it cannot be used, one warning is enough.
    let kept = sizes.as_ref().and_then(|_| kept_files(settings));
    let open = match settings.wait_for_source {
        true => Library::open_or_wait,
        false => Library::open_within,
    };
    let library = open(
        &source,
        &settings.formats,
        &settings.selection,
        settings.open_wait,
        mount::give_up_to_read,
        kept,
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
    let serve = ServeOptions {
        index: settings.index,
        index_memory: settings.index_memory,
        ..settings.serve.clone()
    };
    let fs = ChessFs::new(library, serve);
    if let Some(sizes) = sizes {
        if let Some(indexes) = index_files(settings) {
            fs.keep_indexes(indexes);
        }
        if let Some(views) = view_files(settings) {
            fs.keep_views(views);
        }
        fs.keep_sizes(sizes);
    }
    mount::serve(fs, watch, &point, &options)?;
    Ok(ExitCode::SUCCESS)
}

/// Maximum number of threads that read requests.
const FUSE_THREADS: usize = 4;
