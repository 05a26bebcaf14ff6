//! Opens a database, or an archive with several (section 12.3).

use super::ChessBaseCbh;
use super::archive;
use crate::database::{NamedDatabase, Opened, Options};
use crate::files::Files;

/// Opens a database, or an archive.
pub(super) fn open(files: Files, options: &Options) -> Opened {
    match archive::unpack(&files, &options.passwords)? {
        Some(contents) => contents.open::<ChessBaseCbh>(&files, options),
        None => Ok(NamedDatabase::only(ChessBaseCbh::open(files, options)?)),
    }
}
