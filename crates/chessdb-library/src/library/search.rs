//! Finding the source and its databases.

use std::collections::HashMap;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use super::LibraryError;
use super::found_name::file_name;
use super::open::How;
use super::opener::Opener;
use super::root::Root;
use super::scan::{FolderContents, FolderScan, hung_of, scan};
use super::task::{OpeningTask, of_content, of_file};
use crate::task;
use crate::workers::hung;
use chessdb::files::SourceFolder;
use chessdb::formats::recognisable;

/// Result of a search.
pub(super) struct FoundSource {
    /// The source, as an absolute path without symbolic links.
    pub(super) source: PathBuf,
    /// True if the source is a file.
    pub(super) is_file: bool,
    pub(super) how: Arc<How>,
    pub(super) scan: FolderScan,
}

/// Searches a source.
///
/// # Errors
/// If the source cannot be examined.
pub(super) fn search(source: &Path, opener: &Opener<'_>) -> Result<FoundSource, LibraryError> {
    let unreadable = |error: Error| match error.kind() {
        ErrorKind::NotFound => LibraryError::Missing(source.to_owned()),
        _ => LibraryError::Unreadable(source.to_owned(), error),
    };
    let hung = |hung| LibraryError::Hung(source.to_owned(), hung);
    let refused = |reason: &str| LibraryError::Refused(source.to_owned(), reason.to_owned());
    let path = absolute(source).map_err(|_| LibraryError::Missing(source.to_owned()))?;
    let real = hung::real_path(&opener.mounts, &path)
        .map_err(hung)?
        .map_err(unreadable)?;
    let mount = opener.mounts.not_local(&real);
    let (wanted, options, kept) = (real.clone(), opener.options.clone(), opener.openings.kept());
    let opened = hung::ask(mount, move || {
        let kind = fs::metadata(&wanted)?.file_type();
        task::report_progress();
        let folder = if kind.is_file() {
            wanted.parent().unwrap_or(Path::new("/"))
        } else {
            &wanted
        };
        if !kind.is_dir() && !kind.is_file() {
            return Ok(None);
        }
        let root = Root::open(folder)?;
        if kind.is_file() {
            root.file(&wanted)?;
        }
        Ok(Some((kind.is_file(), Arc::new(How { root, options, kept }))))
    });
    let Some((is_file, how)) = opened.map_err(hung)?.map_err(unreadable)? else {
        return Err(refused("neither a file nor a folder"));
    };
    let scan = if is_file {
        FolderScan {
            tasks: vec![single(&real, &how, opener)?],
            ..FolderScan::default()
        }
    } else {
        scan(&how, opener).map_err(unreadable)?
    };
    Ok(FoundSource {
        source: real,
        is_file,
        how,
        scan,
    })
}

/// The database that a file of the root belongs to.
fn single(file: &Path, how: &Arc<How>, opener: &Opener<'_>) -> Result<OpeningTask, LibraryError> {
    let hung = |hung| LibraryError::Hung(file.to_owned(), hung);
    let name = file_name(file);
    let folder = how.root.path();
    let listing = FolderContents::read(folder, how, &opener.mounts).map_err(hung)?;
    let (directory, unusable, mount, links) = match listing {
        Ok(listing) => (listing.directory, listing.unusable, listing.mount, listing.hung),
        // The file may be readable although its folder cannot be listed.
        Err(error) => {
            log::warn!("cannot list {}: {error}", folder.display());
            let files = vec![name.clone()];
            let path = folder.to_owned();
            let mount = opener.mounts.not_local(file).cloned();
            let directory = SourceFolder { path, files };
            (directory, HashMap::new(), mount, HashMap::new())
        }
    };
    let wanted = file.to_owned();
    let mut candidates = hung::ask(mount.as_ref(), move || of_file(&directory, &wanted)).map_err(hung)?;
    let by_content = candidates.is_empty();
    if by_content {
        candidates = of_content(file, recognisable);
    }
    Ok(OpeningTask {
        folder: Vec::new(),
        name,
        hung: hung_of(&candidates, &links),
        candidates,
        by_content,
        is_joined: false,
        unusable: Arc::new(unusable),
        mount,
    })
}
