//! Builds an index in two passes: over the games in the order of their moves, and over the keys of positions.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use super::super::wanted::Pattern;
use super::keys::IndexWalk;
use super::order::{Batch, IndexedLine};
use super::order::{LineReading, for_each_batch};
use super::shared::{BUCKET_BITS, GAMES, IndexSection, IndexSections, LARGE, SMALL, USUAL};
use super::shared::{GameOrder, NodeEntry, bucket_bits, write_shared};
use super::spill::{ENTRY, KeyedPly, Spill};
use super::{Index, IndexError, popular};
use crate::kept::{Numbers, Output, begin, next_page};
use crate::parallel::chunks_of;
use crate::task;
use chessdb::Database;
use chessdb::board::PackedMove;

/// Typical number of bytes of all positions of a game while an index is built.
const POSITIONS: u64 = 80 * ENTRY as u64;

/// Approximate number of positions in a part of the keys.
const PART: u64 = 150_000;

/// Number of popular positions whose games are read in database order, rather than position by position.
const AHEAD: usize = 4096;

/// True if the positions of `games` games need at most half of the memory.
pub(super) fn fits(games: u32, memory: usize) -> bool {
    u64::from(games) * POSITIONS <= memory as u64 / 2
}

/// Writes the sections and returns their places. Uses about `memory` bytes. The length of `key` determines the offset of
/// the first section. `temporary` is a file for the positions of the games, which must fit into memory without it.
pub(super) fn build(
    reading: &LineReading<'_>,
    memory: usize,
    key: &[u8],
    out: &mut Output,
    temporary: Option<File>,
) -> Result<Numbers, IndexError> {
    let mut numbers = Numbers::default();
    let games = reading.database.len();
    let mut end = begin(key);
    for (section, item) in COLUMNS {
        end = next_page(end);
        // Deleted games leave a hole at the end of each column.
        numbers.sections[section as usize] = (end, 0);
        end += u64::from(games) * item as u64;
    }
    let positions = u64::from(games) * POSITIONS;
    let is_small = fits(games, memory);
    if !is_small && temporary.is_none() {
        return Err(IndexError::Memory);
    }
    let bits = bucket_bits(games);
    let part_bits = (positions / ENTRY as u64 / PART).max(1).ilog2().min(bits).min(12);
    let spill = Mutex::new(Spill::new(part_bits, temporary.filter(|_| !is_small)));
    write_columns(reading, memory, out, &mut numbers, &spill)?;
    let games = column(out, &numbers, IndexSection::Games, u32::from_le_bytes)?;
    let common = column(out, &numbers, IndexSection::Common, u16::from_le_bytes)?;
    for (section, minima) in [
        (IndexSection::Common64, minima(&common, SMALL)),
        (IndexSection::Common4096, minima(&common, LARGE)),
        (IndexSection::Games64, minima(&games, SMALL)),
        (IndexSection::Games4096, minima(&games, LARGE)),
    ] {
        end = put(out, &mut numbers, section, end, &minima)?;
    }
    let order = GameOrder::new(&games, common, reading.database.len());
    drop(games);
    // There is an offset for each bucket, and one for the end.
    let bucket_bytes = ((1u64 << bits) + 1) * 8;
    let begin = next_page(end);
    let first = next_page(begin + bucket_bytes);
    let (mut bucket, mut end) = (begin, first);
    let popular = write_shared(
        &mut spill.into_inner(),
        &order,
        bits,
        reading.threads,
        |buckets, positions| {
            task::check();
            out.write_at(bucket, buckets)?;
            out.write_at(end, positions)?;
            bucket += buckets.len() as u64;
            end += positions.len() as u64;
            Ok(())
        },
    )?;
    numbers.sections[IndexSection::Buckets as usize] = (begin, bucket_bytes);
    numbers.sections[IndexSection::Positions as usize] = (first, end - first);
    numbers.own[BUCKET_BITS] = bits;
    write_popular(reading.database, out, &mut numbers, end, &popular)?;
    Ok(numbers)
}

/// Writes the data of each game, and passes the positions of all games to `spill`.
fn write_columns(
    reading: &LineReading<'_>,
    memory: usize,
    out: &mut Output,
    numbers: &mut Numbers,
    spill: &Mutex<Spill>,
) -> Result<(), IndexError> {
    let mut state = ColumnsBuilder::default();
    let mut append = |section: IndexSection, bytes: &[u8]| {
        let (at, len) = &mut numbers.sections[section as usize];
        out.write_at(*at + *len, bytes)?;
        *len += bytes.len() as u64;
        Ok::<(), IndexError>(())
    };
    // Memory is also needed to sort the lines, and for the first moves of all games.
    for_each_batch(reading, memory / 5, spill, |batch| {
        let columns = state.add(&batch, reading.threads, spill)?;
        let mut columns = COLUMNS.iter().zip(columns);
        columns.try_for_each(|((section, _), bytes)| append(*section, &bytes))
    })?;
    if let Some(item) = state.parting(0) {
        append(IndexSection::Parting, &item)?;
    }
    (numbers.own[GAMES], numbers.own[USUAL]) = (state.games, state.usual);
    Ok(())
}

