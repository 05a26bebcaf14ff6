//! Rows of a fixed size, one after another. Numbers skip rows in long holes of the file.

use crate::files::SourceFile;

/// The rows of a file that exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    len: u32,
    /// For the first row after each hole: its number, and how many places before it all holes together leave out.
    passed: Vec<(u32, usize)>,
}

impl Rows {
    /// The complete rows of `size` bytes between `start` and the end of a file, with at most `most` places.
    pub(crate) fn new(file: &SourceFile, start: usize, size: usize, most: usize) -> Rows {
        let size = size.max(1);
        let places = (file.bytes.len().saturating_sub(start) / size).min(most);
        let mut rows = Rows::default();
        let mut gone = 0;
        for gap in file.bytes.gaps() {
            let from = gap.start.saturating_sub(start).div_ceil(size).min(places);
            let to = (gap.end.saturating_sub(start) / size).min(places);
            if let Ok(number) = u32::try_from(from.saturating_sub(gone))
                && to > from
            {
                gone += to - from;
                rows.passed.push((number, gone));
            }
        }
        rows.len = u32::try_from(places - gone).unwrap_or(u32::MAX);
        rows
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The place of a row in the file, counted in rows from the first. For a number that is too large, it is
    /// after the last row.
    #[inline]
    pub(crate) fn place(&self, number: u32) -> usize {
        let passed = if self.passed.is_empty() {
            0
        } else {
            self.passed_before(number)
        };
        (number as usize).saturating_add(passed)
    }

    #[cold]
    fn passed_before(&self, number: u32) -> usize {
        let after = self.passed.partition_point(|&(first, _)| first <= number);
        let last = after.checked_sub(1).and_then(|last| self.passed.get(last));
        last.map_or(0, |&(_, passed)| passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::holed::Holed;
    use std::ops::Range;
    use std::sync::Arc;

    fn places(len: usize, gaps: &[Range<usize>], most: usize) -> Vec<usize> {
        let file = SourceFile {
            name: String::new(),
            bytes: Arc::new(Holed(vec![0; len], gaps.to_vec())),
        };
        let rows = Rows::new(&file, 10, 4, most);
        (0..rows.len()).map(|number| rows.place(number)).collect()
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn rows_partly_in_a_hole_count() {
        assert_eq!(places(33, &[], 99), [0, 1, 2, 3, 4]);
        assert_eq!(places(33, &[], 3), [0, 1, 2]);
        assert_eq!(places(5, &[], 99), [0; 0]);
        // Rows are at 10, 14, 18, 22, 26.
        assert_eq!(places(33, &[15..22], 99), [0, 1, 3, 4]);
        assert_eq!(places(33, &[14..26], 99), [0, 4]);
        assert_eq!(places(33, &[0..18, 21..26], 99), [2, 4]);
        assert_eq!(places(33, &[13..17], 99), [0, 1, 2, 3, 4]);
        assert_eq!(places(33, &[18..1 << 45], 99), [0, 1]);
        assert_eq!(places(33, &[14..18, 22..26], 4), [0, 2]);
    }
}
