//! A main line in two bytes a move.

use chessdb::Database;
use chessdb::board::{Bitboard, CastlingSide, Move, PackedMove, Position, Role, Square, Undo};
use chessdb::replay::Ply;
use std::ops::ControlFlow;

use super::line::{LineStep, follow};
use crate::library::MainLines;

/// A legal move in two bytes, with everything that a plain board needs to play it.
///
/// | bits | what |
/// |---|---|
/// | 0-5 | the target square; the king's square if it castles |
/// | 6-11 | the origin; the rook's square if the king castles |
/// | 12-14 | the number of the role that a pawn becomes, or 0; 1 for castling, and for a null move, whose squares are the same |
/// | 15 | set if the move takes a piece, also en passant |
///
/// Any 16 bits are a move, and none leads off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeptMove(pub(super) u16);

/// The bits that all moves of a set share, and the targets of these moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveMarks {
    /// The squares that they lead to.
    pub(crate) targets: Bitboard,
    /// The upper four bits that are set in all of the moves, and those that are set in none.
    set: u16,
    clear: u16,
}

impl MoveMarks {
    /// The marks of all moves.
    pub(crate) const ALL: MoveMarks = MoveMarks {
        targets: Bitboard::FULL,
        set: 0,
        clear: 0,
    };

    /// The marks of moves to these squares with some of these promotions, which take a piece or do not.
    pub(crate) fn of(targets: Bitboard, moves: impl Iterator<Item = (Option<Role>, bool)>) -> MoveMarks {
        let bits = moves.map(|(promotion, takes)| {
            promotion.map_or(0, |role| role as u16) << 12 | if takes { TAKES } else { 0 }
        });
        let (set, used) = bits.fold((KIND, 0), |(set, used), bits| (set & bits, used | bits));
        MoveMarks {
            targets,
            set,
            clear: KIND & !used,
        }
    }

    /// The marks of castling and of null moves.
    pub(crate) fn special() -> MoveMarks {
        MoveMarks {
            targets: Bitboard::FULL,
            set: SPECIAL,
            clear: KIND & !SPECIAL,
        }
    }

    /// The marks of the moves of either.
    pub(crate) fn or(self, other: MoveMarks) -> MoveMarks {
        MoveMarks {
            targets: self.targets | other.targets,
            set: self.set & other.set,
            clear: self.clear & other.clear,
        }
    }

    /// False if none of these moves has them.
    #[inline]
    pub(crate) fn are_in(self, moves: &[KeptMove]) -> bool {
        let MoveMarks { targets, set, clear } = self;
        // Castling does not say where it leads, and a null move leads nowhere.
        let may_be_special = SPECIAL & set == set && SPECIAL & clear == 0;
        if let Some(target) = targets.single_square()
            && !may_be_special
        {
            // A processor can compare several moves at once only if the loop does not end early.
            let (mask, wanted) = (set | clear | TARGET, set | target as u16);
            let is_one = |mv: &KeptMove| u16::from(mv.0 & mask == wanted);
            let has_one = |some: &[KeptMove]| some.iter().fold(0, |found, mv| found | is_one(mv)) != 0;
            return moves.chunks(AT_ONCE).any(has_one);
        }
        moves.iter().any(|mv| {
            let has_bits = mv.0 & (set | clear) == set;
            has_bits && (targets.contains(mv.to()) || may_be_special && mv.is_special())
        })
    }
}

/// The upper four bits.
const KIND: u16 = 0xf000;

/// The bits of the target square.
const TARGET: u16 = 63;

/// Number of moves that are compared before the result is checked for the first time.
const AT_ONCE: usize = 64;

/// The role that no pawn becomes.
const SPECIAL: u16 = (Role::Pawn as u16) << 12;
const TAKES: u16 = 1 << 15;
const NULL: KeptMove = KeptMove(SPECIAL);

impl KeptMove {
    /// The move that has just been played. `None` if it castles without a king or a rook, which no legal move does.
    #[inline]
    pub(crate) fn of(ply: &Ply<'_>) -> Option<KeptMove> {
        match ply.mv {
            Move::Normal { .. } => {
                let takes = if ply.captured().is_some() { TAKES } else { 0 };
                Some(KeptMove(PackedMove::new(ply.mv).bits() | takes))
            }
            Move::Castle(side) => {
                let before = ply.before();
                let (king, rook) = (before.king(before.turn())?, before.castling_rook(side)?);
                Some(KeptMove(SPECIAL | (rook as u16) << 6 | king as u16))
            }
            Move::Null => Some(NULL),
        }
    }

    /// The target square of a move that is not [special](KeptMove::is_special).
    #[inline]
    pub(crate) fn to(self) -> Square {
        Square::new(u32::from(self.0 & TARGET))
    }

