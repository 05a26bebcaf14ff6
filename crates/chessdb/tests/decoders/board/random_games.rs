//! Random games played by shakmaty from various start positions.

use chessdb::board::{Bitboard, Color, Fen, Position, Setup, Square};
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup as _, Move, Position as _};
use testkit::Random;

use super::oracle::{DIFFICULT, chess960, theirs};

/// A game of legal moves.
pub struct RandomGame {
    pub start: Chess,
    pub moves: Vec<Move>,
}

impl RandomGame {
    fn new(start: Chess, plies: usize, random: &mut Random) -> RandomGame {
        let mut position = start.clone();
        let mut moves = Vec::new();
        while moves.len() < plies {
            let legal = position.legal_moves();
            // Castling, promotions and en passant are rare among the legal moves.
            let special = |mv: &&Move| mv.is_castle() || mv.is_promotion() || mv.is_en_passant();
            let special: Vec<Move> = legal.iter().filter(special).copied().collect();
            let pool = if special.is_empty() || random.below(3) > 0 {
                &legal[..]
            } else {
                &special
            };
            let Some(&mv) = pool.get(random.below(pool.len().max(1))) else {
                break;
            };
            position.play_unchecked(mv);
            moves.push(mv);
        }
        RandomGame { start, moves }
    }
}

/// Games from the normal start position, from start positions of Chess960, and from random set-ups.
pub fn random_games(count: usize, plies: usize) -> impl Iterator<Item = RandomGame> {
    let mut random = Random(count as u64);
    (0..count).map(move |number| {
        let start = match number % 4 {
            0 => Chess::default(),
            1 => theirs(&chess960(random.below(960) as u32), CastlingMode::Chess960),
            2 => theirs(random.pick(DIFFICULT), CastlingMode::Standard),
            _ => set_up(&mut random),
        };
        RandomGame::new(start, plies, &mut random)
    })
}

/// Random pieces, with all castling rights and en passant squares that they allow.
fn set_up(random: &mut Random) -> Chess {
    loop {
        let mut setup = Setup::empty();
        setup.turn = random.pick(&Color::ALL);
        for color in Color::ALL {
            let rank = if random.below(2) == 0 {
                color.backrank()
            } else {
                random.pick(&shakmaty::Rank::ALL)
            };
            let king = Square::from_coords(random.pick(&shakmaty::File::ALL), rank);
            setup.board.set_piece_at(king, color.king());
        }
        for _ in 0..random.below(24) {
            let square = Square::ALL[random.below(64)];
            let piece = random.pick(&shakmaty::Role::ALL).of(random.pick(&Color::ALL));
            if piece.role != shakmaty::Role::King && setup.board.piece_at(square).is_none() {
                setup.board.set_piece_at(square, piece);
            }
        }
        for color in Color::ALL {
            let home = Bitboard::from_rank(color.backrank());
            let rooks = setup.board.by_piece(color.rook()) & home;
            let king = setup.board.by_piece(color.king()) & home;
            if let Some(king) = king.first() {
                let (left, right): (Vec<_>, Vec<_>) = rooks.into_iter().partition(|&rook| rook < king);
                setup
                    .castling_rights
                    .extend(left.first().into_iter().chain(right.last()).copied());
            }
        }
        let passed = Square::from_coords(
            random.pick(&shakmaty::File::ALL),
            setup.turn.relative_rank(shakmaty::Rank::Sixth),
        );
        for passed in [Some(passed), None] {
            setup.ep_square = passed;
            if let Ok(position) = Chess::from_setup(setup.clone(), CastlingMode::Chess960) {
                return position;
            }
        }
    }
}

/// Converts a position of shakmaty.
pub fn our_position(theirs: &Chess) -> Position {
    let fen = shakmaty::fen::Fen::from_position(theirs, EnPassantMode::Always).to_string();
    Fen::parse(&fen).unwrap().position
}
