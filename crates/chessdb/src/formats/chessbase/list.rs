//! The numbered list of moves (sections 6.3 to 6.5).
//!
//! A move is stored as its number in a list of the moves of all own pieces, file by file from a1, a2 to h8,
//! with the moves of each piece in an order that depends on its kind. Checks, pins and castling rights are
//! ignored. The list is never generated: entries are counted by file from the attack sets, then piece by
//! piece on the file that contains the number, and only the entries of that piece are examined.
//!
//! Numbers begin with 1. The pieces are on a1, a2 .. a8, b1 .. h8; steps are (files, ranks), the same for both
//! colours:
//!
//! - king: (-1,-1) (-1,0) (-1,+1) (0,-1) (0,+1) (+1,-1) (+1,0) (+1,+1); from e1 or e8: short castling if a rook is in
//!   the corner of the h-file and no piece between, then long castling if the same is true for the a-file
//! - queen: runs of a bishop, then of a rook
//! - bishop: runs (-1,-1) (+1,-1) (+1,+1) (-1,+1)
//! - rook: runs (-1,0) (0,-1) (+1,0) (0,+1)
//! - knight: (-2,-1) (-2,+1) (+2,-1) (+2,+1) (-1,-2) (-1,+2) (+1,-2) (+1,+2)
//! - pawn: two steps; one step; capture to the lower file, to the higher file; en passant entries. A promotion is four
//!   entries: queen, rook, bishop, knight
//!
//! The en passant state of the list, a file 0 to 8, and whether it was kept:
//!
//! ```text
//! after          file                                                kept
//! start          0, or as in the set-up's header (above 8: 0)        no
//! a double step  the pawn's, 1 to 8, even if no capture is possible  no
//! castling       as before                                           yes, unless 0
//! another move   0                                                   no
//! ```
//!
//! A pawn on its fifth rank, on file f counted from 0, has an entry to the lower file if f = file, and one to the
//! higher file if f + 2 = file.

use super::by_file::{ByFile, DIAGONALS, ONES, Ray, STRAIGHTS, on_file};
use super::pawns::Pawns;
use crate::board::{Bitboard, CastlingSide, Color, File, Move, Position, Role, Square};
use crate::replay::State;

/// The en passant state of the list (section 6.5), which differs from the rules of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EnPassant {
    /// File 1 to 8 of a pawn that made a double step; 0 means none.
    file: u8,
    /// True if the file is left over from before castling, so that entries for it are fakes.
    kept: bool,
}

impl State for EnPassant {}

impl EnPassant {
    /// The state of a set-up position, or after a double step.
    pub(super) fn on_file(file: u8) -> EnPassant {
        EnPassant { file, kept: false }
    }

    fn after_castling(self) -> EnPassant {
        EnPassant {
            kept: self.file != 0,
            ..self
        }
    }

    /// The files whose pawns on their fifth rank have an entry: those next to the file of the double step. Without a
    /// double step it is the a-file, because of a bug in the original program: [`Entry::Ghost`].
    #[inline]
    pub(super) fn takers(self) -> Bitboard {
        static TAKERS: [Bitboard; 9] = takers();
        let takers = TAKERS.get(usize::from(self.file));
        takers.copied().unwrap_or(Bitboard::EMPTY)
    }

    /// The en passant entry of a pawn of `us` on its fifth rank.
    pub(super) fn entry(self, us: Color, from: Square) -> Entry {
        let aside = if from.file() as u8 == self.file { -1 } else { 1 };
        match from.offset(us.fold_wb(8, -8) + aside) {
            _ if self.file == 0 => Entry::Ghost,
            Some(to) if self.kept => Entry::Fake(to),
            Some(to) => Entry::EnPassant(from, to),
            None => Entry::Beyond,
        }
    }
}

/// The files next to each file from 1, and the a-file for 0.
#[allow(clippy::indexing_slicing)]
const fn takers() -> [Bitboard; 9] {
    let mut takers = [Bitboard(ONES); 9];
    let mut file = 1;
    while file < 9 {
        let higher = if file < 8 { ONES << file } else { 0 };
        let lower = if file > 1 { ONES << (file - 2) } else { 0 };
        takers[file] = Bitboard(lower | higher);
        file += 1;
    }
    takers
}

/// Why a number has no move.
pub(super) type NoMove = &'static str;

/// The move with a number from 1, and the en passant state after it.
///
/// The number of a fake entry whose square is empty refers to the next entry.
///
/// # Errors
/// If the number is beyond the list, or its entry cannot be played.
#[inline]
pub(super) fn numbered(
    position: &Position,
    en_passant: EnPassant,
    number: u8,
) -> Result<(Move, EnPassant), NoMove> {
    let mut number = u32::from(number);
    loop {
        match entry(position, en_passant, number) {
            Entry::Plays(mv, after) => return Ok((mv, after)),
            // A set-up may give a file whose pawn cannot have made a double step.
            Entry::EnPassant(from, to) if !position.occupied().contains(to) => {
                return Ok((Move::normal(from, to), EnPassant::default()));
            }
            Entry::Fake(target) if !position.occupied().contains(target) => number += 1,
            Entry::EnPassant(..) | Entry::Fake(_) | Entry::Ghost => {
                return Err("the move's number refers to an entry that cannot be played");
            }
            Entry::Beyond => return Err("the move's number is beyond the list of moves"),
        }
    }
}

