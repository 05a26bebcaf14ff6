//! The native part of the Python package `chessdb`.
//!
//! The crate makes the decoders, guarded maps and the search for databases of `pgnfs` available to Python. It
//! never holds the GIL while it decodes, and it checks that the files are unchanged after it has decoded, and
//! before a result is returned to Python.

mod ahead;
mod arguments;
mod batches;
mod blocks;
mod book;
mod database;
mod detached_work;
mod duplicates;
mod errors;
mod found;
mod game;
mod games;
mod index;
mod indices;
mod library;
mod lists;
mod names;
mod novelty;
mod open;
mod opening;
mod output;
mod parts;
mod pickled;
mod position;
mod progress;
mod rows;
mod search;
mod shared;
mod source;
mod table;
mod tokens;

use pyo3::prelude::*;

/// The native part of the package.
#[pymodule]
mod _chessdb {
    #[pymodule_export]
    use crate::batches::{GameIterator, HeadersIterator, PgnIterator};
    #[pymodule_export]
    use crate::database::Database;
    #[pymodule_export]
    use crate::duplicates::Duplicate;
    #[pymodule_export]
    use crate::found::{Found, FoundGames};
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::games::Games;
    #[pymodule_export]
    use crate::library::Library;
    #[pymodule_export]
    use crate::lists::{_duplicates_stream, _moves_stream, _novelties_stream};
    #[pymodule_export]
    use crate::novelty::Novelty;
    #[pymodule_export]
    use crate::open::open;
    #[pymodule_export]
    use crate::parts::{Folder, Member, Problem};
    #[pymodule_export]
    use crate::pickled::{_duplicate, _found, _found_games, _games, _novelty, _played_move, _position};
    #[pymodule_export]
    use crate::position::Position;
    #[pymodule_export]
    use crate::search::PlayedMove;
    #[pymodule_export]
    use crate::table::Table;

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
