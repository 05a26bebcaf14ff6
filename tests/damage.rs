//! Cut and changed files: whatever the bytes, opening and decoding end, give PGN that a reader takes, and lose no game
//! of the index.

#[path = "common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};

use common::pgn;
use common::samples::{all_samples, candidates, open};
use pgnfs::formats::{Candidate, Format, Options};
use pgnfs::pgn::to_text;

/// Files are cut at every 37th length, larger ones at as many places as one of this size.
const SMALL: usize = 1_500;

/// A sample's files copied to a folder where they can be changed.
struct Copied {
    format: &'static Format,
    candidate: Candidate,
    files: Vec<(PathBuf, Vec<u8>)>,
    _folder: tempfile::TempDir,
}

impl Copied {
    fn of(base: &Path) -> Vec<Copied> {
        let found = candidates(base).into_iter();
        found
            .map(|(format, candidate)| {
                let folder = tempfile::tempdir().unwrap();
                let mut copied = candidate.clone();
                let mut files = Vec::new();
                for (_, path) in &mut copied.files {
                    let bytes = std::fs::read(&*path).unwrap();
                    *path = folder.path().join(path.file_name().unwrap());
                    std::fs::write(&*path, &bytes).unwrap();
                    files.push((path.clone(), bytes));
                }
                Copied {
                    format,
                    candidate: copied,
                    files,
                    _folder: folder,
                }
            })
            .collect()
    }

    /// Opens the changed database and reads every game; gives the number of games.
    fn read(&self) -> u32 {
        let Some(database) = open(self.format, &self.candidate, &Options::default()) else {
            return 0;
        };
        let mut text = Vec::new();
        for game in 0..database.len() {
            let keys = database.keys(game);
            for id in [keys.white, keys.black, keys.event] {
                assert!(!database.text(id).is_empty());
            }
            text.extend(to_text(&database.game(game).game));
        }
        // An independent reader finds the same number of games: no text ends a game early or begins one.
        assert_eq!(pgn::read(&text).len(), database.len() as usize, "games read back");
        for document in 0..database.documents().len() {
            let text = to_text(&database.document(document));
            assert_eq!(pgn::read(&text).len(), 1, "a document is one game");
        }
        database.len()
    }
}

/// The samples of all formats that are small enough to be damaged in many ways.
fn small_samples() -> Vec<(String, PathBuf)> {
    let small = all_samples()
        .into_iter()
        .filter(|sample| sample.expected.len() < 120_000);
    small
        .flat_map(|sample| {
            sample
                .bases()
                .into_iter()
                .map(move |base| (sample.name.clone(), base))
        })
        .collect()
}

#[test]
fn every_cut_is_survived() {
    let mut reads = 0u32;
    for (name, base) in small_samples() {
        for copied in Copied::of(&base) {
            for (path, bytes) in &copied.files {
                let step = 37 * (bytes.len() / SMALL + 1);
                for len in (0..bytes.len()).step_by(step) {
                    std::fs::write(path, &bytes[..len]).unwrap();
                    let games = copied.read();
                    assert!(games < 1_000_000, "{name}: {games} games of {len} bytes");
                    reads += 1;
                }
                std::fs::write(path, bytes).unwrap();
            }
        }
    }
    eprintln!("{reads} cut databases read");
}

#[test]
fn every_changed_byte_is_survived() {
    let mut reads = 0u32;
    for (_, base) in small_samples() {
        for copied in Copied::of(&base) {
            for (path, bytes) in &copied.files {
                // Every byte of the head, where lengths and counts stand, then some of the rest.
                let head = 0..bytes.len().min(32);
                let rest = (32..bytes.len()).step_by(bytes.len() / 16 + 1);
                for (n, place) in head.chain(rest).enumerate() {
                    let mut changed = bytes.clone();
                    changed[place] ^= [0xff, 0x01, 0x80][n % 3];
                    std::fs::write(path, &changed).unwrap();
                    copied.read();
                    reads += 1;
                }
                std::fs::write(path, bytes).unwrap();
            }
        }
    }
    eprintln!("{reads} changed databases read");
}
