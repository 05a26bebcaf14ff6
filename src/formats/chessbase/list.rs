//! The numbered list of moves (sections 6.3 to 6.5).
//!
//! A move is stored as its number in a list that goes over the own men, file by file from a1, a2 to h8, and gives
//! each man's moves in an order of his kind; checks, pins and castling rights do not count. The list is never made:
//! the entries of each man are counted from his attack set until the number is reached, and then only this man's
//! entries are looked at.

use crate::board::{Bitboard, CastlingSide, Color, File, Move, Position, Rank, Role, Square};

/// What the list knows of en passant (section 6.5). It goes its own ways, apart from the rules of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EnPassant {
    /// File 1 to 8 of a pawn that made a double step; 0 is none.
    file: u8,
    /// The file is left over from before castling: entries for it are fakes.
    kept: bool,
}

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
enum Entry {
    Plays(Move, EnPassant),
    /// En passant onto a square, with a file that castling left over.
    Fake(Square),
    /// What a pawn on the a-file counts while no en passant is possible.
    Ghost,
    Beyond,
}

#[inline]
fn entry(position: &Position, en_passant: EnPassant, number: u32) -> Entry {
    let list = List { position, en_passant };
    let mut left = number;
    // Mirrored along the long diagonal, squares come file by file.
    for place in position.men(position.turn()).flip_diagonal() {
        let from = place.flip_diagonal();
        let Some(role) = position.role_at(from) else {
            continue;
        };
        let count = list.count(role, from);
        if left <= count {
            return list.nth(role, from, left);
        }
        left -= count;
    }
    Entry::Beyond
}

/// The list of a position.
struct List<'a> {
    position: &'a Position,
    en_passant: EnPassant,
}

impl List<'_> {
    /// Number of entries of a man.
    #[inline(always)]
    fn count(&self, role: Role, from: Square) -> u32 {
        match role {
            Role::Pawn => self.count_of_pawn(from),
            Role::King => self.targets(role, from).count_ones() + self.count_of_castling(from),
            _ => self.targets(role, from).count_ones(),
        }
    }

    /// The entry with number `left`, which is at least 1 and at most the man's count.
    #[inline]
    fn nth(&self, role: Role, from: Square, left: u32) -> Entry {
        let targets = Bitboard(self.targets(role, from));
        let target = match role {
            Role::Pawn => return self.nth_of_pawn(from, left),
            Role::Knight => nth_jump(from, targets, left),
            Role::Bishop => nth_on_rays(from, targets, left, &DIAGONALS),
            Role::Rook => nth_on_rays(from, targets, left, &STRAIGHTS),
            Role::Queen => nth_on_rays(from, targets, left, &QUEEN_RAYS),
            Role::King => match left.checked_sub(targets.0.count_ones()) {
                None | Some(0) => nth_by_file(targets, left),
                Some(castling) => return self.nth_castling(from, castling),
            },
        };
        match target {
            Some(to) => Entry::Plays(Move::normal(from, to), EnPassant::default()),
            None => Entry::Beyond,
        }
    }

    /// Squares that a man other than a pawn can go to.
    #[inline(always)]
    fn targets(&self, role: Role, from: Square) -> u64 {
        let own = self.position.men(self.position.turn());
        (self.position.attacks_from(role, from) & !own).0
    }

    /// Castling short and long, as the list has it: whatever the rights are.
    fn castling(&self, king: Square) -> [bool; 2] {
        let us = self.position.turn();
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

    /// The steps of a pawn: onto the next square, and two squares on.
    #[inline]
    fn steps(&self, from: Square) -> [Option<Square>; 2] {
        let us = self.position.turn();
        let forward = us.fold_wb(8, -8);
        let occupied = self.position.occupied();
        let single = from.offset(forward).filter(|&to| !occupied.contains(to));
        let double = single
            .filter(|_| from.rank() == us.relative_rank(Rank::Second))
            .and_then(|square| square.offset(forward))
            .filter(|&to| !occupied.contains(to));
        [single, double]
    }

    #[inline]
    fn captures(&self, from: Square) -> Bitboard {
        let us = self.position.turn();
        self.position.attacks_from(Role::Pawn, from) & self.position.men(!us)
    }

    /// En passant entries of a pawn on its fifth rank: to the lower and to the higher file.
    #[inline]
    fn en_passant_entries(&self, from: Square) -> [bool; 2] {
        let us = self.position.turn();
        let on_fifth = from.rank() == us.relative_rank(Rank::Fifth);
        let index = from.file() as u8;
        let file = self.en_passant.file;
        [on_fifth & (index == file), on_fifth & (index + 2 == file)]
    }

    #[inline]
    fn count_of_pawn(&self, from: Square) -> u32 {
        let us = self.position.turn();
        let (single, double) = match us {
            Color::White => steps_of_white(from, self.position.occupied()),
            Color::Black => steps_of_black(from, self.position.occupied()),
        };
        let [lower, higher] = self.en_passant_entries(from);
        let kinds = if from.rank() == us.relative_rank(Rank::Seventh) {
            4
        } else {
            1
        };
        let moves = single + double + self.captures(from).0.count_ones();
        moves * kinds + u32::from(lower) + u32::from(higher)
    }

    fn nth_of_pawn(&self, from: Square, left: u32) -> Entry {
        const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let us = self.position.turn();
        let mut left = left;
        let [single, double] = self.steps(from);
        let captures = self.captures(from);
        // At most two, the one on the lower file first in both directions.
        let plain = [
            double,
            single,
            captures.first(),
            captures.last().filter(|_| captures.more_than_one()),
        ];
        for (place, to) in plain.into_iter().enumerate() {
            let Some(to) = to else { continue };
            let promotes = to.rank() == us.relative_rank(Rank::Eighth);
            let kinds = if promotes { 4 } else { 1 };
            if left > kinds {
                left -= kinds;
                continue;
            }
            let kind = PROMOTIONS.get((left as usize).wrapping_sub(1)).copied();
            let promotion = kind.filter(|_| promotes);
            let after = if place == 0 {
                EnPassant::on_file(from.file() as u8 + 1)
            } else {
                EnPassant::default()
            };
            return Entry::Plays(Move::Normal { from, to, promotion }, after);
        }
        if self.en_passant.file == 0 {
            return Entry::Ghost;
        }
        let [lower, _] = self.en_passant_entries(from);
        match from.offset(us.fold_wb(8, -8) + if lower { -1 } else { 1 }) {
            Some(to) if self.en_passant.kept => Entry::Fake(to),
            Some(to) => Entry::Plays(Move::normal(from, to), EnPassant::default()),
            None => Entry::Beyond,
        }
    }
}

