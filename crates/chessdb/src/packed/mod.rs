//! Random access to compressed files.
//!
//! | container | how it is read in the middle |
//! |---|---|
//! | `.zst` of pzstd, seekable `.zst` | by frames |
//! | other `.zst` | from its beginning, if it is one frame |
//! | `.gz` | from points where a block begins, with the 32 KiB before |
//! | BGZF, which is a kind of `.gz` | by members |
//! | `.bz2` | by blocks |
//! | `.zip` | a member as it is, or as `.gz` |
//!
//! The [index](Packed::index) has the lengths of the parts, and the points where unpacking can start. If the container
//! does not have these, making the index takes one pass over the file. Storing the index saves this pass the next time.
//!
//! Bytes are unpacked in slices of at most one mebibyte. A [`Slices`] keeps the most recently used slices and the
//! streams that unpacked them, so that sequential reading unpacks each byte once.
//!
//! Damage ends the file, or only the part if the parts decode independently. [`Packed::warnings`] reports it.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod allowance;
mod budget;
#[cfg_attr(not(feature = "bzip2"), allow(dead_code))]
mod bzip2;
mod codec;
mod error;
mod gzip;
mod index;
mod inflate;
mod input;
mod learn;
mod read;
mod slices;
mod stored;
mod stream;
mod whole;
mod zip;
#[cfg_attr(not(feature = "zstd"), allow(dead_code))]
mod zstd;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::files::Bytes;
pub use allowance::Allowance;
pub(crate) use budget::{Budget, Reserved};
use codec::Codec;
pub use error::PackedError;
use index::PointIndex;
use input::Input;
pub use slices::Slices;
pub use stream::Damage;
pub use whole::Whole;
pub use zip::{ZipMember, ZipMembers, zip_entries, zip_members};

/// A compressed file or a member of an archive.
#[derive(Debug)]
pub struct Packed {
    input: Input,
    codec: Codec,
    index: PointIndex,
    slices: Arc<Slices>,
    /// The key of the file's slices.
    id: u64,
    /// The lock for unpacking a section is chosen by its number, so that two threads do not unpack the same section.
    lanes: [Mutex<()>; LANES],
    /// Damage found by reading.
    found: Mutex<Vec<Damage>>,
    /// Number of bytes unpacked so far.
    unpacked: AtomicU64,
    /// True if the file was opened with a stored index.
    is_kept: bool,
}

/// Maximum number of sections that are unpacked at the same time.
const LANES: usize = 4;

impl Packed {
    /// Opens a compressed file, whose container is recognised by its bytes. For a zip archive, opens the
    /// first member that [`zip_members`] returns.
    ///
    /// With a stored index of the same file, nothing is unpacked. An index that is damaged or belongs to
    /// another file is ignored.
    ///
    /// # Errors
    /// If the file is not compressed, cannot be unpacked, or unpacks to far more than its size.
    pub fn open(bytes: Arc<dyn Bytes>, kept: Option<Arc<dyn Bytes>>) -> Result<Packed, PackedError> {
        let input = Input::new(Arc::clone(&bytes));
        match Codec::detect(&input) {
            Some(codec) => {
                let allowance = Allowance::of(input.data_len());
                Packed::with(input, codec, kept, &allowance)
            }
            None if zip::is_archive(&input) => {
                let first = zip_members(&bytes).members.into_iter().next();
                let first = first.ok_or(PackedError::Empty)?;
                Packed::open_member(bytes, &first, kept, &Allowance::of(input.data_len()))
            }
            None => Err(PackedError::Unknown),
        }
    }

    /// Opens a member of a zip archive, whose members share an allowance.
    ///
    /// # Errors
    /// As [`Packed::open`].
    pub fn open_member(
        bytes: Arc<dyn Bytes>,
        member: &ZipMember,
        kept: Option<Arc<dyn Bytes>>,
        allowance: &Allowance,
    ) -> Result<Packed, PackedError> {
        let codec = member.codec()?;
        let input = Input::new(bytes).part(member.range());
        Packed::with(input, codec, kept, allowance)
    }

