//! Archives and games that are designed to be expensive are refused or read to their end, and the results are
//! in proportion to their size.

use std::path::PathBuf;

use super::*;
use chessdb::Options;
use chessdb::formats::NamedDatabase;
use testkit::samples::{candidates, try_open_all};

/// A file in an archive: its name, its packed bytes, and its stated length.
type Packed<'a> = (&'a str, Vec<u8>, u32);

fn archive(files: &[Packed<'_>]) -> Vec<u8> {
    const ENTRY: usize = 173;
    let mut bytes = vec![8, 0, files.len() as u8, 0, ENTRY as u8, 0, 3, 0];
    let mut at = bytes.len() + ENTRY * files.len();
    for (name, packed, unpacked) in files {
        let mut entry = name.as_bytes().to_vec();
        entry.resize(128, 0);
        for number in [at as u32, packed.len() as u32, *unpacked] {
            entry.extend(number.to_le_bytes());
        }
        entry.resize(ENTRY, 0);
        bytes.extend(entry);
        at += packed.len();
    }
    bytes.extend(files.iter().flat_map(|(_, packed, _)| packed.clone()));
    bytes
}

/// A block as stored in an archive.
fn block(payload: &[u8]) -> Vec<u8> {
    let mut block = (payload.len() as u16).to_le_bytes().to_vec();
    block.extend([0, 0]);
    block.extend(payload);
    block
}

/// The header of a `.cbh`, and a record for each offset in the `.cbg`.
pub(super) fn cbh(places: &[u32]) -> Vec<u8> {
    let mut bytes = vec![0; 46];
    bytes[..6].copy_from_slice(&[0, 0, 0x2c, 0, 46, 1]);
    for place in places {
        let mut record = [0; 46];
        record[0] = 1;
        record[1..5].copy_from_slice(&place.to_be_bytes());
        bytes.extend(record);
    }
    bytes
}

/// Opens files with a common stem.
pub(super) fn open(files: &[(&str, Vec<u8>)]) -> Result<Box<dyn Database>, String> {
    let mut parts = open_all(files)?;
    Ok(parts.swap_remove(0).database)
}

/// Opens all databases of an archive.
fn open_all(files: &[(&str, Vec<u8>)]) -> Result<Vec<NamedDatabase>, String> {
    let folder = tempfile::tempdir().unwrap();
    let base: PathBuf = folder.path().join("x");
    for (extension, bytes) in files {
        std::fs::write(base.with_extension(extension), bytes).unwrap();
    }
    let found = candidates(&base);
    let [(format, candidate)] = &found[..] else {
        panic!("{} databases", found.len());
    };
    try_open_all(format, candidate, &Options::default())
}

/// The problems of a database itself, as text.
fn problems(database: &dyn Database) -> Vec<String> {
    database.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn archives_that_unpack_to_far_more_than_they_are_are_refused() {
    let stored = |bytes: &[u8]| block(&[&[0], bytes].concat());
    let cbh = cbh(&[]);
    let honest = ("x.cbh", stored(&cbh), cbh.len() as u32);
    let opened = open(&[("cbv", archive(std::slice::from_ref(&honest)))]);
    assert_eq!(opened.unwrap().len(), 0);

    let promised = ("x.cbg", stored(b"short"), 3 << 30);
    // A length that is only promised costs nothing, and is no reason to refuse the rest.
    let database = open(&[("cbv", archive(&[honest.clone(), promised]))]).unwrap();
    let told = problems(&*database);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("x.cbv: byte ") && told[0].contains("x.cbg is damaged: 5 of 3221225472"),
        "{told:?}"
    );

    // Runs of 4114 bytes, encoded in three: the stated length limits unpacking.
    let mut runs = vec![1];
    for _ in 0..1000 {
        runs.extend([0xff, 0xff]);
        runs.extend([0x1f, 0xff, 0].repeat(16));
    }
    let bomb = ("x.cbg", block(&runs).repeat(100), 1000);
    let database = open(&[("cbv", archive(&[honest, bomb]))]).unwrap();
    let told = problems(&*database);
    assert!(told[0].contains("x.cbg is damaged"), "{told:?}");
}

#[test]
fn all_databases_of_an_archive_share_its_bounds() {
    let cbh = cbh(&[]);
    let stored = block(&[&[0][..], &cbh].concat());
    // Runs of 4114 bytes, encoded in three, and unpacked once for each database.
    let mut runs = vec![1];
    for _ in 0..270 {
        runs.extend([0xff, 0xff]);
        runs.extend([0x1f, 0xff, 0].repeat(16));
    }
    let stream = block(&runs);
    let len = 4114 * 16 * 270;
    let packed = |databases: usize| {
        let names: Vec<[String; 2]> = (0..databases)
            .map(|n| ["cbh", "cbg"].map(|kind| format!("{n}.{kind}")))
            .collect();
        let files = names.iter().flat_map(|[head, moves]| {
            [
                (head.as_str(), stored.clone(), cbh.len() as u32),
                (moves.as_str(), Vec::new(), len),
            ]
        });
        let mut bytes = archive(&files.collect::<Vec<_>>());
        let at = bytes.len() as u32;
        for n in 0..databases {
            let place = 8 + 173 * (2 * n + 1) + 128;
            bytes[place..place + 4].copy_from_slice(&at.to_le_bytes());
            bytes[place + 4..place + 8].copy_from_slice(&(stream.len() as u32).to_le_bytes());
        }
        bytes.extend(&stream);
        bytes
    };
    let parts = open_all(&[("cbv", packed(3))]).unwrap();
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["0.cbh", "1.cbh", "2.cbh"]);
    for part in &parts {
        assert_eq!(problems(&*part.database), [""; 0]);
    }
    let error = open(&[("cbv", packed(4))]).err().unwrap();
    assert!(error.contains("far more than its size"), "{error}");
}

