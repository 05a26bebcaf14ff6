//! Blocks of games that are decoded at once.

use pyo3::prelude::*;
use pyo3::types::PyString;

use chessdb::game::Tags;
use chessdb_library::library::{LibraryEntry, append_text};

/// Bytes of a usual game's text, and some more.
const USUAL_TEXT: usize = 1024;

/// The tags of some games.
pub fn tags_of_games(entry: &LibraryEntry, games: impl Iterator<Item = u32>) -> Vec<Tags> {
    games.map(|game| entry.database.tags(game)).collect()
}

/// The texts of some games, one after another.
#[derive(Default)]
pub struct Texts {
    bytes: Vec<u8>,
    /// The end of each text in `bytes`.
    ends: Vec<usize>,
}

impl Texts {
    /// Decodes some games.
    pub fn of(entry: &LibraryEntry, games: impl ExactSizeIterator<Item = u32>) -> Texts {
        let mut texts = Texts {
            bytes: Vec::with_capacity(games.len() * USUAL_TEXT),
            ends: Vec::with_capacity(games.len()),
        };
        for game in games {
            append_text(&mut texts.bytes, entry, game);
            texts.ends.push(texts.bytes.len());
        }
        texts
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text at a place, empty beyond the last one. PGN files that are shown byte for byte may have bytes that are
    /// not UTF-8.
    pub fn to_str<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyString>> {
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before));
        let range = start.copied().unwrap_or(0)..self.ends.get(place).copied().unwrap_or(0);
        let text = self.bytes.get(range).unwrap_or_default();
        PyString::from_bytes(py, text).or_else(|error| match std::str::from_utf8(text) {
            Ok(_) => Err(error),
            Err(_) => Ok(PyString::new(py, &String::from_utf8_lossy(text))),
        })
    }
}