/// An entry of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Plays(Move, EnPassant),
    /// En passant from one square to another.
    EnPassant(Square, Square),
    /// En passant onto a square, because of a file left over by castling.
    Fake(Square),
    /// An entry counted for a pawn on the a-file if no en passant is possible.
    Ghost,
    Beyond,
}

#[inline]
fn entry(position: &Position, en_passant: EnPassant, number: u32) -> Entry {
    match position.turn() {
        Color::White => entry_of::<true>(position, en_passant, number),
        Color::Black => entry_of::<false>(position, en_passant, number),
    }
}

/// Compiled separately for each colour, because a common function would test the colour at every step.
#[inline(never)]
fn entry_of<const WHITE: bool>(position: &Position, en_passant: EnPassant, number: u32) -> Entry {
    let us = Color::from_white(WHITE);
    let list = List {
        us,
        position,
        en_passant,
        pawns: Pawns::new(position, us, en_passant),
    };
    // A number has seven bits. The entry after the greatest number is treated like the end of the list.
    let Some(missing) = 128u64.checked_sub(number.into()).filter(|&missing| missing > 0) else {
        return Entry::Beyond;
    };
    // Counts of 128 and more, possible with eight queens on a file, are replaced by 127. Then no sum that
    // matters exceeds its byte.
    let counts = list.counts();
    let large = counts.by_file & (ONES << 7);
    let by_file = counts.by_file & !large | (large - (large >> 7));
    let sums = by_file.wrapping_mul(ONES);
    // Finds the first file where the running sum reaches `number` entries. Bytes after it may be wrong.
    let reached = sums.wrapping_add(ONES.wrapping_mul(missing)) & (ONES << 7);
    let file = reached.trailing_zeros() / 8;
    if file > 7 {
        return Entry::Beyond;
    }
    let before = (sums << 8 >> (8 * file)) & 0xff;
    let mut left = number.saturating_sub(u32::try_from(before).unwrap_or(0));
    for from in position.pieces(us) & Bitboard(ONES << file) {
        let count = counts.of_piece(from) + list.pawns.count(from);
        if left <= count {
            return list.nth(from, left);
        }
        left -= count;
    }
    Entry::Beyond
}

/// Counts of entries.
struct Counts {
    /// Entries of all pieces on each file. No file has more than 255: eight queens have at most 216.
    by_file: ByFile,
    /// Entries of the pieces other than pawns, by their squares.
    of_pieces: [u8; 64],
}

impl Counts {
    #[inline(always)]
    fn add(&mut self, from: Square, count: u32) {
        self.by_file += on_file(from, count);
        if let (Some(place), Ok(count)) = (self.of_pieces.get_mut(from as usize), u8::try_from(count)) {
            *place = count;
        }
    }

    /// Number of entries of the piece on a square; 0 for a pawn.
    #[inline(always)]
    fn of_piece(&self, from: Square) -> u32 {
        self.of_pieces.get(from as usize).copied().unwrap_or(0).into()
    }
}

/// The list of a position.
struct List<'a> {
    us: Color,
    position: &'a Position,
    en_passant: EnPassant,
    pawns: Pawns,
}

