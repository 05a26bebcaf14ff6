//! `pgnfs mount`.

use std::io::{self, IsTerminal};
use std::path::{Path, absolute};
use std::process::ExitCode;

use super::cache::kept_files;
use super::options::Settings;
use super::{CommandError, logging, warn_of_left_out};
use crate::fuse::Presentation;
use crate::mount::{self, MountPoint, in_shell};
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::{Library, LibraryOptions, on_one_line, shown};
use chessdb_library::workers::hung;
use pgnfs_server::ServeOptions;
use pgnfs_server::Server;

/// Mounts `source`, a folder or a database, at `point`. In the foreground, returns when the mount has been unmounted.
pub fn run(
    source: &Path,
    point: &Path,
    in_foreground: bool,
    settings: &Settings,
) -> Result<ExitCode, CommandError> {
    if !in_foreground && !mount::is_background() {
        return Ok(mount::start_in_background()?.into());
    }
    mount::ignore_others()?;
    hung::prepare(mount::give_up_to_read);
    let point = MountPoint::check(point, source)?;
    logging::name_mount(point.path());
    let source = absolute(source)?;
    let kept = kept_files(settings, true);
    let server = open(&source, settings, kept.as_ref())?;
    keep_and_warn(&server, kept.as_ref(), "info.txt of the mount");
    let options = mount::MountOptions {
        source: server.library().source().to_owned(),
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
    let opening = opening(&server.library(), point.path());
    let shown = format!("{} is mounted: Ctrl-C unmounts it", shown(point.path()));
    let ready = || {
        if in_foreground && io::stderr().is_terminal() {
            logging::say(format_args!("{shown}"));
        } else {
            log::info!("{shown}");
        }
        if let Some(opening) = opening {
            logging::say(format_args!("{opening}"));
        }
    };
    mount::serve(server, point, &options, ready)?;
    Ok(ExitCode::SUCCESS)
}

/// Opens a source to be served.
pub(super) fn open(
    source: &Path,
    settings: &Settings,
    kept: Option<&KeptFiles>,
) -> Result<Server, CommandError> {
    let open = |source: &Path| {
        let options = LibraryOptions {
            formats: settings.formats.clone(),
            selection: settings.selection.clone(),
            patience: Some(settings.open_wait),
            may_be_missing: settings.wait_for_source,
            prepare: Some(mount::give_up_to_read),
            kept: kept.cloned(),
            report: None,
        };
        options.open(source).map_err(CommandError::from)
    };
    let serve = ServeOptions {
        index: settings.index,
        index_memory: settings.index_memory,
        ..settings.serve.clone()
    };
    Server::open(source, settings.watch, settings.quiet, open, serve)
}

/// Keeps results that take long to compute in files, and warns of databases that are left out or incomplete. `lists` is
/// the file that lists them.
pub(super) fn keep_and_warn(server: &Server, kept: Option<&KeptFiles>, lists: &str) {
    let remedy = format!("{lists} lists them with the reasons");
    warn_of_left_out(&server.library(), |_| true, &remedy);
    if let Some(kept) = kept {
        server.keep_in(kept);
    }
    for (database, obstacle) in server.obstacles() {
        log::warn!("{}: {obstacle}", on_one_line(&database));
    }
}

/// Maximum number of databases that a message names as still being opened.
const MOST_NAMED: usize = 3;

/// A sentence about the databases that the mount does not show yet; `None` if it shows all.
fn opening(library: &Library, point: &Path) -> Option<String> {
    let paths: Vec<_> = library
        .opening()
        .iter()
        .map(|opening| on_one_line(&opening.path))
        .collect();
    let named = paths.iter().take(MOST_NAMED).map(|path| path.as_ref());
    let named = named.collect::<Vec<_>>().join(", ");
    let others = match paths.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let wait = format!("pgnfs status --wait {}", in_shell(point));
    (!paths.is_empty()).then(|| format!("still being opened: {named}{others}; {wait} waits for that"))
}

/// Maximum number of threads that read requests.
const FUSE_THREADS: usize = 4;
