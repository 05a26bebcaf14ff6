//! Members of archives that are not compressed: the bytes themselves, and their checksum.

use crc32fast::Hasher;

use super::input::{Input, Reader};
use super::stream::{Damage, Stream, StreamStep};

/// The bytes of a member.
pub(super) struct Stored {
    reader: Reader,
    /// Checksum of the bytes read so far, and the stored checksum. `None` once they were compared, or if the archive
    /// has no checksum.
    sum: Option<(Hasher, u32)>,
    /// Offset of the member in the file.
    member: u64,
}

impl Stored {
    /// Begins at an offset. If that is the start of the member, the checksum is compared at its end.
    pub(super) fn new(input: Input, at: u64, sum: Option<u32>) -> Stored {
        let member = input.in_file(0);
        Stored {
            reader: Reader::new(input, at),
            sum: sum.filter(|_| at == 0).map(|sum| (Hasher::new(), sum)),
            member,
        }
    }
}

impl Stream for Stored {
    fn step(&mut self, buffer: &mut [u8]) -> Result<StreamStep, Damage> {
        let bytes = self.reader.bytes();
        let len = bytes.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..len), bytes.get(..len)) {
            to.copy_from_slice(from);
            if let Some((sum, _)) = &mut self.sum {
                sum.update(to);
            }
        }
        self.reader.consume(len);
        if len > 0 {
            return Ok(StreamStep::Bytes(len));
        }
        let sums = self.sum.take().map(|(read, stored)| (read.finalize(), stored));
        match sums {
            Some((read, stored)) if read != stored => {
                let what = "the checksum of this member differs";
                Ok(StreamStep::Doubt(Damage::new(self.member, what)))
            }
            _ => Ok(StreamStep::End),
        }
    }
}
