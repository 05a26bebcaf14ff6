//! Tables that are made as a whole, and read from a file from then on: `games.parquet` and `duplicates.csv`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::io::Write;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::file::File;
use super::file_cache::{SizedTable, WholeTable};
use crate::fs::branch::BranchFs;
use crate::fs::part::PartFs;
use crate::fs::table::{WriteError, tags_of_all};
use crate::fs::types::{Chunk, Failure, FsError};
use crate::tree::GameSet;
use chessdb::game::Tags;
use chessdb_library::duplicates::{Duplicates, Reason};
use chessdb_library::kept::{
    Damaged, KeptFile, KeptKind, Numbers, Sections, WholeFile, temporary_files, write_whole,
};
use chessdb_library::made::Wait;
use chessdb_library::making::Making;
use chessdb_library::parallel::in_order;
use chessdb_library::table::{Columns, DuplicateRow, GameRow, TableForm, TableRow};

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

    /// `duplicates.csv`. Making it decodes the main lines of all games.
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
        if let Err(error) = self.branch.record_size(self.sized, len) {
            kept.inspect(|kept| kept.remove());
            return Err(error);
        }
        if let Some(kept) = kept {
            let texts = self.branch.databases().iter().map(|database| database.texts());
            texts.for_each(|texts| texts.remove_on_distrust(&kept));
            *self.table.kept.lock() = Some(kept);
        }
        Ok(Arc::new(found))
    }

    /// Makes the table in its kept file, or otherwise in a file without a name.
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
                log::info!("cannot keep a table in {}: {error}", kept.path().display());
            }
            None => {}
        }
        self.make_without_name().map_err(|error| match error {
            WriteError::Source(error) => error,
            WriteError::File(error) => {
                log::warn!("{}: cannot write a table: {error}", self.name());
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

    /// Writes the table. If files change meanwhile, the result is an error.
    fn write(&self, out: &mut (impl Write + Send)) -> Result<(), WriteError> {
        if self.kind == KeptKind::Parquet {
            write_parquet(self.branch, out)?;
        } else {
            write_duplicates(self.branch, out)?;
        }
        Ok(self.branch.check(None)?)
    }

    /// The kept file of the table; `None` if a database has changed or contradicted itself.
    fn kept(&self) -> Option<KeptFile> {
        self.branch.kept_file(self.kind, &self.branch.shown_key())
    }

    fn name(&self) -> &str {
        let first = self.branch.databases().first();
        first.map_or("", |database| database.served_entry().name())
    }

    /// Drops a damaged table, unless another thread has replaced it already.
    fn discard(&self, damaged: &Arc<Sections<WholeFile>>) {
        self.table.bytes.remove(&(), |bytes| {
            let is_same = Arc::ptr_eq(bytes, damaged);
            if is_same {
                log::warn!("{}: a kept table is damaged: it is made again", self.name());
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
        self.branch.known_size(self.sized)
    }

    fn size(&self) -> Result<u64, FsError> {
        let make = || self.bytes().map(|bytes| bytes.len(WholeFile) as u64);
        self.branch.size_of(self.sized, make)
    }

    /// A damaged file has to be made again even if the size is known.
    fn wait_to_read(&self) -> Wait {
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

/// Rows that are made together.
const PIECE: usize = 64;

/// Approximate number of bytes of tags that are read ahead.
const AHEAD: usize = 8 << 20;

/// Writes the table. On first use, searches for duplicates.
///
/// # Errors
/// If writing fails.
pub(super) fn write_duplicates(branch: &BranchFs, out: &mut impl Write) -> io::Result<()> {
    let found = FoundDuplicates {
        duplicates: branch.game_set().duplicates(),
        parts: &branch.parts(),
        branch: branch.game_set(),
    };
    let pieces = found.duplicates.len().div_ceil(PIECE).max(1);
    let rows = |pieces: Range<u32>| {
        let tags = found.tags_of(pieces.clone().flat_map(rows_of));
        let mut rows = Vec::new();
        pieces.for_each(|piece| found.append_piece(&mut rows, piece, &tags));
        rows
    };
    let mut written = Ok(());
    let _ = in_order(pieces as u32, branch.threads(), rows, |rows| {
        written = out.write_all(&rows);
        if written.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    written
}

/// Duplicates, and the databases that their games belong to.
struct FoundDuplicates<'a> {
    duplicates: &'a Duplicates,
    parts: &'a [PartFs<'a>],
    branch: &'a GameSet,
}

impl FoundDuplicates<'_> {
    /// Appends the rows of a piece. `ahead` are tags of some of their games.
    fn append_piece(&self, out: &mut Vec<u8>, piece: u32, ahead: &BTreeMap<u32, Tags>) {
        let has_database = self.parts.iter().any(|part| part.path.is_some());
        if piece == 0 {
            out.extend_from_slice(DuplicateRow::header(has_database).as_bytes());
        }
        let tags = |game| match ahead.get(&game) {
            Some(tags) => Cow::Borrowed(tags),
            None => Cow::Owned(self.tags(game)),
        };
        let mut best_tags: Option<(u32, Cow<'_, Tags>)> = None;
        for n in rows_of(piece) {
            let Some((group, best, duplicate)) = self.duplicates.get(n) else {
                return;
            };
            if best_tags.as_ref().is_none_or(|&(game, _)| game != best.game) {
                best_tags = Some((best.game, tags(best.game)));
            }
            let own_tags = (duplicate.game != best.game).then(|| tags(duplicate.game));
            let (place, game) = self.branch.place_of(duplicate.game);
            let (Some(part), Some((_, best_tags))) = (self.parts.get(place), &best_tags) else {
                return;
            };
            let row = DuplicateRow {
                place: part.path_of(game),
                group: group as u32,
                plies: duplicate.plies,
                annotations: duplicate.annotations,
                tags: own_tags.as_deref().unwrap_or(best_tags),
                best: own_tags.as_ref().map(|_| &**best_tags),
                reason: duplicate.reason.map_or("", Reason::name),
            };
            row.append(out, has_database);
        }
    }

    /// The tags of the games of some rows, up to [`AHEAD`] bytes.
    fn tags_of(&self, rows: impl Iterator<Item = usize>) -> BTreeMap<u32, Tags> {
        let rows = rows.filter_map(|n| self.duplicates.get(n));
        let games = rows.flat_map(|(_, best, duplicate)| [best.game, duplicate.game]);
        read_ahead(games.collect(), AHEAD, |game| self.tags(game))
    }

    fn tags(&self, game: u32) -> Tags {
        let (place, game) = self.branch.place_of(game);
        let part = self.parts.get(place);
        part.map_or(Tags::default(), |part| {
            part.database.served_entry().database.tags(game)
        })
    }
}

/// The rows of a piece.
fn rows_of(piece: u32) -> Range<usize> {
    let first = piece as usize * PIECE;
    first..first + PIECE
}

/// Reads the tags of games until they have about `most` bytes, in the order in which the games are stored: in any
/// other order, a compressed file might unpack everything in front of each game.
fn read_ahead(games: BTreeSet<u32>, most: usize, read: impl Fn(u32) -> Tags) -> BTreeMap<u32, Tags> {
    let mut bytes = 0;
    let next = |game| {
        (bytes < most).then(|| {
            let tags = read(game);
            bytes += tags
                .iter()
                .map(|(name, value)| name.len() + value.len())
                .sum::<usize>();
            (game, tags)
        })
    };
    games.into_iter().map_while(next).collect()
}

/// Writes the table of all games of a branch, as `pgnfs export` does.
///
/// # Errors
/// If a database has changed, or writing fails.
pub(super) fn write_parquet(branch: &BranchFs, out: &mut (impl Write + Send)) -> Result<(), WriteError> {
    let parts = branch.named_parts();
    let tables = branch.tables_of(&parts)?;
    let others = tags_of_all(tables.into_iter());
    let lens: Vec<u32> = parts.iter().map(|part| part.games.len() as u32).collect();
    let games = lens.iter().map(|&len| u64::from(len)).sum();
    let columns = Columns::typed(&others, games, parts.iter().any(|part| part.path.is_some()));
    let rows = |part: usize, numbers: Range<u32>, each: &mut dyn FnMut(&dyn TableRow)| {
        let Some(part) = parts.get(part) else { return };
        for game in numbers.filter_map(|n| part.games.get(n as usize)) {
            each(&GameRow::new(part.database.served_entry(), part.path_of(game)).with_names(part.names));
        }
    };
    Ok(columns.write(out, TableForm::Parquet, &lens, branch.threads(), rows, |_| ())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn tags_are_read_in_the_order_of_games_up_to_a_limit() {
        let read = RefCell::new(Vec::new());
        let tags = |game: u32| {
            read.borrow_mut().push(game);
            let mut tags = Tags::default();
            tags.set("White", game.to_string());
            tags
        };
        let games = || BTreeSet::from([70, 10, 90, 30, 10, 50]);
        let all = read_ahead(games(), usize::MAX, tags);
        assert_eq!(read.take(), [10, 30, 50, 70, 90]);
        assert_eq!(all.get(&90).and_then(|tags| tags.get("White")), Some("90"));
        let one: usize = tags(10)
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum();
        read.take();
        assert_eq!(read_ahead(games(), 2 * one + 1, tags).len(), 3);
        assert_eq!(read.take(), [10, 30, 50]);
    }
}
