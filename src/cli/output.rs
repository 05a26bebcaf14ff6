//! The file that `export --output` writes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An output file that replaces an existing one only when it is complete, so that no program reads an
/// incomplete file and a full disk does not destroy the old one.
pub struct Output {
    file: File,
    /// The temporary file. `None` if the output is written directly: to devices and pipes, and to files in a
    /// folder without write permission.
    partial: Option<Partial>,
}

struct Partial {
    path: PathBuf,
    place: PathBuf,
}

impl Output {
    /// Creates an output file for this path.
    ///
    /// # Errors
    /// If no file can be created there, or the existing one cannot be written.
    pub fn create(path: &Path) -> io::Result<Output> {
        let old = match OpenOptions::new().write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            opened => Some(opened?),
        };
        let permissions = match &old {
            Some(file) => match file.metadata()? {
                found if found.is_file() => Some(found.permissions()),
                _ => return Ok(Output::direct(file.try_clone()?)),
            },
            None => None,
        };
        // The target of a link, so that the link remains.
        let place = match old.is_some() || path.is_symlink() {
            true => fs::canonicalize(path),
            false => Ok(path.to_owned()),
        };
        let began = place.and_then(|place| Partial::create(place, permissions));
        match (began, old) {
            (Ok((file, partial)), _) => Ok(Output {
                file,
                partial: Some(partial),
            }),
            (Err(_), Some(file)) => {
                file.set_len(0)?;
                Ok(Output::direct(file))
            }
            (Err(error), None) => Err(error),
        }
    }

    fn direct(file: File) -> Output {
        Output { file, partial: None }
    }

    /// Renames the temporary file.
    ///
    /// # Errors
    /// If it cannot be renamed; the old file remains.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(partial) = &self.partial {
            fs::rename(&partial.path, &partial.place)?;
        }
        self.partial = None;
        Ok(())
    }
}

impl Partial {
    fn create(place: PathBuf, permissions: Option<fs::Permissions>) -> io::Result<(File, Partial)> {
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let path = place.with_file_name(name);
        let file = File::create_new(&path)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        Ok((file, Partial { path, place }))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = fs::remove_file(&partial.path);
        }
    }
}
