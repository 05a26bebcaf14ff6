//! A plain board: only the pieces and the side to move. It is made for moves that were tested before, so it needs no
//! castling rights and no rules. Other moves lead to a board without meaning, but never to a panic.

use chessdb::board::{Bitboard, Color, File, Position, Role, Square};
use chessdb::shakmaty::attacks;

use super::packed::{KeptMove, LineStart};
use super::tally::{PieceTally, WORTHS, place_of};

/// What positions and plain boards have in common.
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
    /// False if neither side can castle any more. Always true for a plain board, which does not record castling rights,
    /// so that they may still exist.
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

/// The bits of [`Change`] for a kind of piece of either side.
pub(crate) fn bits_of(role: Role) -> u16 {
    1 << place_of(Color::White, role) | 1 << place_of(Color::Black, role)
}

/// The kinds of pieces that a move put on other squares, removed or added: a bit for each kind, at its
/// [place](place_of). Bits 0 and 8, which no kind has, are [`COUNTS`] and [`TURN`]. Not 0 for a legal move.
pub(crate) type Change = u16;

/// Set if the numbers of pieces have changed.
pub(crate) const COUNTS: Change = 1;

/// Set if nothing but the side to move has changed.
const TURN: Change = 1 << 8;

/// Everything may have changed.
pub(crate) const ALL: Change = Change::MAX;

/// The piece on each square, and the number of pieces of each kind.
#[derive(Clone, Debug)]
pub(crate) struct Mailbox {
    /// For each square the kind of its piece, as [`place_of`] numbers them; 0 for none.
    squares: [u8; 64],
    pub(crate) counts: PieceTally,
}

/// The place of the piece that a move moved, and of the piece that was on its target square; 0 for none.
type Moved = (u8, u8);

impl Mailbox {
    const EMPTY: Mailbox = Mailbox {
        squares: [0; 64],
        counts: PieceTally([0; 16]),
    };

    /// Plays a move, which need not be legal. Returns true if the numbers of pieces have changed.
    #[inline(always)]
    pub(crate) fn play(&mut self, mv: KeptMove) -> bool {
        if mv.is_special() {
            self.castle(mv);
            return false;
        }
        let (piece, taken) = self.step(mv);
        // One move in five takes a piece, and the processor cannot predict which; so there is no branch, and a move to
        // an empty square changes entry 0, which is never read.
        self.lose(taken);
        if mv.is_whole(taken) {
            return mv.takes();
        }
        self.take_beside(mv, taken);
        self.promote(mv, piece);
        true
    }

    /// Plays a move without counting pieces, which takes half as long: then `counts` means nothing. Returns by how much
    /// White's material less Black's grows.
    #[inline(always)]
    pub(crate) fn play_uncounted(&mut self, mv: KeptMove) -> i32 {
        let worth = |place: u8| WORTHS[usize::from(place & 15)];
        if mv.is_special() {
            self.castle(mv);
            return 0;
        }
        let (piece, taken) = self.step(mv);
        if mv.is_whole(taken) {
            return -worth(taken);
        }
        let beside = self.take_beside(mv, taken).map_or(0, |(_, place)| worth(place));
        let promoted = self
            .promote(mv, piece)
            .map_or(0, |place| worth(place) - worth(piece));
        promoted - worth(taken) - beside
    }

    /// Moves a piece, and takes what is on its square.
    #[inline(always)]
    fn step(&mut self, mv: KeptMove) -> Moved {
        let piece = std::mem::take(&mut self.squares[mv.from() as usize]);
        let taken = std::mem::replace(&mut self.squares[mv.to() as usize], piece);
        (piece, taken)
    }

    /// Counts one piece less of the kind with this place.
    #[inline(always)]
    fn lose(&mut self, place: u8) {
        let at = usize::from(place & 15);
        self.counts.0[at] = self.counts.0[at].saturating_sub(1);
    }

    /// Completes an en passant capture: removes the captured pawn, which is beside the square that the other pawn left.
    /// Returns the square and the place of the captured pawn; `None` for other moves.
    fn take_beside(&mut self, mv: KeptMove, taken: u8) -> Option<(Square, u8)> {
        (mv.takes() && taken == 0).then(|| {
            let beside = Square::from_coords(mv.to().file(), mv.from().rank());
            (beside, self.remove(beside))
        })
    }

    /// Replaces a promoting pawn by its new piece. Returns the place of that piece.
    fn promote(&mut self, mv: KeptMove, pawn: u8) -> Option<u8> {
        let promoted = pawn & 8 | mv.promotion()? as u8;
        let to = mv.to();
        self.remove(to);
        self.put(to, promoted);
        Some(promoted)
    }

