//! How a library is opened.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::openings::{Openings, ProgressReport};
use super::{DatabaseSelection, LeftOut, Library, LibraryError};
use crate::kept::KeptFiles;
use chessdb::Options;

/// How a library is opened. By default all databases of the source are, however long it takes.
///
/// ```no_run
/// use std::time::Duration;
///
/// use chessdb_library::library::{DatabaseSelection, LibraryOptions};
///
/// let options = LibraryOptions {
///     patience: Some(Duration::from_secs(5)),
///     ..LibraryOptions::default()
/// };
/// let library = options.open("games".as_ref())?;
/// # Ok::<(), chessdb_library::library::LibraryError>(())
/// ```
#[derive(Default)]
pub struct LibraryOptions {
    /// How games are read.
    pub formats: Options,
    /// The databases of a folder that are opened. A database that is the source itself always is.
    pub selection: DatabaseSelection,
    /// The longest wait for databases; those that are not open by then remain [being opened](Library::opening). `None`
    /// for no limit.
    pub patience: Option<Duration>,
    /// A source that does not exist or has no databases gives a library without any. [`Library::left_out`] has the
    /// reason, and [`Library::reopen`] searches again.
    pub may_be_missing: bool,
    /// Called first on each thread that opens databases. If it fails, the thread opens none.
    pub prepare: Option<fn() -> io::Result<()>>,
    /// Where databases store results that take long to compute.
    pub kept: Option<KeptFiles>,
    /// Called with the progress ten times a second.
    pub report: Option<ProgressReport>,
}

impl LibraryOptions {
    /// Opens a folder with everything below it, or the database that a file belongs to. Reads headers only; decodes no
    /// moves.
    ///
    /// # Errors
    /// If there is nothing to serve: see [`LibraryError`].
    pub fn open(self, source: &Path) -> Result<Library, LibraryError> {
        let may_be_missing = self.may_be_missing;
        let library = Library {
            named: source.to_owned(),
            source: source.to_owned(),
            options: self.formats,
            selection: self.selection,
            patience: self.patience,
            openings: Arc::new(Openings::new(self.prepare, self.kept, self.report)),
            ..Library::from_shared(Vec::new())
        };
        match library.first() {
            Err(
                error @ (LibraryError::Missing(_)
                | LibraryError::NoDatabases { .. }
                | LibraryError::NoneWanted(_)),
            ) if may_be_missing => Ok(Library {
                left_out: vec![LeftOut::new(".", error.to_string())],
                ..library
            }),
            opened => opened,
        }
    }
}
