//! Files that are written for the user.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf, absolute};

use tempfile::{Builder, NamedTempFile};

/// An output file that replaces an existing one only when it is complete. If it is dropped before that, nothing is left
/// of it.
pub enum OutputFile {
    /// A temporary file in the folder of the output, and the path of the output.
    Partial(NamedTempFile, PathBuf),
    /// A device, a pipe, or an existing file in a folder without write permission.
    Itself(File),
}

impl OutputFile {
    /// Creates an output file for this path. An existing file stays unchanged until [`OutputFile::finish`]; if nothing
    /// can be created in its folder, until [`OutputFile::begin`].
    ///
    /// # Errors
    /// If no file can be created there, or the existing one cannot be written.
    pub fn create(path: &Path) -> io::Result<OutputFile> {
        // The kernel would refuse the name only when the temporary file is renamed, after all work.
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(ErrorKind::IsADirectory.into());
        }
        let old = match File::options().write(true).open(path) {
            Ok(old) => old,
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => {
                let place = absolute(path)?;
                return Ok(OutputFile::Partial(partial(&place, None)?, place));
            }
            Err(error) => return Err(error),
        };
        let found = old.metadata()?;
        if !found.is_file() {
            return Ok(OutputFile::Itself(old));
        }
        // For a link, the file goes to its target, and the link remains.
        let place = fs::canonicalize(path)?;
        match partial(&place, Some(found.permissions())) {
            Ok(file) => Ok(OutputFile::Partial(file, place)),
            Err(error) if is_closed(&error) => Ok(OutputFile::Itself(old)),
            Err(error) => Err(error),
        }
    }

    /// The empty file, to be written.
    ///
    /// # Errors
    /// If an existing file cannot be emptied.
    pub fn begin(&self) -> io::Result<&File> {
        match self {
            OutputFile::Partial(file, _) => Ok(file.as_file()),
            OutputFile::Itself(file) => {
                if file.metadata()?.is_file() {
                    file.set_len(0)?;
                }
                Ok(file)
            }
        }
    }

    /// Puts the file into its place.
    ///
    /// # Errors
    /// If it cannot be stored or renamed; an old file then remains.
    pub fn finish(self) -> io::Result<()> {
        if let OutputFile::Partial(file, place) = self {
            // Otherwise a loss of power could leave an empty file in the place of the old one.
            file.as_file().sync_all()?;
            file.persist(place)?;
        }
        Ok(())
    }
}

/// Creates a temporary file in the folder of `place`.
fn partial(place: &Path, permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    // The kernel applies the umask.
    let usual = Permissions::from_mode(0o666);
    let mut name = Builder::new();
    name.prefix(".chessdb-").suffix(".partial").permissions(usual);
    let file = name.tempfile_in(place.parent().unwrap_or(place))?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(file)
}

/// True if the error says that nothing may be created in the folder.
fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}