#[test]
fn a_database_that_is_none_costs_the_others_of_its_archive_nothing() {
    let (cbh, other) = (cbh(&[]), vec![b'x'; 46]);
    let stored = |bytes: &[u8]| block(&[&[0], bytes].concat());
    let good = ("good.cbh", stored(&cbh), 46);
    let bad = ("bad.cbh", stored(&other), 46);
    let database = open(&[("cbv", archive(&[bad.clone(), good.clone()]))]).unwrap();
    let told = problems(&*database);
    assert!(told[0].starts_with("x.cbv: bad.cbh is left out"), "{told:?}");
    // It is said once.
    let other = ("other.cbh", good.1.clone(), 46);
    let parts = open_all(&[("cbv", archive(&[bad.clone(), good, other]))]).unwrap();
    let told: Vec<usize> = parts.iter().map(|part| problems(&*part.database).len()).collect();
    assert_eq!(told, [1, 0]);
    assert!(open(&[("cbv", archive(&[bad]))]).is_err());
}

#[test]
fn a_file_that_is_cut_costs_the_others_of_its_archive_nothing() {
    let stored = |bytes: &[u8]| block(&[&[0], bytes].concat());
    let cbh = cbh(&[26]);
    let files = [
        ("x.cbh", stored(&cbh), cbh.len() as u32),
        ("x.cba", stored(&[0; 26]), 26),
        ("x.cbg", stored(&[0; 100]), 100),
    ];
    let whole = archive(&files);
    let at = whole.len() - 105;
    // Of 40 bytes, four are before the block and one is its packing; the last one may be half of something.
    let database = open(&[("cbv", whole[..at + 40].to_vec())]).unwrap();
    assert_eq!(database.len(), 1);
    let place = format!("x.cbv: byte {at} (0x{at:x}): ");
    let told = problems(&*database);
    assert!(
        told[0].starts_with(&place)
            && told[0].contains(
                "x.cbg has 105 bytes from here on, but the archive has only 40; 34 of 100 unpacked bytes"
            ),
        "{told:?}"
    );
    assert!(told[0].ends_with("get a whole copy of the archive"), "{told:?}");

    // Without its .cbh there is nothing to show, and the reason is the same.
    let at = 8 + 173 * 3;
    let error = open(&[("cbv", whole[..at + 3].to_vec())]).err().unwrap();
    assert!(
        error.contains(&format!("x.cbv: byte {at} ")) && error.contains("but the archive has only 3"),
        "{error}"
    );
    let error = open(&[("cbv", whole[..100].to_vec())]).err().unwrap();
    assert!(
        error.contains("ends after 0 of the 3 entries of its table"),
        "{error}"
    );
}

