//! Iterating over all rows of a table, and continuing after a bad block (sections 8.3, 12.4, 12.5).

use super::block::{Block, BlockKind};
use super::chain::collect;
use super::record::{Row, fields};
use super::table::Table;
use crate::database::Rows;
use crate::problem::Problem;

/// Minimum size of a block in bytes.
const SHORTEST: usize = 20;
/// Maximum number of problems of one table that are listed.
const MOST_PROBLEMS: usize = 100;

impl Table {
    /// Calls `see` with every live row in the order of the file. The returned problems list what was skipped.
    pub(in crate::formats::jose) fn walk<'t>(&'t self, mut see: impl FnMut(Row<'t>)) -> Vec<Problem> {
        let mut rows = 0u64;
        let mut see = |row: Row<'t>| {
            rows += 1;
            see(row);
        };
        let mut problems = if self.layout.is_dynamic {
            self.walk_blocks(&mut see)
        } else {
            self.walk_fixed(&mut see)
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
        let rows = Rows::new(&self.file, 0, size, usize::MAX);
        for number in self.file.numbers(rows.len()) {
            let offset = rows.place(number).saturating_mul(size);
            if self.data().get(offset).is_some_and(|&first| first != 0) {
                see(self.row(offset as u64));
            }
        }
        let len = self.data().len();
        match len % size {
            0 => Vec::new(),
            _ if !self.file.bytes.gaps().is_empty() => Vec::new(),
            rest => {
                let what = format!("the last {rest} bytes are less than a row");
                vec![self.problem(Some((len - rest) as u64), what)]
            }
        }
    }

    fn walk_blocks<'t>(&'t self, see: &mut impl FnMut(Row<'t>)) -> Vec<Problem> {
        let data = self.data();
        let mut problems = Vec::new();
        // Each block belongs to one row, so all rows together are not longer than the file.
        let mut budget = self.file.data_len();
        let mut search = Search {
            table: self,
            effort: self.file.data_len().saturating_mul(4),
        };
        let mut at = 0;
        while at < data.len() && !self.file.bytes.is_lost() {
            if let Some(gap) = self.file.gap_at(at) {
                at = gap.end;
                continue;
            }
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
            let (here, after) = self.up_to_gap(at);
            if here.iter().all(|&byte| byte == 0) {
                // Padding of an archive, or the rest of a disk block before a hole.
                at = after;
                continue;
            }
            match search.next_plausible_block(at) {
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

impl Table {
    /// The bytes from an offset to the next long hole or to the end, and the offset after the hole.
    fn up_to_gap(&self, at: usize) -> (&[u8], usize) {
        let gaps = self.file.bytes.gaps();
        let next = gaps.get(gaps.partition_point(|gap| gap.start < at));
        let end = next.map_or(self.data().len(), |gap| gap.start.min(self.data().len()));
        let after = next.map_or(end, |gap| gap.end);
        (self.data().get(at..end).unwrap_or_default(), after)
    }
}

/// The search for the next valid block.
struct Search<'t> {
    table: &'t Table,
    /// Number of bytes and fields that may still be examined.
    effort: usize,
}

impl Search<'_> {
    fn next_plausible_block(&mut self, at: usize) -> Option<usize> {
        let data = self.table.data();
        let mut place = (at / 4 + 1) * 4;
        while place < data.len() && !self.table.file.bytes.is_lost() {
            match self.table.file.gap_at(place) {
                Some(gap) => place = gap.end.next_multiple_of(4),
                None if self.is_plausible(place, true) => return Some(place),
                None => place += 4,
            }
        }
        None
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
