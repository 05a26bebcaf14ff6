//! Tables that are designed to be expensive are read to their end, and the results are in proportion to their
//! size.

use std::io::Write;

use super::encode_jose::tables::{Column, Table, Value};
use chessdb::Options;

use super::*;
use testkit::samples::{candidates, try_open};

/// Size of the move data in bytes.
const SIZE: usize = 1 << 19;

fn repeated(pattern: &[u8]) -> Vec<u8> {
    pattern.iter().copied().cycle().take(SIZE).collect()
}

fn table(bin: Vec<u8>, comments: Vec<u8>) -> Table {
    Table {
        name: "IO_Game",
        columns: vec![
            Column::int("Result", 1),
            Column::blob("Bin").nullable(),
            Column::blob("Comments").nullable(),
        ],
        rows: vec![vec![Value::Int(-1), Value::Bytes(bin), Value::Bytes(comments)]],
    }
}

/// A database with one table, whose rows may be replaced.
fn opened(table: &Table, rows: Option<&[u8]>) -> Box<dyn Database> {
    let folder = tempfile::tempdir().unwrap();
    let own = table.myd();
    for (extension, bytes) in [
        ("frm", &table.frm()[..]),
        ("MYI", &table.myi()),
        ("MYD", rows.unwrap_or(&own)),
    ] {
        std::fs::write(folder.path().join(format!("IO_Game.{extension}")), bytes).unwrap();
    }
    open_base(folder.path()).unwrap()
}

/// Decodes one game and returns its PGN.
#[track_caller]
fn check(bin: Vec<u8>, comments: Vec<u8>) -> String {
    let most = 200 * (bin.len() + comments.len()) + 1_000_000;
    let database = opened(&table(bin, comments), None);
    assert_eq!(database.len(), 1);
    let decoded = database.game(0);
    let text = to_pgn(&decoded.game);
    assert!(text.len() <= most, "{} bytes of PGN", text.len());
    assert!(decoded.problems.len() <= 1001);
    String::from_utf8(text).unwrap()
}

#[test]
fn one_game_of_one_pattern() {
    // 13 is e2-e4 by White's e-pawn; 83 is a move of a queen that cannot move.
    for pattern in [
        &b"\xf0"[..],
        b"\xf1",
        b"\x9a",
        b"\xf0\xf1",
        b"\xf0\xe0\xf1",
        b"\x83",
        b"\x13\x13\xf0\x83\xf1\xf0\x83\xf1",
        b"\xe0",
        b"\xb0",
        b"\x05",
        b"\x9a\xf0\x83",
        b"\xf0\x9a\xf1\xf0\x9a",
    ] {
        check(repeated(pattern), Vec::new());
        let mut behind_a_move = vec![0x13];
        behind_a_move.extend(repeated(pattern));
        check(behind_a_move, vec![0; SIZE]);
    }
    check(repeated(b"\xe0"), repeated(b"<b &#x"));
}

#[test]
fn variations_before_the_first_moves_of_variations() {
    // Every level begins with the next one, and its first move comes after that.
    for depth in [1000, 5000, 100_000] {
        let mut bin = vec![0xf0; depth];
        bin.extend(repeated(b"\x9a"));
        bin.extend([0xf1, 0x9a].repeat(depth));
        bin.push(0xff);
        check(bin, Vec::new());
    }
}

#[test]
fn many_faults_are_counted() {
    let mut bin = vec![0x13];
    bin.extend(repeated(b"\xf0\x83\xf1"));
    let text = check(bin, Vec::new());
    let text = text.replace('\n', " ");
    assert!(text.contains("more faults in this game are not listed"));
}

#[test]
fn parts_that_many_rows_share() {
    let table = table(Vec::new(), Vec::new());
    // First parts that all continue with the same long chain.
    let firsts = 10_000usize;
    let chain = firsts * 20;
    let mut rows = Vec::new();
    for _ in 0..firsts {
        rows.push(5);
        rows.extend(0xffffu16.to_be_bytes());
        rows.extend(7u16.to_be_bytes());
        rows.extend((chain as u64).to_be_bytes());
        rows.extend([0; 7]);
    }
    let parts = 60_000 / 8;
    for part in 0..parts {
        rows.push(11);
        rows.extend(8u16.to_be_bytes());
        rows.extend(((chain + 20 * (part + 1)) as u64).to_be_bytes());
        rows.extend([0; 9]);
    }
    let database = opened(&table, Some(&rows));
    assert_eq!(database.len() as usize, firsts);
}

