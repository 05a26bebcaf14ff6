use super::super::characters;
use super::*;
use crate::pgn::to_text;
use std::ops::ControlFlow;

mod words;

fn stored(text: &str) -> Stored<'_> {
    let characters = characters::choose(None, &mut Vec::new());
    Stored::new(text.as_bytes(), 0, characters, b'\n')
}

/// The movetext of a game in export form, without its line breaks, and its problems. Checks that reading only the main
/// line gives the same moves.
fn read(text: &str) -> (String, Vec<String>) {
    let game = stored(text);
    let (read, problems) = game.game("x.pgn");
    let mut all = Vec::new();
    crate::replay::main_line(&read, &mut |ply| {
        all.push(ply.mv);
        ControlFlow::Continue(())
    });
    let mut alone = Vec::new();
    let is_certain = game.main_line(CountedLine {
        each: &mut |ply| {
            alone.push(ply.mv);
            ControlFlow::Continue(())
        },
        passed: &mut Some(0),
    });
    assert_eq!(all.get(..alone.len()), Some(&alone[..]), "{text}");
    assert!(!is_certain || all.len() == alone.len(), "{text}");
    let written = crate::text::utf8(&to_text(&read)).unwrap();
    let movetext = written.split_once("\n\n").unwrap().1;
    let movetext = movetext.split_whitespace().collect::<Vec<_>>().join(" ");
    (
        movetext,
        problems.into_iter().map(|problem| problem.what).collect(),
    )
}

/// The movetext of a game that has no problem.
fn movetext(text: &str) -> String {
    let (movetext, problems) = read(text);
    assert_eq!(problems, [""; 0], "{text}");
    movetext
}

#[test]
fn a_word_that_looks_like_a_move_ends_the_line() {
    assert_eq!(
        read("1. d4 Nf6 2. Sf3 d5 3. Lf4 *"),
        (
            "1. d4 Nf6 {chessdb: byte 13 of x.pgn: this is no move: Sf3; the line goes on: 2. Sf3 d5 3. Lf4} *"
                .to_owned(),
            vec!["this is no move: Sf3".to_owned()]
        )
    );
    assert_eq!(
        read("1. d4 (1. Ng9 d5) 1... d5 *").0,
        "1. d4 {chessdb: byte 10 of x.pgn: this is no move: Ng9; the line goes on: 1. Ng9 d5} 1... d5 *"
    );
    // Other words are skipped.
    assert_eq!(
        read("1. e4 B97 e5 Diagram 2. Nf3 1-0"),
        (
            "1. e4 {chessdb: byte 6 of x.pgn: this is no move: B97} 1... e5 {chessdb: byte 13 of x.pgn: this is no move: \
             Diagram} 2. Nf3 1-0"
                .to_owned(),
            vec!["this is no move: B97".to_owned(), "this is no move: Diagram".to_owned()]
        )
    );
}

#[test]
fn letters_of_one_language_are_read() {
    for (text, language, wanted) in [
        (
            "1. d4 Sf6 2. Sf3 (2. Lf4! Kd7) Sc6 {Sf3} 3. Dd3N *",
            "German",
            "1. d4 Nf6 2. Nf3 (2. Bf4 $1) 2... Nc6 {Sf3} 3. Qd3 $146 *",
        ),
        (
            "1. e4 e5 2. Cf3 Cc6 3. Fb5 *",
            "French",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 *",
        ),
        (
            "1. d4 Pf6 2. Pf3 g6 3. Lf4 *",
            "Dutch",
            "1. d4 Nf6 2. Nf3 g6 3. Bf4 *",
        ),
        (
            "1. e4 e5 2. Ac4 Re7 *",
            "Spanish or Italian",
            "1. e4 e5 2. Bc4 Ke7 *",
        ),
        (
            "1. e4 e5 2. Кf3 Крe7 3. Сb5 *",
            "Russian",
            "1. e4 e5 2. Nf3 Ke7 3. Bb5 *",
        ),
        (
            "1. e4 e5 2. Dh5 *",
            "German or French or Dutch or Spanish or Italian",
            "1. e4 e5 2. Qh5 *",
        ),
        (
            "[FEN \"4k3/7P/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. h8=T+ Kf7 *",
            "German or Dutch",
            "1. h8=R+ Kf7 *",
        ),
    ] {
        let text = text.replace(" Kd7)", ")");
        let problem = format!("the letters of pieces are read in {language}");
        assert_eq!(read(&text), (wanted.to_owned(), vec![problem]));
    }
    assert_eq!(movetext("1. e4 e5 2. ♘f3 ♞c6 *"), "1. e4 e5 2. Nf3 Nc6 *");
}

