//! Playing moves on a position, and taking back the last one.

use shakmaty::attacks;

use super::geometry::{line, reach, with_free_path};
use super::legality::{castling_targets, taken_en_passant};
use super::packed::PackedPiece;
use super::{Bitboard, CastlingSide, Color, Illegal, Piece, Position, Rank, Role, San, Square};

/// A half-move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Any move of one piece, captures and en passant included.
    Normal {
        /// Square of departure.
        from: Square,
        /// Target square.
        to: Square,
        /// The promotion of a pawn.
        promotion: Option<Role>,
    },
    /// Castling to the given side with the rook that has the right, also in Chess960.
    Castle(CastlingSide),
    /// A null move, which only passes the turn.
    Null,
}

impl Move {
    /// A move without promotion.
    pub fn normal(from: Square, to: Square) -> Move {
        Move::Normal {
            from,
            to,
            promotion: None,
        }
    }
}

/// Restores the position before a legal move.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    /// The squares that the move changed, with their former pieces; only the first `changed` are used.
    before: [(Square, PackedPiece); 4],
    changed: u8,
    en_passant: Option<Square>,
    castling: Bitboard,
    checkers: Bitboard,
}

impl Undo {
    /// The squares that the move changed, with their previous contents. After castling in Chess960, a square may
    /// appear twice.
    #[inline]
    pub(super) fn changes(&self) -> impl Iterator<Item = &(Square, PackedPiece)> {
        self.before.iter().take(self.changed.into())
    }

    /// The piece that was captured by a move other than castling.
    #[inline]
    pub(crate) fn captured(&self) -> Option<Piece> {
        // The first square is the square that the moved piece left.
        let mut others = self.changes().skip(1);
        let (_, taken) = others.find(|(_, piece)| *piece != PackedPiece::NONE)?;
        Some(taken.role()?.of(taken.color()?))
    }
}

impl Default for Undo {
    fn default() -> Undo {
        Undo {
            before: [(Square::A1, PackedPiece::NONE); 4],
            changed: 0,
            en_passant: None,
            castling: Bitboard::EMPTY,
            checkers: Bitboard::EMPTY,
        }
    }
}

impl Position {
    /// Plays a legal move and returns its SAN with the sign of check or mate. Sets `undo`, which can take the move
    /// back.
    ///
    /// # Errors
    /// As [`Position::test`]; the position and `undo` are then unchanged.
    // Inlined so that neither the parts of the move nor the result go through memory.
    #[inline(always)]
    pub fn play_legal(&mut self, mv: Move, undo: &mut Undo) -> Result<San, Illegal> {
        self.play_tested::<true>(mv, undo)
    }

    /// Plays a legal move without making its SAN.
    ///
    /// # Errors
    /// As [`Position::test`]; the position and `undo` are then unchanged.
    #[inline(always)]
    pub fn advance(&mut self, mv: Move, undo: &mut Undo) -> Result<(), Illegal> {
        self.play_tested::<false>(mv, undo).map(drop)
    }

    /// Plays a legal move. Without `NAMED` the returned SAN is meaningless.
    #[inline(always)]
    fn play_tested<const NAMED: bool>(&mut self, mv: Move, undo: &mut Undo) -> Result<San, Illegal> {
        let mut san = match mv {
            // The function is compiled separately for each colour. The sides alternate so regularly that this
            // branch is always predicted, and no later branch depends on the colour.
            Move::Normal { from, to, promotion } => match self.turn {
                Color::White => self.play_legal_normal::<NAMED>(Color::White, from, to, promotion, undo)?,
                Color::Black => self.play_legal_normal::<NAMED>(Color::Black, from, to, promotion, undo)?,
            },
            Move::Castle(side) => self.play_legal_castle(side, undo)?,
            Move::Null => {
                self.test(Move::Null)?;
                self.keep_state(undo, &[]);
                self.end_turn();
                San::NULL
            }
        };
        if NAMED && self.checkers.any() {
            san.push(self.check_sign());
        }
        Ok(san)
    }

    /// Takes back the last legal move. `undo` was set when it was played.
    pub fn take_back(&mut self, undo: &Undo) {
        for &(square, piece) in undo.changes() {
            self.set(square, piece);
        }
        self.castling = undo.castling;
        self.checkers = undo.checkers;
        self.en_passant = undo.en_passant;
        self.turn = !self.turn;
    }

    /// Plays a move even if it is illegal: any piece on the target is captured, castling moves king and rook wherever
    /// they are, and a move from an empty square only passes the turn.
    pub fn play(&mut self, mv: Move) {
        self.sound &= self.test(mv).is_ok();
        let mut skipped = None;
        match mv {
            Move::Normal { from, to, promotion } => skipped = self.move_anyhow(from, to, promotion),
            Move::Castle(side) => self.castle_anyhow(side),
            Move::Null => {}
        }
        self.end_turn();
        self.en_passant = skipped;
    }

