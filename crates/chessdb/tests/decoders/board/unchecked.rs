use chessdb::board::{CastlingSide, Color, Fen, Move, Position, Role, Square};

/// A position after moves that may be illegal, as some formats contain.
fn played(fen: &str, moves: &[Move]) -> Position {
    let mut position = Fen::parse(fen).unwrap().position;
    moves.iter().for_each(|&mv| position.play(mv));
    position
}

#[test]
fn a_king_can_be_taken_and_the_game_goes_on() {
    let fen = "4k3/p7/8/8/8/8/4R3/4K3 b - - 0 1";
    let taken = [
        Move::normal(Square::A7, Square::A6),
        Move::normal(Square::E2, Square::E8),
    ];
    let mut position = played(fen, &taken);
    assert_eq!(position.king(Color::Black), None);
    assert_eq!(position.role_at(Square::E8), Some(Role::Rook));
    assert!(!position.is_check());
    // A side without a king is never in check, and nothing panics.
    for mv in [
        Move::Null,
        Move::Castle(CastlingSide::KingSide),
        Move::normal(Square::E8, Square::E1),
    ] {
        let _ = position.test(mv);
        position.play(mv);
    }
    assert_eq!(position.king(Color::White), None);
}

#[test]
fn whatever_stands_on_the_target_is_taken() {
    let fen = "4k3/8/8/8/8/8/3P4/3QK3 w - - 0 1";
    let position = played(fen, &[Move::normal(Square::D1, Square::D2)]);
    assert_eq!(position.of_kind(Color::White, Role::Pawn).count(), 0);
    assert_eq!(position.role_at(Square::D2), Some(Role::Queen));
}

#[test]
fn castling_moves_king_and_rook_whatever_the_rules_say() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w - - 0 1";
    let position = played(fen, &[Move::Castle(CastlingSide::KingSide)]);
    assert_eq!(position.king(Color::White), Some(Square::G1));
    assert_eq!(position.role_at(Square::F1), Some(Role::Rook));
    // Without a rook, castling only passes the turn.
    let position = played(fen, &[Move::Castle(CastlingSide::QueenSide)]);
    assert_eq!(position.king(Color::White), Some(Square::E1));
    assert_eq!(position.turn(), Color::Black);
}

#[test]
fn a_check_that_was_left_standing_is_seen_after_any_move() {
    // White ignores the check, Black moves another piece, and White is still in check.
    let fen = "4r1k1/p7/8/8/8/8/P7/4K3 w - - 0 1";
    let mut position = played(fen, &[Move::normal(Square::A2, Square::A3)]);
    assert!(!position.is_check());
    position
        .play_legal(Move::normal(Square::A7, Square::A6), &mut Default::default())
        .unwrap();
    assert!(position.is_check());
}

/// Arbitrary sequences of moves never panic, and no square ever has two pieces.
#[test]
fn nonsense_never_panics() {
    let mut state = 1u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % limit
    };
    for _ in 0..300 {
        let mut position = Position::initial();
        for _ in 0..200 {
            let square = |n: u64| Square::new(n as u32);
            let mv = match below(20) {
                0 => Move::Castle(CastlingSide::KingSide),
                1 => Move::Castle(CastlingSide::QueenSide),
                2 => Move::Null,
                n => Move::Normal {
                    from: square(below(64)),
                    to: square(below(64)),
                    promotion: if n == 3 {
                        Some(Role::ALL[below(6) as usize])
                    } else {
                        None
                    },
                },
            };
            let legal = position.test(mv).is_ok();
            let mut checked = position;
            assert_eq!(checked.play_legal(mv, &mut Default::default()).is_ok(), legal);
            position.play(mv);
            let by_square = Square::ALL
                .into_iter()
                .filter(|&square| position.role_at(square).is_some())
                .count();
            assert_eq!(position.occupied().count(), by_square);
            let by_kind: usize = Color::ALL
                .into_iter()
                .flat_map(|color| Role::ALL.map(|role| position.of_kind(color, role).count()))
                .sum();
            assert_eq!(by_kind, by_square);
        }
    }
}