#[test]
fn english_comes_first_and_all_moves_count() {
    // In Dutch, this is a knight.
    assert_eq!(movetext("1. d4 Pf6 *"), "1. d4 f6 *");
    // In no language are all of these words moves.
    for text in [
        "1. d4 Sf6 2. Nf3 *",
        "1. d4 Sf6 2. Lf4 (2. Bf4) *",
        "1. d4 Sf6 2. Cf3 *",
        "1. d4 Sf6 2. Sf4 *",
    ] {
        let (movetext, problems) = read(text);
        assert!(movetext.starts_with("1. d4 {chessdb: "), "{movetext}");
        assert_eq!(problems[0], "this is no move: Sf6");
    }
    // The variation alone shows that this is Dutch.
    assert_eq!(read("1. d4 Pf6 2. c4 (2. Lf4) *").0, "1. d4 Nf6 2. c4 (2. Bf4) *");
}

#[test]
fn signs_after_a_move_become_glyphs() {
    for (sign, nags) in [
        ("⁈", "$6"),
        ("‼", "$3"),
        ("⁉\u{fe0f}", "$5"),
        ("!⩲", "$1 $14"),
        ("!?+-", "$5 $18"),
        ("!+", "$1"),
        ("−+", "$19"),
        ("--+", "$19"),
        ("+--", "$18"),
        ("=∞", "$44"),
        ("↑", "$36"),
        ("→⇆", "$40 $132"),
        ("⊕", "$138"),
        ("∆", "$140"),
        ("∇", "$141"),
        ("⌓", "$142"),
        ("N", "$146"),
        ("□N", "$7 $146"),
    ] {
        let wanted = format!("1. e4 {nags} e5 *");
        assert_eq!(movetext(&format!("1. e4{sign} e5 *")), wanted);
        if sign != "!+" {
            assert_eq!(movetext(&format!("1. e4 {sign} e5 *")), wanted);
        }
    }
    assert_eq!(movetext("1. e4ch, e5. 2. Qh5† *"), "1. e4 e5 2. Qh5 *");
    assert_eq!(
        movetext("1. e4 +. e5 N,?! 2. Qh5 !. Nc6 ch. 3. Bc4 =, Nf6 4. Qxf7 #. *"),
        "1. e4 e5 $146 $6 2. Qh5 $1 Nc6 3. Bc4 $10 Nf6 4. Qxf7# *"
    );
    assert_eq!(read("1. e4 N. e5 *").1, ["this is no move: N."]);
    assert_eq!(movetext("1. e4 -- 2. d4 --! *"), "1. e4 -- 2. d4 -- $1 *");
    assert_eq!(
        read("1. e4☃! e5 *"),
        (
            "1. e4 $1 {chessdb: byte 3 of x.pgn: a sign after the move is not known: ☃} 1... e5 *".to_owned(),
            vec!["a sign after the move is not known: ☃".to_owned()]
        )
    );
    assert_eq!(
        movetext("[FEN \"4k3/7P/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. h8=N= *"),
        "1. h8=N $10 *"
    );
}

#[test]
fn glyphs_before_a_move_belong_to_it() {
    assert_eq!(
        movetext("$13 1. e4 $2 ($142 1. d4! d5) (□ 1. c4 $1) 1... e5 ($146 1... c5) $14 2. Nf3 *"),
        "1. e4 $13 $2 (1. d4 $142 $1 d5) (1. c4 $7 $1) 1... e5 $14 (1... c5 $146) 2. Nf3 *"
    );
    for (text, wanted, problem) in [
        (
            "1. e4 (=) e5 *",
            "1. e4 {chessdb: byte 6 of x.pgn: a variation has no move: (=)} 1... e5 *",
            "a variation has no move: (=)",
        ),
        (
            "$1 *",
            "{chessdb: byte 0 of x.pgn: glyphs belong to no move} *",
            "glyphs belong to no move",
        ),
    ] {
        assert_eq!(read(text), (wanted.to_owned(), vec![problem.to_owned()]));
    }
    assert_eq!(movetext("1. e4 () e5 *"), "1. e4 e5 *");
}

#[test]
fn signs_without_meaning_are_left_out_with_a_remark() {
    for (sign, text) in [
        ("$", "1. e4 e5 2. $f3 *"),
        ("%", "1. e4 e5 2. %f3 *"),
        ("]", "1. e4 e5] 2. f3 *"),
    ] {
        let what = format!("a sign has no meaning here: {sign}");
        let place = text.find(sign).unwrap();
        let wanted = format!("1. e4 e5 {{chessdb: byte {place} of x.pgn: {what}}} 2. f3 *");
        assert_eq!(read(text), (wanted, vec![what]));
    }
    assert_eq!(read("1. e4 yl] g e5 *").1, ["this is no move: yl] g"]);
    assert_eq!(
        read("1. e4 *  $f3").0,
        "1. e4 {chessdb: byte 9 of x.pgn: this text comes after the result: $f3} *"
    );
}

