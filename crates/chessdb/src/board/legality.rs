//! The rules of chess. A single given move is tested; no list of moves is generated.

use shakmaty::attacks;

use super::geometry::{between, line, reach};
use super::packed::PackedPiece;
use super::{Bitboard, CastlingSide, Color, File, Illegal, Move, Position, Rank, Role, Square};

impl Position {
    /// Tests a move against all rules.
    ///
    /// # Errors
    /// The first rule that it breaks; [`Illegal::is_pseudo_legal`] is true for moves that only leave the king in check.
    pub fn test(&self, mv: Move) -> Result<(), Illegal> {
        match mv {
            Move::Normal { from, to, promotion } => self.test_normal(from, to, promotion),
            Move::Castle(side) => self.test_castle(side).map(|_| ()),
            Move::Null if self.is_check() => Err(Illegal::NullInCheck),
            Move::Null => Ok(()),
        }
    }

    fn test_normal(&self, from: Square, to: Square, promotion: Option<Role>) -> Result<(), Illegal> {
        let us = self.turn;
        let piece = self.mover(us, from, to)?;
        if piece.is_pawn() {
            self.test_pawn(from, to, promotion).map(|_| ())
        } else {
            self.test_piece(us, piece, from, to, promotion)
        }
    }

    /// The piece of `us` on `from`; an error if the square has no such piece, or if a piece of `us` is on `to`.
    #[inline(always)]
    pub(super) fn mover(&self, us: Color, from: Square, to: Square) -> Result<PackedPiece, Illegal> {
        let piece = self.packed_at(from);
        if !piece.is_of(us) {
            return Err(Illegal::NoPiece);
        }
        if self.packed_at(to).is_of(us) {
            return Err(Illegal::OwnPiece);
        }
        Ok(piece)
    }

