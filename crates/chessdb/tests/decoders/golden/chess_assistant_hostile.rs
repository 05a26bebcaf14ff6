//! Records that are designed to be expensive are read to their end, and the results are in proportion to
//! their size.

use std::path::PathBuf;

use super::*;

/// A database of one game with given record, mini file system and addresses.
struct Base {
    _folder: tempfile::TempDir,
    base: PathBuf,
}

impl Base {
    fn new(codes: &[u8], emb: &[u8]) -> Base {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("x");
        let write = |extension: &str, bytes: &[u8]| {
            std::fs::write(base.with_extension(extension), bytes).unwrap();
        };
        let mut record = length(codes.len());
        record.extend(codes);
        write("cdp", b"Chess Assistant 3.0 database.");
        write("d00", &[0; 38]);
        write("a02", &[0; 4]);
        write("d02", &record);
        write("emb", emb);
        Base {
            _folder: folder,
            base,
        }
    }

    /// Opens the database and decodes its game.
    fn read(&self) -> (Box<dyn Database>, String) {
        let database = open_base(&self.base).unwrap();
        let text = String::from_utf8(to_pgn(&database.game(0).game)).unwrap();
        (database, text)
    }
}

/// The length of a record in LEB128; lengths of two bytes are the same in both forms.
fn length(mut length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while length >= 0x80 {
        bytes.push(0x80 | length as u8);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes
}

/// Step 0 is the first step of the a-pawn of either side.
const A_PAWN: u8 = 0;

/// The PGN of a record, which must be one game of a length in proportion to the record.
#[track_caller]
fn checked(codes: &[u8]) -> String {
    let (_, text) = Base::new(codes, &[]).read();
    let most = codes.len() * 200 + 10_000;
    assert!(
        text.len() <= most,
        "{} bytes of PGN for {}",
        text.len(),
        codes.len()
    );
    assert_eq!(pgn::read(text.as_bytes()).len(), 1);
    text
}

#[test]
fn variations_of_every_shape_give_no_more_than_their_bytes() {
    // Siblings before a move, and at the end of a line without one.
    let siblings = [231, A_PAWN + 4, 232].repeat(10_000);
    let text = checked(&[&siblings[..], &[A_PAWN]].concat());
    assert_eq!(text.matches("(1. b3)").count(), 10_000);
    let text = checked(&[&[A_PAWN][..], &siblings].concat());
    assert_eq!(text.matches("(b7b6)").count(), 10_000);
    // Nested as deeply as allowed, repeatedly.
    let nest = [[231].repeat(256), [A_PAWN, 232].repeat(256)].concat();
    checked(&nest.repeat(40));
    checked(&[&[231; 256][..], &[232; 256]].concat().repeat(60));
    let text = checked(&[231; 32_000]);
    assert!(text.contains("pgnfs: "));
    // Ends without beginnings, empty comments, and impossible moves.
    checked(&[232; 32_000]);
    checked(&[235, 0].repeat(16_000));
    checked(&[231, 207, 232].repeat(10_000));
    // A long record of null moves.
    checked(&[211; 2_000_000]);
}

/// A mini file system with `entries` entries in its root, which all share one fragment table.
fn emb_with(entries: u32, pairs: u32) -> Vec<u8> {
    let mut emb = vec![0; 144];
    let root = emb.len() as u32;
    let table = root + entries * 256 + 8;
    for number in 0..entries {
        for word in [0, 2, pairs, table] {
            emb.extend(u32::to_le_bytes(word));
        }
        let mut name = format!("{number}.d01").into_bytes();
        name.resize(240, 0);
        emb.extend(name);
    }
    for word in [entries * 256, root] {
        emb.extend(word.to_le_bytes());
    }
    emb.extend([1, 0, 0, 0, 9, 0, 0, 0].repeat(pairs as usize));
    let directory = root + entries * 256;
    emb[136..140].copy_from_slice(&(entries * 256).to_le_bytes());
    emb[140..144].copy_from_slice(&directory.to_le_bytes());
    emb
}

#[test]
fn fragment_tables_that_all_entries_share_are_read_a_few_times_only() {
    let emb = emb_with(4_000, 100_000);
    let (database, _) = Base::new(&[], &emb).read();
    let members = database.as_files().members();
    assert_eq!(members.len(), 4_000);
    let pairs: u64 = members.iter().map(|member| member.size).sum();
    assert!(pairs > 100_000 && pairs <= emb.len() as u64 / 4 + 256, "{pairs}");
    assert!(!database.info().warnings.is_empty());
}

#[test]
fn fifty_fragment_tables_are_named_at_most() {
    for (entries, named) in [(49, 49), (50, 50), (51, 50), (4_000, 50)] {
        let mut emb = emb_with(entries, 1);
        // Without the table that all of them share.
        emb.truncate(emb.len() - 8);
        let (database, _) = Base::new(&[], &emb).read();
        let about =
            |problem: &&chessdb::Problem| problem.what.contains("its fragment table leads out of the file");
        assert_eq!(
            database.problems().iter().filter(about).count(),
            named,
            "{entries} entries"
        );
    }
}

#[test]
fn the_line_that_goes_on_from_a_king_in_check_is_named_to_its_end() {
    // 1. e4 e5 2. Qh5, then the pawn before the king's bishop, which leaves the king in check, and two more moves.
    let text = checked(&[19, 19, 105, 20, A_PAWN, A_PAWN + 4]).replace('\n', " ");
    assert!(text.contains("1. e4 e5 2. Qh5"), "{text}");
    assert!(text.contains("goes on f7f6 a2a3 b7b6}"), "{text}");
}
