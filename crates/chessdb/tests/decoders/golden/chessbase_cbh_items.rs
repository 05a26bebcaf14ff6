//! Annotations of each kind, stored as described on the page of the format.

use super::chessbase_cbh_hostile::{cbh, open, record};
use super::*;

use chessdb::game::Tags;

/// Position, kind and data.
type Item<'a> = (i32, u8, &'a [u8]);

/// The `.cba` of one game.
fn cba(items: &[Item<'_>]) -> Vec<u8> {
    let mut stored = Vec::new();
    for (position, kind, data) in items {
        stored.extend(&position.to_be_bytes()[1..]);
        stored.push(*kind);
        stored.extend((data.len() as u16 + 6).to_be_bytes());
        stored.extend(*data);
    }
    let mut bytes = vec![0; 26];
    bytes.extend([0, 0, 1, 1, 0, 14, 14, 0, 0, items.len() as u8 + 1]);
    bytes.extend((stored.len() as u32 + 14).to_be_bytes());
    bytes.extend(stored);
    bytes
}

/// 1. e4 (1. d4 d5) 1... e5 with annotations.
fn annotated(items: &[Item<'_>]) -> Box<dyn Database> {
    with_cba(cba(items))
}

/// The same game with the bytes of the `.cba`.
fn with_cba(cba: Vec<u8>) -> Box<dyn Database> {
    let word = |from: u16, to: u16| from | to << 6;
    // The stored first move is in the main line.
    let moves = [
        word(33, 35) | 0x8000,
        word(38, 36) | 0x4000,
        word(25, 27),
        word(30, 28) | 0x4000,
    ];
    let mut header = cbh(&[26]);
    // Full moves of the main line.
    header[46 + 45] = 1;
    header[46 + 8] = 26;
    header[46 + 27] = 3;
    let cbg = [vec![0; 26], record(&moves)].concat();
    open(&[("cbh", header), ("cbg", cbg), ("cba", cba)]).unwrap()
}

fn movetext(items: &[Item<'_>]) -> String {
    let game = annotated(items).game(0).game;
    let text = String::from_utf8(to_pgn(&game)).unwrap();
    let (_, movetext) = text.split_once("\n\n").unwrap();
    movetext.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn each_kind_has_its_form() {
    let text = b"\0\x35Text {a}\nb";
    let cases: [(u8, &[u8], &str); 12] = [
        (0x02, text, "1. e4 {Text (a) b} (1. d4 d5) 1... e5 *"),
        (0x82, text, "{Text (a) b} 1. e4 (1. d4 d5) 1... e5 *"),
        (0x03, &[1, 16, 0], "1. e4 $1 $16 (1. d4 d5) 1... e5 *"),
        (
            0x04,
            &[2, 1, 9, 2, 4, 64],
            "1. e4 {[%csl Ga1,Rh8]} (1. d4 d5) 1... e5 *",
        ),
        (0x05, &[3, 34, 36], "1. e4 {[%cal Ye2e4]} (1. d4 d5) 1... e5 *"),
        (0x07, &[1, 2, 3, 4], "1. e4 {[%emt 1:02:03]} (1. d4 d5) 1... e5 *"),
        (
            0x1c,
            b"\x0e\0\x05a.com\x05words",
            "1. e4 {a.com words} (1. d4 d5) 1... e5 *",
        ),
        (
            0x21,
            &[0xce, 0xff, 0, 0, 20, 0],
            "1. e4 {[%eval -50,20]} (1. d4 d5) 1... e5 *",
        ),
        (
            0x21,
            &[3, 0, 1, 0, 20, 0],
            "1. e4 {[%eval #3]} (1. d4 d5) 1... e5 *",
        ),
        (0x22, &[0, 0, 0, 32], "1. e4 {[%mdl 32]} (1. d4 d5) 1... e5 *"),
        (0x14, &[3], "1. e4 (1. d4 d5) 1... e5 *"),
        (0xee, b"anything", "1. e4 (1. d4 d5) 1... e5 *"),
    ];
    for (kind, data, expected) in cases {
        assert_eq!(movetext(&[(0, kind, data)]), expected, "kind {kind:02x}");
    }
}

#[test]
fn moves_are_counted_as_they_are_stored() {
    let items: Vec<(i32, u8, [u8; 3])> = (-1..5).map(|n| (n, 2, [0, 0, b'a' + (n + 1) as u8])).collect();
    let items: Vec<Item<'_>> = items
        .iter()
        .map(|(n, kind, data)| (*n, *kind, &data[..]))
        .collect();
    // An annotation on a fifth move is placed after the last one.
    let expected = "{a} 1. e4 {b} (1. d4 {d} 1... d5 {e}) 1... e5 {c f} *";
    assert_eq!(movetext(&items), expected);
}

#[test]
fn all_languages_are_shown_in_stored_order() {
    let items: [Item<'_>; 4] = [
        (1, 0x02, b"\0\x35zwei"),
        (1, 0x82, b"\0\x2abefore"),
        (1, 0x02, b"\0\x2atwo"),
        (0, 0x02, b"\0\0first\0left over"),
    ];
    let expected = "1. e4 {first before} (1. d4 d5) 1... e5 {zwei two} *";
    assert_eq!(movetext(&items), expected);
}

#[test]
fn clocks_and_time_controls_are_tags_and_profiles_a_comment() {
    let stage = |time: u32, increment: u32, moves: u16| {
        let mut stage = [time.to_be_bytes(), increment.to_be_bytes()].concat();
        stage.extend(moves.to_be_bytes());
        stage.push(0);
        stage
    };
    let control = [
        stage(540_000, 0, 40),
        stage(90_000, 3000, 1000),
        stage(0, 0, 1000),
    ]
    .concat();
    let items: [Item<'_>; 4] = [
        (-1, 0x16, &360_050u32.to_be_bytes()),
        (-1, 0x17, &5999u32.to_be_bytes()),
        (-1, 0x24, &control),
        (-1, 0x26, &[0, 3, 0, 9, 0, 19, 1, 0, 0, 2, 0xff, 0, 0, 0]),
    ];
    let tags = annotated(&items).tags(0);
    assert_eq!(tags.get("WhiteClock"), Some("1:00:00"));
    assert_eq!(tags.get("BlackClock"), Some("0:00:59"));
    assert_eq!(tags.get("TimeControl"), Some("40/5400:900+30"));
    assert_eq!(
        movetext(&items),
        "{[%evp 0,2,19,#2,-]} 1. e4 (1. d4 d5) 1... e5 *"
    );
}

/// The first of two items of a kind counts, whatever is between them.
#[test]
fn the_first_clock_and_the_first_time_control_are_the_tags() {
    let control = |seconds: u32| {
        [
            &(100 * seconds).to_be_bytes()[..],
            &[0; 4],
            &1000u16.to_be_bytes(),
            &[0],
        ]
        .concat()
    };
    let clock = |seconds: u32| (100 * seconds).to_be_bytes();
    let (first, second) = (control(300), control(600));
    let (early, late) = (clock(60), clock(120));
    let kinds: [(u8, &[u8], &[u8]); 3] = [
        (0x24, &first, &second),
        (0x16, &early, &late),
        (0x17, &early, &late),
    ];
    let shown = |tags: &Tags| {
        ["TimeControl", "WhiteClock", "BlackClock"].map(|name| tags.get(name).map(str::to_owned))
    };
    for (number, (kind, first, second)) in kinds.into_iter().enumerate() {
        let one = shown(&annotated(&[(-1, kind, first)]).tags(0));
        let other = shown(&annotated(&[(-1, kind, second)]).tags(0));
        assert!(one[number].is_some() && one != other, "{one:?} {other:?}");
        // An item without content does not count as the first.
        let cut: Item<'_> = (-1, kind, &[]);
        let between: Item<'_> = (-1, 0x02, b"\0\0text");
        for (items, wanted) in [
            (vec![(-1, kind, first), (-1, kind, second)], &one),
            (vec![(-1, kind, second), (-1, kind, first)], &other),
            (vec![(-1, kind, first), between, (-1, kind, second)], &one),
            (vec![(0, kind, second), (-1, kind, first)], &one),
            (vec![cut, (-1, kind, second), (-1, kind, first)], &other),
        ] {
            let database = annotated(&items);
            assert_eq!(shown(&database.tags(0)), *wanted, "{kind:02x}");
            assert_eq!(shown(&database.game(0).game.tags), *wanted, "{kind:02x}");
        }
    }
}

/// Old versions of ChessBase wrote one byte for a piece or a diagram, newer ones a private character.
#[test]
fn pieces_and_diagrams_in_comments_are_text() {
    let of_text = |text: &[u8]| movetext(&[(0, 0x02, &[b"\0\x2a", text].concat())]);
    let new = "18...\u{e026}h6!? \u{e00d}\u{e026}g6 \u{e005} {x}";
    assert_eq!(
        of_text(new.as_bytes()),
        "1. e4 {18...Rh6!? ∆Rg6 [#] (x)} (1. d4 d5) 1... e5 *"
    );
    assert_eq!(
        of_text(b"M\xfcller: \xa61xd2 \x9e {x}"),
        "1. e4 {Müller: R1xd2 [#] (x)} (1. d4 d5) 1... e5 *"
    );
}

/// Only evaluations of six bytes are known. A longer one may begin with anything.
#[test]
fn an_evaluation_of_another_length_is_not_guessed() {
    let problems = |data: &[u8]| {
        let items: [Item<'_>; 1] = [(0, 0x21, data)];
        assert_eq!(movetext(&items), "1. e4 (1. d4 d5) 1... e5 *", "{data:?}");
        annotated(&items).game(0).problems
    };
    for len in [5, 7, 32] {
        let mut data = vec![0; len];
        data[0] = 30;
        let [problem] = &problems(&data)[..] else {
            panic!("{len}")
        };
        assert_eq!(problem.what, "an evaluation (annotation 21) cannot be read");
    }
}

#[test]
fn what_is_not_shown_is_counted_once_a_kind() {
    let database = annotated(&[
        (0, 0x09, &[1, 0]),
        (1, 0x09, &[1, 0]),
        (1, 0xee, &[]),
        (1, 0x18, &[2]),
    ]);
    let problems = database.game(0).problems;
    let what: Vec<&str> = problems.iter().map(|problem| problem.what.as_str()).collect();
    let expected = [
        "a training question (annotation 09) is not shown, 2 times",
        "an annotation of the unknown kind ee is not shown",
    ];
    assert_eq!(what, expected);
}

#[test]
fn annotations_of_moves_that_are_not_there_are_problems() {
    let items: [Item<'_>; 3] = [
        (-300, 0x02, b"\0\0early"),
        (4, 0x02, b"\0\0late"),
        (9, 0x02, b"\0\0later"),
    ];
    let told = |database: &dyn Database| -> Vec<String> {
        let problems = database.game(0).problems;
        problems.iter().map(ToString::to_string).collect()
    };
    // The first item follows two heads of 26 and 14 bytes, and is 13 bytes long.
    assert_eq!(
        told(&*annotated(&items)),
        [
            "x.cba: byte 40 (0x28): an annotation is of move -300, which is not there",
            "x.cba: byte 53 (0x35): 2 annotations are of moves that are not there",
        ]
    );
    assert_eq!(
        movetext(&items),
        "{early} 1. e4 (1. d4 d5) 1... e5 {late later} *"
    );

    let mut miscounted = cba(&[(0, 0x02, b"\0\0text")]);
    miscounted[26 + 9] = 8;
    assert_eq!(
        told(&*with_cba(miscounted)),
        ["x.cba: byte 26 (0x1a): there are 1 annotations, but their record counts 7"]
    );
}

/// A quoted game: flags, names, a date and a place in a tournament.
fn quotation(flags: u16, names: [&[u8]; 4], round: [u8; 3]) -> Vec<u8> {
    let [white, black, event, site] = names;
    let mut data = vec![0, 0, 0, 1];
    data.extend(flags.to_be_bytes());
    if flags & 64 != 0 {
        data.extend([0xff; 28]);
    }
    let text = |text: &[u8], data: &mut Vec<u8>| {
        data.push(text.len() as u8);
        data.extend(text);
    };
    text(white, &mut data);
    text(black, &mut data);
    data.extend([2700u16, 0, 128].map(u16::to_be_bytes).concat());
    text(event, &mut data);
    text(site, &mut data);
    data.extend((1959u32 << 9 | 9 << 5 | 12).to_be_bytes());
    data.extend([3u16, 0, 12, 28].map(u16::to_be_bytes).concat());
    data.extend(round);
    data.extend([0; 4]);
    data
}

#[test]
fn quoted_games_are_a_line_of_text() {
    let names: [&[u8]; 4] = [b"Tal,Mihail\0", b"Smyslov,Vassily\0", b"Candidates\0", b"Bled\0"];
    let whole =
        "1. e4 {1-0 Tal,Mihail (2700)-Smyslov,Vassily Candidates Bled 1959 (3.1)} (1. d4 d5) 1... e5 *";
    for flags in [0, 64] {
        let data = quotation(flags, names, [1, 3, 2]);
        assert_eq!(movetext(&[(0, 0x13, &data)]), whole);
    }
    // Without place and round, and with texts that lack the final zero.
    let data = quotation(0, [b"Tal", b"Smyslov", b"", b""], [0, 0, 1]);
    assert_eq!(
        movetext(&[(0, 0x13, &data)]),
        "1. e4 {1/2-1/2 Tal (2700)-Smyslov 1959} (1. d4 d5) 1... e5 *"
    );
    assert_eq!(movetext(&[(0, 0x13, &data[..12])]), "1. e4 (1. d4 d5) 1... e5 *");
}
