//! Iterators over games, and those that decode many games at a time. Of these, files are checked, and the GIL is
//! released, once for many games.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::IntoIter;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::blocks::{Texts, tags_of_games};
use crate::game::Game;
use crate::in_chunks::in_chunks;
use crate::shared::Shared;
use crate::source::Source;
use chessdb::game::Tags;
use chessdb_library::library::LibraryEntry;

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
        decode: impl Fn(&LibraryEntry, Range<u32>) -> T + Sync,
    ) -> PyResult<Option<IntoIter<T>>> {
        if self.games.is_empty() {
            return Ok(None);
        }
        let most = CHUNK * CHUNKS * self.threads as u32;
        let end = self.games.start.saturating_add(most).min(self.games.end);
        let games = self.games.start..end;
        let source = &self.source;
        let decoded = in_chunks(py, source, games, CHUNK, self.threads, |games| {
            decode(&source.entry, games)
        })?;
        self.games.start = end;
        Ok(Some(decoded.into_iter()))
    }
}

/// An iterator over headers. Threads may share it: each header comes once.
#[pyclass(frozen, module = "chessdb")]
pub struct HeadersIterator(Shared<Headers>);

struct Headers {
    batches: Batches,
    chunks: IntoIter<Vec<Tags>>,
    chunk: IntoIter<Tags>,
}

impl HeadersIterator {
    /// The headers of games.
    pub fn new(batches: Batches) -> HeadersIterator {
        HeadersIterator(Shared::new(Headers {
            batches,
            chunks: Vec::new().into_iter(),
            chunk: Vec::new().into_iter(),
        }))
    }
}

#[pymethods]
impl HeadersIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.0.with(py, |headers| headers.next(py))
    }
}

impl Headers {
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        loop {
            if let Some(tags) = self.chunk.next() {
                return self.batches.source.shared.names.dict(py, &tags).map(Some);
            }
            if let Some(chunk) = self.chunks.next() {
                self.chunk = chunk.into_iter();
                continue;
            }
            match self.batches.next(py, tags_of_games)? {
                Some(chunks) => self.chunks = chunks,
                None => return Ok(None),
            }
        }
    }
}

/// An iterator over games as PGN. Threads may share it: each game comes once.
#[pyclass(frozen, module = "chessdb")]
pub struct PgnIterator(Shared<Pgn>);

struct Pgn {
    batches: Batches,
    chunks: IntoIter<Texts>,
    chunk: Texts,
    /// The place of the next game in the chunk.
    place: usize,
}

impl PgnIterator {
    /// The PGN of games.
    pub fn new(batches: Batches) -> PgnIterator {
        PgnIterator(Shared::new(Pgn {
            batches,
            chunks: Vec::new().into_iter(),
            chunk: Texts::default(),
            place: 0,
        }))
    }
}

#[pymethods]
impl PgnIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        self.0.with(py, |pgn| pgn.next(py))
    }
}

impl Pgn {
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        loop {
            if self.place < self.chunk.len() {
                self.place += 1;
                return self.chunk.to_str(py, self.place - 1).map(Some);
            }
            if let Some(chunk) = self.chunks.next() {
                (self.chunk, self.place) = (chunk, 0);
                continue;
            }
            match self.batches.next(py, Texts::of)? {
                Some(chunks) => self.chunks = chunks,
                None => return Ok(None),
            }
        }
    }
}

/// An iterator over games. Threads may share it: each game comes once.
#[pyclass(frozen, module = "chessdb")]
pub struct GameIterator {
    source: Source,
    games: Mutex<Range<u32>>,
}

impl GameIterator {
    /// Iterates over these games of a database.
    pub fn new(source: Source, games: Range<u32>) -> GameIterator {
        GameIterator {
            source,
            games: Mutex::new(games),
        }
    }

    /// Held only for moments, in which no code of Python runs.
    fn games(&self) -> MutexGuard<'_, Range<u32>> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl GameIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self) -> Option<Game> {
        let index = self.games().next()?;
        Some(Game::new(&self.source, index))
    }

    fn __length_hint__(&self) -> usize {
        self.games().len()
    }
}
