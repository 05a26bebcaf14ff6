//! Builds an index in two passes: over the games in the order of their moves, and over the keys of positions.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::super::wanted::Pattern;
use super::order::{Batch, for_each_batch};
use super::popular;
use super::sections::{BUCKET_BITS, GAMES, IndexSection, IndexSections, USUAL};
use super::shared::{bucket_bits, write_shared};
use super::spill::Spill;
use super::walk::IndexWalk;
use super::{Index, IndexError};
use crate::cancel;
use crate::kept::{Numbers, Output, begin, next_page};
use chessdb::board::Position;
use chessdb::formats::Database;

/// Typical number of bytes of all nodes of a game while an index is built.
const NODES: u64 = 80 * 16;

/// Approximate number of nodes in a part of the keys.
const PART: u64 = 150_000;

/// Number of popular positions whose games are read in database order, rather than position by position.
const AHEAD: usize = 4096;

/// Numbers of items in a block whose minimum a section stores.
pub(super) const SMALL: usize = 64;
pub(super) const LARGE: usize = 4096;

/// Parameters for building an index.
pub(super) struct Builder<'a> {
    pub(super) database: &'a Arc<dyn Database>,
    pub(super) threads: usize,
    /// Approximate number of bytes of memory to use.
    pub(super) memory: usize,
    /// The key. Its length determines the offset of the first section.
    pub(super) key: &'a [u8],
    /// Called with numbers of games that have been read.
    pub(super) done: &'a (dyn Fn(u64) + Sync),
}

/// The sections that have an item for each game, with the bytes of an item.
const COLUMNS: [(IndexSection, usize); 6] = [
    (IndexSection::Games, 4),
    (IndexSection::Common, 2),
    (IndexSection::Facts, 8),
    (IndexSection::Pawns, 8),
    (IndexSection::Material, 4),
    (IndexSection::Parting, 2),
];

/// True if the nodes of so many games need at most half of the memory.
pub(super) fn fits(games: u32, memory: usize) -> bool {
    u64::from(games) * NODES <= memory as u64 / 2
}

