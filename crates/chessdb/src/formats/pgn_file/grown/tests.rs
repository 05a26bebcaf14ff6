use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::make_index::{self, File, Scope};
use super::super::row::Row;
use super::*;
use crate::bytes;
use crate::files::Progress;
use crate::formats::pgn_common::characters;

/// A source that counts the bytes that are read.
#[derive(Debug)]
struct Counted {
    bytes: Vec<u8>,
    read: AtomicU64,
}

impl Counted {
    fn new(bytes: &[u8]) -> Counted {
        Counted {
            bytes: bytes.to_vec(),
            read: AtomicU64::new(0),
        }
    }
}

impl Source for Counted {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, range: Range<u64>) -> Cow<'_, [u8]> {
        self.read.fetch_add(range.end - range.start, Ordering::Relaxed);
        Cow::Borrowed(&self.bytes[bytes::index(range.start)..self.bytes.len().min(bytes::index(range.end))])
    }
}

/// Parts of files, well formed and not.
const PARTS: [&str; 12] = [
    "[Event \"A\"]\n[Site \"?\"]\n[White \"Anderssen, Adolf\"]\n[Black \"Kieseritzky\"]\n[Result \"1-0\"]\n\n",
    "[Event \"B\"]\n[White \"Morphy \\\"P\\\" Paul\"]\n[Black \"Isouard\"]\n[Date \"1858.11.02\"]\n\n",
    "[White \"open\n\0[Event \"C",
    "\"]\n",
    "1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5 9. Nf5 c6 1-0\n\n",
    "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 *\n\n",
    "{ open\n\n",
    "} 1-0\n",
    "; rest {\n",
    "%\n",
    "\u{feff}[Round \"1\"] [White \"M\u{fc}ller\"]\n",
    "text\n",
];

fn numbers(seed: u64) -> impl FnMut() -> usize {
    let mut number = seed;
    move || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (number >> 33) as usize
    }
}

/// A text of about `len` bytes, most of it games.
fn text(len: usize, seed: u64) -> Vec<u8> {
    let mut next = numbers(seed);
    let mut text = String::new();
    while text.len() < len {
        match next() % 20 {
            0 => text.push_str(PARTS[next() % PARTS.len()]),
            n => {
                text.push_str(PARTS[n % 2]);
                text.push_str(PARTS[4 + n % 2]);
            }
        }
    }
    text.into_bytes()
}

fn file(source: &dyn Source) -> File<'_> {
    File {
        source,
        characters: characters::choose(None, &mut Vec::new()),
        line_end: b'\n',
        progress: Arc::default(),
    }
}

/// An index with the smaller width, which is tried first.
fn written(file: &File<'_>, scope: Scope<'_>) -> Index {
    let mut bytes = Vec::new();
    make_index::write(file, scope, 3, &mut bytes).unwrap();
    Index::of_any(Arc::new(bytes)).unwrap()
}

fn scanned(source: &dyn Source) -> Index {
    written(&file(source), Scope::Whole)
}

fn continued(source: &dyn Source, earlier: &Index) -> Option<Index> {
    let grown = Grown::since(earlier, source, b'\n')?;
    Some(written(&file(source), Scope::Appended(&grown)))
}

/// The rows of an index without the numbers of names, and the names.
fn contents(index: &Index) -> Vec<(Row, [Option<String>; 3])> {
    let rows = (0..index.len()).map(|game| index.row(game).unwrap());
    let with_names = rows.map(|row| {
        let names = [row.keys.white, row.keys.black, row.keys.event].map(|id| index.name(id.0));
        (row.with_names(|_| 0), names)
    });
    with_names.collect()
}

#[test]
fn a_file_that_grew_is_scanned_as_a_new_one_is() {
    let mut next = numbers(1);
    for round in 0..3 {
        let text = text(350_000 + next() % 100_000, round);
        let mut index = scanned(&Counted::new(&text[..LOOKAHEAD + 20_000 + next() % 60_000]));
        while index.file_len < text.len() as u64 {
            let len = text
                .len()
                .min(bytes::index(index.file_len) + 1 + [100, 10_000, 70_000][next() % 3]);
            let source = Counted::new(&text[..len]);
            index = continued(&source, &index).unwrap();
            let expected = scanned(&source);
            assert_eq!(
                contents(&index),
                contents(&expected),
                "round {round}, {len} bytes"
            );
            assert_eq!(index.unclosed(), expected.unclosed());
            assert_eq!(index.pieces(), expected.pieces());
        }
    }
}

/// Compares continuing the scan of a file that had `old` bytes with a new scan. False if the scan cannot be continued.
fn compare_grown(text: &[u8], old: usize) -> bool {
    let earlier = scanned(&Counted::new(&text[..old]));
    let source = Counted::new(text);
    let Some(index) = continued(&source, &earlier) else {
        return false;
    };
    let expected = scanned(&source);
    assert_eq!(contents(&index), contents(&expected), "from {old} bytes");
    assert_eq!(index.unclosed(), expected.unclosed(), "from {old} bytes");
    true
}

#[test]
fn every_game_may_be_the_last_that_is_decided() {
    let filler = "1. e4 e5 2. Nf3 Nc6\n".repeat(LOOKAHEAD / 20 + 10);
    for head in [
        "[A \"1\"]\n\n1. e4 { open\n\n[Event \"2\"]\n[Site \"\"]\n\n1. d4 } *\n\n[C \"3\"]\n\n*\n\n[D \"4\"]\n\n",
        "[Event \"1\"]\n[Site \"\"]\n\n*\n\n[Event \"2\"]\n[Site \"\"]\n\n{ open\n\n[Event \"3\"]\n[Site \"\"]\n\n",
    ] {
        let text = head.to_owned() + &filler + "*\n\n[Z \"\"]\n\n*\n";
        for place in 0..=head.len() {
            assert!(compare_grown(text.as_bytes(), LOOKAHEAD + place), "{place}");
        }
    }
}