    /// The origin of a move that is not [special](KeptMove::is_special).
    #[inline]
    pub(crate) fn from(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    /// True for a move that takes a piece.
    #[inline]
    pub(crate) fn takes(self) -> bool {
        self.0 & TAKES != 0
    }

    /// True for a move that is neither castling, nor a null move, nor a promotion.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        self.0 & !TAKES < 1 << 12
    }

    /// True for a move that is complete once the piece is on its target square, where it took a piece of the place
    /// `taken` (0 for none). False for a promotion and for en passant.
    #[inline]
    pub(super) fn is_whole(self, taken: u8) -> bool {
        self.is_plain() & (!self.takes() | (taken != 0))
    }

    /// True for castling and for a null move.
    #[inline]
    pub(crate) fn is_special(self) -> bool {
        self.0 & 7 << 12 == SPECIAL
    }

    /// True for a null move.
    #[inline]
    pub(crate) fn is_null(self) -> bool {
        self.is_special() & ((self.0 >> 6 ^ self.0) & TARGET == 0)
    }

    /// The place of the first null move among these.
    pub(crate) fn first_null(moves: &[KeptMove]) -> Option<usize> {
        // Fast path: hardly any game has one, and a processor compares several moves at once if the loop does not end
        // early.
        let has_one = |some: &[KeptMove]| some.iter().fold(false, |found, mv| found | mv.is_null());
        let is_null = |mv: &KeptMove| mv.is_null();
        moves
            .chunks(AT_ONCE)
            .any(has_one)
            .then(|| moves.iter().position(is_null))?
    }

    /// For castling: the side, the square of the king, and the square of the rook.
    #[inline]
    pub(crate) fn castling(self) -> Option<(CastlingSide, Square, Square)> {
        let (king, rook) = (self.to(), self.from());
        let side = CastlingSide::from_king_side(rook.file() > king.file());
        (self.is_special() && king != rook).then_some((side, king, rook))
    }

    /// The role that a pawn becomes.
    #[inline]
    pub(crate) fn promotion(self) -> Option<Role> {
        let number = u32::from(self.0 >> 12 & 7);
        Role::try_from(number).ok().filter(|&role| role != Role::Pawn)
    }

    /// The move without the bits that only a plain board needs.
    #[inline]
    pub(crate) fn pack(self) -> PackedMove {
        if self.is_plain() {
            PackedMove::of_bits(self.0 & !TAKES)
        } else {
            PackedMove::new(self.unpack())
        }
    }

    /// The move as a position plays it.
    #[inline]
    pub(crate) fn unpack(self) -> Move {
        match self.castling() {
            Some((side, ..)) => Move::Castle(side),
            None if self.is_special() => Move::Null,
            None => Move::Normal {
                from: self.from(),
                to: self.to(),
                promotion: self.promotion(),
            },
        }
    }
}

/// Where a line begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // There is one for each thread.
pub(crate) enum LineStart {
    /// In the normal start position.
    #[default]
    Usual,
    /// A set-up position.
    At(Position),
    /// The game has no start position: it has no moves, and cannot be played from its set-up position.
    Nowhere,
}

impl LineStart {
    /// The position.
    pub(crate) fn position(&self) -> Option<Position> {
        match self {
            LineStart::Usual => Some(Position::initial()),
            LineStart::At(position) => Some(*position),
            LineStart::Nowhere => None,
        }
    }
}

/// Where main lines are read from.
pub(crate) trait LineSource: Send + Sync {
    /// Reads the main line of a game. False if it has to be read from the database.
    fn read(&self, game: u32, line: &mut PackedLine) -> bool;
}

impl<L: LineSource> MainLines for L {
    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) -> bool {
        let mut line = PackedLine::default();
        let is_read = self.read(game, &mut line);
        if is_read {
            line.replay(each);
        }
        is_read
    }
}

/// A main line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackedLine {
    pub(crate) start: LineStart,
    pub(crate) moves: Vec<KeptMove>,
}

