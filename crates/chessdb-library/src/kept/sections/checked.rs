//! A mapped file whose blocks are checked on first use, and again after the file was changed.
//!
//! While the file is used, its size and times are read every few milliseconds. When they differ, or may hide a change,
//! all blocks must be checked again. So if another program touches the file, for example to note its use, its blocks
//! are only checked again; if the bytes differ, that is damage.

use parking_lot::Mutex;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use xxhash_rust::xxh3::xxh3_64;

use super::{BLOCK, Damaged};
use crate::mapped::{Mapped, Stamp, now, ticks};

/// A mapped file with a checksum for each block.
pub(super) struct Checked {
    pub(super) map: Mapped,
    /// The bytes that have checksums.
    range: Range<usize>,
    sums: Vec<u64>,
    /// The state of the file in which each block was last found to match its checksum; 0 if it never was.
    sound: Vec<AtomicU32>,
    /// Number of the present state of the file, from 1.
    state: AtomicU32,
    /// When the stamp of the file was last read.
    looked: AtomicU64,
    last: Mutex<Look>,
}

/// What the last check of a file found.
struct Look {
    stamp: Option<Stamp>,
    /// When this stamp was first found.
    since: Instant,
    /// True if any change after the last look gives another stamp, because the last change was long enough before.
    is_settled: bool,
}

impl Checked {
    /// A file whose bytes in `range` have these checksums.
    pub(super) fn new(map: Mapped, range: Range<usize>, sums: Vec<u64>) -> Checked {
        Checked {
            range,
            sound: sums.iter().map(|_| AtomicU32::new(0)).collect(),
            sums,
            state: AtomicU32::new(1),
            looked: AtomicU64::new(0),
            last: Mutex::new(Look {
                stamp: map.stamp().ok(),
                since: Instant::now(),
                is_settled: false,
            }),
            map,
        }
    }

    /// Bytes of the file, checked.
    ///
    /// # Errors
    /// If they are damaged, or have no checksum.
    #[inline]
    pub(super) fn get(&self, range: Range<usize>) -> Result<&[u8], Damaged> {
        if !range.is_empty() {
            let first = range.start.checked_sub(self.range.start).ok_or(Damaged)? / BLOCK;
            let last = (range.end - 1 - self.range.start) / BLOCK;
            let state = self.state();
            for block in first..=last {
                let sound = self.sound.get(block).ok_or(Damaged)?;
                if sound.load(Ordering::Acquire) != state {
                    self.check(block, state)?;
                }
            }
        }
        let bytes = self.map.get(range).ok_or(Damaged)?;
        // If the file is truncated meanwhile, the missing bytes read as zeros.
        if self.map.is_lost() {
            return Err(Damaged);
        }
        Ok(bytes)
    }

    /// The number of the present state of the file.
    #[inline]
    fn state(&self) -> u32 {
        let now = ticks();
        if self.looked.load(Ordering::Relaxed) != now && self.looked.swap(now, Ordering::Relaxed) != now {
            self.look();
        }
        self.state.load(Ordering::Acquire)
    }

    #[cold]
    fn look(&self) {
        let mut last = self.last.lock();
        // The time is taken before the stamp is read. The other way round, a change between the two could be missed.
        let now = now();
        let stamp = self.map.stamp().ok();
        if stamp != last.stamp {
            *last = Look {
                stamp,
                since: Instant::now(),
                is_settled: false,
            };
        } else if last.is_settled {
            return;
        }
        last.is_settled =
            stamp.is_none_or(|stamp| !stamp.is_recent(now) || last.since.elapsed() >= stamp.step());
        self.state.fetch_add(1, Ordering::Release);
    }

    /// Checks a block, and notes that it is sound in this state of the file.
    #[cold]
    fn check(&self, block: usize, state: u32) -> Result<(), Damaged> {
        let start = self.range.start + block * BLOCK;
        let end = (start + BLOCK).min(self.range.end);
        let bytes = self.map.get(start..end).ok_or(Damaged)?;
        if self.sums.get(block) != Some(&xxh3_64(bytes)) {
            return Err(Damaged);
        }
        // If the file has changed since, the current state has another number, so the block will be checked again.
        if let Some(sound) = self.sound.get(block) {
            sound.store(state, Ordering::Release);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::FileExt;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::*;

    const LEN: usize = 3 * BLOCK + 100;

    /// A file in which each block has another byte, and that was written some time ago if `is_old` is set.
    fn open(path: &Path, is_old: bool) -> Checked {
        let bytes: Vec<u8> = (0..LEN).map(|at| (at / BLOCK + 1) as u8).collect();
        fs::write(path, &bytes).unwrap();
        if is_old {
            // More than a step of the clock of the file system.
            std::thread::sleep(Duration::from_millis(30));
        }
        let sums = bytes.chunks(BLOCK).map(xxh3_64).collect();
        Checked::new(Mapped::of_kept(File::open(path).unwrap()).unwrap(), 0..LEN, sums)
    }

    /// Reads a byte of each block after the next check of the file.
    fn read(file: &Checked) -> Vec<Result<u8, Damaged>> {
        let tick = ticks();
        while ticks() == tick {
            std::thread::yield_now();
        }
        let of_block = |block| {
            file.get(block * BLOCK + 50..block * BLOCK + 51)
                .map(|bytes| bytes[0])
        };
        (0..4).map(of_block).collect()
    }

    #[test]
    fn a_block_that_is_overwritten_after_it_was_checked_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        for is_old in [true, false] {
            let path = folder.path().join("file");
            let file = open(&path, is_old);
            assert_eq!(read(&file), [Ok(1), Ok(2), Ok(3), Ok(4)]);
            let writer = File::options().write(true).open(&path).unwrap();
            writer.write_all_at(b"X", 2 * BLOCK as u64).unwrap();
            assert_eq!(read(&file), [Ok(1), Ok(2), Err(Damaged), Ok(4)]);
            writer.write_all_at(&[3], 2 * BLOCK as u64).unwrap();
            assert_eq!(read(&file), [Ok(1), Ok(2), Ok(3), Ok(4)]);
        }
    }

    #[test]
    fn a_file_that_is_cut_is_damaged_also_within_a_page() {
        let folder = tempfile::tempdir().unwrap();
        for len in [0, 10, BLOCK + 10, LEN - 1] {
            let path = folder.path().join("file");
            let file = open(&path, true);
            assert_eq!(read(&file), [Ok(1), Ok(2), Ok(3), Ok(4)]);
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_len(len as u64)
                .unwrap();
            assert_eq!(read(&file)[3], Err(Damaged), "{len}");
        }
    }

    #[test]
    fn a_file_whose_use_is_noted_is_still_sound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = open(&path, true);
        read(&file);
        let state = file.state.load(Ordering::Relaxed);
        File::open(&path)
            .unwrap()
            .set_modified(SystemTime::now())
            .unwrap();
        assert_eq!(read(&file), [Ok(1), Ok(2), Ok(3), Ok(4)]);
        assert!(file.state.load(Ordering::Relaxed) > state);
    }

    #[test]
    fn a_file_that_does_not_change_is_checked_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = open(&folder.path().join("file"), true);
        read(&file);
        let state = file.state.load(Ordering::Relaxed);
        for _ in 0..5 {
            read(&file);
        }
        assert_eq!(file.state.load(Ordering::Relaxed), state);
    }
}
