//! Files that keep views from one mount to the next.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::arrays::Array;
use super::index::Sorting;
use chessdb_library::library::{Of, SectionFiles};
use chessdb_library::sections::Sections;

/// Maximum number of bytes of all files together: all built-in views of about 610 million games.
const MOST_BYTES: u64 = 16 << 30;

/// Views with fewer bytes stay in memory: building them again takes no longer than opening a file.
const LEAST_BYTES: usize = 64 << 10;

/// The folder of views, for databases that are read with the same options.
#[derive(Clone, Debug)]
pub struct ViewFiles(SectionFiles);

impl ViewFiles {
    /// Opens a folder of views, and creates the folder if it does not exist. `options` are all options of the user that
    /// change a tag or a move.
    ///
    /// # Errors
    /// If the folder can be neither opened nor created.
    pub fn open(folder: &Path, options: &str) -> io::Result<ViewFiles> {
        SectionFiles::open(folder, "views", options, MOST_BYTES).map(ViewFiles)
    }
}

/// The files of the views of a database.
pub(super) struct KeptViews {
    files: ViewFiles,
    /// True as long as the database has shown nothing that speaks against keeping what is found in it.
    is_trusted: Box<dyn Fn() -> bool + Send + Sync>,
}

impl KeptViews {
    pub(super) fn new(
        files: &ViewFiles,
        is_trusted: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Arc<KeptViews> {
        Arc::new(KeptViews {
            files: files.clone(),
            is_trusted: Box::new(is_trusted),
        })
    }

    /// The arrays of a view, if there is a file of the present state of the database.
    pub(super) fn load(&self, sorting: &Sorting) -> Option<Sections<Array>> {
        let what = sorting.what();
        let of = of(sorting, &what);
        let (name, path) = (sorting.entry.name(), self.files.0.path(of));
        let loaded = self.files.0.load(of);
        let (view, path) = (sorting.view.name(), path.display());
        match &loaded {
            Ok(_) => log::debug!("{name}: {view}/ from {path}"),
            Err(why) => log::debug!("{name}: {view}/: {path}: not used: {why}"),
        }
        loaded.ok().filter(|_| (self.is_trusted)())
    }

    /// Writes the arrays of a view to its file, and maps it. `None` if the arrays have to stay in memory.
    pub(super) fn keep(&self, sorting: &Sorting, arrays: &Sections<Array>) -> Option<Sections<Array>> {
        if arrays.bytes() < LEAST_BYTES || !(self.is_trusted)() {
            return None;
        }
        let what = sorting.what();
        let of = of(sorting, &what);
        let kept = self.files.0.replace(of, |file, key| {
            arrays.write(file, key)?;
            match sorting.entry.is_intact() && (self.is_trusted)() {
                true => Ok(()),
                false => Err(io::Error::other("the database was changed while it was sorted")),
            }
        });
        if !(self.is_trusted)() {
            self.remove(sorting);
            return None;
        }
        let (name, path) = (sorting.entry.name(), self.files.0.path(of));
        let (view, path) = (sorting.view.name(), path.display());
        match kept {
            Ok(()) => self.load(sorting),
            Err(error) => {
                log::info!("{name}: {view}/ is not kept in {path}: {error}");
                None
            }
        }
    }

    /// Removes the file of a view.
    pub(super) fn remove(&self, sorting: &Sorting) {
        let what = sorting.what();
        self.files.0.remove(of(sorting, &what));
    }
}

fn of<'a>(sorting: &'a Sorting, what: &'a str) -> Of<'a> {
    Of {
        entry: &sorting.entry,
        what,
    }
}
