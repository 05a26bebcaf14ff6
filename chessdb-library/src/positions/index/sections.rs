//! The sections of an index of positions, in memory or in a [file](crate::kept).
//!
//! The first numbers in its header are the number of games in the index, the number of these that begin in the normal
//! start position, which come first, and the bits of a bucket's number.

use crate::kept::{Numbers, SectionId};

/// A section of an index. Games are in the order of their moves, see [`super::order`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexSection {
    /// The number of each game in its database: 4 bytes.
    Games,
    /// For each game, the length of the part that its line has in common with the game before, see
    /// [`super::tree`]: 2 bytes.
    Common,
    /// For each game, the bits of the first move that it does not have in common with the game before or after it, 0
    /// if there is none: 2 bytes.
    Parting,
    /// The minimum of each 64 items of `Common`: 4 bytes.
    Common64,
    /// The minimum of each 4096 items of `Common`: 4 bytes.
    Common4096,
    /// The minimum of each 64 items of `Games`: 4 bytes.
    Games64,
    /// The minimum of each 4096 items of `Games`: 4 bytes.
    Games4096,
    /// [`Facts`](super::super::Facts) of each game: 8 bytes.
    Facts,
    /// [`Signature::pawns`](super::signature::Signature) of each game: 8 bytes.
    Pawns,
    /// [`Signature::material`](super::signature::Signature) of each game: 4 bytes.
    Material,
    /// The offset at which each bucket of `Positions` begins, and the end of the last one: 8 bytes.
    Buckets,
    /// The positions that several games have, see [`super::shared`].
    Positions,
    /// The keys of popular positions, and the offsets at which their tables end: 8 and 8 bytes.
    Popular,
    /// The tables of moves of popular positions, see [`super::popular`].
    Tables,
}

/// The sections of an index.
pub(super) type IndexSections = crate::kept::Sections<IndexSection>;

/// Places of the numbers in a header.
pub(super) const GAMES: usize = 0;
pub(super) const USUAL: usize = 1;
pub(super) const BUCKET_BITS: usize = 2;

impl SectionId for IndexSection {
    fn place(self) -> usize {
        self as usize
    }

    fn are_valid(numbers: &Numbers) -> bool {
        numbers.own[USUAL] <= numbers.own[GAMES] && numbers.own[BUCKET_BITS] <= 32
    }
}

impl IndexSections {
    /// Number of games in the index.
    pub(super) fn games(&self) -> u32 {
        self.numbers().own[GAMES]
    }

    /// Number of games that begin in the normal start position.
    pub(super) fn usual(&self) -> u32 {
        self.numbers().own[USUAL]
    }

    /// Bits of a bucket's number.
    pub(super) fn bucket_bits(&self) -> u32 {
        self.numbers().own[BUCKET_BITS]
    }
}
