//! The sizes of the tables of a branch in a [kept file](chessdb_library::kept), from one mount to the next.
//!
//! The only section has the size of each table in 8 bytes, in the order of [`SizedTable`]; 0 is unknown, since no table is
//! empty. The file is of the kind of those with the sizes of games.

use std::io;
use std::sync::Arc;

use super::branch::BranchFs;
use super::files::SizedTable;
use super::types::{Failure, FsError};
use chessdb_library::kept::{KeptFile, KeptKind, Numbers, Sections, WholeFile};

/// Bytes of a kept file at most: a header, and the section.
const MOST_BYTES: u64 = 1 << 20;

/// The sizes of the tables of a branch. A known size never changes.
impl BranchFs {
    /// The size of a table, if it is known. Reads nothing.
    pub(super) fn known_size(&self, table: SizedTable) -> Option<u64> {
        self.files.sizes.known[table as usize].get().copied()
    }

    /// The size of a table: known, kept, or found by making the table with `make`.
    pub(super) fn size_of(
        &self,
        table: SizedTable,
        make: impl FnOnce() -> Result<u64, FsError>,
    ) -> Result<u64, FsError> {
        self.read_sizes();
        self.known_size(table).map_or_else(make, Ok)
    }

    /// Records the size of a table that was made, and keeps it.
    ///
    /// # Errors
    /// If another size was reported before. The kept sizes are then wrong, and are removed.
    pub(super) fn record_size(&self, table: SizedTable, size: u64) -> Result<(), FsError> {
        let known = &self.files.sizes.known[table as usize];
        let is_new = known.get().is_none();
        if *known.get_or_init(|| size) != size {
            self.kept_sizes().inspect(|file| file.remove());
            return Err(self.fail(Failure::Tags));
        }
        if is_new && self.keeps_tables() {
            self.write_sizes();
        }
        Ok(())
    }

    /// Reads the kept sizes on first use.
    fn read_sizes(&self) {
        let sizes = &self.files.sizes;
        sizes.are_read.get_or_init(|| {
            let Some(file) = self.kept_sizes() else { return };
            let Some(sections) = file.read(MOST_BYTES) else {
                return;
            };
            if sections.len(WholeFile) != 8 * sizes.known.len() {
                return;
            }
            for (place, known) in sizes.known.iter().enumerate() {
                let size = sections.u64(WholeFile, place).unwrap_or(0);
                if size != 0 {
                    known.get_or_init(|| size);
                }
            }
            self.remove_on_distrust(file);
        });
    }

    fn write_sizes(&self) {
        // Read first, so that writing keeps the sizes of other tables.
        self.read_sizes();
        let Some(file) = self.kept_sizes() else { return };
        let known = self.files.sizes.known.iter();
        let sizes = known.map(|known| known.get().copied().unwrap_or(0));
        let mut sections = Sections::in_memory(Vec::new(), Numbers::default());
        sections.append(WholeFile, sizes.flat_map(u64::to_le_bytes).collect());
        let written = file.write(|file, key| -> io::Result<()> { sections.write(file, key) });
        match written {
            Ok(_) => self.remove_on_distrust(file),
            Err(error) => log::info!(
                "cannot keep sizes of tables in {}: {error}",
                file.path().display()
            ),
        }
    }

    /// Registers the file with the sizes to be removed when a database can no longer be trusted.
    fn remove_on_distrust(&self, file: KeptFile) {
        let file = Arc::new(file);
        let texts = self.databases().iter().map(|database| database.texts());
        texts.for_each(|texts| texts.remove_on_distrust(&file));
        *self.files.sizes.kept.lock() = Some(file);
    }
}

/// Tables of fewer games are not kept: making them again takes no longer than opening a file.
pub(super) const FEWEST_GAMES: usize = 1000;

/// Kept files of the tables of a branch.
impl BranchFs {
    /// The kept file of this kind for its databases and their games that are shown. `None` for a search, and if a
    /// database has changed or contradicted itself.
    pub(super) fn kept_file(&self, kind: KeptKind, what: &str) -> Option<KeptFile> {
        let databases = self.databases();
        let is_trusted = databases.iter().all(|database| database.texts().is_trusted());
        let is_kept = is_trusted && !self.game_set().is_search();
        let files = databases.first()?.kept().filter(|_| is_kept)?;
        let origins: Vec<_> = databases
            .iter()
            .map(|database| database.served_entry().origin())
            .collect();
        Some(files.file(kind, what, &origins))
    }

    /// The file with the sizes of its tables. The overview of a database has its title, spellings of names, and what its
    /// view `eco/` has.
    fn kept_sizes(&self) -> Option<KeptFile> {
        let spelling = self.game_set().spelling().key();
        let eco = self.game_set().has_eco_by_moves();
        let (name, title) = self.title();
        let what = format!("tables\n{}\n{name}\n{title}\n{spelling}\n{eco}", self.shown_key());
        self.kept_file(KeptKind::Sizes, &what)
    }

    /// True if its tables are worth keeping. On first use, counts its games.
    pub(super) fn keeps_tables(&self) -> bool {
        let parts = self.parts();
        parts.iter().map(|part| part.games.len()).sum::<usize>() >= FEWEST_GAMES
    }
}
