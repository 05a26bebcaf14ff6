//! Files that are kept between runs. Losing a file costs only time.
//!
//! [`KeptFiles`] is a folder of them, and [`KINDS`] lists what they contain. All have the same layout, [`Sections`],
//! with a key of everything that determines the contents, see [`SourceFiles`]. [`Space`] limits their total size.
//!
//! The name of a file is `v2-`, a hash of what stays the same when its database changes, and the kind. So the next
//! file of the same database replaces it. Files without `v2-` have an earlier layout.

mod file;
mod files;
mod folder;
mod key;
mod program;
mod scans;
mod sections;
mod space;
mod temporary;

pub use file::{KeptFile, NewKeptFile};
pub use files::KeptFiles;
pub use key::SourceFiles;
pub use program::program_hash;
pub use scans::{WholeFile, write_whole};
pub use sections::{Damaged, Numbers, Output, SectionId, Sections, begin, next_page, seal};
pub use space::Space;
pub use temporary::{NoTemporaryFile, folders, temporary_files};

/// What a kept file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptKind {
    /// Sizes and problems of games.
    Sizes,
    /// What was found while opening a database, such as where the games of a PGN file start.
    Scan,
    /// A view.
    Views,
    /// An index of positions.
    Positions,
    /// `games.parquet`
    Parquet,
    /// `duplicates.csv`
    Duplicates,
    /// The main lines of all games.
    Lines,
}

/// A kind of kept files.
#[derive(Clone, Copy, Debug)]
pub struct KeptRow {
    /// The kind.
    pub kind: KeptKind,
    /// Extension of the files.
    pub extension: &'static str,
    /// The word for a file of this kind in messages.
    pub what: &'static str,
    /// Bytes of a file for each game of its database, roughly; 0 if the size does not depend on the number of games.
    pub bytes_a_game: u64,
}

/// All kinds, in the order of [`KeptKind`].
pub const KINDS: [KeptRow; 7] = [
    row(KeptKind::Sizes, "sizes", "the table of sizes", 2),
    row(KeptKind::Scan, "scan", "the index of the games", 0),
    row(KeptKind::Views, "views", "a view", 8),
    row(KeptKind::Positions, "positions", "the index of positions", 60),
    row(KeptKind::Parquet, "parquet", "games.parquet", 17),
    row(KeptKind::Duplicates, "duplicates", "duplicates.csv", 0),
    row(KeptKind::Lines, "lines", "the file of main lines", 170),
];

const fn row(kind: KeptKind, extension: &'static str, what: &'static str, bytes_a_game: u64) -> KeptRow {
    KeptRow {
        kind,
        extension,
        what,
        bytes_a_game,
    }
}

impl KeptKind {
    fn row(self) -> &'static KeptRow {
        &KINDS[self as usize]
    }
}

#[cfg(test)]
mod tests;
