//! A board on which moves are played without a test.

use std::sync::LazyLock;

use super::tally::{PieceTally, place_of, tally};
use chessdb::board::{Bitboard, Color, File, Move, PackedMove, Position, Role, Square};

/// For a square from which a pawn can take en passant, those to which it does.
pub(super) const EN_PASSANT: [u64; 64] = {
    let mut targets = [0; 64];
    let mut file = 0;
    while file < 8 {
        let beside = (1u64 << file) << 1 & 0xff | (1u64 << file) >> 1;
        targets[32 + file] = beside << 40;
        targets[24 + file] = beside << 16;
        file += 1;
    }
    targets
};

/// For a square, those to which a move may change further ones: castling, and taking en passant.
const MOVES_OTHERS: [u64; 64] = {
    let mut targets = EN_PASSANT;
    targets[4] = 0x44;
    targets[60] = 0x44 << 56;
    targets
};

/// The pieces on a board on which any move is played.
#[derive(Clone)]
pub(super) struct PlainBoard {
    /// The place of each square's piece in a tally, 0 for none.
    pub(super) squares: [u8; 64],
    pub(super) pieces: PieceTally,
    /// Number of pieces of each colour.
    pub(super) sides: [u8; 2],
}

/// What a move did.
pub(super) struct PlainStep {
    /// The place in a tally of the piece that moved.
    pub(super) piece: u8,
    pub(super) takes: bool,
    /// The squares that have other contents than before.
    pub(super) changed: Bitboard,
}

impl PlainStep {
    #[inline]
    pub(super) fn role(&self) -> Option<Role> {
        Role::try_from(u32::from(self.piece & 7)).ok()
    }
}

impl PlainBoard {
    /// The normal start position.
    pub(super) fn initial() -> &'static PlainBoard {
        static INITIAL: LazyLock<PlainBoard> = LazyLock::new(|| {
            let position = Position::initial();
            let place = |square| {
                let piece = position.piece_at(square);
                piece.map_or(0, |piece| place_of(piece.color, piece.role) as u8)
            };
            PlainBoard {
                squares: Square::ALL.map(place),
                pieces: tally(&position),
                sides: [16; 2],
            }
        });
        &INITIAL
    }

    /// Plays a move, legal or not; castling is a step of the king.
    #[inline(always)]
    pub(super) fn play(&mut self, mv: PackedMove) -> PlainStep {
        let (from, to) = mv.squares();
        let piece = std::mem::take(&mut self.squares[from as usize]);
        let mut taken = std::mem::replace(&mut self.squares[to as usize], piece);
        let mut changed = Bitboard(1 << from as u32 | 1 << to as u32);
        if mv.has_promotion() {
            self.promote(piece, mv);
        } else if MOVES_OTHERS[from as usize] >> to as u32 & 1 != 0 {
            let (beside, others) = self.move_others(piece, from, to, taken);
            taken |= beside;
            changed |= others;
        }
        if taken != 0 {
            let number = &mut self.pieces[usize::from(taken & 15)];
            *number = number.saturating_sub(1);
            let side = &mut self.sides[usize::from(taken >> 3 & 1)];
            *side = side.saturating_sub(1);
        }
        PlainStep {
            piece,
            takes: taken != 0,
            changed,
        }
    }

    fn promote(&mut self, piece: u8, mv: PackedMove) {
        if let Move::Normal {
            to,
            promotion: Some(role),
            ..
        } = mv.unpack()
        {
            let promoted = piece & 8 | role as u8;
            self.squares[to as usize] = promoted;
            let number = &mut self.pieces[usize::from(piece & 15)];
            *number = number.saturating_sub(1);
            let number = &mut self.pieces[usize::from(promoted & 15)];
            *number = number.saturating_add(1);
        }
    }

    /// Completes castling or taking en passant, if the move is that. Returns a pawn that was taken so, and further
    /// squares that have changed.
    fn move_others(&mut self, piece: u8, from: Square, to: Square, taken: u8) -> (u8, Bitboard) {
        if piece & 7 == Role::Pawn as u8 && taken == 0 {
            let beside = Square::from_coords(to.file(), from.rank());
            let pawn = std::mem::take(&mut self.squares[beside as usize]);
            return (pawn, Bitboard::from_square(beside));
        }
        let is_king = piece & 7 == Role::King as u8 && from.file() == File::E;
        let (rook, rook_to) = match to.file() {
            File::G if is_king => (File::H, File::F),
            File::C if is_king => (File::A, File::D),
            _ => return (0, Bitboard::EMPTY),
        };
        let [rook, rook_to] = [rook, rook_to].map(|file| Square::from_coords(file, from.rank()));
        self.squares[rook_to as usize] = std::mem::take(&mut self.squares[rook as usize]);
        (0, Bitboard::from_square(rook) | Bitboard::from_square(rook_to))
    }
}

/// The colour as in [`PlainBoard::sides`].
pub(super) fn side_of(color: Color) -> usize {
    color as usize
}
