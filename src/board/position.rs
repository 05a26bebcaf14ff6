//! A position that tests and plays one move at a time.

use shakmaty::attacks;

use super::{Bitboard, CastlingSide, Color, File, Illegal, Role, San, Square};

/// One halfmove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Any move of one man, captures and en passant included.
    Normal {
        /// Square of departure.
        from: Square,
        /// Target square.
        to: Square,
        /// What a pawn becomes.
        promotion: Option<Role>,
    },
    /// Castling to the given side; the rook is the one that has the right (Chess960 too).
    Castle(CastlingSide),
    /// A null move: only the turn passes.
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

/// The men on the board, the side to move, the rights to castle and the en passant square.
///
/// A position always has at most one man a square. It may lack a king after [`Position::play`] was given an
/// illegal move; nothing panics then, and a side without a king is never in check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    by_role: [Bitboard; 6],
    by_color: [Bitboard; 2],
    /// Rooks that still have the right to castle.
    pub(super) castling: Bitboard,
    /// Men that give check to the side to move.
    checkers: Bitboard,
    turn: Color,
    /// The square that the pawn of the last move skipped.
    pub(super) en_passant: Option<Square>,
}

/// Index of a role in [`Position::by_role`].
fn at(role: Role) -> usize {
    role as usize - 1
}

/// Index of a colour in [`Position::by_color`].
fn of(color: Color) -> usize {
    usize::from(color.is_white())
}

impl Position {
    /// The normal start position.
    pub fn initial() -> Position {
        Position::from_men(&shakmaty::Board::new(), Color::White, Bitboard::CORNERS, None)
    }

    /// A position as given, with no test at all.
    pub(super) fn from_men(
        board: &shakmaty::Board,
        turn: Color,
        castling: Bitboard,
        en_passant: Option<Square>,
    ) -> Position {
        let mut position = Position {
            by_role: Role::ALL.map(|role| board.by_role(role)),
            by_color: [board.by_color(Color::Black), board.by_color(Color::White)],
            castling,
            checkers: Bitboard::EMPTY,
            turn,
            en_passant,
        };
        position.checkers = position.checks_on(turn);
        position
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// All men.
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// All men of a colour.
    pub fn men(&self, color: Color) -> Bitboard {
        self.by_color[of(color)]
    }

    /// The men of one kind and colour.
    pub fn of_kind(&self, color: Color, role: Role) -> Bitboard {
        self.by_role[at(role)] & self.by_color[of(color)]
    }

    /// The king's square; none where illegal moves took it.
    pub fn king(&self, color: Color) -> Option<Square> {
        self.of_kind(color, Role::King).first()
    }

    /// What stands on a square.
    pub fn role_at(&self, square: Square) -> Option<Role> {
        let bit = square.to_u32();
        let mut role = 0;
        for (n, men) in (1u32..).zip(self.by_role) {
            role |= ((u64::from(men) >> bit) as u32 & 1) * n;
        }
        Role::ALL.get((role as usize).wrapping_sub(1)).copied()
    }

    /// Whose man stands on a square.
    pub fn color_at(&self, square: Square) -> Option<Color> {
        [Color::White, Color::Black]
            .into_iter()
            .find(|&color| self.men(color).contains(square))
    }

    /// Rooks of both sides that still have the right to castle.
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The square that a pawn skipped in the last move, whether or not anybody can take it there.
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Men that give check to the side to move.
    pub(super) fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// True when the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// The rook with which the side to move may castle to `side`, whether or not castling is possible now.
    pub fn castling_rook(&self, side: CastlingSide) -> Option<Square> {
        let king = self.king(self.turn)?;
        let rooks = self.castling & self.of_kind(self.turn, Role::Rook) & Bitboard::from_rank(king.rank());
        match side {
            CastlingSide::KingSide => rooks.last().filter(|rook| rook.file() > king.file()),
            CastlingSide::QueenSide => rooks.first().filter(|rook| rook.file() < king.file()),
        }
    }

    /// Plays a legal move and gives its SAN with the sign of check or mate.
    ///
    /// # Errors
    /// As [`Position::test`]; the position is then unchanged.
    #[inline]
    pub fn play_legal(&mut self, mv: Move) -> Result<San, Illegal> {
        let mut san = match mv {
            Move::Normal { from, to, promotion } => {
                let role = self.test_normal(from, to, promotion)?;
                let san = self.san_of_normal(role, from, to, promotion);
                self.play_normal(role, from, to, promotion);
                san
            }
            Move::Castle(side) => {
                let (king, rook) = self.test_castle(side)?;
                self.play_castle(side, king, rook);
                San::castle(side)
            }
            Move::Null => {
                self.test(Move::Null)?;
                self.pass();
                San::NULL
            }
        };
        if self.checkers.any() {
            san.push(if self.has_evasion() { b'+' } else { b'#' });
        }
        Ok(san)
    }

    /// Plays a move as it is, legal or not: whatever stands on the target is taken, castling moves the king
    /// and the rook wherever they are, a move from an empty square only passes the turn.
    pub fn play(&mut self, mv: Move) {
        match mv {
            Move::Normal { from, to, promotion } => match self.role_at(from) {
                Some(role) => self.play_normal(role, from, to, promotion),
                None => self.pass(),
            },
            Move::Castle(side) => {
                let home = self.turn.backrank();
                let king = self.king(self.turn);
                let corner = match side {
                    CastlingSide::KingSide => Square::from_coords(File::H, home),
                    CastlingSide::QueenSide => Square::from_coords(File::A, home),
                };
                let rook = self.castling_rook(side).unwrap_or(corner);
                match king {
                    Some(king) if self.of_kind(self.turn, Role::Rook).contains(rook) => {
                        self.play_castle(side, king, rook);
                    }
                    _ => self.pass(),
                }
            }
            Move::Null => self.pass(),
        }
    }

    /// Squares that a man of `role` and the colour to move attacks from `square`.
    #[inline]
    pub fn attacks_from(&self, role: Role, square: Square) -> Bitboard {
        match role {
            Role::Pawn => attacks::pawn_attacks(self.turn, square),
            Role::Knight => attacks::knight_attacks(square),
            Role::Bishop => attacks::bishop_attacks(square, self.occupied()),
            Role::Rook => attacks::rook_attacks(square, self.occupied()),
            Role::Queen => attacks::queen_attacks(square, self.occupied()),
            Role::King => attacks::king_attacks(square),
        }
    }

    /// Men of `by` that attack `square` when `occupied` is the board.
    #[inline]
    pub(super) fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let [pawns, knights, bishops, rooks, queens, kings] = self.by_role;
        self.by_color[of(by)]
            & ((attacks::pawn_attacks(!by, square) & pawns)
                | (attacks::knight_attacks(square) & knights)
                | (attacks::bishop_attacks(square, occupied) & (bishops | queens))
                | (attacks::rook_attacks(square, occupied) & (rooks | queens))
                | (attacks::king_attacks(square) & kings))
    }