    /// Tests the move of any piece of `us` other than a pawn.
    #[inline(always)]
    pub(super) fn test_piece(
        &self,
        us: Color,
        piece: PackedPiece,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Result<(), Illegal> {
        if promotion.is_some() {
            return Err(Illegal::Promotion);
        }
        // No short circuit: a branch misprediction costs more than the second test.
        if !reach(piece, to).contains(from) | (between(from, to) & self.occupied()).any() {
            return Err(Illegal::NotItsMove);
        }
        let safe = if piece.is_king() {
            self.is_safe_for_king(from, to)
        } else {
            self.is_king_safe_after(us, from, to)
        };
        if safe { Ok(()) } else { Err(Illegal::KingInCheck) }
    }

    /// Tests the move of a pawn. Returns true for en passant.
    pub(super) fn test_pawn(
        &self,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Result<bool, Illegal> {
        let us = self.turn;
        let en_passant = !self.pawn_targets(us, from).contains(to);
        if en_passant && !self.is_en_passant(from, to) {
            return Err(Illegal::NotItsMove);
        }
        let reaches_end = to.rank() == us.relative_rank(Rank::Eighth);
        let right_promotion = match promotion {
            None => !reaches_end,
            Some(role) => reaches_end && !matches!(role, Role::Pawn | Role::King),
        };
        if !right_promotion {
            return Err(Illegal::Promotion);
        }
        let safe = if en_passant {
            self.is_king_safe_after_en_passant(from, to)
        } else {
            self.is_king_safe_after(us, from, to)
        };
        if safe {
            Ok(en_passant)
        } else {
            Err(Illegal::KingInCheck)
        }
    }

    /// The squares that a pawn of `us` can move to, except en passant.
    #[inline(always)]
    pub(super) fn pawn_targets(&self, us: Color, from: Square) -> Bitboard {
        let free = !self.occupied();
        let ahead = |pieces: Bitboard| Bitboard(us.fold_wb(pieces.0 << 8, pieces.0 >> 8)) & free;
        let one = ahead(Bitboard::from_square(from));
        let two = ahead(one & Bitboard::from_rank(us.relative_rank(Rank::Third)));
        one | two | (attacks::pawn_attacks(us, from) & self.pieces(!us))
    }

    /// True for a pawn on its fifth rank that captures on the square skipped by the last move.
    pub(super) fn is_en_passant(&self, from: Square, to: Square) -> bool {
        self.en_passant == Some(to)
            && attacks::pawn_attacks(self.turn, from).contains(to)
            && from.rank() == self.turn.relative_rank(Rank::Fifth)
            && self
                .of_kind(!self.turn, Role::Pawn)
                .contains(taken_en_passant(to))
    }

    /// True if the king of `us` is not in check after a pseudo-legal move of another piece, not en passant.
    #[inline(always)]
    pub(super) fn is_king_safe_after(&self, us: Color, from: Square, to: Square) -> bool {
        // A piece that leaves the king's line can only uncover a slider.
        let uncovered = line(self.king_index(us), from) & self.sliders(!us);
        (uncovered | self.checkers).is_empty() || self.is_king_safe_without(Bitboard::from_square(from), to)
    }

    /// True if the king of the side to move is not in check after a capture en passant.
    pub(super) fn is_king_safe_after_en_passant(&self, from: Square, to: Square) -> bool {
        self.is_king_safe_without(
            Bitboard::from_square(from) | Bitboard::from_square(taken_en_passant(to)),
            to,
        )
    }

    /// True if the king of the side to move is not in check once the pieces on `gone` have left and a piece has reached
    /// `to`.
    fn is_king_safe_without(&self, gone: Bitboard, to: Square) -> bool {
        let Some(king) = self.king(self.turn) else {
            return true;
        };
        let reached = Bitboard::from_square(to);
        let occupied = (self.occupied() & !gone) | reached;
        (self.attackers(king, !self.turn, occupied) & !gone & !reached).is_empty()
    }

    /// True if the king can go from `from` to `to`.
    // Not inlined, because it would take registers from the moves of all other pieces.
    #[inline(never)]
    pub(super) fn is_safe_for_king(&self, from: Square, to: Square) -> bool {
        let left = self.occupied() ^ Bitboard::from_square(from);
        (self.attackers(to, !self.turn, left) & !Bitboard::from_square(to)).is_empty()
    }

    /// The candidates that can legally go to `to`. The caller passes only pieces that could do so on an empty board.
    pub(super) fn candidates(&self, candidates: Bitboard, to: Square) -> Bitboard {
        let occupied = self.occupied();
        let can_go = |&candidate: &Square| {
            (between(candidate, to) & occupied).is_empty()
                && self.is_king_safe_after(self.turn, candidate, to)
        };
        candidates.into_iter().filter(can_go).collect()
    }

    pub(super) fn test_castle(&self, side: CastlingSide) -> Result<(Square, Square), Illegal> {
        let us = self.turn();
        let king = self.king(us).ok_or(Illegal::Castling)?;
        let rook = self.castling_rook(side).ok_or(Illegal::Castling)?;
        let (king_to, rook_to) = castling_targets(side, us);
        let others = self.occupied() ^ Bitboard::from_square(king) ^ Bitboard::from_square(rook);
        let way = between(king, king_to)
            | between(rook, rook_to)
            | Bitboard::from_square(king_to)
            | Bitboard::from_square(rook_to);
        let open = king.rank() == us.backrank() && (others & way).is_empty() && !self.is_check();
        let passes = between(king, king_to) | Bitboard::from_square(king_to);
        let safe = open
            && passes
                .into_iter()
                .all(|square| self.attackers(square, !us, others | Bitboard::from_square(rook)).is_empty())
            // In Chess960 the rook may have shielded the king's target.
            && self
                .attackers(king_to, !us, others | Bitboard::from_square(rook_to))
                .is_empty();
        if safe {
            Ok((king, rook))
        } else {
            Err(Illegal::Castling)
        }
    }

    /// True if the side to move, which is in check, has a legal move.
    pub(super) fn has_evasion(&self) -> bool {
        let us = self.turn();
        let Some(king) = self.king(us) else {
            return true;
        };
        let without_king = self.occupied() ^ Bitboard::from_square(king);
        let flights = attacks::king_attacks(king) & !self.pieces(us);
        if flights
            .into_iter()
            .any(|square| self.attackers(square, !us, without_king).is_empty())
        {
            return true;
        }
        let Some(checker) = self.checkers.single_square() else {
            return false;
        };
        let targets = between(king, checker) | Bitboard::from_square(checker);
        let others = self.pieces(us) & !self.of_kind(us, Role::Pawn) & !Bitboard::from_square(king);
        others.into_iter().any(|from| {
            self.role_at(from).is_some_and(|role| {
                (self.attacks_from(role, from) & targets)
                    .into_iter()
                    .any(|to| self.is_king_safe_after(us, from, to))
            })
        }) || self.has_pawn_evasion(targets)
    }

    /// True if a pawn can move onto one of `targets`, or take a pawn there en passant, and the king is safe then.
    fn has_pawn_evasion(&self, targets: Bitboard) -> bool {
        let en_passant = self.en_passant.map_or(Bitboard::EMPTY, Bitboard::from_square);
        self.of_kind(self.turn(), Role::Pawn).into_iter().any(|from| {
            let attacked = attacks::pawn_attacks(self.turn, from);
            let reach = (attacked & en_passant) | (self.pawn_targets(self.turn, from) & targets);
            reach.into_iter().any(|to| {
                let promotion = (to.rank() == self.turn.relative_rank(Rank::Eighth)).then_some(Role::Queen);
                let mv = Move::Normal { from, to, promotion };
                self.test(mv).is_ok()
            })
        })
    }
}

/// The square of the pawn that is captured en passant by a move to `to`.
#[inline]
pub(super) fn taken_en_passant(to: Square) -> Square {
    to.xor(Square::A2)
}

/// The squares of king and rook of `color` after castling.
pub(super) fn castling_targets(side: CastlingSide, color: Color) -> (Square, Square) {
    let home = color.backrank();
    match side {
        CastlingSide::KingSide => (
            Square::from_coords(File::G, home),
            Square::from_coords(File::F, home),
        ),
        CastlingSide::QueenSide => (
            Square::from_coords(File::C, home),
            Square::from_coords(File::D, home),
        ),
    }
}
