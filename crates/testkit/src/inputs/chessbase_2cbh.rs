//! Databases and archives of ChessBase 17 and later from arbitrary bytes: valid frames and names with arbitrary words
//! and annotations.

use shakmaty::{Color, Piece, Role};

use crate::harness::choices::Choices;
use crate::harness::frame::Input;
use crate::harness::movetext::STARTS;
use crate::inputs::edits::change;
use crate::inputs::games;
use crate::writers::chessbase_2cbh::archive::{Form, zip};
use crate::writers::chessbase_2cbh::movetext::{Annotations, Encoded, Tree};
use crate::writers::chessbase_2cbh::names::{self, Names, string};
use crate::writers::chessbase_2cbh::record::Record;
use crate::writers::chessbase_2cbh::start::{Start, piece_word};
use crate::writers::chessbase_2cbh::words::{self, square};
use crate::writers::chessbase_2cbh::{Database, File};
use crate::writers::source::Item;

/// Maximum number of records in a database.
const MOST_RECORDS: usize = 24;

/// Number of bytes of an input that change the files; the others describe the records.
const FOR_FILES: usize = 128;

/// Sizes of the header of the `.2lid`.
const HEADERS: [usize; 4] = [184, 216, 228, 236];

/// Tags of frames with moves; the last belongs to positions without a king.
const TAGS: [[u8; 2]; 3] = [[1, 0], [2, 0], [10, 0]];
const TEXT: [u8; 2] = [0, 0x10];
const ANNOTATIONS: [u8; 2] = [0, 0x20];

/// A start position of Chess960.
const CHESS960: &str = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1";

/// Places of references in the record of a game.
const REFERENCES: [usize; 8] = [0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x50];

/// The database that the choices in `bytes` describe.
pub fn input(bytes: &[u8]) -> Input {
    let (head, rest) = bytes.split_at(bytes.len().min(FOR_FILES));
    let (mut head, mut choices) = (Choices(head), Choices(rest));
    let form = head.byte();
    let mut database = Database {
        names: Names::new(head.one_of(&HEADERS)),
        ..Database::default()
    };
    for _ in 0..MOST_RECORDS {
        if choices.is_over() {
            break;
        }
        let record = match choices.below(8) {
            0 => text(&mut choices, &mut database),
            1 => analysis(&mut choices, &mut database),
            _ => game(&mut choices, &mut database),
        };
        database.records.extend(record.0);
    }
    let mut files: Vec<File> = database.files();
    for (_, bytes) in &mut files {
        change(&mut head, bytes);
    }
    let named = files.into_iter();
    let named = named.map(|(extension, bytes)| (format!("a.{extension}"), bytes));
    match form & 3 {
        3 => Input::new([("a.2cbv".to_owned(), archive(&mut head, form, named.collect()))]),
        _ => Input::new(named),
    }
}

/// An archive, in which a member may be there twice or have another name.
fn archive(choices: &mut Choices<'_>, form: u8, mut members: Vec<(String, Vec<u8>)>) -> Vec<u8> {
    if choices.once_in(4) {
        let (name, bytes) = members[choices.below(members.len())].clone();
        members.push((name.replace('a', choices.one_of(&["A", "b", "x/a"])), bytes));
    }
    let form = Form {
        is_stored: form & 4 != 0,
        is_zip64: form & 8 != 0,
    };
    let mut bytes = zip(&members, form).unwrap_or_default();
    change(choices, &mut bytes);
    bytes
}

fn game(choices: &mut Choices<'_>, database: &mut Database) -> Record {
    let starts: Vec<&str> = STARTS.into_iter().chain([CHESS960]).collect();
    let mut source = games::game(choices, &starts);
    source.items = storable(source.items);
    let tree = Tree::of(&source);
    let start = Start::of(&source).unwrap_or(Start::Usual);
    let encoded = tree.as_ref().ok().and_then(|tree| tree.encode(&start).ok());
    let Encoded {
        mut words,
        mut annotations,
    } = encoded.unwrap_or_else(|| Encoded {
        words: vec![words::MOVES, words::END],
        annotations: Annotations::default(),
    });
    let mut tag = TAGS[usize::from(start.is_chess960())];
    if choices.once_in(8) {
        tag = choices.one_of(&TAGS);
    }
    edit(choices, &mut words);
    let mut record = Record::of(&source, &mut database.names).unwrap_or(Record([0; 192]));
    if let Ok(tree) = &tree {
        record.set_length(tree, &source);
        record.set_flags(tree, &start);
    }
    for _ in 0..choices.below(6) {
        let position = choices.below(40) as i32 - 1;
        let (kind, data) = annotation(choices);
        annotations.add(position, kind, &data);
    }
    let mut content = words::bytes(&words);
    change(choices, &mut content);
    let spare = choices.below(40);
    record.set_i64(0x08, database.moves.add_with_spare(tag, &content, spare));
    let mut content = annotations.bytes();
    change(choices, &mut content);
    record.set_i64(0x10, database.annotations.add(ANNOTATIONS, &content));
    for at in REFERENCES {
        if choices.once_in(16) {
            record.set_i64(at, i64::from(choices.byte()) - 2);
        }
    }
    if choices.once_in(4) {
        let at = 0x58 + choices.below(0x68);
        record.set(at, &[choices.byte()]);
    }
    if choices.once_in(6) {
        add_entity(choices, &mut database.names);
    }
    record
}

