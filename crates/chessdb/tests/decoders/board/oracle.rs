use chessdb::board::{CastlingSide, Color, Fen, Move, Position, Role, Square, Undo};
use proptest::prelude::*;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

/// Converts a move of shakmaty.
pub fn our_move(mv: shakmaty::Move) -> Move {
    match mv {
        shakmaty::Move::Castle { king, rook } => Move::Castle(if king < rook {
            CastlingSide::KingSide
        } else {
            CastlingSide::QueenSide
        }),
        mv => Move::Normal {
            from: mv.from().unwrap(),
            to: mv.to(),
            promotion: mv.promotion(),
        },
    }
}

/// Every move that could be made on some board, legal or not.
fn conceivable(turn: Color) -> Vec<Move> {
    let mut moves = vec![
        Move::Castle(CastlingSide::KingSide),
        Move::Castle(CastlingSide::QueenSide),
    ];
    let last_but_one = turn.fold_wb(6, 1);
    for from in Square::ALL {
        for to in Square::ALL {
            moves.push(Move::normal(from, to));
            if from.rank() as i32 == last_but_one {
                let promotion = |role| Move::Normal {
                    from,
                    to,
                    promotion: Some(role),
                };
                moves.extend(Role::ALL.map(promotion));
            }
        }
    }
    moves
}

/// Asserts that exactly the legal moves are legal, and that their SAN and the positions after them are the same as
/// shakmaty's.
pub fn compare(ours: &Position, theirs: &Chess) {
    let legal = theirs.legal_moves();
    for &mv in &legal {
        let mut played = *ours;
        let mut undo = Undo::default();
        let san = played
            .play_legal(our_move(mv), &mut undo)
            .unwrap_or_else(|error| panic!("{mv:?} in {theirs:?}: {error}"));
        let mut back = played;
        back.take_back(&undo);
        assert_eq!(back, *ours, "{san} taken back in {theirs:?}");
        let expected = SanPlus::from_move(theirs.clone(), mv);
        assert_eq!(san.to_string(), expected.to_string(), "in {theirs:?}");
        let mut after = theirs.clone();
        after.play_unchecked(mv);
        assert_eq!(played.is_check(), after.is_check(), "{san} in {theirs:?}");
        let mut unchecked = *ours;
        unchecked.play(our_move(mv));
        for after_ours in [&played, &unchecked] {
            let rights = (after_ours.castling_rooks(), after_ours.en_passant());
            let expected = (
                after.castles().castling_rights(),
                after.ep_square(EnPassantMode::Always),
            );
            assert_eq!(rights, expected, "rights after {san} in {theirs:?}");
        }
        for square in Square::ALL {
            assert_eq!(
                played.role_at(square),
                after.board().role_at(square),
                "{san} in {theirs:?}"
            );
            assert_eq!(
                played.color_at(square),
                after.board().color_at(square),
                "{san} in {theirs:?}"
            );
            assert_eq!(
                unchecked.role_at(square),
                played.role_at(square),
                "{san} played unchecked"
            );
        }
    }
    let accepted = conceivable(ours.turn())
        .into_iter()
        .filter(|&mv| ours.test(mv).is_ok())
        .count();
    assert_eq!(accepted, legal.len(), "number of legal moves in {theirs:?}");
}

/// Plays legal moves selected by `choices` and compares every `step`-th position.
fn walk(mut theirs: Chess, mode: CastlingMode, choices: &[u16], step: usize) {
    let fen = shakmaty::fen::Fen::from_position(&theirs, EnPassantMode::Always);
    let mut ours = Fen::parse(&fen.to_string()).unwrap().position;
    for (ply, choice) in choices.iter().enumerate() {
        if ply % step == 0 {
            compare(&ours, &theirs);
        }
        let legal = theirs.legal_moves();
        if legal.is_empty() {
            break;
        }
        // Pawns are preferred, so that games get promotions and en passant.
        let pawns: Vec<_> = legal
            .iter()
            .filter(|mv| mv.role() == Role::Pawn)
            .copied()
            .collect();
        let pool = if choice % 3 == 0 && !pawns.is_empty() {
            pawns
        } else {
            legal.to_vec()
        };
        let mv = pool[usize::from(choice / 3) % pool.len()];
        let san = ours.play_legal(our_move(mv), &mut Undo::default()).unwrap();
        assert_eq!(
            san.to_string(),
            SanPlus::from_move_and_play_unchecked(&mut theirs, mv).to_string()
        );
    }
    // The position reached is the same as the one set up from its FEN.
    let fen = shakmaty::fen::Fen::from_position(&theirs, EnPassantMode::Always);
    assert_eq!(mode.is_standard(), theirs.castles().mode().is_standard());
    let set_up = Fen::parse(&fen.to_string()).unwrap().position;
    compare(&set_up, &theirs);
}

