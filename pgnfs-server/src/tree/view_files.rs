//! Files that keep views from one mount to the next.

use std::io;
use std::sync::Arc;

use super::arrays::Array;
use super::sorting::Sorting;
use chessdb_library::kept::{KeptFile, KeptFiles, KeptKind, Sections};

/// Views with fewer bytes stay in memory: building them again takes no longer than opening a file.
const LEAST_BYTES: usize = 64 << 10;

/// The files of the views of a database.
pub(super) struct KeptViews {
    files: KeptFiles,
    /// False once the database has changed or contradicted itself: then nothing of it is kept.
    is_trusted: Box<dyn Fn() -> bool + Send + Sync>,
}

impl KeptViews {
    pub(super) fn new(
        files: &KeptFiles,
        is_trusted: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Arc<KeptViews> {
        Arc::new(KeptViews {
            files: files.clone(),
            is_trusted: Box::new(is_trusted),
        })
    }

    /// The folder, unless the database has changed or contradicted itself.
    pub(super) fn files(&self) -> Option<&KeptFiles> {
        (self.is_trusted)().then_some(&self.files)
    }

    /// The arrays of a view, if there is a file of the present state of the database.
    pub(super) fn load(&self, sorting: &Sorting) -> Option<Sections<Array>> {
        self.file(sorting).load().filter(|_| (self.is_trusted)())
    }

    /// Writes the arrays of a view to its file, and maps it. `None` if the arrays have to stay in memory.
    pub(super) fn keep(&self, sorting: &Sorting, arrays: &Sections<Array>) -> Option<Sections<Array>> {
        if arrays.bytes() < LEAST_BYTES || !(self.is_trusted)() {
            return None;
        }
        let file = self.file(sorting);
        let kept = file.replace(|file, key| {
            arrays.write(file, key)?;
            if sorting.entry.is_intact() && (self.is_trusted)() {
                Ok(())
            } else {
                Err(io::Error::other("the database was changed while it was sorted"))
            }
        });
        if !(self.is_trusted)() {
            file.remove();
            return None;
        }
        kept.inspect_err(|error| {
            let (name, view) = (sorting.entry.name(), sorting.view.name());
            log::info!(
                "{name}: cannot keep {view}/ in {}: {error}",
                file.path().display()
            );
        })
        .ok()
    }

    /// Removes the file of a view.
    pub(super) fn remove(&self, sorting: &Sorting) {
        self.file(sorting).remove();
    }

    fn file(&self, sorting: &Sorting) -> KeptFile {
        self.files
            .file(KeptKind::Views, &sorting.what(), &[sorting.entry.origin()])
    }
}