#[test]
fn an_archive_names_the_entries_that_are_not_looked_at() {
    let cbh = cbh(&[]);
    let mut bytes = archive(&[("x.cbh", block(&[&[0][..], &cbh].concat()), 46)]);
    // More entries follow, with empty names.
    let entries = 10_001;
    let (stream, at) = (bytes.split_off(8 + 173), (8 + 173 * entries) as u32);
    bytes.resize(at as usize, 0);
    bytes.extend(stream);
    bytes[2..4].copy_from_slice(&(entries as u16).to_le_bytes());
    bytes[8 + 128..8 + 132].copy_from_slice(&at.to_le_bytes());
    let told = problems(&*open(&[("cbv", bytes)]).unwrap());
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("has 10001 files, and only the first 10000 are read"),
        "{told:?}"
    );
}

#[test]
fn archives_without_a_database_are_refused() {
    for files in [&[][..], &[("x.txt", Vec::new(), 0)]] {
        let error = open(&[("cbv", archive(files))]).err().unwrap();
        assert!(error.contains("no database in the archive"), "{error}");
    }
    assert!(open(&[("cbv", b"PK\x03\x04".to_vec())]).is_err());
}

/// Codes of the simple mode 5 before encryption: departure, target and flags of each word.
pub(super) fn record(words: &[u16]) -> Vec<u8> {
    let table = mode_5();
    let mut bytes = vec![5, 0, 0, 0];
    for (number, word) in words.iter().enumerate() {
        for code in word.to_be_bytes() {
            let code = code.wrapping_add(number as u8);
            bytes.push(table.iter().position(|&found| found == code).unwrap() as u8);
        }
    }
    let size = (bytes.len() as u32).to_be_bytes();
    bytes[1..4].copy_from_slice(&size[1..]);
    bytes
}

/// The table of mode 5, from the tables beside the page of the format.
fn mode_5() -> Vec<u8> {
    let tables = include_str!("../../../../../docs/formats/chessbase-cbh-tables.txt");
    let table = tables
        .lines()
        .skip_while(|line| *line != "**Mode 5**")
        .skip(2)
        .take(16);
    let codes = table.flat_map(|row| row.split_whitespace().skip(1));
    codes.map(|code| u8::from_str_radix(code, 16).unwrap()).collect()
}

#[test]
fn variations_without_end_are_cut_at_the_limit() {
    // Knights move back and forth, and each move except the first of a line has a variation.
    const KNIGHTS: [(u16, u16); 4] = [(48, 42), (55, 45), (42, 48), (45, 55)];
    let word = |ply: usize| {
        let (from, to) = KNIGHTS[ply % 4];
        from | to << 6
    };
    // Every move keeps its position, and all lines end at the same place.
    let count = 20_000;
    let mut words: Vec<u16> = (0..count).map(|ply| word(ply) | 0x8000).collect();
    words.push(word(count) | 0x4000);
    // The same number of variations on one move follow.
    words.extend((0..count).rev().map(|ply| word(ply) | 0x4000));
    let cbg = [vec![0; 26], record(&words)].concat();
    let database = open(&[("cbh", cbh(&[26; 20])), ("cbg", cbg.clone())]).unwrap();
    let decoded = database.game(19);
    let text = to_pgn(&decoded.game);
    assert!(
        decoded.problems.len() <= 1001,
        "{} problems",
        decoded.problems.len()
    );
    assert!(text.len() < 50 * cbg.len(), "{} bytes", text.len());

    // Each variation contains another one.
    let mut words = Vec::new();
    for _ in 0..2000 {
        words.extend([word(0) | 0x8000, word(1) | 0x4000]);
    }
    let cbg = [vec![0; 26], record(&words)].concat();
    let database = open(&[("cbh", cbh(&[26])), ("cbg", cbg.clone())]).unwrap();
    let text = to_pgn(&database.game(0).game);
    assert!(text.len() < 50 * cbg.len(), "{} bytes", text.len());
}