    fn with(
        input: Input,
        codec: Codec,
        kept: Option<Arc<dyn Bytes>>,
        allowance: &Allowance,
    ) -> Result<Packed, PackedError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if !codec.is_built_in() {
            return Err(PackedError::Method(codec.name().to_owned()));
        }
        let kept = kept.and_then(|kept| PointIndex::of_kept(kept, &input));
        let is_kept = kept.is_some();
        let (index, unpacked) = match kept {
            Some(index) => {
                allowance.take(index.len())?;
                (index, 0)
            }
            None if allowance.left() == 0 && input.len() > 0 => return Err(PackedError::TooLarge),
            None => learn::index(&input, codec, allowance)?,
        };
        Ok(Packed {
            input,
            codec,
            index,
            slices: Slices::shared(),
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            lanes: Default::default(),
            found: Mutex::default(),
            unpacked: AtomicU64::new(unpacked),
            is_kept,
        })
    }

    /// Replaces the index by the stored one, which may be mapped and so needs no memory.
    pub fn with_index(mut self, stored: Arc<dyn Bytes>) -> Packed {
        if let Some(index) = PointIndex::of_kept(stored, &self.input) {
            self.index = index;
            self.is_kept = true;
        }
        self
    }

    /// Keeps unpacked bytes in `slices` instead of in the shared ones.
    pub fn with_slices(mut self, slices: &Arc<Slices>) -> Packed {
        self.slices.forget(self.id);
        self.slices = Arc::clone(slices);
        self
    }

    /// Number of unpacked bytes.
    pub fn len(&self) -> u64 {
        self.index.len()
    }

    /// True if there are no unpacked bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index as bytes, to be stored for the next time that the file is opened.
    pub fn index(&self) -> Vec<u8> {
        self.index.kept(&self.found())
    }

    /// True if the file was opened with a stored index.
    pub fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// True if reading has found damage, which an index stored before does not contain.
    pub fn has_found_damage(&self) -> bool {
        !self.found().is_empty()
    }

    /// True if reading at any place unpacks everything before it.
    pub fn has_one_part(&self) -> bool {
        !self.is_stored() && self.index.points() == 1
    }

    /// Damage, with offsets in the file, and reasons for slow reading. Damage within parts that contain their
    /// lengths is only found when they are read.
    pub fn warnings(&self) -> Vec<String> {
        let found = self.found();
        let found = found.iter().map(Damage::to_string);
        self.index.warnings().chain(found).collect()
    }

    /// Why reading is slow.
    pub fn slowness(&self) -> impl Iterator<Item = String> + '_ {
        let warnings = self.index.warnings();
        warnings.filter(|line| Damage::of_line(line).is_none())
    }

    /// Damage found so far.
    pub fn damage(&self) -> Vec<Damage> {
        let known = self.index.warnings();
        let known = known.filter_map(|line| Damage::of_line(&line));
        known.chain(self.found()).collect()
    }

    /// The kind of compression and the numbers of packed and unpacked bytes, for display.
    pub fn describe(&self) -> String {
        let (how, len) = (self.codec.name(), self.input.len());
        format!("{how}, {len} bytes, {} unpacked", self.len())
    }

    /// Number of bytes unpacked so far, including bytes that were skipped.
    pub fn unpacked(&self) -> u64 {
        self.unpacked.load(Ordering::Relaxed)
    }

    fn is_stored(&self) -> bool {
        matches!(self.codec, Codec::Stored { .. })
    }

    fn found(&self) -> Vec<Damage> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// True if a file is compressed, judged by its first bytes. No PGN file starts with such bytes.
pub fn is_packed(bytes: &Arc<dyn Bytes>) -> bool {
    let input = Input::new(Arc::clone(bytes));
    match Codec::detect(&input) {
        // The first four bytes of bzip2 are letters and a digit, which PGN could also start with.
        Some(Codec::Bzip2) => bzip2::begins(&input),
        Some(_) => true,
        None => zip::is_archive(&input),
    }
}

/// True if a file is a zip archive, judged by its first bytes.
pub fn is_zip(bytes: &Arc<dyn Bytes>) -> bool {
    zip::is_archive(&Input::new(Arc::clone(bytes)))
}

impl Drop for Packed {
    fn drop(&mut self) {
        self.slices.forget(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_more_may_be_unpacked_only_an_empty_file_is_opened() {
        let open = |bytes: &[u8]| {
            let input = Input::new(Arc::new(bytes.to_vec()));
            Packed::with(input, Codec::Stored { sum: None }, None, &Allowance::in_place(0))
        };
        assert_eq!(open(b"").unwrap().len(), 0);
        assert!(matches!(open(b"1. e4 *"), Err(PackedError::TooLarge)));
    }
}