/// The items without glyphs before the first move of a line, and without lines that have no moves.
fn storable(items: Vec<Item>) -> Vec<Item> {
    let mut kept: Vec<Item> = Vec::new();
    // Where each open variation begins.
    let mut starts = Vec::new();
    let mut is_first = true;
    for item in items {
        match item {
            Item::Nag(_) | Item::VariationStart if is_first => continue,
            Item::Move(_) | Item::Null => is_first = false,
            Item::VariationStart => {
                starts.push(kept.len());
                is_first = true;
            }
            Item::VariationEnd => {
                let Some(start) = starts.pop() else { continue };
                if std::mem::take(&mut is_first) {
                    kept.truncate(start);
                    continue;
                }
            }
            _ => {}
        }
        kept.push(item);
    }
    kept
}

/// A record that says what it is, with its place in the `.2cbg`.
fn record(kind: [u8; 3], at: i64) -> Record {
    let mut record = Record([0; 192]);
    record.set(0, &kind);
    record.set_i64(0x08, at);
    record
}

fn text(choices: &mut Choices<'_>, database: &mut Database) -> Record {
    let languages: Vec<u8> = (0..choices.below(9))
        .flat_map(|_| {
            let nation = i32::from(choices.byte());
            [nation.to_le_bytes().to_vec(), string(&choices.text())].concat()
        })
        .collect();
    let count = choices.below(9) as i32;
    let mut content = 5u16.to_le_bytes().to_vec();
    content.extend((languages.len() as i32 + 4).to_le_bytes());
    content.extend(count.to_le_bytes());
    content.extend(languages);
    change(choices, &mut content);
    let mut record = record([3, 0, 1], database.moves.add(TEXT, &content));
    for at in [0x10, 0x18, 0x20, 0x28] {
        record.set_i64(at, i64::from(choices.byte()) - 1);
    }
    record
}

fn analysis(choices: &mut Choices<'_>, database: &mut Database) -> Record {
    let mut words = vec![words::MOVES, words::END];
    edit(choices, &mut words);
    let at = database.moves.add(TAGS[0], &words::bytes(&words));
    let mut record = record([1, 0, 2], at);
    let annotations = Annotations::default().bytes();
    record.set_i64(0x10, database.annotations.add(ANNOTATIONS, &annotations));
    for at in [0x18, 0x20, 0x28] {
        record.set_i64(at, i64::from(choices.byte()) - 1);
    }
    record
}

/// Adds an entity with arbitrary fields.
fn add_entity(choices: &mut Choices<'_>, names: &mut Names) {
    let of = choices.below(6);
    let fields = match of {
        _ if choices.once_in(8) => [
            &[0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99][..],
            &i64::from(choices.byte()).to_le_bytes(),
        ]
        .concat(),
        names::TITLE => {
            let count = choices.below(4) as i32;
            let titles = (0..count).flat_map(|_| {
                let nation = i32::from(choices.byte());
                [nation.to_le_bytes().to_vec(), string(&choices.name())].concat()
            });
            let titles: Vec<u8> = titles.collect();
            [&count.to_le_bytes()[..], &titles].concat()
        }
        _ => [
            string(&choices.name()),
            string(&choices.name()),
            choices.bytes::<40>().to_vec(),
        ]
        .concat(),
    };
    let mut fields = fields;
    change(choices, &mut fields);
    names.push(of, fields);
}

/// Inserts words, replaces some and removes some.
fn edit(choices: &mut Choices<'_>, words: &mut Vec<u16>) {
    if !choices.once_in(3) {
        return;
    }
    for _ in 0..choices.below(12) {
        let at = choices.below(words.len() + 1);
        let end = (at + choices.below(3)).min(words.len());
        let with: Vec<u16> = (0..choices.below(4)).map(|_| any_word(choices)).collect();
        words.splice(at..end, with);
    }
}

