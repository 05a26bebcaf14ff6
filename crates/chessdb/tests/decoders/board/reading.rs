//! The text of a move compared with shakmaty's parser, in all common notations.

use chessdb::board::{
    CastlingSide, Color, Fen, File, LongMove, Move, Position, Rank, ReadError, Role, Square, Undo,
};
use shakmaty::san::{San, SanError};
use shakmaty::{Chess, Position as _};

use super::oracle::our_move;
use super::random_games::{our_position, random_games};

fn position(fen: &str) -> Position {
    Fen::parse(fen).unwrap().position
}

#[track_caller]
fn reads(position: &Position, text: &str, mv: Move) {
    assert_eq!(position.read_move(text), Ok(mv), "{text} in {}", position.fen());
}

/// The common notations of a move other than castling, with the departure square in full.
fn long_forms(position: &Position, mv: Move) -> Vec<String> {
    let Move::Normal { from, to, promotion } = mv else {
        return Vec::new();
    };
    let role = position.role_at(from).unwrap();
    let letter = match role {
        Role::Pawn => String::new(),
        role => role.upper_char().to_string(),
    };
    let figurine = match (role, position.turn()) {
        (Role::Pawn, _) => "",
        (Role::Knight, Color::White) => "♘",
        (Role::Knight, Color::Black) => "♞",
        (Role::Bishop, Color::White) => "♗",
        (Role::Bishop, Color::Black) => "♝",
        (Role::Rook, Color::White) => "♖",
        (Role::Rook, Color::Black) => "♜",
        (Role::Queen, Color::White) => "♕",
        (Role::Queen, Color::Black) => "♛",
        (Role::King, Color::White) => "♔",
        (Role::King, Color::Black) => "♚",
    };
    let mut forms: Vec<String> = [&letter, figurine]
        .iter()
        .flat_map(|letter| ["", "-", "x"].map(|between| format!("{letter}{from}{between}{to}")))
        .chain([format!("{from}{to}"), format!("{from}-{to}")])
        .collect();
    if let Some(role) = promotion {
        let (big, small) = (role.upper_char(), role.char());
        let tails = [
            format!("{big}"),
            format!("={big}"),
            format!("({big})"),
            format!("/{big}"),
            format!("{small}"),
        ];
        forms = forms
            .iter()
            .flat_map(|form| tails.iter().map(move |tail| format!("{form}{tail}")))
            .collect();
    }
    forms
}

/// Reads a legal move in all its notations.
fn read_back(ours: &Position, theirs: &Chess, legal: shakmaty::Move) {
    let mv = our_move(legal);
    let san = { *ours }
        .play_legal(mv, &mut Undo::default())
        .unwrap()
        .to_string();
    let bare = san.trim_end_matches(['+', '#']);
    assert_eq!(
        San::from_ascii(bare.as_bytes()).unwrap().to_move(theirs),
        Ok(legal)
    );
    reads(ours, &san, mv);
    reads(ours, bare, mv);
    for suffix in ["+", "#", "++", "!", "?!", "#!!", " "] {
        reads(ours, &format!("{bare}{suffix}"), mv);
    }
    if bare.contains('x') {
        reads(ours, &bare.replace('x', ""), mv);
        reads(ours, &bare.replace('x', ":"), mv);
    }
    if legal.is_en_passant() {
        reads(ours, &format!("{bare}e.p."), mv);
        reads(ours, &format!("{san} e.p.!"), mv);
    }
    for form in long_forms(ours, mv) {
        reads(ours, &form, mv);
    }
    if let shakmaty::Move::Castle { king, rook } = legal {
        reads(ours, &bare.replace('O', "0"), mv);
        reads(ours, &bare.replace('O', "o"), mv);
        reads(ours, &format!("{king}{rook}"), mv);
        let to = LongMove(ours, mv).to_string();
        let steps = (i32::from(mv_target(&to).file()) - i32::from(king.file())).abs();
        if steps > 1 {
            reads(ours, &to, mv);
            reads(ours, &format!("K{king}-{}", mv_target(&to)), mv);
        }
    }
}

/// The target square of a move in long notation.
fn mv_target(long: &str) -> Square {
    long[2..4].parse().unwrap()
}

