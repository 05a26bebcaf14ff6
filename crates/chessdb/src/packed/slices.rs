//! The memory for unpacking: a cache of unpacked bytes, the streams that can continue after them, and a limit for all
//! streams together.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

use super::budget::{Budget, Reserved};
use super::stream::Stream;

/// Maximum number of bytes in a slice.
pub(super) const SLICE: u64 = FULL as u64;
/// [`SLICE`], as a length in memory.
const FULL: usize = 1 << 20;
/// Number of bytes that [`Slices::shared`] keeps.
const SHARED: usize = 64 << 20;
/// Maximum number of dropped slices that are kept for reuse.
const MOST_SPARE: usize = 4;
/// Memory of streams for each byte of slices.
const STREAMS_TIMES: usize = 3;
/// Least memory for streams.
const LEAST: usize = 64 << 20;
/// Maximum number of streams that are kept.
const STREAMS: usize = 64;
/// A stream that was not used for this long is dropped when another stream needs its memory. Without this wait, two
/// streams used in turn would drop each other, and would have to start again every time.
const IDLE: Duration = Duration::from_millis(500);
/// After waiting this long, a stream gets the memory of idle streams, however recently they were used.
const PATIENCE: Duration = Duration::from_secs(10);

/// A cache of unpacked bytes of any number of files, which drops the least recently used first. It also limits the
/// memory of the streams that unpack them.
#[derive(Debug)]
pub struct Slices {
    most: usize,
    kept: Mutex<KeptSlices>,
    /// Memory of all streams, including those in use.
    memory: Arc<Budget>,
}

#[derive(Debug)]
struct KeptSlices {
    /// Slices by file and offset.
    slices: LruCache<(u64, u64), Arc<Vec<u8>>>,
    /// The offsets of the slices of each file.
    starts: HashMap<u64, Vec<u64>>,
    /// Number of bytes of all slices.
    bytes: usize,
    /// Dropped slices of full length, kept for reuse, because the kernel has to zero new memory.
    spare: Vec<Vec<u8>>,
    /// Streams that can continue; the most recently used is the last.
    streams: VecDeque<WaitingStream>,
}

/// A stream that waits to be continued.
#[derive(Debug)]
struct WaitingStream {
    file: u64,
    since: Instant,
    stream: Resting,
}

/// A stream that can continue.
pub(super) struct Resting {
    /// Number of the stream's section.
    pub section: u64,
    /// Offset of the next unpacked byte.
    pub at: u64,
    /// The stream; `None` after damage.
    pub stream: Option<Box<dyn Stream>>,
}

impl std::fmt::Debug for Resting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stream at {} in section {}", self.at, self.section)
    }
}

impl Slices {
    /// Keeps at most `most` bytes. Streams have three times as much memory, at least 64 MiB.
    pub fn new(most: usize) -> Slices {
        let kept = KeptSlices {
            slices: LruCache::unbounded(),
            starts: HashMap::new(),
            bytes: 0,
            spare: Vec::new(),
            streams: VecDeque::new(),
        };
        Slices {
            most,
            kept: Mutex::new(kept),
            memory: Budget::new((most * STREAMS_TIMES).max(LEAST)),
        }
    }

    /// The cache shared by all files: 64 MiB for slices, and 192 MiB for streams.
    pub fn shared() -> Arc<Slices> {
        static SLICES: LazyLock<Arc<Slices>> = LazyLock::new(|| Arc::new(Slices::new(SHARED)));
        Arc::clone(&SLICES)
    }

    fn kept(&self) -> MutexGuard<'_, KeptSlices> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a stream may use this number of bytes. The caller must not hold memory for another stream.
    pub(super) fn reserve(&self, bytes: usize) -> Reserved {
        self.memory.reserve(bytes, |waited| self.drop_oldest(waited))
    }

    /// Drops the least recently used stream, if it has been idle for [`IDLE`] or the caller has waited for
    /// [`PATIENCE`].
    fn drop_oldest(&self, waited: Duration) -> bool {
        let mut kept = self.kept();
        let oldest = kept.streams.front();
        let is_idle = oldest.is_some_and(|oldest| oldest.since.elapsed() >= IDLE || waited >= PATIENCE);
        let idle = if is_idle { kept.streams.pop_front() } else { None };
        drop(kept);
        idle.is_some()
    }

    /// Memory in bytes that streams use at present.
    pub fn reserved(&self) -> usize {
        self.memory.reserved()
    }

