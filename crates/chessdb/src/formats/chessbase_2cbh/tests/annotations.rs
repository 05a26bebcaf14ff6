//! Annotations: their positions, their forms, and damage that ends reading (section 6).

use super::*;

#[test]
fn positions_of_annotations_are_those_of_pgn() {
    let places: Vec<Vec<u8>> = (0..12u8)
        .map(|number| [&[2, 0, 0, 0, 0, 0][..], &string(&[b'a' + number])].concat())
        .collect();
    let items: Vec<(i32, &[u8])> = (0..).zip(places.iter().map(Vec::as_slice)).collect();
    assert_eq!(
        Made::with(&items).movetext(),
        "1. d4 {a} 1... Nf6 {b} (1... d5 {c} 2. c4 {d} 2... e6 {e}) (1... f5 {f} 2. g3 {g}) 2. c4 {h} 2... e6 {i} \
         (2... g6 {j} 3. Nc3 {k}) 3. Nc3 {l} *"
    );
}

#[test]
fn each_kind_has_its_form() {
    let text = |kind| {
        [
            &[kind, 0, 0, 0, 0x35, 0][..],
            &string("Te{x}t\r\n \u{e026}d1 \u{e005} \u{e00d}Rd7 \u{e00e}".as_bytes()),
        ]
        .concat()
    };
    let old = [
        &[2, 0, 0, 0, 0, 0][..],
        &string(b"M\xfcller \xa5xe4, \xa2 must go"),
    ]
    .concat();
    let squares = [&[4, 0][..], &string(&[2, 1, 9, 2, 4, 64])].concat();
    let arrows = [&[5, 0][..], &string(&[3, 34, 36])].concat();
    let link = [&[0x1c, 0, 1][..], &string(b"a.com"), &string(b"words")].concat();
    let values = [&[3, 0][..], &[19, 0, 9, 0], &[0, 0, 0, 0xff], &[0xfe, 0xff, 0, 1]].concat();
    let profile = [&[0x26, 0, 1][..], &string(&values)].concat();
    let empty = [&[0x26, 0, 1][..], &string(&[0, 0])].concat();
    let path = [&[0x15, 0][..], &string(&[1, 2, 3])].concat();
    for (item, shown) in [
        (text(2), "1. d4 {Te(x)t Rd1 [#] ∆Rd7 \u{e00e}} 1... Nf6"),
        (text(0x82), "{Te(x)t Rd1 [#] ∆Rd7 \u{e00e}} 1. d4 Nf6"),
        (old, "1. d4 {Müller Bxe4, ¢ must go} 1... Nf6"),
        (vec![3, 0, 1, 16, 0], "1. d4 $1 $16 Nf6"),
        (squares, "1. d4 {[%csl Ga1,Rh8]} 1... Nf6"),
        (arrows, "1. d4 {[%cal Ye2e4]} 1... Nf6"),
        (vec![7, 0, 9, 20, 1, 2], "1. d4 {[%emt 2:01:20]} 1... Nf6"),
        (link, "1. d4 {a.com words} 1... Nf6"),
        (
            vec![0x21, 0, 0xce, 0xff, 0, 0, 20, 0],
            "1. d4 {[%eval -50,20]} 1... Nf6",
        ),
        (vec![0x21, 0, 3, 0, 1, 0, 20, 0], "1. d4 {[%eval #3]} 1... Nf6"),
        (vec![0x22, 0, 32, 0, 0, 0], "1. d4 {[%mdl 32]} 1... Nf6"),
        (profile, "1. d4 {[%evp 0,2,19,-,#-2]} 1... Nf6"),
        (empty, "1. d4 Nf6"),
        (path, "1. d4 Nf6"),
        (vec![0x14, 0, 1], "1. d4 Nf6"),
        (vec![0x18, 0, 1], "1. d4 Nf6"),
        (vec![0x23, 0, 1, 2, 3, 4], "1. d4 Nf6"),
        (vec![0x25, 0, 1, 2, 3, 4], "1. d4 Nf6"),
    ] {
        let made = Made::with(&[(0, &item), (1, &[3, 0, 2, 0, 0])]);
        let (text, problems) = made.read();
        assert!(text.starts_with(shown), "{text}, not {shown}");
        // The next item is read, too.
        assert!(text.contains("Nf6 $2"), "{text}");
        assert_eq!(problems, [], "{text}");
    }
}