#[test]
fn bytes_that_are_no_rows() {
    let table = table(Vec::new(), Vec::new());
    for pattern in [
        &b"\x0e"[..],
        b"\x01\0\0",
        b"\0\0\0\x14",
        b"\x03\0\x01\xff",
        b"\x01\xff\xff\xff",
        b"\x05\0\x20\0\x04",
        b"\x02\0\0\x10aaaaaaaaaaaaaaaa",
    ] {
        let rows = repeated(pattern);
        let database = opened(&table, Some(&rows));
        assert!(database.len() as usize <= rows.len() / 20 + 1);
        assert!(database.problems().len() <= 102, "{}", database.problems().len());
    }
}

/// A tar header for `IO_Game.MYD` with a binary size.
fn tar_header(size: u64) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..11].copy_from_slice(b"IO_Game.MYD");
    header[124] = 0x80;
    header[128..136].copy_from_slice(&size.to_be_bytes());
    header[156] = b'0';
    header[257..262].copy_from_slice(b"ustar");
    header
}

fn open_archive(bytes: &[u8]) -> Result<Box<dyn Database>, String> {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("bomb");
    std::fs::write(base.with_extension("jose"), bytes).unwrap();
    let (format, candidate) = candidates(&base).remove(0);
    try_open(format, &candidate, &Options::default())
}

#[test]
fn archives_that_unpack_to_terabytes() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let zeros = vec![0; 1 << 20];
    for size in [1 << 40, u64::MAX] {
        // A megabyte is packed into about two hundred bytes, and the stated size is far greater.
        packed.write_all(&tar_header(size)).unwrap();
        (0..200).for_each(|_| packed.write_all(&zeros).unwrap());
    }
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 4 << 20, "{}", packed.len());
    let reason = open_archive(&packed).err().expect("no database");
    assert!(reason.contains("far more than its size"), "{reason}");
    // A stated size without data costs nothing.
    for size in [1 << 40, u64::MAX] {
        let mut tar = tar_header(size);
        tar.extend([0; 1000]);
        if let Ok(database) = open_archive(&tar) {
            let warnings = database.info().warnings;
            let is_told = |warning: &String| warning.contains("ends inside IO_Game.MYD");
            assert!(warnings.iter().any(is_told), "{warnings:?}");
        }
    }
}

#[test]
fn rows_of_a_byte_are_no_table() {
    let table = table(Vec::new(), Vec::new());
    let folder = tempfile::tempdir().unwrap();
    let mut myi = table.myi();
    // The table states a fixed row size of 1.
    myi[5] = 0;
    myi[128 + 48..128 + 52].copy_from_slice(&1u32.to_be_bytes());
    std::fs::write(folder.path().join("IO_Game.MYI"), &myi).unwrap();
    std::fs::write(folder.path().join("IO_Game.MYD"), vec![1; SIZE]).unwrap();
    if let Some(database) = open_base(folder.path()) {
        assert!(database.len() as usize <= SIZE / 20 + 1);
    }
}

#[test]
fn half_moves_of_variations_are_not_those_of_the_game() {
    // 1. e4 with a variation that has nothing but a variation, NAG 0 without its value, 1... e5.
    let bin = b"\x13\xf0\xf0\x0f\xf1\xf1\xb0\x13\xff";
    let mut table = table(bin.to_vec(), Vec::new());
    table.columns.push(Column::int("PlyCount", 4));
    table.rows[0].push(Value::Int(2));
    let text = to_pgn(&opened(&table, None).game(0).game);
    let text = String::from_utf8(text).unwrap().replace('\n', " ");
    assert!(text.contains("NAG 0 is stored without its value byte"), "{text}");
    assert!(text.contains("1. e4 {(d4)} 1... e5 *"), "{text}");
}

#[test]
fn a_hundred_places_between_the_rows_are_reported() {
    let table = table(Vec::new(), Vec::new());
    for number in [99, 100, 101] {
        let rows = [&[0xff; 8][..], &table.myd()].concat().repeat(number);
        let database = opened(&table, Some(&rows));
        assert_eq!(database.len() as usize, number);
        let places = database.problems().iter();
        let places = places.filter(|problem| problem.what.starts_with("no block can be read here"));
        assert_eq!(places.count(), number.min(100));
    }
}
