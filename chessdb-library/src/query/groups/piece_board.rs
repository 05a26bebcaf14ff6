//! A plain board that knows the squares of each kind of piece.

use std::sync::LazyLock;

use super::plain_board::PlainBoard;
use super::tally::place_of;
use chessdb::board::{Bitboard, Color, PackedMove, Rank, Role, Square};
use chessdb::shakmaty::attacks;

/// The pieces on a board on which any move is played, White first.
#[derive(Clone)]
pub(super) struct PieceBoard {
    plain: PlainBoard,
    /// The squares of each kind, by its place in a tally.
    kinds: [Bitboard; 16],
    occupied: Bitboard,
    turn: Color,
}

/// For each square those on its diagonals, those on its rank and file, and all from which a piece can attack it.
static LINES: LazyLock<[[Bitboard; 3]; 64]> = LazyLock::new(|| {
    Square::ALL.map(|square| {
        let diagonals = attacks::bishop_attacks(square, Bitboard::EMPTY);
        let straights = attacks::rook_attacks(square, Bitboard::EMPTY);
        [
            diagonals,
            straights,
            diagonals | straights | attacks::knight_attacks(square),
        ]
    })
});

/// What a move changed on a [`PieceBoard`].
#[derive(Clone, Copy)]
pub(super) struct PieceStep {
    /// A bit for each place in a tally whose pieces may be on other squares than before.
    pub(super) kinds: u16,
    /// The squares that have other contents than before.
    changed: Bitboard,
}

impl PieceStep {
    /// Every kind may have changed.
    pub(super) const ALL: PieceStep = PieceStep {
        kinds: u16::MAX,
        changed: Bitboard::FULL,
    };

    /// The bits of a kind of piece, of either side.
    pub(super) fn bits_of(role: Role) -> u16 {
        1 << place_of(Color::White, role) | 1 << place_of(Color::Black, role)
    }
}

