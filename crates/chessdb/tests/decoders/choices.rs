//! Databases written by the fuzz targets `chess_assistant_records`, `chessbase_2cbh_records` and `jose_rows`: valid
//! containers with arbitrary contents, read within the bounds of `crates/testkit/src/harness`.

use chessdb::formats::FORMATS;
use testkit::harness::frame::Input;
use testkit::harness::sweep::{Strictness, sweep};
use testkit::inputs::{chess_assistant, chessbase_2cbh, jose};
use testkit::pgn;

/// Number of databases of each format.
const DATABASES: u64 = 60;

/// Length of an input in bytes.
const LEN: usize = 4 << 10;

/// Random bytes, the same in every run (SplitMix64).
fn random(seed: u64) -> Vec<u8> {
    let mut state = seed << 32;
    let byte = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 56) as u8
    };
    (0..LEN).map(byte).collect()
}

/// Number of games in a database, and of those with at least four moves.
fn games_of(format: &str, input: &Input) -> (u32, u32) {
    let format = FORMATS.iter().find(|known| known.name == format).unwrap();
    let candidates = (format.find)(&input.directory());
    let [candidate] = &candidates[..] else {
        panic!("{} databases", candidates.len());
    };
    let parts = (format.open)(input.open(candidate), &input.options).unwrap();
    let database = &parts[0].database;
    let is_played = |game: &u32| {
        let read = pgn::read(&chessdb_library::library::to_pgn(&database.game(*game).game));
        read[0].main_line().len() >= 4
    };
    let played = (0..database.len()).filter(is_played).count();
    (database.len(), u32::try_from(played).unwrap())
}

fn check(format: &str, input: fn(&[u8]) -> Input) {
    let (mut all, mut played) = (0, 0);
    for seed in 0..DATABASES {
        let input = input(&random(seed));
        assert_eq!(
            sweep(format, &input, Strictness::default()).databases,
            1,
            "seed {seed}"
        );
        let (games, with_moves) = games_of(format, &input);
        all += games;
        played += with_moves;
    }
    // Edits remove the moves of some games. In an invalid container nearly all games would have none.
    eprintln!("{format}: {played} of {all} games have moves");
    assert!(played * 4 > all, "{played} of {all}");
}

#[test]
fn chess_assistant_databases_of_choices_are_sound() {
    check("chess-assistant", chess_assistant::input);
}

#[test]
fn chessbase_2cbh_databases_of_choices_are_sound() {
    check("chessbase-2cbh", |bytes| {
        // The first byte may put the files into an archive, which hardly any change leaves readable.
        let as_files = [&[0], &bytes[1..]].concat();
        chessbase_2cbh::input(&as_files)
    });
}

#[test]
fn jose_databases_of_choices_are_sound() {
    check("jose", jose::input);
}