fn any_word(choices: &mut Choices<'_>) -> u16 {
    let any = u16::from_le_bytes(choices.bytes());
    match choices.below(8) {
        0 => 0xfff8 | any & 7,
        1 => words::KEEP,
        2 => words::END,
        3 => any % 1001,
        4 => {
            let role = choices.one_of(&Role::ALL);
            let color = choices.one_of(&Color::ALL);
            piece_word(Piece { color, role }, square(u32::from(any % 64)))
        }
        5 => 0xb129 + any % 0xf04,
        6 => any % 0x1000,
        _ => any,
    }
}

/// The kind of an annotation and its data.
fn annotation(choices: &mut Choices<'_>) -> (u16, Vec<u8>) {
    const KINDS: [u16; 26] = [
        0x02, 0x82, 0x03, 0x04, 0x05, 0x07, 0x08, 0x09, 0x13, 0x14, 0x18, 0x15, 0x16, 0x17, 0x1c, 0x20, 0x21,
        0x22, 0x23, 0x25, 0x24, 0x26, 0x27, 0x1a, 0x19, 0x61,
    ];
    let kind = choices.one_of(&KINDS);
    let data = match kind {
        0x02 | 0x82 => [&[0, 0, choices.byte() % 20, 0][..], &string(&choices.text())].concat(),
        0x03 => choices.bytes::<3>().to_vec(),
        0x04 | 0x05 | 0x15 => list(choices),
        0x07 | 0x08 | 0x22 | 0x23 | 0x25 => choices.bytes::<4>().to_vec(),
        0x09 => training(choices),
        0x13 => quotation(choices),
        0x14 | 0x18 => vec![choices.byte()],
        0x16 | 0x17 => [choices.bytes::<3>().to_vec(), vec![0]].concat(),
        0x1c => [vec![1], string(&choices.name()), string(&choices.name())].concat(),
        0x20 => [choices.bytes::<4>().to_vec(), list(choices)].concat(),
        0x21 => choices.bytes::<6>().to_vec(),
        0x24 => [vec![1], choices.bytes::<37>().to_vec()].concat(),
        0x26 => {
            let count = choices.below(8) as u16;
            let values: Vec<u8> = (0..4 * count).map(|_| choices.byte()).collect();
            let len = values.len() as i32 + 2;
            [&[1][..], &len.to_le_bytes(), &count.to_le_bytes(), &values].concat()
        }
        _ => choices.bytes::<2>().to_vec(),
    };
    (kind, data)
}

/// A number of bytes and as many bytes, which are colours, squares and lines.
fn list(choices: &mut Choices<'_>) -> Vec<u8> {
    let bytes: Vec<u8> = (0..choices.below(13)).map(|_| choices.byte() % 70).collect();
    [&(bytes.len() as i32).to_le_bytes()[..], &bytes].concat()
}

fn training(choices: &mut Choices<'_>) -> Vec<u8> {
    let mut data = vec![1, 0, choices.byte() % 4, 0, 0, 0];
    data.extend(choices.bytes::<6>());
    let texts = |choices: &mut Choices<'_>| {
        let count = choices.below(3) as u16;
        let texts = (0..count).flat_map(|_| [vec![0, 0], string(&choices.name())].concat());
        let texts: Vec<u8> = texts.collect();
        [&count.to_le_bytes()[..], &texts].concat()
    };
    for _ in 0..4 {
        data.extend(texts(choices));
    }
    let answers = choices.byte() % 4;
    data.push(answers);
    for _ in 0..answers {
        match data[2] {
            1 => {
                data.extend(choices.bytes::<4>());
                data.extend(texts(choices));
            }
            _ => {
                data.push(choices.byte());
                data.extend(texts(choices));
                data.extend(texts(choices));
            }
        }
    }
    data
}

fn quotation(choices: &mut Choices<'_>) -> Vec<u8> {
    let mut data = vec![1, 1 + choices.byte() % 2, 0, 0, 0, 1, 0, 0, 0, 0];
    for _ in 0..6 {
        let text: String = choices.name().chars().filter(|c| *c != '\0').take(20).collect();
        data.push(text.len() as u8 + 1);
        data.extend(text.bytes());
        data.push(0);
    }
    data.extend((0..79).map(|_| choices.byte()));
    for _ in 0..2 {
        data.extend(choices.bytes::<5>());
        data.extend(string(&choices.name()));
    }
    data.extend([0; 26]);
    let usual = choices.byte() % 3;
    data.push(usual);
    if usual == 0 {
        data.extend((0..75).map(|_| choices.byte()));
    }
    data.extend([0; 2]);
    let moves = choices.below(6) as i32;
    data.extend(moves.to_le_bytes());
    data.extend((0..5 * moves).map(|_| choices.byte()));
    data.extend([0; 4]);
    data
}