    /// Moves the piece on `from`. Returns the square that a pawn skipped.
    fn move_anyhow(&mut self, from: Square, to: Square, promotion: Option<Role>) -> Option<Square> {
        let piece = self.packed_at(from);
        let (role, color) = (piece.role()?, piece.color()?);
        if role == Role::Pawn && from.file() != to.file() && self.is_en_passant(from, to) {
            self.set(taken_en_passant(to), PackedPiece::NONE);
        }
        self.set(from, PackedPiece::NONE);
        self.set(to, PackedPiece::new(color, promotion.unwrap_or(role)));
        self.castling &= !(Bitboard::from_square(from) | Bitboard::from_square(to));
        if role == Role::King {
            self.castling &= !Bitboard::from_rank(color.backrank());
        }
        let steps = to as i32 - from as i32;
        (role == Role::Pawn && steps.abs() == 16)
            .then(|| from.offset(steps / 2))
            .flatten()
    }

    fn castle_anyhow(&mut self, side: CastlingSide) {
        if let Some(king) = self.king(self.turn)
            && let Some(rook) = self.castling_rook_anyhow(side)
        {
            self.move_castling_pieces(side, king, rook);
        }
    }

    /// Plays the legal move of a piece of `us`, the side to move.
    #[inline(always)]
    fn play_legal_normal<const NAMED: bool>(
        &mut self,
        us: Color,
        from: Square,
        to: Square,
        promotion: Option<Role>,
        undo: &mut Undo,
    ) -> Result<San, Illegal> {
        let piece = self.mover(us, from, to)?;
        if !piece.is_pawn() {
            return self.play_legal_piece::<NAMED>(us, piece, from, to, promotion, undo);
        }
        let common = promotion.is_none() & !Bitboard::BACKRANKS.contains(to);
        if common & self.pawn_targets(us, from).contains(to) {
            self.play_legal_pawn(us, piece, from, to, undo)
        } else {
            self.play_legal_rarity(piece, from, to, promotion, undo)
        }
    }

    /// Plays a legal pawn move that is neither a promotion nor en passant.
    #[inline(always)]
    fn play_legal_pawn(
        &mut self,
        us: Color,
        piece: PackedPiece,
        from: Square,
        to: Square,
        undo: &mut Undo,
    ) -> Result<San, Illegal> {
        if !self.is_king_safe_after(us, from, to) {
            return Err(Illegal::KingInCheck);
        }
        self.move_piece(us, piece, from, to, undo);
        // Only a double step changes exactly bit 4 of the square's number.
        let is_double = from as u8 ^ to as u8 == 16;
        let behind = Square::from_coords(from.file(), us.relative_rank(Rank::Third));
        self.en_passant = if is_double { Some(behind) } else { None };
        self.checkers = self.checks_after(us, from, to, attacks::pawn_attacks(us, to));
        Ok(San::pawn(from, to, None))
    }

    /// Plays a promotion or en passant.
    #[cold]
    fn play_legal_rarity(
        &mut self,
        piece: PackedPiece,
        from: Square,
        to: Square,
        promotion: Option<Role>,
        undo: &mut Undo,
    ) -> Result<San, Illegal> {
        let en_passant = self.test_pawn(from, to, promotion)?;
        let taken = if en_passant { taken_en_passant(to) } else { to };
        self.keep_state(undo, &[from, taken, to]);
        self.set(taken, PackedPiece::NONE);
        self.set(from, PackedPiece::NONE);
        self.set(
            to,
            promotion.map_or(piece, |role| PackedPiece::new(self.turn, role)),
        );
        self.castling &= !Bitboard::from_square(to);
        self.end_turn();
        Ok(San::pawn(from, to, promotion))
    }

    #[inline(always)]
    fn play_legal_piece<const NAMED: bool>(
        &mut self,
        us: Color,
        piece: PackedPiece,
        from: Square,
        to: Square,
        promotion: Option<Role>,
        undo: &mut Undo,
    ) -> Result<San, Illegal> {
        self.test_piece(us, piece, from, to, promotion)?;
        let attacked = reach(piece, to);
        let takes = self.packed_at(to) != PackedPiece::NONE;
        let candidates = if NAMED {
            self.others_to(piece, from, to, attacked)
        } else {
            Bitboard::EMPTY
        };
        self.move_piece(us, piece, from, to, undo);
        self.en_passant = None;
        if piece.is_king() {
            self.castling &= !Bitboard::from_rank(us.backrank());
        }
        self.checkers = self.checks_after(us, from, to, attacked);
        Ok(if NAMED {
            San::piece(piece, from, to, takes, candidates)
        } else {
            San::NULL
        })
    }

