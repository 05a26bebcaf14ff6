//! Words of movetext in unusual forms.

use super::{Stored, characters, movetext, read};

/// A pawn of White can take a knight on b8.
const PAWN: &str = "[FEN \"1n6/P7/8/7k/8/8/8/4K3 w - - 0 1\"]\n\n";

#[test]
fn the_piece_of_a_promotion_may_be_in_brackets_or_apart() {
    for mv in [
        "axb8(N)",
        "axb8=(N)",
        "axb8(=N)",
        "axb8[N]",
        "axb8(♘)",
        "axb8=(♘\u{fe0e})",
        "axb8 (N)",
        "axb8 =N",
        "axb8 /N",
        "axb8 = N",
        "axb8= N",
        "axb8 N",
        "axb8 [N]",
        "axb8 (=N)",
        "axb8\n(♞)",
    ] {
        assert_eq!(
            movetext(&format!("{PAWN}1. {mv} Kg5 2. Ke2 *")),
            "1. axb8=N Kg5 2. Ke2 *",
            "{mv}"
        );
    }
    assert_eq!(
        movetext(&format!("{PAWN}1. axb8! (R)+!? Kg4 (1... Kh4 2. Rb1) *")),
        "1. axb8=R $1 $5 Kg4 (1... Kh4 2. Rb1) *"
    );
    assert_eq!(movetext(&format!("{PAWN}1. axb8[R]1-0")), "1. axb8=R 1-0");
}

#[test]
fn remarks_about_words_come_after_comments() {
    let (shown, problems) = read("1. e4 & {a} & & {b} e5 *");
    assert!(shown.starts_with("1. e4 {a chessdb: byte 6 of "), "{shown}");
    assert!(shown.contains(" b chessdb: byte 12 of "), "{shown}");
    assert_eq!(
        problems,
        ["a sign has no meaning here: &", "a sign has no meaning here: & &"]
    );
    assert_eq!(
        read("1. e4 $5 \\ {or} {better} e5 *").0,
        "1. e4 $5 {or better chessdb: byte 9 of x.pgn: a sign has no meaning here: \\} 1... e5 *"
    );
}

#[test]
fn the_piece_of_a_promotion_may_have_a_name_of_another_language() {
    for (moves, wanted) in [
        ("1. axb8(S) Kg5 2. Sc6", "1. axb8=N Kg5 2. Nc6 *"),
        ("1. axb8 (S) Kg5 2. Kd2", "1. axb8=N Kg5 2. Kd2 *"),
        ("1. axb8 =T Kg5 2. Kd2", "1. axb8=R Kg5 2. Kd2 *"),
        ("1. axb8 T Kg5 2. Kd2", "1. axb8=R Kg5 2. Kd2 *"),
        ("1. axb8=(D) Kg5 2. Dc7", "1. axb8=Q Kg5 2. Qc7 *"),
        ("1. axb8 (Л) Крg5 2. Крd2", "1. axb8=R Kg5 2. Kd2 *"),
    ] {
        let (shown, problems) = read(&format!("{PAWN}{moves} *"));
        assert_eq!(shown, wanted, "{moves}");
        assert!(
            problems.len() == 1 && problems[0].starts_with("the letters of pieces are read in "),
            "{problems:?}"
        );
    }
    // A letter that is no piece in any language that fits does not promote.
    for moves in [
        "1. axb8 (Y) Kg5",
        "1. axb8(Y) Kg5",
        "1. axb8 =Y Kg5",
        "1. axb8 (S) Ne2",
    ] {
        let (shown, _) = read(&format!("{PAWN}{moves} *"));
        assert!(shown.starts_with("{chessdb: "), "{shown}");
    }
}

#[test]
fn a_word_after_a_promotion_is_not_its_piece() {
    let (shown, _) = read(&format!("{PAWN}1. axb8 I think 1... Kg5 2. Ke2 *"));
    assert!(
        shown.starts_with("1. axb8=Q ") && shown.ends_with("1... Kg5 2. Ke2 *"),
        "{shown}"
    );
}

#[test]
fn a_promotion_names_no_piece_before_other_words() {
    for (moves, wanted) in [
        ("1. axb8 Kg5", "1... Kg5"),
        ("1. axb8 = Kg5", "1... Kg5"),
        ("1. axb8 D Kg5", "1... Kg5"),
        ("1. axb8 ( 1. a8=N) Kg5", "1... Kg5"),
    ] {
        let (shown, problems) = read(&format!("{PAWN}{moves} *"));
        assert!(
            shown.starts_with("1. axb8=Q ") && shown.contains(wanted),
            "{shown}"
        );
        assert_eq!(
            problems,
            ["the promotion names no piece: a queen is taken"],
            "{shown}"
        );
    }
}

