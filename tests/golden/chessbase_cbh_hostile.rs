//! Archives and games made to cost much: they are refused or read to their end, and what they give stays in proportion
//! to their bytes.

use std::path::PathBuf;

use super::*;
use crate::common::samples::{candidates, try_open};
use chessdb::formats::Options;

/// A file of an archive: its name, its bytes as they are packed, and the length that it is said to have.
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

/// A block as it stands in an archive.
fn block(payload: &[u8]) -> Vec<u8> {
    let mut block = (payload.len() as u16).to_le_bytes().to_vec();
    block.extend([0, 0]);
    block.extend(payload);
    block
}

/// The header of a `.cbh`, and a record for each place in the `.cbg`.
fn cbh(places: &[u32]) -> Vec<u8> {
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

/// Opens files of one stem.
fn open(files: &[(&str, Vec<u8>)]) -> Result<Box<dyn Database>, String> {
    let folder = tempfile::tempdir().unwrap();
    let base: PathBuf = folder.path().join("x");
    for (extension, bytes) in files {
        std::fs::write(base.with_extension(extension), bytes).unwrap();
    }
    let found = candidates(&base);
    let [(format, candidate)] = &found[..] else {
        panic!("{} databases", found.len());
    };
    try_open(format, candidate, &Options::default())
}

#[test]
fn archives_that_unpack_to_far_more_than_they_are_are_refused() {
    let stored = |bytes: &[u8]| block(&[&[0], bytes].concat());
    let cbh = cbh(&[]);
    let honest = ("x.cbh", stored(&cbh), cbh.len() as u32);
    let opened = open(&[("cbv", archive(std::slice::from_ref(&honest)))]);
    assert_eq!(opened.unwrap().len(), 0);

    let promised = ("x.cbg", stored(b"short"), 3 << 30);
    let error = open(&[("cbv", archive(&[honest.clone(), promised]))])
        .err()
        .unwrap();
    assert!(error.contains("far more than its size"), "{error}");

    // Runs of 274 bytes in three: what is said is what is unpacked at most.
    let mut runs = vec![1];
    for _ in 0..1000 {
        runs.extend([0xff, 0xff]);
        runs.extend([0x1f, 0xff, 0].repeat(16));
    }
    let bomb = ("x.cbg", block(&runs).repeat(100), 1000);
    let database = open(&[("cbv", archive(&[honest, bomb]))]).unwrap();
    let warnings = database.info().warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains("damaged or cut")),
        "{warnings:?}"
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

/// Codes of the simple mode 5, before they are hidden: departure, target and flags of each word.
fn record(words: &[u16]) -> Vec<u8> {
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

#[allow(dead_code)]
#[path = "../../chessdb/src/formats/chessbase_cbh/tables.rs"]
mod tables;

fn mode_5() -> &'static [u8; 256] {
    &tables::MODE_5
}

#[test]
fn variations_without_end_are_cut_at_the_limit() {
    // Knights go out and back, and each move but the first of a line has a variation.
    const KNIGHTS: [(u16, u16); 4] = [(48, 42), (55, 45), (42, 48), (45, 55)];
    let word = |ply: usize| {
        let (from, to) = KNIGHTS[ply % 4];
        from | to << 6
    };
    // Every move keeps its position, and all lines end at once.
    let count = 20_000;
    let mut words: Vec<u16> = (0..count).map(|ply| word(ply) | 0x8000).collect();
    words.push(word(count) | 0x4000);
    // What follows are as many variations of one move.
    words.extend((0..count).rev().map(|ply| word(ply) | 0x4000));
    let cbg = [vec![0; 26], record(&words)].concat();
    let database = open(&[("cbh", cbh(&[26; 20])), ("cbg", cbg.clone())]).unwrap();
    let decoded = database.game(19);
    let text = to_text(&decoded.game);
    assert!(
        decoded.problems.len() <= 1001,
        "{} problems",
        decoded.problems.len()
    );
    assert!(text.len() < 50 * cbg.len(), "{} bytes", text.len());

    // Each variation has a variation in it.
    let mut words = Vec::new();
    for _ in 0..2000 {
        words.extend([word(0) | 0x8000, word(1) | 0x4000]);
    }
    let cbg = [vec![0; 26], record(&words)].concat();
    let database = open(&[("cbh", cbh(&[26])), ("cbg", cbg.clone())]).unwrap();
    let text = to_text(&database.game(0).game);
    assert!(text.len() < 50 * cbg.len(), "{} bytes", text.len());
}

#[test]
fn a_text_that_is_no_text_is_none() {
    let mut header = cbh(&[26, 26]);
    header[46] = 3;
    let mut cbg = vec![0; 26];
    cbg.extend([0x80, 0, 0, 12, 3, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    let database = open(&[("cbh", header), ("cbg", cbg)]).unwrap();
    assert_eq!(database.len(), 1);
    assert!(database.members().is_empty());
}
