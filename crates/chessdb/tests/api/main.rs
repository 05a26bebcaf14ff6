//! The crate as other programs use it, over databases written from the games of the repository.

#![cfg(feature = "fs")]

mod formats;
mod games;
mod opening;
#[path = "../../examples/own_format.rs"]
#[allow(dead_code)]
mod own_format;

use std::fs;
use std::path::{Path, PathBuf};

use testkit::writers::{WRITERS, source};

/// A file with games of the repository.
fn own(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/games")
        .join(file)
}

/// Writes the classic games as a database at a path without extension.
fn write(format: &str, base: &Path) {
    let games = source::read(&fs::read(own("classics.pgn")).unwrap()).unwrap();
    let (_, write) = WRITERS.iter().find(|(name, _)| *name == format).unwrap();
    write(&games, base).unwrap();
}