impl Builder<'_> {
    /// Writes the sections and returns their places. `temporary` is a file for the nodes of the opening tree,
    /// which must fit into memory without it.
    pub(super) fn build(&self, out: &mut Output, temporary: Option<File>) -> Result<Numbers, IndexError> {
        let mut numbers = Numbers::default();
        let games = self.database.len();
        let mut end = begin(self.key);
        for (section, item) in COLUMNS {
            end = next_page(end);
            // Deleted games leave a hole at the end of each column.
            numbers.sections[section as usize] = (end, 0);
            end += u64::from(games) * item as u64;
        }
        let nodes = u64::from(games) * NODES;
        let is_small = fits(games, self.memory);
        if !is_small && temporary.is_none() {
            return Err(IndexError::Memory);
        }
        let bits = bucket_bits(games);
        let part_bits = (nodes / 16 / PART).max(1).ilog2().min(bits).min(12);
        let mut spill = Spill::new(part_bits, temporary.filter(|_| !is_small));
        let blocks = self.columns(out, &mut numbers, &mut spill)?;
        for (section, minima) in [
            (IndexSection::Common64, &blocks.common.small),
            (IndexSection::Common4096, &blocks.common.large),
            (IndexSection::Games64, &blocks.games.small),
            (IndexSection::Games4096, &blocks.games.large),
        ] {
            end = put(out, &mut numbers, section, end, minima)?;
        }
        // There is an offset for each bucket, and one for the end.
        let bucket_bytes = ((1u64 << bits) + 1) * 8;
        let begin = next_page(end);
        let first = next_page(begin + bucket_bytes);
        let (mut bucket, mut end) = (begin, first);
        let popular = write_shared(&mut spill, bits, |buckets, positions| {
            cancel::check();
            out.write_at(bucket, buckets)?;
            out.write_at(end, positions)?;
            bucket += buckets.len() as u64;
            end += positions.len() as u64;
            Ok(())
        })?;
        numbers.sections[IndexSection::Buckets as usize] = (begin, bucket_bytes);
        numbers.sections[IndexSection::Positions as usize] = (first, end - first);
        numbers.own[BUCKET_BITS] = bits;
        self.popular(out, &mut numbers, end, &popular)?;
        Ok(numbers)
    }

    /// Writes the data of each game, and passes the nodes of the opening tree to `spill`.
    fn columns(
        &self,
        out: &mut Output,
        numbers: &mut Numbers,
        spill: &mut Spill,
    ) -> Result<BlockMinima, IndexError> {
        let mut state = ColumnsBuilder {
            walk: IndexWalk::new(),
            before: None,
            common: 0,
            blocks: BlockMinima::default(),
            usual: 0,
            games: 0,
        };
        // Memory is needed for the lines, as much again to sort them, and for the first moves of all games.
        let database = &**self.database;
        for_each_batch(database, self.memory / 5, self.threads, self.done, |batch| {
            let columns = state.add(&batch, spill)?;
            for ((section, item), bytes) in COLUMNS.iter().zip(columns) {
                let (at, len) = &mut numbers.sections[*section as usize];
                out.write_at(*at + *len, &bytes)?;
                *len += bytes.len() as u64;
                // The move with which the last game parts from the next one is not known yet.
                let is_behind = *section == IndexSection::Parting && state.games > 0;
                let games = state.games - u32::from(is_behind);
                debug_assert_eq!(*len, u64::from(games) * *item as u64);
            }
            Ok::<(), IndexError>(())
        })?;
        if let Some(code) = state.parting(0) {
            let (at, len) = &mut numbers.sections[IndexSection::Parting as usize];
            out.write_at(*at + *len, &code.to_le_bytes())?;
            *len += 2;
        }
        state.walk.finish(spill)?;
        (numbers.own[GAMES], numbers.own[USUAL]) = (state.games, state.usual);
        Ok(state.blocks)
    }

    /// Makes and writes the tables of moves of popular positions.
    fn popular(
        &self,
        out: &mut Output,
        numbers: &mut Numbers,
        end: u64,
        popular: &[super::spill::NodeEntry],
    ) -> Result<(), IndexError> {
        let sections = match out {
            Output::Memory(bytes) => IndexSections::in_memory(std::mem::take(bytes), *numbers),
            Output::File(file) => IndexSections::being_written(file, *numbers)?,
        };
        let mut index = Index::of(sections, self.database);
        let mut tables = Vec::new();
        let mut keys = Vec::new();
        for nodes in popular.chunks(AHEAD) {
            cancel::check();
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
                cancel::check();
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

/// The state for making the columns batch by batch.
struct ColumnsBuilder {
    walk: IndexWalk,
    /// First position and moves of the last game.
    before: Option<(u64, Vec<u16>)>,
    /// What the last game has in common with the one before it.
    common: usize,
    blocks: BlockMinima,
    usual: u32,
    games: u32,
}

impl ColumnsBuilder {
    /// Adds the games of a batch, and returns their bytes in each of [`COLUMNS`].
    fn add(&mut self, batch: &Batch, spill: &mut Spill) -> io::Result<[Vec<u8>; 6]> {
        let mut columns = COLUMNS.map(|(_, item)| Vec::with_capacity(batch.lines.len() * item));
        for line in &batch.lines {
            let moves = batch.moves(line);
            let common = match &self.before {
                Some((start, before)) if *start == line.start => 1 + equal(before, moves),
                _ => 0,
            };
            let parting = self.parting(common);
            let start = || match line.start {
                0 => Position::initial(),
                start => batch.starts.get(&start).copied().unwrap_or(Position::initial()),
            };
            self.walk.game(common, start, moves, spill)?;
            self.usual += u32::from(line.start == 0);
            self.blocks.add(self.games, common as u32, line.game);
            self.games += 1;
            let [games, commons, facts, pawns, material, partings] = &mut columns;
            games.extend(line.game.to_le_bytes());
            commons.extend((common as u16).to_le_bytes());
            facts.extend(line.facts.0.to_le_bytes());
            pawns.extend(line.signature.pawns.to_le_bytes());
            material.extend(line.signature.material.to_le_bytes());
            partings.extend(parting.into_iter().flat_map(u16::to_le_bytes));
            self.common = common;
            match &mut self.before {
                Some((start, before)) => {
                    *start = line.start;
                    before.clear();
                    before.extend_from_slice(moves);
                }
                None => self.before = Some((line.start, moves.to_vec())),
            }
        }
        Ok(columns)
    }
}

impl ColumnsBuilder {
    /// The code of the first move of the last game that neither the game before it nor the next one has, 0 if there
    /// is none. `common` is what it has in common with the next game.
    fn parting(&self, common: usize) -> Option<u16> {
        let (_, moves) = self.before.as_ref()?;
        let ply = self.common.max(common).checked_sub(1);
        let code = ply.and_then(|ply| moves.get(ply));
        Some(code.copied().unwrap_or(0))
    }
}

/// Number of items that two lines have in common at their beginning.
fn equal(one: &[u16], other: &[u16]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// The minima of blocks of items.
#[derive(Default)]
struct BlockMinima {
    common: Minima,
    games: Minima,
}

#[derive(Default)]
struct Minima {
    small: Vec<u32>,
    large: Vec<u32>,
}

impl BlockMinima {
    fn add(&mut self, place: u32, common: u32, game: u32) {
        self.common.add(place as usize, common);
        self.games.add(place as usize, game);
    }
}

impl Minima {
    fn add(&mut self, place: usize, item: u32) {
        for (minima, size) in [(&mut self.small, SMALL), (&mut self.large, LARGE)] {
            match minima.get_mut(place / size) {
                Some(least) => *least = item.min(*least),
                None => minima.push(item),
            }
        }
    }
}