    /// Castles. Returns for king and rook: the square that it leaves, the square that it goes to, and its place. Does
    /// nothing for a null move, and returns `None`.
    fn castle(&mut self, mv: KeptMove) -> Option<[(Square, Square, u8); 2]> {
        let (side, king, rook) = mv.castling()?;
        let to = |file: File| Square::from_coords(file, king.rank());
        let moves = [(king, to(side.king_to_file())), (rook, to(side.rook_to_file()))];
        let moved = moves.map(|(from, to)| (from, to, self.remove(from)));
        for (_, to, place) in moved {
            self.put(to, place);
        }
        Some(moved)
    }

    fn remove(&mut self, square: Square) -> u8 {
        let place = std::mem::take(&mut self.squares[square as usize]);
        self.lose(place);
        place
    }

    fn put(&mut self, square: Square, place: u8) {
        self.squares[square as usize] = place;
        let at = usize::from(place & 15);
        self.counts.0[at] = self.counts.0[at].saturating_add(1);
    }
}

/// The pieces on a board, by square and by kind.
#[derive(Clone, Debug)]
pub(crate) struct PlainBoard {
    pub(crate) mailbox: Mailbox,
    /// The squares of each kind of piece. Entry 0 is written for empty squares, and never read.
    kinds: [Bitboard; 16],
    /// The squares of both sides. The squares of one side are asked for less often than moves are played, so they are
    /// put together from its kinds.
    occupied: Bitboard,
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
        let first = place_of(color, Role::Pawn);
        let kinds = &self.kinds[first..first + Role::ALL.len()];
        kinds.iter().fold(Bitboard::EMPTY, |all, &kind| all | kind)
    }

    #[inline]
    fn occupied(&self) -> Bitboard {
        self.occupied
    }

    #[inline]
    fn role_at(&self, square: Square) -> Option<Role> {
        Role::try_from(u32::from(self.mailbox.squares[square as usize] & 7)).ok()
    }

    fn may_castle(&self) -> bool {
        true
    }
}

