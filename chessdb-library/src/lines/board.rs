//! A plain board: the pieces of a position without rights and rules, on which moves that were tested before are played.

use chessdb::board::{Bitboard, Color, File, Position, Role, Square};
use chessdb::shakmaty::attacks;

use super::packed::{KeptMove, LineStart};
use super::tally::{PieceTally, place_of};

/// What a position and a plain board both show.
pub(crate) trait Pieces {
    /// The side to move.
    fn turn(&self) -> Color;
    /// The squares of a kind of piece.
    fn of_kind(&self, color: Color, role: Role) -> Bitboard;
    /// The squares of a side.
    fn pieces(&self, color: Color) -> Bitboard;
    /// The squares of both sides.
    fn occupied(&self) -> Bitboard;
    /// The role of the piece on a square.
    fn role_at(&self, square: Square) -> Option<Role>;
    /// False if no side can castle any more. A plain board does not know.
    fn may_castle(&self) -> bool;
}

impl Pieces for Position {
    #[inline]
    fn turn(&self) -> Color {
        self.turn()
    }

    #[inline]
    fn of_kind(&self, color: Color, role: Role) -> Bitboard {
        self.of_kind(color, role)
    }

    #[inline]
    fn pieces(&self, color: Color) -> Bitboard {
        self.pieces(color)
    }

    #[inline]
    fn occupied(&self) -> Bitboard {
        self.occupied()
    }

    #[inline]
    fn role_at(&self, square: Square) -> Option<Role> {
        self.role_at(square)
    }

    fn may_castle(&self) -> bool {
        self.castling_rooks().any()
    }
}

/// The bits of a kind of piece of either side, as in [`Change`].
pub(crate) fn bits_of(role: Role) -> u16 {
    1 << place_of(Color::White, role) | 1 << place_of(Color::Black, role)
}

/// Which kinds of pieces a move put on other squares: a bit for each place. It is never 0, since places 0 and 8, which have
/// no pieces, are for [`COUNTS`] and [`TURN`].
pub(crate) type Change = u16;

/// Set if the numbers of pieces have changed.
pub(crate) const COUNTS: Change = 1;

/// Set if nothing but the side to move has changed.
const TURN: Change = 1 << 8;

/// Everything may have changed.
pub(crate) const ALL: Change = Change::MAX;

/// The pieces on a board.
#[derive(Clone, Debug)]
pub(crate) struct PlainBoard {
    /// The place of each square's piece; 0 for none.
    squares: [u8; 64],
    /// The squares of each kind; place 0 means nothing.
    kinds: [Bitboard; 16],
    /// The squares of each side.
    sides: [Bitboard; 2],
    /// Number of pieces of each kind.
    pub(crate) counts: PieceTally,
    turn: Color,
}

impl Pieces for PlainBoard {
    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    #[inline]
    fn of_kind(&self, color: Color, role: Role) -> Bitboard {
        self.kinds[place_of(color, role)]
    }

    #[inline]
    fn pieces(&self, color: Color) -> Bitboard {
        self.sides[color as usize]
    }

    #[inline]
    fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    #[inline]
    fn role_at(&self, square: Square) -> Option<Role> {
        Role::try_from(u32::from(self.squares[square as usize] & 7)).ok()
    }

    fn may_castle(&self) -> bool {
        true
    }
}