#[test]
fn an_evaluation_of_an_unknown_kind_is_a_problem() {
    for kind in [2, 3] {
        let item = [0x21, 0, 3, 0, kind, 0, 20, 0];
        for times in [1, 2] {
            let mut items = vec![(0, &item[..]); times];
            items.push((1, &[3, 0, 2, 0, 0]));
            let (text, problems) = Made::with(&items).read();
            assert!(text.starts_with("1. d4 Nf6 $2"), "{text}");
            let said = "an evaluation (annotation 21) is not shown";
            let said = match times {
                1 => said.to_owned(),
                _ => format!("{said}, 2 times"),
            };
            let problems: Vec<&str> = problems.iter().map(|problem| &*problem.what).collect();
            assert_eq!(problems, [said], "{text}");
        }
    }
}

#[test]
fn kinds_that_are_not_shown_are_rows_and_reading_goes_on() {
    let list = [1, 0, 9, 0, 1, 0, 0, 0, b'x'];
    let none = [0, 0];
    let head = |variant| {
        [
            &[9, 0, 0, 0, variant, 0, 0, 0][..],
            &[1; 6],
            &list,
            &none,
            &none,
            &none,
        ]
        .concat()
    };
    let first = [&head(1)[..], &[1, 1, 2, 3, 4], &list].concat();
    let second = [&head(2)[..], &[2, 7], &list, &none, &[8], &none, &list].concat();
    let video = [&[0x20, 0, 1, 2, 3, 4][..], &string(b"clip")].concat();
    for (item, what) in [
        (first, "a training question (annotation 09) is not shown"),
        (second, "a training question (annotation 09) is not shown"),
        (
            vec![8, 0, 1, 2, 3, 4],
            "an annotation of the unknown kind 08 is not shown",
        ),
        (
            vec![0x27, 0, 1, 2],
            "an annotation of the unknown kind 27 is not shown",
        ),
        (video, "a video (annotation 20) is not shown"),
    ] {
        let (text, problems) = Made::with(&[(0, &item), (1, &[3, 0, 2, 0, 0])]).read();
        assert!(text.starts_with("1. d4 Nf6 $2"), "{text}");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(
            (problems[0].kind, &*problems[0].what),
            (ProblemKind::Unsupported, what)
        );
    }
}

