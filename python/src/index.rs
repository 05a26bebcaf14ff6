//! The index of positions of an open database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::detached_work::detached;
use crate::progress::Progress;
use crate::source::Source;
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::LibraryEntry;
use chessdb_library::positions::{BuildOptions, Index, IndexError, Positions};

/// The index of a database, in a file that is removed when the index is dropped.
///
/// # Errors
/// As for [`load_or_build`].
pub fn build(
    py: Python<'_>,
    source: &Source,
    options: BuildOptions,
    progress: &Progress,
) -> PyResult<Positions> {
    let temporary = py.import("tempfile")?.call_method0("TemporaryDirectory")?;
    let folder = temporary.getattr("name")?.extract()?;
    let built = load_or_build(py, source, folder, options, progress);
    // The file is mapped, and exists without a name until it is unmapped.
    let _ = temporary.call_method0("cleanup");
    built
}

/// The index of a database, from its file in `folder` if there is a valid one. Otherwise it is built, and kept there.
///
/// # Errors
/// If the index cannot be built; as for [`detached`].
pub fn load_or_build(
    py: Python<'_>,
    source: &Source,
    folder: PathBuf,
    options: BuildOptions,
    progress: &Progress,
) -> PyResult<Positions> {
    // Indexes that `pgnfs` keeps have other options in their keys, so neither program replaces an index of the other.
    let reading = format!("python {:?}", source.opening.options);
    let built = detached(py, source, progress, |_, done| {
        built(&source.entry, &folder, &reading, options, done)
    })?;
    built.map_err(|error| PyOSError::new_err(error.to_string()))
}

fn built(
    entry: &Arc<LibraryEntry>,
    folder: &Path,
    reading: &str,
    options: BuildOptions,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Positions, IndexError> {
    let files = KeptFiles::open(folder, reading, Space::default())?;
    let index = match Index::load(&files, entry) {
        Some(index) => index,
        None => Index::build(&files, entry, options, done)?,
    };
    let positions = Positions::new(entry, options).with_index(index);
    positions.keep_in(&files);
    Ok(positions)
}
