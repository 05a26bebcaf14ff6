//! Moves whose moving and captured pieces are known in advance.

use shakmaty::attacks;

use super::geometry::{between, reach};
use super::packed::PackedPiece;
use super::{Bitboard, Color, Position, Rank, Role, San, Square, Undo};

/// A move together with the moving piece and the captured piece. The piece must be able to make it on an empty board.
///
/// Playing a step is faster than playing a [`Move`], because there is no need to test whether the piece moves that way.
// Bits 0-5 to, 6-11 from, 12-16 the piece, 17-21 the captured piece, 22-24 the promotion, 25 en passant. Packed because
// tables of steps are large, and smaller steps keep more of them in the processor's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u32);

impl Step {
    /// A move of a piece of a colour.
    pub(crate) fn new(color: Color, role: Role, from: Square, to: Square, taken: Option<Role>) -> Step {
        let piece = PackedPiece::new(color, role);
        let taken = taken.map_or(PackedPiece::NONE, |role| PackedPiece::new(!color, role));
        Step::of_pieces(piece, from, to, taken)
    }

    /// A move of a piece to a square with these contents.
    #[inline(always)]
    pub(super) fn of_pieces(piece: PackedPiece, from: Square, to: Square, taken: PackedPiece) -> Step {
        Step(u32::from(to) | u32::from(from) << 6 | piece.bits() << 12 | taken.bits() << 17)
    }

    /// The same move, but the pawn becomes another piece.
    pub(crate) fn promoting(self, role: Role) -> Step {
        Step(self.0 | (role as u32) << 22)
    }

    /// The same move, but the pawn takes en passant.
    pub(crate) fn en_passant(self) -> Step {
        Step(self.0 | 1 << 25)
    }

    #[inline(always)]
    pub(crate) fn to(self) -> Square {
        Square::new(self.0 & 63)
    }

    #[inline(always)]
    pub(crate) fn from(self) -> Square {
        Square::new(self.0 >> 6 & 63)
    }

    #[inline(always)]
    fn piece(self) -> PackedPiece {
        PackedPiece::of_bits(self.0 >> 12)
    }

    #[inline(always)]
    fn taken_piece(self) -> PackedPiece {
        PackedPiece::of_bits(self.0 >> 17)
    }

    /// The piece that the pawn becomes.
    pub(crate) fn promotion(self) -> Option<Role> {
        PackedPiece::of_bits(self.0 >> 22 & 7).role()
    }

    /// The side that moves.
    pub(crate) fn color(self) -> Color {
        self.piece().color().unwrap_or(Color::White)
    }

    /// The piece that moves.
    pub(crate) fn role(self) -> Option<Role> {
        self.piece().role()
    }

    /// The captured piece.
    pub(crate) fn taken(self) -> Option<Role> {
        self.taken_piece().role()
    }

    /// True if the move takes a pawn that is next to the target square, not on it.
    pub(crate) fn is_en_passant(self) -> bool {
        self.0 >> 25 & 1 == 1
    }

    /// True for promotions and en passant.
    #[inline(always)]
    fn is_rare(self) -> bool {
        self.0 >> 22 != 0
    }
}

impl Position {
    /// Plays a step if it is legal and neither a promotion nor en passant.
    ///
    /// `None` does not mean that the step is illegal: the position and `undo` are unchanged, and the caller has to test
    /// the move in full.
    #[inline(always)]
    pub(crate) fn play_step<const NAMED: bool>(&mut self, step: Step, undo: &mut Undo) -> Option<San> {
        // Compiled for each colour, as in `play_tested`.
        match self.turn {
            Color::White => self.play_step_of::<NAMED>(Color::White, step, undo),
            Color::Black => self.play_step_of::<NAMED>(Color::Black, step, undo),
        }
    }

    #[inline(always)]
    fn play_step_of<const NAMED: bool>(&mut self, us: Color, step: Step, undo: &mut Undo) -> Option<San> {
        let (from, to, piece, taken) = (step.from(), step.to(), step.piece(), step.taken_piece());
        // One branch for all rare cases, which the processor predicts well.
        let is_other = step.is_rare()
            | !piece.is_of(us)
            | (self.packed_at(from) != piece)
            | (self.packed_at(to) != taken)
            | (between(from, to) & self.occupied()).any();
        if is_other {
            return None;
        }
        let is_safe = if piece.is_king() {
            self.is_safe_for_king(from, to)
        } else {
            self.is_king_safe_after(us, from, to)
        };
        if !is_safe {
            return None;
        }
        let is_pawn = piece.is_pawn();
        // Chosen without a branch, because the processor cannot predict whether a pawn moves.
        let of_pawn = attacks::pawn_attacks(us, to).0 & u64::from(is_pawn).wrapping_neg();
        let attacked = reach(piece, to) | Bitboard(of_pawn);
        let candidates = if NAMED && !is_pawn {
            self.others_to(piece, from, to, attacked)
        } else {
            Bitboard::EMPTY
        };
        self.move_piece(us, piece, from, to, undo);
        // Only a double step changes exactly bit 4 of the square's number.
        let is_double = is_pawn & (from as u8 ^ to as u8 == 16);
        let behind = Square::from_coords(from.file(), us.relative_rank(Rank::Third));
        self.en_passant = if is_double { Some(behind) } else { None };
        if piece.is_king() {
            self.castling &= !Bitboard::from_rank(us.backrank());
        }
        self.checkers = self.checks_after(us, from, to, attacked);
        if !NAMED {
            return Some(San::NULL);
        }
        let mut san = if is_pawn {
            San::pawn(from, to, None)
        } else {
            San::piece(piece, from, to, taken != PackedPiece::NONE, candidates)
        };
        if self.checkers.any() {
            san.push(self.check_sign());
        }
        Some(san)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Fen, Move};

