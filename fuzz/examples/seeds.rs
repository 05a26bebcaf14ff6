//! Frames every database below some folders as an input of its format's fuzz target: `seeds TARGET FOLDER...`.

use std::fs;
use std::path::{Path, PathBuf};

use pgnfs::formats::{Directory, FORMATS};
use pgnfs_fuzz::harness::frame::Input;

/// Longest input. Fuzzers change short ones better and more often.
const LONGEST: usize = 16 << 10;

/// Longest input of which there is one for each reading.
const LONGEST_FORCED: usize = 2 << 10;

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let target = arguments.next().expect("usage: seeds TARGET FOLDER...");
    let mut folders: Vec<PathBuf> = arguments.collect();
    while let Some(folder) = folders.pop() {
        let mut directory = Directory {
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

fn write_seeds(directory: &Directory, target: &Path) {
    for format in FORMATS {
        let seeds = target.join(format.name.replace('-', "_"));
        fs::create_dir_all(&seeds).expect("a folder for seeds");
        for candidate in (format.find)(directory) {
            let framed = Input::read(&candidate).framed();
            // Each reading is code of its own, to which a fuzzer would hardly find its way.
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
