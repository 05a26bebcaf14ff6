//! Rules of the page on small files.

#![allow(clippy::cast_possible_truncation, clippy::disallowed_methods)]

use std::sync::Arc;

use super::*;
use crate::formats::ProblemKind;
use crate::pgn::to_text;

/// A game in small files, of which each part can be changed.
struct Made {
    record: Vec<u8>,
    tag: u16,
    words: Vec<u16>,
    /// The content of the frame of annotations.
    annotations: Vec<u8>,
    lid: Vec<u8>,
}

/// 1. d4 Nf6 (1... d5 2. c4 e6) (1... f5 2. g3) 2. c4 e6 (2... g6 3. Nc3) 3. Nc3
const GAME: [u16; 20] = [
    0xfffc, 0xace1, 0x8929, 0xfffd, 0xac83, 0xb02e, 0xfffd, 0x2ca1, 0xffff, 0xb0ea, 0x2ca1, 0xffff, 0xafcf,
    0xfffd, 0xac83, 0xb02e, 0xffff, 0xb08b, 0xadfc, 0xffff,
];

impl Made {
    fn of(words: &[u16]) -> Made {
        let mut record = vec![0; RECORD];
        record[0] = 1;
        record[2] = 1;
        record[0x08] = 12;
        record[0x10] = 12;
        for at in [0x40, 0x48, 0x50] {
            record[at..at + 8].fill(0xff);
        }
        record[0x58] = 3;
        Made {
            record,
            tag: frame::GAME,
            words: words.to_vec(),
            annotations: END.to_vec(),
            lid: lid(),
        }
    }

    fn with(items: &[(i32, &[u8])]) -> Made {
        let mut made = Made::of(&GAME);
        made.annotations = block(items);
        made
    }

    fn open(&self) -> ChessBase2Cbh {
        let mut cbh = vec![0; RECORD];
        cbh[0x0a] = 192;
        cbh[0x10] = 2;
        cbh.extend(&self.record);
        let content: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let head = [0; 12];
        let cbg = [&head[..], &frame_of(&content, self.tag)].concat();
        let cba = [&head[..], &frame_of(&self.annotations, frame::ANNOTATIONS)].concat();
        open(&[
            ("2cbh", cbh),
            ("2cbg", cbg),
            ("2cba", cba),
            ("2lid", self.lid.clone()),
        ])
        .unwrap()
    }

    /// The game without its tags, on one line, and its problems but for doubts.
    fn read(&self) -> (String, Vec<Problem>) {
        let decoded = self.open().game(0);
        let text = String::from_utf8(to_text(&decoded.game)).unwrap();
        let (_, movetext) = text.split_once("\n\n").unwrap();
        let mut problems = decoded.problems;
        problems.retain(|problem| problem.kind != ProblemKind::Doubt);
        (
            movetext.split_whitespace().collect::<Vec<_>>().join(" "),
            problems,
        )
    }

    fn movetext(&self) -> String {
        self.read().0
    }
}

/// The end of annotations.
const END: [u8; 4] = [0xff, 0xff, 0xff, 0x7f];

fn open(files: &[(&str, Vec<u8>)]) -> Result<ChessBase2Cbh, NotADatabase> {
    let files = files.iter().map(|(kind, bytes)| {
        let file = SourceFile {
            name: format!("a.{kind}"),
            bytes: Arc::new(bytes.clone()),
        };
        ((*kind).to_owned(), file)
    });
    let files = Files {
        files: files.collect(),
        ..Files::default()
    };
    ChessBase2Cbh::open(files, &Options::default())
}

