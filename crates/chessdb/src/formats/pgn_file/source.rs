//! The bytes of a PGN file, read by ranges.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::bytes::index;
use crate::database::{NotADatabase, PgnForm};
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

    /// The name of the file that contains a byte, and the offset of the byte in it; `None` for a source of one file.
    fn file_at(&self, _offset: u64) -> Option<(&str, u64)> {
        None
    }
}

/// Longest file that is converted, in bytes.
const LONGEST_CONVERTED: u64 = 1 << 28;

/// The encoding from which a file is converted before it is read: given by its byte-order mark, or named by the user
/// if its characters have several bytes. Some of these bytes are brackets, braces or backslashes in ASCII, which would
/// end comments and tags.
pub fn converted_from(bytes: &[u8], forced: Option<&'static Encoding>) -> Option<&'static Encoding> {
    match bytes {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ => forced.filter(|&encoding| encoding != UTF_8 && !encoding.is_single_byte()),
    }
}

/// Bytes in an encoding as UTF-8, without a byte-order mark.
pub fn in_utf_8(bytes: &[u8], encoding: &'static Encoding) -> Vec<u8> {
    let marked = encoding == UTF_16LE || encoding == UTF_16BE;
    let text = bytes.get(if marked { 2 } else { 0 }..).unwrap_or_default();
    text::decode(text, encoding).into_bytes()
}

/// A source in an encoding, converted to UTF-8 in memory.
///
/// # Errors
/// If it is too long, or must be shown byte for byte.
pub fn converted(
    source: &dyn Source,
    encoding: &'static Encoding,
    form: PgnForm,
) -> Result<Box<dyn Source>, NotADatabase> {
    let name = encoding_name(encoding);
    if source.len() > LONGEST_CONVERTED {
        return Err(NotADatabase::new(format!(
            "the file is in {name} and longer than 256 MiB: convert it to UTF-8 with iconv"
        )));
    }
    if form == PgnForm::Verbatim {
        return Err(NotADatabase::new(format!(
            "the file is in {name}: it can only be shown converted, which the form verbatim excludes"
        )));
    }
    let bytes: Arc<dyn Bytes> = Arc::new(in_utf_8(&source.read(0..source.len()), encoding));
    Ok(Box::new(bytes))
}

/// The name of an encoding for display.
pub fn encoding_name(encoding: &'static Encoding) -> &'static str {
    match encoding.name() {
        "UTF-16LE" | "UTF-16BE" => "UTF-16",
        name => name,
    }
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
