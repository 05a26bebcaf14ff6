//! The legal moves in a position.

use super::{Bitboard, CastlingSide, Move, Position, Role, Square};

/// The pieces that a pawn may become.
const PROMOTIONS: [Option<Role>; 4] = [
    Some(Role::Queen),
    Some(Role::Rook),
    Some(Role::Bishop),
    Some(Role::Knight),
];

impl Position {
    /// The legal moves, without null moves.
    ///
    /// ```
    /// use chessdb::board::Position;
    ///
    /// assert_eq!(Position::initial().legal_moves().len(), 20);
    /// ```
    pub fn legal_moves(&self) -> Vec<Move> {
        let us = self.turn();
        let mut moves = Vec::with_capacity(48);
        for from in self.pieces(us) {
            let Some(role) = self.role_at(from) else {
                continue;
            };
            let targets = match role {
                Role::Pawn => pawn_targets(self, from),
                _ => self.attacks_from(role, from) & !self.pieces(us),
            };
            for to in targets {
                let reaches_end = role == Role::Pawn && Bitboard::BACKRANKS.contains(to);
                let promotions = if reaches_end { &PROMOTIONS[..] } else { &[None] };
                let moves_there = promotions
                    .iter()
                    .map(|&promotion| Move::Normal { from, to, promotion });
                moves.extend(moves_there);
            }
        }
        moves.extend(CastlingSide::ALL.map(Move::Castle));
        moves.retain(|&mv| self.test(mv).is_ok());
        moves
    }
}

/// The squares that a pawn attacks, and the two squares in front of it, whether or not it can go there.
fn pawn_targets(position: &Position, from: Square) -> Bitboard {
    let forward = position.turn().fold_wb(8, -8);
    let ahead = [forward, 2 * forward]
        .into_iter()
        .filter_map(|steps| from.offset(steps));
    ahead.fold(position.attacks_from(Role::Pawn, from), |targets, square| {
        targets | Bitboard::from_square(square)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Fen;

    /// The expected numbers of moves are perft results.
    #[test]
    fn all_legal_moves_are_found() {
        for (fen, moves) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 20),
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                48,
            ),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 14),
            (
                "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
                6,
            ),
            ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 44),
        ] {
            let position = Fen::parse(fen).unwrap().position;
            assert_eq!(position.legal_moves().len(), moves, "{fen}");
        }
    }
}
