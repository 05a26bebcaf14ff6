//! The kinds of compression.

use std::sync::Arc;

use super::input::Input;
use super::slices::Slices;
use super::stream::{PackedLayout, Stream};
use super::{bzip2, gzip, stored, zstd};

/// The kind of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Zstandard,
    Gzip,
    Bzip2,
    /// Deflate without header and trailer, as in zip, with the CRC-32 of the unpacked bytes.
    Deflate {
        sum: Option<u32>,
    },
    /// Not compressed, as in zip, with the CRC-32 of the bytes.
    Stored {
        sum: Option<u32>,
    },
}

impl Codec {
    /// Recognises the codec of a file by its first bytes.
    pub(super) fn detect(input: &Input) -> Option<Codec> {
        let start: [u8; 4] = input.array(0)?;
        if zstd::is_frame(start) {
            Some(Codec::Zstandard)
        } else if start.starts_with(&gzip::MEMBER) {
            Some(Codec::Gzip)
        } else if bzip2::is_stream(start) {
            Some(Codec::Bzip2)
        } else {
            None
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Codec::Zstandard => "Zstandard",
            Codec::Gzip => "gzip",
            Codec::Bzip2 => "bzip2",
            Codec::Deflate { .. } => "zip",
            Codec::Stored { .. } => "zip, stored",
        }
    }

    /// False if the crate was built without the feature for this codec.
    pub(super) fn is_built_in(self) -> bool {
        let is_missing = |codec, has_feature: bool| self == codec && !has_feature;
        !is_missing(Codec::Zstandard, cfg!(feature = "zstd"))
            && !is_missing(Codec::Bzip2, cfg!(feature = "bzip2"))
    }

    /// The parts of a file that are known without unpacking it.
    pub(super) fn parts(self, input: &Input) -> PackedLayout {
        match self {
            Codec::Zstandard => zstd::parts(input),
            Codec::Gzip => gzip::parts(input),
            Codec::Bzip2 => bzip2::parts(input),
            Codec::Deflate { .. } | Codec::Stored { .. } => PackedLayout::Stream,
        }
    }

    /// The unpacked bytes from a point on. Waits for the memory that this needs.
    pub(super) fn stream(
        self,
        input: &Input,
        bit: u64,
        window: Option<&[u8]>,
        memory: &Arc<Slices>,
    ) -> Box<dyn Stream> {
        let input = input.clone();
        let at = bit / 8;
        match (self, window) {
            #[cfg(feature = "zstd")]
            (Codec::Zstandard, _) => Box::new(zstd::Frames::new(input, at, memory)),
            #[cfg(feature = "bzip2")]
            (Codec::Bzip2, _) => Box::new(bzip2::BlockStream::new(input, bit, memory)),
            // Without the feature, such a file was never opened.
            #[cfg(not(all(feature = "bzip2", feature = "zstd")))]
            (Codec::Bzip2 | Codec::Zstandard, _) => Box::new(stored::Stored::new(input, at, None)),
            (Codec::Gzip, None) => Box::new(gzip::MemberStream::new(input, at, memory)),
            (Codec::Gzip, Some(window)) => {
                Box::new(gzip::MemberStream::resume(input, bit, window, false, memory))
            }
            (Codec::Deflate { sum }, None) => Box::new(gzip::MemberStream::bare(input, sum, memory)),
            (Codec::Deflate { .. }, Some(window)) => {
                Box::new(gzip::MemberStream::resume(input, bit, window, true, memory))
            }
            (Codec::Stored { sum }, _) => Box::new(stored::Stored::new(input, at, sum)),
        }
    }
}