    /// The slice of a file that starts at `start`.
    pub(super) fn get(&self, file: u64, start: u64) -> Option<Arc<Vec<u8>>> {
        self.kept().slices.get(&(file, start)).cloned()
    }

    /// A slice of this length with arbitrary contents.
    pub(super) fn unfilled(&self, len: usize) -> Vec<u8> {
        let spare = (len == FULL).then(|| self.kept().spare.pop()).flatten();
        spare.unwrap_or_else(|| vec![0; len])
    }

    pub(super) fn put(&self, file: u64, start: u64, slice: &Arc<Vec<u8>>) {
        let mut kept = self.kept();
        kept.bytes += slice.len();
        match kept.slices.put((file, start), Arc::clone(slice)) {
            Some(old) => kept.bytes -= old.len(),
            None => kept.starts.entry(file).or_default().push(start),
        }
        while kept.bytes > self.most
            && let Some(((file, start), old)) = kept.slices.pop_lru()
        {
            kept.bytes -= old.len();
            if let Some(starts) = kept.starts.get_mut(&file) {
                // The oldest slices, which are dropped first, are at the front.
                let place = starts.iter().position(|&kept| kept == start);
                place.map(|place| starts.remove(place));
            }
            if kept.spare.len() < MOST_SPARE && old.len() == FULL {
                kept.spare.extend(Arc::into_inner(old));
            }
        }
    }

    /// Takes the stream of a section that can reach the byte at `at` with the fewest bytes in between.
    pub(super) fn take_stream(&self, file: u64, section: u64, at: u64) -> Option<Resting> {
        let streams = &mut self.kept().streams;
        let fits = |WaitingStream { file: of, stream, .. }: &WaitingStream| {
            *of == file && stream.section == section && stream.at <= at
        };
        let fitting = streams.iter().enumerate().filter(|(_, waiting)| fits(waiting));
        let (place, _) = fitting.max_by_key(|(_, waiting)| waiting.stream.at)?;
        Some(streams.remove(place)?.stream)
    }

    pub(super) fn put_stream(&self, file: u64, stream: Resting) {
        let mut kept = self.kept();
        let since = Instant::now();
        kept.streams.push_back(WaitingStream { file, since, stream });
        let oldest = if kept.streams.len() > STREAMS {
            kept.streams.pop_front()
        } else {
            None
        };
        drop(kept);
        drop(oldest);
        self.memory.wake();
    }

    /// Drops all slices and streams of a file.
    pub(super) fn forget(&self, file: u64) {
        let mut kept = self.kept();
        let starts = kept.starts.remove(&file).unwrap_or_default();
        for start in starts {
            let old = kept.slices.pop(&(file, start));
            kept.bytes -= old.map_or(0, |old| old.len());
        }
        let streams = std::mem::take(&mut kept.streams);
        let (dropped, others): (VecDeque<_>, _) =
            streams.into_iter().partition(|waiting| waiting.file == file);
        kept.streams = others;
        if kept.slices.is_empty() {
            kept.spare.clear();
        }
        drop(kept);
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_take_no_more_memory_than_they_have_bytes() {
        let slices = Slices::new(2 * FULL);
        for number in 0..8 {
            for len in [FULL, 1000] {
                let slice = slices.unfilled(len);
                assert_eq!((slice.len(), slice.capacity()), (len, len));
                slices.put(1, number * SLICE + len as u64, &Arc::new(slice));
            }
        }
        assert!(!slices.kept().spare.is_empty());
        slices.forget(1);
        assert!(slices.kept().spare.is_empty());
    }

    #[test]
    fn streams_that_rest_give_their_memory_to_others() {
        struct Ended {
            _memory: Reserved,
        }
        impl Stream for Ended {
            fn step(
                &mut self,
                _: &mut [u8],
            ) -> Result<super::super::stream::StreamStep, super::super::Damage> {
                Ok(super::super::stream::StreamStep::End)
            }
        }
        let slices = Arc::new(Slices::new(0));
        let _memory = slices.reserve(LEAST);
        let stream: Option<Box<dyn Stream>> = Some(Box::new(Ended { _memory }));
        let (section, at) = (0, 0);
        slices.put_stream(1, Resting { section, at, stream });
        let memory = slices.reserve(LEAST);
        assert_eq!(slices.reserved(), LEAST);
        assert!(slices.take_stream(1, 0, 0).is_none());
        drop(memory);
        assert_eq!(slices.reserved(), 0);
    }
}