/// Text at the end of a file that looks like the tag of a game may turn out to be something else when more text
/// follows.
#[test]
fn a_file_may_have_ended_anywhere() {
    let head = "[A \"1\"]\n\n".to_owned() + &"1. e4 e5 2. Nf3 Nc6\n".repeat(LOOKAHEAD / 20 + 10);
    let long = |letter: &str| format!("[B \"{}\"]", letter.repeat(65_000));
    for tail in [
        "*\n\n  [B \"\"] [C \"\"] e5 *\n\n\t[B \"\"]\n\n*\n\n[Event \"2\"]\n[Site \"?\"]\n\n*\n".to_owned(),
        "{ open\n\n[Event \"\"]\n[Site \"\"] text\n\n[Event \"\"]\n[Site \"\"]\n\n} *\n".to_owned(),
        format!(" {} {} e5 *\n", long("b"), long("c")),
    ] {
        let text = format!("{head}{tail}[White \"last\"]\n\n*\n");
        // Among repeated letters, a single end is enough.
        let signs = tail.as_bytes();
        let is_border = |at: usize| at == 0 || signs[at] != signs[at - 1] || !b"bc".contains(&signs[at]);
        let ends = (0..tail.len()).filter(|&at| is_border(at));
        for end in ends {
            compare_grown(text.as_bytes(), head.len() + end);
            compare_grown(text.as_bytes(), head.len() + end + 1);
        }
    }
}

#[test]
fn only_the_end_is_scanned() {
    let text = text(1_500_000, 7);
    let old = text.len() - 10_000;
    let earlier = scanned(&Counted::new(&text[..old]));
    let source = Counted::new(&text);
    let grown = Grown::since(&earlier, &source, b'\n').unwrap();
    let compared = source.read.swap(0, Ordering::Relaxed);
    // Every byte is compared once.
    assert!(compared <= old as u64 + 1, "{compared}");
    let progress = Progress::default();
    let mut found = 0;
    let each = &mut |starts: &[u64], _| {
        found += starts.len();
        Ok(())
    };
    grown
        .find(&source, b'\n', &Shares::new(&source, &progress, None), each)
        .unwrap();
    let read = source.read.load(Ordering::Relaxed);
    assert_eq!(grown.games as usize + found, contents(&scanned(&source)).len());
    assert!(read < 2 * LOOKAHEAD as u64 + 20_000, "{read}");
}

#[test]
fn progress_counts_every_byte_that_is_read() {
    let text = text(3_000_000, 5);
    let old = text.len() - 40_000;
    let earlier = scanned(&Counted::new(&text[..old]));
    let source = Counted::new(&text);
    let grown = Grown::since(&earlier, &source, b'\n').unwrap();
    let len = text.len() as u64;
    let appended = 2 * grown.len(&source) + len % PIECE;
    for (scope, expected) in [
        (Scope::Once, 2 * len),
        (Scope::Whole, 3 * len),
        (Scope::Appended(&grown), appended),
    ] {
        let file = file(&source);
        source.read.store(0, Ordering::Relaxed);
        let index = written(&file, scope);
        let (read, all) = file.progress.bytes();
        assert_eq!((read, all), (expected, expected), "{scope:?}");
        let read = source.read.load(Ordering::Relaxed);
        // Windows overlap, and games without tags are searched for.
        assert!(
            read >= expected && read < expected + 3 * LOOKAHEAD as u64,
            "{scope:?}: {read} of {expected}"
        );
        assert_eq!(index.pieces().hashes.is_empty(), matches!(scope, Scope::Once));
    }
}

#[test]
fn a_file_with_other_bytes_is_scanned_from_its_beginning() {
    let text = text(1_500_000, 3);
    let old = text.len() - 1_000;
    let earlier = scanned(&Counted::new(&text[..old]));
    for place in [0, 1_000, bytes::index(PIECE) - 1, bytes::index(PIECE), old - 1] {
        let mut text = text.clone();
        text[place] ^= 1;
        assert!(
            continued(&Counted::new(&text), &earlier).is_none(),
            "byte {place}"
        );
    }
    for shorter in [&text[..old], &text[..old - 1], b""] {
        assert!(continued(&Counted::new(shorter), &earlier).is_none());
    }
    assert!(Grown::since(&earlier, &Counted::new(&text), b'\r').is_none());
    assert!(continued(&Counted::new(&text), &earlier).is_some());
}

#[test]
fn every_piece_has_its_turn() {
    for count in [1, 2, 63, 64, 65, 200, 1_000] {
        let mut pieces = Pieces {
            hashes: vec![0; count],
            next: 0,
        };
        let mut compared = HashSet::new();
        for _ in 0..count.div_ceil(MOST_COMPARED - 1) {
            let now: Vec<usize> = pieces.compared().collect();
            assert!(now.len() <= MOST_COMPARED && now.contains(&(count - 1)));
            compared.extend(now);
            pieces = pieces.with_next_turn();
        }
        assert_eq!(compared.len(), count);
    }
    assert_eq!(Pieces::default().compared().count(), 0);
}