/// Makes and writes the tables of moves of popular positions.
fn write_popular(
    database: &Arc<dyn Database>,
    out: &mut Output,
    numbers: &mut Numbers,
    end: u64,
    popular: &[NodeEntry],
) -> Result<(), IndexError> {
    let sections = match out {
        Output::Memory(bytes) => IndexSections::in_memory(std::mem::take(bytes), *numbers),
        Output::File(file) => IndexSections::being_written(file, *numbers)?,
    };
    let mut index = Index::of(sections, database);
    let mut tables = Vec::new();
    let mut keys = Vec::new();
    for nodes in popular.chunks(AHEAD) {
        task::check();
        let begins = nodes.iter().map(|node| {
            let game = index.sections.u32(IndexSection::Games, node.lo as usize)?;
            Ok((game, u32::from(node.depth)))
        });
        let begins = begins.collect::<Result<Vec<_>, IndexError>>()?;
        index.read_ahead(begins.clone());
        let positions = begins
            .iter()
            .map(|&(game, ply)| Some(Pattern::new(index.at(game, ply)?.0)));
        let positions: Vec<Option<Pattern>> = positions.collect();
        let mut asked = Vec::new();
        for position in positions.iter().flatten() {
            asked.extend(index.asked_for(position)?);
        }
        index.read_ahead(asked);
        for (node, position) in nodes.iter().zip(positions) {
            task::check();
            let Some(position) = position else { continue };
            popular::append(&mut tables, &index.add_up(&position)?);
            keys.extend(node.key.to_le_bytes());
            keys.extend((tables.len() as u64).to_le_bytes());
        }
    }
    if let (Output::Memory(memory), Some(bytes)) = (
        &mut *out,
        Arc::into_inner(index.sections).and_then(IndexSections::into_memory),
    ) {
        *memory = bytes;
    }
    let mut end = end;
    for (section, bytes) in [(IndexSection::Popular, keys), (IndexSection::Tables, tables)] {
        let at = next_page(end);
        out.write_at(at, &bytes)?;
        end = at + bytes.len() as u64;
        numbers.sections[section as usize] = (at, bytes.len() as u64);
    }
    Ok(())
}

/// Writes a section of integers after `end`, and returns the end of the section.
fn put(
    out: &mut Output,
    numbers: &mut Numbers,
    section: IndexSection,
    end: u64,
    items: &[u32],
) -> io::Result<u64> {
    let at = next_page(end);
    let bytes: Vec<u8> = items.iter().flat_map(|item| item.to_le_bytes()).collect();
    out.write_at(at, &bytes)?;
    numbers.sections[section as usize] = (at, bytes.len() as u64);
    Ok(at + bytes.len() as u64)
}

/// The items of a column that has been written.
fn column<T, const ITEM: usize>(
    out: &Output,
    numbers: &Numbers,
    section: IndexSection,
    item: impl Fn([u8; ITEM]) -> T,
) -> io::Result<Vec<T>> {
    let (at, len) = numbers.sections[section as usize];
    let mut bytes = vec![0; len as usize];
    out.read_at(at, &mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|&bytes| item(bytes)).collect())
}

/// The minima of blocks of `size` items.
fn minima<T: Copy + Ord + Into<u32>>(items: &[T], size: usize) -> Vec<u32> {
    let minima = items.chunks(size).filter_map(|block| block.iter().min());
    minima.map(|&least| least.into()).collect()
}

/// The sections that have an item for each game, with the bytes of an item.
pub(super) const COLUMNS: [(IndexSection, usize); 6] = [
    (IndexSection::Games, 4),
    (IndexSection::Common, 2),
    (IndexSection::Facts, 8),
    (IndexSection::Pawns, 8),
    (IndexSection::Material, 4),
    (IndexSection::Parting, 2),
];

/// Number of games whose items a thread makes at a time.
const CHUNK: u32 = 4096;

/// The state for making the columns batch by batch.
#[derive(Default)]
pub(super) struct ColumnsBuilder {
    last: Option<LastLine>,
    pub(super) games: u32,
    /// Number of games that begin in the normal start position.
    pub(super) usual: u32,
}

/// The last line of a batch.
struct LastLine {
    start: u64,
    moves: Vec<PackedMove>,
    /// Number of nodes that it has in common with the line before it.
    common: usize,
}