    /// The other pieces of this kind that could legally go to `to`. From there, such a piece attacks `attacked` on an
    /// empty board.
    #[inline(always)]
    pub(super) fn others_to(
        &self,
        piece: PackedPiece,
        from: Square,
        to: Square,
        attacked: Bitboard,
    ) -> Bitboard {
        // Usually, no other piece could go there even on an empty board.
        let candidates = self.by_kind[piece.index()] & attacked & !Bitboard::from_square(from);
        if candidates.any() {
            self.candidates(candidates, to)
        } else {
            Bitboard::EMPTY
        }
    }

    fn play_legal_castle(&mut self, side: CastlingSide, undo: &mut Undo) -> Result<San, Illegal> {
        let (king, rook) = self.test_castle(side)?;
        let (king_to, rook_to) = castling_targets(side, self.turn);
        self.keep_state(undo, &[king, rook, king_to, rook_to]);
        self.move_castling_pieces(side, king, rook);
        self.end_turn();
        Ok(San::castle(side))
    }

    fn move_castling_pieces(&mut self, side: CastlingSide, king: Square, rook: Square) {
        let us = self.turn;
        let (king_to, rook_to) = castling_targets(side, us);
        // In Chess960, king and rook may each go to the other's square.
        self.set(king, PackedPiece::NONE);
        self.set(rook, PackedPiece::NONE);
        self.set(king_to, PackedPiece::new(us, Role::King));
        self.set(rook_to, PackedPiece::new(us, Role::Rook));
        self.castling &= !Bitboard::from_rank(us.backrank());
    }

    /// Moves a piece of `us` in a legal move that is neither a promotion nor en passant, and passes the turn.
    ///
    /// The caller sets the en passant square and the checkers.
    #[inline(always)]
    pub(super) fn move_piece(
        &mut self,
        us: Color,
        piece: PackedPiece,
        from: Square,
        to: Square,
        undo: &mut Undo,
    ) {
        let taken = self.packed_at(to);
        undo.before[0] = (from, piece);
        undo.before[1] = (to, taken);
        undo.changed = 2;
        undo.castling = self.castling;
        undo.checkers = self.checkers;
        undo.en_passant = self.en_passant;

        let (left, reached) = (Bitboard::from_square(from), Bitboard::from_square(to));
        self.pieces[from as usize] = PackedPiece::NONE;
        self.pieces[to as usize] = piece;
        self.by_kind[taken.index()] &= !reached;
        self.by_color[!us as usize] &= !reached;
        self.by_kind[piece.index()] ^= left | reached;
        self.by_color[us as usize] ^= left | reached;
        self.castling &= !(left | reached);
        self.turn = !us;
    }

    /// The pieces of `us` that give check after a piece moved from `from` to `to`, where it attacks
    /// `attacked` on an empty board.
    #[inline(always)]
    pub(super) fn checks_after(&self, us: Color, from: Square, to: Square, attacked: Bitboard) -> Bitboard {
        let direct = attacked & self.of_kind(!us, Role::King);
        let uncovered = line(self.king_index(!us), from) & self.sliders(us);
        if (direct | uncovered).is_empty() & self.sound {
            return Bitboard::EMPTY;
        }
        self.checks_of(us, to, direct.any(), uncovered)
    }

    /// The pieces of `us` that give check: the one on `to` if `direct` is true and its path to the king is free, and
    /// the sliders among `uncovered`.
    // Not inlined, because few moves need it and it would take registers from all others.
    #[inline(never)]
    fn checks_of(&self, us: Color, to: Square, direct: bool, uncovered: Bitboard) -> Bitboard {
        match self.king(!us) {
            Some(king) if self.sound => {
                let direct = Bitboard(u64::from(direct) << to as u32);
                let sliders = if uncovered.any() {
                    uncovered & self.sliders_on_lines(us, king)
                } else {
                    Bitboard::EMPTY
                };
                with_free_path(direct | sliders, king, self.occupied())
            }
            _ => self.checks_on(!us),
        }
    }

    /// Records the pieces on the squares that a move is going to change.
    fn keep_state(&self, undo: &mut Undo, squares: &[Square]) {
        *undo = Undo {
            before: undo.before,
            changed: 0,
            castling: self.castling,
            checkers: self.checkers,
            en_passant: self.en_passant,
        };
        for (slot, &square) in undo.before.iter_mut().zip(squares) {
            *slot = (square, self.packed_at(square));
            undo.changed += 1;
        }
    }

    /// Passes the turn to the other side.
    fn end_turn(&mut self) {
        self.en_passant = None;
        self.turn = !self.turn;
        self.checkers = self.checks_on(self.turn);
    }

    /// The sign after a move that gives check.
    pub(super) fn check_sign(&self) -> u8 {
        if self.has_evasion() { b'+' } else { b'#' }
    }
}