impl PlainBoard {
    /// The pieces of a position.
    pub(crate) fn of(position: &Position) -> PlainBoard {
        let mut mailbox = Mailbox::EMPTY;
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                mailbox.put(square, place_of(piece.color, piece.role) as u8);
            }
        }
        PlainBoard::new(mailbox, position.turn())
    }

    /// The pieces on these squares, counted again, with this side to move.
    pub(crate) fn new(mut mailbox: Mailbox, turn: Color) -> PlainBoard {
        let mut kinds = [Bitboard::EMPTY; 16];
        mailbox.counts = PieceTally::default();
        for square in Square::ALL {
            let at = usize::from(mailbox.squares[square as usize] & 15);
            kinds[at] |= Bitboard::from_square(square);
            mailbox.counts.0[at] += 1;
        }
        PlainBoard {
            occupied: !kinds[0],
            kinds,
            mailbox,
            turn,
        }
    }

    /// The start position of a line; `None` for [`LineStart::Nowhere`].
    pub(crate) fn at(start: &LineStart) -> Option<PlainBoard> {
        use std::sync::LazyLock;
        static USUAL: LazyLock<PlainBoard> = LazyLock::new(|| PlainBoard::of(&Position::initial()));
        match start {
            LineStart::Usual => Some(USUAL.clone()),
            LineStart::At(position) => Some(PlainBoard::of(position)),
            LineStart::Nowhere => None,
        }
    }

    /// The board after moves.
    pub(crate) fn after(self, moves: &[KeptMove]) -> PlainBoard {
        if moves.is_empty() {
            return self;
        }
        let turn = if moves.len().is_multiple_of(2) {
            self.turn
        } else {
            !self.turn
        };
        let mut mailbox = self.mailbox;
        for &mv in moves {
            mailbox.play_uncounted(mv);
        }
        PlainBoard::new(mailbox, turn)
    }

    /// Plays a move, which need not be legal.
    #[inline(always)]
    pub(crate) fn play(&mut self, mv: KeptMove) -> Change {
        self.turn = !self.turn;
        if mv.is_special() {
            return self.castle(mv);
        }
        let (piece, taken) = self.mailbox.step(mv);
        self.mailbox.lose(taken);
        let target = Bitboard::from_square(mv.to());
        let both = Bitboard::from_square(mv.from()) | target;
        let (at, taken_at) = (usize::from(piece & 15), usize::from(taken & 15));
        self.kinds[taken_at] &= !target;
        self.kinds[at] = self.kinds[at] & !both | target;
        self.occupied = self.occupied & !both | target;
        let counts = if mv.takes() { COUNTS } else { 0 };
        let change = (1 << at | 1 << taken_at) & !COUNTS | counts;
        if mv.is_whole(taken) {
            change
        } else {
            change | self.complete(mv, piece, taken)
        }
    }

    /// Completes a promotion or an en passant capture.
    fn complete(&mut self, mv: KeptMove, piece: u8, taken: u8) -> Change {
        let mut change = COUNTS;
        if let Some((square, place)) = self.mailbox.take_beside(mv, taken) {
            self.clear(square, place);
            change |= 1 << usize::from(place & 15);
        }
        if let Some(promoted) = self.mailbox.promote(mv, piece) {
            self.clear(mv.to(), piece);
            self.set(mv.to(), promoted);
            change |= 1 << usize::from(promoted & 15);
        }
        change
    }

    /// Castles, or plays a null move.
    fn castle(&mut self, mv: KeptMove) -> Change {
        let Some(moved) = self.mailbox.castle(mv) else {
            return TURN;
        };
        for (from, _, place) in moved {
            self.clear(from, place);
        }
        for (_, to, place) in moved {
            self.set(to, place);
        }
        moved
            .iter()
            .fold(0, |change, (.., place)| change | 1 << usize::from(place & 15))
    }

    /// Removes the piece with this place from its kind and from the occupied squares.
    fn clear(&mut self, square: Square, place: u8) {
        let own = Bitboard::from_square(square);
        self.kinds[usize::from(place & 15)] &= !own;
        self.occupied &= !own;
    }

    /// Adds the piece with this place to its kind and to the occupied squares.
    fn set(&mut self, square: Square, place: u8) {
        let own = Bitboard::from_square(square);
        self.kinds[usize::from(place & 15)] |= own;
        if place != 0 {
            self.occupied |= own;
        }
    }

    /// True if the side to move is in check.
    pub(crate) fn is_check(&self) -> bool {
        let king = self.of_kind(self.turn, Role::King).first();
        king.is_some_and(|king| self.attacks(king, self.occupied()))
    }

    /// True if the side to move is in check and its king has no safe square. It may still be able to block or take.
    pub(crate) fn may_be_mated(&self) -> bool {
        let Some(king) = self.of_kind(self.turn, Role::King).first() else {
            return false;
        };
        let steps = attacks::king_attacks(king) & !self.pieces(self.turn);
        let without_king = self.occupied() & !Bitboard::from_square(king);
        self.is_check() && steps.into_iter().all(|step| self.attacks(step, without_king))
    }

    /// True if the side that is not to move attacks a square, given the occupied squares.
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

    /// Compares everything that a board and a position both show.
    fn assert_same(board: &PlainBoard, position: &Position) {
        assert_eq!(board.turn(), position.turn());
        assert_eq!(Pieces::occupied(board), position.occupied());
        for color in Color::ALL {
            assert_eq!(Pieces::pieces(board, color), position.pieces(color));
            for role in Role::ALL {
                let squares = position.of_kind(color, role);
                assert_eq!(Pieces::of_kind(board, color, role), squares, "{color} {role:?}");
                assert_eq!(
                    usize::from(board.mailbox.counts.count(color, role)),
                    squares.count()
                );
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
            let mut played = Vec::new();
            let mut mailbox = board.mailbox.clone();
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
                played.push(packed);
                let old = board.clone();
                let change = board.play(packed);
                assert_same(&board, &position);
                let counts_change = mailbox.play(packed);
                assert_eq!(counts_change, change & COUNTS != 0);
                assert_eq!(mailbox.squares, board.mailbox.squares);
                assert_eq!(mailbox.counts, board.mailbox.counts);
                let mut uncounted = old.mailbox.clone();
                let gain = uncounted.play_uncounted(packed);
                assert_eq!(uncounted.squares, board.mailbox.squares);
                let sums = [&old, &board].map(|board| board.mailbox.counts.difference());
                assert_eq!(i64::from(gain), sums[1] - sums[0]);
                assert_same(&PlainBoard::new(mailbox.clone(), position.turn()), &position);
                for (color, role) in Color::ALL
                    .into_iter()
                    .flat_map(|color| Role::ALL.map(|role| (color, role)))
                {
                    let is_same = Pieces::of_kind(&old, color, role) == Pieces::of_kind(&board, color, role);
                    assert!(is_same || change >> place_of(color, role) & 1 == 1);
                }
                assert!(change & COUNTS != 0 || old.mailbox.counts.0[1..7] == board.mailbox.counts.0[1..7]);
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
            assert_same(&PlainBoard::of(&start).after(&played), &position);
        }
        special
    }

    #[test]
    fn it_has_the_pieces_of_the_position() {
        let mut random = testkit::Random(1);
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            // Kings and rooks of Chess960: one beside its target, one on it.
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
        assert!(board.mailbox.squares.iter().all(|&place| place < 16));
    }
}