#[test]
fn reading_of_annotations_ends_where_a_kind_is_not_known() {
    let cut = [&[2, 0, 0, 0, 0, 0][..], &[0xff, 0, 0, 0]].concat();
    for item in [
        vec![0x61, 0],
        vec![0x28, 0, 1, 2],
        vec![0, 1],
        vec![9, 0, 0, 0, 3, 0, 0, 0],
        vec![0x13, 0, 2],
        vec![0x26, 0, 2],
        // Squares of two bytes, and arrows of three.
        [&[4, 0][..], &string(&[2, 1, 2])].concat(),
        [&[5, 0][..], &string(&[2, 1, 9, 2])].concat(),
        cut,
    ] {
        let made = Made::with(&[(0, &[3, 0, 1, 0, 0]), (1, &item), (2, &[3, 0, 2, 0, 0])]);
        let (text, problems) = made.read();
        assert!(text.starts_with("{chessdb: a"), "{text}");
        assert!(text.contains("1. d4 $1 Nf6 (") && !text.contains("$2"), "{text}");
        assert_eq!(
            (problems.len(), &*problems[0].file),
            (1, "a.2cba"),
            "{problems:?}"
        );
        // The place of the problem is the place of the item.
        assert_eq!(problems[0].offset, Some(12 + 26 + 8 + 5 + 8));
    }
    for (bytes, what) in [
        (
            vec![0xfe, 0xff, 0xff, 0xff, 0, 0, 0, 0],
            "annotations cannot be of move -2",
        ),
        (
            vec![0, 0, 0, 0, 9, 0, 0, 0, 3, 0],
            "the number of annotations of a move is impossible",
        ),
        (
            vec![0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
            "the number of annotations of a move is impossible",
        ),
        (vec![0, 0], "the annotations have no end"),
    ] {
        let mut made = Made::of(&GAME);
        made.annotations = bytes;
        let (text, problems) = made.read();
        assert!(text.starts_with(&format!("{{chessdb: {what} at .2cba")), "{text}");
        assert_eq!(problems.len(), 1);
    }
}

#[test]
fn clocks_and_time_controls_are_tags() {
    let mut control = vec![0x24, 0, 1];
    for (time, increment, moves) in [(540_000u32, 0u32, 40u16), (180_000, 3000, 1000), (0, 3000, 1000)] {
        control.extend(time.to_le_bytes());
        control.extend(increment.to_le_bytes());
        control.extend(moves.to_le_bytes());
        control.push(1);
    }
    control.extend([0; 4]);
    let clock = [&[0x16, 0][..], &215_799u32.to_le_bytes()].concat();
    let tags = Made::with(&[(-1, &control), (-1, &clock)]).open().tags(0);
    assert_eq!(tags.get("TimeControl"), Some("40/5400:1800+30"));
    assert_eq!(
        (tags.get("WhiteClock"), tags.get("BlackClock")),
        (Some("0:35:57"), None)
    );
    // A negative time gives no tag.
    let negative = [&[0x17, 0][..], &(-1i32).to_le_bytes()].concat();
    let database = Made::with(&[(-1, &clock), (-1, &negative)]).open();
    assert_eq!(database.tags(0).get("BlackClock"), None);
    let problems = database.game(0).problems;
    let what: Vec<&str> = problems.iter().map(|problem| &*problem.what).collect();
    assert_eq!(what, ["Black's clock (annotation 17) cannot be read"]);
    // If there are two of a kind, the first one counts.
    let mut other = control.clone();
    other[3..7].copy_from_slice(&60_000u32.to_le_bytes());
    let later = [&[0x16, 0][..], &9_900u32.to_le_bytes()].concat();
    for (first, second, shown) in [
        (&control, &other, "40/5400:1800+30"),
        (&other, &control, "40/600:1800+30"),
    ] {
        let items: [(i32, &[u8]); 4] = [(-1, first), (-1, &clock), (-1, second), (-1, &later)];
        let tags = Made::with(&items).open().tags(0);
        assert_eq!(tags.get("TimeControl"), Some(shown));
        assert_eq!(tags.get("WhiteClock"), Some("0:35:57"));
    }
    // Blocks out of order.
    let tags = Made::with(&[(0, &[3, 0, 1, 0, 0]), (-1, &clock)]).open().tags(0);
    assert_eq!(tags.get("WhiteClock"), Some("0:35:57"));
}

#[test]
fn an_unknown_kind_is_reported_beside_a_wrong_checksum() {
    let made = Made::with(&[(0, &[0x61, 0])]);
    let cba = [&[0; 12][..], &frame_of(&made.annotations, frame::ANNOTATIONS)].concat();
    let mut wrong = cba.clone();
    wrong[12 + 0x10] ^= 1;
    for (cba, count) in [(cba, 1), (wrong, 2)] {
        let header = [vec![0; 0x0a], vec![192, 0, 0, 0, 0, 0, 2], vec![0; 192 - 0x11]].concat();
        let database = open(&[("2cbh", [header, made.record.clone()].concat()), ("2cba", cba)]).unwrap();
        let problems = database.game(0).problems;
        let of_annotations = problems.iter().filter(|problem| &*problem.file == "a.2cba");
        assert_eq!(of_annotations.count(), count, "{problems:?}");
    }
}

#[test]
fn medals_of_the_record_are_shown_unless_an_item_repeats_them() {
    let mut made = Made::with(&[(-1, &[0x22, 0, 32, 0, 0, 0])]);
    made.record[0x82] = 64;
    assert!(made.movetext().starts_with("{[%mdl 32]} 1. d4"));
    made.annotations = END.to_vec();
    assert!(made.movetext().starts_with("{[%mdl 64]} 1. d4"));
}

#[test]
fn quoted_games_are_text() {
    let names: [&[u8]; 6] = [
        b"Tal\0",
        b"Mihail\0",
        b"Smyslov\0",
        b"\0",
        b"Bled\0",
        b"Candidates\0",
    ];
    let mut head = [0; 79];
    head[..4].copy_from_slice(&(1959u32 << 9).to_le_bytes());
    head[28..30].copy_from_slice(&2700u16.to_le_bytes());
    head[34] = 2;
    head[43] = 3;
    let mut item = vec![0x13, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0];
    for name in names {
        item.push(name.len() as u8);
        item.extend(name);
    }
    item.extend(head);
    for _ in 0..2 {
        item.extend([0; 5]);
        item.extend(string(b"FIDE"));
    }
    item.extend([0; 26]);
    let moves = [&[0, 0][..], &1i32.to_le_bytes(), &[0; 5], &[0; 4]].concat();
    for start in [vec![1], [&[0][..], &[0; 75]].concat()] {
        let item = [&item[..], &start, &moves].concat();
        let (text, problems) = Made::with(&[(0, &item), (1, &[3, 0, 2, 0, 0])]).read();
        assert!(
            text.starts_with("1. d4 {1-0 Tal,Mihail (2700)-Smyslov Candidates Bled 1959 (3)} 1... Nf6 $2"),
            "{text}"
        );
        assert_eq!(problems, []);
    }
}

#[test]
fn a_text_before_a_move_that_cannot_be_played_is_shown_once() {
    let text = [&[0x82, 0, 0, 0, 0, 0][..], &string(b"said")].concat();
    let mut made = Made::of(&[0xfffc, 0xace1, 0xb12c, 0xffff]);
    made.annotations = block(&[(1, &text)]);
    assert_eq!(
        made.movetext(),
        "1. d4 {chessdb: illegal move: castling is not possible; the stored line goes on O-O at .2cbg offset 0x2a said} *"
    );
    // If the next move can be played, the comment comes before that move.
    made.words[2] = 0x8929;
    assert_eq!(made.movetext(), "1. d4 {said} 1... Nf6 *");
}

#[test]
fn what_is_never_shown_is_not_missed_where_its_move_is_not_there() {
    let (text, problems) = Made::with(&[(70, &[0x14, 0, 1]), (71, &[0x18, 0, 1])]).read();
    assert!(!text.contains('{'), "{text}");
    assert_eq!(problems, []);
}

#[test]
fn a_million_annotations_are_shown_and_the_rest_is_counted_out() {
    let mut made = Made::of(&GAME);
    let count = 1_000_002i32;
    made.annotations = [&0i32.to_le_bytes()[..], &count.to_le_bytes()].concat();
    // Symbols without a glyph.
    (0..count).for_each(|_| made.annotations.extend([3, 0, 0, 0, 0]));
    made.annotations.extend(END);
    let (_, problems) = made.read();
    let [problem] = &problems[..] else {
        panic!("{problems:?}");
    };
    assert_eq!(problem.kind, ProblemKind::Limit);
    assert_eq!(problem.offset, Some(12 + 26 + 8 + 5 * 1_000_000));
}
