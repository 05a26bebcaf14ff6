//! Entries of all pawns in the list of moves, as sets of their squares of departure.

use super::by_file::{ByFile, on_one_rank, weighted_by_file};
use super::list::{EnPassant, Entry};
use crate::board::{Bitboard, Color, File, Move, Position, Rank, Role, Square};

/// The pawns of the side to move, by the entries that they have.
#[derive(Clone, Copy)]
pub(super) struct Pawns {
    us: Color,
    double: Bitboard,
    single: Bitboard,
    /// Captures to the lower and to the higher file.
    lower: Bitboard,
    higher: Bitboard,
    /// Pawns with an en passant entry, playable or not.
    en_passant: Bitboard,
    /// Pawns that promote by every step and capture, with four entries for each.
    seventh: Bitboard,
    state: EnPassant,
}

/// Promotions in the order of the list.
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

impl Pawns {
    /// The pawns of `us`, the side to move. `us` is a constant after inlining.
    #[inline(always)]
    pub(super) fn new(position: &Position, us: Color, state: EnPassant) -> Pawns {
        let pawns = position.of_kind(us, Role::Pawn);
        let free = !position.occupied();
        let them = position.pieces(!us);
        let forward = us.fold_wb(8, -8);
        // Target squares, shifted back to the pawns.
        let single = pawns & free.shift(-forward);
        let home = Bitboard::from_rank(us.relative_rank(Rank::Second));
        let double = single & home & free.shift(-2 * forward);
        let lower = pawns & !Bitboard::from_file(File::A) & them.shift(-forward + 1);
        let higher = pawns & !Bitboard::from_file(File::H) & them.shift(-forward - 1);
        let fifth = pawns & Bitboard::from_rank(us.relative_rank(Rank::Fifth));
        Pawns {
            us,
            double,
            single,
            lower,
            higher,
            en_passant: fifth & state.takers(),
            seventh: pawns & Bitboard::from_rank(us.relative_rank(Rank::Seventh)),
            state,
        }
    }

    /// Number of entries of the pawns on each file.
    #[inline(always)]
    pub(super) fn counts(&self) -> ByFile {
        let (a, b, c) = (self.single, self.lower, self.higher);
        // Bits of the sum of the three sets.
        let (ones, twos) = (a ^ b ^ c, a & b | c & (a ^ b));
        let second = self.us.relative_rank(Rank::Second);
        let fifth = self.us.relative_rank(Rank::Fifth);
        let mut counts = weighted_by_file(ones, twos)
            + on_one_rank(self.double, second)
            + on_one_rank(self.en_passant, fifth);
        if self.seventh.any() {
            counts += 3 * weighted_by_file(ones & self.seventh, twos & self.seventh);
        }
        counts
    }

    /// Number of entries of a pawn.
    #[inline(always)]
    pub(super) fn count(&self, from: Square) -> u32 {
        let has = |set: Bitboard| u32::from(set.contains(from));
        let moves = has(self.single) + has(self.double) + has(self.lower) + has(self.higher);
        (moves << (2 * has(self.seventh))) + has(self.en_passant)
    }

    /// Entry number `left` of a pawn, from 1 on.
    #[inline(always)]
    pub(super) fn nth(&self, from: Square, left: u32) -> Entry {
        let has = |set: Bitboard| u32::from(set.contains(from));
        let promotes = self.seventh.contains(from);
        // Each step and capture of a promoting pawn has four entries.
        let index = left.wrapping_sub(1);
        let (index, kind) = if promotes {
            (index / 4, index % 4)
        } else {
            (index, 0)
        };
        let before_single = has(self.double);
        let before_lower = before_single + has(self.single);
        let before_higher = before_lower + has(self.lower);
        let before_en_passant = before_higher + has(self.higher);
        // Computed without branches, because the processor cannot predict which move a pawn makes.
        let which = u32::from(index >= before_single)
            + u32::from(index >= before_lower)
            + u32::from(index >= before_higher);
        let forward = self.us.fold_wb(8, -8);
        if index >= before_en_passant {
            return self.state.entry(self.us, from);
        }
        let steps = [2 * forward, forward, forward - 1, forward + 1];
        let to = steps.get(which as usize).and_then(|&step| from.offset(step));
        let promotion = PROMOTIONS.get(kind as usize).copied().filter(|_| promotes);
        let after = EnPassant::on_file(if which == 0 { from.file() as u8 + 1 } else { 0 });
        match to {
            Some(to) => Entry::Plays(Move::Normal { from, to, promotion }, after),
            None => Entry::Beyond,
        }
    }
}
