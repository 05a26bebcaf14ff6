//! What stored moves show without a board: where they lead, and how many pieces they can take.
//!
//! All of it is about games from the normal start position, and holds for the legal moves with which the stored ones
//! begin, whatever follows.

use super::plain_board::{EN_PASSANT, side_of};
use chessdb::board::{Bitboard, Color, PackedMove, Square};

/// The squares that rooks leave and reach when a king castles, though the stored move names only the king's.
pub(super) const CASTLING_ROOKS: Bitboard = Bitboard(0xa9 | 0xa9 << 56);

/// The squares of moves.
pub(super) struct MovedSquares {
    /// Those to which the moves of each side lead.
    pub(super) targets: [Bitboard; 2],
    /// Those from which moves lead.
    pub(super) origins: Bitboard,
}

impl MovedSquares {
    pub(super) fn of(moves: &[PackedMove]) -> MovedSquares {
        let (mut first, mut second, mut origins) = (0, 0, 0);
        let mut add = |mv: PackedMove, targets: &mut u64| {
            let (from, to) = mv.squares();
            *targets |= 1 << to as u32;
            origins |= 1u64 << from as u32;
        };
        let mut pairs = moves.chunks_exact(2);
        for pair in &mut pairs {
            if let &[of_white, of_black] = pair {
                add(of_white, &mut first);
                add(of_black, &mut second);
            }
        }
        pairs.remainder().iter().for_each(|&mv| add(mv, &mut first));
        let mut targets = [Bitboard(second); 2];
        targets[side_of(Color::White)] = Bitboard(first);
        MovedSquares {
            targets,
            origins: Bitboard(origins),
        }
    }
}

/// An upper bound of the number of pieces that each side loses. `None` if some side certainly loses fewer than `least`.
pub(super) fn lost_at_most(moves: &[PackedMove], least: [u32; 2]) -> Option<[u32; 2]> {
    let mut white = SideSketch::new(Color::White, least[side_of(Color::Black)]);
    let mut black = SideSketch::new(Color::Black, least[side_of(Color::White)]);
    let mut left = moves.len();
    for some in moves.chunks(PLIES) {
        if !white.can_take_enough(left) || !black.can_take_enough(left) {
            return None;
        }
        left -= some.len();
        let mut pairs = some.chunks_exact(2);
        for pair in &mut pairs {
            if let &[of_white, of_black] = pair {
                white.play(of_white, &mut black);
                black.play(of_black, &mut white);
            }
        }
        if let &[of_white] = pairs.remainder() {
            white.play(of_white, &mut black);
        }
    }
    let mut lost = [white.taken; 2];
    lost[side_of(Color::White)] = black.taken;
    (white.can_take_enough(0) && black.can_take_enough(0)).then_some(lost)
}

/// Half-moves between two checks whether enough pieces can still be taken; even, so that White begins each chunk.
const PLIES: usize = 16;

/// The pieces of a side.
struct SideSketch {
    /// Their squares, and perhaps others.
    pieces: u64,
    /// The number of pieces that it has taken, or a larger one.
    taken: u32,
    /// The number that it must take.
    wanted: u32,
    king: Square,
}

impl SideSketch {
    fn new(color: Color, wanted: u32) -> SideSketch {
        SideSketch {
            pieces: color.fold_wb(0xffff, 0xffff << 48),
            taken: 0,
            wanted,
            king: color.fold_wb(Square::E1, Square::E8),
        }
    }

    /// False if it takes too few pieces even if it takes one with each of its moves among so many half-moves.
    fn can_take_enough(&self, plies: usize) -> bool {
        self.taken as usize + plies.div_ceil(2) >= self.wanted as usize
    }

    #[inline(always)]
    fn play(&mut self, mv: PackedMove, other: &mut SideSketch) {
        let (from, to) = mv.squares();
        let (from, to) = (from as u32, to as u32);
        let beside = other.pieces >> (to ^ 8) & EN_PASSANT[from as usize] >> to;
        self.taken += ((other.pieces >> to | beside) & 1) as u32;
        // A pawn that was taken en passant stays, and so does the rook that has castled.
        other.pieces &= !(1 << to);
        self.pieces = self.pieces & !(1 << from) | 1 << to;
        if from == self.king as u32 && (from ^ to) & !4 == 2 {
            self.pieces |= 1 << ((from + to) / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb::board::{Move, Position, Undo};

    fn moves(line: &str) -> Vec<PackedMove> {
        let mut position = Position::initial();
        let mut undo = Undo::default();
        let moves = line.split(' ').map(|word| {
            let mv = position.read_move(word).unwrap();
            let stored = match mv {
                Move::Castle(side) => {
                    let king = position.king(position.turn()).unwrap();
                    Move::normal(king, Square::from_coords(side.king_to_file(), king.rank()))
                }
                mv => mv,
            };
            position.advance(mv, &mut undo).unwrap();
            PackedMove::new(stored)
        });
        moves.collect()
    }

    #[test]
    fn pieces_that_are_taken_are_counted() {
        // White's and Black's pieces that are taken.
        for (line, white, black) in [
            ("e4 d5 exd5 Qxd5", 1, 1),
            // En passant.
            ("e4 Nf6 e5 d5 exd6 e6 dxc7", 0, 2),
            ("a3 d5 a4 d4 e4 dxe3", 1, 0),
            // A rook that has castled.
            ("g3 b6 Bg2 Ba6 Nf3 Nc6 O-O Bxe2 d3 Bxf1", 2, 0),
            ("d3 d6 Bd2 Bg4 Nc3 Nc6 e3 a6 Qe2 Nf6 O-O-O Bxe2 a3 Bxd1", 2, 0),
            ("g3 b6 Bg2 Ba6 Nf3 Nc6 O-O Bxe2 Re1 Bxf3 Bxf3", 2, 1),
        ] {
            let moves = moves(line);
            let mut lost = [0; 2];
            lost[side_of(Color::White)] = white;
            lost[side_of(Color::Black)] = black;
            assert_eq!(lost_at_most(&moves, lost), Some(lost), "{line}");
            assert!(
                lost_at_most(&moves, lost.map(|lost| lost + 1)).is_none(),
                "{line}"
            );
        }
    }
}
