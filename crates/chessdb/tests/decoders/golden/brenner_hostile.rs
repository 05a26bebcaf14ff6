//! Files that are designed to be expensive are read to their end, and the results are in proportion to their
//! size.

use super::*;

/// Size of each file in bytes.
const SIZE: usize = 1 << 20;

/// A file that repeats a pattern.
fn repeated(pattern: &[u8]) -> Vec<u8> {
    pattern.iter().copied().cycle().take(SIZE).collect()
}

fn opened(bytes: &[u8]) -> Box<dyn Database> {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("hostile");
    std::fs::write(base.with_extension("brn"), bytes).unwrap();
    open_base(&base).unwrap()
}

/// Opens the file and reads games until their records are as long as the file. Returns the database.
#[track_caller]
fn check(bytes: &[u8], games: usize) -> Box<dyn Database> {
    let database = opened(bytes);
    assert_eq!(database.len() as usize, games);
    let most = bytes.len() * 200 + 100_000;
    let (mut text, mut rows) = (0, database.problems().len());
    for game in 0..database.len() {
        let decoded = database.game(game);
        text += to_pgn(&decoded.game).len();
        rows += decoded.problems.len();
    }
    assert!(text <= most, "{text} bytes of PGN for {} bytes", bytes.len());
    assert!(rows <= 40 * games + 1001, "{rows} problems of {games} games");
    database
}

#[test]
fn games_of_two_and_six_bytes() {
    check(&repeated(b"\x2c\x01"), SIZE / 2);
    // The last name begins no game, because no other name follows it.
    check(&repeated(b"\0W\0\0B\0"), SIZE / 6);
}

#[test]
fn bytes_that_belong_to_no_game_are_few_rows() {
    let database = check(&repeated(b"\x02"), 0);
    assert_eq!(database.problems().len(), 1);
    let database = check(&repeated(b"\0"), 0);
    assert_eq!(database.problems().len(), 1);
    // Between games they cannot be combined, so only some are listed separately.
    let database = check(&repeated(b"\x2c\x01\x01"), SIZE / 3 + 1);
    let problems = database.problems();
    assert_eq!(problems.len(), 1001);
    let more = format!("{} more places", SIZE / 3 - 1000);
    assert!(problems[1000].what.starts_with(&more), "{}", problems[1000]);
}

#[test]
fn one_game_with_damage_everywhere() {
    for pattern in [
        &b"\0\x04"[..],
        b"\0a\x08",
        b"\x07",
        b"\x06\x07",
        b"\x40",
        b"\xc0\x04",
        b"\0x\0\x04",
    ] {
        let database = check(
            &repeated(pattern),
            usize::from(pattern[0] != 7 && pattern[0] != 6),
        );
        for game in 0..database.len() {
            assert!(database.game(game).problems.len() <= 1001);
        }
    }
    let mut glyphs = repeated(b"\x06\x07\x07");
    glyphs[SIZE - 1] = 0x2c;
    let decoded = check(&glyphs, 1).game(0);
    assert_eq!(decoded.problems.len(), 1);
}

#[test]
fn one_game_of_a_million_half_moves_legal_under_every_reading() {
    // Nf3 Nf6 Ng1 Ng8, which means the same in all readings.
    let mut bytes = repeated(b"\x1b\x1e\x1f\x1a");
    let database = check(&bytes, 1);
    let decoded = database.game(0);
    assert_eq!(decoded.problems, []);
    assert_eq!(decoded.game.movetext.tokens().len(), SIZE);
    // With an undefined byte at the end, every reading replays the game up to it.
    bytes[SIZE - 1] = 0xc0;
    assert_eq!(check(&bytes, 1).game(0).problems.len(), 1);
}

/// `check` reports at which move a problem is.
#[test]
fn a_problem_is_at_the_move_where_its_byte_is() {
    // A glyph, then Nf3 Nf6, then a byte without a meaning.
    let decoded = opened(b"\0WTal\0\0BBotvinnik\0\x07\x1b\x1e\xc0\x2c").game(0);
    let plies = |what: &str| {
        let mut problems = decoded.problems.iter();
        let problem = problems.find(|problem| problem.what.contains(what));
        problem.and_then(|problem| problem.plies)
    };
    assert_eq!(plies("a glyph before the first half-move"), Some(0));
    assert_eq!(plies("C0"), Some(2), "{:?}", decoded.problems);
}

#[test]
fn one_text_as_long_as_the_file() {
    let mut bytes = repeated(b"W");
    bytes[0] = 0;
    let database = check(&bytes, 1);
    let white = database.tags(0).get("White").unwrap().len();
    assert_eq!(white, 1 << 16);
    assert_eq!(database.text(database.keys(0).white).len(), white);
    bytes[1] = b' ';
    bytes[SIZE - 1] = 0x2c;
    check(&bytes, 0);
    bytes[SIZE - 2..].copy_from_slice(b"\0\x2c");
    check(&bytes, 1);
}
