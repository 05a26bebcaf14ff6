//! Whole members of zip archives. Stored members are used in place; others are unpacked into memory.

use std::ops::{Deref, Range};
use std::sync::Arc;

use crc32fast::Hasher;

use super::ZipMember;
use super::allowance::Allowance;
use super::codec::Codec;
use super::error::PackedError;
use super::input::Input;
use super::slices::Slices;
use super::stream::{Damage, StreamStep};
use crate::bytes::index;
use crate::files::Bytes;

/// Bytes that are unpacked at a time.
const BUFFER: usize = 16 << 10;
/// The checksum of stored members up to this length is compared. Reading longer members would make opening the archive
/// too slow.
const MOST_SUMMED: u64 = 64 << 20;

/// The bytes of a member, and their damage.
#[derive(Clone, Debug)]
pub struct Whole {
    /// The bytes, up to the first damage.
    pub bytes: Arc<dyn Bytes>,
    /// The damage in the bytes.
    pub damage: Vec<Damage>,
}

impl ZipMember {
    /// All bytes of the member. Stored bytes stay in the archive and are taken from `in_place`; other bytes are
    /// unpacked into memory.
    ///
    /// # Errors
    /// If the member cannot be found, is packed by an unsupported method, or unpacks to more than the archive may.
    pub fn whole(
        &self,
        archive: &Arc<dyn Bytes>,
        allowance: &Allowance,
        in_place: &Allowance,
    ) -> Result<Whole, PackedError> {
        let codec = self.codec()?;
        let input = Input::new(Arc::clone(archive)).part(self.range());
        let mut whole = match codec {
            Codec::Stored { sum } => {
                in_place.take(input.len())?;
                let sum = sum.filter(|_| input.len() <= MOST_SUMMED);
                let differs = sum.is_some_and(|sum| sum != checksum(&input));
                let damage = differs.then(|| Damage::new(input.in_file(0), DIFFERS));
                Whole {
                    bytes: Arc::new(FilePart::new(Arc::clone(archive), self.range())),
                    damage: damage.into_iter().collect(),
                }
            }
            _ => {
                let (bytes, damage) = unpacked(&input, codec, archive, allowance, u64::MAX)?;
                Whole {
                    bytes: Arc::new(bytes),
                    damage,
                }
            }
        };
        let len = whole.bytes.len() as u64;
        // Without a checksum, the archive states no size of the member either.
        if whole.damage.is_empty() && self.is_stated() && self.unpacked != len {
            let what = format!(
                "the archive says that {} bytes are packed here, but there are {len}",
                self.unpacked
            );
            whole.damage.push(Damage::new(input.in_file(0), what));
        }
        Ok(whole)
    }

    /// At most the first `most` bytes of the member, up to the first damage.
    ///
    /// # Errors
    /// As [`ZipMember::whole`].
    pub fn beginning(
        &self,
        archive: &Arc<dyn Bytes>,
        allowance: &Allowance,
        most: u64,
    ) -> Result<Vec<u8>, PackedError> {
        let input = Input::new(Arc::clone(archive)).part(self.range());
        let (bytes, _) = unpacked(&input, self.codec()?, archive, allowance, most)?;
        Ok(bytes)
    }
}

/// The damage if the checksum in the archive differs.
const DIFFERS: &str = "the checksum of this member differs";

/// The first `most` unpacked bytes and the damage among them.
fn unpacked(
    input: &Input,
    codec: Codec,
    archive: &Arc<dyn Bytes>,
    allowance: &Allowance,
    most: u64,
) -> Result<(Vec<u8>, Vec<Damage>), PackedError> {
    let mut out = Vec::new();
    let mut damage = Vec::new();
    let mut stream = codec.stream(input, 0, None, &Slices::shared());
    let mut buffer = vec![0; BUFFER];
    while (out.len() as u64) < most && !archive.is_lost() {
        match stream.step(&mut buffer) {
            Ok(StreamStep::Bytes(more)) => {
                allowance.take(more as u64)?;
                out.extend_from_slice(buffer.get(..more).unwrap_or_default());
            }
            Ok(StreamStep::Point(_) | StreamStep::Inside(_)) => {}
            Ok(StreamStep::Doubt(doubt)) => damage.push(doubt),
            Ok(StreamStep::End) => break,
            Err(error) => {
                damage.push(error);
                break;
            }
        }
    }
    out.truncate(index(most));
    out.shrink_to_fit();
    Ok((out, damage))
}

fn checksum(input: &Input) -> u32 {
    let mut hasher = Hasher::new();
    let mut buffer = vec![0; BUFFER];
    let mut at = 0;
    loop {
        let len = input.copy(at, &mut buffer);
        hasher.update(buffer.get(..len).unwrap_or_default());
        at += len as u64;
        if len < buffer.len() {
            return hasher.finalize();
        }
    }
}

/// A part of a file.
#[derive(Debug)]
struct FilePart {
    file: Arc<dyn Bytes>,
    range: Range<usize>,
    gaps: Vec<Range<usize>>,
}

impl FilePart {
    fn new(file: Arc<dyn Bytes>, range: Range<u64>) -> FilePart {
        let end = index(range.end).min(file.len());
        let range = index(range.start).min(end)..end;
        let inside = |gap: &Range<usize>| {
            let from = gap.start.max(range.start);
            let to = gap.end.min(range.end);
            (from < to).then(|| from - range.start..to - range.start)
        };
        let gaps = file.gaps().iter().filter_map(inside).collect();
        FilePart { file, range, gaps }
    }
}

impl Deref for FilePart {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.file.get(self.range.clone()).unwrap_or_default()
    }
}

impl Bytes for FilePart {
    fn gaps(&self) -> &[Range<usize>] {
        &self.gaps
    }

    fn is_lost(&self) -> bool {
        self.file.is_lost()
    }

    fn is_intact(&self) -> bool {
        self.file.is_intact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::holed::Holed;

    #[test]
    fn a_section_has_the_holes_of_its_file_that_are_inside() {
        let file = Arc::new(Holed((0..100).collect(), vec![0..5, 8..12, 20..30, 40..90]));
        let section = FilePart::new(file, 10..50);
        assert_eq!(section.len(), 40);
        assert_eq!(section.first(), Some(&10));
        assert_eq!(section.gaps(), [0..2, 10..20, 30..40]);
        let behind = FilePart::new(Arc::new(vec![0; 10]), 20..30);
        assert!(behind.is_empty());
    }
}
