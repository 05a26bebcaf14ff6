//! A cache of unpacked bytes, and of streams that can continue after them.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::Stream;

/// Maximum number of bytes in a slice.
pub(super) const SLICE: u64 = 1 << 20;
/// Number of bytes that [`Slices::shared`] keeps.
const SHARED: usize = 64 << 20;
/// Maximum number of streams that are kept.
const STREAMS: usize = 8;

/// Unpacked bytes of any number of files. The least recently used are dropped first.
#[derive(Debug)]
pub struct Slices {
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    /// Slices by file and offset.
    slices: LruCache<(u64, u64), Arc<[u8]>>,
    /// Number of bytes of all slices.
    bytes: usize,
    /// Streams with their files; the most recently used is the last.
    streams: Vec<(u64, Resting)>,
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

impl Resting {
    fn memory(&self) -> usize {
        self.stream.as_ref().map_or(0, |stream| stream.memory())
    }
}

impl Slices {
    /// Keeps at most `most` bytes, and as many again in waiting streams.
    pub fn new(most: usize) -> Slices {
        let kept = Kept {
            slices: LruCache::unbounded(),
            bytes: 0,
            streams: Vec::new(),
        };
        let kept = Mutex::new(kept);
        Slices { most, kept }
    }

    /// The slices shared by all files: 64 MiB.
    pub fn shared() -> Arc<Slices> {
        static SLICES: LazyLock<Arc<Slices>> = LazyLock::new(|| Arc::new(Slices::new(SHARED)));
        Arc::clone(&SLICES)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slice of a file that begins at `start`.
    pub(super) fn get(&self, file: u64, start: u64) -> Option<Arc<[u8]>> {
        self.kept().slices.get(&(file, start)).cloned()
    }

    pub(super) fn put(&self, file: u64, start: u64, slice: &Arc<[u8]>) {
        let mut kept = self.kept();
        kept.bytes += slice.len();
        if let Some(old) = kept.slices.put((file, start), Arc::clone(slice)) {
            kept.bytes -= old.len();
        }
        while kept.bytes > self.most
            && let Some((_, old)) = kept.slices.pop_lru()
        {
            kept.bytes -= old.len();
        }
    }

    /// Takes the stream of a section that is nearest before, or at, the byte at `at`.
    pub(super) fn take_stream(&self, file: u64, section: u64, at: u64) -> Option<Resting> {
        let streams = &mut self.kept().streams;
        let fits =
            |(of, stream): &(u64, Resting)| *of == file && stream.section == section && stream.at <= at;
        let fitting = streams.iter().enumerate().filter(|(_, stream)| fits(stream));
        let (place, _) = fitting.max_by_key(|(_, (_, stream))| stream.at)?;
        Some(streams.remove(place).1)
    }

    pub(super) fn put_stream(&self, file: u64, stream: Resting) {
        let streams = &mut self.kept().streams;
        streams.push((file, stream));
        let memory =
            |streams: &[(u64, Resting)]| streams.iter().map(|(_, stream)| stream.memory()).sum::<usize>();
        while streams.len() > STREAMS || (streams.len() > 1 && memory(streams) > self.most) {
            streams.remove(0);
        }
    }

    /// Drops all slices and streams of a file.
    pub(super) fn forget(&self, file: u64) {
        let mut kept = self.kept();
        kept.streams.retain(|(of, _)| *of != file);
        let starts = kept.slices.iter().filter(|((of, _), _)| *of == file);
        let keys: Vec<(u64, u64)> = starts.map(|(key, _)| *key).collect();
        for key in keys {
            let old = kept.slices.pop(&key);
            kept.bytes -= old.map_or(0, |old| old.len());
        }
    }
}