#[test]
fn every_legal_move_is_read_in_every_form() {
    let mut moves = 0;
    for game in random_games(240, 80) {
        let mut theirs = game.start;
        let mut ours = our_position(&theirs);
        for (ply, mv) in game.moves.into_iter().enumerate() {
            if ply % 8 == 0 || mv.is_castle() || mv.is_en_passant() {
                for legal in theirs.legal_moves() {
                    read_back(&ours, &theirs, legal);
                    moves += 1;
                }
            }
            ours.play_legal(our_move(mv), &mut Undo::default()).unwrap();
            theirs.play_unchecked(mv);
        }
    }
    assert!(moves > 20_000, "only {moves} moves");
}

/// Compares the texts for every kind of piece, every square and every disambiguation.
fn compare_all_texts(theirs: &Chess) {
    let ours = our_position(theirs);
    let files = || std::iter::once(None).chain(File::ALL.into_iter().map(Some));
    let ranks = || std::iter::once(None).chain(Rank::ALL.into_iter().map(Some));
    for role in Role::ALL {
        for (file, rank) in files().flat_map(|file| ranks().map(move |rank| (file, rank))) {
            for to in Square::ALL {
                let is_pawn = role == Role::Pawn;
                let promotes = is_pawn && to.rank() == theirs.turn().relative_rank(Rank::Eighth);
                let capture = if is_pawn {
                    file.is_some_and(|file| file != to.file())
                } else {
                    theirs.board().color_at(to) == Some(!theirs.turn())
                };
                let promotion = promotes.then_some(Role::Knight);
                let san = San::Normal {
                    role,
                    file,
                    rank,
                    capture,
                    to,
                    promotion,
                };
                let mut text = san.to_string();
                // Without a letter, any piece may be on a full departure square, and `b` may mean a bishop.
                if is_pawn && (rank.is_some() || file == Some(File::B)) {
                    text.insert(0, 'P');
                }
                let given = ours.read_move(&text);
                let is_castling =
                    role == Role::King && matches!(given, Ok(Move::Castle(_)) | Err(ReadError::Castling(_)));
                let same = match san.to_move(theirs) {
                    Ok(mv) => given == Ok(our_move(mv)),
                    Err(SanError::AmbiguousSan) => matches!(given, Err(ReadError::Ambiguous { .. })),
                    Err(SanError::IllegalSan) => {
                        matches!(
                            given,
                            Err(ReadError::NoPiece { .. } | ReadError::KingInCheck { .. })
                        )
                    }
                };
                assert!(same || is_castling, "{text} gives {given:?} in {theirs:?}");
            }
        }
    }
}

#[test]
fn every_disambiguation_means_what_shakmaty_reads() {
    for game in random_games(24, 40) {
        let mut theirs = game.start;
        compare_all_texts(&theirs);
        for mv in game.moves {
            theirs.play_unchecked(mv);
        }
        compare_all_texts(&theirs);
    }
}

#[test]
fn errors_tell_what_is_wrong() {
    use ReadError::*;
    let bare = "4k3/P7/8/8/8/8/8/R3KR2 w - - 0 1";
    let pinned = "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1";
    let check = "4r1k1/8/8/8/8/8/8/R3K3 w Q - 0 1";
    for (fen, text, error, shown) in [
        (bare, "hello", NotAMove, "not a move"),
        (
            bare,
            "Nf3",
            NoPiece {
                role: Some(Role::Knight),
                from: None,
                to: Square::F3,
            },
            "no knight can go to f3",
        ),
        (
            bare,
            "a1b2",
            NoPiece {
                role: Some(Role::Rook),
                from: Some(Square::A1),
                to: Square::B2,
            },
            "no rook on a1 can go to b2",
        ),
        (
            bare,
            "e8e7",
            NoPiece {
                role: None,
                from: Some(Square::E8),
                to: Square::E7,
            },
            "no piece on e8 can go to e7",
        ),
        (bare, "a8", Promotion, "wrong or missing promotion"),
        (bare, "a8=K", Promotion, "wrong or missing promotion"),
        (bare, "Rb1=Q", Promotion, "wrong or missing promotion"),
        (
            bare,
            "O-O-O",
            Castling(CastlingSide::QueenSide),
            "castling on the queen's side is not possible",
        ),
        (
            bare,
            "e1g1",
            Castling(CastlingSide::KingSide),
            "castling on the king's side is not possible",
        ),
        (
            "4k3/8/8/8/8/8/8/R4RK1 w - - 0 1",
            "Rd1",
            Ambiguous {
                role: Role::Rook,
                from: [Square::A1, Square::F1],
                to: Square::D1,
            },
            "the rook on a1 and the rook on f1 can both go to d1",
        ),
        (
            pinned,
            "Nc3",
            KingInCheck {
                from: Square::E2,
                to: Square::C3,
            },
            "the move from e2 to c3 leaves the own king in check",
        ),
        (check, "--", NullInCheck, "null move in check"),
        (
            check,
            "0-0-0",
            Castling(CastlingSide::QueenSide),
            "castling on the queen's side is not possible",
        ),
    ] {
        let given = position(fen).read_move(text);
        assert_eq!(given, Err(error), "{text}");
        assert_eq!(error.to_string(), shown);
    }
}

