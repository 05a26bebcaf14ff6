//! Converts every database below some folders to an input of its fuzz target: `seeds TARGET FOLDER...`.
//! Targets that interpret their input as choices get random bytes.

use std::fs;
use std::path::{Path, PathBuf};

use chessdb::formats::FORMATS;
use chessdb::files::SourceFolder;
use testkit::harness::frame::Input;

/// Maximum length of an input. Fuzzers mutate short inputs more effectively.
const LONGEST: usize = 16 << 10;

/// Maximum length of an input that is written once for each reading.
const LONGEST_FORCED: usize = 2 << 10;

/// Targets for which any bytes are a valid database.
const OF_CHOICES: [&str; 3] = ["chess_assistant_records", "chessbase_2cbh_records", "jose_rows"];

/// Number and length of their seeds.
const RANDOM_SEEDS: u64 = 32;
const RANDOM_LEN: usize = 4 << 10;

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let target = arguments.next().expect("usage: seeds TARGET FOLDER...");
    for name in OF_CHOICES {
        write_random(&target.join(name));
    }
    let mut folders: Vec<PathBuf> = arguments.collect();
    while let Some(folder) = folders.pop() {
        let mut directory = SourceFolder {
            path: folder.clone(),
            files: Vec::new(),
        };
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.file_name().and_then(|name| name.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some(name) => directory.files.push(name.to_owned()),
                None => {}
            }
        }
        directory.files.sort();
        write_seeds(&directory, &target);
    }
}

fn write_random(seeds: &Path) {
    fs::create_dir_all(seeds).expect("a folder for seeds");
    let mut state = 0;
    for number in 0..RANDOM_SEEDS {
        let bytes: Vec<u8> = (0..RANDOM_LEN).map(|_| random(&mut state)).collect();
        fs::write(seeds.join(format!("{number:04}")), bytes).expect("a seed is written");
    }
}

/// The highest byte of SplitMix64.
fn random(state: &mut u64) -> u8 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 56) as u8
}

fn write_seeds(directory: &SourceFolder, target: &Path) {
    for format in FORMATS {
        // The name `pgn` is taken by the target that tests the writer.
        let name = match format.name {
            "pgn" => "pgn_file".to_owned(),
            name => name.replace('-', "_"),
        };
        let seeds = target.join(name);
        fs::create_dir_all(&seeds).expect("a folder for seeds");
        for candidate in (format.find)(directory) {
            let framed = Input::read(&candidate).framed();
            // Each reading has its own code, which a fuzzer would hardly reach by itself.
            let readings = (format.readings)()
                .into_iter()
                .filter(|_| framed.len() <= LONGEST_FORCED);
            let options = readings.map(|name| format!("\n@file options\nreading={name}"));
            for options in options.chain([String::new()]) {
                let seed = [framed.as_slice(), options.as_bytes()].concat();
                if seed.len() <= LONGEST {
                    let count = fs::read_dir(&seeds).expect("the folder").count();
                    fs::write(seeds.join(format!("{count:04}")), seed).expect("a seed is written");
                }
            }
        }
    }
}
