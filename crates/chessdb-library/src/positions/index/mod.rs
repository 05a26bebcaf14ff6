//! An index of all positions of a database. It consists of the games in the order of their moves, where each node of
//! the opening tree is a range; the positions that several games have; and, for all other positions, signatures that
//! exclude nearly all games.

mod among;
mod build;
mod files;
mod keys;
mod leb;
mod lines;
mod lookup;
mod moves;
mod narrow;
mod novelty;
mod order;
mod popular;
mod shared;
mod signature;
mod spill;
mod tree;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

use among::{MOST_KEPT, Places};
use lines::LongLines;
use order::LineReading;
use shared::IndexSections;
use signature::FirstPawns;

use super::selection::Selection;
use crate::kept::{Output, folders, seal, temporary_files};
use crate::once_lru::OnceLru;
use chessdb::Database;
use chessdb::board::{Move, Position};
use rustc_hash::FxHashMap;

pub use crate::kept::Damaged;
pub use files::IndexUse;
pub use novelty::{Novelty, novelties_csv};
pub use popular::PopularPosition;
pub use tree::TreeNode;

/// Reason why an index could not be built.
#[derive(Debug)]
#[non_exhaustive]
pub enum IndexError {
    /// A file of the index cannot be written or read.
    Io(io::Error),
    /// Building needs more memory than allowed, and no folder is set for temporary files.
    Memory,
    /// A temporary file in this folder cannot be written or read.
    Temporary(PathBuf, io::Error),
    /// Data read back from a file of the index differed from the data written.
    Damaged,
    /// A file of the database was changed while the index was built.
    Changed,
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Io(error) => write!(f, "the index of positions cannot be written: {error}"),
            IndexError::Memory => f.write_str(
                "the index of positions needs a folder for its files, or more memory: set cache-dir or index-memory",
            ),
            IndexError::Temporary(folder, error) => write!(
                f,
                "the index of positions cannot be written to {}: {error}: set cache-dir, or TMPDIR, to a folder with \
                 room for 1.3 KB a game",
                folder.display()
            ),
            IndexError::Damaged => Damaged.fmt(f),
            IndexError::Changed => f.write_str("a file was changed while the index of positions was built: try again"),
        }
    }
}

impl std::error::Error for IndexError {}

impl From<io::Error> for IndexError {
    fn from(error: io::Error) -> IndexError {
        IndexError::Io(error)
    }
}

impl From<Damaged> for IndexError {
    fn from(_: Damaged) -> IndexError {
        IndexError::Damaged
    }
}

/// Options for building an index.
#[derive(Clone, Copy, Debug)]
pub struct BuildOptions {
    /// Number of threads.
    pub threads: usize,
    /// Approximate number of bytes of memory to use.
    pub memory: usize,
    /// Folders for the files of an index that is not kept. The first one that allows creating a file is used.
    pub folders: &'static [PathBuf],
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: 512 << 20,
            folders: folders(),
        }
    }
}

impl BuildOptions {
    /// Why an index of `games` games that is not kept cannot be built, if that shows before it is tried.
    pub fn obstacle(&self, games: u32) -> Option<IndexError> {
        if build::fits(games, self.memory) {
            None
        } else {
            files_without_names(self.folders).err()
        }
    }
}

/// Positions and the moves played in them, by the game and the number of moves before; `None` where a game has fewer.
type PositionsAhead = FxHashMap<(u32, u32), Option<(Position, Option<Move>)>>;

/// The index of a database. Queries decode games of the database to verify matches.
pub struct Index {
    sections: Arc<IndexSections>,
    database: Arc<dyn Database>,
    lines: Arc<LongLines>,
    /// Positions that were [read ahead](Index::read_ahead), by the game and the number of moves before them.
    ahead: PositionsAhead,
    /// The games that answers are about; `None` for all.
    among: Option<Arc<Selection>>,
    /// Their places.
    places: Places,
    /// The places of the selections that were used last, by their addresses.
    known_places: Arc<OnceLru<usize, (Weak<Selection>, Places)>>,
    /// The pawns that left first, in rows of games. Computed by the first search that uses signatures.
    first_pawns: Arc<OnceLock<Box<[FirstPawns]>>>,
}

