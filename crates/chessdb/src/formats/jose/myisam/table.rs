//! A table: choosing its layout, and reading rows by their offsets.

use std::borrow::Cow;

use super::block::{Block, BlockKind};
use super::chain::collect;
use super::layout::Layout;
use super::record::{Fields, Row, fields};
use super::{frm, myi};
use crate::bytes::{index, slice};
use crate::files::{Files, SourceFile, lost_with};
use crate::formats::jose::columns::Known;
use crate::formats::jose::find::name_of;
use crate::problem::Problem;

/// Number of rows that a layout is tried on (section 2.2).
const TRIAL_ROWS: usize = 20;
/// Minimum size of a fixed row in bytes.
const SHORTEST_ROW: usize = 20;

/// A table that can be read.
pub(in crate::formats::jose) struct Table {
    pub(super) file: SourceFile,
    pub(super) layout: Layout,
    /// The number of rows that the `.MYI` states, for a message.
    pub(super) believed_rows: Option<u64>,
}

impl Table {
    /// Opens the table with the files `name.frm`, `name.myi` and `name.myd`; `None` if its rows are missing; `lost`
    /// is what is unknown without them.
    pub(in crate::formats::jose) fn open(
        files: &Files,
        name: &str,
        known: &[&Known],
        lost: &str,
        warnings: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Option<Table> {
        let Some(file) = files.get(&format!("{name}.myd")).cloned() else {
            problems.extend(lost_with(&name_of(name, "MYD"), None, lost));
            return None;
        };
        let frm_file = files.get(&format!("{name}.frm"));
        let myi_file = files.get(&format!("{name}.myi"));
        let frm = frm_file.and_then(|file| frm::read(&file.bytes));
        let myi = myi_file.and_then(|file| myi::read(&file.bytes));
        let counters = myi_file.and_then(|file| myi::counters(&file.bytes));
        for (kind, source, is_read) in [("frm", frm_file, frm.is_some()), ("MYI", myi_file, myi.is_some())] {
            let name = source.map_or_else(|| name_of(name, kind), |source| source.name.clone());
            let guessed = "the columns of the table are guessed";
            match source {
                Some(_) if is_read => {}
                Some(_) => {
                    let what = format!("the file cannot be used: {guessed}");
                    problems.push(Problem::damage(name, 0, what));
                }
                // Columns follow from the .frm alone.
                None if kind == "MYI" => warnings.push(format!("{} has no .MYI beside it", file.name)),
                None => problems.extend(lost_with(&name, None, guessed)),
            }
        }
        if let (Some(counters), Some(source)) = (&counters, myi_file)
            && counters.open_count > 0
        {
            warnings.push(format!(
                "{} is marked as open: jose may be running and change the tables",
                source.name
            ));
        }
        let mut layouts = Layout::possible(frm.as_ref(), myi.as_ref(), known);
        // Tables with shorter rows do not belong to the program and would have far too many rows.
        layouts.retain(|layout| layout.is_dynamic || layout.row_size >= SHORTEST_ROW);
        let scores: Vec<usize> = layouts.iter().map(|layout| misfits(layout, &file)).collect();
        let Some(best) = scores.iter().min() else {
            problems.push(Problem::damage(
                &file.name,
                0,
                format!("the columns are unknown: {lost}"),
            ));
            return None;
        };
        let chosen = scores.iter().position(|score| score == best)?;
        Some(Table {
            layout: layouts.swap_remove(chosen),
            file,
            believed_rows: counters.map(|counters| counters.records),
        })
    }

    /// Name of the file with the rows.
    pub(in crate::formats::jose) fn file_name(&self) -> &str {
        &self.file.name
    }

    pub(super) fn data(&self) -> &[u8] {
        &self.file.bytes
    }

    /// A problem in the table.
    pub(in crate::formats::jose) fn problem(&self, offset: Option<u64>, what: impl Into<String>) -> Problem {
        Problem::damage(self.file.name.clone(), offset, what)
    }

    /// The row at an offset returned by the walk.
    pub(in crate::formats::jose) fn row(&self, offset: u64) -> Row<'_> {
        self.row_within(offset, usize::MAX)
    }

    /// The row at an offset, with at most `limit` bytes if it is in several pieces.
    pub(super) fn row_within(&self, offset: u64, limit: usize) -> Row<'_> {
        let (bytes, start, damage) = if self.layout.is_dynamic {
            self.dynamic_row(index(offset), limit)
        } else {
            let bytes = slice(self.data(), index(offset), self.layout.row_size);
            let damage = bytes.is_none().then_some("the table ends before the row");
            (Cow::Borrowed(bytes.unwrap_or_default()), Some(offset), damage)
        };
        let fields = fields(&self.layout, &bytes);
        let damage =
            damage.or((!fields.is_exact).then_some("the row does not have the length of its columns"));
        Row {
            layout: &self.layout,
            bytes,
            fields,
            offset,
            start,
            damage,
        }
    }

    fn dynamic_row(&self, at: usize, limit: usize) -> (Cow<'_, [u8]>, Option<u64>, Option<&'static str>) {
        let first = Block::read(self.data(), at).filter(|block| block.kind == BlockKind::First);
        let Some(first) = first else {
            return (Cow::Borrowed(&[]), None, Some("there is no row any more"));
        };
        let collected = collect(self.data(), at, &first, limit);
        let start = matches!(collected.bytes, Cow::Borrowed(_)).then_some(first.data as u64);
        (collected.bytes, start, collected.damage)
    }
}

/// How many of the first rows do not fit a layout.
fn misfits(layout: &Layout, file: &SourceFile) -> usize {
    let data: &[u8] = &file.bytes;
    if layout.is_dynamic {
        let mut at = 0;
        let (mut rows, mut misfits) = (0, 0);
        while let Some(block) = Block::read(data, at)
            && block.end <= data.len()
            && rows < TRIAL_ROWS
            && !file.bytes.is_lost()
        {
            if block.kind == BlockKind::First {
                rows += 1;
                let record = collect(data, at, &block, data.len());
                misfits += usize::from(!fields(layout, &record.bytes).is_exact);
            }
            at = block.end;
        }
        return misfits;
    }
    let rows = data.chunks_exact(layout.row_size.max(1)).take(TRIAL_ROWS);
    let fits = |row: &[u8]| {
        let Fields { is_exact, .. } = fields(layout, row);
        is_exact && row.first().is_some_and(|first| *first == 0 || first & 1 != 0)
    };
    rows.filter(|row| !fits(row)).count()
}
