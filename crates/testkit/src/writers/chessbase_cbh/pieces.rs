//! Numbers of pieces (section 8.5).

use shakmaty::{CastlingSide, Chess, Color, Move, Position, Role, Square};

/// Numbered pieces of both sides: queens, rooks, bishops, knights, and pawns by their number.
#[derive(Clone)]
pub struct Pieces {
    pub pieces: [[Vec<Square>; 4]; 2],
    pub pawns: [[Option<Square>; 8]; 2],
}

/// The square of a number: file by file.
pub fn square_of(number: u32) -> Square {
    Square::new((number & 7) << 3 | number >> 3)
}

/// The number of a square.
pub fn number_of(square: Square) -> u16 {
    let square = square as u16;
    (square & 7) << 3 | square >> 3
}

/// The place of a kind among the numbered pieces other than pawns.
pub fn kind(role: Role) -> Option<usize> {
    [Role::Queen, Role::Rook, Role::Bishop, Role::Knight]
        .iter()
        .position(|&other| other == role)
}

impl Pieces {
    pub fn of(position: &Chess, is_reverse: bool) -> Pieces {
        let mut found = Pieces {
            pieces: Default::default(),
            pawns: Default::default(),
        };
        let mut pawns = [0; 2];
        for number in 0..64 {
            let square = square_of(if is_reverse { 63 - number } else { number });
            let Some(piece) = position.board().piece_at(square) else {
                continue;
            };
            let side = piece.color as usize;
            if piece.role == Role::Pawn {
                found.pawns[side][pawns[side]] = Some(square);
                pawns[side] += 1;
            } else {
                found.add(side, piece.role, square);
            }
        }
        found
    }

    fn add(&mut self, side: usize, role: Role, square: Square) {
        if let Some(kind) = kind(role)
            && self.pieces[side][kind].len() < 3
        {
            self.pieces[side][kind].push(square);
        }
    }

    fn remove(&mut self, side: usize, square: Square) {
        for list in &mut self.pieces[side] {
            list.retain(|&other| other != square);
        }
        for pawn in &mut self.pawns[side] {
            *pawn = pawn.filter(|&other| other != square);
        }
    }

    fn go(&mut self, side: usize, from: Square, to: Square) {
        let pieces = self.pieces[side].iter_mut().flatten();
        let pawns = self.pawns[side].iter_mut().flatten();
        for square in pieces.chain(pawns).filter(|square| **square == from) {
            *square = to;
        }
    }

    pub fn play(&mut self, us: Color, mv: Move) {
        let (us, them) = (us as usize, !us as usize);
        match mv {
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(rook > king);
                self.go(us, rook, Square::from_coords(side.rook_to_file(), king.rank()));
            }
            Move::EnPassant { from, to } => {
                self.remove(them, Square::from_coords(to.file(), from.rank()));
                self.go(us, from, to);
            }
            Move::Normal {
                from,
                to,
                capture,
                promotion,
                ..
            } => {
                if capture.is_some() {
                    self.remove(them, to);
                }
                match promotion {
                    Some(role) => {
                        self.remove(us, from);
                        self.add(us, role, to);
                    }
                    None => self.go(us, from, to),
                }
            }
            Move::Put { .. } => {}
        }
    }
}
