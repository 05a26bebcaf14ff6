//! A board on which moves are played without a test.

use std::sync::LazyLock;

use super::material::{PieceTally, place_of, tally};
use chessdb::board::{Color, File, Move, Position, Role, Square};

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
    pub(super) mv: Move,
    pub(super) role: Role,
    pub(super) takes: bool,
    /// The squares that changed, each with its contents before and after.
    changes: [(u8, u8, u8); 4],
    number: usize,
}

impl PlainStep {
    /// The squares that changed, each with its contents before and after.
    #[inline]
    pub(super) fn changes(&self) -> &[(u8, u8, u8)] {
        &self.changes[..self.number]
    }

    /// True if the numbers of pieces have changed.
    #[inline]
    pub(super) fn changes_counts(&self) -> bool {
        let is_promotion = matches!(
            self.mv,
            Move::Normal {
                promotion: Some(_),
                ..
            }
        );
        self.takes || is_promotion
    }
}

impl PlainBoard {
    /// The normal start position.
    pub(super) fn initial() -> PlainBoard {
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
        INITIAL.clone()
    }

    /// Plays a move. `None` if no piece stands there, so that no legal move follows.
    #[inline]
    pub(super) fn play(&mut self, mv: Move) -> Option<PlainStep> {
        let Move::Normal { from, to, promotion } = mv else {
            return None;
        };
        let piece = self.squares[from as usize];
        let role = Role::try_from(u32::from(piece & 7)).ok()?;
        let color = piece & 8;
        let put = match promotion {
            Some(role) => color | role as u8,
            None => piece,
        };
        let mut taken = self.squares[to as usize];
        let mut step = PlainStep {
            mv,
            role,
            takes: false,
            changes: [
                (from as u8, piece, 0),
                (to as u8, taken, put),
                (0, 0, 0),
                (0, 0, 0),
            ],
            number: 2,
        };
        match role {
            Role::Pawn if taken == 0 && from.file() != to.file() => {
                let beside = Square::from_coords(to.file(), from.rank());
                taken = self.squares[beside as usize];
                step.changes[2] = (beside as u8, taken, 0);
                step.number = 3;
            }
            Role::King if from.file() == File::E && matches!(to.file(), File::C | File::G) => {
                let (rook, rook_to) = match to.file() {
                    File::G => (File::H, File::F),
                    _ => (File::A, File::D),
                };
                let [rook, rook_to] = [rook, rook_to].map(|file| Square::from_coords(file, from.rank()));
                let moved = self.squares[rook as usize];
                step.changes[2] = (rook as u8, moved, 0);
                step.changes[3] = (rook_to as u8, self.squares[rook_to as usize], moved);
                step.number = 4;
            }
            _ => {}
        }
        for &(square, _, after) in step.changes() {
            self.squares[usize::from(square)] = after;
        }
        if taken != 0 {
            step.takes = true;
            let number = &mut self.pieces[usize::from(taken)];
            *number = number.saturating_sub(1);
            let side = &mut self.sides[usize::from(taken >> 3)];
            *side = side.saturating_sub(1);
        }
        if put != piece {
            let [pawns, promoted] = [piece, put].map(usize::from);
            self.pieces[pawns] = self.pieces[pawns].saturating_sub(1);
            self.pieces[promoted] = self.pieces[promoted].saturating_add(1);
        }
        Some(step)
    }
}

/// The colour as in [`PlainBoard::sides`].
pub(super) fn side_of(color: Color) -> usize {
    color as usize
}
