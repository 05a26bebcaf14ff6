//! Cut and changed files: whatever the bytes, opening and decoding end, cost what the bounds of `fuzz/harness` allow,
//! and give PGN in which a reader finds exactly the games.

#[path = "common/mod.rs"]
mod common;
#[path = "../fuzz/harness/mod.rs"]
mod harness;

use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use chessdb::formats::{Candidate, Format};
use common::needs;
use common::pgn;
use common::samples::{all_samples, candidates};
use harness::frame::Input;
use harness::sweep::{Games, Strictness, Swept, sweep_candidate};

/// Samples of up to so many bytes are damaged at every place that a test names.
const SMALL: usize = 80 << 10;

/// Larger ones are damaged at so many places of each file that not much more than this is read.
const MOST_BYTES: usize = 16 << 20;

/// A file is damaged at so many places at least, however large the sample is.
const FEWEST: usize = 16;

/// Games that are read of each damaged sample.
const GAMES: u32 = 4;

/// Reads every sample again and again, each time with one file replaced by what `damage` makes of it at one of the
/// places. Places are named for a number of them that is not to be exceeded.
fn read_damaged(
    what: &str,
    places: impl Fn(&[u8], usize) -> Vec<usize> + Sync,
    damage: impl Fn(&[u8], usize) -> Vec<u8> + Sync,
) {
    let samples = every_sample();
    let (next, reads) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some((format, candidate)) = samples.get(next.fetch_add(1, Ordering::Relaxed)) {
            let input = Input::read(candidate);
            let most = match input.len() {
                0..=SMALL => usize::MAX,
                len => (MOST_BYTES / len).max(FEWEST),
            };
            for (number, (name, bytes)) in input.files.iter().enumerate() {
                for place in places(bytes, most) {
                    let mut damaged = input.clone();
                    damaged.files[number].1 = Arc::new(damage(bytes, place));
                    let near = place as f64 / bytes.len() as f64;
                    catch_unwind(|| read(format, candidate, &damaged, near))
                        .unwrap_or_else(|_| panic!("{}: {name} {what} at {place}", candidate.name));
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    eprintln!("{} databases {what} were read", reads.into_inner());
}

/// The databases of all samples.
fn every_sample() -> Vec<(&'static Format, Candidate)> {
    let bases = all_samples().into_iter().flat_map(|sample| sample.bases());
    bases.flat_map(|base| candidates(&base)).collect()
}

fn read(format: &Format, candidate: &Candidate, input: &Input, near: f64) -> Swept {
    let strictness = Strictness {
        games: Some(Games { most: GAMES, near }),
        slowness: None,
    };
    sweep_candidate(format, candidate, input, strictness)
}

#[test]
fn every_cut_is_survived() {
    needs!(samples);
    let places = |bytes: &[u8], most: usize| {
        let step = 37 * (bytes.len() / 37).div_ceil(most).max(1);
        (0..bytes.len()).step_by(step).collect()
    };
    read_damaged("cut", places, |bytes, place| bytes[..place].to_vec());
}

#[test]
fn every_changed_byte_is_survived() {
    needs!(samples);
    // The head, where lengths and counts stand, then some of the rest.
    let places = |bytes: &[u8], most: usize| {
        let head = 0..bytes.len().min(32).min(most);
        let rest = (32..bytes.len()).step_by(bytes.len() / 16 + 1);
        head.chain(rest).collect()
    };
    let change = |bytes: &[u8], place: usize| {
        let mut changed = bytes.to_vec();
        changed[place] ^= [0xff, 0x01, 0x80][place % 3];
        changed
    };
    read_damaged("changed", places, change);
}