    /// The step of a move in a position; `None` if there is no piece on `from`.
    fn step_of(position: &Position, from: Square, to: Square) -> Option<Step> {
        let role = position.role_at(from)?;
        let takes_on = position.capture_square(from, to);
        let step = Step::new(position.turn(), role, from, to, position.role_at(takes_on));
        Some(if takes_on == to { step } else { step.en_passant() })
    }

    #[test]
    fn steps_have_what_they_were_made_of() {
        let step = Step::new(Color::Black, Role::Pawn, Square::B2, Square::A1, Some(Role::Rook));
        let parts = (step.color(), step.role(), step.from(), step.to(), step.taken());
        let expected = (
            Color::Black,
            Some(Role::Pawn),
            Square::B2,
            Square::A1,
            Some(Role::Rook),
        );
        assert_eq!(parts, expected);
        assert_eq!((step.promotion(), step.is_en_passant()), (None, false));
        assert_eq!(step.promoting(Role::Queen).promotion(), Some(Role::Queen));
        assert!(step.en_passant().is_en_passant());
    }

    #[test]
    fn a_step_is_played_as_its_move_is_or_not_at_all() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "4k3/8/8/4r3/8/3NBN2/4K3/8 w - - 0 1",
            "1k6/8/8/3pP3/8/8/1n6/R3K2R w KQ d6 0 2",
            "4k3/4r3/8/8/1b6/8/3PNP2/R3KB1R w KQ - 0 1",
        ] {
            let position = Fen::parse(fen).unwrap().position;
            let mut played = 0;
            for from in Square::ALL {
                for to in Square::ALL {
                    let Some(step) = step_of(&position, from, to) else {
                        continue;
                    };
                    // A move that is impossible on an empty board is not a step.
                    let (mut expected, mut undo) = (position, Undo::default());
                    let Ok(san) = expected.play_legal(Move::normal(from, to), &mut undo) else {
                        let is_possible = position
                            .test(Move::normal(from, to))
                            .is_err_and(|illegal| illegal.is_pseudo_legal());
                        if is_possible {
                            assert_eq!(
                                { position }.play_step::<true>(step, &mut undo),
                                None,
                                "{fen}: {from}{to}"
                            );
                        }
                        continue;
                    };
                    let (mut given, mut taken_back) = (position, Undo::default());
                    let Some(named) = given.play_step::<true>(step, &mut taken_back) else {
                        assert_eq!(position.en_passant(), Some(to), "{fen}: {from}{to}");
                        continue;
                    };
                    played += 1;
                    assert_eq!((given, named), (expected, san), "{fen}: {from}{to}");
                    given.take_back(&taken_back);
                    assert_eq!(given, position, "{fen}: {from}{to}");
                    let mut unnamed = position;
                    assert!(unnamed.play_step::<false>(step, &mut undo).is_some());
                    assert_eq!(unnamed, expected, "{fen}: {from}{to}");
                }
            }
            assert!(played > 4, "{fen}: {played}");
        }
    }

    #[test]
    fn a_step_that_does_not_fit_the_board_changes_nothing() {
        let position = Position::initial();
        let mut undo = Undo::default();
        let white = |role, from, to, taken| Step::new(Color::White, role, from, to, taken);
        for step in [
            Step::new(Color::Black, Role::Pawn, Square::E7, Square::E5, None),
            white(Role::Queen, Square::E2, Square::E4, None),
            white(Role::Knight, Square::G1, Square::F3, Some(Role::Pawn)),
            white(Role::Rook, Square::A1, Square::A4, None),
            white(Role::Rook, Square::A1, Square::A2, None),
        ] {
            let mut given = position;
            assert_eq!(given.play_step::<true>(step, &mut undo), None, "{step:?}");
            assert_eq!(given, position);
        }
    }
}
