//! The kept lines of a database.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use chessdb::Database;

use super::packed::{LineSource, PackedLine};
use super::store::{self, LinesSection};
use super::write::{LineWriter, PackedGames};
use crate::kept::{KeptFile, KeptFiles, KeptKind, Sections};
use crate::library::LibraryEntry;
use crate::parallel::chunks;
use crate::task::{self, Underway};

/// The main lines of all games of a database, in a file that the first search of all games writes.
pub struct KeptLines {
    entry: LibraryEntry,
    /// Where they are kept.
    files: OnceLock<KeptFiles>,
    /// The file, once it was found or written.
    sections: OnceLock<Sections<LinesSection>>,
    was_looked_for: AtomicBool,
    /// A thread is writing it.
    is_being_written: AtomicBool,
    /// This process has given it its name.
    was_written: AtomicBool,
    /// It was damaged, or could not be written: then all lines are read from the database. The next process makes it again.
    is_given_up: AtomicBool,
}

impl KeptLines {
    /// The lines of a database, without a folder to keep them in.
    pub(crate) fn new(entry: &LibraryEntry) -> KeptLines {
        KeptLines {
            entry: entry.clone(),
            files: OnceLock::new(),
            sections: OnceLock::new(),
            was_looked_for: AtomicBool::new(false),
            is_being_written: AtomicBool::new(false),
            was_written: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
        }
    }

    /// Sets the folder in which the lines are kept.
    pub(crate) fn keep_in(&self, files: &KeptFiles) {
        self.files.get_or_init(|| files.clone());
    }

    fn file(&self) -> Option<KeptFile> {
        let files = self.files.get()?;
        Some(files.file(KeptKind::Lines, "", &[self.entry.origin()]))
    }

    /// True if lines can be read from a kept file. The first call opens it, if there is one.
    pub fn are_kept(&self) -> bool {
        self.sections().is_some()
    }

    /// True if the kept file is open already. Unlike [`are_kept`](KeptLines::are_kept), does not try to open it.
    pub fn are_open(&self) -> bool {
        self.sections.get().is_some() && !self.is_given_up.load(Ordering::Relaxed)
    }

    fn sections(&self) -> Option<&Sections<LinesSection>> {
        if self.is_given_up.load(Ordering::Relaxed) {
            return None;
        }
        let sections = self.sections.get();
        if sections.is_some() || self.was_looked_for.load(Ordering::Acquire) {
            return sections;
        }
        // Two threads may open the file at the same time. The second result is dropped, so this needs no lock.
        let found = self.file()?.load();
        let is_of_all = |found: &Sections<LinesSection>| store::games(found) == self.entry.database.len();
        if let Some(found) = found.filter(is_of_all) {
            let _ = self.sections.set(found);
        }
        self.was_looked_for.store(true, Ordering::Release);
        self.sections.get()
    }

    /// Writes the kept file, unless there is one already or none is allowed. `done` is called with numbers of games
    /// that have been read.
    pub fn make(&self, threads: usize, done: &(dyn Fn(u64) + Sync)) {
        let database = &*self.entry.database;
        self.write_while(|new| {
            if let Some(new) = new {
                chunks(database.len(), threads, done, |games| {
                    new.add(&PackedGames::of(database, games));
                });
            }
        });
    }

    /// Calls `write`, which reads all games anyway and adds their lines to the file that is then kept. Passes `None` if
    /// there is a kept file already, or no folder for one.
    pub(crate) fn write_while<T>(&self, write: impl FnOnce(Option<&LineWriter>) -> T) -> T {
        let is_wanted = !self.is_given_up.load(Ordering::Relaxed) && !self.are_kept();
        let file = self.file().filter(|_| is_wanted && self.may_be_kept());
        let Some(file) = file.filter(|_| !self.is_being_written.swap(true, Ordering::AcqRel)) else {
            return write(None);
        };
        let _writing = Underway::new(&self.is_being_written);
        // Another thread may have finished the file since `are_kept` was called.
        if self.are_open() {
            return write(None);
        }
        let games = self.entry.database.len();
        let new = match file.begin() {
            Ok(new) => LineWriter::new(new, games),
            Err(error) => {
                self.give_up(&error);
                return write(None);
            }
        };
        let result = write(Some(&new));
        if !self.entry.is_intact() || self.is_given_up.load(Ordering::Relaxed) {
            return result;
        }
        match new.finish() {
            Ok(None) => {}
            Ok(Some(file)) => match Sections::open(file, |_| true) {
                Ok(sections) => {
                    let _ = self.sections.set(sections);
                    self.was_written.store(true, Ordering::Relaxed);
                    // If the lines were forgotten while the file had no name, it is still there.
                    if self.is_given_up.load(Ordering::Relaxed) {
                        self.remove_file();
                    }
                }
                Err(error) => self.give_up(&error),
            },
            Err(error) => self.give_up(&error),
        }
        result
    }

    /// Keeps no lines in this process, for example because the disk is full.
    fn give_up(&self, why: &dyn std::fmt::Display) {
        log::info!(
            "{}: the lines of its games are not kept: {why}",
            self.entry.name()
        );
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    /// True if this process has written them.
    pub fn were_written(&self) -> bool {
        self.was_written.load(Ordering::Relaxed)
    }

    /// False if the file would be larger than allowed.
    fn may_be_kept(&self) -> bool {
        let games = self.entry.database.len().into();
        let refusal = |files: &KeptFiles| files.refusal(KeptKind::Lines, self.entry.name(), 1, games);
        self.files.get().and_then(refusal).is_none()
    }

    /// Removes the file, and uses and makes none from now on.
    pub(crate) fn forget(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
        self.remove_file();
    }

    fn remove_file(&self) {
        self.file().inspect(KeptFile::remove);
    }
}

impl LineSource for KeptLines {
    fn read(&self, game: u32, line: &mut PackedLine) -> bool {
        let Some(sections) = self.sections() else {
            return false;
        };
        if game >= store::games(sections) {
            return false;
        }
        match store::read(sections, game, line) {
            Ok(is_read) => {
                task::report_progress();
                is_read
            }
            Err(damaged) => {
                log::info!("{}: {damaged}", self.entry.name());
                self.forget();
                false
            }
        }
    }
}

impl LibraryEntry {
    /// The same database, whose main lines are read from the kept ones.
    pub(crate) fn with_lines(&self, lines: &Arc<KeptLines>) -> LibraryEntry {
        LibraryEntry {
            database: self.database.with_lines(Arc::<KeptLines>::clone(lines)),
            ..self.clone()
        }
    }
}