#[test]
fn long_words_take_no_quadratic_time() {
    const REPEATS: usize = 1 << 14;
    for (text, starts, ends) in [
        (
            "1. ".to_owned() + &"Nf3!Nf6!Ng1!Ng8!".repeat(REPEATS) + " *",
            "1. Nf3 $1 Nf6 $1 2. Ng1 $1",
            "Ng8 $1 *",
        ),
        (
            "1. ".to_owned() + &"Nf3!Nf6!Ng1!Ng8!".repeat(REPEATS) + &"!".repeat(REPEATS) + " *",
            "1. Nf3 $1 Nf6 $1 2. Ng1 $1",
            "*",
        ),
        (
            "1. ".to_owned() + &"Nf3!Nf6!Ng1!Ng8!".repeat(REPEATS) + "1-0",
            "1. Nf3 $1 Nf6 $1 2. Ng1 $1",
            "Ng8 $1 1-0",
        ),
        (
            "1. ".to_owned() + &"Nf3\u{a0}Nf6\u{3000}Ng1\u{a0}Ng8\u{2009}".repeat(REPEATS) + "*",
            "1. Nf3 Nf6 2. Ng1",
            "Ng8 *",
        ),
        (
            "1. a".to_owned() + &"1".repeat(64 * REPEATS) + ". *",
            "{chessdb: ",
            "*",
        ),
    ] {
        let shown = read(&text).0;
        assert!(shown.starts_with(starts), "{:?}", shown.get(..60));
        assert!(shown.ends_with(ends), "{:?}", shown.get(shown.len() - 60..));
    }
}

#[test]
fn bytes_that_are_ignored_end_no_line() {
    for lines in [
        "\0% {\n",
        "\u{feff}% made by {\n",
        "\r% {\n",
        "\u{feff}\x1a% {\n\0",
    ] {
        assert_eq!(
            movetext(&format!("1. e4\n{lines}e5 2. Nf3 1-0")),
            "1. e4 e5 2. Nf3 1-0"
        );
    }
    assert_eq!(
        movetext("1. e4 e\u{feff}5 2.N\u{feff}f3 {a\u{feff}b} *"),
        "1. e4 e5 2. Nf3 {ab} *"
    );
}

#[test]
fn a_result_may_follow_a_number_or_end_a_sentence() {
    for (end, result) in [
        ("2.1-0", "1-0"),
        ("2. 0-1", "0-1"),
        ("2.1/2-1/2", "1/2-1/2"),
        ("1-0.", "1-0"),
        ("1/2-1/2.", "1/2-1/2"),
        ("0-1!", "0-1"),
        ("½-½,", "1/2-1/2"),
        ("0.5-0.5", "1/2-1/2"),
    ] {
        for tag in ["", "[Result \"*\"]\n\n"] {
            assert_eq!(
                movetext(&format!("{tag}1. e4 e5 {end}")),
                format!("1. e4 e5 {result}"),
                "{end}"
            );
        }
    }
    // A line that ends at a fault ends before such a result.
    assert!(
        read("1. e4 e5 2. Ke3 Ke7 3.1-0")
            .0
            .ends_with("the line goes on: 2. Ke3 Ke7} 1-0")
    );
}

#[test]
fn words_between_two_numbers_are_the_first_moves() {
    for text in [
        "1. E4 E5 2. Nf3 Nc6",
        "1. е4 е5 2. Nf3 Nc6",
        "1. P-K4 P-K4 2. Nf3 Nc6",
        "1. E4 1... e5 2. Nf3",
        "Round 3. 1.E4 E5 2.Nf3",
    ] {
        let (shown, problems) = read(&format!("{text} *"));
        assert!(
            shown.starts_with("{chessdb: ") && shown.ends_with("} *"),
            "{shown}"
        );
        assert!(
            problems.last().unwrap().starts_with("this is no move: "),
            "{problems:?}"
        );
    }
    // Names in a table, and text before the moves.
    for text in [
        "1. Tal 2. Fischer 1. e4 e5 2. Nf3",
        "1. (White) e4 e5 2. Nf3",
        "1. Best e4 e5 2. Nf3",
        "1. This is 2. an odd table 1. e4 e5 2. Nf3",
    ] {
        assert!(read(&format!("{text} *")).0.contains("1. e4 e5 2. Nf3"), "{text}");
    }
}

