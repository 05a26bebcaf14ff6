//! Start positions, and games that cannot be played from them (sections 4.3, 4.4).

use super::*;

#[test]
fn starts_are_set_up() {
    let fen = |words: &[u16], tag| {
        let mut made = Made::of(&[&[0xfffb], words, &[0xfffc, 0xffff]].concat());
        made.tag = tag;
        let tags = made.open().tags(0);
        let fen = tags.get("FEN").map(str::to_owned);
        (fen, tags.get("Variant").map(str::to_owned))
    };
    let king = |square: u16| 0xc02d + square;
    let black_king = |square: u16| 0xc16d + square;
    let rook = |square: u16| 0xc02d + 256 + square;
    let pawn = |file: u16, rank: u16| 0xc2ad + 6 * file + rank - 2;
    let black_pawn = |file: u16, rank: u16| 0xc2dd + 6 * file + rank - 2;
    // Black moves; White may castle on both sides, but has one rook.
    let words = [20, 0x0301, 0, king(32), black_king(39), rook(0), pawn(4, 4)];
    assert_eq!(
        fen(&words, frame::GAME).0.unwrap(),
        "4k3/8/8/8/4P3/8/8/R3K3 b Q - 0 20"
    );
    // En passant, where a pawn could capture.
    let words = [0, 1, 5, king(32), black_king(39), pawn(4, 4), black_pawn(3, 4)];
    assert_eq!(
        fen(&words, frame::GAME).0.unwrap(),
        "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"
    );
    let words = [0, 1, 5, king(32), black_king(39), pawn(4, 4)];
    assert_eq!(
        fen(&words, frame::GAME).0.unwrap(),
        "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"
    );
    // Chess960: the outermost rooks.
    let words = [
        1000,
        1,
        0x0300,
        0,
        king(32),
        black_king(39),
        rook(8),
        rook(16),
        rook(48),
    ];
    let (shown, variant) = fen(&words, frame::CHESS960);
    assert_eq!(shown.unwrap(), "4k3/8/8/8/8/8/8/1RR1K1R1 w GB - 0 1");
    assert_eq!(variant.as_deref(), Some("chess 960"));
    let (shown, variant) = fen(&[518], frame::CHESS960);
    assert_eq!(
        shown.unwrap(),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"
    );
    assert_eq!(variant.as_deref(), Some("chess 960"));
    // A set-up of usual chess at move 1000.
    let words = [1000, 0, 0, king(32), black_king(39)];
    assert_eq!(
        fen(&words, frame::GAME).0.unwrap(),
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1000"
    );
}

#[test]
fn starts_of_chess960_have_the_standard_numbers() {
    for (number, home) in [(0, "BBQNNRKR"), (518, "RNBQKBNR"), (959, "RKRNNQBB")] {
        let mut made = Made::of(&[0xfffb, number, 0xfffc, 0xffff]);
        made.tag = frame::CHESS960;
        let tags = made.open().tags(0);
        let fen = tags.get("FEN").unwrap();
        assert!(fen.contains(&format!("PPPPPPPP/{home} w")), "{number}: {fen}");
    }
}

#[test]
fn starts_that_cannot_be_read_have_a_remark() {
    for words in [&[960][..], &[], &[1, 0], &[1, 0, 0, 0x1234]] {
        let (text, problems) = Made::of(&[&[0xfffb], words, &[0xfffc, 0xace1, 0xffff]].concat()).read();
        assert!(
            text.starts_with("{chessdb: the start position cannot be read"),
            "{words:x?}: {text}"
        );
        assert!(text.contains("1. d4"), "{text}");
        assert_eq!(problems.len(), 1);
    }
    // The same words, also as a set-up of Chess960 with and without its mark.
    let set_up = [1, 0, 0, 0xc02d + 32, 0x1234, 0xc16d + 39];
    for (mark, tag, at) in [
        (&[][..], frame::GAME, 0x30),
        (&[], frame::CHESS960, 0x30),
        (&[1000], frame::CHESS960, 0x32),
    ] {
        let mut made = Made::of(&[&[0xfffb], mark, &set_up, &[0xfffc, 0xffff]].concat());
        made.tag = tag;
        let (text, problems) = made.read();
        let told = format!("{{chessdb: a word of the start position is no piece at .2cbg offset 0x{at:x}}}");
        assert!(text.starts_with(&told), "{text}");
        assert_eq!(problems.len(), 1);
    }
}

#[test]
fn a_game_without_kings_is_a_remark() {
    let text = [&[2, 0, 0, 0, 0, 0][..], &string(b"said")].concat();
    // A pawn on d6 and a king: d6-e6 (e6-e5), and a word that has no squares.
    let start = [0xfffb, 1, 1, 0, 0xc02d + 7, 0xc2dd + 6 * 3 + 4];
    let words = [
        &start[..],
        &[0xfffc, 0x095d, 0x1000, 0xfffd, 0xffff, 0x0723, 0xffff],
    ]
    .concat();
    let mut made = Made::of(&words);
    made.annotations = block(&[(-1, &text), (0, &[3, 0, 1, 0, 0]), (2, &text)]);
    made.tag = frame::WITHOUT_KING;
    let (text, problems) = made.read();
    assert!(
        text.contains("(K7/8/3p4/8/8/8/8/8 b - - 0 1); the stored line goes on d6-e6 1000 (e4-d5)"),
        "{text}"
    );
    assert!(text.ends_with("said said} *") && !text.contains('$'), "{text}");
    assert_eq!((problems.len(), problems[0].kind), (1, ProblemKind::Unsupported));
    let tags = made.open().tags(0);
    assert_eq!(
        (tags.get("FEN"), tags.get("SetUp"), tags.get("PlyCount")),
        (None, None, None)
    );
    // In a usual game, the same start is damage.
    let words = [&start[..], &[0xfffc, 0xb02d, 0xffff]].concat();
    let (text, problems) = Made::of(&words).read();
    assert!(text.contains("the stored line goes on e7-e5"), "{text}");
    assert_eq!((problems.len(), problems[0].kind), (1, ProblemKind::Damage));
}
