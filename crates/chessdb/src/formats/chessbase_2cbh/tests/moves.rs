//! Moves and lines, sound and damaged (sections 4, 14.3).

use super::*;

#[test]
fn the_game_of_the_page_is_read() {
    let (text, problems) = Made::of(&GAME).read();
    assert_eq!(
        text,
        "1. d4 Nf6 (1... d5 2. c4 e6) (1... f5 2. g3) 2. c4 e6 (2... g6 3. Nc3) 3. Nc3 *"
    );
    assert_eq!(problems, []);
    let tags = Made::of(&GAME).open().tags(0);
    assert_eq!(tags.get("White"), Some("Tal, M."));
    assert_eq!(
        (tags.get("Event"), tags.get("Site")),
        (Some("Candidates"), Some("Bled"))
    );
    assert_eq!(
        (tags.get("Annotator"), tags.get("SourceTitle")),
        (Some("Tal, M."), Some("Book"))
    );
    assert_eq!(
        (tags.get("PlyCount"), tags.get("WhiteTeam"), tags.get("Title")),
        (Some("5"), None, None)
    );
}

#[test]
fn moves_that_cannot_be_played_end_their_line() {
    let text = [&[2, 0, 0, 0, 0, 0][..], &string(b"said")].concat();
    // 1. d4, then a move of a king that is not on a1, with an alternative; then 1. c4 as a variation.
    let words = [
        0xfffc, 0xace1, 0xfffd, 0x55f9, 0xfffd, 0x8929, 0xffff, 0xb02e, 0xffff, 0xac83, 0xffff,
    ];
    let mut made = Made::of(&words);
    made.annotations = block(&[(2, &text)]);
    let (text, problems) = made.read();
    assert_eq!(
        text,
        "1. d4 {chessdb: a1-a2 is no move of a piece that is there, or takes another; the stored line goes on a1-a2 \
         (e7-e6) g8-f6 at .2cbg offset 0x2c said} (1. c4) *"
    );
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn lines_that_are_damaged_leave_the_others() {
    for (words, shown) in [
        // The same next to a first move that cannot be played.
        (
            &[
                0xfffc, 0xace1, 0x8929, 0xfffd, 0xffff, 0x55f9, 0xfffd, 0xffff, 0xb02e, 0xffff,
            ][..],
            "1. d4 Nf6 {chessdb: a1-a2 is no move of a piece that is there, or takes another; the stored line goes on \
             a1-a2 at .2cbg offset 0x30} (1... e6) *",
        ),
        (
            &[0xfffc, 0xace1],
            "1. d4 {chessdb: the game has no end at .2cbg offset 0x2a} *",
        ),
        (
            &[0xfffc, 0xfffd, 0xace1, 0xffff],
            "{chessdb: an alternative to no move is announced: the rest is not read at .2cbg offset 0x28} *",
        ),
        (
            &[0xace1, 0xffff],
            "{chessdb: the beginning of the moves is not marked at .2cbg offset 0x26} *",
        ),
        (
            &[],
            "{chessdb: the beginning of the moves is not marked at .2cbg offset 0x26} *",
        ),
        (
            &[0xfffc, 0xace1, 0xfffe, 0x8929, 0xffff],
            "1. d4 {chessdb: no move has the word fffe; the stored line goes on fffe g8-f6 at .2cbg offset 0x2a} *",
        ),
        (
            &[0xfffc, 0xace1, 0xb12c, 0xffff],
            "1. d4 {chessdb: illegal move: castling is not possible; the stored line goes on O-O at .2cbg offset 0x2a} *",
        ),
    ] {
        let (text, problems) = Made::of(words).read();
        assert_eq!((text.as_str(), problems.len()), (shown, 1), "{problems:?}");
    }
    // Words after the end have no meaning.
    let (text, problems) = Made::of(&[0xfffc, 0xace1, 0xffff, 0x8929]).read();
    assert_eq!((text.as_str(), problems.len()), ("1. d4 *", 1), "{problems:?}");
}

#[test]
fn a_game_castles_without_its_right() {
    let king = |square: u16| 0xc02d + square;
    let rook = |square: u16| 0xc02d + 256 + square;
    let made = Made::of(&[
        0xfffb,
        1,
        0,
        0,
        king(32),
        0xc16d + 39,
        rook(0),
        rook(56),
        0xfffc,
        0xb12a,
        0xffff,
    ]);
    assert_eq!(made.movetext(), "1. O-O *");
    let tags = made.open().tags(0);
    assert_eq!(tags.get("FEN"), Some("4k3/8/8/8/8/8/8/R3K2R w K - 0 1"));
}

/// Words of null moves, which are legal without a board.
const NULL: u16 = words::NULL;
const MARK: u16 = walk::ALTERNATIVE;
const END_OF_LINE: u16 = walk::END;

/// The place of a word in the file.
fn offset_of(word: usize) -> Option<u64> {
    Some(12 + 26 + 2 * word as u64)
}

#[test]
fn a_game_with_too_many_moves_says_so_once() {
    let mut words = vec![0xfffc];
    words.extend(std::iter::repeat_n(NULL, 999_999));
    // The last five moves have alternatives, and each alternative exceeds the limit.
    words.extend([[NULL, MARK]; 5].concat());
    words.push(END_OF_LINE);
    words.extend([[NULL, END_OF_LINE]; 5].concat());
    let mut made = Made::of(&words);
    // The annotation belongs to a move that is not read, so it is not misplaced.
    made.annotations = block(&[(1_000_003, &[0x14, 0, 1]), (1_000_003, &[3, 0, 1, 0, 0])]);
    let decoded = made.open().game(0);
    let mut problems = decoded.problems;
    problems.retain(|problem| problem.kind != ProblemKind::Doubt);
    let [problem] = &problems[..] else {
        panic!("{problems:?}");
    };
    assert_eq!(problem.kind, ProblemKind::Limit);
    assert_eq!(problem.what, "the game has more than 1000000 moves");
    // The alternative to the first of the five is stored last.
    assert_eq!(problem.offset, offset_of(words.len() - 2));
    let movetext = &decoded.game.movetext;
    let (mut moves, mut remarks) = (0, 0);
    for token in movetext.tokens() {
        match token {
            crate::game::Token::Move(..) => moves += 1,
            crate::game::Token::Remark(_) => remarks += 1,
            _ => {}
        }
    }
    assert_eq!((moves, remarks), (1_000_000, 1));
}

#[test]
fn a_game_that_cannot_be_played_is_shown_up_to_the_same_number_of_moves() {
    let mut words = vec![0xfffc, 0x55f9];
    words.extend(std::iter::repeat_n(NULL, 1_000_000));
    words.push(END_OF_LINE);
    let (text, problems) = Made::of(&words).read();
    assert_eq!(text.matches("--").count(), 999_999);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(problems[1].kind, ProblemKind::Limit);
}

#[test]
fn nesting_that_is_too_deep_is_named_by_its_byte() {
    // An alternative to the second move of each line, so that the last variation is the 256th open one.
    let mut words = vec![0xfffc];
    words.extend([[NULL, NULL, MARK, END_OF_LINE]; 256].concat());
    words.extend([NULL, NULL, END_OF_LINE]);
    let (text, problems) = Made::of(&words).read();
    let [problem] = &problems[..] else {
        panic!("{problems:?}");
    };
    assert_eq!(problem.kind, ProblemKind::Limit);
    assert_eq!(problem.offset, offset_of(1 + 4 * 256));
    assert_eq!(problem.what, "variations are nested deeper than 255 levels");
    assert_eq!(text.matches('(').count(), 255);
    assert!(
        text.contains("the stored line goes on -- -- at .2cbg offset 0x828"),
        "{text}"
    );
}

#[test]
fn promotions_and_en_passant_are_played_like_other_moves() {
    let moves = [
        "e2-e4", "g8-f6", "e4-e5", "d7-d5", "e5-d6", "f6-g4", "d6-c7", "g4-f6", "c7-d8Q",
    ];
    let mut stored = vec![0xfffc];
    let mut position = crate::board::Position::initial();
    for name in moves {
        let word = (1..0xb129).find(|word| {
            let meaning = words::Table::get().meaning(*word).unwrap();
            let mv = meaning.on(&position).filter(|mv| position.test(*mv).is_ok());
            mv.is_some() && meaning.to_string() == name
        });
        let mv = words::Table::get().meaning(word.unwrap()).unwrap().on(&position);
        position.play(mv.unwrap());
        stored.push(word.unwrap());
    }
    stored.push(END_OF_LINE);
    let database = Made::of(&stored).open();
    let mut given = Vec::new();
    database.main_line(0, &mut |ply| {
        given.push(*ply.position);
        ControlFlow::Continue(())
    });
    assert_eq!(given.last(), Some(&position));
    let (text, problems) = Made::of(&stored).read();
    assert_eq!(text, "1. e4 Nf6 2. e5 d5 3. exd6 Ng4 4. dxc7 Nf6 5. cxd8=Q+ *");
    assert_eq!(problems, []);
}
