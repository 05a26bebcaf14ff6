//! Opens a database, or an archive with several.

use super::ChessBase2Cbh;
use super::archive;
use crate::database::{NamedDatabase, Opened, Options};
use crate::files::Files;

/// Opens a database, or an archive.
pub(super) fn open(files: Files, options: &Options) -> Opened {
    match files.get(archive::KIND) {
        Some(file) => archive::unpack(file)?.open::<ChessBase2Cbh>(&files, options),
        None => Ok(NamedDatabase::only(ChessBase2Cbh::open(files, options)?)),
    }
}