/// The Chess960 start position with a number from 0 to 959, as FEN.
pub fn chess960(number: u32) -> String {
    // The numbering scheme by Reinhard Scharnagl.
    let mut files = [' '; 8];
    let mut place = |nth: u32, piece: char| {
        let free: Vec<usize> = (0..8).filter(|&file| files[file] == ' ').collect();
        files[free[nth as usize]] = piece;
    };
    let (rest, light) = (number / 4, number % 4);
    let (rest, dark) = (rest / 4, rest % 4);
    let (knights, queen) = (rest / 6, rest % 6);
    // Bishops are placed on absolute files, and the files to the left of them are still empty.
    let bishops = [2 * light + 1, 2 * dark];
    let mut taken = bishops;
    taken.sort_unstable();
    place(taken[0], 'b');
    place(taken[1] - 1, 'b');
    place(queen, 'q');
    let (first, second) = [
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
        (3, 4),
    ][knights as usize];
    place(first, 'n');
    place(second - 1, 'n');
    for piece in ['r', 'k', 'r'] {
        place(0, piece);
    }
    let black: String = files.iter().collect();
    format!(
        "{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1",
        black.to_uppercase()
    )
}

/// The position in shakmaty.
pub fn theirs(fen: &str, mode: CastlingMode) -> Chess {
    fen.parse::<shakmaty::fen::Fen>()
        .unwrap()
        .into_position(mode)
        .unwrap()
}

/// Positions in which several rules matter.
pub const DIFFICULT: &[&str] = &[
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    // En passant would uncover a check along the rank or the diagonal, or captures the piece that gives
    // check.
    "8/8/8/K2pP2r/8/8/8/7k w - d6 0 1",
    "b6k/8/8/3pP3/8/8/8/7K w - d6 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    // Double check, and three queens that can all go to one square.
    "4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1",
    "3Q1Q2/8/8/3Q4/8/8/8/k6K w - - 0 1",
    // Promotion with capture into mate.
    "1r4k1/P4ppp/8/8/8/8/8/K7 w - - 0 1",
    // Pawns that take rooks which may still castle.
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1",
];

#[test]
fn positions_with_every_difficulty() {
    for fen in DIFFICULT {
        let theirs = theirs(fen, CastlingMode::Standard);
        compare(&Fen::parse(fen).unwrap().position, &theirs);
        walk(
            theirs,
            CastlingMode::Standard,
            &(0..60u16).map(|n| n.wrapping_mul(7919)).collect::<Vec<_>>(),
            1,
        );
    }
}

#[test]
fn every_start_position_of_chess960_castles_as_it_should() {
    for number in 0..960 {
        let start = chess960(number);
        walk(
            theirs(&start, CastlingMode::Chess960),
            CastlingMode::Chess960,
            &(0..40u16)
                .map(|n| n.wrapping_mul(31).wrapping_add(number as u16 * 17))
                .collect::<Vec<_>>(),
            13,
        );
        // Kings and rooks alone, so that nothing blocks castling.
        let bare: String = start
            .split('/')
            .next()
            .unwrap()
            .chars()
            .map(|c| if "rk".contains(c) { c } else { '1' })
            .collect();
        let fen = format!("{bare}/8/8/8/8/8/8/{} w KQkq - 0 1", bare.to_uppercase());
        walk(
            theirs(&fen, CastlingMode::Chess960),
            CastlingMode::Chess960,
            &[5, 8, 4, 1, 7, 11],
            1,
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn random_games(choices in proptest::collection::vec(any::<u16>(), 1..240)) {
        walk(Chess::default(), CastlingMode::Standard, &choices, 23);
    }
}
