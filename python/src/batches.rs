//! Iterators that decode many games at a time. Files are checked, and the GIL is released, once for all of
//! these games.

use std::ops::Range;
use std::vec::IntoIter;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::game::text_to_str;
use crate::in_chunks::in_chunks;
use crate::source::Source;
use chessdb::game::Tags;
use pgnfs::library::{append_text, tags_of};

/// Number of games that a thread decodes at a time.
const CHUNK: u32 = 256;
/// Chunks that each thread decodes before Python takes them.
const CHUNKS: u32 = 4;

/// Games that are decoded batch by batch.
pub struct Batches {
    source: Source,
    games: Range<u32>,
    threads: usize,
}

impl Batches {
    /// Decodes `games` of a database on `threads` threads.
    pub fn new(source: Source, games: Range<u32>, threads: usize) -> Batches {
        Batches {
            source,
            games,
            threads,
        }
    }

    /// Decodes the next games with `decode`; `None` at the end. After an exception, the next call decodes the
    /// same games again.
    fn next<T: Send>(
        &mut self,
        py: Python<'_>,
        decode: impl Fn(&Source, Range<u32>) -> T + Sync,
    ) -> PyResult<Option<IntoIter<T>>> {
        if self.games.is_empty() {
            return Ok(None);
        }
        let most = CHUNK * CHUNKS * self.threads as u32;
        let end = self.games.start.saturating_add(most).min(self.games.end);
        let games = self.games.start..end;
        let source = &self.source;
        let decoded = in_chunks(py, source, games, CHUNK, self.threads, |games| {
            decode(source, games)
        })?;
        self.games.start = end;
        Ok(Some(decoded.into_iter()))
    }
}

/// An iterator over headers.
#[pyclass(module = "chessdb")]
pub struct HeadersIterator {
    batches: Batches,
    chunks: IntoIter<Vec<Tags>>,
    chunk: IntoIter<Tags>,
    /// The names of tags met so far, in the order of their first occurrence.
    names: Vec<(String, Py<PyString>)>,
}

impl HeadersIterator {
    /// The headers of games.
    pub fn new(batches: Batches) -> HeadersIterator {
        HeadersIterator {
            batches,
            chunks: Vec::new().into_iter(),
            chunk: Vec::new().into_iter(),
            names: Vec::new(),
        }
    }

    /// Tags as a dict whose keys are shared.
    fn dict<'py>(&mut self, py: Python<'py>, tags: &Tags) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        // Most games have their tags in the same order.
        let mut place = 0;
        for (name, value) in tags.iter() {
            let is_there = |(known, _): &(String, Py<PyString>)| known == name;
            let found = match self.names.get(place).is_some_and(is_there) {
                true => place,
                false => self.names.iter().position(is_there).unwrap_or_else(|| {
                    self.names
                        .push((name.to_owned(), PyString::intern(py, name).unbind()));
                    self.names.len() - 1
                }),
            };
            place = found + 1;
            if let Some((_, name)) = self.names.get(found) {
                dict.set_item(name, value)?;
            }
        }
        Ok(dict)
    }
}

#[pymethods]
impl HeadersIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        loop {
            if let Some(tags) = self.chunk.next() {
                return self.dict(py, &tags).map(Some);
            }
            if let Some(chunk) = self.chunks.next() {
                self.chunk = chunk.into_iter();
                continue;
            }
            let decode = |source: &Source, games: Range<u32>| {
                games.map(|game| tags_of(&*source.0.database, game)).collect()
            };
            match self.batches.next(py, decode)? {
                Some(chunks) => self.chunks = chunks,
                None => return Ok(None),
            }
        }
    }
}

/// The texts of some games, one after another.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: IntoIter<usize>,
    start: usize,
}

impl Texts {
    fn of(source: &Source, games: Range<u32>) -> Texts {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for game in games {
            append_text(&mut bytes, &source.0, game);
            ends.push(bytes.len());
        }
        Texts {
            bytes,
            ends: ends.into_iter(),
            start: 0,
        }
    }

    fn next(&mut self) -> Option<&[u8]> {
        let end = self.ends.next()?;
        let start = std::mem::replace(&mut self.start, end);
        self.bytes.get(start..end)
    }
}

/// An iterator over games as PGN.
#[pyclass(module = "chessdb")]
pub struct PgnIterator {
    batches: Batches,
    chunks: IntoIter<Texts>,
    chunk: Texts,
}

impl PgnIterator {
    /// The PGN of games.
    pub fn new(batches: Batches) -> PgnIterator {
        PgnIterator {
            batches,
            chunks: Vec::new().into_iter(),
            chunk: Texts::default(),
        }
    }
}

#[pymethods]
impl PgnIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            if let Some(text) = self.chunk.next() {
                return text_to_str(py, text).map(Some);
            }
            if let Some(chunk) = self.chunks.next() {
                self.chunk = chunk;
                continue;
            }
            match self.batches.next(py, Texts::of)? {
                Some(chunks) => self.chunks = chunks,
                None => return Ok(None),
            }
        }
    }
}