#[test]
fn what_is_no_move_is_refused() {
    let start = Position::initial();
    for text in [
        "",
        " ",
        "+",
        "!?",
        "e",
        "4",
        "e9",
        "i4",
        "Ne",
        "N",
        "NNf3",
        "Nf3f",
        "Nf33",
        "Ngg1f3",
        "1f3",
        "2e4",
        "xe4",
        "-e4",
        "e4e5e6",
        "e2--e4",
        "e4=",
        "e4()",
        "e4)Q",
        "e8=Q)",
        "e8(Q",
        "e8==Q",
        "O",
        "O-O-",
        "O-O-O-O",
        "0",
        "000",
        "-",
        "---",
        "1-0",
        "0-1",
        "*",
        "1/2-1/2",
        "1.",
        "1.e4",
        "$1",
        "e4 e5",
        "♘",
        "♘\u{2660}f3",
        "♞♞f3",
        "é4",
        "pass",
        "nil",
        "nNf3",
        "Ñf3",
        "e.p.",
    ] {
        assert_eq!(start.read_move(text), Err(ReadError::NotAMove), "{text:?}");
    }
    assert_eq!(start.read_move([0xff, 0xe2, 0x99]), Err(ReadError::NotAMove));
}

#[test]
fn letters_and_signs_of_all_sorts() {
    let start = Position::initial();
    let knight = Move::normal(Square::G1, Square::F3);
    for text in [
        "nf3",
        "ng1f3",
        "n1f3",
        "♘f3",
        "♞\u{fe0e}f3",
        "♘\u{fe0f}f3",
        "\tNf3\r\n",
        "N-f3",
    ] {
        reads(&start, text, knight);
    }
    reads(&start, "Pe4", Move::normal(Square::E2, Square::E4));
    reads(&start, "♙e2-e4", Move::normal(Square::E2, Square::E4));
    reads(&start, "ee4", Move::normal(Square::E2, Square::E4));
    for null in ["--", "Z0", "null", "NULL", "0000"] {
        reads(&start, null, Move::Null);
    }
    let promotion = Move::Normal {
        from: Square::E7,
        to: Square::E8,
        promotion: Some(Role::Bishop),
    };
    for text in ["e8=B", "e8b", "e8=b", "e8(b)", "e8=♗", "e8♝+"] {
        reads(&position("8/4P3/8/8/8/k7/8/K7 w - - 0 1"), text, promotion);
    }
}

#[test]
fn a_small_b_is_a_pawn_before_it_is_a_bishop() {
    let both = position("4k3/8/8/8/2p5/1P6/B7/4K3 w - - 0 1");
    reads(&both, "bxc4", Move::normal(Square::B3, Square::C4));
    reads(&both, "Bb1", Move::normal(Square::A2, Square::B1));
    let bishop = position("4k3/8/8/8/2p5/8/B7/4K3 w - - 0 1");
    reads(&bishop, "bxc4", Move::normal(Square::A2, Square::C4));
    // Neither a pawn nor a bishop can make the move; the error is that for the pawn.
    let error = ReadError::NoPiece {
        role: Some(Role::Pawn),
        from: None,
        to: Square::C7,
    };
    assert_eq!(bishop.read_move("bc7"), Err(error));
}

/// A king's move by one square is not castling, even onto the target square of castling.
#[test]
fn in_chess960_a_step_of_the_king_is_no_castling() {
    let beside = position("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1");
    reads(&beside, "f1g1", Move::normal(Square::F1, Square::G1));
    reads(&beside, "Kg1", Move::normal(Square::F1, Square::G1));
    reads(&beside, "f1h1", Move::Castle(CastlingSide::KingSide));
    reads(&beside, "f1c1", Move::Castle(CastlingSide::QueenSide));
    reads(&beside, "f1b1", Move::Castle(CastlingSide::QueenSide));
    let on_target = position("4k3/8/8/8/8/8/8/6KR w H - 0 1");
    reads(&on_target, "g1h1", Move::Castle(CastlingSide::KingSide));
    assert!(on_target.read_move("g1g1").is_err());
}
