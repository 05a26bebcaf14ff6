//! Tables that are made as a whole, and read from a file from then on: `games.parquet` and `duplicates.csv`.

use std::io::{self, Write};
use std::sync::Arc;

use super::duplicates::write_duplicates;
use super::file::File;
use super::parquet::write_parquet;
use crate::fs::branch::BranchFs;
use crate::fs::failure::Failure;
use crate::fs::table::{WholeTable, WriteError};
use crate::fs::table_sizes::SizedTable;
use crate::fs::types::{Chunk, FsError};
use chessdb_library::kept::{
    Damaged, KeptFile, KeptKind, Numbers, Sections, WholeFile, temporary_files, write_whole,
};
use chessdb_library::made::Wait;
use chessdb_library::making::Making;

/// A table of a branch.
pub(super) struct WholeTableFile<'a> {
    branch: &'a BranchFs,
    table: &'a WholeTable,
    kind: KeptKind,
    sized: SizedTable,
}

impl<'a> WholeTableFile<'a> {
    /// `games.parquet`
    pub(super) fn parquet(branch: &'a BranchFs) -> WholeTableFile<'a> {
        WholeTableFile {
            branch,
            table: &branch.files.parquet,
            kind: KeptKind::Parquet,
            sized: SizedTable::Parquet,
        }
    }

    /// `duplicates.csv`. The main lines of all games must be decoded for it.
    pub(super) fn duplicates(branch: &'a BranchFs) -> WholeTableFile<'a> {
        WholeTableFile {
            branch,
            table: &branch.files.duplicates,
            kind: KeptKind::Duplicates,
            sized: SizedTable::Duplicates,
        }
    }

    /// The table, found among the kept files or made on first use.
    fn bytes(&self) -> Result<Arc<Sections<WholeFile>>, FsError> {
        self.table.bytes.get_or_make((), || self.find_or_make())
    }

    fn find_or_make(&self) -> Result<Arc<Sections<WholeFile>>, FsError> {
        let kept = self.kept().map(Arc::new);
        let found = match kept.as_ref().and_then(|kept| kept.load()) {
            Some(found) => found,
            None => self.make(kept.as_deref())?,
        };
        let len = found.len(WholeFile) as u64;
        if !self.branch.files.sizes.record(self.branch, self.sized, len) {
            kept.inspect(|kept| kept.remove());
            return Err(self.branch.fail(Failure::Tags));
        }
        if let Some(kept) = kept {
            let texts = self.branch.databases().iter().map(|database| database.texts());
            texts.for_each(|texts| texts.remove_on_distrust(&kept));
            *self.table.kept.lock() = Some(kept);
        }
        Ok(Arc::new(found))
    }

    /// Makes the table in its kept file, or else in a file without a name.
    fn make(&self, kept: Option<&KeptFile>) -> Result<Sections<WholeFile>, FsError> {
        let what = if self.kind == KeptKind::Parquet {
            "games.parquet"
        } else {
            "duplicates.csv"
        };
        let _making = Making::begin(what, self.name(), 0);
        if !self.branch.keeps_tables() {
            return self.make_in_memory();
        }
        let made = kept.map(|kept| {
            kept.replace(|file, key| write_whole(file, key, |out| self.write(&mut *out)))
                .map_err(|error| (error, kept))
        });
        match made {
            Some(Ok(made)) => return Ok(made),
            Some(Err((WriteError::Source(error), _))) => return Err(error),
            Some(Err((WriteError::File(error), kept))) => {
                log::info!("{}: not kept: {error}", kept.path().display());
            }
            None => {}
        }
        self.make_without_name().map_err(|error| match error {
            WriteError::Source(error) => error,
            WriteError::File(error) => {
                log::warn!("{}: {error}", self.name());
                self.branch.fail(Failure::NoRoom)
            }
        })
    }

    fn make_without_name(&self) -> Result<Sections<WholeFile>, WriteError> {
        let first = self.branch.databases().first();
        let folders = first.map_or(&[][..], |database| database.options.index_folders);
        let files = temporary_files(folders).map_err(|error| match error {
            Some(no_file) => no_file.error,
            None => io::ErrorKind::NotFound.into(),
        });
        let (_, [mut file]) = files?;
        write_whole(&mut file, &[], |out| self.write(&mut *out))?;
        Ok(Sections::open(file, |_| true).map_err(io::Error::other)?)
    }

    fn make_in_memory(&self) -> Result<Sections<WholeFile>, FsError> {
        let mut out = Vec::new();
        let written = self.write(&mut out);
        written.map_err(|error| match error {
            WriteError::Source(error) => error,
            WriteError::File(_) => FsError::Io(Failure::NoRoom),
        })?;
        let mut sections = Sections::in_memory(Vec::new(), Numbers::default());
        sections.append(WholeFile, out);
        Ok(sections)
    }

    /// Writes the table. A result of files that change meanwhile is an error.
    fn write(&self, out: &mut (impl Write + Send)) -> Result<(), WriteError> {
        if self.kind == KeptKind::Parquet {
            write_parquet(self.branch, out)?;
        } else {
            write_duplicates(self.branch, out)?;
        }
        Ok(self.branch.check(None)?)
    }

    /// The file in which the table is kept, unless a database has changed or contradicted itself.
    fn kept(&self) -> Option<KeptFile> {
        self.branch.kept_file(self.kind, &self.branch.shown_key())
    }

    fn name(&self) -> &str {
        let first = self.branch.databases().first();
        first.map_or("", |database| database.entry().name())
    }

    /// Drops a damaged table, unless another thread has replaced it already.
    fn discard(&self, damaged: &Arc<Sections<WholeFile>>) {
        self.table.bytes.remove(&(), |bytes| {
            let is_same = Arc::ptr_eq(bytes, damaged);
            if is_same {
                log::warn!("{}: a table is damaged: it is made again", self.name());
                if let Some(kept) = self.kept() {
                    kept.remove();
                }
            }
            is_same
        });
    }
}

impl File for WholeTableFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        self.branch.files.sizes.get(self.sized)
    }

    fn size(&self) -> Result<u64, FsError> {
        match self.branch.files.sizes.find(self.branch, self.sized) {
            Some(size) => Ok(size),
            None => self.bytes().map(|bytes| bytes.len(WholeFile) as u64),
        }
    }

    /// A damaged file has to be made again even if the size is known.
    fn wait(&self) -> Wait {
        if self.size_if_known().is_some() {
            Wait::Own
        } else {
            Wait::Common
        }
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let bytes = self.bytes()?;
        part(&bytes, offset, size).or_else(|Damaged| {
            self.discard(&bytes);
            part(&*self.bytes()?, offset, size).map_err(|Damaged| self.branch.fail(Failure::Tags))
        })
    }
}

/// `size` bytes of a table from `offset`, fewer only at its end.
fn part(bytes: &Sections<WholeFile>, offset: u64, size: u32) -> Result<Chunk, Damaged> {
    let len = bytes.len(WholeFile);
    let start = usize::try_from(offset).map_or(len, |offset| offset.min(len));
    let part = bytes
        .get(WholeFile, start, (len - start).min(size as usize))?
        .to_vec();
    if bytes.is_lost() {
        return Err(Damaged);
    }
    Ok(part.into())
}