    /// Men that attack the king of `color`.
    #[inline]
    pub(super) fn checks_on(&self, color: Color) -> Bitboard {
        match self.king(color) {
            Some(king) => self.attackers(king, !color, self.occupied()),
            None => Bitboard::EMPTY,
        }
    }

    fn san_of_normal(&self, role: Role, from: Square, to: Square, promotion: Option<Role>) -> San {
        let takes = self.men(!self.turn).contains(to);
        if role == Role::Pawn {
            return San::pawn(from, to, promotion);
        }
        let twins = self.of_kind(self.turn, role) & !Bitboard::from_square(from);
        let mut rivals = Bitboard::EMPTY;
        if twins.any() && role != Role::King {
            for twin in twins & self.attacks_from(role, to) {
                if self.is_king_safe_after(role, twin, to) {
                    rivals.add(twin);
                }
            }
        }
        San::piece(role, from, to, takes, rivals)
    }

    #[inline]
    fn play_normal(&mut self, role: Role, from: Square, to: Square, promotion: Option<Role>) {
        let us = self.color_at(from).unwrap_or(self.turn);
        let mut gone = Bitboard::from_square(to);
        if role == Role::Pawn && from.file() != to.file() && self.is_en_passant(from, to) {
            gone.add(taken_en_passant(to));
        }
        gone.add(from);
        for men in &mut self.by_role {
            *men &= !gone;
        }
        for men in &mut self.by_color {
            *men &= !gone;
        }
        self.by_role[at(promotion.unwrap_or(role))].add(to);
        self.by_color[of(us)].add(to);
        self.castling &= !gone;
        if role == Role::King {
            self.castling &= !Bitboard::from_rank(us.backrank());
        }
        let double_step = role == Role::Pawn && (from as i32 - to as i32).abs() == 16;
        self.en_passant = if double_step {
            from.offset((to as i32 - from as i32) / 2)
        } else {
            None
        };
        self.turn = !self.turn;
        self.checkers = self.checks_on(self.turn);
    }

    fn play_castle(&mut self, side: CastlingSide, king: Square, rook: Square) {
        let us = self.turn;
        let (king_to, rook_to) = castling_targets(side, us);
        for (role, from) in [(Role::King, king), (Role::Rook, rook)] {
            self.by_role[at(role)].discard(from);
            self.by_color[of(us)].discard(from);
        }
        for (role, to) in [(Role::King, king_to), (Role::Rook, rook_to)] {
            for men in self.by_role.iter_mut().chain(&mut self.by_color) {
                men.discard(to);
            }
            self.by_role[at(role)].add(to);
            self.by_color[of(us)].add(to);
        }
        self.castling &= !Bitboard::from_rank(us.backrank());
        self.pass();
    }

    fn pass(&mut self) {
        self.en_passant = None;
        self.turn = !self.turn;
        self.checkers = self.checks_on(self.turn);
    }
}

/// The square of the pawn that is taken by a pawn that goes to `to` en passant.
#[inline]
pub(super) fn taken_en_passant(to: Square) -> Square {
    to.xor(Square::A2)
}

/// Where king and rook of `color` stand after castling.
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
