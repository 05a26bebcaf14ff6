use super::*;

#[test]
fn what_a_fen_leaves_out_may_be_anything() {
    let (_, reached) = read_moves("e4 a6 e5 d5").unwrap();
    let board = "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR";
    for (rest, matches) in [
        ("w KQkq d6 0 3", true),
        ("w KQkq d6", true),
        ("w KQkq -", false),
        ("w KQkq", true),
        ("w", true),
        ("w KQk", false),
        ("b", false),
    ] {
        let pattern = Pattern::parse(&format!("{board} {rest}")).unwrap();
        assert_eq!(pattern.matches(&reached), matches, "{rest}");
    }
    assert_eq!(Pattern::parse(board).unwrap_err(), WantedError::NoTurn);
}

#[test]
fn en_passant_counts_where_a_pawn_can_capture() {
    let (_, reached) = read_moves("e4").unwrap();
    for en_passant in ["e3", "-"] {
        let fen = format!("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq {en_passant}");
        assert!(Pattern::parse(&fen).unwrap().matches(&reached));
    }
}
