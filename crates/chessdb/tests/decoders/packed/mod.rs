//! Compressed files, made by the programs that people use, are read at any place like the plain ones.

mod damage;
mod members;
use testkit::harness::meter;
mod order;
mod pgn_files;
mod ways;
mod whole;
use testkit::writers::chessbase_2cbh::archive as zip_writer;

use std::sync::Arc;

use chessdb::packed::{Packed, PackedError};

fn open(packed: &[u8]) -> Result<Packed, PackedError> {
    Packed::open(Arc::new(packed.to_vec()), None)
}

/// All bytes, read in pieces.
fn read(packed: &Packed) -> Vec<u8> {
    let (mut all, mut buffer) = (Vec::new(), vec![0; 100_000]);
    loop {
        match packed.read_at(all.len() as u64, &mut buffer) {
            0 => break,
            len => all.extend(&buffer[..len]),
        }
    }
    assert_eq!(all.len() as u64, packed.len());
    all
}

#[track_caller]
fn assert_same(found: &[u8], wanted: &[u8], what: &str) {
    if found == wanted {
        return;
    }
    let differs = found.iter().zip(wanted).position(|(a, b)| a != b);
    assert_eq!((differs, found.len()), (None, wanted.len()), "{what}");
}