impl PlainBoard {
    /// The pieces of a position.
    pub(crate) fn of(position: &Position) -> PlainBoard {
        let mut board = PlainBoard {
            squares: [0; 64],
            kinds: [Bitboard::EMPTY; 16],
            sides: [Bitboard::EMPTY; 2],
            counts: PieceTally::default(),
            turn: position.turn(),
        };
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                board.put(square, place_of(piece.color, piece.role) as u8);
            }
        }
        board
    }

    /// The board where a line begins; `None` if it begins nowhere.
    pub(crate) fn at(start: &LineStart) -> Option<PlainBoard> {
        use std::sync::LazyLock;
        static USUAL: LazyLock<PlainBoard> = LazyLock::new(|| PlainBoard::of(&Position::initial()));
        match start {
            LineStart::Usual => Some(USUAL.clone()),
            LineStart::At(position) => Some(PlainBoard::of(position)),
            LineStart::Nowhere => None,
        }
    }

    /// Plays a move, which needs not be legal.
    #[inline(always)]
    pub(crate) fn play(&mut self, mv: KeptMove) -> Change {
        self.turn = !self.turn;
        if mv.is_special() {
            return self.castle(mv);
        }
        let (from, to) = (mv.from(), mv.to());
        let (own, target) = (Bitboard::from_square(from), Bitboard::from_square(to));
        let piece = std::mem::take(&mut self.squares[from as usize]);
        let taken = std::mem::replace(&mut self.squares[to as usize], piece);
        let at = usize::from(piece & 15);
        self.kinds[at] = self.kinds[at] & !own | target;
        let side = &mut self.sides[usize::from(piece >> 3 & 1)];
        *side = *side & !own | target;
        if mv.is_plain() && !mv.takes() {
            return 1 << at & !COUNTS;
        }
        self.take_or_promote(mv, piece, taken)
    }

    /// Completes a move that takes a piece, or by which a pawn becomes another one.
    fn take_or_promote(&mut self, mv: KeptMove, piece: u8, taken: u8) -> Change {
        let (from, to) = (mv.from(), mv.to());
        let mut change = 1 << usize::from(piece & 15) | COUNTS;
        if mv.takes() {
            // A pawn that takes on an empty square takes the one beside it.
            let (square, taken) = match taken {
                0 => {
                    let beside = Square::from_coords(to.file(), from.rank());
                    (beside, std::mem::take(&mut self.squares[beside as usize]))
                }
                taken => (to, taken),
            };
            let at = usize::from(taken & 15);
            let square = Bitboard::from_square(square);
            self.kinds[at] &= !square;
            self.sides[usize::from(taken >> 3 & 1)] &= !square;
            self.counts.0[at] = self.counts.0[at].saturating_sub(1);
            change |= 1 << at;
        }
        if let Some(role) = mv.promotion() {
            let pawn = usize::from(piece & 15);
            self.kinds[pawn] &= !Bitboard::from_square(to);
            self.counts.0[pawn] = self.counts.0[pawn].saturating_sub(1);
            let promoted = piece & 8 | role as u8;
            self.squares[to as usize] = promoted;
            let at = usize::from(promoted);
            self.kinds[at] |= Bitboard::from_square(to);
            self.counts.0[at] = self.counts.0[at].saturating_add(1);
            change |= 1 << at;
        }
        change
    }

    /// Castles, or plays a null move.
    fn castle(&mut self, mv: KeptMove) -> Change {
        let Some((side, king, rook)) = mv.castling() else {
            return TURN;
        };
        let [king_place, rook_place] = [king, rook].map(|square| self.remove(square));
        let to = |file: File| Square::from_coords(file, king.rank());
        self.put(to(side.king_to_file()), king_place);
        self.put(to(side.rook_to_file()), rook_place);
        1 << usize::from(king_place & 15) | 1 << usize::from(rook_place & 15)
    }

    fn remove(&mut self, square: Square) -> u8 {
        let place = std::mem::take(&mut self.squares[square as usize]);
        let own = Bitboard::from_square(square);
        let at = usize::from(place & 15);
        self.kinds[at] &= !own;
        self.sides[usize::from(place >> 3 & 1)] &= !own;
        self.counts.0[at] = self.counts.0[at].saturating_sub(1);
        place
    }

    fn put(&mut self, square: Square, place: u8) {
        let own = Bitboard::from_square(square);
        let at = usize::from(place & 15);
        self.squares[square as usize] = place;
        self.kinds[at] |= own;
        if place != 0 {
            self.sides[usize::from(place >> 3 & 1)] |= own;
        }
        self.counts.0[at] = self.counts.0[at].saturating_add(1);
    }

    /// True if the side to move is in check.
    pub(crate) fn is_check(&self) -> bool {
        let king = self.of_kind(self.turn, Role::King).first();
        king.is_some_and(|king| self.attacks(king, self.occupied()))
    }

    /// False if the side to move is not in check, or its king has a safe square to go to.
    pub(crate) fn may_be_mated(&self) -> bool {
        let Some(king) = self.of_kind(self.turn, Role::King).first() else {
            return false;
        };
        let steps = attacks::king_attacks(king) & !self.pieces(self.turn);
        let without_king = self.occupied() & !Bitboard::from_square(king);
        self.is_check() && steps.into_iter().all(|step| self.attacks(step, without_king))
    }

    /// True if the side that is not to move attacks a square, where these are occupied.
    fn attacks(&self, square: Square, occupied: Bitboard) -> bool {
        let of = |role| self.of_kind(!self.turn, role);
        let queens = of(Role::Queen);
        (attacks::knight_attacks(square) & of(Role::Knight)).any()
            || (attacks::pawn_attacks(self.turn, square) & of(Role::Pawn)).any()
            || (attacks::king_attacks(square) & of(Role::King)).any()
            || (attacks::bishop_attacks(square, occupied) & (of(Role::Bishop) | queens)).any()
            || (attacks::rook_attacks(square, occupied) & (of(Role::Rook) | queens)).any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb::board::{Fen, Move, Undo};
    use chessdb::replay::Ply;

    /// Compares a board with a position in all that both show.
    fn assert_same(board: &PlainBoard, position: &Position) {
        assert_eq!(board.turn(), position.turn());
        assert_eq!(Pieces::occupied(board), position.occupied());
        for color in Color::ALL {
            assert_eq!(Pieces::pieces(board, color), position.pieces(color));
            for role in Role::ALL {
                let squares = position.of_kind(color, role);
                assert_eq!(Pieces::of_kind(board, color, role), squares, "{color} {role:?}");
                assert_eq!(usize::from(board.counts.count(color, role)), squares.count());
            }
        }
        for square in Square::ALL {
            assert_eq!(Pieces::role_at(board, square), position.role_at(square));
        }
        assert_eq!(board.is_check(), position.is_check());
        assert!(board.may_be_mated() || !position.is_checkmate());
    }

    /// Plays random games from a position, and returns how many of their moves castled, took en passant, and promoted.
    fn play_from(start: Position, random: &mut testkit::Random, games: usize) -> [usize; 3] {
        let mut special = [0; 3];
        for _ in 0..games {
            let (mut position, mut undo) = (start, Undo::default());
            let mut board = PlainBoard::of(&position);
            for number in 0..150 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = random.pick(&moves);
                let before = position;
                position.advance(mv, &mut undo).unwrap();
                let packed = KeptMove::of(&Ply::new(number, mv, &position, &undo)).unwrap();
                assert_eq!(packed.unpack(), mv);
                let old = board.clone();
                let change = board.play(packed);
                assert_same(&board, &position);
                for (color, role) in Color::ALL
                    .into_iter()
                    .flat_map(|color| Role::ALL.map(|role| (color, role)))
                {
                    let is_same = Pieces::of_kind(&old, color, role) == Pieces::of_kind(&board, color, role);
                    assert!(is_same || change >> place_of(color, role) & 1 == 1);
                }
                assert!(change & COUNTS != 0 || old.counts.0[1..7] == board.counts.0[1..7]);
                match mv {
                    Move::Castle(_) => special[0] += 1,
                    Move::Normal {
                        promotion: Some(_), ..
                    } => special[2] += 1,
                    Move::Normal { from, to, .. } => {
                        let is_pawn = before.role_at(from) == Some(Role::Pawn);
                        let is_en_passant = is_pawn && packed.takes() && before.role_at(to).is_none();
                        special[1] += usize::from(is_en_passant);
                    }
                    Move::Null => {}
                }
            }
        }
        special
    }

    #[test]
    fn it_has_the_pieces_of_the_position() {
        let mut random = testkit::Random(1);
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            // Kings and rooks of Chess960, one beside its target, one on it.
            "brkrqnnb/pppppppp/8/8/8/8/PPPPPPPP/BRKRQNNB w DBdb - 0 1",
            "rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1",
            "5rkr/8/8/8/8/8/8/5RKR w HFhf - 0 1",
            // Pawns that pass each other, and that promote.
            "4k3/pppp4/8/4PPPP/4pppp/8/PPPP4/4K3 w - - 0 1",
            "1n2k1n1/P1P4P/8/8/8/8/p1p4p/1N2K1N1 w - - 0 1",
            // More than 32 pieces.
            "rnbqkbnr/pppppppp/nnnnnnnn/8/8/NNNNNNNN/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ];
        let mut sum = [0; 3];
        for start in starts {
            let start = Fen::parse(start).unwrap().position;
            let special = play_from(start, &mut random, 200);
            sum.iter_mut()
                .zip(special)
                .for_each(|(sum, special)| *sum += special);
        }
        assert!(sum[0] > 50 && sum[1] > 10 && sum[2] > 200, "{sum:?}");
    }

    #[test]
    fn no_moves_leave_the_board() {
        let mut random = testkit::Random(2);
        let mut board = PlainBoard::of(&Position::initial());
        for _ in 0..100_000 {
            board.play(KeptMove(random.bits() as u16));
            let _ = board.is_check();
        }
        let all = (0..16).fold(Bitboard::EMPTY, |all, kind| all | board.kinds[kind]);
        assert!(all.count() <= 64);
    }
}
