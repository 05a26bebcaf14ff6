//! Numbers by file, and rays: the geometry needed to count entries of the list of moves.

use crate::board::{Bitboard, Rank, Square};

/// Eight numbers below 256, one byte for each file.
pub(super) type ByFile = u64;

/// 1 for each file.
pub(super) const ONES: ByFile = 0x0101_0101_0101_0101;

/// For each file, the number of squares in one set plus twice the number in another set.
#[inline(always)]
pub(super) fn weighted_by_file(ones: Bitboard, twos: Bitboard) -> ByFile {
    const PAIRS: u64 = 0x5555_5555_5555_5555;
    const FOURS: u64 = 0x3333_3333_3333_3333;
    const EIGHTS: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    // Transposes files into bytes, and then sums groups of two, four and eight bits in each.
    let fours = |set: Bitboard| {
        let bits = set.flip_diagonal().0;
        let pairs = bits - (bits >> 1 & PAIRS);
        (pairs & FOURS) + (pairs >> 2 & FOURS)
    };
    let sum = fours(ones) + 2 * fours(twos);
    (sum & EIGHTS) + (sum >> 4 & EIGHTS)
}

/// 1 for the file of each square of a set. All its squares must be on one rank.
#[inline(always)]
pub(super) fn on_one_rank(set: Bitboard, rank: Rank) -> ByFile {
    // Makes eight copies of the rank and keeps one bit of each, then moves the bit of each byte to its lowest
    // place.
    let copies = (set.0 >> (8 * rank as u32) & 0xff) * ONES;
    let bits = copies & 0x8040_2010_0804_0201;
    bits.wrapping_add(0x7f * ONES) >> 7 & ONES
}

/// The number in the byte of the square's file.
#[inline(always)]
pub(super) fn on_file(square: Square, number: u32) -> ByFile {
    u64::from(number) << (8 * (square as u32 & 7))
}

/// One of eight directions.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    /// Difference between the numbers of neighbouring squares.
    pub(super) step: i32,
    /// For each square, the squares from it to the edge.
    squares: [u64; 64],
}

impl Ray {
    /// The squares after `from` up to the edge.
    #[inline]
    pub(super) fn from(&self, from: Square) -> Bitboard {
        Bitboard(self.squares.get(from as usize).copied().unwrap_or(0))
    }

    const fn new(files: i32, ranks: i32) -> Ray {
        let mut squares = [0; 64];
        let mut from = 0;
        while from < 64 {
            let (mut file, mut rank) = ((from & 7) + files, (from >> 3) + ranks);
            while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                // File and rank are 0 to 7, and the index is below 64.
                #[allow(clippy::indexing_slicing, clippy::cast_sign_loss)]
                {
                    squares[from as usize] |= 1 << (8 * rank + file);
                }
                file += files;
                rank += ranks;
            }
            from += 1;
        }
        Ray {
            step: 8 * ranks + files,
            squares,
        }
    }
}

/// The rays of a bishop in the order of the list (section 6.3).
pub(super) static DIAGONALS: [Ray; 4] = [Ray::new(-1, -1), Ray::new(1, -1), Ray::new(1, 1), Ray::new(-1, 1)];
/// The rays of a rook in the order of the list. A queen has a bishop's rays first, then these.
pub(super) static STRAIGHTS: [Ray; 4] = [Ray::new(-1, 0), Ray::new(0, -1), Ray::new(1, 0), Ray::new(0, 1)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_counted_by_file() {
        let set: Bitboard = [Square::A1, Square::A7, Square::B3, Square::H8]
            .into_iter()
            .collect();
        let given = weighted_by_file(set, Bitboard::EMPTY);
        let one_by_one = on_file(Square::A3, 2) + on_file(Square::B1, 1) + on_file(Square::H1, 1);
        assert_eq!(given, one_by_one);
        assert_eq!(weighted_by_file(Bitboard::EMPTY, set), 2 * one_by_one);
        assert_eq!(weighted_by_file(Bitboard::FULL, Bitboard::EMPTY), 8 * ONES);
        let rank: Bitboard = [Square::A5, Square::E5, Square::H5].into_iter().collect();
        assert_eq!(
            on_one_rank(rank, Rank::Fifth),
            weighted_by_file(rank, Bitboard::EMPTY)
        );
        assert_eq!(on_one_rank(Bitboard::from_rank(Rank::Second), Rank::Second), ONES);
    }

    #[test]
    fn rays_end_at_the_edge() {
        let squares = |ray: &Ray, from| ray.from(from).into_iter().collect::<Vec<_>>();
        assert_eq!(squares(&DIAGONALS[0], Square::C3), [Square::A1, Square::B2]);
        assert_eq!(squares(&STRAIGHTS[2], Square::F5), [Square::G5, Square::H5]);
        assert_eq!(squares(&DIAGONALS[3], Square::A4), []);
    }
}
