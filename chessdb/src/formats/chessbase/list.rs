//! The numbered list of moves (sections 6.3 to 6.5).
//!
//! A move is stored as its number in a list that goes over the own pieces, file by file from a1, a2 to h8, and gives
//! each piece's moves in the order of its kind; checks, pins and castling rights are ignored. The list is never made:
//! entries are counted by file from the attack sets, then piece by piece on the file that has the number, and only this
//! piece's entries are examined.

use super::by_file::{ByFile, DIAGONALS, ONES, Ray, STRAIGHTS, on_file};
use super::pawns::Pawns;
use crate::board::{Bitboard, CastlingSide, Color, File, Move, Position, Role, Square};
use crate::replay::State;

/// The en passant state of the list (section 6.5), which differs from the rules of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EnPassant {
    /// File 1 to 8 of a pawn that made a double step; 0 is none.
    file: u8,
    /// The file is left over from before castling: entries for it are fakes.
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

    /// The files whose pawns, on their fifth rank, have an entry: those beside the file of the double step. If there
    /// was none, it is the a-file, by a bug of the original program: [`Entry::Ghost`].
    #[inline]
    pub(super) fn takers(self) -> Bitboard {
        let [a, b, c, d, e, f, g, h] = File::ALL.map(|file| Bitboard::from_file(file).0);
        let takers = [a, b, a | c, b | d, c | e, d | f, e | g, f | h, g];
        Bitboard(takers.get(usize::from(self.file)).copied().unwrap_or(0))
    }

    /// The en passant entry of a pawn of `us` on its fifth rank.
    pub(super) fn entry(self, us: Color, from: Square) -> Entry {
        let aside = if from.file() as u8 == self.file { -1 } else { 1 };
        match from.offset(us.fold_wb(8, -8) + aside) {
            _ if self.file == 0 => Entry::Ghost,
            Some(to) if self.kept => Entry::Fake(to),
            Some(to) => Entry::Plays(Move::normal(from, to), EnPassant::default()),
            None => Entry::Beyond,
        }
    }
}

/// Why a number gives no move.
pub(super) type NoMove = &'static str;

/// The move of a number from 1, and the en passant state after it.
///
/// The number of a fake entry whose square is empty means the next entry.
///
/// # Errors
/// The number is beyond the list or that of an entry that cannot be played.
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
            Entry::Fake(target) if !position.occupied().contains(target) => number += 1,
            Entry::Fake(_) | Entry::Ghost => {
                return Err("the move's number is that of an entry that cannot be played");
            }
            Entry::Beyond => return Err("the move's number is beyond the list of moves"),
        }
    }
}

/// One place of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Plays(Move, EnPassant),
    /// En passant onto a square, with a file that castling left over.
    Fake(Square),
    /// What a pawn on the a-file counts while no en passant is possible.
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

/// Compiled separately for each colour: a function for both would test the colour at every step.
#[inline(never)]
fn entry_of<const WHITE: bool>(position: &Position, en_passant: EnPassant, number: u32) -> Entry {
    let us = Color::from_white(WHITE);
    let list = List {
        us,
        position,
        en_passant,
        pawns: Pawns::new(position, us, en_passant),
    };
    // A number has seven bits; the entry after the last of them cannot be distinguished from the end of the list.
    let Some(missing) = 128u64.checked_sub(number.into()).filter(|&missing| missing > 0) else {
        return Entry::Beyond;
    };
    // Counts of 128 and more, which eight queens on a file may have, are as good as 127, and then no sum of counts
    // that matters runs over its byte.
    let counts = list.counts();
    let large = counts.by_file & (ONES << 7);
    let by_file = counts.by_file & !large | (large - (large >> 7));
    let sums = by_file.wrapping_mul(ONES);
    // The first file up to which there are as many entries as the number says. Bytes after it may be wrong.
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

/// Numbers of entries.
struct Counts {
    /// Of all pieces on each file. No file has more than 255: eight queens have at most 216.
    by_file: ByFile,
    /// Of the pieces other than pawns by the squares they stand on.
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

    /// The entry with number `left` of a piece, which is at least 1 and at most the piece's count.
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

    /// Squares that a piece other than a pawn can go to.
    #[inline(always)]
    fn targets(&self, role: Role, from: Square) -> Bitboard {
        self.position.attacks_from(role, from) & !self.position.pieces(self.us)
    }

    /// Castling short and long, as the list has it: whatever the rights are.
    fn castling(&self, king: Square) -> [bool; 2] {
        let us = self.us;
        let home = us.backrank();
        if king != Square::from_coords(File::E, home) {
            return [false; 2];
        }
        let rooks = self.position.of_kind(us, Role::Rook);
        let is_open = |corner: File, between: &[File]| {
            let mut between = between.iter().map(|&file| Square::from_coords(file, home));
            rooks.contains(Square::from_coords(corner, home))
                && between.all(|square| !self.position.occupied().contains(square))
        };
        [
            is_open(File::H, &[File::F, File::G]),
            is_open(File::A, &[File::B, File::C, File::D]),
        ]
    }

    #[inline]
    fn count_of_castling(&self, king: Square) -> u32 {
        if king.file() != File::E {
            return 0;
        }
        let [short, long] = self.castling(king);
        u32::from(short) + u32::from(long)
    }

    fn nth_castling(&self, king: Square, left: u32) -> Entry {
        let side = match (self.castling(king), left) {
            ([true, _], 1) => CastlingSide::KingSide,
            ([false, true], 1) | ([true, true], 2) => CastlingSide::QueenSide,
            _ => return Entry::Beyond,
        };
        Entry::Plays(Move::Castle(side), self.en_passant.after_castling())
    }
}

/// The entry of a king, in the order of the squares, file by file.
fn nth_by_file(targets: Bitboard, left: u32) -> Option<Square> {
    let place = targets
        .flip_diagonal()
        .into_iter()
        .nth((left as usize).checked_sub(1)?)?;
    Some(place.flip_diagonal())
}

/// The entry of a knight.
fn nth_jump(from: Square, targets: Bitboard, left: u32) -> Option<Square> {
    // Steps by file and rank, as differences of square numbers.
    const JUMPS: [i32; 8] = [-2 - 8, -2 + 8, 2 - 8, 2 + 8, -1 - 16, -1 + 16, 1 - 16, 1 + 16];
    let jumps = JUMPS.iter().filter_map(|&jump| from.offset(jump));
    // A jump over the edge lands on a square that is no target.
    let mut reached = jumps.filter(|&to| targets.contains(to));
    reached.nth((left as usize).checked_sub(1)?)
}

/// The entry of a piece that runs along rays, one ray after the other from the piece outwards.
#[inline(always)]
fn nth_on_rays<'r>(
    from: Square,
    targets: Bitboard,
    left: u32,
    rays: impl IntoIterator<Item = &'r Ray>,
) -> Option<Square> {
    let mut left = left;
    for ray in rays {
        // The targets on a ray follow each other without a gap.
        let run = (targets & ray.from(from)).0.count_ones();
        if left <= run {
            return from.offset(ray.step * left.cast_signed());
        }
        left -= run;
    }
    None
}