#[test]
fn castling_needs_no_stored_right() {
    // Kings and all rooks on their home squares, file by file; only White may castle short.
    let mut bits = vec![0; 64];
    for (square, piece) in [
        (0, 0b10101),
        (32, 0b10001),
        (56, 0b10101),
        (7, 0b11101),
        (39, 0b11001),
        (63, 0b11101),
    ] {
        bits[square] = piece;
    }
    let bits: Vec<u8> = bits
        .into_iter()
        .flat_map(|piece: u8| match piece {
            0 => vec![0],
            piece => (0..5).rev().map(|bit| (piece >> bit) & 1).collect(),
        })
        .collect();
    let mut start = vec![1, 0, 0b10, 1];
    start.extend(bits.chunks(8).map(|bits| {
        let bits = bits.iter().chain([0; 7].iter()).take(8);
        bits.fold(0, |byte, bit| (byte << 1) | bit)
    }));
    start.resize(28, 0);
    let text = |words: &[u16]| {
        let moves = record(words).split_off(4);
        let mut cbg = vec![0; 26];
        cbg.extend([0x45, 0, 0, (4 + start.len() + moves.len()) as u8]);
        cbg.extend(&start);
        cbg.extend(moves);
        let database = open(&[("cbh", cbh(&[26])), ("cbg", cbg)]).unwrap();
        String::from_utf8(to_pgn(&database.game(0).game)).unwrap()
    };
    let word = |from: u16, to: u16| from | to << 6;
    // O-O (O-O-O Kf8) Kd8, although Black lacks the right.
    let castled = text(&[
        word(32, 48) | 0x8000,
        word(39, 23) | 0x4000,
        word(32, 16),
        word(39, 47) | 0x4000,
    ]);
    assert!(
        castled.contains("[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQq - 0 1\"]"),
        "{castled}"
    );
    assert!(castled.contains("1. O-O (1. O-O-O Kf8) 1... O-O-O"), "{castled}");
    let not = text(&[word(32, 40), word(39, 47) | 0x4000]);
    assert!(not.contains("R3K2R w K - 0 1\"]"), "{not}");
    // A king that has moved may not castle.
    let back = text(&[
        word(32, 40),
        word(39, 47),
        word(40, 32),
        word(47, 39),
        word(32, 16) | 0x4000,
    ]);
    assert!(back.contains("castling is not possible"), "{back}");
}

#[test]
fn a_text_that_is_no_text_is_none() {
    let mut header = cbh(&[26, 26]);
    header[46] = 3;
    let mut cbg = vec![0; 26];
    cbg.extend([0x80, 0, 0, 12, 3, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    let database = open(&[("cbh", header), ("cbg", cbg)]).unwrap();
    assert_eq!(database.len(), 1);
    assert!(database.as_files().members().is_empty());
}

#[test]
fn records_that_share_a_guiding_text_are_not_multiplied() {
    // Version, one title of 230 bytes, and a content of one byte in each of eight languages.
    let mut text = vec![3, 0, 1, 0, 0, 0, 230, 0];
    text.extend([b'x'; 230]);
    text.extend([0, 8, 0]);
    for language in 0..8 {
        text.extend([language, 0, 1, 0, 0, 0, b'a', 0, 0, 0, 0]);
    }
    let mut cbg = vec![0; 26];
    cbg.push(0x80);
    cbg.extend(&(text.len() as u32 + 4).to_be_bytes()[1..]);
    cbg.extend(text);
    let texts = |records: usize| {
        let mut cbh = cbh(&vec![26; records]);
        cbh[46..].chunks_mut(46).for_each(|record| record[0] = 3);
        let database = open(&[("cbh", cbh), ("cbg", cbg.clone())]).unwrap();
        database.as_files().members().len()
    };
    assert_eq!((texts(1), texts(2)), (8, 16));
    assert!(texts(10_000) <= 1 + cbg.len() / 16);
}
