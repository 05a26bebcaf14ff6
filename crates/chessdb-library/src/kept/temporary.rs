//! Files without names, for data that is not kept between runs.

use std::env;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folders of this machine for temporary files: `$TMPDIR` if it is set, `/var/tmp`, which is on a disk more often
/// than `/tmp`, and `/tmp`.
pub fn folders() -> &'static [PathBuf] {
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let usual = ["/var/tmp", "/tmp"].map(PathBuf::from);
        let set = env::var_os("TMPDIR").map(PathBuf::from);
        let set = set.filter(|folder| folder.is_absolute());
        let others = usual.into_iter().filter(|folder| Some(folder) != set.as_ref());
        set.iter().cloned().chain(others).collect()
    })
}

/// No file can be created in a folder.
#[derive(Debug)]
pub struct NoTemporaryFile {
    /// The folder.
    pub folder: &'static Path,
    /// The reason.
    pub error: io::Error,
}

/// Creates empty files without names in the first of these folders that allows it. Returns them and the folder.
///
/// # Errors
/// The error of the first folder; `None` if `folders` is empty.
pub fn temporary_files<const N: usize>(
    folders: &'static [PathBuf],
) -> Result<(&'static Path, [File; N]), Option<NoTemporaryFile>> {
    let mut first = None;
    for folder in folders {
        let files = (0..N).map(|_| tempfile::tempfile_in(folder));
        match files.collect::<io::Result<Vec<File>>>().map(TryInto::try_into) {
            Ok(Ok(files)) => return Ok((folder, files)),
            Ok(Err(_)) => {}
            Err(error) => first = first.or(Some(NoTemporaryFile { folder, error })),
        }
    }
    Err(first)
}
