//! Scid databases created by these tests, for cases that no sample has.

use std::path::Path;

use super::*;
use tempfile::TempDir;

/// A stored game.
#[derive(Clone, Default)]
struct Stored {
    tags: Vec<u8>,
    fen: Option<&'static str>,
    moves: Vec<u8>,
    /// Bytes after the end of the moves.
    after: Vec<u8>,
    /// Date of the event in the index.
    event_date: u32,
    /// Ratings of White and Black in the index, with their kinds in the upper four bits.
    ratings: [u16; 2],
}

impl Stored {
    fn of(moves: &[u8]) -> Stored {
        Stored {
            moves: moves.to_vec(),
            ..Stored::default()
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.tags.clone();
        bytes.push(0);
        bytes.push(u8::from(self.fen.is_some()));
        if let Some(fen) = self.fen {
            bytes.extend_from_slice(fen.as_bytes());
            bytes.push(0);
        }
        bytes.extend_from_slice(&self.moves);
        bytes.push(FINISH);
        bytes.extend_from_slice(&self.after);
        bytes
    }
}

// Moves at the start of a game; the e-pawn has the number 12.
const E4: u8 = 0xcf;
const E5: u8 = 0xcf;
const D5: u8 = 0xbf;
const NF3: u8 = 0x67;
const GLYPH: u8 = 0x0b;
const COMMENT: u8 = 0x0c;
const START: u8 = 0x0d;
const END: u8 = 0x0e;
const FINISH: u8 = 0x0f;

/// One name of each kind.
const NAMES: &[u8] = b"\0\0\x01\x01?\0\0\x01\x01E\0\0\x01\x01S\0\0\x01\x011";

fn index(version: u16, games: &[Stored]) -> Vec<u8> {
    let count = u32::try_from(games.len()).unwrap().to_be_bytes();
    let mut index = [b"Scid.si\0", &version.to_be_bytes()[..], &[0; 4], &count[1..]].concat();
    index.resize(if version == 300 { 128 } else { 182 }, 0);
    let mut offset = 0;
    for game in games {
        let len = u32::try_from(game.bytes().len()).unwrap();
        let mut entry = vec![0; 47];
        entry[..4].copy_from_slice(&u32::to_be_bytes(offset));
        entry[4..6].copy_from_slice(&len.to_be_bytes()[2..]);
        entry[6] = u8::try_from(len >> 16 << 7).unwrap();
        let date = game.event_date << 20 | 2000 << 9;
        entry[25..29].copy_from_slice(&date.to_be_bytes());
        for (place, rating) in entry[29..33].chunks_mut(2).zip(game.ratings) {
            place.copy_from_slice(&rating.to_be_bytes());
        }
        if version == 300 {
            entry.remove(6);
        }
        index.extend_from_slice(&entry);
        offset += len;
    }
    index
}

fn names(records: &[u8], counts: [u8; 4]) -> Vec<u8> {
    let mut file = [b"Scid.sn\0", &[0; 28][..]].concat();
    for (place, count) in (14..).step_by(3).zip(counts) {
        file[place] = count;
    }
    [&file, records].concat()
}

/// A database with these games.
fn make(games: &[Stored]) -> (TempDir, Box<dyn Database>) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "4", &index(400, games), games);
    let database = open_base(&folder.path().join("x")).unwrap();
    (folder, database)
}

fn write(folder: &Path, version: &str, index: &[u8], games: &[Stored]) {
    let path = |kind: &str| folder.join(format!("x.{kind}{version}"));
    std::fs::write(path("si"), index).unwrap();
    std::fs::write(path("sn"), names(NAMES, [1; 4])).unwrap();
    let games: Vec<u8> = games.iter().flat_map(Stored::bytes).collect();
    std::fs::write(path("sg"), games).unwrap();
}

/// The movetext of a game on one line, and its problems.
fn read(database: &dyn Database, game: u32) -> (String, Vec<String>) {
    let decoded = database.game(game);
    let text = String::from_utf8(to_pgn(&decoded.game)).unwrap();
    let movetext = text.split_once("\n\n").unwrap().1.trim().replace('\n', " ");
    let problems = decoded.problems.iter();
    (movetext, problems.map(|problem| problem.what.clone()).collect())
}

fn read_one(game: Stored) -> (String, Vec<String>) {
    let (_folder, database) = make(&[game]);
    read(&*database, 0)
}

