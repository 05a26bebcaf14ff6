//! Figures of CBF/CBI.

use std::fs;
use std::path::Path;

use chessdb::game::Token;

use super::{fastest, row_at_most};
use testkit::samples::open_base;

/// Offset and length of a record in a `.cbf`.
type Place = (usize, usize);

/// The sample, without extension.
const SAMPLE: &str = "data/chessbase/medium";

/// Number of games in the database that is only opened.
const MANY: usize = 64_000;

/// Measures opening a large database.
pub fn figures(shared: &Path) {
    let (cbf, places) = sample(shared);
    let folder = tempfile::tempdir().expect("a place for a database");
    let many: Vec<Place> = places.iter().copied().cycle().take(MANY).collect();
    let base = folder.path().join("many");
    write(&base, &cbf, &many);
    let seconds = fastest(|| open_base(&base).map_or(0, |database| database.len() as usize));
    row_at_most("ChessBase: opening 64,000 games, seconds", seconds, 0.1);
}

/// Writes those games of the sample that have no annotations to a database of their own.
pub fn write_plain(shared: &Path, base: &Path) {
    let all = open_base(&shared.join(SAMPLE)).expect("the samples are a database");
    let is_plain = |game: u32| {
        let tokens = all.game(game).game;
        tokens
            .movetext
            .tokens()
            .iter()
            .all(|token| matches!(token, Token::Move(..)))
    };
    let (cbf, places) = sample(shared);
    let plain: Vec<Place> = (0..all.len())
        .zip(places)
        .filter(|(game, _)| is_plain(*game))
        .map(|(_, place)| place)
        .collect();
    write(base, &cbf, &plain);
}

/// The records of the sample, and their places.
fn sample(shared: &Path) -> (Vec<u8>, Vec<Place>) {
    let base = shared.join(SAMPLE);
    let cbf = fs::read(base.with_extension("cbf")).expect("the samples are there");
    let cbi = fs::read(base.with_extension("cbi")).expect("the samples are there");
    let places = places(&cbi, cbf.len());
    (cbf, places)
}

/// The places of the records in a valid database, which are stored in order.
fn places(cbi: &[u8], end: usize) -> Vec<Place> {
    let words: Vec<usize> = cbi
        .as_chunks()
        .0
        .iter()
        .map(|&word| u32::from_be_bytes(word) as usize)
        .collect();
    let games = words[0] - 1;
    let mut offsets: Vec<usize> = (1..=games).map(|game| words[game] - game - 1).collect();
    let in_order = offsets.clone();
    offsets.sort_unstable();
    let length = |offset: usize| {
        let next = offsets.partition_point(|&other| other <= offset);
        offsets.get(next).copied().unwrap_or(end) - offset
    };
    in_order
        .into_iter()
        .map(|offset| (offset, length(offset)))
        .collect()
}

/// A database of copies of records.
fn write(base: &Path, cbf: &[u8], places: &[Place]) {
    let mut records = Vec::new();
    let mut index = (places.len() as u32 + 1).to_be_bytes().to_vec();
    for (&(offset, len), game) in places.iter().zip(1u32..) {
        index.extend((records.len() as u32 + game + 1).to_be_bytes());
        records.extend(&cbf[offset..offset + len]);
    }
    index.extend((records.len() as u32 + places.len() as u32 + 2).to_be_bytes());
    fs::write(base.with_extension("cbf"), records).expect("written");
    fs::write(base.with_extension("cbi"), index).expect("written");
}
