//! All rows of a table, and the way back after a bad block (sections 8.3, 12.4, 12.5).

use super::block::{Block, BlockKind};
use super::chain::collect;
use super::record::{Row, fields};
use super::table::Table;
use crate::formats::Problem;

/// Fewest bytes of a block.
const SHORTEST: usize = 20;
/// Most problems of one table that are told.
const MOST_PROBLEMS: usize = 100;

impl Table {
    /// Gives every live row to `see`, in the order of the file. The problems say what was passed over.
    pub(in crate::formats::jose) fn walk<'t>(&'t self, mut see: impl FnMut(Row<'t>)) -> Vec<Problem> {
        let mut rows = 0u64;
        let mut see = |row: Row<'t>| {
            rows += 1;
            see(row);
        };
        let mut problems = match self.layout.is_dynamic {
            true => self.walk_blocks(&mut see),
            false => self.walk_fixed(&mut see),
        };
        if let Some(believed) = self.believed_rows
            && believed > rows
        {
            problems.push(self.problem(
                None,
                format!("{rows} rows are found where the .MYI counts {believed}: rows are missing"),
            ));
        }
        problems
    }

    fn walk_fixed<'t>(&'t self, see: &mut impl FnMut(Row<'t>)) -> Vec<Problem> {
        let size = self.layout.row_size.max(1);
        let mut offset = 0u64;
        for row in self.data().chunks_exact(size) {
            if row.first().is_some_and(|&first| first != 0) {
                see(self.row(offset));
            }
            offset += size as u64;
        }
        match self.data().len() % size {
            0 => Vec::new(),
            rest => vec![self.problem(Some(offset), format!("the last {rest} bytes are less than a row"))],
        }
    }

    fn walk_blocks<'t>(&'t self, see: &mut impl FnMut(Row<'t>)) -> Vec<Problem> {
        let data = self.data();
        let mut problems = Vec::new();
        // Each part belongs to one row, so all rows together are no longer than the file.
        let mut budget = data.len();
        let mut search = Search {
            table: self,
            effort: data.len().saturating_mul(4),
        };
        let mut at = 0;
        while at < data.len() {
            let block = Block::read(data, at);
            if let Some(block) = block.filter(|block| block.end <= data.len() && block.end - at >= SHORTEST) {
                if block.kind == BlockKind::First {
                    let row = self.row_within(at as u64, budget);
                    if row.start.is_none() {
                        budget = budget.saturating_sub(row.bytes.len());
                    }
                    see(row);
                }
                at = block.end;
                continue;
            }
            if data.get(at..).unwrap_or_default().iter().all(|&byte| byte == 0) {
                // What an archive is padded with.
                break;
            }
            match search.plausible_block_behind(at) {
                Some(next) => {
                    if problems.len() < MOST_PROBLEMS {
                        problems.push(self.problem(
                            Some(at as u64),
                            format!("no block can be read here; reading goes on at byte {next}"),
                        ));
                    }
                    at = next;
                }
                None => {
                    if block.is_some_and(|block| block.kind == BlockKind::First) {
                        see(self.row(at as u64));
                    }
                    problems.push(self.problem(Some(at as u64), "the table ends inside a block"));
                    break;
                }
            }
        }
        problems
    }
}

/// The search for a block where the file can be read again.
struct Search<'t> {
    table: &'t Table,
    /// Bytes and fields that may still be looked at.
    effort: usize,
}

impl Search<'_> {
    fn plausible_block_behind(&mut self, at: usize) -> Option<usize> {
        let data = self.table.data();
        let places = ((at / 4 + 1) * 4..data.len()).step_by(4);
        places.into_iter().find(|&place| self.is_plausible(place, true))
    }

    fn is_plausible(&mut self, at: usize, with_follower: bool) -> bool {
        let data = self.table.data();
        let Some(block) = Block::read(data, at) else {
            return false;
        };
        if block.end > data.len()
            || block.end - at < 20
            || !(block.end - at).is_multiple_of(4)
            || self.effort == 0
        {
            return false;
        }
        if block.kind != BlockKind::First {
            return !with_follower || block.end == data.len() || self.is_plausible(block.end, false);
        }
        let record = collect(data, at, &block, self.effort);
        let work = record.bytes.len() / 8 + self.table.layout.fields.len();
        self.effort = self.effort.saturating_sub(work);
        record.damage.is_none() && fields(&self.table.layout, &record.bytes).is_exact
    }
}