impl Index {
    fn of(sections: IndexSections, database: &Arc<dyn Database>) -> Index {
        Index {
            sections: Arc::new(sections),
            database: Arc::clone(database),
            lines: Arc::new(LongLines::new()),
            ahead: FxHashMap::default(),
            among: None,
            places: None,
            known_places: Arc::new(OnceLru::new(MOST_KEPT)),
            first_pawns: Arc::default(),
        }
    }

    /// Reads some positions, by the game and the number of moves before them, in the order in which games are stored, and
    /// keeps them until this is called again.
    fn read_ahead(&mut self, mut asked: Vec<(u32, u32)>) {
        asked.sort_unstable();
        asked.dedup();
        let read = asked
            .into_iter()
            .map(|(game, ply)| ((game, ply), self.lines.at(&*self.database, game, ply)));
        self.ahead = read.collect();
    }

    /// Builds an index in memory, of about 60 bytes a game. `done` is called with numbers of games that have
    /// been read.
    ///
    /// # Errors
    /// [`IndexError::Memory`] if `options` allow too little memory.
    pub fn in_memory(
        database: &Arc<dyn Database>,
        options: BuildOptions,
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<Index, IndexError> {
        let mut out = Output::Memory(Vec::new());
        let reading = LineReading {
            database,
            threads: options.threads,
            done,
        };
        let numbers = build::build(&reading, options.memory, &[], &mut out, None)?;
        match out {
            Output::Memory(bytes) => Ok(Index::of(IndexSections::in_memory(bytes, numbers), database)),
            Output::File(_) => Err(IndexError::Damaged),
        }
    }

    /// Builds an index that is not kept: in memory if that is large enough, otherwise in files without names. `done` is
    /// called with numbers of games that have been read.
    ///
    /// # Errors
    /// [`IndexError::Memory`] or [`IndexError::Temporary`] if there is no space for it.
    pub fn temporary(
        database: &Arc<dyn Database>,
        options: BuildOptions,
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<Index, IndexError> {
        match Index::in_memory(database, options, done) {
            Err(IndexError::Memory) => {}
            built => return built,
        }
        let (folder, [file, nodes]) = files_without_names(options.folders)?;
        let built = Index::in_file(database, options, &[], &file, nodes, done);
        let opened =
            built.and_then(|()| IndexSections::open(file, |_| true).map_err(|_| IndexError::Damaged));
        let sections = opened.map_err(|error| match error {
            IndexError::Io(error) => IndexError::Temporary(folder.to_owned(), error),
            error => error,
        })?;
        Ok(Index::of(sections, database))
    }

    /// Builds an index in an empty file, with a second file for temporary data. `key` contains everything
    /// that the index depends on.
    ///
    /// # Errors
    /// If reading or writing the files fails.
    fn in_file(
        database: &Arc<dyn Database>,
        options: BuildOptions,
        key: &[u8],
        file: &File,
        temporary: File,
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<(), IndexError> {
        let mut out = Output::File(file.try_clone()?);
        let reading = LineReading {
            database,
            threads: options.threads,
            done,
        };
        let numbers = build::build(&reading, options.memory, key, &mut out, Some(temporary))?;
        Ok(seal(file, &numbers, key)?)
    }
}

/// Two files without names, and their folder.
fn files_without_names(folders: &'static [PathBuf]) -> Result<(&'static Path, [File; 2]), IndexError> {
    temporary_files(folders).map_err(|error| match error {
        Some(no_file) => IndexError::Temporary(no_file.folder.to_owned(), no_file.error),
        None => IndexError::Memory,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_its_words() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        for error in [
            IndexError::Io(full()),
            IndexError::Memory,
            IndexError::Temporary("/tmp".into(), full()),
            IndexError::Damaged,
            IndexError::Changed,
        ] {
            let words = match &error {
                IndexError::Io(_) => "the index of positions cannot be written: no storage space",
                IndexError::Memory => "or more memory: set cache-dir or index-memory",
                IndexError::Temporary(..) => {
                    "to /tmp: no storage space: set cache-dir, or TMPDIR, to a folder with room for 1.3 KB a game"
                }
                IndexError::Damaged => "a file in the cache folder is damaged",
                IndexError::Changed => "a file was changed while the index of positions was built: try again",
            };
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
