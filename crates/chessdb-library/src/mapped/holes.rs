//! Holes of a file: parts that read as zeros, take no space on disk, and may be terabytes long.

use std::fs::{File, Metadata};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

/// Bytes of holes that may be read as data, in addition to as many as the file has bytes of data.
const FREE: u64 = 1 << 20;

/// How much of a long hole at the end is mapped, because the last record may end with zeros.
const TAIL: u64 = 1 << 16;

/// Maximum number of holes that are searched for.
const MOST: usize = 1 << 22;

/// The parts of a file that are worth reading.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Number of bytes from the beginning.
    pub(super) len: u64,
    /// The long holes, in order. The last one may extend beyond `len`, up to the end of the file.
    pub(super) gaps: Vec<Range<usize>>,
}

impl Extent {
    /// Determines the holes of a file. If its file system does not report holes, everything is data.
    pub(super) fn of(file: &File, meta: &Metadata) -> Extent {
        let size = meta.size();
        let holes = if meta.blocks().saturating_mul(512) < size {
            holes(file, size)
        } else {
            Vec::new()
        };
        Extent::without(holes, size)
    }

    /// Excludes the longest holes, so that the rest is at most twice the data plus [`FREE`].
    fn without(holes: Vec<Range<u64>>, size: u64) -> Extent {
        let len = |hole: &Range<u64>| hole.end - hole.start;
        let data = size - holes.iter().map(len).sum::<u64>();
        let mut budget = data.saturating_add(FREE);
        let mut gaps = holes;
        gaps.sort_by_key(|hole| (len(hole), hole.start));
        gaps.retain(|hole| {
            let rest = budget.checked_sub(len(hole));
            budget = rest.unwrap_or(0);
            rest.is_none()
        });
        gaps.sort_by_key(|hole| hole.start);
        let last = gaps.last().filter(|hole| hole.end == size);
        let index = |place| usize::try_from(place).unwrap_or(usize::MAX);
        Extent {
            len: last.map_or(size, |hole| size.min(hole.start + TAIL)),
            gaps: gaps
                .iter()
                .map(|hole| index(hole.start)..index(hole.end))
                .collect(),
        }
    }
}

/// All holes of a file.
fn holes(file: &File, size: u64) -> Vec<Range<u64>> {
    let mut holes = Vec::new();
    let mut at = 0;
    while at < size && holes.len() < MOST {
        let data = match seek(file, SeekFrom::Data(at)) {
            Ok(data) => data.min(size),
            Err(Errno::NXIO) => size,
            Err(_) => break,
        };
        if data > at {
            holes.push(at..data);
        }
        match seek(file, SeekFrom::Hole(data)) {
            Ok(hole) if hole > data => at = hole,
            _ => break,
        }
    }
    holes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    /// The extent of a file with blocks of data at some places.
    fn extent(size: u64, data: &[u64]) -> Extent {
        let file = tempfile::tempfile().unwrap();
        for &place in data {
            file.write_at(&[1; 4096], place).unwrap();
        }
        file.set_len(size).unwrap();
        Extent::of(&file, &file.metadata().unwrap())
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn long_holes_are_found() {
        assert!(extent(4096, &[0]).gaps.is_empty());
        let end = 1 << 43;
        let one = extent(end, &[0]);
        assert_eq!((one.len, &*one.gaps), (4096 + TAIL, &[4096..1 << 43][..]));
        let far = 1 << 40;
        let two = extent(far + 4096, &[0, far]);
        assert_eq!((two.len, &*two.gaps), (far + 4096, &[4096..1 << 40][..]));
        let none = extent(1 << 32, &[]);
        assert_eq!((none.len, &*none.gaps), (TAIL, &[0..1 << 32][..]));
    }

    #[test]
    fn short_holes_are_data() {
        assert!(extent(1 << 20, &[0]).gaps.is_empty());
        assert_eq!(
            extent(0, &[]),
            Extent {
                len: 0,
                gaps: Vec::new()
            }
        );
        // However the holes are distributed, the rest is proportional to the data.
        let holes = (0..1000)
            .map(|n| n * 1_000_000 + 10..(n + 1) * 1_000_000)
            .collect();
        let Extent { len, gaps } = Extent::without(holes, 1_000_000_000);
        let passed: usize = gaps.iter().map(|gap| gap.len()).sum();
        assert!(len - passed as u64 <= 2 * 10_000 + 2 * FREE, "{len} {passed}");
    }
}
