//! The rules: one given move is tested, the list of moves is never made.

use shakmaty::attacks;

use super::geometry::Relation;
use super::position::{castling_targets, taken_en_passant};
use super::{Bitboard, CastlingSide, Illegal, Move, Position, Rank, Role, Square};

impl Position {
    /// Tests a move against all rules.
    ///
    /// # Errors
    /// The first rule it breaks; [`Illegal::is_pseudo_legal`] tells those that hurt the king's safety only.
    #[inline]
    pub fn test(&self, mv: Move) -> Result<(), Illegal> {
        match mv {
            Move::Normal { from, to, promotion } => self.test_normal(from, to, promotion).map(|_| ()),
            Move::Castle(side) => self.test_castle(side).map(|_| ()),
            Move::Null if self.is_check() => Err(Illegal::NullInCheck),
            Move::Null => Ok(()),
        }
    }

    #[inline(always)]
    pub(super) fn test_normal(
        &self,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Result<Role, Illegal> {
        let us = self.men(self.turn());
        if !us.contains(from) {
            return Err(Illegal::NoMan);
        }
        let role = self.role_at(from).ok_or(Illegal::NoMan)?;
        if us.contains(to) {
            return Err(Illegal::OwnMan);
        }
        if role == Role::Pawn {
            self.test_pawn(from, to, promotion)?;
        } else if promotion.is_some() {
            return Err(Illegal::Promotion);
        } else if !Relation::of_man(role, self.turn()).attacks(from, to, self.occupied()) {
            return Err(Illegal::NotItsMove);
        }
        if self.is_king_safe_after(role, from, to) {
            Ok(role)
        } else {
            Err(Illegal::KingInCheck)
        }
    }

    #[inline]
    fn test_pawn(&self, from: Square, to: Square, promotion: Option<Role>) -> Result<(), Illegal> {
        let possible = if from.file() != to.file() {
            attacks::pawn_attacks(self.turn(), from).contains(to)
                && (self.men(!self.turn()).contains(to) || self.is_en_passant(from, to))
        } else {
            let forward = self.turn().fold_wb(8, -8);
            let occupied = self.occupied();
            let steps = to as i32 - from as i32;
            !occupied.contains(to)
                && (steps == forward
                    || steps == 2 * forward
                        && from.rank() == self.turn().relative_rank(Rank::Second)
                        && from
                            .offset(forward)
                            .is_some_and(|square| !occupied.contains(square)))
        };
        if !possible {
            return Err(Illegal::NotItsMove);
        }
        let reaches_end = to.rank() == self.turn().relative_rank(Rank::Eighth);
        match promotion {
            None if !reaches_end => Ok(()),
            Some(Role::Knight | Role::Bishop | Role::Rook | Role::Queen) if reaches_end => Ok(()),
            _ => Err(Illegal::Promotion),
        }
    }

    /// A pawn that goes from its fifth rank onto the square that the last move skipped.
    #[inline]
    pub(super) fn is_en_passant(&self, from: Square, to: Square) -> bool {
        self.en_passant == Some(to)
            && from.rank() == self.turn().relative_rank(Rank::Fifth)
            && self
                .of_kind(!self.turn(), Role::Pawn)
                .contains(taken_en_passant(to))
    }

    /// True where the own king is not in check after a pseudo-legal move.
    #[inline(always)]
    pub(super) fn is_king_safe_after(&self, role: Role, from: Square, to: Square) -> bool {
        let Some(king) = self.king(self.turn()) else {
            return true;
        };
        // Whoever leaves the king's line can only uncover a man that moves along lines.
        let dangers = (attacks::ray(king, from) & self.riders() & self.men(!self.turn())) | self.checkers();
        let en_passant = role == Role::Pawn && from.file() != to.file();
        (dangers.is_empty() & (role != Role::King) & !en_passant)
            || self.is_king_safe_indeed(king, role, from, to)
    }

    fn is_king_safe_indeed(&self, king: Square, role: Role, from: Square, to: Square) -> bool {
        let them = self.men(!self.turn());
        if role == Role::King {
            let left = self.occupied() ^ Bitboard::from_square(from);
            return (self.attackers(to, !self.turn(), left) & !Bitboard::from_square(to)).is_empty();
        }
        let mut taken = Bitboard::from_square(to);
        if role == Role::Pawn && from.file() != to.file() && !them.contains(to) {
            taken |= Bitboard::from_square(taken_en_passant(to));
        }
        let occupied = ((self.occupied() ^ Bitboard::from_square(from)) & !taken) | Bitboard::from_square(to);
        (self.attackers(king, !self.turn(), occupied) & !taken).is_empty()
    }

    pub(super) fn test_castle(&self, side: CastlingSide) -> Result<(Square, Square), Illegal> {
        let us = self.turn();
        let king = self.king(us).ok_or(Illegal::Castling)?;
        let rook = self.castling_rook(side).ok_or(Illegal::Castling)?;
        let (king_to, rook_to) = castling_targets(side, us);
        let others = self.occupied() ^ Bitboard::from_square(king) ^ Bitboard::from_square(rook);
        let way = attacks::between(king, king_to)
            | attacks::between(rook, rook_to)
            | Bitboard::from_square(king_to)
            | Bitboard::from_square(rook_to);
        let open = king.rank() == us.backrank() && (others & way).is_empty() && !self.is_check();
        let passes = attacks::between(king, king_to) | Bitboard::from_square(king_to);
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

    /// True when the side to move, which is in check, has a legal move.
    pub(super) fn has_evasion(&self) -> bool {
        let us = self.turn();
        let Some(king) = self.king(us) else {
            return true;
        };
        let without_king = self.occupied() ^ Bitboard::from_square(king);
        let flights = attacks::king_attacks(king) & !self.men(us);
        if flights
            .into_iter()
            .any(|square| self.attackers(square, !us, without_king).is_empty())
        {
            return true;
        }
        let Some(checker) = self.checkers().single_square() else {
            return false;
        };
        let targets = attacks::between(king, checker) | Bitboard::from_square(checker);
        let others = self.men(us) & !self.of_kind(us, Role::Pawn) & !Bitboard::from_square(king);
        others.into_iter().any(|from| {
            self.role_at(from).is_some_and(|role| {
                (self.attacks_from(role, from) & targets)
                    .into_iter()
                    .any(|to| self.is_king_safe_after(role, from, to))
            })
        }) || self.has_pawn_evasion(targets)
    }

    /// True when a pawn can move onto one of `targets`, or take a pawn there en passant, and the king is safe then.
    fn has_pawn_evasion(&self, targets: Bitboard) -> bool {
        let forward = self.turn().fold_wb(8, -8);
        let en_passant = self.en_passant.map_or(Bitboard::EMPTY, Bitboard::from_square);
        self.of_kind(self.turn(), Role::Pawn).into_iter().any(|from| {
            let steps = [from.offset(forward), from.offset(2 * forward)]
                .into_iter()
                .flatten()
                .collect::<Bitboard>();
            let reach = (attacks::pawn_attacks(self.turn(), from) & en_passant)
                | ((attacks::pawn_attacks(self.turn(), from) | steps) & targets);
            reach.into_iter().any(|to| {
                let promotion = (to.rank() == self.turn().relative_rank(Rank::Eighth)).then_some(Role::Queen);
                self.test_pawn(from, to, promotion).is_ok() && self.is_king_safe_after(Role::Pawn, from, to)
            })
        })
    }
}
