//! A position that tests and plays one move at a time.

use std::sync::LazyLock;

use shakmaty::attacks;

use super::geometry::Relation;
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
    /// What stands on each square.
    squares: [Option<Role>; 64],
    /// The same by role; place 0 takes what stands nowhere, so that nobody needs to ask.
    by_role: [Bitboard; 7],
    by_color: [Bitboard; 2],
    /// Rooks that still have the right to castle.
    pub(super) castling: Bitboard,
    /// Men that give check to the side to move.
    checkers: Bitboard,
    turn: Color,
    /// The square that the pawn of the last move skipped.
    pub(super) en_passant: Option<Square>,
    /// The side that is not to move is not in check: no illegal move has been played.
    sound: bool,
}

/// What brings back the position before a legal move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undo {
    /// Squares to be emptied.
    put: [Option<Square>; 2],
    /// Men to be set up again.
    removed: [Option<(Square, Color, Role)>; 2],
    castling: Bitboard,
    checkers: Bitboard,
    en_passant: Option<Square>,
}

/// Index of a colour in [`Position::by_color`].
fn of(color: Color) -> usize {
    usize::from(color.is_white())
}

impl Position {
    /// The normal start position.
    pub fn initial() -> Position {
        static INITIAL: LazyLock<Position> = LazyLock::new(|| {
            Position::from_men(&shakmaty::Board::new(), Color::White, Bitboard::CORNERS, None)
        });
        *INITIAL
    }

    /// A position as given, with no test at all.
    pub(super) fn from_men(
        board: &shakmaty::Board,
        turn: Color,
        castling: Bitboard,
        en_passant: Option<Square>,
    ) -> Position {
        let mut position = Position {
            squares: Square::ALL.map(|square| board.role_at(square)),
            by_role: [Bitboard::EMPTY; 7],
            by_color: [board.by_color(Color::Black), board.by_color(Color::White)],
            castling,
            checkers: Bitboard::EMPTY,
            turn,
            en_passant,
            sound: true,
        };
        for role in Role::ALL {
            position.by_role[role as usize] = board.by_role(role);
        }
        position.checkers = position.checks_on(turn);
        position.sound = position.checks_on(!turn).is_empty();
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
        self.by_role[role as usize] & self.by_color[of(color)]
    }

    /// Bishops, rooks and queens of both sides.
    #[inline]
    pub(super) fn riders(&self) -> Bitboard {
        self.by_role[Role::Bishop as usize]
            | self.by_role[Role::Rook as usize]
            | self.by_role[Role::Queen as usize]
    }

    /// The king's square; none where illegal moves took it.
    pub fn king(&self, color: Color) -> Option<Square> {
        self.of_kind(color, Role::King).first()
    }

    /// What stands on a square.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.squares[square as usize]
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

    /// Plays a legal move and gives its SAN with the sign of check or mate; `undo` becomes what takes it back.
    ///
    /// # Errors
    /// As [`Position::test`]; the position and `undo` are then unchanged.
    #[inline(always)]
    pub fn play_legal(&mut self, mv: Move, undo: &mut Undo) -> Result<San, Illegal> {
        let mut san = match mv {
            Move::Normal { from, to, promotion } => {
                let role = self.test_normal(from, to, promotion)?;
                let san = self.san_of_normal(role, from, to, promotion);
                self.play_normal(self.turn, role, from, to, promotion, undo);
                self.checkers = self.checks_by_move(promotion.unwrap_or(role), from, to);
                san
            }
            Move::Castle(side) => {
                let (king, rook) = self.test_castle(side)?;
                self.play_castle(side, king, rook, undo);
                San::castle(side)
            }
            Move::Null => {
                self.test(Move::Null)?;
                self.pass(undo);
                San::NULL
            }
        };
        if self.checkers.any() {
            san.push(if self.has_evasion() { b'+' } else { b'#' });
        }
        Ok(san)
    }

    /// Takes the last legal move back. `undo` is what playing it gave.
    pub fn take_back(&mut self, undo: &Undo) {
        undo.put.iter().flatten().for_each(|&square| self.remove(square));
        for &(square, color, role) in undo.removed.iter().flatten() {
            self.put(color, role, square);
        }
        self.castling = undo.castling;
        self.checkers = undo.checkers;
        self.en_passant = undo.en_passant;
        self.turn = !self.turn;
    }

    /// Plays a move as it is, legal or not: whatever stands on the target is taken, castling moves the king
    /// and the rook wherever they are, a move from an empty square only passes the turn.
    pub fn play(&mut self, mv: Move) {
        self.sound &= self.test(mv).is_ok();
        let undo = &mut Undo::default();
        match mv {
            Move::Normal { from, to, promotion } => match self.role_at(from) {
                Some(role) => {
                    let color = self.color_at(from).unwrap_or(self.turn);
                    self.play_normal(color, role, from, to, promotion, undo);
                    self.checkers = self.checks_on(self.turn);
                }
                None => self.pass(undo),
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
                        self.play_castle(side, king, rook, undo);
                    }
                    _ => self.pass(undo),
                }
            }
            Move::Null => self.pass(undo),
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
        let [_, pawns, knights, bishops, rooks, queens, kings] = self.by_role;
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

