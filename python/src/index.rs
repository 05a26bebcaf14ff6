//! The index of positions of an open database.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::errors::ReadError;
use crate::in_chunks::PAUSE;
use crate::source::Source;
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::LibraryEntry;
use chessdb_library::positions::{BuildOptions, Damaged, Index, IndexError};

/// An index of positions and the folder with its file.
pub struct KeptIndex {
    index: Index,
    files: KeptFiles,
}

impl KeptIndex {
    /// The answer of the index. If it is damaged, there is none, and its file is removed.
    pub fn answer<T>(
        &self,
        entry: &LibraryEntry,
        ask: impl FnOnce(&Index) -> Result<T, Damaged>,
    ) -> Option<T> {
        ask(&self.index)
            .inspect_err(|_| Index::remove(&self.files, entry))
            .ok()
    }
}

/// The index of a database, in a file that is removed when the index is dropped.
///
/// # Errors
/// Those of [`load_or_build`].
pub fn build(py: Python<'_>, source: &Source, options: BuildOptions) -> PyResult<KeptIndex> {
    let temporary = py.import("tempfile")?.call_method0("TemporaryDirectory")?;
    let folder = temporary.getattr("name")?.extract()?;
    let built = load_or_build(py, source, folder, options);
    // The file is mapped, and exists without a name until it is unmapped. After Ctrl-C the folder may still be in use.
    let _ = temporary.call_method0("cleanup");
    built
}

/// The index of a database, from its file in `folder` if there is a valid one. Otherwise it is built, and kept there.
///
/// # Errors
/// If the index cannot be built; the exception of a signal handler, after which another thread goes on building.
pub fn load_or_build(
    py: Python<'_>,
    source: &Source,
    folder: PathBuf,
    options: BuildOptions,
) -> PyResult<KeptIndex> {
    let builder = source.clone();
    let (sender, mut receiver) = sync_channel(1);
    let build = move || {
        // Indexes of the program `pgnfs` have other options, so that neither replaces those of the other.
        let reading = format!("python {}", builder.options);
        let built = builder.checked(|entry| built(entry, &folder, &reading, options));
        // No caller receives it after Ctrl-C.
        let _ = sender.send(built);
    };
    thread::Builder::new()
        .name("pgnfs-positions".to_owned())
        .spawn(build)?;
    loop {
        let receiver = &mut receiver;
        let received = py.detach(move || receiver.recv_timeout(PAUSE));
        py.check_signals()?;
        match received {
            Ok(Ok(built)) => return built.map_err(|error| PyOSError::new_err(error.to_string())),
            Ok(Err(error)) => return Err(error.raise(py, &source.entry)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let failed = ReadError::Failed("the index of positions was not built".to_owned());
                return Err(failed.raise(py, &source.entry));
            }
        }
    }
}

fn built(
    entry: &LibraryEntry,
    folder: &Path,
    reading: &str,
    options: BuildOptions,
) -> Result<KeptIndex, IndexError> {
    let files = KeptFiles::open(folder, reading, Space::default())?;
    let index = match Index::load(&files, entry) {
        Some(index) => index,
        None => Index::build(&files, entry, options, &|_| ())?,
    };
    Ok(KeptIndex { index, files })
}
