//! The columns of an index: what it stores of each game, in the order of the games.

use std::io;
use std::ops::Range;

use parking_lot::Mutex;

use super::batch::{Batch, IndexedLine};
use super::sections::IndexSection;
use super::spill::{KeyedPly, Spill};
use super::walk::IndexWalk;
use crate::parallel::chunks_of;
use chessdb::board::PackedMove;

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
    /// What it has in common with the line before it.
    common: usize,
}

/// The items of some games, and the nodes of the opening tree up to [`WALKED_PLIES`](super::walk::WALKED_PLIES) moves that begin with them.
struct ColumnsPart {
    columns: [Vec<u8>; 6],
    nodes: Vec<KeyedPly>,
    usual: u32,
    /// What the last game has in common with the one before it.
    common: usize,
}

impl ColumnsBuilder {
    /// Adds the games of a batch, and returns their bytes in each of [`COLUMNS`]. Those of `Parting` are one game behind,
    /// because the move with which the last game parts from the next one is not known yet.
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

    /// The item of the last game in `Parting`, if there is one. `common` is what it has in common with the next game.
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
/// there is none.
fn parting(moves: &[PackedMove], common: usize) -> u16 {
    let ply = common.checked_sub(1);
    ply.and_then(|ply| moves.get(ply)).map_or(0, |mv| mv.bits())
}