fn frame_of(content: &[u8], tag: u16) -> Vec<u8> {
    let mut bytes = vec![0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(frame::checksum(content).to_be_bytes());
    bytes.extend(tag.to_le_bytes());
    bytes.extend(content);
    bytes.extend((content.len() as u64 + 34).to_le_bytes());
    bytes
}

/// Annotations, each with its position and its kind and data.
fn block(items: &[(i32, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (position, item) in items {
        bytes.extend(position.to_le_bytes());
        bytes.extend(1i32.to_le_bytes());
        bytes.extend(*item);
    }
    bytes.extend(END);
    bytes
}

fn string(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text].concat()
}

/// A `.2lid` with one entity of each type; each block has 6 containers of 64 bytes.
fn lid() -> Vec<u8> {
    const LEN: usize = 64;
    let mut bytes = Vec::new();
    bytes.extend(140u32.to_be_bytes());
    bytes.extend(6u32.to_be_bytes());
    for _ in 0..6 {
        bytes.extend((LEN as u32).to_be_bytes());
        bytes.extend(1u64.to_be_bytes());
        bytes.extend((-1i64).to_be_bytes());
    }
    bytes.resize(140, 0);
    let title = [
        1u32.to_le_bytes().to_vec(),
        42u32.to_le_bytes().to_vec(),
        string(b"A title"),
    ]
    .concat();
    for fields in [
        [string(b"Tal"), string(b"M")].concat(),
        [string(b"Bled"), string(b"Candidates"), vec![0; 12]].concat(),
        [string(b"Book"), string(b"")].concat(),
        Vec::new(),
        [string(b"Riga"), vec![2, 0, 0, 0, 53]].concat(),
        title,
    ] {
        let start = bytes.len();
        bytes.extend((fields.len() as u32).to_le_bytes());
        bytes.extend(fields);
        bytes.resize(start + LEN, 0);
    }
    bytes
}

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
            &string("Te{x}t\r\n \u{e026}d1 \u{e005}".as_bytes()),
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
        (text(2), "1. d4 {Te(x)t Rd1 [#]} 1... Nf6"),
        (text(0x82), "{Te(x)t Rd1 [#]} 1. d4 Nf6"),
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
        (vec![0x21, 0, 3, 0, 3, 0, 20, 0], "1. d4 Nf6"),
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
        // The next item is read as well.
        assert!(text.contains("Nf6 $2"), "{text}");
        assert_eq!(problems, [], "{text}");
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
        assert!(text.starts_with("{pgnfs: a"), "{text}");
        assert!(text.contains("1. d4 $1 Nf6 (") && !text.contains("$2"), "{text}");
        assert_eq!(
            (problems.len(), &*problems[0].file),
            (1, "a.2cba"),
            "{problems:?}"
        );
        // The place is that of the item.
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
        assert!(text.starts_with(&format!("{{pgnfs: {what} at .2cba")), "{text}");
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
    // En passant where a pawn could take.
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
            text.starts_with("{pgnfs: the start position cannot be read"),
            "{words:x?}: {text}"
        );
        assert!(text.contains("1. d4"), "{text}");
        assert_eq!(problems.len(), 1);
    }
    let words = [0xfffb, 1, 0, 0, 0xc02d + 32, 0x1234, 0xc16d + 39, 0xfffc, 0xffff];
    let (text, problems) = Made::of(&words).read();
    assert!(
        text.starts_with("{pgnfs: a word of the start position is no piece at .2cbg offset 0x30}"),
        "{text}"
    );
    assert_eq!(problems.len(), 1);
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
    // The same start in a usual game is damage.
    let words = [&start[..], &[0xfffc, 0xb02d, 0xffff]].concat();
    let (text, problems) = Made::of(&words).read();
    assert!(text.contains("the stored line goes on e7-e5"), "{text}");
    assert_eq!((problems.len(), problems[0].kind), (1, ProblemKind::Damage));
}