/// The items of some games, and the nodes of the opening tree, up to [`WALKED_PLIES`](super::keys::WALKED_PLIES) moves
/// deep, whose first game is among these.
struct ColumnsPart {
    columns: [Vec<u8>; 6],
    nodes: Vec<KeyedPly>,
    usual: u32,
    /// Number of nodes that the last game has in common with the one before it.
    common: usize,
}

impl ColumnsBuilder {
    /// Adds the games of a batch, and returns their bytes in each of [`COLUMNS`]. The bytes of `Parting` lag by one
    /// game, because the move where the last game parts from the next one is not known yet.
    ///
    /// # Errors
    /// If positions cannot be written.
    pub(super) fn add(
        &mut self,
        batch: &Batch,
        threads: usize,
        spill: &Mutex<Spill>,
    ) -> io::Result<[Vec<u8>; 6]> {
        let mut columns = COLUMNS.map(|(_, item)| Vec::with_capacity(batch.len() * item));
        let Some(end) = batch.len().checked_sub(1) else {
            return Ok(columns);
        };
        let before = self.last.as_ref().map_or(0, |last| {
            let (first, moves) = batch.line(0);
            common((last.start, &last.moves), (first.start, moves))
        });
        columns[5].extend(self.parting(before).into_iter().flatten());
        let parts = chunks_of(CHUNK, batch.len() as u32, threads, &|_| (), |range| {
            let range = range.start as usize..range.end as usize;
            let mut part = ColumnsPart::of(batch, range, before);
            spill.lock().push_all(std::mem::take(&mut part.nodes))?;
            Ok(part)
        });
        let mut last_common = 0;
        for part in parts.into_iter().collect::<io::Result<Vec<_>>>()? {
            for (column, bytes) in columns.iter_mut().zip(part.columns) {
                column.extend(bytes);
            }
            self.usual += part.usual;
            last_common = part.common;
        }
        let (last, moves) = batch.line(end);
        self.last = Some(LastLine {
            start: last.start,
            moves: moves.to_vec(),
            common: last_common,
        });
        self.games += batch.len() as u32;
        Ok(columns)
    }

    /// The item of the last game in `Parting`, if it has one. `common` is the number of moves that it shares with the
    /// next game.
    pub(super) fn parting(&self, common: usize) -> Option<[u8; 2]> {
        let last = self.last.as_ref()?;
        Some(parting(&last.moves, last.common.max(common)).to_le_bytes())
    }
}

impl ColumnsPart {
    /// The items of a range of a batch. `before` is what the first line of the batch has in common with the last one
    /// of the batch before.
    fn of(batch: &Batch, range: Range<usize>, before: usize) -> ColumnsPart {
        let common_at = |number: usize| match number.checked_sub(1) {
            None => before,
            Some(last) => {
                let line = |(line, moves): (&IndexedLine, _)| (line.start, moves);
                common(line(batch.line(last)), line(batch.line(number)))
            }
        };
        let mut part = ColumnsPart {
            columns: COLUMNS.map(|(_, item)| Vec::with_capacity(range.len() * item)),
            nodes: Vec::new(),
            usual: 0,
            common: common_at(range.start),
        };
        let mut walk = IndexWalk::default();
        for number in range.clone() {
            let (line, moves) = batch.line(number);
            let start = || batch.start(number);
            walk.game(line.game, part.common, start, moves, &mut part.nodes);
            part.usual += u32::from(line.start == 0);
            let [games, commons, facts, pawns, material, partings] = &mut part.columns;
            games.extend(line.game.to_le_bytes());
            commons.extend((part.common as u16).to_le_bytes());
            facts.extend(line.facts.0.to_le_bytes());
            pawns.extend(line.signature.pawns.to_le_bytes());
            material.extend(line.signature.material.to_le_bytes());
            if number + 1 < batch.len() {
                let next = common_at(number + 1);
                partings.extend(parting(moves, part.common.max(next)).to_le_bytes());
                if number + 1 < range.end {
                    part.common = next;
                }
            }
        }
        part
    }
}

/// The number of nodes that two lines, each with its start position, have in common; see [`super::tree`].
fn common(one: (u64, &[PackedMove]), other: (u64, &[PackedMove])) -> usize {
    if one.0 != other.0 {
        return 0;
    }
    1 + one.1.iter().zip(other.1).take_while(|(a, b)| a == b).count()
}

/// The bits of the first move that no neighbouring line has, where one neighbour has `common` nodes in common; 0 if
/// that neighbour has all moves of the line.
fn parting(moves: &[PackedMove], common: usize) -> u16 {
    let ply = common.checked_sub(1);
    ply.and_then(|ply| moves.get(ply)).map_or(0, |mv| mv.bits())
}