impl List<'_> {
    #[inline(always)]
    fn counts(&self) -> Counts {
        let mut counts = Counts {
            by_file: self.pawns.counts(),
            of_pieces: [0; 64],
        };
        self.count_pieces(Role::Knight, &mut counts);
        self.count_pieces(Role::Bishop, &mut counts);
        self.count_pieces(Role::Rook, &mut counts);
        self.count_pieces(Role::Queen, &mut counts);
        let mut kings = self.position.of_kind(self.us, Role::King);
        while let Some(from) = kings.pop_front() {
            let targets = self.targets(Role::King, from).0.count_ones();
            counts.add(from, targets + self.count_of_castling(from));
        }
        counts
    }

    #[inline(always)]
    fn count_pieces(&self, role: Role, counts: &mut Counts) {
        let mut pieces = self.position.of_kind(self.us, role);
        while let Some(from) = pieces.pop_front() {
            counts.add(from, self.targets(role, from).0.count_ones());
        }
    }

    /// Entry number `left` of a piece, from 1 on.
    #[inline(always)]
    fn nth(&self, from: Square, left: u32) -> Entry {
        let Some(role) = self.position.role_at(from) else {
            return Entry::Beyond;
        };
        let target = match role {
            Role::Pawn => return self.pawns.nth(from, left),
            Role::Knight => nth_jump(from, self.targets(Role::Knight, from), left),
            Role::Bishop => nth_on_rays(from, self.targets(Role::Bishop, from), left, &DIAGONALS),
            Role::Rook => nth_on_rays(from, self.targets(Role::Rook, from), left, &STRAIGHTS),
            Role::Queen => {
                let rays = DIAGONALS.iter().chain(&STRAIGHTS);
                nth_on_rays(from, self.targets(Role::Queen, from), left, rays)
            }
            Role::King => {
                let targets = self.targets(Role::King, from);
                match left.checked_sub(targets.0.count_ones()) {
                    None | Some(0) => nth_by_file(targets, left),
                    Some(castling) => return self.nth_castling(from, castling),
                }
            }
        };
        match target {
            Some(to) => Entry::Plays(Move::normal(from, to), EnPassant::default()),
            None => Entry::Beyond,
        }
    }

    /// The target squares of a piece other than a pawn.
    #[inline(always)]
    fn targets(&self, role: Role, from: Square) -> Bitboard {
        self.position.attacks_from(role, from) & !self.position.pieces(self.us)
    }

    #[inline]
    fn count_of_castling(&self, king: Square) -> u32 {
        if king.file() != File::E {
            return 0;
        }
        let [short, long] = castling(self.position, self.us, king);
        u32::from(short) + u32::from(long)
    }

    #[inline(always)]
    fn nth_castling(&self, king: Square, left: u32) -> Entry {
        let side = match (castling(self.position, self.us, king), left) {
            ([true, _], 1) => CastlingSide::KingSide,
            ([false, true], 1) | ([true, true], 2) => CastlingSide::QueenSide,
            _ => return Entry::Beyond,
        };
        Entry::Plays(Move::Castle(side), self.en_passant.after_castling())
    }
}

/// Castling of `us` short and long as in the list, which ignores the rights.
// Not a method, so that the list need not be in memory.
fn castling(position: &Position, us: Color, king: Square) -> [bool; 2] {
    let home = us.backrank();
    if king != Square::from_coords(File::E, home) {
        return [false; 2];
    }
    let rooks = position.of_kind(us, Role::Rook);
    let is_open = |corner: File, between: &[File]| {
        let mut between = between.iter().map(|&file| Square::from_coords(file, home));
        rooks.contains(Square::from_coords(corner, home))
            && between.all(|square| !position.occupied().contains(square))
    };
    [
        is_open(File::H, &[File::F, File::G]),
        is_open(File::A, &[File::B, File::C, File::D]),
    ]
}

/// The nth entry of a king, in the order of squares, file by file.
fn nth_by_file(targets: Bitboard, left: u32) -> Option<Square> {
    let place = targets
        .flip_diagonal()
        .into_iter()
        .nth((left as usize).checked_sub(1)?)?;
    Some(place.flip_diagonal())
}

/// The nth entry of a knight.
fn nth_jump(from: Square, targets: Bitboard, left: u32) -> Option<Square> {
    // Steps of a knight as differences between square numbers.
    const JUMPS: [i32; 8] = [-2 - 8, -2 + 8, 2 - 8, 2 + 8, -1 - 16, -1 + 16, 1 - 16, 1 + 16];
    let jumps = JUMPS.iter().filter_map(|&jump| from.offset(jump));
    // A jump over the edge lands on a square that is not a target.
    let mut reached = jumps.filter(|&to| targets.contains(to));
    reached.nth((left as usize).checked_sub(1)?)
}

/// The nth entry of a piece that moves along rays: one ray after another, each from the piece outwards.
#[inline(always)]
fn nth_on_rays<'r>(
    from: Square,
    targets: Bitboard,
    left: u32,
    rays: impl IntoIterator<Item = &'r Ray>,
) -> Option<Square> {
    let mut left = left;
    for ray in rays {
        // The targets on a ray are contiguous.
        let run = (targets & ray.from(from)).0.count_ones();
        if left <= run {
            return from.offset(ray.step * left.cast_signed());
        }
        left -= run;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Fen;

    /// A set-up may give a file on which no pawn can have made a double step (section 6.5).
    #[test]
    fn an_en_passant_entry_is_no_other_capture() {
        let numbered = |fen: &str, number| {
            let position = Fen::parse(fen).unwrap().position;
            numbered(&position, EnPassant::on_file(4), number).map(|(mv, _)| mv)
        };
        let capture = Move::normal(Square::E5, Square::D6);
        // The king has five moves, then the pawn goes to e6.
        let sound = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(numbered(sound, 6), Ok(Move::normal(Square::E5, Square::E6)));
        assert_eq!(numbered(sound, 7), Ok(capture));
        let occupied = "4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 1";
        assert_eq!(numbered(occupied, 7), Ok(capture));
        assert!(numbered(occupied, 8).unwrap_err().contains("cannot be played"));
        assert!(numbered(occupied, 9).unwrap_err().contains("beyond"));
    }
}