#[test]
fn moves_that_cannot_be_played_end_their_line() {
    let text = [&[2, 0, 0, 0, 0, 0][..], &string(b"said")].concat();
    // 1. d4, and a king that is not on a1, with an alternative to it; then 1. c4 beside the main line.
    let words = [
        0xfffc, 0xace1, 0xfffd, 0x55f9, 0xfffd, 0x8929, 0xffff, 0xb02e, 0xffff, 0xac83, 0xffff,
    ];
    let mut made = Made::of(&words);
    made.annotations = block(&[(2, &text)]);
    let (text, problems) = made.read();
    assert_eq!(
        text,
        "1. d4 {pgnfs: a1-a2 is no move of a piece that is there, or takes another; the stored line goes on a1-a2 \
         (e7-e6) g8-f6 at .2cbg offset 0x2c said} (1. c4) *"
    );
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn lines_that_are_damaged_leave_the_others() {
    for (words, shown) in [
        // Beside a first move that cannot be played.
        (
            &[
                0xfffc, 0xace1, 0x8929, 0xfffd, 0xffff, 0x55f9, 0xfffd, 0xffff, 0xb02e, 0xffff,
            ][..],
            "1. d4 Nf6 {pgnfs: a1-a2 is no move of a piece that is there, or takes another; the stored line goes on \
             a1-a2 at .2cbg offset 0x30} (1... e6) *",
        ),
        (
            &[0xfffc, 0xace1],
            "1. d4 {pgnfs: the game has no end at .2cbg offset 0x2a} *",
        ),
        (
            &[0xfffc, 0xfffd, 0xace1, 0xffff],
            "{pgnfs: an alternative to no move is announced: the rest is not read at .2cbg offset 0x28} *",
        ),
        (
            &[0xace1, 0xffff],
            "{pgnfs: the beginning of the moves is not marked at .2cbg offset 0x26} *",
        ),
        (
            &[],
            "{pgnfs: the beginning of the moves is not marked at .2cbg offset 0x26} *",
        ),
        (
            &[0xfffc, 0xace1, 0xfffe, 0x8929, 0xffff],
            "1. d4 {pgnfs: no move has the word fffe; the stored line goes on fffe g8-f6 at .2cbg offset 0x2a} *",
        ),
        (
            &[0xfffc, 0xace1, 0xb12c, 0xffff],
            "1. d4 {pgnfs: illegal move: castling is not possible; the stored line goes on O-O at .2cbg offset 0x2a} *",
        ),
    ] {
        let (text, problems) = Made::of(words).read();
        assert_eq!((text.as_str(), problems.len()), (shown, 1), "{problems:?}");
    }
    // What follows the end means nothing.
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

#[test]
fn an_analysis_has_the_tags_that_it_has() {
    let mut made = Made::of(&GAME);
    made.record[2] = 2;
    made.record[0x18..0x58].fill(0);
    made.record[0x58..].fill(9);
    let database = made.open();
    let tags = database.tags(0);
    assert_eq!(
        (tags.get("White"), tags.get("Event"), tags.get("Result")),
        (Some("?"), Some("?"), Some("*"))
    );
    assert_eq!(
        (tags.get("Title"), tags.get("SourceTitle")),
        (Some("A title"), Some("Book"))
    );
    assert_eq!(
        (tags.get("Annotator"), tags.get("PlyCount")),
        (Some("Tal, M."), Some("5"))
    );
    assert_eq!(
        (tags.get("Date"), tags.get("WhiteElo")),
        (Some("????.??.??"), None)
    );
    assert_eq!(database.game(0).problems, []);
}

#[test]
fn boards_and_rounds_are_their_own_tags() {
    for (round, subround, board, shown) in [
        (3, 0, 0, (Some("3"), None)),
        (3, 1, 2, (Some("3.1"), Some("2"))),
        (0, 4, 0, (Some("?"), Some("4"))),
        (0, 4, 5, (Some("?"), Some("5"))),
        (0, 0, 0, (Some("?"), None)),
    ] {
        let mut made = Made::of(&GAME);
        for (at, value) in [(0x5a, round), (0x5c, subround), (0x5e, board)] {
            made.record[at] = value;
        }
        let tags = made.open().tags(0);
        assert_eq!((tags.get("Round"), tags.get("Board")), shown);
    }
}

#[test]
fn names_that_are_not_there_are_problems() {
    let what = |change: &dyn Fn(&mut Made)| {
        let mut made = Made::of(&GAME);
        change(&mut made);
        let (_, problems) = made.read();
        problems
            .into_iter()
            .map(|problem| problem.what)
            .collect::<Vec<_>>()
    };
    let number = |at: usize, number: i64| {
        move |made: &mut Made| made.record[at..at + 8].copy_from_slice(&number.to_le_bytes())
    };
    for (at, of) in [
        (0x18, "White"),
        (0x28, "the tournament"),
        (0x38, "the source"),
        (0x40, "White's team"),
    ] {
        for other in [1, -2, i64::MAX, i64::MIN] {
            let expected = format!("{of} is number {other} of a.2lid, which has no such record");
            assert_eq!(what(&number(at, other)), [expected]);
        }
    }
    assert_eq!(what(&number(0x18, -1)).len(), 1);
    assert_eq!(what(&number(0x40, 0)), [""; 0]);
    // Deleted, and a text that is longer than its container.
    let deleted = |made: &mut Made| {
        made.lid[140..144].copy_from_slice(&16u32.to_le_bytes());
        made.lid[144..152].copy_from_slice(&[0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99]);
    };
    assert_eq!(what(&deleted).len(), 3);
    let cut = |made: &mut Made| made.lid[144] = 200;
    assert!(
        what(&cut)[0].ends_with("of a.2lid, whose texts are cut"),
        "{:?}",
        what(&cut)
    );
}

#[test]
fn a_header_that_cannot_be_leaves_no_names() {
    for (at, bytes) in [
        (0, [0, 1, 0, 0]),
        (0, [0, 0, 0, 100]),
        (4, [0, 0, 0, 0]),
        (4, [0, 0, 0, 33]),
        (8, [0, 0x20, 0, 0]),
        (8, [0xff, 0, 0, 0]),
    ] {
        let mut made = Made::of(&GAME);
        made.lid[at..at + 4].copy_from_slice(&bytes);
        let database = made.open();
        assert_eq!(database.tags(0).get("White"), Some("?"), "{at} {bytes:?}");
        assert_eq!(database.problems().len(), 1);
        assert_eq!(Made::of(&GAME).movetext(), made.movetext());
    }
}

#[test]
fn titles_show_the_first_text_that_is_not_empty() {
    let mut made = Made::of(&GAME);
    let fields = [
        &2u32.to_le_bytes()[..],
        &42u32.to_le_bytes(),
        &string(b""),
        &53u32.to_le_bytes(),
        &string(b"Titel"),
    ];
    let fields = fields.concat();
    let start = 140 + 5 * 64;
    made.lid[start..start + 4].copy_from_slice(&(fields.len() as u32).to_le_bytes());
    made.lid[start + 4..start + 4 + fields.len()].copy_from_slice(&fields);
    made.record[0x50..0x58].fill(0);
    assert_eq!(made.open().tags(0).get("Title"), Some("Titel"));
}

#[test]
fn the_title_is_that_of_its_section() {
    let title = |ini: &[u8]| title_of(ini, Characters::choose(None, &mut Vec::new()));
    let ini = b"[Other]\r\nTitle=no\r\n[Descr2CBG]\r\nKind=1\r\ntitle= Mega =2\r\n[More]\r\nTitle=no";
    assert_eq!(title(ini).as_deref(), Some("Mega =2"));
    assert_eq!(title(b"[Descr2CBG]\nTitle=\n"), None);
    assert_eq!(title(b"Title=no\n"), None);
}

#[test]
fn the_header_is_known_by_the_size_of_a_record() {
    let header = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut cbh = vec![0; RECORD];
        (cbh[0x0a], cbh[0x10]) = (192, 1);
        change(&mut cbh);
        open(&[("2cbh", cbh)])
    };
    assert!(header(&|_| {}).is_ok_and(|database| database.len() == 0 && database.problems().is_empty()));
    assert!(header(&|cbh| cbh[0x0a] = 46).is_err());
    assert!(header(&|cbh| cbh.truncate(191)).is_err());
    let problems = |change: &dyn Fn(&mut Vec<u8>)| header(change).map(|database| database.problems().len());
    assert_eq!(problems(&|cbh| cbh[0x10] = 4).ok(), Some(1));
    assert_eq!(problems(&|cbh| cbh[0x10] = 0).ok(), Some(1));
    assert_eq!(problems(&|cbh| cbh.resize(300, 1)).ok(), Some(1));
    assert_eq!(problems(&|cbh| cbh.resize(500, 1)).ok(), Some(2));
    let missing = header(&|_| {}).map(|database| database.info().warnings.len());
    assert_eq!(missing.ok(), Some(3));
}
