//! How a database was opened, so that another process can open it again.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::source::Source;
use chessdb::Options;

/// The arguments of `open`.
pub struct OpenArguments {
    /// The absolute path.
    pub path: PathBuf,
    /// The folder, without symbolic links; `None` if the path is of a file.
    pub folder: Option<PathBuf>,
    pub options: Options,
    /// The passwords among the options, as they were given.
    pub passwords: Vec<String>,
    /// Number of threads that decode.
    pub threads: usize,
    /// The path leads to one database.
    pub is_single: bool,
}

/// The arguments of `chessdb._open.again`; the last one is the path of a database below the folder that was opened.
pub type ReopenArguments = (
    PathBuf,
    Option<String>,
    Option<String>,
    Vec<String>,
    usize,
    Option<String>,
);

impl OpenArguments {
    /// The arguments that open everything again.
    pub fn arguments(&self) -> ReopenArguments {
        (
            self.path.clone(),
            self.options.encoding.clone(),
            self.options.reading.clone(),
            self.passwords.clone(),
            self.threads,
            None,
        )
    }

    /// The arguments that open one of the databases again.
    pub fn arguments_of(source: &Source) -> ReopenArguments {
        let mut arguments = source.opening.arguments();
        arguments.5 = (!source.opening.is_single).then(|| source.entry.path.clone());
        arguments
    }
}

/// What `__reduce__` returns for a pickle: a function of `chessdb._open`, and its arguments.
pub type Reduced<'py, T> = PyResult<(Bound<'py, PyAny>, T)>;

/// A function of `chessdb._open`.
pub fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("chessdb._open")?.getattr(name)
}
