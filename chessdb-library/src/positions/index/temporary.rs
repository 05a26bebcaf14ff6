//! Files without names, for an index that is not kept.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::IndexError;

/// The folders of this machine for temporary files: `$TMPDIR` if it is set, `/var/tmp`, which is on a disk more often
/// than `/tmp`, and `/tmp`.
pub(super) fn folders() -> &'static [PathBuf] {
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let usual = ["/var/tmp", "/tmp"].map(PathBuf::from);
        let set = env::var_os("TMPDIR").map(PathBuf::from);
        let set = set.filter(|folder| folder.is_absolute());
        let others = usual.into_iter().filter(|folder| Some(folder) != set.as_ref());
        set.iter().cloned().chain(others).collect()
    })
}

/// Two empty files without names in the first of these folders in which files can be created, and this folder.
///
/// # Errors
/// [`IndexError::Memory`] without folders, otherwise the error of the first one.
pub(super) fn files(folders: &'static [PathBuf]) -> Result<(&'static Path, [File; 2]), IndexError> {
    let mut first = IndexError::Memory;
    for (n, folder) in folders.iter().enumerate() {
        let create = || tempfile::tempfile_in(folder);
        match create().and_then(|file| Ok([file, create()?])) {
            Ok(files) => return Ok((folder, files)),
            Err(error) if n == 0 => first = IndexError::Temporary(folder.clone(), error),
            Err(_) => {}
        }
    }
    Err(first)
}
