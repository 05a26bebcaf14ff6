//! The bytes of a PGN file, read by ranges.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::bytes::index;
use crate::database::NotADatabase;
use crate::files::Bytes;
use crate::text;

/// The bytes of a PGN file: a mapped file, or the contents of a packed one.
pub trait Source: Debug + Send + Sync {
    /// Number of bytes.
    fn len(&self) -> u64;

    /// The bytes of a range, fewer if the source ends earlier or part of the range cannot be read.
    fn read(&self, range: Range<u64>) -> Cow<'_, [u8]>;

    /// All bytes, if they are in memory.
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }

    /// True if reading at several places in turn is much slower than reading from start to end.
    fn is_one_stream(&self) -> bool {
        false
    }

    /// True if the bytes of a range are unpacked each time that they are read.
    fn is_packed(&self) -> bool {
        false
    }

    /// Ranges that are skipped, in ascending order: long holes of a file, and empty ranges between files. No game
    /// continues after one.
    fn gaps(&self) -> &[Range<usize>] {
        &[]
    }

    /// The name of the file that has a byte, and the offset of the byte in it; none for a source of one file.
    fn file_at(&self, _offset: u64) -> Option<(&str, u64)> {
        None
    }
}

/// Longest file in UTF-16 that is converted, in bytes.
const LONGEST_UTF_16: u64 = 1 << 28;

/// The encoding of a file that starts with a byte-order mark of UTF-16.
pub fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// A source in UTF-8. A source in UTF-16 is converted in memory.
///
/// # Errors
/// If the source is in UTF-16 and too long.
pub fn in_utf_8(source: Box<dyn Source>) -> Result<Box<dyn Source>, NotADatabase> {
    let Some(encoding) = utf_16(&source.read(0..2)) else {
        return Ok(source);
    };
    if source.len() > LONGEST_UTF_16 {
        let what = "the file is in UTF-16 and longer than 256 MiB: convert it to UTF-8 with iconv";
        return Err(NotADatabase::new(what));
    }
    let text = text::decode(&source.read(2..source.len()), encoding);
    let bytes: Arc<dyn Bytes> = Arc::new(text.into_bytes());
    Ok(Box::new(bytes))
}

impl Source for Arc<dyn Bytes> {
    fn len(&self) -> u64 {
        (**self).len() as u64
    }

    fn read(&self, range: Range<u64>) -> Cow<'_, [u8]> {
        let start = index(range.start).min((**self).len());
        let end = index(range.end).clamp(start, (**self).len());
        Cow::Borrowed(self.get(start..end).unwrap_or_default())
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self)
    }

    fn gaps(&self) -> &[Range<usize>] {
        (**self).gaps()
    }
}