    #[inline(always)]
    fn san_of_normal(&self, role: Role, from: Square, to: Square, promotion: Option<Role>) -> San {
        let takes = self.men(!self.turn).contains(to);
        if role == Role::Pawn {
            return San::pawn(from, to, promotion);
        }
        let way = Relation::of_man(role, self.turn);
        let mut rivals = Bitboard::EMPTY;
        for twin in self.of_kind(self.turn, role) & !Bitboard::from_square(from) {
            if way.attacks(twin, to, self.occupied()) && self.is_king_safe_after(role, twin, to) {
                rivals.add(twin);
            }
        }
        San::piece(role, from, to, takes, rivals)
    }

    /// Men that give check after a man of `role` went from `from` to `to`, itself or because it left a line.
    #[inline]
    fn checks_by_move(&self, role: Role, from: Square, to: Square) -> Bitboard {
        let us = !self.turn;
        let Some(king) = self.king(self.turn) else {
            return Bitboard::EMPTY;
        };
        let direct = Relation::of_man(role, us).attacks(to, king, self.occupied());
        let uncovers = (attacks::ray(king, from) & self.riders() & self.men(us)).any();
        // En passant takes a man off a line as well.
        let en_passant = role == Role::Pawn && from.file() != to.file();
        if direct | uncovers | en_passant | !self.sound {
            self.attackers(king, us, self.occupied())
        } else {
            Bitboard::EMPTY
        }
    }

    /// Moves a man; the checks that it gives are left to the caller.
    #[inline(always)]
    fn play_normal(
        &mut self,
        us: Color,
        role: Role,
        from: Square,
        to: Square,
        promotion: Option<Role>,
        undo: &mut Undo,
    ) {
        let en_passant = role == Role::Pawn && from.file() != to.file() && self.is_en_passant(from, to);
        let taken = if en_passant { taken_en_passant(to) } else { to };
        self.keep_state(undo);
        undo.put = [Some(to), None];
        undo.removed = [
            Some((from, us, role)),
            self.role_at(taken).map(|role| (taken, !us, role)),
        ];
        self.remove(from);
        self.remove(taken);
        self.put(us, promotion.unwrap_or(role), to);
        self.castling &= !(Bitboard::from_square(from) | Bitboard::from_square(to));
        self.en_passant = None;
        match role {
            Role::King => self.castling &= !Bitboard::from_rank(us.backrank()),
            Role::Pawn if (from as i32 - to as i32).abs() == 16 => {
                self.en_passant = from.offset((to as i32 - from as i32) / 2);
            }
            _ => {}
        }
        self.turn = !self.turn;
    }

    fn play_castle(&mut self, side: CastlingSide, king: Square, rook: Square, undo: &mut Undo) {
        let us = self.turn;
        let (king_to, rook_to) = castling_targets(side, us);
        self.keep_state(undo);
        undo.put = [Some(king_to), Some(rook_to)];
        undo.removed = [Some((king, us, Role::King)), Some((rook, us, Role::Rook))];
        for square in [king, rook, king_to, rook_to] {
            self.remove(square);
        }
        self.put(us, Role::King, king_to);
        self.put(us, Role::Rook, rook_to);
        self.castling &= !Bitboard::from_rank(us.backrank());
        self.end_turn();
    }

    fn pass(&mut self, undo: &mut Undo) {
        self.keep_state(undo);
        undo.put = [None; 2];
        undo.removed = [None; 2];
        self.end_turn();
    }

    #[inline]
    fn keep_state(&self, undo: &mut Undo) {
        undo.castling = self.castling;
        undo.checkers = self.checkers;
        undo.en_passant = self.en_passant;
    }

    /// Gives the other side the move after anything but the move of one man.
    fn end_turn(&mut self) {
        self.en_passant = None;
        self.turn = !self.turn;
        self.checkers = self.checks_on(self.turn);
    }

    /// Empties a square.
    #[inline]
    fn remove(&mut self, square: Square) {
        let others = !Bitboard::from_square(square);
        let role = self.squares[square as usize].take();
        self.by_role[role.map_or(0, |role| role as usize)] &= others;
        self.by_color[0] &= others;
        self.by_color[1] &= others;
    }

    /// Puts a man on an empty square.
    #[inline]
    fn put(&mut self, color: Color, role: Role, square: Square) {
        self.squares[square as usize] = Some(role);
        self.by_role[role as usize].add(square);
        self.by_color[of(color)].add(square);
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