#[test]
fn an_empty_variation_vanishes_and_its_comment_is_that_of_the_move() {
    let mut game = Stored::of(&[E4, COMMENT, START, END, START, COMMENT, END, E5]);
    game.after = b"move\0variation\0".to_vec();
    assert_eq!(
        read_one(game),
        ("1. e4 {move variation} 1... e5 *".to_owned(), Vec::new())
    );
}

#[test]
fn a_comment_before_a_line_belongs_to_it() {
    let mut game = Stored::of(&[COMMENT, E4, E5, GLYPH, 1, START, COMMENT, D5, END]);
    game.after = b"game\0line\0".to_vec();
    let (text, problems) = read_one(game);
    assert_eq!(text, "{game} 1. e4 e5 $1 ({line} 1... d5) *");
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn an_illegal_move_ends_its_line_and_the_rest_is_in_the_remark() {
    // The knight on g1 would leave the board.
    let illegal = [0x62, E5, NF3];
    let (text, problems) = read_one(Stored::of(&[&[E4, D5][..], &[0x11, E5, NF3]].concat()));
    assert_eq!(
        problems,
        ["illegal move: a piece of the own side stands on the target"]
    );
    let remark = "{pgnfs: illegal move: a piece of the own side stands on the target; the stored line goes on a1b1 e7e5 \
                  g1f3 at .sg4 offset 0x4}";
    assert_eq!(text, format!("1. e4 d5 {remark} *"));

    let mut game = Stored::of(&[&[E4][..], &[START], &illegal, &[COMMENT, END, COMMENT, E5]].concat());
    game.after = b"lost\0kept\0".to_vec();
    let (text, problems) = read_one(game);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(text.contains("kept} 1... e5") && !text.contains("lost"), "{text}");
}

#[test]
fn a_game_that_castles_without_the_right_gets_it() {
    // The king castles on its own side, or steps to f1 first. The rook, number 1, goes to the e-file.
    let (castles, steps, back, rook) = (0x0a, 0x05, 0x04, 0x14);
    let null = 0x00;
    for (fen, moves, shown, text) in [
        (
            "4k3/8/8/8/8/8/8/4K2R w - - 3 9",
            &[castles, null, rook][..],
            "4k3/8/8/8/8/8/8/4K2R w K - 3 9",
            "9. O-O -- 10. Re1+ *",
        ),
        (
            "r3k3/8/8/8/8/8/8/4K2R w q - 0 1",
            &[castles],
            "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1",
            "1. O-O *",
        ),
        // A right that no move needs is not added.
        (
            "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
            &[steps],
            "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
            "1. Kf1 *",
        ),
    ] {
        let mut game = Stored::of(moves);
        game.fen = Some(fen);
        let (_folder, database) = make(&[game]);
        assert_eq!(database.tags(0).get("FEN"), Some(shown));
        let decoded = database.game(0);
        assert_eq!(decoded.game.tags, database.tags(0));
        let (given, problems) = read(&*database, 0);
        assert_eq!(given, text);
        assert_eq!(problems.len(), usize::from(fen != shown), "{problems:?}");
        let mut plies = 0;
        database.main_line(0, &mut |_| {
            plies += 1;
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(plies, moves.len());
    }
    // After a move of the king, no right helps. The rest of the line is as Scid plays it.
    let mut game = Stored::of(&[steps, null, back, null, castles, null, rook]);
    game.fen = Some("4k3/8/8/8/8/8/8/4K2R w - - 0 1");
    let (text, problems) = read_one(game);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(text.contains("the stored line goes on e1g1 -- f1e1"), "{text}");
}

#[test]
fn texts_and_marks_have_the_same_number() {
    let mut more = Stored::of(&[E4, COMMENT]);
    more.after = b"one\0two\0rest".to_vec();
    let (text, problems) = read_one(more);
    assert_eq!(problems, ["there are more texts than comments in the game"]);
    assert!(
        text.starts_with("1. e4 {one pgnfs: ") && !text.contains("two"),
        "{text}"
    );

    let mut fewer = Stored::of(&[E4, COMMENT, E5, COMMENT, NF3, COMMENT]);
    fewer.after = b"one\0unended".to_vec();
    let (text, problems) = read_one(fewer);
    assert_eq!(problems, ["the text of a comment is missing"]);
    assert!(text.contains("2. Nf3 *") && !text.contains("unended"), "{text}");
}

#[test]
fn marks_in_the_wrong_place_are_reported() {
    for (moves, what, text) in [
        (
            &[E4, END, E5][..],
            "a variation ends that never started",
            "1. e4 {",
        ),
        (
            &[E4, START, D5, E5, FINISH, E5],
            "the game ends inside a variation",
            "1. e4 (1. d4",
        ),
        (
            &[START, E4, END, E4],
            "a variation starts before the first move of its line",
            "} 1. e4",
        ),
    ] {
        let mut game = Stored::of(moves);
        game.after = Vec::new();
        let (given, problems) = read_one(game);
        assert_eq!(problems.first().map(String::as_str), Some(what));
        assert!(given.contains(text), "{given}");
    }
}

#[test]
fn a_position_that_no_game_is_played_from_is_shown_with_its_moves() {
    let mut game = Stored::of(&[0x07, 0x02]);
    game.fen = Some("4k3/8/8/8/8/8/8/4K2P w - - 0 1");
    let (folder, database) = make(&[game]);
    let (text, problems) = read(&*database, 0);
    let flaw = "a pawn stands on the first or last rank: 4k3/8/8/8/8/8/8/4K2P w - - 0 1";
    assert_eq!(problems, [flaw]);
    assert!(
        text.contains(&format!("{flaw}; the stored line goes on e1e2 e8e7")),
        "{text}"
    );
    assert_eq!(database.tags(0).get("SetUp"), Some("1"));
    drop(folder);
}

#[test]
fn further_tags_replace_names_and_repeat_nothing() {
    let tag = |name: &str, value: &str| {
        let len = |text: &str| u8::try_from(text.len()).unwrap();
        [&[len(name)], name.as_bytes(), &[len(value)], value.as_bytes()].concat()
    };
    let tags = [
        tag("White", "Other, A"),
        tag("TimeControl", "first"),
        tag("TimeControl", r#"a \"b\" \\ \c"#),
        tag("SetUp", "1"),
        tag("FEN", "8/8/8/8/8/8/8/8 w - - 0 1"),
        tag("Deleted", "1"),
        tag("bad name", "x"),
        b"\xf3\x02Me\xfb\x01?\xff\x0f\xa2\x21".to_vec(),
    ];
    let stored = Stored {
        tags: tags.concat(),
        ..Stored::of(&[E4])
    };
    let dated = Stored {
        // Two years later, in March.
        event_date: 6 << 9 | 3 << 5,
        ..stored.clone()
    };
    let (_folder, database) = make(&[stored, dated]);
    let tags = database.tags(0);
    let further: Vec<_> = tags.iter().skip(7).collect();
    assert_eq!(
        further,
        [
            ("Annotator", "Me"),
            ("EventDate", "2001.01.01"),
            ("TimeControl", r#"a "b" \ \c"#)
        ]
    );
    assert_eq!(
        (tags.get("White"), tags.get("Event")),
        (Some("Other, A"), Some("E"))
    );
    assert_eq!(database.game(0).game.tags, tags);
    assert_eq!(database.tags(1).get("EventDate"), Some("2002.03.??"));
    assert_eq!([0, 1].map(|game| database.keys(game).event_year), [0, 2002]);
}

/// A rating is in the index, as the usual kind or another one, in the further tags, or in both, and differently for each
/// side: reading the ratings alone gives the same values as reading the tags.
#[test]
fn ratings_are_those_of_the_tags_wherever_they_are_stored() {
    // In the index, and in a further tag.
    let places: [(u16, Option<&str>); 7] = [
        (0, None),
        (2500, None),
        (1 << 12 | 2400, None),
        (0, Some("2300")),
        (2500, Some("2300")),
        (1 << 12 | 2400, Some("2300")),
        (0, Some("none")),
    ];
    let tag = |name: &str, value: Option<&str>| {
        let len = |text: &str| u8::try_from(text.len()).unwrap();
        let bytes = |value: &str| [&[len(name)], name.as_bytes(), &[len(value)], value.as_bytes()].concat();
        value.map_or(Vec::new(), bytes)
    };
    let pairs = places
        .into_iter()
        .flat_map(|white| places.map(move |black| [white, black]));
    let games: Vec<Stored> = pairs
        .map(|[white, black]| Stored {
            tags: [tag("WhiteElo", white.1), tag("BlackElo", black.1)].concat(),
            ratings: [white.0, black.0],
            ..Stored::of(&[E4])
        })
        .collect();
    let (_folder, database) = make(&games);
    let mut known = 0;
    for (number, game) in (0..).zip(&games) {
        let tags = database.tags(number);
        assert_eq!(database.game(number).game.tags, tags);
        let of_tags = ["WhiteElo", "BlackElo"].map(|name| tags.get(name).and_then(chessdb::game::rating));
        let alone = database.ratings(number);
        assert_eq!([alone.white, alone.black], of_tags, "{:?}", game.ratings);
        known += of_tags.iter().flatten().count();
    }
    assert_eq!(known, 2 * 7 * 4);
}

#[test]
fn the_version_is_that_of_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let games = [Stored::of(&[E4]), Stored::of(&[E4, E5])];
    write(folder.path(), "4", &index(300, &games), &games);
    let database = open_base(&folder.path().join("x")).unwrap();
    assert_eq!(database.len(), 2);
    assert_eq!(read(&*database, 1), ("1. e4 e5 *".to_owned(), Vec::new()));
    assert_eq!(database.info().rows[0], ("version", "3".to_owned()));
}

#[test]
fn letter_case_of_extensions_does_not_matter() {
    let (folder, _) = make(&[Stored::of(&[E4])]);
    for (from, to) in [("x.si4", "x.SI4"), ("x.sn4", "X.Sn4"), ("x.sg4", "x.sG4")] {
        std::fs::rename(folder.path().join(from), folder.path().join(to)).unwrap();
    }
    let database = open_base(&folder.path().join("x")).unwrap();
    assert_eq!(database.tags(0).get("Event"), Some("E"));
    assert_eq!(read(&*database, 0).0, "1. e4 *");
}

/// Version 5 has no magic bytes.
#[test]
fn a_file_that_only_has_the_extension_is_no_index_of_version_5() {
    let folder = tempfile::tempdir().unwrap();
    let path = |kind: &str| folder.path().join(format!("x.{kind}"));
    std::fs::write(path("sg5"), b"\0\0\x0f").unwrap();
    for (index, games) in [
        (
            "Plain text that is as long as an entry or two, but is not an entry...".repeat(3),
            None,
        ),
        ("short".to_owned(), None),
        (String::new(), Some(0)),
    ] {
        std::fs::write(path("si5"), index).unwrap();
        let database = open_base(&folder.path().join("x"));
        assert_eq!(database.map(|database| database.len()), games);
    }
}

#[test]
fn a_name_that_does_not_exist_is_told_once_for_each_game() {
    let (folder, _) = make(&[Stored::of(&[E4])]);
    let path = folder.path().join("x.si4");
    let mut index = std::fs::read(&path).unwrap();
    index[182 + 11] = 9;
    std::fs::write(&path, index).unwrap();
    let database = open_base(&folder.path().join("x")).unwrap();
    assert_eq!(database.tags(0).get("White"), Some("?"));
    assert_eq!(database.text(database.keys(0).white), "?");
    let (text, problems) = read(&*database, 0);
    assert_eq!(text, "1. e4 *");
    assert_eq!(problems, ["White is number 9 of x.sn4, which has no such name"]);
}

/// Each name adds one byte, so that the last one depends on all the others.
#[test]
fn names_that_depend_on_all_previous_ones_are_found() {
    let records: Vec<u8> = (0..=250)
        .flat_map(|number: u8| match number {
            0 => vec![0, 0, 1, 0],
            _ => vec![0, number, 1, number, number - 1, b'a' + number % 26],
        })
        .chain(*b"\0\0\x01\x01E\0\0\x01\x01S\0\0\x01\x011")
        .collect();
    let (folder, _) = make(&[Stored::of(&[E4])]);
    std::fs::write(folder.path().join("x.sn4"), names(&records, [251, 1, 1, 1])).unwrap();
    let index = folder.path().join("x.si4");
    let mut bytes = std::fs::read(&index).unwrap();
    bytes[182 + 11] = 250;
    std::fs::write(&index, bytes).unwrap();
    let database = open_base(&folder.path().join("x")).unwrap();
    let name: String = (1..=250u8).map(|number| char::from(b'a' + number % 26)).collect();
    let tags = database.tags(0);
    assert_eq!(
        (tags.get("White"), tags.get("Black")),
        (Some(name.as_str()), Some("?"))
    );
    assert_eq!(database.text(database.keys(0).black), "?");
}

#[test]
fn variations_that_are_nested_too_deep_are_passed_over() {
    let depth = 300;
    let moves = [[E4, START].repeat(depth), vec![END; depth], vec![E5]].concat();
    let (text, problems) = read_one(Stored::of(&moves));
    assert_eq!(problems, ["variations are nested deeper than 255 levels"]);
    assert!(text.ends_with("1... e5 *"), "{text}");
}
