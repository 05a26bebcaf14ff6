//! Opening a database, or an archive, which may contain several.

use super::ChessBase2Cbh;
use super::archive;
use crate::formats::{Files, Opened, Options, Part};

/// Opens a database, or an archive.
pub(super) fn open(files: Files, options: &Options) -> Opened {
    match files.get(archive::KIND) {
        Some(file) => archive::unpack(file)?.open::<ChessBase2Cbh>(&files, options),
        None => Ok(Part::only(ChessBase2Cbh::open(files, options)?)),
    }
}
