//! A raw file inside a database.

use super::file::File;
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::types::{Chunk, FsError};
use chessdb_library::made::Wait;

/// A member of a database.
pub(super) struct RawFile<'a> {
    database: &'a DatabaseFs,
    member: u32,
    size: u64,
}

impl RawFile<'_> {
    pub(super) fn new(database: &DatabaseFs, member: u32, size: u64) -> RawFile<'_> {
        RawFile {
            database,
            member,
            size,
        }
    }
}

impl File for RawFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        Some(self.size)
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.size)
    }

    fn wait(&self) -> Wait {
        Wait::None
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (entry, member) = (self.database.entry(), self.member);
        let wanted = self.size.saturating_sub(offset).min(u64::from(size));
        let mut bytes =
            vec![0; usize::try_from(wanted).map_err(|_| FsError::Io(Failure::Member(member, offset)))?];
        let mut filled = 0;
        while filled < bytes.len() {
            let rest = bytes.get_mut(filled..).unwrap_or_default();
            let at = offset + filled as u64;
            let read = entry.database.as_files().read_member(member as usize, at, rest);
            match read {
                Ok(more) if more > 0 => filled += more,
                end => {
                    log::debug!("{}: file {member} in it: {end:?}", entry.name());
                    return Err(self.database.texts().fail(Failure::Member(member, at)));
                }
            }
        }
        self.database.texts().check()?;
        Ok(bytes.into())
    }
}
