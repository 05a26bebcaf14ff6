//! Truncated and changed files. Whatever the bytes are, opening and decoding end within the bounds of
//! `crates/testkit/src/harness`, and the PGN contains exactly the games.

use testkit::harness;

use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use chessdb::files::Candidate;
use chessdb::formats::Format;
use harness::frame::Input;
use harness::sweep::{Games, Strictness, Swept, sweep_candidate};
use testkit::samples::{all_bases, candidates, files_below, shared};
use testkit::{cases, needs};

/// Samples up to this size in bytes are damaged at every place that a test selects.
fn small() -> usize {
    cases(512, 16 << 10)
}

/// Larger samples are damaged at fewer places of each file, so that not much more than this number of bytes
/// is read.
fn most_bytes() -> usize {
    cases(1 << 16, 2 << 20)
}

/// Minimum number of places at which a file is damaged.
fn fewest() -> usize {
    cases(2, 8)
}

/// Number of games that are read in each damaged sample.
const GAMES: u32 = 4;

/// Reads every sample repeatedly, each time with one file replaced by the result of `damage` at one of its
/// places. `places` receives the bytes and the maximum number of places.
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
            let most = match input.total_len() {
                len if len <= small() => usize::MAX,
                len => (most_bytes() / len / input.files.len()).max(fewest()),
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
    let cases = files_below(&shared().join("data/pgn-cases")).into_iter();
    let bases = all_bases()
        .into_iter()
        .chain(cases.map(|path| path.with_extension("")));
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
    // The head, which contains lengths and counts, and some places in the rest.
    let places = |bytes: &[u8], most: usize| {
        let head = 0..bytes.len().min(32).min(most);
        let rest = (32..bytes.len()).step_by(bytes.len() / most.min(16) + 1);
        head.chain(rest).collect()
    };
    let change = |bytes: &[u8], place: usize| {
        let mut changed = bytes.to_vec();
        changed[place] ^= [0xff, 0x01, 0x80][place % 3];
        changed
    };
    read_damaged("changed", places, change);
}
