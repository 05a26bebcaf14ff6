//! The work of the fuzz targets.

use std::sync::Arc;

use chessdb::files::Bytes;
use chessdb::packed::{Allowance, Packed, Slices, zip_members};
use chessdb_library::query::Query;
use testkit::harness::frame::Input;
use testkit::harness::meter::Counting;
use testkit::harness::movetext;
use testkit::harness::sweep::{Strictness, assert_written, sweep};
use testkit::inputs::{chess_assistant, chessbase_2cbh, jose};

#[global_allocator]
static COUNTING: Counting = Counting;

/// Factor by which instrumented code on a busy machine may exceed the bounds of time.
const SLOWNESS: u32 = 4;

/// Reads the databases of a format among framed files.
pub fn databases(format: &str, bytes: &[u8]) {
    read(format, &Input::parse(bytes));
}

/// Reads the Chess Assistant database that the choices in the bytes describe.
pub fn chess_assistant_records(bytes: &[u8]) {
    read("chess-assistant", &chess_assistant::input(bytes));
}

/// Reads the ChessBase database or archive that the choices in the bytes describe.
pub fn chessbase_2cbh_records(bytes: &[u8]) {
    read("chessbase-2cbh", &chessbase_2cbh::input(bytes));
}

/// Reads the jose database that the choices in the bytes describe.
pub fn jose_rows(bytes: &[u8]) {
    read("jose", &jose::input(bytes));
}

/// Writes the game that the choices in the bytes describe, and reads it back.
pub fn written_game(bytes: &[u8]) {
    let game = movetext::game(bytes);
    assert_written(&chessdb::pgn::to_text(&game), &game);
}

/// Reads a query, and what it is written like in the one way of equal queries.
pub fn query(bytes: &[u8]) {
    let Ok(text) = Query::text_of(bytes) else {
        return;
    };
    if let Ok(query) = Query::parse(text) {
        let canonical = query.canonical();
        assert_eq!(Query::parse(&canonical).as_ref(), Ok(&query), "{canonical:?}");
    }
    if let Ok(query) = Query::parse_name(&text.replace('/', "_")) {
        let name = query.name();
        assert!(!name.contains('/'), "{name:?}");
        assert_eq!(Query::parse_name(&name).as_ref(), Ok(&query), "{name:?}");
    }
}

/// Reads a compressed file: the first two bytes have the length of an index that was kept of it, which follows.
pub fn packed(bytes: &[u8]) {
    let Some((&len, rest)) = bytes.split_first_chunk() else {
        return;
    };
    let (kept, file) = rest.split_at(rest.len().min(u16::from_le_bytes(len).into()));
    let file: Arc<dyn Bytes> = Arc::new(file.to_vec());
    let kept = (!kept.is_empty()).then(|| Arc::new(kept.to_vec()) as Arc<dyn Bytes>);
    let mut opened: Vec<Packed> = Packed::open(Arc::clone(&file), kept).into_iter().collect();
    let allowance = Allowance::of(file.len() as u64);
    for member in zip_members(&file).members {
        opened.extend(Packed::open_member(Arc::clone(&file), &member, None, &allowance));
    }
    for packed in opened {
        let whole = read_packed(&packed);
        // What was read, and the index of it, give the same bytes again.
        let again = Packed::open(Arc::clone(&file), Some(Arc::new(packed.index())));
        let few = Arc::new(Slices::new(1));
        if zip_members(&file).members.is_empty() {
            let again = again.expect("an index that was just made").with_slices(&few);
            assert_eq!(again.len(), packed.len());
            let middle = whole.len() / 2;
            let mut part = vec![0; whole.len().min(1000)];
            let len = again.read_at(middle as u64, &mut part);
            assert_eq!(part[..len], whole[middle..middle + len]);
        }
        assert!(packed.warnings().len() <= 1000);
    }
}

/// All unpacked bytes.
fn read_packed(packed: &Packed) -> Vec<u8> {
    let mut whole = vec![0; usize::try_from(packed.len()).expect("a bounded length")];
    assert_eq!(packed.read_at(0, &mut whole), whole.len());
    whole
}

fn read(format: &str, input: &Input) {
    let strictness = Strictness {
        slowness: Some(SLOWNESS),
        games: None,
    };
    sweep(format, input, strictness);
}