/// A puzzle whose moves begin with 1, whatever its position says, with a word before them.
#[test]
fn words_before_moves_are_not_moves_of_their_numbers() {
    let fen = "[SetUp \"1\"]\n[FEN \"6k1/8/8/8/8/8/8/4K2R b K - 0 24\"]";
    let text = format!("{fen}\n\n1. Black loses Kf7 2. Rh7+ Kg6 *");
    let (shown, problems) = read(&text);
    assert!(shown.ends_with("24... Kf7 25. Rh7+ Kg6 *"), "{shown}");
    assert_eq!(problems, ["this is no move: Black loses"]);
}

#[test]
fn an_unknown_start_position_is_the_usual_one() {
    for tags in ["[FEN \"\"]", "[FEN \"?\"]", "[SetUp \"0\"]\n[FEN \" \"]"] {
        assert_eq!(movetext(&format!("{tags}\n\n1. e4 e5 *")), "1. e4 e5 *", "{tags}");
    }
    let (shown, problems) = read("[SetUp \"1\"]\n[FEN \"\"]\n\n1. e4 e5 *");
    assert!(shown.ends_with("1. e4 e5 *"), "{shown}");
    assert_eq!(problems, ["the tag SetUp has no FEN beside it"]);
}

#[test]
fn signs_may_follow_en_passant() {
    let before = "1. e4 a6 2. e5 d5 3.";
    for (mv, wanted) in [
        ("exd6 e.p.", "exd6"),
        ("exd6 e.p.+", "exd6"),
        ("exd6 e.p.!", "exd6 $1"),
        ("exd6 ep!?", "exd6 $5"),
        ("exd6e.p.!", "exd6 $1"),
        ("exd6e.p", "exd6"),
        ("exd6! e.p", "exd6 $1"),
    ] {
        assert_eq!(
            movetext(&format!("{before} {mv} Nf6 *")),
            format!("{before} {wanted} Nf6 *"),
            "{mv}"
        );
    }
}

/// In windows-1252, a0 is a blank, 96 a dash, and 86 a dagger.
#[test]
fn a_byte_after_a_promotion_without_a_piece_need_not_be_one() {
    for byte in [0xa0, 0x96, 0x86] {
        let mut text = PAWN.as_bytes().to_vec();
        text.extend_from_slice(b"1. axb8 ");
        text.push(byte);
        text.extend_from_slice(b" Kg5 2. Ke2 {M\xfcller} *");
        let characters = characters::choose(Some("windows-1252"), &mut Vec::new());
        let (read, problems) = Stored::new(&text, 0, characters, b'\n').game("x.pgn");
        let queens = problems
            .iter()
            .filter(|problem| problem.what.contains("a queen is taken"));
        assert_eq!(queens.count(), 1, "{byte:x}: {problems:?}");
        assert_eq!(read.movetext.main_line().count(), 3, "{byte:x}");
    }
}

#[test]
fn a_result_may_be_glued_to_a_move() {
    assert_eq!(
        movetext("[Result \"1-0\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf71-0"),
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"
    );
    assert_eq!(movetext("1. f3 e5 2. g4 Qh4#!!0-1"), "1. f3 e5 2. g4 Qh4# $3 0-1");
    assert_eq!(movetext("1. e4 e51/2-1/2"), "1. e4 e5 1/2-1/2");
    assert_eq!(
        movetext("1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O*"),
        "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O *"
    );
    // The rest of a line ends before the result.
    assert_eq!(
        read("1. e4 e5 2. Ke3 Qh40-1").0,
        "1. e4 e5 {chessdb: byte 12 of x.pgn: illegal move: no king can go to e3; the line goes on: 2. Ke3 Qh4} 0-1"
    );
}

#[test]
fn words_may_be_glued() {
    assert_eq!(
        movetext("1. e4 e5!!2. Nf3 Nc6!?3.Bb5$1 a6 *"),
        "1. e4 e5 $3 2. Nf3 Nc6 $5 3. Bb5 $1 a6 *"
    );
    assert_eq!(
        movetext("1.e4 e52.Nf3 Nc63.Bb5 a6 *"),
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *"
    );
    assert_eq!(movetext("1. e4!e5 *"), "1. e4 $1 e5 *");
    // Other numbers do not separate moves.
    assert!(!read("1. e4 e57. Nf3 *").1.is_empty());
}