/// Whether a white pawn can make a single and a double step, as numbers.
#[inline]
fn steps_of_white(from: Square, occupied: Bitboard) -> (u32, u32) {
    let pawn = Bitboard::from_square(from).0;
    let single = (pawn << 8) & !occupied.0;
    let double = ((single & Bitboard::from_rank(Rank::Third).0) << 8) & !occupied.0;
    (single.count_ones(), double.count_ones())
}

#[inline]
fn steps_of_black(from: Square, occupied: Bitboard) -> (u32, u32) {
    let pawn = Bitboard::from_square(from).0;
    let single = (pawn >> 8) & !occupied.0;
    let double = ((single & Bitboard::from_rank(Rank::Sixth).0) >> 8) & !occupied.0;
    (single.count_ones(), double.count_ones())
}

/// The entry of a king: his order is that of the squares, file by file.
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

/// A direction as a difference of square numbers.
type Step = i32;

const DIAGONALS: [Step; 4] = [-1 - 8, 1 - 8, 1 + 8, -1 + 8];
const STRAIGHTS: [Step; 4] = [-1, -8, 1, 8];
const QUEEN_RAYS: [Step; 8] = [-1 - 8, 1 - 8, 1 + 8, -1 + 8, -1, -8, 1, 8];

/// The entry of a man that runs along rays, one ray after the other from the man outwards.
fn nth_on_rays(from: Square, targets: Bitboard, left: u32, steps: &[Step]) -> Option<Square> {
    let mut left = left;
    for &step in steps {
        let mut at = from;
        // A step over the edge is none to a neighbour.
        while let Some(to) = at.offset(step)
            && targets.contains(to)
            && to.distance(at) == 1
        {
            left -= 1;
            if left == 0 {
                return Some(to);
            }
            at = to;
        }
    }
    None
}
