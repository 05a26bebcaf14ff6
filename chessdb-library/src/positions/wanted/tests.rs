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

#[test]
fn material_is_read_in_any_order() {
    let ending = Fen::parse("8/8/4k3/8/r7/4P3/4K3/7R w - - 0 1").unwrap().position;
    for (text, matches) in [
        ("KRPkr", true),
        ("PRKrk", true),
        ("KRkr", false),
        ("KRkrp", false),
    ] {
        let wanted = Wanted::Material(Material::parse(text).unwrap());
        assert_eq!(wanted.matches(&ending), matches, "{text}");
    }
    for wrong in ["KR", "KkK", "Kkx", ""] {
        assert_eq!(Material::parse(wrong).unwrap_err(), WantedError::Material);
    }
}

#[test]
fn sides_with_different_numbers_of_pieces_can_still_be_reached() {
    let (moves, reached) = read_moves("e4 d5 exd5 Nf6 d6 Ne4 dxc7").unwrap();
    for material in [
        "KQRRBBNNPPPPPPPPkqrrbbnnpppppp",
        "KQRRBBNNPPPPPPPPkqrrbbnnppppppp",
    ] {
        let wanted = Wanted::Material(Material::parse(material).unwrap());
        assert!(!wanted.is_past(&Position::initial()), "{material}");
    }
    let wanted = Wanted::Material(Material::parse("KQRRBBNNPPPPPPPPkqrrbbnnpppppp").unwrap());
    let mut position = Position::initial();
    for mv in moves {
        assert!(!wanted.is_past(&position) && !wanted.matches(&position));
        position.advance(mv, &mut Undo::default()).unwrap();
    }
    assert!(wanted.matches(&reached));
    // White's pieces do not come back.
    let wanted = Wanted::Material(Material::parse("KQRRBBNNPPPPPPPPkqrrbbnnpppp").unwrap());
    assert!(!wanted.is_past(&reached));
    let wanted = Wanted::Material(Material::parse("KQRRBBNNPPPPPPPPkqrrbbnnppppppp").unwrap());
    assert!(wanted.is_past(&reached));
}
