//! The sizes of the tables of a branch in a [kept file](chessdb_library::kept), from one mount to the next.
//!
//! The only section has the size of each table in 8 bytes, in the order of [`SizedTable`]; 0 is unknown, since no table is
//! empty. The file is of the kind of those with the sizes of games.

use std::io;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::branch::BranchFs;
use chessdb_library::kept::{KeptFile, KeptKind, Numbers, SectionId, Sections};

/// A table whose size is kept.
#[derive(Clone, Copy, Debug)]
pub(super) enum SizedTable {
    Csv,
    Ndjson,
    Parquet,
    Duplicates,
    Overview,
}

/// Number of [`SizedTable`]s.
const TABLES: usize = SizedTable::Overview as usize + 1;

/// Bytes of a kept file at most: a header, and the section.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct AllSizes;

impl SectionId for AllSizes {
    fn place(self) -> usize {
        0
    }

    fn are_valid(numbers: &Numbers) -> bool {
        numbers.sections[0].1 == 8 * TABLES as u64
    }
}

/// The sizes of the tables of a branch. A known size never changes.
pub(super) struct TableSizes {
    known: [OnceLock<u64>; TABLES],
    is_read: OnceLock<()>,
    /// Their kept file, which a database removes when it can no longer be trusted.
    file: Mutex<Option<Arc<KeptFile>>>,
}

impl TableSizes {
    pub(super) fn new() -> TableSizes {
        TableSizes {
            known: [const { OnceLock::new() }; TABLES],
            is_read: OnceLock::new(),
            file: Mutex::default(),
        }
    }

    /// The size of a table, if it is known. Reads nothing.
    pub(super) fn get(&self, table: SizedTable) -> Option<u64> {
        self.known.get(table as usize)?.get().copied()
    }

    /// The size of a table, if it is known or kept.
    pub(super) fn find(&self, branch: &BranchFs, table: SizedTable) -> Option<u64> {
        self.is_read.get_or_init(|| self.read(branch));
        self.get(table)
    }

    /// Records the size of a table that was made, and keeps it. False if another size was reported before. The kept
    /// sizes are then wrong, and are removed.
    pub(super) fn record(&self, branch: &BranchFs, table: SizedTable, size: u64) -> bool {
        let Some(known) = self.known.get(table as usize) else {
            return false;
        };
        let is_new = known.get().is_none();
        if *known.get_or_init(|| size) != size {
            branch.kept_sizes().inspect(|file| file.remove());
            return false;
        }
        if is_new && branch.keeps_tables() {
            self.write(branch);
        }
        true
    }

    fn read(&self, branch: &BranchFs) {
        let Some(file) = branch.kept_sizes() else { return };
        let Some(sections) = file.read::<AllSizes>(MOST_BYTES) else {
            return;
        };
        for (place, known) in self.known.iter().enumerate() {
            let size = sections.u64(AllSizes, place).unwrap_or(0);
            if size != 0 {
                known.get_or_init(|| size);
            }
        }
        self.hold(branch, file);
    }

    fn write(&self, branch: &BranchFs) {
        // Read first, so that writing keeps the sizes of other tables.
        self.is_read.get_or_init(|| self.read(branch));
        let Some(file) = branch.kept_sizes() else { return };
        let sizes = self.known.iter().map(|known| known.get().copied().unwrap_or(0));
        let mut sections = Sections::in_memory(Vec::new(), Numbers::default());
        sections.append(AllSizes, sizes.flat_map(u64::to_le_bytes).collect());
        let written = file.write(|file, key| -> io::Result<()> { sections.write(file, key) });
        match written {
            Ok(_) => self.hold(branch, file),
            Err(error) => log::info!(
                "cannot keep sizes of tables in {}: {error}",
                file.path().display()
            ),
        }
    }

    /// Registers the file to be removed when a database can no longer be trusted.
    fn hold(&self, branch: &BranchFs, file: KeptFile) {
        let file = Arc::new(file);
        let texts = branch.databases().iter().map(|database| database.texts());
        texts.for_each(|texts| texts.remove_on_distrust(&file));
        *self.file.lock() = Some(file);
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
