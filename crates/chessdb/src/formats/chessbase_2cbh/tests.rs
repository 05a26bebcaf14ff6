//! Tests the rules of the page with small files.

#![allow(clippy::cast_possible_truncation, clippy::disallowed_methods)]

mod annotations;
mod moves;
mod names;
mod starts;

use std::sync::Arc;

use super::*;
use crate::pgn::to_text;
use crate::problem::ProblemKind;

/// A game in small files; a test can change each part.
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

    /// The game without its tags, on one line, and its problems except doubts.
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

/// A `.2lid` with these entities of each type, in containers of `len` bytes.
fn lid_of(len: usize, types: [Vec<Vec<u8>>; 6]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(140u32.to_be_bytes());
    bytes.extend(6u32.to_be_bytes());
    for entities in &types {
        bytes.extend((len as u32).to_be_bytes());
        bytes.extend((entities.len() as u64).to_be_bytes());
        bytes.extend((-1i64).to_be_bytes());
    }
    bytes.resize(140, 0);
    for block in 0..types.iter().map(Vec::len).max().unwrap_or(0) {
        for entities in &types {
            let start = bytes.len();
            if let Some(fields) = entities.get(block) {
                bytes.extend((fields.len() as u32).to_le_bytes());
                bytes.extend(fields);
            }
            bytes.resize(start + len, 0);
        }
    }
    bytes
}

/// A title in some languages.
fn title_in(languages: &[(u32, &str)]) -> Vec<u8> {
    let mut bytes = (languages.len() as u32).to_le_bytes().to_vec();
    for (language, text) in languages {
        bytes.extend(language.to_le_bytes());
        bytes.extend(string(text.as_bytes()));
    }
    bytes
}

/// A `.2lid` with one entity of each type.
fn lid() -> Vec<u8> {
    let entities = [
        [string(b"Tal"), string(b"M")].concat(),
        [string(b"Bled"), string(b"Candidates"), vec![0; 12]].concat(),
        [string(b"Book"), string(b"")].concat(),
        Vec::new(),
        [string(b"Riga"), vec![2, 0, 0, 0, 53]].concat(),
        title_in(&[(42, "A title")]),
    ];
    lid_of(64, entities.map(|fields| vec![fields]))
}