/// The table of section 5.5 in `docs/formats/pgn.md`, and more such games. The last text is the word that ends its
/// line; empty if no word does.
#[test]
fn numbers_show_which_words_stand_for_moves() {
    for (text, wanted, ends_at) in [
        // Black's move is missing before 6.
        ("5. c3 d&6 6. O-O O-O 7. Re1", "5. c3", "d&6"),
        ("5. c3 d&6 6. O-O", "5. c3", "d&6"),
        ("5. c3 N@d5 6. O-O", "5. c3", "N@d5"),
        ("5. N@d4 N@d5 6. c3", "", "N@d4"),
        ("5. N@d4 N@d5 7. c3", "", "N@d4"),
        ("5. N@d4 d6 6. c3", "", "N@d4"),
        (
            "5. c3 (5. a3) d&6 (5. a4 a6 6. h3) 6. O-O O-O",
            "5. c3 (5. a3)",
            "d&6",
        ),
        ("5. c3 d&6 6.O-O O-O", "5. c3", "d&6"),
        ("5. c3 d&6 6 . O-O O-O", "5. c3", "d&6"),
        ("5.d&4 d6 6.O-O", "", "5.d&4"),
        ("5... d&6 6. O-O", "", "d&6"),
        // Numbers that fit.
        ("5. TN c3 d6 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 TN d6 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 d6 RR 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 RR 5... d6 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 RR 5 ... d6 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 RR 5\u{2026}d6 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 0:05 d6 0:07 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. Bxf7+ dis.ch Kxf7 6. Nxe5+", "5. Bxf7+ Kxf7 6. Nxe5+", ""),
        ("5. c3 d6 p. 123 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 d6 Diagram 12 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 d6 Linares 1993. 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 +0.35/12 d6 3.2 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 d6 (theory) 6. O-O", "5. c3 d6 6. O-O", ""),
        (
            "5. c3 d6 (RR 5... Bb6 6. O-O) 6. O-O",
            "5. c3 d6 (5... Bb6 6. O-O) 6. O-O",
            "",
        ),
        ("5. c3 d6 d&6 6. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 d6 N@d2 6. O-O", "5. c3 d6 6. O-O", ""),
        (
            "5. c3 RR {b} (5. a3 a6 6. a4) 5... d6 6. O-O",
            "5. c3 (5. a3 a6 6. a4) d6 6. O-O",
            "",
        ),
        // In a variation.
        ("5. c3 d6 (5... d&6 6. O-O O-O) 6. a3", "5. c3 d6 6. a3", "d&6"),
        (
            "5. c3 d6 (5... Bb6 6. N@g5 d6 7. a3) 6. a3",
            "5. c3 d6 (5... Bb6) 6. a3",
            "N@g5",
        ),
        ("5. c3 d6 (TN 6. O-O) 6. a3", "5. c3 d6 6. a3", "TN"),
        // No number follows.
        ("5. c3 d&6 O-O O-O", "5. c3 O-O 6. O-O", ""),
        ("5. c3 N@d5 O-O", "5. c3", "N@d5"),
        ("5. c3 a4paper O-O", "5. c3", "a4paper"),
        ("5. c3 TN", "5. c3", ""),
        // Wrong numbers alone change nothing.
        ("5. c3 d6 7. O-O", "5. c3 d6 6. O-O", ""),
        ("5. c3 d6 7. O-O RR O-O 8. Re1", "5. c3 d6 6. O-O O-O 7. Re1", ""),
        ("5. c3 d6 7. O-O d&6 7. Re1", "5. c3 d6 6. O-O", "d&6"),
    ] {
        let before = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. d3 Nf6";
        check_numbers(
            &format!("{before} {text} *"),
            &format!("{before} {wanted}"),
            ends_at,
        );
    }
    for (text, wanted, ends_at) in [
        (
            "1. e4 1. e5 2. TN Nf3 2. Nc6 3. Bb5",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5",
            "",
        ),
        (
            "1. e4 1. e5 2. Nf3 TN 2. Nc6 3. Bb5",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5",
            "",
        ),
        ("1. e4 1. e5 2. Nf3 2. N&6 3. Bb5 3. a6", "1. e4 e5 2. Nf3", "N&6"),
        ("1. e4 1. e5 2. N@f3 2. Nc6 3. Bb5", "1. e4 e5", "N@f3"),
        (
            "1 e4 e5 2 Nf3 TN Nc6 p. 123 3 Bb5",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5",
            "",
        ),
        ("1 e4 e5 2 Nf3 N&6 3 Bb5", "1. e4 e5 2. Nf3", "N&6"),
        ("e4 e5 Nf3 TN Nc6", "1. e4 e5 2. Nf3 Nc6", ""),
        ("e4 e5 N@f3 Nc6", "1. e4 e5", "N@f3"),
        // Any text may come before the first move.
        ("Round 5 Linares 1993. 1. e4 e5", "1. e4 e5", ""),
        ("Game 2. Tal 1. e4 e5 2. Nf3", "1. e4 e5 2. Nf3", ""),
    ] {
        check_numbers(&format!("{text} *"), wanted, ends_at);
    }
    let far = |words: usize| format!("1. e4 {}e5 2. Nf3 *", "x ".repeat(words));
    let (near, late) = (read(&far(62)), read(&far(200)));
    assert!(near.0.ends_with("1... e5 2. Nf3 *") && late.0.ends_with("1... e5 2. Nf3 *"));
    let far = |words: usize| format!("1. e4 d&5 {}2. Nf3 *", "x ".repeat(words));
    assert!(read(&far(63)).1[0] == "this is no move: d&5" && read(&far(63)).0.contains("the line goes on"));
    assert!(read(&far(64)).0.contains("this is no move: x; the line goes on"));
}