impl PieceBoard {
    /// The normal start position.
    pub(super) fn initial() -> &'static PieceBoard {
        static INITIAL: LazyLock<PieceBoard> = LazyLock::new(|| {
            let mut board = PieceBoard {
                plain: PlainBoard::initial().clone(),
                kinds: [Bitboard::EMPTY; 16],
                occupied: Bitboard::EMPTY,
                turn: Color::White,
            };
            board.look_at(Bitboard::FULL);
            board
        });
        &INITIAL
    }

    /// The squares of a kind of piece.
    #[inline]
    pub(super) fn of_kind(&self, color: Color, role: Role) -> Bitboard {
        self.kinds[place_of(color, role)]
    }

    /// Plays a move, legal or not; castling is a step of the king.
    #[inline]
    pub(super) fn play(&mut self, mv: PackedMove) -> PieceStep {
        let (from, to) = mv.squares();
        let taken = self.plain.squares[to as usize];
        let step = self.plain.play(mv);
        let (from, to) = (Bitboard::from_square(from), Bitboard::from_square(to));
        let mut kinds = u16::MAX;
        if step.changed == from | to && !mv.has_promotion() {
            let (taken, piece) = (usize::from(taken & 15), usize::from(step.piece & 15));
            self.kinds[taken] &= !to;
            self.kinds[piece] = self.kinds[piece] & !from | to;
            self.occupied = self.occupied & !from | to;
            kinds = 1 << taken | 1 << piece;
        } else {
            self.look_at(step.changed);
        }
        self.turn = !self.turn;
        PieceStep {
            kinds,
            changed: step.changed,
        }
    }

    /// Looks at squares of the plain board again.
    fn look_at(&mut self, squares: Bitboard) {
        self.kinds.iter_mut().for_each(|kind| *kind &= !squares);
        self.occupied &= !squares;
        for square in squares {
            let place = self.plain.squares[square as usize];
            if place != 0 {
                self.kinds[usize::from(place & 15)] |= Bitboard::from_square(square);
                self.occupied |= Bitboard::from_square(square);
            }
        }
    }

    /// True if the side to move, which was not in check before a step, is in check after it, or has no king.
    #[inline]
    pub(super) fn is_check_after(&self, step: PieceStep) -> bool {
        let Some(king) = self.of_kind(self.turn, Role::King).first() else {
            return true;
        };
        let [diagonals, straights, all] = LINES[king as usize];
        if (all & step.changed).is_empty() {
            return false;
        }
        let of = |role| self.of_kind(!self.turn, role);
        let queens = of(Role::Queen);
        let is_on =
            |lines: Bitboard, pieces: Bitboard| (lines & step.changed).any() && (lines & pieces).any();
        (attacks::knight_attacks(king) & of(Role::Knight)).any()
            || (attacks::pawn_attacks(self.turn, king) & of(Role::Pawn)).any()
            || (attacks::king_attacks(king) & of(Role::King)).any()
            || is_on(diagonals, of(Role::Bishop) | queens)
                && (attacks::bishop_attacks(king, self.occupied) & (of(Role::Bishop) | queens)).any()
            || is_on(straights, of(Role::Rook) | queens)
                && (attacks::rook_attacks(king, self.occupied) & (of(Role::Rook) | queens)).any()
    }

    /// True if a move is certainly legal for the side to move, which is in check. Taking en passant is never certain.
    pub(super) fn answers(&self, mv: PackedMove) -> bool {
        let (from, to) = mv.squares();
        let us = self.turn;
        let role = Role::ALL
            .into_iter()
            .find(|&role| self.of_kind(us, role).contains(from));
        let is_own = Role::ALL
            .into_iter()
            .any(|role| self.of_kind(us, role).contains(to));
        let leads_there = match role {
            None => false,
            Some(Role::Pawn) => {
                let is_last = to.rank() == us.relative_rank(Rank::Eighth);
                mv.has_promotion() == is_last && self.pawn_targets(from).contains(to)
            }
            Some(role) => {
                let piece = chessdb::board::Piece { color: us, role };
                !mv.has_promotion() && attacks::attacks(from, piece, self.occupied).contains(to)
            }
        };
        let is_safe = || {
            let mut after = self.clone();
            after.play(mv);
            after.turn = us;
            !after.is_check_after(PieceStep::ALL)
        };
        leads_there && !is_own && is_safe()
    }

    /// Where a pawn of the side to move can go.
    fn pawn_targets(&self, from: Square) -> Bitboard {
        let us = self.turn;
        let ahead = |square: Square| square.offset(us.fold_wb(8, -8));
        let is_free = |square: &Square| !self.occupied.contains(*square);
        let one = ahead(from).filter(is_free);
        let is_home = from.rank() == us.relative_rank(Rank::Second);
        let two = one.filter(|_| is_home).and_then(ahead).filter(is_free);
        let steps: Bitboard = one.into_iter().chain(two).collect();
        steps | attacks::pawn_attacks(us, from) & self.occupied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use chessdb::board::{Move, Position, Undo};

    /// A move as it is stored: castling is a step of the king.
    fn stored(position: &Position, mv: Move) -> PackedMove {
        let Move::Castle(side) = mv else {
            return PackedMove::new(mv);
        };
        let king = position.king(position.turn()).unwrap();
        PackedMove::new(Move::normal(
            king,
            Square::from_coords(side.king_to_file(), king.rank()),
        ))
    }

    fn is_en_passant(position: &Position, from: Square, to: Square) -> bool {
        position.role_at(from) == Some(Role::Pawn)
            && from.file() != to.file()
            && position.role_at(to).is_none()
    }

    #[test]
    fn it_has_what_a_position_has() {
        let mut random = testkit::Random(1);
        let (mut checks, mut answers) = (0, 0);
        for _ in 0..400 {
            let (mut position, mut board) = (Position::initial(), PieceBoard::initial().clone());
            for _ in 0..150 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = random.pick(&moves);
                let before = board.clone();
                let step = board.play(stored(&position, mv));
                position.advance(mv, &mut Undo::default()).unwrap();
                let is_check = board.is_check_after(step);
                assert_eq!(is_check, position.is_check());
                for (color, role) in Color::ALL
                    .into_iter()
                    .flat_map(|color| Role::ALL.map(|role| (color, role)))
                {
                    let (old, new) = (before.of_kind(color, role), board.of_kind(color, role));
                    assert_eq!(new, position.of_kind(color, role));
                    assert!(step.kinds & PieceStep::bits_of(role) != 0 || old == new);
                }
                if !is_check {
                    continue;
                }
                checks += 1;
                let legal: Vec<PackedMove> =
                    position.legal_moves().into_iter().map(PackedMove::new).collect();
                let promotions = [None, Some(Role::Queen), Some(Role::Knight)];
                for (from, to) in Square::ALL
                    .into_iter()
                    .flat_map(|from| Square::ALL.map(|to| (from, to)))
                {
                    for promotion in promotions {
                        let mv = PackedMove::new(Move::Normal { from, to, promotion });
                        let is_certain = legal.contains(&mv) && !is_en_passant(&position, from, to);
                        assert_eq!(board.answers(mv), is_certain, "{from}{to} {promotion:?}");
                        answers += usize::from(is_certain);
                    }
                }
            }
        }
        assert!(checks > 500 && answers > 2000, "{checks} {answers}");
    }
}
