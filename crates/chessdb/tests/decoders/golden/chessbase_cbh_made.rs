//! Fields that no sample has.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::chessbase_cbh_hostile::cbh;
use super::*;
use testkit::samples::open_base;

/// A file of records with a head of 32 bytes, little endian.
fn extended(records: &[[u8; 120]]) -> Vec<u8> {
    let mut bytes = vec![0; 32];
    for (place, number) in [(0, 11), (4, 120), (8, records.len() as u32)] {
        bytes[place..place + 4].copy_from_slice(&number.to_le_bytes());
    }
    bytes.extend(records.as_flattened());
    bytes
}

/// A `.cbj` record without teams, with a place in the `.cbg`, and with a title.
fn extended_record(moves_at: u64, title: i32) -> [u8; 120] {
    let mut record = [0; 120];
    record[..8].fill(0xff);
    record[30..38].copy_from_slice(&moves_at.to_be_bytes());
    record[116..].copy_from_slice(&title.to_be_bytes());
    record
}

#[test]
fn a_guiding_text_may_be_beyond_4_gib() {
    let far: u64 = (1 << 32) + 26;
    let mut cbh = cbh(&[26]);
    cbh[46] = 3;
    let mut body = vec![0x80, 0, 0, 0, 3, 0, 1, 0, 0, 0, 3, 0];
    body.extend(b"Far");
    body.extend([1, 1, 0, 0, 0, 7, 0, 0, 0]);
    body.extend(b"<p>far");
    body.extend([b'.', 0, 0, 0, 0]);
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("x");
    std::fs::write(base.with_extension("cbh"), cbh).unwrap();
    std::fs::write(base.with_extension("cbj"), extended(&[extended_record(far, -1)])).unwrap();
    let cbg = File::create(base.with_extension("cbg")).unwrap();
    cbg.write_at(&body, far).unwrap();
    let database = open_base(&base).unwrap();
    let files = database.as_files();
    let members = files.members();
    let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    assert_eq!(names, ["000001 Far.en.html"]);
    let mut text = [0; 7];
    files.read_member(0, 0, &mut text).unwrap();
    assert_eq!(&text, b"<p>far.");
}
