//! `games.parquet`: groups of rows, which are made anew for each read unless they are cached.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use lru::LruCache;
use parquet::errors::ParquetError;

use crate::fs::branch::Part;
use crate::fs::failure::Failure;
use crate::fs::gather::decode_missing;
use crate::fs::types::FsError;
use chessdb_library::table::{Columns, Parquet, Place, Row, Rows};

/// Bytes before the first group of rows.
const MAGIC: usize = 4;

/// Games that a thread reads at a time.
const CHUNK: usize = 256;

/// Maximum number of groups that are kept. Programs read the columns of a group one by one.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// The part of a table that stays in memory: the offsets at which groups end, and the bytes after the last
/// group.
pub(in crate::fs) struct ParquetTable {
    columns: Columns,
    form: Parquet,
    /// Offset at which each group ends.
    ends: Vec<u64>,
    tail: Vec<u8>,
    kept: Mutex<LruCache<usize, Arc<[u8]>>>,
}

impl ParquetTable {
    /// Makes the whole table of all games of `parts` once to find its layout. `others` are tags beside the
    /// roster.
    ///
    /// # Errors
    /// If a database has changed.
    pub(in crate::fs) fn new(
        parts: &[Part<'_>],
        others: &BTreeSet<String>,
        threads: usize,
    ) -> Result<ParquetTable, FsError> {
        let columns = Columns::typed(others, parts.iter().any(|part| part.path.is_some()));
        let form = Parquet::new(&columns).map_err(impossible)?;
        let mut file = form.begin(Vec::new()).map_err(impossible)?;
        let mut ends = Vec::new();
        for group in groups(parts) {
            let rows = rows(&columns, parts, group, threads)?;
            Parquet::write_group(&mut file, &rows).map_err(impossible)?;
            file.flush().map_err(|_| FsError::Io)?;
            file.inner_mut().clear();
            ends.push(file.bytes_written() as u64);
        }
        let mut tail = file.into_inner().map_err(impossible)?;
        if ends.is_empty() {
            tail.drain(..MAGIC);
        }
        Ok(ParquetTable {
            columns,
            form,
            ends,
            tail,
            kept: Mutex::new(LruCache::sparse(MOST_KEPT)),
        })
    }

    /// Length of the table in bytes.
    pub(in crate::fs) fn len(&self) -> u64 {
        self.tail_start() + self.tail.len() as u64
    }

    fn tail_start(&self) -> u64 {
        self.ends.last().copied().unwrap_or(MAGIC as u64)
    }

    /// Reads `size` bytes of the table from `offset`, fewer only at the end of the table.
    ///
    /// # Errors
    /// If a database has changed.
    pub(in crate::fs) fn read(
        &self,
        parts: &[Part<'_>],
        offset: u64,
        size: u32,
        threads: usize,
    ) -> Result<Vec<u8>, FsError> {
        let end = offset.saturating_add(size.into()).min(self.len());
        let mut bytes = Vec::new();
        let mut at = offset;
        while at < end {
            let group = self.ends.partition_point(|&end| end <= at);
            let before = group.checked_sub(1).and_then(|before| self.ends.get(before));
            let (start, part): (u64, Arc<[u8]>) = match self.ends.get(group) {
                _ if at < MAGIC as u64 => (0, (*b"PAR1").into()),
                Some(_) => (
                    before.copied().unwrap_or(MAGIC as u64),
                    self.group(parts, group, threads)?,
                ),
                None => (self.tail_start(), self.tail.as_slice().into()),
            };
            let from = (at - start) as usize;
            let to = part.len().min((end - start) as usize);
            bytes.extend_from_slice(part.get(from..to).ok_or(FsError::Io)?);
            at = offset + bytes.len() as u64;
        }
        Ok(bytes)
    }

    /// The bytes of a group of rows.
    fn group(&self, parts: &[Part<'_>], number: usize, threads: usize) -> Result<Arc<[u8]>, FsError> {
        // The lock is held while the group is made: a waiting thread needs the same group, or would compete
        // for the processors anyway.
        let mut kept = self.kept.lock();
        if let Some(group) = kept.get(&number) {
            return Ok(Arc::clone(group));
        }
        let games = groups(parts).nth(number).ok_or(FsError::Io)?;
        let rows = rows(&self.columns, parts, games, threads)?;
        let mut file = self.form.begin(Vec::new()).map_err(impossible)?;
        Parquet::write_group(&mut file, &rows).map_err(impossible)?;
        file.flush().map_err(|_| FsError::Io)?;
        let group: Arc<[u8]> = file.inner().get(MAGIC..).unwrap_or_default().into();
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before));
        let start = start.copied().unwrap_or(MAGIC as u64);
        if self.ends.get(number) != Some(&(start + group.len() as u64)) {
            let part = parts.first().ok_or(FsError::Io)?;
            return Err(part.database.texts().fail(Failure::Tags));
        }
        kept.put(number, Arc::clone(&group));
        Ok(group)
    }
}

/// The games of each group of rows, numbered consecutively across all databases.
fn groups(parts: &[Part<'_>]) -> impl Iterator<Item = Range<u64>> {
    let games: u64 = parts.iter().map(|part| part.games.len() as u64).sum();
    let size = u64::from(Parquet::GROUP);
    (0..games.div_ceil(size)).map(move |group| group * size..games.min((group + 1) * size))
}

/// The rows of some games.
fn rows(columns: &Columns, parts: &[Part<'_>], games: Range<u64>, threads: usize) -> Result<Rows, FsError> {
    let mut chunks: Vec<(&Part<'_>, Range<usize>)> = Vec::new();
    let mut first = 0;
    for part in parts {
        let end = first + part.games.len() as u64;
        let (from, to) = (games.start.max(first), games.end.min(end));
        for start in (from..to).step_by(CHUNK) {
            let start = (start - first) as usize;
            chunks.push((part, start..(start + CHUNK).min((to - first) as usize)));
        }
        first = end;
    }
    let read: Vec<OnceLock<Rows>> = chunks.iter().map(|_| OnceLock::new()).collect();
    let numbers: Vec<u32> = (0..chunks.len() as u32).collect();
    decode_missing(&numbers, threads, |numbers| {
        for &number in numbers {
            let Some((part, games)) = chunks.get(number as usize) else {
                continue;
            };
            let rows = chunk(columns, part, games.clone());
            let _ = read.get(number as usize).map(|slot| slot.set(rows));
        }
    });
    let mut rows = Rows::new(columns);
    read.into_iter()
        .filter_map(OnceLock::into_inner)
        .for_each(|more| rows.append(more));
    let mut last = None;
    for (part, _) in &chunks {
        if last.replace(part.database.prefix()) != Some(part.database.prefix()) {
            part.database.texts().check()?;
        }
    }
    Ok(rows)
}

fn chunk(columns: &Columns, part: &Part<'_>, numbers: Range<usize>) -> Rows {
    let mut rows = Rows::new(columns);
    let folder = match part.path {
        None | Some("") => String::new(),
        Some(path) => format!("{path}/"),
    };
    for game in numbers.filter_map(|n| part.games.get(n)) {
        let place = Place {
            database: part.path.unwrap_or_default(),
            folder: &folder,
            game,
            digits: part.database.indexed().digits(),
        };
        let row = Row::new(part.database.entry(), place).with_names(part.names);
        rows.push(columns, &row);
    }
    rows
}

/// Logs an error of the crate that cannot occur when it writes to memory.
fn impossible(error: ParquetError) -> FsError {
    log::error!("a table cannot be made: {error}");
    FsError::Io
}