/// Compares a game with the expected moves, up to the remark about the word that ends a line.
fn check_numbers(text: &str, wanted: &str, ends_at: &str) {
    let (given, problems) = read(text);
    let mut plain = String::new();
    for part in given.split_inclusive(['{', '}']) {
        match part.strip_suffix('}') {
            Some(comment) if comment.contains("chessdb: ") => plain.truncate(plain.len() - 1),
            _ => plain += part,
        }
    }
    let words = |text: &str| -> Vec<String> {
        let words = text.split_whitespace().filter(|word| !word.ends_with("..."));
        words.map(str::to_owned).collect()
    };
    // A variation without moves does not count.
    let plain = plain.replace("( ", "(").replace(" )", ")");
    assert_eq!(words(&plain), words(&format!("{wanted} *")), "{text}: {given}");
    let rest = format!("this is no move: {ends_at}; the line goes on");
    assert_eq!(
        given.contains("; the line goes on"),
        !ends_at.is_empty(),
        "{text}: {given}"
    );
    assert!(ends_at.is_empty() || given.contains(&rest), "{text}: {given}");
    assert_eq!(problems.is_empty(), !given.contains("chessdb:"), "{text}");
}

#[test]
fn looking_ahead_takes_no_quadratic_time() {
    let deep = format!("1. e4 {}", "(x x x x 1. ".repeat(250));
    for text in [
        "1. e4 ".to_owned() + &"x ".repeat(1 << 14),
        "1. e4 ".to_owned() + &"x (y) {z} ".repeat(1 << 14),
        deep.clone() + &"y ".repeat(1 << 14),
        "1. e4 e5 ".to_owned() + &". ".repeat(1 << 14),
        format!("1. e4 1. e5 {}", "x 2. . . ".repeat(1 << 14)),
    ] {
        let (written, problems) = read(&text);
        assert!(written.starts_with("1. e4"));
        assert!(!problems.is_empty() || text.ends_with(". "));
    }
}

#[test]
fn a_sign_of_a_set_up_needs_its_fen() {
    let problems = |text: &str| stored(text).game("x.pgn").1.len();
    assert_eq!(problems("[SetUp \"1\"]\n\n1. e4 *"), 1);
    assert_eq!(problems("[SetUp \"0\"]\n\n1. e4 *"), 0);
}

#[test]
fn a_byte_order_mark_means_nothing() {
    assert_eq!(
        movetext("\u{feff}1. e4 \u{feff}e5\u{feff} 1-0\u{feff}\n\n\u{feff}"),
        "1. e4 e5 1-0"
    );
    let characters = characters::choose(None, &mut Vec::new());
    let game = Stored::new(b"1. e4 {\xfc} 1-0\n\xef\xbb\xbf\n", 0, characters, b'\n');
    assert!(game.game("x.pgn").1.is_empty());
}

