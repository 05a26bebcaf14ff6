//! An index of all positions of a database. It consists of the games in the order of their moves, where each
//! node of the opening tree is a range; the positions that several games have; and, for other positions,
//! signatures that tell which few games may have one.

mod build;
mod code;
mod files;
mod key;
mod leb;
mod lines;
mod lookup;
mod moves;
mod novelty;
mod order;
mod popular;
mod sections;
mod shared;
mod signature;
mod spill;
mod tree;
mod walk;

use std::fmt;
use std::fs::File;
use std::io;
use std::sync::Arc;

use build::Builder;
use lines::Lines;
use sections::{Section, Sections};

use crate::sections::{Output, seal};
use chessdb::formats::Database;

pub use crate::sections::Damaged;
pub use files::{IndexFiles, IndexUse, MOST_BYTES};
pub use novelty::{Novelty, novelties_csv};
pub use tree::{Child, TreeNode};

/// Reason why an index could not be built.
#[derive(Debug)]
#[non_exhaustive]
pub enum IndexError {
    /// A file of the index cannot be written or read.
    Io(io::Error),
    /// Building needs more memory than allowed, and there is no folder for temporary files.
    Memory,
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
    /// Number of threads that decode.
    pub threads: usize,
    /// Approximate number of bytes of memory to use.
    pub memory: usize,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: 512 << 20,
        }
    }
}

/// The index of a database. Queries decode games of the database to verify matches.
pub struct Index {
    sections: Sections,
    database: Arc<dyn Database>,
    lines: Lines,
}

impl Index {
    fn of(sections: Sections, database: &Arc<dyn Database>) -> Index {
        Index {
            sections,
            database: Arc::clone(database),
            lines: Lines::new(),
        }
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
        let numbers = builder(database, options, &[], done).build(&mut out, None)?;
        match out {
            Output::Memory(bytes) => Ok(Index::of(Sections::in_memory(bytes, numbers), database)),
            Output::File(_) => Err(IndexError::Damaged),
        }
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
        let numbers = builder(database, options, key, done).build(&mut out, Some(temporary))?;
        Ok(seal::<Section>(file, &numbers, key)?)
    }
}

fn builder<'a>(
    database: &'a Arc<dyn Database>,
    options: BuildOptions,
    key: &'a [u8],
    done: &'a (dyn Fn(u64) + Sync),
) -> Builder<'a> {
    Builder {
        database,
        threads: options.threads,
        memory: options.memory,
        key,
        done,
    }
}
