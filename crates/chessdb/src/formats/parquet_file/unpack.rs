//! Unpacking pages (section 3.2). The header of a page states its unpacked length. Nothing is unpacked beyond that, and
//! memory is allocated only for bytes that exist.

use std::fmt;
use std::io::Read;

/// How the pages of a column are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Codec {
    Plain,
    Snappy,
    Gzip,
    Lz4,
    /// LZ4 in Hadoop's frame.
    OldLz4,
    Zstandard,
    /// Any other compression, which is not read, by its name.
    Other(&'static str),
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Codec::Plain => "none",
            Codec::Snappy => "Snappy",
            Codec::Gzip => "gzip",
            Codec::Lz4 => "LZ4",
            Codec::OldLz4 => "LZ4 of Hadoop",
            Codec::Zstandard => "Zstandard",
            Codec::Other(name) => name,
        })
    }
}

impl Codec {
    /// True if its pages can be unpacked.
    pub(super) fn is_read(self) -> bool {
        match self {
            Codec::Other(_) => false,
            Codec::Zstandard => cfg!(feature = "zstd"),
            _ => true,
        }
    }

    /// Unpacks bytes to exactly `len` bytes; `None` if they are damaged or have another length.
    pub(super) fn unpack(self, packed: &[u8], len: usize) -> Option<Vec<u8>> {
        if len == 0 {
            return Some(Vec::new());
        }
        let mut unpacked = match self {
            Codec::Plain => packed.to_vec(),
            Codec::Snappy => snappy(packed, len)?,
            Codec::Gzip => {
                let mut unpacked = Vec::new();
                let most = u64::try_from(len).ok()?.checked_add(1)?;
                let mut stream = flate2::read::MultiGzDecoder::new(packed).take(most);
                stream.read_to_end(&mut unpacked).ok()?;
                unpacked
            }
            Codec::Lz4 => lz4(packed, len)?,
            Codec::OldLz4 => old_lz4(packed, len)?,
            Codec::Zstandard => zstandard(packed, len)?,
            Codec::Other(_) => return None,
        };
        // The buffer may be twice as long as its contents, and is kept in memory.
        unpacked.shrink_to_fit();
        (unpacked.len() == len).then_some(unpacked)
    }
}

/// Maximum ratio of Snappy: three bytes can repeat up to 64 bytes.
const SNAPPY_TIMES: usize = 32;

fn snappy(packed: &[u8], len: usize) -> Option<Vec<u8>> {
    if snap::raw::decompress_len(packed).ok()? != len || len / SNAPPY_TIMES > packed.len() {
        return None;
    }
    snap::raw::Decoder::new().decompress_vec(packed).ok()
}

/// Maximum ratio of LZ4: one more byte makes a copy up to 255 bytes longer.
const LZ4_TIMES: usize = 256;

fn lz4(packed: &[u8], len: usize) -> Option<Vec<u8>> {
    let is_possible = len / LZ4_TIMES <= packed.len();
    is_possible
        .then(|| lz4_flex::block::decompress(packed, len).ok())
        .flatten()
}

/// Blocks of LZ4, each after its unpacked and its packed length in big endian. Some programs wrote a bare block
/// instead.
fn old_lz4(packed: &[u8], len: usize) -> Option<Vec<u8>> {
    let framed = || {
        let mut unpacked = Vec::new();
        let mut rest = packed;
        while !rest.is_empty() {
            let (head, after) = rest.split_first_chunk::<8>()?;
            let [a, b, c, d, e, f, g, h] = *head;
            let block_len = usize::try_from(u32::from_be_bytes([a, b, c, d])).ok()?;
            let packed_len = usize::try_from(u32::from_be_bytes([e, f, g, h])).ok()?;
            let (block, after) = after.split_at_checked(packed_len)?;
            if block_len > len.checked_sub(unpacked.len())? {
                return None;
            }
            unpacked.extend(lz4(block, block_len)?);
            rest = after;
        }
        (unpacked.len() == len).then_some(unpacked)
    };
    framed().or_else(|| lz4(packed, len))
}

#[cfg(feature = "zstd")]
fn zstandard(packed: &[u8], len: usize) -> Option<Vec<u8>> {
    /// Step in which memory is allocated, because the stated length may be wrong.
    const PIECE: usize = 1 << 20;
    let mut stream = zstd_safe::DCtx::try_create()?;
    let mut input = zstd_safe::InBuffer::around(packed);
    let mut unpacked = Vec::new();
    loop {
        let start = unpacked.len();
        // One byte more, to notice a page that is longer.
        let more = (len + 1 - start).min(PIECE.max(start));
        unpacked.resize(start + more, 0);
        let mut output = zstd_safe::OutBuffer::around_pos(&mut *unpacked, start);
        let hint = stream.decompress_stream(&mut output, &mut input);
        let end = output.pos();
        let was_full = end == start + more;
        unpacked.truncate(end);
        let hint = hint.ok()?;
        if end > len || !was_full && (hint == 0 || input.pos == packed.len()) {
            return Some(unpacked);
        }
    }
}

#[cfg(not(feature = "zstd"))]
fn zstandard(_: &[u8], _: usize) -> Option<Vec<u8>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_all_codecs_have_exactly_their_length() {
        use std::io::Write;
        let text = b"1. e4 e5 2. Nf3 Nc6 ".repeat(100);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let lz4 = lz4_flex::block::compress(&text);
        let sizes = [text.len(), lz4.len()].map(|len| u32::try_from(len).unwrap().to_be_bytes());
        let mut cases = vec![
            (Codec::Plain, text.clone()),
            (
                Codec::Snappy,
                snap::raw::Encoder::new().compress_vec(&text).unwrap(),
            ),
            (Codec::Gzip, gzip.finish().unwrap()),
            (Codec::OldLz4, [&sizes.concat(), &lz4[..]].concat()),
            (Codec::OldLz4, lz4.clone()),
            (Codec::Lz4, lz4),
        ];
        if Codec::Zstandard.is_read() {
            let mut packed = vec![0; 10_000];
            let len = zstd_safe::compress(&mut packed[..], &text, 3).unwrap();
            packed.truncate(len);
            cases.push((Codec::Zstandard, packed));
        }
        for (codec, packed) in cases {
            assert_eq!(codec.unpack(&packed, text.len()).as_ref(), Some(&text), "{codec}");
            for len in [1, text.len() - 1, text.len() + 1, 1 << 40] {
                assert_eq!(codec.unpack(&packed, len), None, "{codec} of {len}");
            }
            for cut in 0..packed.len() {
                assert_eq!(
                    codec.unpack(&packed[..cut], text.len()),
                    None,
                    "{codec} cut at {cut}"
                );
            }
        }
    }
}