#[test]
fn the_result_of_the_text_counts_if_the_tag_has_a_star() {
    let tagged = |tag: &str, text: &str| read(&format!("[Result \"{tag}\"]\n\n{text}"));
    assert_eq!(
        tagged("*", "1. e4 e5 1/2-1/2"),
        ("1. e4 e5 1/2-1/2".to_owned(), Vec::new())
    );
    assert_eq!(tagged("*", "1. e4 1-0 {resigns}").0, "1. e4 {resigns} 1-0");
    assert_eq!(
        tagged("1-0", "1. e4 0-1"),
        (
            "1. e4 1-0".to_owned(),
            vec!["the tag has the result 1-0, the movetext 0-1".to_owned()]
        )
    );
}

#[test]
fn a_tag_without_quotation_marks_has_its_value() {
    let text = "[White \"A\"]\n[FEN 4k3/8/8/8/8/8/8/4K2R w K - 0 1]\n[SetUp \"1\"]\n\n1. O-O *";
    let (game, problems) = stored(text).game("x.pgn");
    assert_eq!(game.tags.get("FEN"), Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
    assert_eq!(game.movetext.tokens().len(), 1);
    let problems: Vec<_> = problems.iter().map(|problem| problem.what.as_str()).collect();
    assert_eq!(problems, ["the tag FEN has no quotation marks"]);
}

/// Each flaw of a date has its own message.
#[test]
fn each_flaw_of_a_date_is_a_problem() {
    for (date, shown, said) in [
        ("1985.11.09", "1985.11.09", ""),
        ("????.??.??", "????.??.??", ""),
        ("autumn", "????.??.??", "the date cannot be read: "),
        ("1985.xx.09", "1985.??.??", "a part of the date cannot be read: "),
        (
            "3.9.2025",
            "2025.??.??",
            "of this date only the year is certain: ",
        ),
        ("2024.13.05", "2024.??.??", "there is no such day: "),
    ] {
        for tag in ["Date", "EventDate"] {
            let (game, problems) = stored(&format!("[{tag} \"{date}\"]\n\n1. e4 *")).game("x.pgn");
            if tag == "Date" {
                assert_eq!(game.tags.get("Date"), Some(shown), "{date}");
            }
            let problems: Vec<_> = problems.iter().map(|problem| problem.what.as_str()).collect();
            let wanted: Vec<&str> = [said].into_iter().filter(|said| !said.is_empty()).collect();
            assert_eq!(problems.len(), wanted.len(), "{date}: {problems:?}");
            assert!(
                problems
                    .iter()
                    .zip(wanted)
                    .all(|(own, said)| own.starts_with(said) && own.contains(date)),
                "{problems:?}"
            );
        }
    }
}

#[test]
fn a_tag_of_control_characters_is_unknown() {
    for value in ["\u{1}", "\u{1} \u{85}", " ? \u{1}"] {
        let tags = stored(&format!("[Annotator \"{value}\"]\n\n1. e4 *")).tags();
        assert_eq!(tags.get("Annotator"), None, "{value:?}");
    }
    let tags = stored("[Annotator \"\u{1}Tal\"]\n\n1. e4 *").tags();
    assert_eq!(tags.get("Annotator"), Some("\u{1}Tal"));
}

/// The greatest number that a FEN can have is too large to be counted in half-moves.
#[test]
fn whose_move_it_is_does_not_depend_on_its_number() {
    for number in [1, 2_000_000_000, 2_147_483_648, 2_147_483_649, u32::MAX] {
        for (turn, mv, first) in [("w", "Ke2", "."), ("b", "Ke7", "...")] {
            let fen = format!("4k3/8/8/8/8/8/8/4K3 {turn} - - 0 {number}");
            let (game, _) = stored(&format!("[FEN \"{fen}\"]\n\n{mv} *")).game("x.pgn");
            let text = crate::text::utf8(&to_text(&game)).unwrap();
            let shown = format!("{}{first} {mv}", number.min(2_000_000_000));
            assert!(text.contains(&shown), "{shown}: {text}");
        }
    }
}

/// The rest of a line that cannot be played begins with the number of its move, but not with one of another line.
#[test]
fn a_number_before_a_parenthesis_does_not_belong_to_a_move_after_it() {
    for (text, shown) in [
        (
            "1. e4 e5 (1... d5 2. d3 2 (Ke5) d4) 2. Nf3 *",
            "1. e4 e5 (1... d5 2. d3 {chessdb: byte 27 of x.pgn: illegal move: no king can go to e5; the line goes on: \
             Ke5} 2... d4) 2. Nf3 *",
        ),
        (
            "1. e4 (1. d4 d5 (1... c5 2) Ke5 c4) e5 2. Nf3 *",
            "1. e4 (1. d4 d5 {chessdb: byte 28 of x.pgn: illegal move: no king can go to e5; the line goes on: Ke5 c4} \
             (1... c5)) 1... e5 2. Nf3 *",
        ),
    ] {
        assert_eq!(read(text).0, shown);
    }
}

#[test]
fn a_variation_beside_a_null_move_in_check_is_read() {
    let moves = "1. e4 f6 2. d4 g5 3. a3 (3. b3 Kf7 4. Qh5+";
    for (rest, shown) in [
        (
            "-- (4... Kg7 5. Qxg5+ fxg5)) h6",
            " 4... Kg7 5. Qxg5+ fxg5) 3... h6 *",
        ),
        (
            "--! {why} (4... Kg7 (4... Ke6) 5. a4) 5. b4 (5. c4)) h6",
            " 4... Kg7 (4... Ke6) 5. a4) 3... h6 *",
        ),
        (
            "-- (4... Kg7 5. Qxg5+ -- (5... fxg5)) 5. b4) h6",
            " 4... Kg7 5. Qxg5+ {",
        ),
        ("-- 5. b4 (5. c4)) h6", ") 3... h6 *"),
    ] {
        let (found, problems) = read(&format!("{moves} {rest} *"));
        assert!(
            problems
                .iter()
                .all(|what| what == "illegal move: null move in check"),
            "{problems:?}"
        );
        let (before, after) = found.split_once(" {chessdb: byte 43 of x.pgn: ").unwrap();
        assert_eq!(before, moves, "{rest}");
        let (_, after) = after.split_once("; the line goes on: ").unwrap();
        // The remark has braces of comments as parentheses.
        let (remark, after) = after.split_once('}').unwrap();
        assert!(remark.starts_with("--"), "{remark}");
        assert!(after.starts_with(shown), "{after}");
    }
    // The moves of the main line are not guessed.
    let (found, _) = read("1. e4 f6 2. d4 g5 3. Qh5# -- (3... a6) *");
    assert!(found.ends_with("the line goes on: -- (3... a6)} *"), "{found}");
}

/// Comments between the tags are kept, and other lines there are left out with a remark.
#[test]
fn lines_between_tags_belong_to_the_game() {
    let tags = |line: &str| format!("[Event \"A\"]\n{line}\n[White \"W\"]\n\n{{b}} 1. e4 *");
    for line in ["; a comment", "{a comment}", "{a\ncomment}", " ; a \tcomment"] {
        let text = tags(line);
        assert_eq!(movetext(&text), "{a comment b} 1. e4 *");
        assert_eq!(stored(&text).tags().get("White"), Some("W"));
    }
    for (line, what) in [
        ("Time: 20:00", "this is no tag: Time: 20:00"),
        ("[White]", "this is no tag: [White]"),
        ("[White ACPL \"25\"]", "this is no tag: [White ACPL \"25\"]"),
    ] {
        let text = tags(line);
        let (shown, problems) = read(&text);
        assert_eq!(problems, [what], "{line}");
        assert_eq!(shown, format!("{{chessdb: byte 12 of x.pgn: {what} b}} 1. e4 *"));
        assert_eq!(stored(&text).tags().get("White"), Some("W"));
    }
    let (shown, problems) = read(&tags("; a comment\nTime: 20:00 ; more"));
    assert_eq!(problems, ["this is no tag: Time: 20:00"]);
    assert!(shown.contains("a comment") && shown.contains("more"), "{shown}");
    // A line after the last tag.
    let text = "[Event \"A\"]\n[Black ACPL \"9\"]\n\n1. e4 *";
    assert_eq!(read(text).1, ["this is no tag: [Black ACPL \"9\"]"]);
    for (rest, tag) in [
        ("[Elo (White) \"2500\"]\n\n1. e4 e5 1-0", "[Elo (White) \"2500\"]"),
        ("[1. Board \"5\"]\n\n1. e4 e5 1-0", "[1. Board \"5\"]"),
        ("[\"Quoted\" \"5\"]\n\n1. e4 e5 1-0", "[\"Quoted\" \"5\"]"),
        ("['A' \"5\"]\n1. e4 e5 1-0", "['A' \"5\"]"),
        ("[?? \"x\"]\n\n1. e4 e5 1-0", "[?? \"x\"]"),
        ("[A b \"5\"] ; c\n\n1. e4 e5 1-0", "[A b \"5\"]"),
        ("[A b \"5\"] {c}\n\n1. e4 e5 1-0", "[A b \"5\"]"),
        ("[A b \"5\"] 1. e4 e5 1-0", "[A b \"5\"]"),
        ("[Black \"B\"] [A b \"5\"]\n\n1. e4 e5 1-0", "[A b \"5\"]"),
        ("[White ACPL \"25]\n\n1. e4 e5 1-0", "[White ACPL \"25]"),
        ("[White]\n\n1. e4 e5 1-0", "[White]"),
        ("[]\n\n1. e4 e5 1-0", "[]"),
        ("[%x y]\n1. e4 e5 1-0", "[%x y]"),
    ] {
        let (shown, problems) = read(&format!("[Event \"E\"]\n[White \"W\"]\n{rest}\n"));
        assert_eq!(problems, [format!("this is no tag: {tag}")], "{rest}");
        assert!(shown.ends_with("} 1. e4 e5 1-0"), "{shown}");
    }
    // Before the first tag and after an empty line such a line is movetext.
    for text in [
        "Time: 20:00\n[White \"W\"]\n",
        "[A \"\"]\n\nTime: 20:00\n[White \"W\"]\n",
    ] {
        assert_eq!(stored(text).tags().get("White"), Some("?"), "{text}");
    }
}

#[test]
fn castling_with_zeros_is_a_result_if_both_lost() {
    let tagged = |tag: &str, text: &str| read(&format!("[Result \"{tag}\"]\n\n{text}"));
    let moves = "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5";
    let lost = "{chessdb: byte 0 of x.pgn: both players lost: the tag Result is 0-0}";
    let said = vec!["both players lost: the tag Result is 0-0".to_owned()];
    assert_eq!(
        tagged("0-0", &format!("{moves} 0-0")),
        (format!("{moves} {lost} *"), said.clone())
    );
    assert_eq!(
        tagged("0-0", &format!("{moves} 4. 0-0 0-0 0-0")),
        (format!("{moves} 4. O-O O-O {lost} *"), said.clone())
    );
    for (end, shown) in [
        (" {both late}", "both late "),
        (" ; both late\n", "both late "),
        ("\n% both late\n", ""),
        ("\n\n{the next game}\n", "the next game "),
        (".", ""),
    ] {
        let (movetext, problems) = tagged("0-0", &format!("{moves} 0-0{end}"));
        assert_eq!(problems, said, "{end}");
        let lost = lost.replace('{', &format!("{{{shown}"));
        assert_eq!(movetext, format!("{moves} {lost} *"), "{end}");
    }
    assert_eq!(
        tagged("0-0", &format!("{moves} 0-0 $1")).0,
        format!("{moves} $1 {lost} *")
    );
    assert_eq!(tagged("0-0", "0-0"), (format!("{lost} *"), said.clone()));
    assert_eq!(tagged("0-0", "*"), (format!("{lost} *"), said));
    for end in ["*", "1-0", ""] {
        let result = if end.is_empty() { "*" } else { end };
        assert_eq!(
            tagged(result, &format!("{moves} 4. 0-0 {end}")),
            (format!("{moves} 4. O-O {result}"), Vec::new())
        );
    }
    assert_eq!(
        tagged("*", &format!("{moves} (3... Nxe4 4. 0-0) 4. 0-0 0-0 *")),
        (format!("{moves} (3... Nxe4 4. O-O) 4. O-O O-O *"), Vec::new())
    );
    // If it cannot be castling, it stays in the remark.
    let (shown, problems) = tagged("1-0", "1. e4 e5 0-0");
    assert_eq!(problems.len(), 1);
    assert!(shown.contains("the line goes on: 0-0"), "{shown}");
    assert_eq!(read("0-0").1, ["both players lost: the result is 0-0".to_owned()]);
}

#[test]
fn games_without_play_have_no_null_moves() {
    for (written, result, meaning) in [
        ("+--", "1-0", "White won without play"),
        ("+:-", "1-0", "White won without play"),
        ("--+", "0-1", "Black won without play"),
        ("-:+", "0-1", "Black won without play"),
        ("---", "*", "both players lost"),
        ("-:-", "*", "both players lost"),
        ("1-0 ff", "1-0", "White won without play"),
        ("0-1F", "0-1", "Black won without play"),
    ] {
        let tagged = format!("[Result \"{written}\"]\n\n {written}\n");
        let what = format!("{meaning}: the tag Result is {written}");
        let shown = format!("{{chessdb: byte 0 of x.pgn: {what}}} {result}");
        assert_eq!(read(&tagged), (shown, vec![what]));
        let what = format!("{meaning}: the result is {written}");
        let shown = format!("{{chessdb: byte 15 of x.pgn: {what}}} {result}");
        assert_eq!(
            read(&format!("[Result \"?\"]\n\n {written}\n")),
            (shown, vec![what])
        );
    }
    assert_eq!(
        read("+-- {no show}").1,
        ["White won without play: the result is +--"]
    );
    // After moves, they keep their usual meaning.
    assert_eq!(movetext("1. e4 e5 +-"), "1. e4 e5 $18 *");
    assert_eq!(movetext("1. e4 e5 -+ *"), "1. e4 e5 $19 *");
    assert_eq!(movetext("1. e4 -- 2. d4 *"), "1. e4 -- 2. d4 *");
    let (shown, problems) = read("[Result \"+--\"]\n\n1. e4 e5 +--");
    assert!(shown.ends_with(" 1-0") && !shown.contains("$18"), "{shown}");
    assert_eq!(problems.len(), 1);
}

#[test]
fn the_last_words_may_be_a_result_with_blanks() {
    let tagged = |tag: &str, text: &str| read(&format!("[Result \"{tag}\"]\n\n{text}"));
    for (written, result) in [
        ("1 - 0", "1-0"),
        ("1- 0", "1-0"),
        ("0 - 1", "0-1"),
        ("0.5 - 0.5", "1/2-1/2"),
        ("½ - ½", "1/2-1/2"),
        ("1/2:1/2", "1/2-1/2"),
    ] {
        for tag in [written, "*"] {
            assert_eq!(
                tagged(tag, &format!("1. e4 e5 {written}\n\n")),
                (format!("1. e4 e5 {result}"), Vec::new()),
                "{written}"
            );
        }
    }
    assert_eq!(tagged("?", "1. e4 e5 1 - 0 {time}").0, "1. e4 e5 {time} 1-0");
    assert_eq!(tagged("?", "1. e4 e5 2. Nf3!1 - 0").0, "1. e4 e5 2. Nf3 $1 1-0");
    let broken = tagged("*", "1. e4 e4 2. Nf3 1 - 0").0;
    assert!(broken.ends_with("the line goes on: e4 2. Nf3} 1-0"), "{broken}");
    // Elsewhere they have no meaning.
    assert_eq!(
        tagged("*", "1. e4 (1. d4 1 - 0)").0.split(' ').next_back(),
        Some("*")
    );
    assert_eq!(tagged("*", "1. e4 {1 - 0}").0, "1. e4 {1 - 0} *");
}

#[test]
fn names_of_tags_have_any_letter_case() {
    let text = "[event \"E\"]\n[DATE \"2001.02.03\"]\n[white \"A\"]\n[White \"B\"]\n[whiteelo \"2500\"]\n\
                [fen \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n[other \"x\"]\n[result \"1-0\"]\n\n1. O-O 1-0";
    let (game, problems) = stored(text).game("x.pgn");
    for (name, value) in [
        ("Event", "E"),
        ("Date", "2001.02.03"),
        ("White", "B"),
        ("WhiteElo", "2500"),
        ("other", "x"),
        ("Result", "1-0"),
    ] {
        assert_eq!(game.tags.get(name), Some(value), "{name}");
    }
    // Next to the usual name, it is another tag.
    assert_eq!(game.tags.get("white"), Some("A"));
    assert_eq!(game.movetext.tokens().len(), 1);
    let problems: Vec<_> = problems.into_iter().map(|problem| problem.what).collect();
    assert_eq!(
        problems,
        [
            "names of tags are in another letter case: event for Event, DATE for Date, whiteelo for WhiteElo, fen \
             for FEN, result for Result"
        ]
    );
    assert_eq!(stored(text).ratings().white, Some(2500));
    assert_eq!(
        movetext("[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *"),
        "1. O-O *"
    );
    assert_eq!(read(text).0, "1. O-O 1-0");
}

#[test]
fn a_promotion_without_a_piece_makes_a_queen() {
    let fen = "[FEN \"8/P5k1/8/8/8/8/6K1/8 w - - 0 1\"]\n\n";
    let what = "the promotion names no piece: a queen is taken";
    assert_eq!(
        read(&format!("{fen}1. a8 Kf6 2. Qf8+ *")),
        (
            format!("1. a8=Q {{chessdb: byte 43 of x.pgn: {what}}} 1... Kf6 2. Qf8+ *"),
            vec![what.to_owned()]
        )
    );
    // With another piece, the game could continue.
    let (shown, problems) = read(&format!("{fen}1. a8 Kf6 2. Nb6 *"));
    assert!(shown.contains("the line goes on: 1. a8 Kf6 2. Nb6"), "{shown}");
    assert_eq!(problems.len(), 1);
}

#[test]
fn a_comment_of_control_characters_is_none() {
    assert_eq!(
        movetext("1. e4 {\u{4}} e5 {\u{85} \t} 2. Nf3 *"),
        "1. e4 e5 2. Nf3 *"
    );
}