impl PackedLine {
    /// Reads the main line of a game. False if it cannot be packed.
    pub(crate) fn read(&mut self, database: &dyn Database, game: u32) -> bool {
        self.moves.clear();
        self.start = LineStart::Nowhere;
        let mut is_packed = true;
        follow(database, game, |step| {
            match step {
                LineStep::Start(position) if *position == Position::initial() => {
                    self.start = LineStart::Usual;
                }
                LineStep::Start(position) => self.start = LineStart::At(*position),
                LineStep::Ply(ply) => match KeptMove::of(ply) {
                    Some(mv) => self.moves.push(mv),
                    None => is_packed = false,
                },
            }
            if is_packed {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        is_packed
    }

    /// The position after the last move.
    pub(crate) fn end(&self) -> Option<Position> {
        let mut end = self.start.position();
        self.replay(&mut |ply| {
            end = Some(*ply.position);
            ControlFlow::Continue(())
        });
        end
    }

    /// Plays the moves, tests each again, and passes them to `each` until it breaks.
    #[inline]
    fn replay(&self, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        let Some(mut position) = self.start.position() else {
            return;
        };
        let mut undo = Undo::default();
        for (number, mv) in (0..).zip(&self.moves) {
            let mv = mv.unpack();
            if position.advance(mv, &mut undo).is_err()
                || each(&Ply::new(number, mv, &position, &undo)).is_break()
            {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_of_their_moves() {
        let moves: Vec<KeptMove> = (0..=u16::MAX).map(KeptMove).collect();
        let h7 = Bitboard::from_square(Square::H7);
        let promotes = |roles: &'static [Role]| roles.iter().map(|&role| (Some(role), true));
        for (marks, has) in [
            (MoveMarks::ALL, &(|_| true) as &dyn Fn(KeptMove) -> bool),
            (MoveMarks::of(h7, [(None, true)].into_iter()), &|mv| {
                mv.takes() && mv.to() == Square::H7 && mv.is_plain()
            }),
            (
                MoveMarks::of(h7, [(None, false), (None, true)].into_iter()),
                &|mv| mv.to() == Square::H7 && mv.is_plain(),
            ),
            (MoveMarks::of(h7, promotes(&[Role::Knight])), &|mv| {
                mv.takes() && mv.to() == Square::H7 && mv.promotion() == Some(Role::Knight)
            }),
            (MoveMarks::special(), &|mv| mv.is_special() && !mv.takes()),
        ] {
            for mv in &moves {
                assert_eq!(marks.are_in(&[*mv]), has(*mv), "{mv:?} {marks:?}");
            }
        }
        // Several may have more than these in common, and never less.
        let both = MoveMarks::of(h7, promotes(&[Role::Knight, Role::Queen]));
        let either = both.or(MoveMarks::special());
        for mv in moves {
            let is_one = [Role::Knight, Role::Queen].contains(&mv.promotion().unwrap_or(Role::Pawn));
            let is_promotion = is_one && mv.takes() && mv.to() == Square::H7;
            assert!(both.are_in(&[mv]) || !is_promotion);
            assert!(either.are_in(&[mv]) || !is_promotion && (!mv.is_special() || mv.takes()));
        }
    }

    #[test]
    fn marks_are_found_anywhere_in_a_line() {
        let marks = MoveMarks::of(Bitboard::from_square(Square::H7), [(None, true)].into_iter());
        let takes = KeptMove(TAKES | (Square::D3 as u16) << 6 | Square::H7 as u16);
        let goes = KeptMove((Square::D3 as u16) << 6 | Square::H7 as u16);
        for len in [0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 1] {
            let mut moves = vec![goes; len];
            assert!(!marks.are_in(&moves), "{len}");
            for place in 0..len {
                moves[place] = takes;
                assert!(marks.are_in(&moves), "{place} of {len}");
                moves[place] = goes;
            }
        }
    }

    #[test]
    fn null_moves_are_found_anywhere_in_a_line() {
        let goes = KeptMove((Square::D3 as u16) << 6 | Square::H7 as u16);
        let castles = KeptMove(SPECIAL | (Square::H1 as u16) << 6 | Square::E1 as u16);
        for len in [0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 1] {
            let mut moves: Vec<KeptMove> = (0..len).map(|n| [goes, castles][n % 2]).collect();
            assert_eq!(KeptMove::first_null(&moves), None, "{len}");
            for place in (0..len).rev() {
                moves[place] = NULL;
                assert_eq!(KeptMove::first_null(&moves), Some(place), "{len}");
            }
        }
    }

    #[test]
    fn any_bits_are_a_move() {
        for bits in 0..=u16::MAX {
            let mv = KeptMove(bits);
            let unpacked = mv.unpack();
            assert_eq!(mv.is_plain(), bits & 0x7000 == 0);
            assert_eq!(mv.pack(), PackedMove::new(unpacked));
            match unpacked {
                Move::Normal { from, to, promotion } => {
                    assert_eq!((from, to), (mv.from(), mv.to()));
                    assert_eq!(promotion.is_some(), (0x2000..0x7000).contains(&(bits & 0x7000)));
                }
                Move::Castle(_) => assert!(mv.is_special() && !mv.is_null()),
                Move::Null => assert!(mv.is_null()),
            }
        }
    }
}
